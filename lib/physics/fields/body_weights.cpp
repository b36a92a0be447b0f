// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "physics/fields/body_weights.hpp"

#include "core/keep_alive.hpp"
#include "core/upload.hpp"
#include "fe/dofs/element_dofs.hpp"
#include "mesh/edges.hpp"
#include "mesh/facet_finder.hpp"
#include "mesh/mark_nodes.hpp"
#include "mesh/surface.hpp"

#include <limits>

namespace tessera::physics {

namespace {

/// Marks the elements that touch the body without being part of it: their regions and vertices. All elements, or a
/// list.
template <int Dim, class Space> struct MarkLayer {
  Array<const index_t * [Dim + 1], Space> elements;
  Array<const group_t*, Space> regions;
  Array<const index_t*, Space> in_body; // by vertex
  Array<index_t*, Space> in_layer;      // by vertex
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

/// Combines the marks of identified vertices at the vertex that represents them.
template <class Space> struct GatherIdentified {
  Array<const index_t*, Space> node_source;
  Array<index_t*, Space> marks;
  KOKKOS_FUNCTION void operator()(index_t n) const {
    if (marks(n) != 0)
      Kokkos::atomic_fetch_max(&marks(fe::node_number(node_source(n))), marks(n));
  }
};

/// Copies the mark of the representative to all identified vertices.
template <class Space> struct SpreadIdentified {
  Array<const index_t*, Space> node_source;
  Array<index_t*, Space> marks;
  KOKKOS_FUNCTION void operator()(index_t n) const {
    const index_t source = fe::node_number(node_source(n));
    if (source != n)
      marks(n) = marks(source);
  }
};

/// Marks vertices that are identified with another representative vertex.
template <class Space> struct MarkIdentified {
  Array<const index_t*, Space> node_source;
  Array<index_t*, Space> marks;
  KOKKOS_FUNCTION void operator()(index_t n) const { marks(n) = fe::node_number(node_source(n)) != n ? 1 : 0; }
};

/// Counts the vertices around the body that are identified with others.
template <class Space> struct CountIdentified {
  Array<const index_t*, Space> node_source;
  Array<const double*, Space> wide;
  KOKKOS_FUNCTION void operator()(index_t n, index_t& count) const {
    count += wide(n) > 0. && fe::node_number(node_source(n)) != n ? 1 : 0;
  }
};

/// Marks of vertices on walls. A wall ends the layers at its vertices, unless it passes through them because the body
/// reaches it.
enum Wall : index_t {
  wall_ends = 1,  // the vertex is on a facet of which the body reaches no vertex
  wall_passes = 2 // the vertex is on another facet of a wall
};

/// Marks the vertices of a facet.
template <int Dim, class Space> struct MarkWall {
  Array<const index_t*, Space> is_reached; // by vertex
  Array<index_t*, Space> wall;             // by vertex, bits
  KOKKOS_FUNCTION void mark(const index_t (&facet)[Dim]) const {
    bool touches = false;
    for (int k = 0; k < Dim; ++k)
      touches = touches || is_reached(facet[k]) != 0;
    for (int k = 0; k < Dim; ++k)
      Kokkos::atomic_fetch_or(&wall(facet[k]), touches ? wall_passes : wall_ends);
  }
};

/// Marks the vertices that the body reaches, and clears the marks of walls.
template <class Space> struct MarkReached {
  Array<const index_t*, Space> in_body;
  Array<index_t*, Space> wall;
  Array<index_t*, Space> is_reached;
  KOKKOS_FUNCTION void operator()(index_t n) const {
    is_reached(n) = in_body(n) != 0 || wall(n) >= wall_passes ? 1 : 0;
    wall(n) = 0;
  }
};

/// Marks the walls formed by some boundaries or, with `single`, the boundaries that end the layers at one of the
/// vertices in it.
template <int Dim, class Space> struct MarkBoundaryWalls {
  Array<const index_t* [Dim], Space> facets;
  Array<const group_t*, Space> groups;
  Array<const index_t*, Space> ends; // by boundary
  MarkWall<Dim, Space> walls;
  Array<const index_t*, Space> single;
  Array<index_t*, Space> is_met;
  KOKKOS_FUNCTION void operator()(index_t f) const {
    if (ends(groups(f)) == 0)
      return;
    index_t facet[Dim];
    bool has_single = false;
    for (int k = 0; k < Dim; ++k) {
      facet[k] = facets(f, k);
      has_single = has_single || (single.extent(0) > 0 && single(facet[k]) != 0 && walls.wall(facet[k]) == wall_ends);
    }
    if (single.extent(0) == 0)
      walls.mark(facet);
    else if (has_single)
      Kokkos::atomic_fetch_max(&is_met(groups(f)), index_t(1));
  }
};

/// The same for the exterior boundary of the mesh, except periodic sides and the axis; sets is_met(0).
template <int Dim, class Space> struct MarkOutside {
  Array<const double* [Dim], Space> coordinates;
  Array<const index_t * [Dim + 1], Space> elements;
  mesh::FacetMarks<Space> marks;
  Array<const index_t*, Space> is_identified; // by vertex; empty: none
  bool has_axis;
  MarkWall<Dim, Space> walls;
  Array<const index_t*, Space> single;
  Array<index_t*, Space> is_met;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    for (int apex = 0; apex <= Dim; ++apex) {
      if ((marks(e) & (1u << (mesh::facet_mark::open + apex))) == 0)
        continue;
      index_t facet[Dim];
      mesh::outward_facet(elements, e, apex, facet);
      bool is_periodic = is_identified.extent(0) > 0, is_axis = has_axis, has_single = false;
      for (int k = 0; k < Dim; ++k) {
        is_periodic = is_periodic && is_identified(facet[k]) != 0;
        is_axis = is_axis && coordinates(facet[k], 0) == 0.;
        has_single = has_single || (single.extent(0) > 0 && single(facet[k]) != 0 && walls.wall(facet[k]) == wall_ends);
      }
      if (is_periodic || is_axis)
        continue;
      if (single.extent(0) == 0)
        walls.mark(facet);
      else if (has_single)
        Kokkos::atomic_fetch_max(&is_met(0), index_t(1));
    }
  }
};

/// Marks those of the regions `others` that have elements with a vertex in `single`.
template <int Dim, class Space> struct MarkMetRegions {
  Array<const index_t * [Dim + 1], Space> elements;
  Array<const group_t*, Space> regions;
  Array<const index_t*, Space> others; // by region
  Array<const index_t*, Space> single;
  Array<index_t*, Space> is_met;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    if (others(regions(e)) == 0)
      return;
    for (int a = 0; a <= Dim; ++a)
      if (single(elements(e, a)) != 0)
        Kokkos::atomic_fetch_max(&is_met(regions(e)), index_t(1));
  }
};

/// Sets the functions, and counts the owned vertices, `single`, at which the layers end after the first one.
template <class Space> struct SetWeights {
  index_t first;
  index_t end;
  Array<const index_t*, Space> in_body;
  Array<const index_t*, Space> in_layer;
  Array<const index_t*, Space> is_blocked; // whether an element of another region is there
  Array<const index_t*, Space> wall;
  Array<double*, Space> narrow;
  Array<double*, Space> wide;
  Array<index_t*, Space> single;
  KOKKOS_FUNCTION void operator()(index_t n, index_t& n_single) const {
    narrow(n) = in_body(n) != 0 ? 1. : 0.;
    const bool is_next = in_body(n) == 0 && in_layer(n) != 0;
    const bool ends = is_blocked(n) != 0 || wall(n) == wall_ends;
    wide(n) = is_next && !ends ? 0.5 : narrow(n);
    single(n) = is_next && ends && n >= first && n < end ? 1 : 0;
    n_single += single(n);
  }
};

/// The smallest coordinate `d` of the vertices in `single` whose lower coordinates have given values.
template <int Dim, class Space> struct LeastCoordinate {
  Array<const double* [Dim], Space> coordinates;
  Array<const index_t*, Space> single;
  Kokkos::Array<double, 3> before;
  int d;
  KOKKOS_FUNCTION void operator()(index_t n, double& least) const {
    bool counts = single(n) != 0;
    for (int k = 0; k < d; ++k)
      counts = counts && coordinates(n, k) == before[k];
    if (counts && coordinates(n, d) < least)
      least = coordinates(n, d);
  }
};

template <class ExecutionSpace>
Array<index_t*, ExecutionSpace> table_of(const ExecutionSpace& exec, const std::vector<bool>& flags) {
  std::vector<index_t> table(flags.begin(), flags.end());
  table.push_back(0); // avoids an empty table
  return uploaded(exec, "physics::groups_of_body", table);
}

} // namespace

template <class ExecutionSpace, int Dim>
BodyWeights<typename ExecutionSpace::memory_space>
make_body_weights(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                  const BodyGroups& body, const LayerEnds& ends,
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
  // The functions are periodic if the field is: otherwise they would end at one of the sides, and forces there would be
  // missing.
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
  if (part != nullptr) { // the body's vertices are known at owned elements
    fill(exec, layer, 0);
    for_each("tessera::physics::mark_layer", exec, static_cast<index_t>(part->owned_elements.extent(0)),
             MarkLayer<Dim, Space>{mesh.elements, mesh.regions, in_body, in_layer, layer, part->owned_elements, true});
  }
  identify(in_layer);
  BodyWeights<Space> weights;
  const auto layer_on_host = to_host(exec, layer);
  for (std::size_t r = 0; r < layer_on_host.extent(0) && part != nullptr; ++r)
    layer_on_host(r) = part->world->largest(layer_on_host(r));
  const std::size_t n_regions = mesh.region_names.size();
  for (std::size_t r = 0; r < n_regions; ++r)
    weights.layer_regions.push_back(layer_on_host(r) != 0);
  for (std::size_t r = 0; r < ends.media.size(); ++r) // the layers continue in regions of the same medium
    for (std::size_t other = 0; other < n_regions; ++other)
      if (layer_on_host(other) != 0 && ends.media[other] == ends.media[r] && !body.regions[r])
        weights.layer_regions[r] = true;
  std::vector<bool> others; // regions that are neither of the body nor of its layers
  for (std::size_t r = 0; r < n_regions; ++r)
    others.push_back(!weights.layer_regions[r] && !body.regions[r]);
  std::vector<bool> end_boundaries = ends.boundaries;
  for (std::size_t b = 0; b < end_boundaries.size(); ++b)
    end_boundaries[b] = end_boundaries[b] && !body.boundaries[b];
  mark(mesh.elements, mesh.regions, others, is_blocked);
  identify(is_blocked);

  const auto wall = marks("physics::walls", n);
  const auto is_reached = marks("physics::reached_vertices", n);
  copy(exec, is_reached, in_body);
  const auto met = marks("physics::met_boundaries", static_cast<std::int64_t>(end_boundaries.size()) + 1);
  const auto met_outside = marks("physics::met_outside", 1);
  const auto end_table = table_of(exec, end_boundaries);
  Array<index_t*, Space> is_identified;
  if (node_source.extent(0) > 0) {
    is_identified = marks("physics::identified_vertices", n);
    for_each("tessera::physics::mark_identified", exec, n, MarkIdentified<Space>{node_source, is_identified});
    identify(is_identified);
  }
  const auto incidence = mesh::build_node_incidence(exec, mesh);
  MarkBoundaryWalls<Dim, Space> boundary_walls{mesh.facets, mesh.facet_groups, end_table, {is_reached, wall}, {}, met};
  MarkOutside<Dim, Space> outside{mesh.coordinates,
                                  mesh.elements,
                                  mesh::mark_facets<ExecutionSpace, Dim>(exec, mesh, incidence),
                                  is_identified,
                                  ends.has_axis,
                                  {is_reached, wall},
                                  {},
                                  met_outside};
  const auto mark_walls = [&] {
    for_each("tessera::physics::mark_boundary_walls", exec, mesh.n_facets(), boundary_walls);
    for_each("tessera::physics::mark_outside", exec, mesh.n_elements(), outside);
    identify(wall);
  };
  // The body reaches its vertices, and those of wall facets that contain one: on a plane of symmetry, a vertex next to
  // it may share only an element with it, and no facet.
  mark_walls();
  for_each("tessera::physics::mark_reached", exec, n, MarkReached<Space>{in_body, wall, is_reached});
  mark_walls();

  weights.narrow = make_array<decltype(weights.narrow)>(exec, "physics::narrow_weights", n);
  weights.wide = make_array<decltype(weights.wide)>(exec, "physics::wide_weights", n);
  const auto single = make_array<Array<index_t*, Space>>(exec, "physics::single_layer", n);
  index_t n_single = 0;
  Kokkos::parallel_reduce("tessera::physics::set_weights",
                          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, n),
                          SetWeights<Space>{part != nullptr ? part->first_owned : 0,
                                            part != nullptr ? part->first_owned + part->n_owned : n, in_body, in_layer,
                                            is_blocked, wall, weights.narrow, weights.wide, single},
                          n_single);
  const auto largest = [&](auto value) { return part != nullptr ? part->world->largest(value) : value; };
  weights.is_wide = largest(n_single) == 0;
  weights.met_regions.assign(n_regions, false);
  weights.met_boundaries.assign(end_boundaries.size(), false);
  if (!weights.is_wide) {
    boundary_walls.single = outside.single = single;
    for_each("tessera::physics::mark_met_boundaries", exec, mesh.n_facets(), boundary_walls);
    for_each("tessera::physics::mark_met_outside", exec, mesh.n_elements(), outside);
    const auto met_regions = marks("physics::met_regions", static_cast<std::int64_t>(n_regions) + 1);
    const auto others_table = table_of(exec, others);
    for_each("tessera::physics::mark_met_regions", exec, mesh.n_elements(),
             MarkMetRegions<Dim, Space>{mesh.elements, mesh.regions, others_table, single, met_regions});
    const auto regions_on_host = to_host(exec, met_regions);
    const auto boundaries_on_host = to_host(exec, met);
    for (std::size_t r = 0; r < n_regions; ++r)
      weights.met_regions[r] = largest(regions_on_host(r)) != 0;
    for (std::size_t b = 0; b < end_boundaries.size(); ++b)
      weights.met_boundaries[b] = largest(boundaries_on_host(b)) != 0;
    weights.meets_outside = largest(to_host(exec, met_outside)(0)) != 0;
    Kokkos::Array<double, 3> at{};
    for (int d = 0; d < Dim; ++d) {
      double least = std::numeric_limits<double>::max();
      Kokkos::parallel_reduce("tessera::physics::single_layer_place",
                              Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, n),
                              LeastCoordinate<Dim, Space>{mesh.coordinates, single, at, d}, Kokkos::Min<double>(least));
      at[d] = -largest(-least);
      weights.meets_at[static_cast<std::size_t>(d)] = at[d];
    }
  }
  if (node_source.extent(0) > 0) {
    index_t n_identified = 0;
    Kokkos::parallel_reduce("tessera::physics::count_identified",
                            Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, n),
                            CountIdentified<Space>{node_source, weights.wide}, n_identified);
    weights.is_periodic = (part != nullptr ? part->world->largest(n_identified) : n_identified) > 0;
  }
  keep_alive(exec, in_body, in_layer, is_blocked, layer, wall, is_reached, met, met_outside, end_table, is_identified,
             incidence, outside.marks, single);
  return weights;
}

#define TESSERA_INSTANTIATE_DIM(SPACE, DIM)                                                                            \
  template BodyWeights<typename SPACE::memory_space> make_body_weights<SPACE, DIM>(                                    \
      const SPACE&, const mesh::Mesh<DIM, typename SPACE::memory_space>&, const BodyGroups&, const LayerEnds&,         \
      const Array<const index_t*, SPACE>&, const PartOfMesh<SPACE>*);
#define TESSERA_INSTANTIATE(SPACE) TESSERA_INSTANTIATE_DIM(SPACE, 2) TESSERA_INSTANTIATE_DIM(SPACE, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::physics
