// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_ESTIMATES_ERROR_ESTIMATE_HPP
#define TESSERA_PHYSICS_ESTIMATES_ERROR_ESTIMATE_HPP

/// \file
/// Estimate of the error of a solution.

#include "core/parallel.hpp"
#include "physics/fields/point_values.hpp"

#include <array>
#include <cmath>

namespace tessera::physics {

/// A vertex around which materials meet in a chequered pattern (physics/estimates/chequered_vertices.hpp).
struct ChequeredVertex {
  double contrast = 1.;       ///< 1: no such vertex
  std::array<double, 3> at{}; ///< m
};

/// Estimated error of a solution, element by element.
template <class ExecutionSpace> struct ErrorEstimate {
  /// Squared contributions of the elements to the error, [n_elements], in twice the unit of energy.
  Array<double*, typename ExecutionSpace::memory_space> squares;
  double error = 0.;         ///< energy norm of the error: the square root of their sum
  double norm = 0.;          ///< energy norm of the solution
  ChequeredVertex chequered; ///< vertex with the largest contrast

  /// Error relative to the norm of solution and error together, below 1; 0 if there is no field.
  double relative() const { return error > 0. ? error / std::hypot(error, norm) : 0.; }
};

/// Estimates the error of the vector field (gradient, or flux density of a vector potential) in the energy norm by
/// recovery (O. C. Zienkiewicz, J. Z. Zhu, Int. J. Numer. Meth. Eng. 24, 1987). With order 1 the recovered field at a
/// node is the mean, weighted by measure, over the elements at the node in one region, since the field jumps between
/// regions; with order 2 it is a fit (by the same authors, 33, 1992). If a plate without thickness or a sheet of charge
/// divides a region, the elements are those of one side (as in physics/fields/side_fields.hpp). The error of an element
/// is the integral of (field - recovered) times the difference of the fluxes, which the form's material determines.
/// `recovery.requested` is ignored. The sums have a fixed order.
template <class ExecutionSpace, class Form>
ErrorEstimate<ExecutionSpace> estimate_error(const ExecutionSpace& exec, const Form& form,
                                             const Array<const double*, ExecutionSpace>& nodal,
                                             const FieldRecovery<ExecutionSpace>& recovery);

} // namespace tessera::physics

#endif
