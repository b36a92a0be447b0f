// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "fe/dofs/dof_map.hpp"

#include "core/algorithms/scan.hpp"
#include "core/error.hpp"
#include "core/keep_alive.hpp"
#include "core/transfer/upload.hpp"
#include "fe/dofs/part_dofs.hpp"
#include "mesh/mark_nodes.hpp"
#include "mesh/simplex.hpp"

#include <algorithm>
#include <limits>

namespace tessera::fe {

namespace {

template <int Dim, class Space> struct LargestX {
  Array<const double* [Dim], Space> coordinates;
  KOKKOS_FUNCTION void operator()(index_t n, double& largest) const {
    const double x = coordinates(n, 0) < 0. ? -coordinates(n, 0) : coordinates(n, 0);
    largest = x > largest ? x : largest;
  }
};

template <int Dim, class Space> struct MarkAxis {
  Array<const double* [Dim], Space> coordinates;
  double tolerance;
  index_t constraint; // index + 1
  Array<index_t*, Space> mark;
  KOKKOS_FUNCTION void operator()(index_t n) const {
    if (coordinates(n, 0) <= tolerance && mark(n) < constraint)
      mark(n) = constraint;
  }
};

/// The constraint of a class is the last of its nodes' constraints.
template <class Space> struct GatherMarks {
  Array<const index_t*, Space> label;
  Array<const index_t*, Space> mark;
  Array<index_t*, Space> class_mark; // at roots
  KOKKOS_FUNCTION void operator()(index_t n) const {
    if (mark(n) != 0)
      Kokkos::atomic_fetch_max(&class_mark(NodeClasses<Space>::root(label(n))), mark(n));
  }
};

/// The smallest node that has the constraint of its class gives the value.
template <class Space> struct GatherSources {
  Array<const index_t*, Space> label;
  Array<const index_t*, Space> mark;
  Array<const index_t*, Space> class_mark;
  Array<index_t*, Space> class_source; // at roots; initially the largest index
  KOKKOS_FUNCTION void operator()(index_t n) const {
    const index_t root = NodeClasses<Space>::root(label(n));
    if (mark(n) != 0 && mark(n) == class_mark(root))
      Kokkos::atomic_fetch_min(&class_source(root), n);
  }
};

/// Spreads the constraint of each class to its nodes, and finds the nodes from which values are taken.
template <class Space> struct SpreadMarks {
  Array<const index_t*, Space> label;
  Array<const index_t*, Space> class_mark;
  Array<const index_t*, Space> class_source;
  Array<const index_t*, Space> tied_of_constraint;
  Array<index_t*, Space> mark;
  Array<index_t*, Space> node_source;
  Array<signed char*, Space> node_sign; // may be empty
  Array<index_t*, Space> conflict;      // the first tied constraint with nodes of opposite sign, or the largest index
  KOKKOS_FUNCTION void operator()(index_t n) const {
    using Classes = NodeClasses<Space>;
    const index_t root = Classes::root(label(n));
    const index_t source = class_mark(root) != 0 ? class_source(root) : root;
    const bool opposite = Classes::is_opposite(label(n)) != Classes::is_opposite(label(source));
    mark(n) = class_mark(root);
    node_source(n) = opposite ? ~source : source;
    if (node_sign.extent(0) == 0)
      return;
    node_sign(n) = opposite && mark(n) == 0 && !Classes::is_zero(label(n)) ? -1 : 1;
    if (mark(n) != 0 && tied_of_constraint(mark(n) - 1) >= 0 && (opposite || Classes::is_zero(label(n))))
      Kokkos::atomic_fetch_min(&conflict(0), mark(n) - 1);
  }
};

/// Lower vertex of each edge's node; all elements at the edge write the same value.
template <int Dim, class Space> struct LowerVertices {
  using Simplex = mesh::Simplex<Dim>;
  Array<const index_t * [Lagrange<Dim, 2>::n_nodes], Space> element_nodes;
  index_t n_vertices;
  Array<index_t*, Space> lower; // initially -1
  KOKKOS_FUNCTION void operator()(index_t e) const {
    for (int k = 0; k < Simplex::n_edges; ++k) {
      const index_t a = element_nodes(e, Simplex::edge_begin(k));
      const index_t b = element_nodes(e, Simplex::edge_end(k));
      Kokkos::atomic_fetch_max(&lower(element_nodes(e, Dim + 1 + k) - n_vertices), a < b ? a : b);
    }
  }
};

/// Position of every node if each vertex is followed by the edges of which it is the lower vertex. Edges are numbered
/// by their lower vertices.
template <class Space> struct PlaceNodes {
  Array<const index_t*, Space> lower;
  index_t n_vertices;
  Array<index_t*, Space> position;
  KOKKOS_FUNCTION void operator()(index_t n) const {
    if (n >= n_vertices) {
      position(n) = n - n_vertices + lower(n - n_vertices) + 1;
      return;
    }
    index_t begin = 0; // edges with smaller lower vertices
    index_t end = static_cast<index_t>(lower.extent(0));
    while (begin < end) {
      const index_t middle = begin + (end - begin) / 2;
      if (lower(middle) < n)
        begin = middle + 1;
      else
        end = middle;
    }
    position(n) = n + begin;
  }
};

template <class Space> struct CountKinds {
  Array<const index_t*, Space> mark;
  Array<const index_t*, Space> tied_of_constraint; // -1: fixed values
  Array<const index_t*, Space> label;              // of the classes, or empty
  Array<const index_t*, Space> position;           // of each node in the numbering; may be empty
  Array<index_t*, Space> regular; // by position: 1 for an unconstrained node that is the first of its class
  Array<index_t*, Space> fixed;
  KOKKOS_FUNCTION void operator()(index_t n) const {
    const bool is_zero = label.extent(0) > 0 && NodeClasses<Space>::is_zero(label(n));
    const bool is_root = label.extent(0) == 0 || NodeClasses<Space>::root(label(n)) == n;
    regular(position.extent(0) == 0 ? n : position(n)) = mark(n) == 0 && is_root && !is_zero ? 1 : 0;
    fixed(n) = mark(n) == 0 ? (is_zero ? 1 : 0) : (tied_of_constraint(mark(n) - 1) < 0 ? 1 : 0);
  }
};

template <class Space> struct SetDofs {
  Array<const index_t*, Space> mark;
  Array<const index_t*, Space> tied_of_constraint;
  Array<const index_t*, Space> label;
  Array<const index_t*, Space> position;
  Array<const index_t*, Space> regular;
  Array<const index_t*, Space> fixed;
  index_t n_regular;
  index_t n_free;
  Array<index_t*, Space> node_dof;
  Array<group_t*, Space> node_constraint;
  KOKKOS_FUNCTION void operator()(index_t n) const {
    const index_t constraint = mark(n) - 1;
    node_constraint(n) = constraint < 0 ? DofMap<Space>::unconstrained : static_cast<group_t>(constraint);
    if (constraint < 0 && label.extent(0) == 0)
      node_dof(n) = number(n);
    else if (constraint < 0 && !NodeClasses<Space>::is_zero(label(n)))
      node_dof(n) = number(NodeClasses<Space>::root(label(n)));
    else if (constraint >= 0 && tied_of_constraint(constraint) >= 0)
      node_dof(n) = n_regular + tied_of_constraint(constraint);
    else
      node_dof(n) = n_free + fixed(n);
  }
  KOKKOS_FUNCTION index_t number(index_t n) const { return regular(position.extent(0) == 0 ? n : position(n)); }
};

template <class Space> struct Expand {
  DofView<Space> dofs;
  Array<const double*, Space> unknowns;
  Array<double*, Space> nodal;
  KOKKOS_FUNCTION void operator()(std::int64_t n) const {
    const index_t dof = dofs.node_dof(n);
    double value = dofs.is_free(dof) ? unknowns(dof) : dofs.fixed_value(dof);
    if (dofs.node_sign.extent(0) > 0)
      value *= dofs.node_sign(n);
    nodal(n) = value;
  }
};

template <class Space> struct Restrict {
  DofView<Space> dofs;
  Array<const index_t*, Space> node_source; // may be empty
  Array<const double*, Space> nodal;
  Array<double*, Space> unknowns;
  KOKKOS_FUNCTION void operator()(index_t n) const {
    const index_t dof = dofs.node_dof(n);
    if (dofs.is_regular(dof) && (node_source.extent(0) == 0 || node_source(n) == n))
      unknowns(dof) = nodal(n);
    else if (dofs.is_tied(dof))
      Kokkos::atomic_fetch_max(&unknowns(dof), nodal(n)); // the largest node, whatever the order of threads
  }
};

/// Sets 1 for every constraint that binds a node.
template <class Space> struct FlagBound {
  Array<const group_t*, Space> node_constraint;
  Array<index_t*, Space> flags;
  KOKKOS_FUNCTION void operator()(index_t n) const {
    const group_t constraint = node_constraint(n);
    if (constraint < flags.extent(0) && flags(constraint) == 0)
      Kokkos::atomic_fetch_or(&flags(constraint), index_t(1));
  }
};

/// Extends constraints to whole classes; sets node_source and node_sign.
template <class ExecutionSpace>
void merge_classes(const ExecutionSpace& exec, const NodeClasses<typename ExecutionSpace::memory_space>& classes,
                   const std::vector<Constraint>& constraints, const Array<index_t*, ExecutionSpace>& tied_table,
                   const Array<index_t*, ExecutionSpace>& mark, DofMap<typename ExecutionSpace::memory_space>& dofs) {
  using Space = typename ExecutionSpace::memory_space;
  const std::int64_t n_nodes = static_cast<std::int64_t>(mark.extent(0));
  constexpr index_t none = std::numeric_limits<index_t>::max();
  const auto class_mark = make_filled<Array<index_t*, Space>>(exec, "fe::class_mark", n_nodes, 0);
  const auto class_source = make_filled<Array<index_t*, Space>>(exec, "fe::class_source", n_nodes, none);
  const auto conflict = make_filled<Array<index_t*, Space>>(exec, "fe::class_conflict", 1, none);
  dofs.node_source = make_array<Array<index_t*, Space>>(exec, "fe::node_source", n_nodes);
  if (classes.has_signs)
    dofs.node_sign = make_array<Array<signed char*, Space>>(exec, "fe::node_sign", n_nodes);
  for_each("tessera::fe::gather_marks", exec, n_nodes, GatherMarks<Space>{classes.label, mark, class_mark});
  for_each("tessera::fe::gather_sources", exec, n_nodes,
           GatherSources<Space>{classes.label, mark, class_mark, class_source});
  for_each("tessera::fe::spread_marks", exec, n_nodes,
           SpreadMarks<Space>{classes.label, class_mark, class_source, tied_table, mark, dofs.node_source,
                              dofs.node_sign, conflict});
  // Waits, because the arrays of the classes may be freed.
  const index_t c = read_entry(exec, conflict, 0);
  const std::string where = c == none ? "" : constraints[static_cast<std::size_t>(c)].where;
  TESSERA_REQUIRE(
      c == none,
      where << (where.empty() ? "" : ": ")
            << "A floating body reaches antiperiodic boundaries on both sides, so that its value would be opposite "
               "to itself. Give it the fixed value 0, or model both halves.");
}

/// Positions for Numbering::edges_after_vertices.
template <class ExecutionSpace, int Dim>
Array<index_t*, ExecutionSpace> place_nodes(const ExecutionSpace& exec,
                                            const FunctionSpace<Dim, 2, typename ExecutionSpace::memory_space>& space) {
  using Space = typename ExecutionSpace::memory_space;
  const auto lower =
      make_filled<Array<index_t*, Space>>(exec, "fe::lower_vertices", space.n_nodes() - space.n_vertices, -1);
  for_each("tessera::fe::lower_vertices", exec, space.n_elements(),
           LowerVertices<Dim, Space>{space.element_nodes, space.n_vertices, lower});
  const auto position = make_array<Array<index_t*, Space>>(exec, "fe::coordinates_of_nodes", space.n_nodes());
  for_each("tessera::fe::place_nodes", exec, space.n_nodes(), PlaceNodes<Space>{lower, space.n_vertices, position});
  keep_alive(exec, lower);
  return position;
}

} // namespace

template <class ExecutionSpace, int Dim, int Order>
DofMap<typename ExecutionSpace::memory_space>
number_part_dofs(const ExecutionSpace& exec, const comm::Communicator& world,
                 const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                 const FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
                 const std::vector<Constraint>& constraints,
                 const NodeClasses<typename ExecutionSpace::memory_space>& classes, Numbering numbering) {
  using Space = typename ExecutionSpace::memory_space;
  const index_t n_nodes = space.n_nodes();
  auto mark = make_filled<Array<index_t*, Space>>(exec, "fe::constraint_mark", n_nodes, 0);

  std::vector<index_t> tied_of_constraint;
  std::vector<index_t> of_boundary(std::max<std::size_t>(mesh.boundary_names.size(), 1), 0);
  std::vector<index_t> of_region(std::max<std::size_t>(mesh.region_names.size(), 1), 0);
  std::vector<double> totals;
  bool any_region = false;
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    tied_of_constraint.push_back(constraints[c].is_tied ? static_cast<index_t>(totals.size()) : -1);
    if (constraints[c].is_tied)
      totals.push_back(constraints[c].total);
    if (constraints[c].is_axis)
      continue;
    (constraints[c].is_region ? of_region : of_boundary).at(constraints[c].group) = static_cast<index_t>(c) + 1;
    any_region = any_region || constraints[c].is_region;
  }
  tied_of_constraint.push_back(-1); // never empty
  const char* label = "fe::constraint_table";
  const auto tied_table = uploaded(exec, label, tied_of_constraint);
  const auto boundary_table = uploaded(exec, label, of_boundary);
  const auto region_table = uploaded(exec, label, of_region);

  // If several constraints apply to a node, the largest index wins.
  mesh::mark_nodes(exec, space.facet_nodes, mesh.facet_groups, boundary_table, mark);
  if (any_region)
    mesh::mark_nodes(exec, space.element_nodes, mesh.regions, region_table, mark);

  for (std::size_t c = 0; c < constraints.size(); ++c)
    if (constraints[c].is_axis) {
      double largest = 0.;
      Kokkos::parallel_reduce("tessera::fe::largest_x",
                              Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, n_nodes),
                              LargestX<Dim, Space>{space.coordinates}, Kokkos::Max<double>(largest));
      largest = world.largest(largest);
      for_each("tessera::fe::mark_axis", exec, n_nodes,
               MarkAxis<Dim, Space>{space.coordinates, 1e-12 * largest, static_cast<index_t>(c) + 1, mark});
    }

  DofMap<Space> dofs;
  if (!classes.empty())
    merge_classes(exec, classes, constraints, tied_table, mark, dofs);
  auto regular = make_array<Array<index_t*, Space>>(exec, "fe::regular_numbers", n_nodes + 1);
  auto fixed = make_array<Array<index_t*, Space>>(exec, "fe::fixed_numbers", n_nodes + 1);
  Array<index_t*, Space> position;
  if constexpr (Order == 2)
    if (numbering == Numbering::edges_after_vertices)
      position = place_nodes<ExecutionSpace, Dim>(exec, space);
  for_each("tessera::fe::count_dofs", exec, n_nodes,
           CountKinds<Space>{mark, tied_table, classes.label, position, regular, fixed});
  dofs.n_regular = static_cast<index_t>(counts_to_offsets(exec, regular, n_nodes, "unknowns"));
  const auto n_fixed = counts_to_offsets(exec, fixed, n_nodes, "fixed nodes");
  dofs.n_free = dofs.n_regular + static_cast<index_t>(totals.size());
  dofs.node_dof = make_array<Array<index_t*, Space>>(exec, "fe::node_dof", n_nodes);
  dofs.node_constraint = make_array<Array<group_t*, Space>>(exec, "fe::node_constraint", n_nodes);
  dofs.fixed_values = make_filled<Array<double*, Space>>(exec, "fe::fixed_values", n_fixed, 0.);
  dofs.tied_totals = uploaded(exec, "fe::tied_totals", totals);
  for_each("tessera::fe::set_dofs", exec, n_nodes,
           SetDofs<Space>{mark, tied_table, classes.label, position, regular, fixed, dofs.n_regular, dofs.n_free,
                          dofs.node_dof, dofs.node_constraint});
  keep_alive(exec, mark, tied_table, boundary_table, region_table, position, regular, fixed);
  return dofs;
}

template <class ExecutionSpace, int Dim, int Order>
DofMap<typename ExecutionSpace::memory_space>
number_dofs(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
            const FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
            const std::vector<Constraint>& constraints,
            const NodeClasses<typename ExecutionSpace::memory_space>& classes, Numbering numbering) {
  return number_part_dofs<ExecutionSpace, Dim, Order>(exec, comm::alone(), mesh, space, constraints, classes,
                                                      numbering);
}

template <class ExecutionSpace>
void expand(const ExecutionSpace& exec, const DofMap<typename ExecutionSpace::memory_space>& dofs,
            const Array<const double*, ExecutionSpace>& unknowns, const Array<double*, ExecutionSpace>& nodal) {
  using Space = typename ExecutionSpace::memory_space;
  stream("tessera::fe::expand", exec, static_cast<std::int64_t>(nodal.extent(0)),
         Expand<Space>{DofView<Space>(dofs), unknowns, nodal});
}

template <class ExecutionSpace>
std::vector<bool> constraints_with_nodes(const ExecutionSpace& exec,
                                         const DofMap<typename ExecutionSpace::memory_space>& dofs,
                                         std::size_t n_constraints) {
  using Space = typename ExecutionSpace::memory_space;
  const auto flags = make_filled<Array<index_t*, Space>>(exec, "fe::constraint_flags", n_constraints, 0);
  for_each("tessera::fe::flag_constraints", exec, static_cast<std::int64_t>(dofs.node_constraint.extent(0)),
           FlagBound<Space>{dofs.node_constraint, flags});
  const auto host = tessera::to_host(exec, flags);
  return std::vector<bool>(host.data(), host.data() + n_constraints); // braces would make a list of two pointers
}

template <class ExecutionSpace>
void restrict_to_unknowns(const ExecutionSpace& exec, const DofMap<typename ExecutionSpace::memory_space>& dofs,
                          const Array<const double*, ExecutionSpace>& nodal,
                          const Array<double*, ExecutionSpace>& unknowns) {
  using Space = typename ExecutionSpace::memory_space;
  fill(exec, unknowns, -std::numeric_limits<double>::max());
  for_each("tessera::fe::restrict", exec, static_cast<std::int64_t>(nodal.extent(0)),
           Restrict<Space>{DofView<Space>(dofs), dofs.node_source, nodal, unknowns});
}

#define TESSERA_INSTANTIATE_CASE(SPACE, DIM, ORDER)                                                                    \
  template DofMap<typename SPACE::memory_space> number_dofs<SPACE, DIM, ORDER>(                                        \
      const SPACE&, const mesh::Mesh<DIM, typename SPACE::memory_space>&,                                              \
      const FunctionSpace<DIM, ORDER, typename SPACE::memory_space>&, const std::vector<Constraint>&,                  \
      const NodeClasses<typename SPACE::memory_space>&, Numbering);                                                    \
  template DofMap<typename SPACE::memory_space> number_part_dofs<SPACE, DIM, ORDER>(                                   \
      const SPACE&, const comm::Communicator&, const mesh::Mesh<DIM, typename SPACE::memory_space>&,                   \
      const FunctionSpace<DIM, ORDER, typename SPACE::memory_space>&, const std::vector<Constraint>&,                  \
      const NodeClasses<typename SPACE::memory_space>&, Numbering);
#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  TESSERA_INSTANTIATE_CASE(SPACE, 2, 1)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 2, 2)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 3, 1)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 3, 2)                                                                                \
  template std::vector<bool> constraints_with_nodes<SPACE>(const SPACE&, const DofMap<typename SPACE::memory_space>&,  \
                                                           std::size_t);                                               \
  template void restrict_to_unknowns<SPACE>(const SPACE&, const DofMap<typename SPACE::memory_space>&,                 \
                                            const Array<const double*, SPACE>&, const Array<double*, SPACE>&);         \
  template void expand<SPACE>(const SPACE&, const DofMap<typename SPACE::memory_space>&,                               \
                              const Array<const double*, SPACE>&, const Array<double*, SPACE>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::fe
