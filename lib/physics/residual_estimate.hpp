// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_RESIDUAL_ESTIMATE_HPP
#define TESSERA_PHYSICS_RESIDUAL_ESTIMATE_HPP

/// \file
/// Estimate of the error of a solution by its residuals.

#include "mesh/dual_graph.hpp"
#include "physics/error_estimate.hpp"

namespace tessera::physics {

/// Estimates the error in the energy norm by what the solution leaves over of the equation in the elements, and of the
/// flux at their faces (R. Verfuerth, A Posteriori Error Estimation Techniques for Finite Element Methods, Oxford 2013,
/// sections 1.4 and 4.3): with F the flux and s the source,
///
///   eta_K^2 = w h_K^2 / a_K |s + div F|_K^2 + 1/2 sum over inner faces of h_E / a_E |[F . n]|_E^2
///             + sum over natural faces of h_E / a_E |load - alpha u - F . n|_E^2,
///
/// h: diameters, a_K: harmonic mean of the eigenvalues of the material's tensor, a_E: the larger one of both sides,
/// which makes the bounds independent of jumps of the material (C. Bernardi, R. Verfuerth, Numer. Math. 85, 2000),
/// w: residual_weight().
/// Fluxes are projected onto polynomials of the elements' order. Faces whose nodes are held by a condition have no
/// residual, and sources at points and lines are not seen.
///
/// The estimate bounds the error but for a constant, with which the squares are scaled: residual_constant().
/// `neighbours`: of the mesh of the form. `conditions`: of the nodes, and the regions; not asked for anything. Norm and
/// sums are as those of estimate_error().
template <class ExecutionSpace, class Form>
ErrorEstimate<ExecutionSpace>
estimate_error_by_residuals(const ExecutionSpace& exec, const Form& form,
                            const Array<const double*, ExecutionSpace>& nodal,
                            const FieldRecovery<ExecutionSpace>& conditions,
                            const mesh::DualGraph<Form::dimension, typename ExecutionSpace::memory_space>& neighbours);

/// Weight of the residual within elements. With order 1 the jumps of the flux bound the error alone, but for what the
/// source varies within patches of elements (C. Carstensen, R. Verfuerth, SIAM J. Numer. Anal. 36, 1999); a whole
/// weight would make the estimate depend on how strong the source is.
constexpr double residual_weight(int order) { return order == 1 ? 0.125 : 1.; }

/// The error relative to its bound by residuals, which was measured for smooth solutions with and without source on
/// uniform meshes and at a corner on adapted ones (docs/theory.md).
constexpr double residual_constant(int dimension, int order) {
  return dimension == 2 ? (order == 1 ? 1. / 3.6 : 1. / 9.5) : (order == 1 ? 1. / 4.5 : 1. / 10.);
}

} // namespace tessera::physics

#endif
