// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_FORM_ERRORS_HPP
#define TESSERA_ASSEMBLY_DG_FORM_ERRORS_HPP

/// \file
/// Norms of the error of a discontinuous Galerkin solution.

#include "assembly/dg/form/form.hpp"

#include <cmath>

namespace tessera::assembly::dg {

struct ExactSolution {
  physics::Expression value;
  std::vector<physics::Expression> gradient; ///< Dim entries
};

/// The terms of the dG norm are those of the form's coercivity (A. Cangiani, Z. Dong, E. H. Georgoulis, P. Houston,
/// hp-version discontinuous Galerkin methods for advection-diffusion-reaction problems on polytopic meshes, 2016),
/// except c - div(b) / 2: its term is a bounded multiple of the L2 norm, which is a separate member. In a time slab all
/// norms are in space and time.
struct ErrorNorms {
  double l2 = 0.;
  double exact_l2 = 0.;     ///< of the exact solution
  double diffusion = 0.;    ///< || sqrt(A) grad(u - u_h) ||
  double jumps = 0.;        ///< sqrt of the integral of sigma [[u - u_h]]^2 over interior and Dirichlet faces
  double advection = 0.;    ///< sqrt of the integral of |b . n| [u - u_h]^2 / 2 over all faces
  double at_end = 0.;       ///< L2 norm in space at the end of the slab; 0 in a steady problem
  double exact_at_end = 0.; ///< of the exact solution
  double dg() const { return std::sqrt(diffusion * diffusion + jumps * jumps + advection * advection); }

  /// Adds the norms of the next slab.
  void append(const ErrorNorms& next) {
    l2 = std::hypot(l2, next.l2);
    exact_l2 = std::hypot(exact_l2, next.exact_l2);
    diffusion = std::hypot(diffusion, next.diffusion);
    jumps = std::hypot(jumps, next.jumps);
    advection = std::hypot(advection, next.advection);
    at_end = next.at_end;
    exact_at_end = next.exact_at_end;
  }
};

/// Computes the norms of u - u_h, in the form's slab, for the coefficients u, [n_dofs], by quadrature of degree 2 p + 4
/// and ordered sums, over the elements of `owned` and their faces.
template <class ExecutionSpace, int Dim>
ErrorNorms error_norms(const ExecutionSpace& exec, const Form<Dim, typename ExecutionSpace::memory_space>& form,
                       const Array<const double*, ExecutionSpace>& u, const ExactSolution& exact,
                       const ElementRange& owned = {});

} // namespace tessera::assembly::dg

#endif
