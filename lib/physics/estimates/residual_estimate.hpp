// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_ESTIMATES_RESIDUAL_ESTIMATE_HPP
#define TESSERA_PHYSICS_ESTIMATES_RESIDUAL_ESTIMATE_HPP

/// \file
/// Estimate of the error of a solution by its residuals.

#include "mesh/parts/dual_graph.hpp"
#include "physics/estimates/error_estimate.hpp"

namespace tessera::physics {

/// Estimates the error in the energy norm by the residual of the equation in the elements, and of the flux at their
/// faces (R. Verfuerth, A Posteriori Error Estimation Techniques for Finite Element Methods, Oxford 2013, sections 1.4
/// and 4.3): with F the flux and s the source,
///
///   eta_K^2 = w h_K^2 / a_K |s + div F|_K^2 + 1/2 sum over inner faces of h_E / a_E |[F . n]|_E^2
///             + sum over natural faces of h_E / a_E |load - alpha u - F . n|_E^2,
///
/// h: diameters, a_K: harmonic mean of the eigenvalues of the material's tensor, a_E: the larger one of the two sides,
/// which makes the bounds independent of jumps of the material (C. Bernardi, R. Verfuerth, Numer. Math. 85, 2000),
/// w: residual_weight().
/// Fluxes are projected onto polynomials of the elements' order. Faces whose nodes are fixed by a condition have no
/// residual; point and line sources are ignored.
///
/// The estimate bounds the error up to a constant, by which the squares are scaled: residual_constant(). `neighbours`:
/// of the elements of the form's mesh. `conditions`: node constraints and regions; `requested` is ignored. Norm and
/// sums as for estimate_error().
template <class ExecutionSpace, class Form>
ErrorEstimate<ExecutionSpace>
estimate_error_by_residuals(const ExecutionSpace& exec, const Form& form,
                            const Array<const double*, ExecutionSpace>& nodal,
                            const FieldRecovery<ExecutionSpace>& conditions,
                            const mesh::DualGraph<Form::dimension, typename ExecutionSpace::memory_space>& neighbours);

/// Weight of the residual within elements. With order 1 the jumps of the flux alone bound the error, except for the
/// variation of the source within patches of elements (C. Carstensen, R. Verfuerth, SIAM J. Numer. Anal. 36, 1999); the
/// full weight would make the estimate depend on the strength of the source.
constexpr double residual_weight(int order) { return order == 1 ? 0.125 : 1.; }

/// The ratio of the error to its residual bound, measured for smooth solutions with and without source on uniform
/// meshes and at a corner on adapted ones (docs/theory.md).
constexpr double residual_constant(int dimension, int order) {
  return dimension == 2 ? (order == 1 ? 1. / 3.6 : 1. / 9.5) : (order == 1 ? 1. / 4.5 : 1. / 10.);
}

} // namespace tessera::physics

#endif
