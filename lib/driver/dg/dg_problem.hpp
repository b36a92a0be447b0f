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
#include <optional>
#include <string>
#include <vector>

namespace tessera::driver {

/// What a process has of a problem that none has whole (execution.mesh: parts).
struct DgPart {
  index_t first_own = 0; ///< element of the form; the others are ghosts
  index_t n_own = 0;
  std::int64_t first_element = 0;    ///< number of the first own element among all
  std::vector<std::int64_t> offsets; ///< first unknown of each process among all, and their number
  std::vector<std::int64_t> ghosts;  ///< numbers among all of the unknowns of ghosts, ascending
  std::int64_t n_nodes_of_all = 0;
  std::int64_t n_elements_of_all = 0;
  std::int64_t n_facets_of_all = 0;

  assembly::dg::ElementRange own() const { return {first_own, first_own + n_own}; }
};

/// A problem by dg before it is assembled, in its first time step.
template <int Dim, class ExecutionSpace> struct DgProblem {
  using Space = typename ExecutionSpace::memory_space;
  physics::AdvectionDiffusionReaction transport;
  /// Where it is a part: the own simplices, their elements as the form has them, and no faces.
  mesh::PolytopicMesh<Dim, Space> mesh;
  assembly::dg::Form<Dim, Space> form; ///< of a part own elements and ghosts (assembly::dg::FormPart)
  std::optional<DgPart> part;          ///< none: the process has the whole
  DgSizes sizes{};
  std::vector<index_t> part_elements; ///< first element of each process's part, and their number; empty: cut by work

  /// A u in steady problems; the derivative in time is not symmetric.
  bool is_symmetric() const { return transport.is_symmetric() && !form.is_slab(); }
};

/// Runs a piece of work as a phase of that name. The work can be repeated.
using DgPhaseRunner = std::function<void(const std::string& phase, const std::function<void()>& work, PhaseKind kind)>;

/// Makes the mesh of the case, by agglomeration if that is asked for, its space and its form. Refuses what does not fit
/// into memory by the case's strategy, before the mesh is agglomerated and before the form is made. With
/// execution.mesh: parts each of several processes makes its part of it all; collective then. What it does is split
/// into the phases "mesh: dual graph", "mesh: agglomerate", "mesh: faces", "form: space" and "form".
template <int Dim, class ExecutionSpace>
DgProblem<Dim, ExecutionSpace> make_dg_problem(const ExecutionSpace& exec, const io::ImportedMesh& imported,
                                               Context& context, const DgPhaseRunner& run);

/// Checks the data of the problem at all points of quadrature, and adds notes on what is doubtful.
template <int Dim, class ExecutionSpace>
void check_dg_data(const ExecutionSpace& exec, const DgProblem<Dim, ExecutionSpace>& problem, Context& context);

template <int Dim, class ExecutionSpace> ProblemSummary summary_of(const DgProblem<Dim, ExecutionSpace>& problem);

/// Refuses a problem whose matrix and solver, of this process, do not fit into memory by the strategy of the input;
/// returns the estimate in bytes.
template <class ExecutionSpace>
double require_dg_memory(const ExecutionSpace& exec, const io::Case& input, const DgSizes& sizes,
                         const comm::Communicator& world = comm::alone());

} // namespace tessera::driver

#endif
