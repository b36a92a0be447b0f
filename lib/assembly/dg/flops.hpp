// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_FLOPS_HPP
#define TESSERA_ASSEMBLY_DG_FLOPS_HPP

/// \file
/// Floating-point operations of kernels, for their rates.

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

} // namespace tessera::assembly::dg

#endif
