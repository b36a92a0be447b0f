// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_EQUIVALENCE_SYSTEM_HPP
#define TESSERA_TESTS_EQUIVALENCE_SYSTEM_HPP

/// \file
/// What one strategy makes of a problem, on the host, and how far it is from what it must be.

#include "problem.hpp"

namespace tessera::test {

struct System {
  std::vector<offset_t> offsets; ///< empty for matrix-free strategies, like columns and values
  std::vector<index_t> columns;
  std::vector<double> values;
  std::vector<double> rhs;
  std::vector<double> diagonal;
  std::vector<std::vector<double>> products; ///< with each probe
  std::vector<std::vector<double>> products_with_dot;
  std::vector<double> dots; ///< of each probe and its product
  std::vector<double> solution;
  int iterations = 0;
  bool converged = false;
  std::string message;                  ///< of EBE-J-PCG, if it did not converge
  std::vector<double> element_solution; ///< by EBE-J-PCG; empty for strategies without stored element matrices
  int element_iterations = 0;
  /// Largest relative difference between the residuals of the two solvers in their first ten iterations, and above 1e-6
  /// of the first; later on rounding makes them drift apart where the spectrum is wide, or at once in small problems.
  double residual_difference = 0.;
};

/// Vectors that products are compared for: random ones, and unit vectors of every tied and some regular unknowns.
std::vector<std::vector<double>> make_probes(index_t n_regular, index_t n_free);

/// Assembles (numeric phase `n_numeric` times), multiplies, and solves with Jacobi-preconditioned conjugate gradients;
/// with stored element matrices by EBE-J-PCG, too.
/// Instantiated in system.cpp.
template <class ExecutionSpace>
System make_system(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem,
                   const assembly::AssemblyOptions& options, const std::vector<std::vector<double>>& probes,
                   double relative_tolerance, int n_numeric);

/// Holds load() against numeric(), before and after fixed values and given totals change: returns the first thing that
/// is wrong, or nothing. The values are restored in the end.
/// Instantiated in system.cpp.
template <class ExecutionSpace>
std::string wrong_with_load(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem,
                            const assembly::AssemblyOptions& options);

/// Largest differences, each divided by what it is measured by; infinity where sizes or patterns differ.
struct Differences {
  double matrix = 0.;   ///< by the row's absolute sum
  double rhs = 0.;      ///< by the absolute sum of what was added
  double diagonal = 0.; ///< by the row's absolute sum
  double product = 0.;  ///< by the row's absolute sum times the largest entry of the probe; dots likewise
  double solution = 0.; ///< by the largest entry of the solution; the larger one of both solvers
};
Differences compare(const System& system, const Oracle& oracle, const std::vector<std::vector<double>>& probes);

/// What differs in at least one bit ("values, solution"), or nothing.
std::string different_parts(const System& a, const System& b);

} // namespace tessera::test

#endif
