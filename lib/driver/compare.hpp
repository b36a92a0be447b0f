// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_COMPARE_HPP
#define TESSERA_DRIVER_COMPARE_HPP

/// \file
/// One case by several strategies on one execution space, with everything brought to the host for comparison.

#include "driver/simulation.hpp"

#include <string>
#include <vector>

namespace tessera::driver {

/// Outcome of one strategy on one backend.
struct Candidate {
  std::string backend;
  assembly::Strategy strategy = assembly::Strategy::reference;
  std::vector<Phase> phases; ///< symbolic, numeric, solve, quantities; peaks beside mesh, dof map and form
  int iterations = 0;
  bool converged = false;
  // Matrix (empty for matrix-free strategies), right-hand side, product with a fixed vector, solution; energy and the
  // charge (flux) of each constraint.
  std::vector<offset_t> offsets;
  std::vector<index_t> columns;
  std::vector<double> values;
  std::vector<double> rhs;
  std::vector<double> product;
  std::vector<double> solution;
  std::vector<double> quantities;
};

/// Runs every strategy on one space. Instantiated for every space, dimension and order (compare_case.cpp.in).
template <class ExecutionSpace, int Dim, int Order>
std::vector<Candidate> run_strategies(const ExecutionSpace& exec, const io::ImportedMesh& imported,
                                      const std::vector<assembly::Strategy>& strategies, Context& context);

} // namespace tessera::driver

#endif
