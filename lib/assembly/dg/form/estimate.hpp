// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_FORM_ESTIMATE_HPP
#define TESSERA_ASSEMBLY_DG_FORM_ESTIMATE_HPP

#include "assembly/dg/form/form.hpp"

#include <cmath>

namespace tessera::assembly::dg {

/// Estimated error of a solution.
template <class MemorySpace> struct Estimate {
  Array<double*, MemorySpace> squares; ///< of the elements, [n_elements]
  double error = 0.;                   ///< root of their sum
  double norm = 0.;                    ///< || sqrt(A) grad u ||, as the sum of the estimate and that of the solution
  double relative() const { return norm > 0. ? error / norm : error > 0. ? 1. : 0.; }
};

/// Estimates the error in the dG norm of a steady problem with diffusion by the residuals of the elements and of the
/// flux at their faces, and by jumps (P. Houston, D. Schoetzau, T. P. Wihler, Energy norm a posteriori error estimation
/// of hp-adaptive discontinuous Galerkin methods for elliptic problems, M3AS 17, 2007): with F = A grad u,
///
///   eta_K^2 = c (h^2 / (p^2 a) |f + div F - b . grad u - c u|_K^2 + 1/2 sum over interior faces of h / (p a) |[F .
///   n]|^2
///             + sum over Neumann faces of h / (p a) |g_N - F . n|^2)
///             + 1/2 sum over interior faces of sigma |[u]|^2 + sum over Dirichlet faces of sigma |u - g_D|^2,
///
/// h: mean width of the element's bounding box, a: trace of A over the dimension. Jumps are those of the error; the
/// other terms bound it up to a constant, by whose measured value they are scaled: estimate_constant. Joints have no
/// residual.
template <class ExecutionSpace, int Dim>
Estimate<typename ExecutionSpace::memory_space>
estimate_error(const ExecutionSpace& exec, const Form<Dim, typename ExecutionSpace::memory_space>& form,
               const Array<const double*, ExecutionSpace>& u);

/// Square of the ratio of error and bound, measured for smooth solutions and at a corner (docs/theory.md).
constexpr double estimate_constant = 1. / 16.;

} // namespace tessera::assembly::dg

#endif
