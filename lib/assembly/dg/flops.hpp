// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_FLOPS_HPP
#define TESSERA_ASSEMBLY_DG_FLOPS_HPP

/// \file
/// Floating-point operations of kernels, for their rates.

#include "assembly/dg/form.hpp"

namespace tessera::assembly::dg {

/// Additions, multiplications and divisions of one assembly with matrix; a fused multiply-add counts two. A lower
/// bound: evaluating coefficients and data, the solution of the slab before, measures and normals count nothing, and
/// the one-dimensional factors of the basis count once for each point and element of an entry.
struct Flops {
  double volume = 0.;      ///< of `triplets` and `atomic`, with the start of a slab
  double interior = 0.;    ///< of these, interior faces
  double boundary[3] = {}; ///< of these, boundary faces by BoundaryKind
  double interfaces = 0.;  ///< of `block-rows`, blocks between two elements
};

template <int Dim> Flops count_flops(const Form<Dim, HostMemory>& form);

} // namespace tessera::assembly::dg

#endif
