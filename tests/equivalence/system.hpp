// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_EQUIVALENCE_SYSTEM_HPP
#define TESSERA_TESTS_EQUIVALENCE_SYSTEM_HPP

/// \file
/// The system that one strategy assembles, on the host, and its difference from the expected one.

#include "problem.hpp"

namespace tessera::test {

struct System {
  std::vector<offset_t> offsets; ///< empty for matrix-free strategies, like columns and values
  std::vector<index_t> columns;
  std::vector<double> values;
  std::vector<double> rhs;
  std::vector<double> diagonal;
  std::vector<std::vector<double>> products; ///< matrix times each probe
  std::vector<std::vector<double>> products_with_dot;
  std::vector<double> dots; ///< dot product of each probe and its product
  std::vector<double> solution;
  int iterations = 0;
  bool converged = false;
  std::string message;                  ///< of EBE-J-PCG, if it did not converge
  std::vector<double> element_solution; ///< by EBE-J-PCG; empty for strategies without stored element matrices
  int element_iterations = 0;
  /// Largest relative difference between the residuals of the two solvers in their first ten iterations, down to 1e-6
  /// of the first residual. Later, rounding makes them diverge if the spectrum is wide; in small problems it does so at
  /// once.
  double residual_difference = 0.;
};

/// Vectors to multiply with: random ones, and unit vectors of all tied and some regular unknowns.
std::vector<std::vector<double>> make_probes(index_t n_regular, index_t n_free);

/// Assembles (numeric phase `n_numeric` times), multiplies, and solves with Jacobi-preconditioned conjugate gradients;
/// with stored element matrices by EBE-J-PCG, too.
/// Instantiated in system.cpp.
template <class ExecutionSpace>
System make_system(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem,
                   const assembly::AssemblyOptions& options, const std::vector<std::vector<double>>& probes,
                   double relative_tolerance, int n_numeric);

/// Compares load() with numeric(), before and after fixed values and given totals change. Returns a description of the
/// first difference, or "". Restores the values at the end.
/// Instantiated in system.cpp.
template <class ExecutionSpace>
std::string wrong_with_load(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem,
                            const assembly::AssemblyOptions& options);

/// Largest differences, each relative to the given scale; infinity if sizes or patterns differ.
struct Differences {
  double matrix = 0.;   ///< relative to the row's absolute sum
  double rhs = 0.;      ///< relative to the absolute sum of the contributions
  double diagonal = 0.; ///< relative to the row's absolute sum
  double product = 0.;  ///< relative to the row's absolute sum times the largest entry of the probe; dots likewise
  double solution = 0.; ///< relative to the largest entry of the solution; the larger one of both solvers
};
Differences compare(const System& system, const Oracle& oracle, const std::vector<std::vector<double>>& probes);

/// Names of the arrays that differ in at least one bit ("values, solution"), or "".
std::string different_parts(const System& a, const System& b);

} // namespace tessera::test

#endif
