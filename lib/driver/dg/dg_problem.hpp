// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_DG_DG_PROBLEM_HPP
#define TESSERA_DRIVER_DG_DG_PROBLEM_HPP

#include "assembly/dg/form.hpp"
#include "driver/context.hpp"
#include "driver/dg/dg_memory.hpp"
#include "driver/results.hpp"
#include "io/imported_mesh.hpp"

#include <functional>
#include <string>
#include <vector>

namespace tessera::driver {

/// A problem by dg before it is assembled, in its first time step.
template <int Dim, class ExecutionSpace> struct DgProblem {
  using Space = typename ExecutionSpace::memory_space;
  physics::AdvectionDiffusionReaction transport;
  mesh::PolytopicMesh<Dim, Space> mesh;
  assembly::dg::Form<Dim, Space> form;
  DgSizes sizes{};
  std::vector<index_t> part_elements; ///< first element of each process's part, and their number; empty: cut by work

  /// A u in steady problems; the derivative in time is not symmetric.
  bool is_symmetric() const { return transport.is_symmetric() && !form.is_slab(); }
};

/// Runs a piece of work as a phase of that name. The work can be repeated.
using DgPhaseRunner = std::function<void(const std::string& phase, const std::function<void()>& work, PhaseKind kind)>;

/// Makes the mesh of the case, by agglomeration if that is asked for, its space and its form. Refuses what does not fit
/// into memory by the case's strategy, before the mesh is agglomerated and before the form is made. What it does is
/// split into the phases "mesh: dual graph", "mesh: agglomerate", "mesh: faces", "form: space" and "form".
template <int Dim, class ExecutionSpace>
DgProblem<Dim, ExecutionSpace> make_dg_problem(const ExecutionSpace& exec, const io::ImportedMesh& imported,
                                               Context& context, const DgPhaseRunner& run);

/// Checks the data of the problem at all points of quadrature, and adds notes on what is doubtful.
template <int Dim, class ExecutionSpace>
void check_dg_data(const ExecutionSpace& exec, const DgProblem<Dim, ExecutionSpace>& problem, Context& context);

template <int Dim, class ExecutionSpace> ProblemSummary summary_of(const DgProblem<Dim, ExecutionSpace>& problem);

/// Refuses a problem whose matrix and solver do not fit into memory by the strategy of the input; returns the estimate
/// in bytes, for each of the processes that share it.
template <class ExecutionSpace>
double require_dg_memory(const ExecutionSpace& exec, const io::Case& input, const DgSizes& sizes,
                         const comm::Communicator& world = comm::alone());

} // namespace tessera::driver

#endif
