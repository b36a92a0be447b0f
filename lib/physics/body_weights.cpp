// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "physics/body_weights.hpp"

#include "core/keep_alive.hpp"
#include "core/upload.hpp"
#include "fe/element_dofs.hpp"
#include "mesh/mark_nodes.hpp"

namespace tessera::physics {

namespace {

/// Marks the regions of elements at the body and their vertices; of a list of elements, or of all.
template <int Dim, class Space> struct MarkLayer {
  Array<const index_t * [Dim + 1], Space> elements;
  Array<const group_t*, Space> regions;
  Array<const index_t*, Space> in_body; // of each vertex
  Array<index_t*, Space> in_layer;      // of each vertex
  Array<index_t*, Space> layer_regions;
  Array<const index_t*, Space> list;
  bool is_listed;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const index_t e = is_listed ? list(i) : i;
    int n = 0;
    for (int a = 0; a <= Dim; ++a)
      n += in_body(elements(e, a));
    if (n == 0 || n == Dim + 1)
      return;
    Kokkos::atomic_fetch_max(&layer_regions(regions(e)), index_t(1));
    for (int a = 0; a <= Dim; ++a)
      Kokkos::atomic_fetch_max(&in_layer(elements(e, a)), index_t(1));
  }
};

/// Raises the mark of the vertex that stands for identified ones.
template <class Space> struct GatherIdentified {
  Array<const index_t*, Space> node_source;
  Array<index_t*, Space> marks;
  KOKKOS_FUNCTION void operator()(index_t n) const {
    if (marks(n) != 0)
      Kokkos::atomic_fetch_max(&marks(fe::node_number(node_source(n))), marks(n));
  }
};

/// Gives it to all of them.
template <class Space> struct SpreadIdentified {
  Array<const index_t*, Space> node_source;
  Array<index_t*, Space> marks;
  KOKKOS_FUNCTION void operator()(index_t n) const {
    const index_t source = fe::node_number(node_source(n));
    if (source != n)
      marks(n) = marks(source);
  }
};

/// Counts the vertices around the body that are identified with others.
template <class Space> struct CountIdentified {
  Array<const index_t*, Space> node_source;
  Array<const double*, Space> wide;
  KOKKOS_FUNCTION void operator()(index_t n, index_t& count) const {
    count += wide(n) > 0. && fe::node_number(node_source(n)) != n ? 1 : 0;
  }
};

/// Counts the vertices of the second layer among some.
template <class Space> struct SetWeights {
  index_t first;
  index_t end;
  Array<const index_t*, Space> in_body;
  Array<const index_t*, Space> in_layer;
  Array<const index_t*, Space> is_blocked;
  Array<double*, Space> narrow;
  Array<double*, Space> wide;
  KOKKOS_FUNCTION void operator()(index_t n, index_t& n_wide) const {
    narrow(n) = in_body(n) != 0 ? 1. : 0.;
    const bool is_next = in_body(n) == 0 && in_layer(n) != 0 && is_blocked(n) == 0;
    wide(n) = is_next ? 0.5 : narrow(n);
    n_wide += is_next && n >= first && n < end ? 1 : 0;
  }
};

template <class ExecutionSpace>
Array<index_t*, ExecutionSpace> table_of(const ExecutionSpace& exec, const std::vector<bool>& flags) {
  std::vector<index_t> table(flags.begin(), flags.end());
  table.push_back(0); // never empty
  return uploaded(exec, "physics::groups_of_body", table);
}

} // namespace

template <class ExecutionSpace, int Dim>
BodyWeights<typename ExecutionSpace::memory_space>
make_body_weights(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                  const BodyGroups& body, const std::vector<bool>& stops,
                  const Array<const index_t*, ExecutionSpace>& node_source, const PartOfMesh<ExecutionSpace>* part) {
  using Space = typename ExecutionSpace::memory_space;
  const index_t n = mesh.n_nodes();
  const auto marks = [&](const char* label, std::int64_t size) {
    return make_filled<Array<index_t*, Space>>(exec, label, size, 0);
  };
  const auto in_body = marks("physics::in_body", n);
  const auto in_layer = marks("physics::in_layer", n);
  const auto is_blocked = marks("physics::blocked_vertices", n);
  const auto layer = marks("physics::layer_regions", static_cast<std::int64_t>(mesh.region_names.size()) + 1);
  const auto mark = [&](const auto& nodes, const auto& groups, const std::vector<bool>& listed, const auto& target) {
    const auto table = table_of(exec, listed);
    mesh::mark_nodes(exec, nodes, groups, table, target);
    keep_alive(exec, table);
  };
  // The functions are periodic where the field is: else they end at one of the sides, and what acts there is missing.
  const auto identify = [&](const Array<index_t*, Space>& marked) {
    if (node_source.extent(0) == 0)
      return;
    for_each("tessera::physics::gather_identified", exec, n, GatherIdentified<Space>{node_source, marked});
    for_each("tessera::physics::spread_identified", exec, n, SpreadIdentified<Space>{node_source, marked});
  };
  mark(mesh.elements, mesh.regions, body.regions, in_body);
  mark(mesh.facets, mesh.facet_groups, body.boundaries, in_body);
  identify(in_body);
  for_each("tessera::physics::mark_layer", exec, mesh.n_elements(),
           MarkLayer<Dim, Space>{mesh.elements, mesh.regions, in_body, in_layer, layer, {}, false});
  if (part != nullptr) { // which vertices are the body's is known at own elements
    fill(exec, layer, 0);
    for_each("tessera::physics::mark_layer", exec, static_cast<index_t>(part->own_elements.extent(0)),
             MarkLayer<Dim, Space>{mesh.elements, mesh.regions, in_body, in_layer, layer, part->own_elements, true});
  }
  identify(in_layer);
  BodyWeights<Space> weights;
  const auto layer_on_host = to_host(exec, layer);
  for (std::size_t r = 0; r < layer_on_host.extent(0) && part != nullptr; ++r)
    layer_on_host(r) = part->world->largest(layer_on_host(r));
  std::vector<bool> others; // what is neither of the body nor of its layer ends the second layer
  for (std::size_t r = 0; r < mesh.region_names.size(); ++r) {
    weights.layer_regions.push_back(layer_on_host(r) != 0);
    others.push_back(layer_on_host(r) == 0 && !body.regions[r]);
  }
  std::vector<bool> ends = stops;
  for (std::size_t b = 0; b < ends.size(); ++b)
    ends[b] = ends[b] && !body.boundaries[b];
  mark(mesh.elements, mesh.regions, others, is_blocked);
  mark(mesh.facets, mesh.facet_groups, ends, is_blocked);
  identify(is_blocked);
  weights.narrow = make_array<decltype(weights.narrow)>(exec, "physics::narrow_weights", n);
  weights.wide = make_array<decltype(weights.wide)>(exec, "physics::wide_weights", n);
  index_t n_wide = 0;
  Kokkos::parallel_reduce(
      "tessera::physics::set_weights", Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, n),
      SetWeights<Space>{part != nullptr ? part->first_own : 0, part != nullptr ? part->first_own + part->n_own : n,
                        in_body, in_layer, is_blocked, weights.narrow, weights.wide},
      n_wide);
  weights.is_wide = (part != nullptr ? part->world->largest(n_wide) : n_wide) > 0;
  if (node_source.extent(0) > 0) {
    index_t n_identified = 0;
    Kokkos::parallel_reduce("tessera::physics::count_identified",
                            Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, n),
                            CountIdentified<Space>{node_source, weights.wide}, n_identified);
    weights.is_periodic = (part != nullptr ? part->world->largest(n_identified) : n_identified) > 0;
  }
  keep_alive(exec, in_body, in_layer, is_blocked, layer);
  return weights;
}

#define TESSERA_INSTANTIATE_DIM(SPACE, DIM)                                                                            \
  template BodyWeights<typename SPACE::memory_space> make_body_weights<SPACE, DIM>(                                    \
      const SPACE&, const mesh::Mesh<DIM, typename SPACE::memory_space>&, const BodyGroups&, const std::vector<bool>&, \
      const Array<const index_t*, SPACE>&, const PartOfMesh<SPACE>*);
#define TESSERA_INSTANTIATE(SPACE) TESSERA_INSTANTIATE_DIM(SPACE, 2) TESSERA_INSTANTIATE_DIM(SPACE, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::physics
