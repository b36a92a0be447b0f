// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "fe/prolongation.hpp"

#include "core/keep_alive.hpp"
#include "core/scan.hpp"
#include "core/tagged_loop.hpp"

namespace tessera::fe {

namespace {

/// Unknowns of the nodes of a level.
template <class Space> struct LevelDofs : DofKinds {
  Array<const index_t*, Space> node_dof;
  Array<const signed char*, Space> node_sign; ///< empty: all 1
  KOKKOS_FUNCTION double sign(index_t node) const { return node_sign.extent(0) > 0 ? node_sign(node) : 1.; }
};

/// Parents of the nodes of order 2 among those of order 1. All elements of an edge write the same.
template <int Dim, class Space> struct ParentsOfMidpoints {
  using Element = Lagrange<Dim, 2>;
  ConstArray<const index_t * [Element::n_nodes], Space> element_nodes;
  Array<index_t* [2], Space> parents;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    for (int a = 0; a <= Dim; ++a)
      parents(element_nodes(e, a), 0) = parents(element_nodes(e, a), 1) = element_nodes(e, a);
    for (int edge = 0; edge < mesh::Simplex<Dim>::n_edges; ++edge) {
      const index_t begin = element_nodes(e, mesh::Simplex<Dim>::edge_begin(edge));
      const index_t end = element_nodes(e, mesh::Simplex<Dim>::edge_end(edge));
      const index_t midpoint = element_nodes(e, Dim + 1 + edge);
      parents(midpoint, 0) = begin < end ? begin : end;
      parents(midpoint, 1) = begin < end ? end : begin;
    }
  }
};

/// The steps from a level to the next coarser one.
template <class Space> struct Coarsener {
  LevelDofs<Space> fine;
  Array<const index_t* [2], Space> parents;
  Array<index_t*, Space> kept;       // fine node that is each coarse node
  Array<index_t*, Space> first_node; // lowest node of each fine unknown
  Array<index_t*, Space> numbers;    // by fine unknown: 1 if a coarse node has it; then the coarse number
  Array<index_t*, Space> coarse_dof; // by coarse node; n_coarse(): fixed
  Array<signed char*, Space> coarse_sign;
  Array<offset_t*, Space> offsets;
  Array<index_t*, Space> columns;
  Array<double*, Space> values;

  struct Keep {};
  struct FirstNodes {};
  struct Mark {};
  struct Number {};
  struct Count {};
  struct Fill {};

  /// After the scan of the marks.
  KOKKOS_FUNCTION index_t n_coarse() const { return numbers(fine.n_free); }

  KOKKOS_FUNCTION void operator()(Keep, index_t node) const {
    if (parents(node, 0) == parents(node, 1))
      kept(parents(node, 0)) = node;
  }
  KOKKOS_FUNCTION void operator()(FirstNodes, index_t node) const {
    if (fine.is_regular(fine.node_dof(node)))
      Kokkos::atomic_fetch_min(&first_node(fine.node_dof(node)), node);
  }
  KOKKOS_FUNCTION void operator()(Mark, index_t node) const {
    const index_t dof = fine.node_dof(kept(node));
    if (fine.is_free(dof))
      numbers(dof) = 1; // by all nodes that share it
  }
  KOKKOS_FUNCTION void operator()(Number, index_t node) const {
    const index_t dof = fine.node_dof(kept(node));
    coarse_dof(node) = fine.is_free(dof) ? numbers(dof) : n_coarse();
    if (coarse_sign.extent(0) > 0)
      coarse_sign(node) = fine.node_sign(kept(node));
  }

  struct Row {
    int n = 0;
    index_t column[2];
    double value[2];
  };
  KOKKOS_FUNCTION Row row(index_t dof) const {
    Row row;
    if (fine.is_tied(dof)) {
      row.n = numbers(dof + 1) > numbers(dof) ? 1 : 0;
      row.column[0] = numbers(dof);
      row.value[0] = 1.;
      return row;
    }
    const index_t node = first_node(dof);
    for (int k = 0; k < 2; ++k) {
      const index_t parent = parents(node, k);
      const index_t column = coarse_dof(parent);
      if (column == n_coarse())
        continue;
      const double sign = fine.sign(node) * (coarse_sign.extent(0) > 0 ? coarse_sign(parent) : 1.);
      if (row.n == 1 && row.column[0] == column) {
        row.value[0] += 0.5 * sign;
        continue;
      }
      row.column[row.n] = column;
      row.value[row.n++] = 0.5 * sign;
    }
    if (row.n == 2 && row.column[0] > row.column[1]) {
      const Row other = row;
      for (int k = 0; k < 2; ++k) {
        row.column[k] = other.column[1 - k];
        row.value[k] = other.value[1 - k];
      }
    }
    return row;
  }
  KOKKOS_FUNCTION void operator()(Count, index_t dof) const { offsets(dof) = row(dof).n; }
  KOKKOS_FUNCTION void operator()(Fill, index_t dof) const {
    const Row r = row(dof);
    for (int k = 0; k < r.n; ++k) {
      columns(offsets(dof) + k) = r.column[k];
      values(offsets(dof) + k) = r.value[k];
    }
  }
};

template <class Space> struct CountKept {
  Array<const index_t* [2], Space> parents;
  KOKKOS_FUNCTION void operator()(index_t node, index_t& count) const {
    count += parents(node, 0) == parents(node, 1) ? 1 : 0;
  }
};

/// Makes the prolongation to a level from the next coarser one, and replaces the level by that.
template <class ExecutionSpace>
linalg::Prolongation<typename ExecutionSpace::memory_space>
coarsen(const ExecutionSpace& exec, const Array<const index_t* [2], ExecutionSpace>& parents,
        LevelDofs<typename ExecutionSpace::memory_space>& level) {
  using Space = typename ExecutionSpace::memory_space;
  using Work = Coarsener<Space>;
  const auto n_nodes = static_cast<index_t>(parents.extent(0));
  index_t n_coarse_nodes = 0;
  Kokkos::parallel_reduce("tessera::fe::count_coarse_nodes",
                          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, n_nodes),
                          CountKept<Space>{parents}, n_coarse_nodes); // waits
  Work work;
  work.fine = level;
  work.parents = parents;
  work.kept = make_array<Array<index_t*, Space>>(exec, "fe::coarse_nodes", n_coarse_nodes);
  work.first_node = make_filled<Array<index_t*, Space>>(exec, "fe::first_nodes", level.n_regular, n_nodes);
  work.numbers = make_filled<Array<index_t*, Space>>(exec, "fe::coarse_numbers", level.n_free + 1, 0);
  work.coarse_dof = make_array<Array<index_t*, Space>>(exec, "fe::coarse_dof", n_coarse_nodes);
  if (level.node_sign.extent(0) > 0)
    work.coarse_sign = make_array<Array<signed char*, Space>>(exec, "fe::coarse_sign", n_coarse_nodes);
  work.offsets = make_array<Array<offset_t*, Space>>(exec, "fe::prolongation_offsets", level.n_free + 1);
  for_each_tagged<typename Work::Keep>("tessera::fe::keep_nodes", exec, n_nodes, work);
  for_each_tagged<typename Work::FirstNodes>("tessera::fe::first_nodes", exec, n_nodes, work);
  for_each_tagged<typename Work::Mark>("tessera::fe::mark_coarse_unknowns", exec, n_coarse_nodes, work);
  const auto n_coarse =
      static_cast<index_t>(counts_to_offsets(exec, work.numbers, level.n_free, "unknowns of a coarser level"));
  for_each_tagged<typename Work::Number>("tessera::fe::coarse_unknowns", exec, n_coarse_nodes, work);
  for_each_tagged<typename Work::Count>("tessera::fe::count_prolongation", exec, level.n_free, work);
  const std::int64_t n_entries = counts_to_offsets(exec, work.offsets, level.n_free, "entries of a prolongation");
  work.columns = make_array<Array<index_t*, Space>>(exec, "fe::prolongation_columns", n_entries);
  work.values = make_array<Array<double*, Space>>(exec, "fe::prolongation_values", n_entries);
  for_each_tagged<typename Work::Fill>("tessera::fe::fill_prolongation", exec, level.n_free, work);

  const index_t n_regular = read_entry(exec, work.numbers, level.n_regular); // those before the tied ones
  level.n_regular = n_regular;
  level.n_free = n_coarse;
  level.node_dof = work.coarse_dof;
  level.node_sign = work.coarse_sign;
  linalg::Prolongation<Space> prolongation;
  prolongation.matrix.offsets = work.offsets;
  prolongation.matrix.columns = work.columns;
  prolongation.matrix.values = work.values;
  prolongation.n_coarse = n_coarse;
  keep_alive(exec, work);
  return prolongation;
}

} // namespace

template <class ExecutionSpace, int Dim, int Order>
std::vector<linalg::Prolongation<typename ExecutionSpace::memory_space>>
make_prolongations(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                   const FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
                   const DofMap<typename ExecutionSpace::memory_space>& dofs) {
  using Space = typename ExecutionSpace::memory_space;
  LevelDofs<Space> level;
  static_cast<DofKinds&>(level) = dofs;
  level.node_dof = dofs.node_dof;
  level.node_sign = dofs.node_sign;
  std::vector<linalg::Prolongation<Space>> prolongations;
  if constexpr (Order == 2) {
    const auto parents = make_array<Array<index_t* [2], Space>>(exec, "fe::node_parents", space.n_nodes());
    for_each("tessera::fe::parents_of_midpoints", exec, space.n_elements(),
             ParentsOfMidpoints<Dim, Space>{space.element_nodes, parents});
    prolongations.push_back(coarsen<ExecutionSpace>(exec, parents, level));
    keep_alive(exec, parents);
  }
  for (const auto& parents : mesh.node_parents) {
    if (level.n_free == 0)
      break;
    prolongations.push_back(coarsen<ExecutionSpace>(exec, parents, level));
  }
  if (!prolongations.empty() && level.n_free == 0)
    prolongations.pop_back();
  return prolongations;
}

#define TESSERA_INSTANTIATE_CASE(SPACE, DIM, ORDER)                                                                    \
  template std::vector<linalg::Prolongation<typename SPACE::memory_space>> make_prolongations<SPACE, DIM, ORDER>(      \
      const SPACE&, const mesh::Mesh<DIM, typename SPACE::memory_space>&,                                              \
      const FunctionSpace<DIM, ORDER, typename SPACE::memory_space>&, const DofMap<typename SPACE::memory_space>&);
#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  TESSERA_INSTANTIATE_CASE(SPACE, 2, 1)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 2, 2)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 3, 1)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 3, 2)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::fe
