// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_DATA_CHECK_HPP
#define TESSERA_ASSEMBLY_DG_DATA_CHECK_HPP

/// \file
/// Checks data where the form evaluates them, before any heavy work.

#include "assembly/dg/form.hpp"

namespace tessera::assembly::dg {

/// What is allowed but doubtful. Counts are of quadrature points.
struct DataSummary {
  /// Least value of c - div(b) / 2; below zero the problem may not be well-posed (section 2.1 of the paper). div(b) by
  /// central differences, so that it has errors of about 1e-8.
  double least_reaction = 0.;
  std::int64_t n_inflow_without_data = 0; ///< of inflow boundary without Dirichlet data; zero is taken
  std::int64_t n_neumann_inflow = 0;      ///< of boundary without Dirichlet data where A diffuses and b flows in
};

/// Evaluates all coefficients at the quadrature points, those in time, too. Throws when one is not finite or A
/// is not positive semidefinite; the message names the region and the centre of a simplex.
template <class ExecutionSpace, int Dim>
DataSummary check_data(const ExecutionSpace& exec, const Form<Dim, typename ExecutionSpace::memory_space>& form,
                       const std::vector<std::string>& region_names,
                       const physics::AdvectionDiffusionReaction& problem);

} // namespace tessera::assembly::dg

#endif
