// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_PROBLEM_DATA_HPP
#define TESSERA_DRIVER_PROBLEM_PROBLEM_DATA_HPP

#include "driver/plan/form_choice.hpp"
#include "driver/problem/binding/problem_binding.hpp"
#include "driver/solve_report.hpp"
#include "fe/dofs/dof_part.hpp"
#include "fe/dofs/ghost_numbers.hpp"
#include "fe/dofs/periodic_jumps.hpp"
#include "linalg/element_sums.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace tessera::driver {

/// An element with a point source, or a piece of a line source.
struct SourceElement {
  index_t element = 0;
  std::string name; ///< of the source
};

/// Mesh, space, unknowns and conditions of a problem, which its interfaces share.
template <class ExecutionSpace> class ProblemData {
public:
  using Space = typename ExecutionSpace::memory_space;
  using Vector = Array<double*, ExecutionSpace>;
  using ConstVector = Array<const double*, ExecutionSpace>;

  virtual ~ProblemData() = default;

  ProblemSummary summary;
  ProblemBinding binding;
  std::vector<std::string> multipole_ends; ///< closed asymptotic boundaries whose far field has no net charge
  fe::DofMap<Space> dofs;
  Vector jumps;                                    ///< fe::jumps_of_nodes(), [n_space_nodes]; empty: all zero
  index_t n_space_nodes = 0;                       ///< number of nodes of the space
  fe::ElementTable<Space> element_table;           ///< nodes of each element
  Array<const index_t*, ExecutionSpace> vertices;  ///< of each element, row-major
  Array<const group_t*, ExecutionSpace> regions;   ///< of each element
  std::vector<std::vector<double>> coil_densities; ///< turns per area, physics::coil_densities
  std::vector<SourceElement> source_elements;      ///< of the point and line sources of the binding; in a part the
                                                   ///< owned ones
  /// Rows and columns, unknowns of all processes, of entries that joints add to those of elements.
  std::vector<std::array<index_t, 2>> joint_entries;
  std::vector<index_t> part_nodes; ///< first node of the mesh in each process's part; empty: parts are cut by work

  /// The processes with parts of the problem.
  const comm::Communicator* world = &comm::alone();
  /// Set if the process has the problem only on its part of the mesh: the vertices of that part.
  std::optional<fe::PartVertices<Space>> part;
  Array<index_t*, Space> owned_elements; ///< indices of the owned elements of such a part, ascending
  /// The range of the owned unknowns in such a part, determined at the first call.
  const fe::OwnedUnknowns& owned_unknowns(const ExecutionSpace& exec) const {
    if (!owned_unknowns_)
      owned_unknowns_ =
          fe::find_owned_unknowns<ExecutionSpace>(exec, dofs, element_table, summary.dimension, part.value());
    return *owned_unknowns_;
  }
  /// The same, with the indices of the other unknowns; `offsets`: as for fe::number_ghosts(). Collective at the first
  /// call.
  const fe::PartUnknowns& part_unknowns(const ExecutionSpace& exec, const std::vector<std::int64_t>& offsets) const {
    if (!part_unknowns_)
      part_unknowns_ = fe::number_others<ExecutionSpace>(exec, *world, dofs, element_table, summary.dimension,
                                                         part.value(), owned_unknowns(exec), offsets);
    return *part_unknowns_;
  }
  /// Sums over the elements of the mesh. `same_bits`: independent of the distribution of elements.
  linalg::ElementSums<ExecutionSpace> element_sums(const ExecutionSpace& exec, bool same_bits) const {
    if (part)
      return {exec, Array<const index_t*, ExecutionSpace>(owned_elements), *world, same_bits};
    return {exec, static_cast<std::int64_t>(regions.extent(0)), same_bits, *world};
  }

  /// Computes the values of all nodes from unknowns, fixed values and jumps.
  void expand(const ExecutionSpace& exec, const ConstVector& unknowns, const Vector& nodal) const {
    fe::expand(exec, dofs, unknowns, nodal);
    if (jumps.extent(0) > 0)
      fe::add_jumps(exec, dofs, ConstVector(jumps), nodal);
  }

  virtual FormKind form() const = 0;
  /// Otherwise the matrix depends on the solution.
  bool is_linear() const {
    return (binding.has_given_temperature || binding.medium().is_linear()) &&
           (!binding.magnetic || binding.magnetic->is_linear());
  }

private:
  mutable std::optional<fe::OwnedUnknowns> owned_unknowns_;
  mutable std::optional<fe::PartUnknowns> part_unknowns_;
};

} // namespace tessera::driver

#endif
