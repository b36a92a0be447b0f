// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_FORM_DATA_CHECK_HPP
#define TESSERA_ASSEMBLY_DG_FORM_DATA_CHECK_HPP

/// \file
/// Checks the data at the points at which the form evaluates them, before any expensive work.

#include "assembly/dg/form/form.hpp"

namespace tessera::assembly::dg {

/// Data that are allowed but doubtful. Counts are of quadrature points.
struct DataSummary {
  /// Minimum of c - div(b) / 2; if negative the problem may not be well-posed (section 2.1 of the paper). div(b) is
  /// computed by central differences, with errors of about 1e-8.
  double least_reaction = 0.;
  std::int64_t n_inflow_without_data = 0; ///< on inflow boundaries without Dirichlet data; zero is assumed
  std::int64_t n_neumann_inflow = 0;      ///< on boundaries without Dirichlet data that have normal diffusion and
                                          ///< inflow
};

/// Evaluates all coefficients at the quadrature points, in space and time. Throws if one is not finite or A is not
/// positive semidefinite; the error states the region and the centre of a simplex.
template <class ExecutionSpace, int Dim>
DataSummary check_data(const ExecutionSpace& exec, const Form<Dim, typename ExecutionSpace::memory_space>& form,
                       const std::vector<std::string>& region_names,
                       const physics::AdvectionDiffusionReaction& problem);

} // namespace tessera::assembly::dg

#endif
