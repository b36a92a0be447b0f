// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_FLOPS_HPP
#define TESSERA_ASSEMBLY_DG_FLOPS_HPP

/// \file
/// Floating-point operations and traffic of kernels, for their rates and arithmetic intensities.

#include "assembly/dg/form/form.hpp"

namespace tessera::assembly::dg {

/// Additions and multiplications at the quadrature points of one assembly of the matrix; a fused multiply-add counts as
/// two. A lower bound: the evaluation of coefficients, measures and normals are not counted.
struct Flops {
  double volume = 0.;      ///< of `triplets` and `atomic`
  double interior = 0.;    ///< of these, interior faces
  double boundary[3] = {}; ///< of these, boundary faces by BoundaryKind
  double interfaces = 0.;  ///< of `block-rows`, blocks between two elements
};

template <int Dim> Flops count_flops(const Form<Dim, HostMemory>& form);

/// Bytes that a kernel of a strategy of single entries moves at least.
struct EntryTraffic {
  double volume = 0.;
  double interior = 0.;
};

/// The traffic of `atomic`: each entry of the matrix that a kernel adds to is read and written once. `value_bytes` is
/// the size of an entry.
template <int Dim> EntryTraffic atomic_traffic(const Form<Dim, HostMemory>& form, double value_bytes);

/// The traffic of `triplets`: each triplet is written once.
template <int Dim> EntryTraffic triplet_traffic(const Form<Dim, HostMemory>& form, double value_bytes);

} // namespace tessera::assembly::dg

#endif
