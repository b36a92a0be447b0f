// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_HARMONIC_ADDED_MATRIX_HPP
#define TESSERA_DRIVER_HARMONIC_ADDED_MATRIX_HPP

#include "driver/harmonic/harmonic_system.hpp"
#include "driver/problem/problem.hpp"

#include <memory>
#include <vector>

namespace tessera::driver {

/// The matrix of a magnetic problem, on the unknowns and the pattern of another one: K and M of time-harmonic problems
/// get complex multiples of it.
template <class ExecutionSpace> struct AddedMatrix {
  std::unique_ptr<Problem<ExecutionSpace>> problem;
  std::unique_ptr<assembly::Assembler<ExecutionSpace>> assembler;
  ComplexVector<ExecutionSpace> fixed_load; ///< real: minus the matrix times the fixed values

  /// The problem differs from `of` in its permeabilities and natural conditions: those of `binding`. Waits.
  AddedMatrix(const ExecutionSpace& exec, const Problem<ExecutionSpace>& of, const ProblemBinding& binding,
              const assembly::AssemblyOptions& options);

  typename HarmonicSystem<ExecutionSpace>::Term times(double factor) const {
    return {factor, assembler->matrix()->values};
  }
  /// The quadratic form of both parts of x: the sum of x^T A x.
  double square(const ExecutionSpace& exec, const ComplexVector<ExecutionSpace>& nodal) const {
    return 2. * (problem->energy(exec, nodal.re) + problem->energy(exec, nodal.im));
  }
};

/// A binding without natural conditions in whose regions any field is free of energy.
ProblemBinding without_energy(ProblemBinding binding);

} // namespace tessera::driver

#endif
