// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_DG_DG_PROBLEM_HPP
#define TESSERA_DRIVER_DG_DG_PROBLEM_HPP

#include "assembly/dg/form/form.hpp"
#include "driver/context.hpp"
#include "driver/dg/dg_memory.hpp"
#include "driver/solve_report.hpp"
#include "io/mesh_files/imported_mesh.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tessera::driver {

/// Data of a process if no process has the whole problem (execution.mesh: parts).
struct DgPart {
  index_t first_owned = 0; ///< first owned element of the form; the others are ghosts
  index_t n_owned = 0;
  std::int64_t first_element = 0;    ///< global index of the first owned element
  std::vector<std::int64_t> offsets; ///< first unknown of each process, global, and the total
  std::vector<std::int64_t> ghosts;  ///< global indices of the unknowns of ghosts, ascending
  std::int64_t n_nodes_of_all = 0;
  std::int64_t n_elements_of_all = 0;
  std::int64_t n_facets_of_all = 0;

  assembly::dg::ElementRange owned() const { return {first_owned, first_owned + n_owned}; }
};

/// A dg problem before assembly, in its first time step.
template <int Dim, class ExecutionSpace> struct DgProblem {
  using Space = typename ExecutionSpace::memory_space;
  physics::AdvectionDiffusionReaction advection;
  /// For a part: the owned simplices, their elements as numbered in the form, and no faces.
  mesh::PolytopicMesh<Dim, Space> mesh;
  assembly::dg::Form<Dim, Space> form; ///< for a part: owned elements and ghosts (assembly::dg::FormPart)
  std::optional<DgPart> part;          ///< empty: the process has the whole problem
  DgSizes sizes{};
  std::vector<index_t> part_elements; ///< first element of each process's part, and the total; empty: cut by work

  /// Whether the matrix is symmetric; in time-dependent problems it is not, due to the time derivative.
  bool is_symmetric() const { return advection.is_symmetric() && !form.is_slab(); }
};

/// Runs some work as a phase of that name, in the log by default. The work may be repeated.
using DgPhaseRunner = std::function<void(const std::string& phase, const std::function<void()>& work, PhaseKind kind)>;

/// Makes the mesh of the case, by agglomeration if requested, its space and its form. Throws if the case's strategy
/// does not fit into memory, before the mesh is agglomerated and before the form is made. With execution.mesh: parts
/// each of several processes makes its part only; then collective. The work is split into the phases "mesh: dual
/// graph", "mesh: agglomerate", "mesh: faces", "form: space" and "form".
template <int Dim, class ExecutionSpace>
DgProblem<Dim, ExecutionSpace> make_dg_problem(const ExecutionSpace& exec, const io::ImportedMesh& imported,
                                               Context& context, const DgPhaseRunner& runner = {});

/// Elements with their degrees.
template <int Dim, class ExecutionSpace> struct DgElements {
  mesh::PolytopicMesh<Dim, typename ExecutionSpace::memory_space> mesh;
  std::vector<int> degrees;
};

/// The same problem on other elements. Throws if it does not fit into memory.
template <int Dim, class ExecutionSpace>
DgProblem<Dim, ExecutionSpace> make_dg_problem(const ExecutionSpace& exec, const DgProblem<Dim, ExecutionSpace>& before,
                                               const DgElements<Dim, ExecutionSpace>& elements, Context& context);

/// Checks the data of the problem at all quadrature points, and adds notes on doubtful data.
template <int Dim, class ExecutionSpace>
void check_dg_data(const ExecutionSpace& exec, const DgProblem<Dim, ExecutionSpace>& problem, Context& context);

template <int Dim, class ExecutionSpace> ProblemSummary summary_of(const DgProblem<Dim, ExecutionSpace>& problem);

} // namespace tessera::driver

#endif
