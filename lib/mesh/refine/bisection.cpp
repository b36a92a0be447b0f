// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/refine/bisection.hpp"

#include "core/algorithms/scan.hpp"
#include "core/keep_alive.hpp"
#include "core/kokkos_ext/bits.hpp"
#include "core/tagged_loop.hpp"
#include "mesh/refine/bisected_simplex.hpp"
#include "mesh/refine/straight_edges.hpp"

namespace tessera::mesh {

namespace {

template <int Dim, class Space> struct SquaredLengths {
  Edges<Space> edges;
  Array<const double* [Dim], Space> coordinates;
  Array<double*, Space> length;
  KOKKOS_FUNCTION void operator()(index_t node) const {
    for (index_t edge = edges.offsets(node); edge < edges.offsets(node + 1); ++edge) {
      double sum = 0.;
      for (int d = 0; d < Dim; ++d) {
        const double step = coordinates(edges.upper(edge), d) - coordinates(node, d);
        sum += step * step;
      }
      length(edge) = sum;
    }
  }
};

template <int Dim, class Space> struct HalveAll {
  ElementEdges<Dim, Space> element_edges;
  Array<const std::uint8_t*, Space> marked;
  Array<index_t*, Space> is_halved;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    if (marked(e) == 0)
      return;
    for (int k = 0; k < Simplex<Dim>::n_edges; ++k)
      Kokkos::atomic_fetch_or(&is_halved(element_edges(e, k)), index_t(1));
  }
};

/// Marks the longest edges of elements with a marked edge, and counts the new marks. Whether a concurrent mark is seen
/// does not matter: the next round sees it.
template <int Dim, class Space> struct HalveLongest {
  ElementEdges<Dim, Space> element_edges;
  EdgeMidpoints<Space> order;
  Array<index_t*, Space> is_halved;
  KOKKOS_FUNCTION void operator()(index_t e, index_t& n_new) const {
    bool is_any = false;
    index_t longest = element_edges(e, 0);
    for (int k = 0; k < Simplex<Dim>::n_edges; ++k) {
      const index_t edge = element_edges(e, k);
      is_any = is_any || load_shared(&is_halved(edge)) != 0;
      longest = order.comes_before(edge, longest) ? edge : longest;
    }
    if (is_any && load_shared(&is_halved(longest)) == 0 &&
        Kokkos::atomic_fetch_or(&is_halved(longest), index_t(1)) == 0)
      ++n_new;
  }
};

/// Node indices of midpoints, from the number of bisected edges before each.
template <class Space> struct NumberMidpoints {
  Array<const index_t*, Space> halved_before;
  index_t n_nodes;
  Array<index_t*, Space> number;
  KOKKOS_FUNCTION void operator()(index_t edge) const {
    number(edge) =
        halved_before(edge + 1) > halved_before(edge) ? n_nodes + halved_before(edge) : static_cast<index_t>(-1);
  }
};

template <int Dim, class Space> struct NodesOfEdges {
  EdgeMidpoints<Space> midpoints;
  Array<const double* [Dim], Space> coordinates;
  Array<double* [Dim], Space> new_coordinates;
  Array<index_t* [2], Space> parents;
  KOKKOS_FUNCTION void operator()(index_t node) const {
    for (int d = 0; d < Dim; ++d)
      new_coordinates(node, d) = coordinates(node, d);
    parents(node, 0) = parents(node, 1) = node;
    for (index_t edge = midpoints.edges.offsets(node); edge < midpoints.edges.offsets(node + 1); ++edge) {
      const index_t middle = midpoints.node(edge);
      if (middle < 0)
        continue;
      const index_t upper = midpoints.edges.upper(edge);
      for (int d = 0; d < Dim; ++d)
        new_coordinates(middle, d) = 0.5 * (coordinates(node, d) + coordinates(upper, d));
      parents(middle, 0) = node;
      parents(middle, 1) = upper;
    }
  }
};

/// Cuts simplices of N vertices: counts the parts of each or, given their offsets, writes them.
template <int N, class Space> struct CutSimplices {
  EdgeMidpoints<Space> midpoints;
  Array<const index_t* [N], Space> nodes;
  Array<const group_t*, Space> groups;
  Array<index_t*, Space> offsets; // [n + 1]
  Array<index_t* [N], Space> new_nodes;
  Array<group_t*, Space> new_groups;
  Array<index_t*, Space> n_missing; // number of simplices with an edge that is not in the mesh

  struct Count {};
  struct Write {};

  KOKKOS_FUNCTION void edges_of(index_t s, index_t (&own)[N], index_t (&edge)[SimplexEdges<N>::count]) const {
    for (int a = 0; a < N; ++a)
      own[a] = nodes(s, a);
    find_edges<N>(midpoints.edges, own, edge);
  }
  KOKKOS_FUNCTION void operator()(Count, index_t s) const {
    index_t own[N];
    index_t edge[SimplexEdges<N>::count];
    edges_of(s, own, edge);
    for (int k = 0; k < SimplexEdges<N>::count; ++k)
      if (edge[k] < 0)
        Kokkos::atomic_fetch_add(&n_missing(0), index_t(1));
    offsets(s) = parts_of<N>(midpoints, edge).count;
  }
  KOKKOS_FUNCTION void operator()(Write, index_t s) const {
    index_t own[N];
    index_t edge[SimplexEdges<N>::count];
    edges_of(s, own, edge);
    const Parts<N> parts = parts_of<N>(midpoints, edge);
    for (int part = 0; part < parts.count; ++part) {
      const index_t to = offsets(s) + part;
      new_groups(to) = groups(s);
      for (int a = 0; a < N; ++a) {
        const int point = parts.point[part][a];
        new_nodes(to, a) = point < N ? own[point] : midpoints.node(edge[point - N]);
      }
    }
  }
};

/// Parts of all simplices with their groups.
template <int N, class ExecutionSpace>
void cut(const ExecutionSpace& exec, const EdgeMidpoints<typename ExecutionSpace::memory_space>& midpoints,
         const Array<index_t* [N], typename ExecutionSpace::memory_space>& nodes,
         const Array<group_t*, typename ExecutionSpace::memory_space>& groups, const char* what,
         Array<index_t* [N], typename ExecutionSpace::memory_space>& new_nodes,
         Array<group_t*, typename ExecutionSpace::memory_space>& new_groups) {
  using Space = typename ExecutionSpace::memory_space;
  using Cut = CutSimplices<N, Space>;
  const auto n = static_cast<index_t>(nodes.extent(0));
  const auto offsets = make_array<Array<index_t*, Space>>(exec, "mesh::parts", static_cast<std::int64_t>(n) + 1);
  const auto missing = make_filled<Array<index_t*, Space>>(exec, "mesh::missing", 1, 0);
  Cut worker{midpoints, nodes, groups, offsets, new_nodes, new_groups, missing};
  for_each_tagged<typename Cut::Count>("tessera::mesh::count_parts", exec, n, worker);
  const auto total = counts_to_offsets(exec, offsets, n, what);
  const index_t n_missing = read_entry(exec, missing, 0);
  TESSERA_REQUIRE(n_missing == 0,
                  "The mesh cannot be refined: " << n_missing << " edges of its " << what << " are in no element.");
  new_nodes = make_array<Array<index_t* [N], Space>>(exec, "mesh::nodes_of_parts", static_cast<std::int64_t>(total));
  new_groups = make_array<Array<group_t*, Space>>(exec, "mesh::groups_of_parts", static_cast<std::int64_t>(total));
  worker.new_nodes = new_nodes;
  worker.new_groups = new_groups;
  for_each_tagged<typename Cut::Write>("tessera::mesh::write_parts", exec, n, worker);
  keep_alive(exec, offsets, missing);
}

/// Marks all edges to be bisected by 1, others by 0.
template <class ExecutionSpace, int Dim>
Array<index_t*, typename ExecutionSpace::memory_space>
find_halved(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
            const EdgeMidpoints<typename ExecutionSpace::memory_space>& order,
            const Array<const std::uint8_t*, ExecutionSpace>& marked) {
  using Space = typename ExecutionSpace::memory_space;
  const std::int64_t n_edges = order.edges.n_edges();
  const auto is_halved = make_filled<Array<index_t*, Space>>(exec, "mesh::is_halved", n_edges + 1, 0);
  const auto element_edges = build_element_edges<ExecutionSpace, Dim>(exec, mesh, order.edges);
  for_each("tessera::mesh::halve_all", exec, mesh.n_elements(), HalveAll<Dim, Space>{element_edges, marked, is_halved});
  // The final marks do not depend on the order of threads.
  for (index_t n_new = 1; n_new > 0;) {
    Kokkos::parallel_reduce("tessera::mesh::halve_longest",
                            Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, mesh.n_elements()),
                            HalveLongest<Dim, Space>{element_edges, order, is_halved}, n_new);
    exec.fence();
  }
  return is_halved;
}

} // namespace

template <class ExecutionSpace, int Dim>
Mesh<Dim, typename ExecutionSpace::memory_space>
bisect_marked(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
              const Array<const std::uint8_t*, ExecutionSpace>& marked, StraightEdges* straight) {
  using Space = typename ExecutionSpace::memory_space;
  EdgeMidpoints<Space> midpoints;
  midpoints.edges = build_edges(exec, mesh);
  const index_t n_edges = midpoints.edges.n_edges();
  const auto length = make_array<Array<double*, Space>>(exec, "mesh::squared_lengths", n_edges);
  for_each("tessera::mesh::squared_lengths", exec, mesh.n_nodes(),
           SquaredLengths<Dim, Space>{midpoints.edges, mesh.coordinates, length});
  midpoints.length = length;
  const auto halved = find_halved<ExecutionSpace, Dim>(exec, mesh, midpoints, marked);
  const std::int64_t n_halved = counts_to_offsets(exec, halved, n_edges, "halved edges");
  const auto number = make_array<Array<index_t*, Space>>(exec, "mesh::midpoints", n_edges);
  for_each("tessera::mesh::number_midpoints", exec, n_edges, NumberMidpoints<Space>{halved, mesh.n_nodes(), number});
  midpoints.number = number;

  Mesh<Dim, Space> fine;
  fine.region_names = mesh.region_names;
  fine.boundary_names = mesh.boundary_names;
  const std::int64_t n_nodes = checked_index(mesh.n_nodes() + n_halved, "nodes of the refined mesh");
  fine.coordinates = make_array<decltype(fine.coordinates)>(exec, "mesh::coordinates", n_nodes);
  const auto parents = make_array<Array<index_t* [2], Space>>(exec, "mesh::node_parents", n_nodes);
  fine.node_parents = {parents};
  for_each("tessera::mesh::nodes_of_edges", exec, mesh.n_nodes(),
           NodesOfEdges<Dim, Space>{midpoints, mesh.coordinates, fine.coordinates, parents});
  place_midpoints<ExecutionSpace, Dim>(exec, mesh.curved, midpoints, fine.coordinates);
  cut<Dim + 1>(exec, midpoints, mesh.elements, mesh.regions, "elements", fine.elements, fine.regions);
  cut<Dim>(exec, midpoints, mesh.facets, mesh.facet_groups, "facets", fine.facets, fine.facet_groups);
  fine.curved = cut_curved<ExecutionSpace, Dim>(exec, mesh.curved, midpoints);
  if (straight != nullptr && mesh.curved.n_facets() > 0)
    unfold<ExecutionSpace, Dim>(exec, midpoints, mesh.n_nodes(), fine, *straight);
  keep_alive(exec, midpoints, halved);
  return fine;
}

#define TESSERA_INSTANTIATE_DIM(SPACE, DIM)                                                                            \
  template Mesh<DIM, SPACE::memory_space> bisect_marked<SPACE, DIM>(                                                   \
      const SPACE&, const Mesh<DIM, SPACE::memory_space>&, const Array<const std::uint8_t*, SPACE>&, StraightEdges*);
#define TESSERA_INSTANTIATE(SPACE) TESSERA_INSTANTIATE_DIM(SPACE, 2) TESSERA_INSTANTIATE_DIM(SPACE, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::mesh
