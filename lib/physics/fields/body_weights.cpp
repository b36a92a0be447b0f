// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "physics/fields/body_weights.hpp"

#include "core/keep_alive.hpp"
#include "core/transfer/upload.hpp"
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

/// Makes the weights of a body step by step; the arrays live until the device is done.
template <class ExecutionSpace, int Dim> class WeightsOfBody {
public:
  using Space = typename ExecutionSpace::memory_space;
  using Mesh = mesh::Mesh<Dim, Space>;
  using Marks = Array<index_t*, Space>;

  WeightsOfBody(const ExecutionSpace& exec, const Mesh& mesh, const BodyGroups& body, const LayerEnds& ends,
                const Array<const index_t*, ExecutionSpace>& node_source, const PartOfMesh<ExecutionSpace>* part)
      : exec_(exec), mesh_(mesh), body_(body), ends_(ends), node_source_(node_source), part_(part), n_(mesh.n_nodes()),
        n_regions_(mesh.region_names.size()), in_body_(marks("physics::in_body", n_)),
        in_layer_(marks("physics::in_layer", n_)), is_blocked_(marks("physics::blocked_vertices", n_)),
        wall_(marks("physics::walls", n_)), is_reached_(marks("physics::reached_vertices", n_)),
        end_boundaries_(ends.boundaries) {
    for (std::size_t b = 0; b < end_boundaries_.size(); ++b)
      end_boundaries_[b] = end_boundaries_[b] && !body_.boundaries[b];
  }

  BodyWeights<Space> make() {
    find_layer();
    block_others();
    const auto incidence = mesh::build_node_incidence(exec_, mesh_);
    const auto facet_marks = mesh::mark_facets<ExecutionSpace, Dim>(exec_, mesh_, incidence);
    const auto end_table = table_of(exec_, end_boundaries_);
    Walls walls = make_walls(facet_marks, end_table);
    // The body reaches its vertices, and those of wall facets that contain one: on a plane of symmetry, a vertex next
    // to it may share only an element with it, and no facet.
    copy(exec_, is_reached_, in_body_);
    mark_walls(walls);
    for_each("tessera::physics::mark_reached", exec_, n_, MarkReached<Space>{in_body_, wall_, is_reached_});
    mark_walls(walls);
    const Marks single = set_weights();
    if (!weights_.is_wide)
      find_meetings(single, walls);
    find_periodicity();
    keep_alive(exec_, in_body_, in_layer_, is_blocked_, wall_, is_reached_, end_table, is_identified_, incidence,
               facet_marks, walls, single);
    return weights_;
  }

private:
  /// Kernels that mark the walls at which the layers end, and what a single layer meets there.
  struct Walls {
    MarkBoundaryWalls<Dim, Space> boundaries;
    MarkOutside<Dim, Space> outside;
  };

  Marks marks(const char* label, std::int64_t size) const { return make_filled<Marks>(exec_, label, size, 0); }
  template <class Nodes, class Groups>
  void mark(const Nodes& nodes, const Groups& groups, const std::vector<bool>& listed, const Marks& target) const {
    const auto table = table_of(exec_, listed);
    mesh::mark_nodes(exec_, nodes, groups, table, target);
    keep_alive(exec_, table);
  }
  /// The functions are periodic if the field is: otherwise they would end at one of the sides, and forces there would
  /// be missing.
  void identify(const Marks& marked) const {
    if (node_source_.extent(0) == 0)
      return;
    for_each("tessera::physics::gather_identified", exec_, n_, GatherIdentified<Space>{node_source_, marked});
    for_each("tessera::physics::spread_identified", exec_, n_, SpreadIdentified<Space>{node_source_, marked});
  }
  template <class T> T largest(T value) const { return part_ != nullptr ? part_->world->largest(value) : value; }

  /// Marks the body, and the elements around it with their regions.
  void find_layer() {
    const Marks layer = marks("physics::layer_regions", static_cast<std::int64_t>(n_regions_) + 1);
    mark(mesh_.elements, mesh_.regions, body_.regions, in_body_);
    mark(mesh_.facets, mesh_.facet_groups, body_.boundaries, in_body_);
    identify(in_body_);
    for_each("tessera::physics::mark_layer", exec_, mesh_.n_elements(),
             MarkLayer<Dim, Space>{mesh_.elements, mesh_.regions, in_body_, in_layer_, layer, {}, false});
    if (part_ != nullptr) { // the body's vertices are known at owned elements
      fill(exec_, layer, 0);
      for_each("tessera::physics::mark_layer", exec_, static_cast<index_t>(part_->owned_elements.extent(0)),
               MarkLayer<Dim, Space>{mesh_.elements, mesh_.regions, in_body_, in_layer_, layer, part_->owned_elements,
                                     true});
    }
    identify(in_layer_);
    const auto found = to_host(exec_, layer);
    for (std::size_t r = 0; r < found.extent(0) && part_ != nullptr; ++r)
      found(r) = part_->world->largest(found(r));
    for (std::size_t r = 0; r < n_regions_; ++r)
      weights_.layer_regions.push_back(found(r) != 0);
    for (std::size_t r = 0; r < ends_.media.size(); ++r) // the layers continue in regions of the same medium
      for (std::size_t other = 0; other < n_regions_; ++other)
        if (found(other) != 0 && ends_.media[other] == ends_.media[r] && !body_.regions[r])
          weights_.layer_regions[r] = true;
  }

  /// Marks the vertices of regions that are neither of the body nor of its layers.
  void block_others() {
    for (std::size_t r = 0; r < n_regions_; ++r)
      others_.push_back(!weights_.layer_regions[r] && !body_.regions[r]);
    mark(mesh_.elements, mesh_.regions, others_, is_blocked_);
    identify(is_blocked_);
  }

  template <class FacetMarks, class Table> Walls make_walls(const FacetMarks& facet_marks, const Table& end_table) {
    const Marks met = marks("physics::met_boundaries", static_cast<std::int64_t>(end_boundaries_.size()) + 1);
    if (node_source_.extent(0) > 0) {
      is_identified_ = marks("physics::identified_vertices", n_);
      for_each("tessera::physics::mark_identified", exec_, n_, MarkIdentified<Space>{node_source_, is_identified_});
      identify(is_identified_);
    }
    return {{mesh_.facets, mesh_.facet_groups, end_table, {is_reached_, wall_}, {}, met},
            {mesh_.coordinates,
             mesh_.elements,
             facet_marks,
             is_identified_,
             ends_.has_axis,
             {is_reached_, wall_},
             {},
             marks("physics::met_outside", 1)}};
  }
  void mark_walls(const Walls& walls) const {
    for_each("tessera::physics::mark_boundary_walls", exec_, mesh_.n_facets(), walls.boundaries);
    for_each("tessera::physics::mark_outside", exec_, mesh_.n_elements(), walls.outside);
    identify(wall_);
  }

  /// Sets the weights; returns the vertices at which there is a single layer.
  Marks set_weights() {
    weights_.narrow = make_array<decltype(weights_.narrow)>(exec_, "physics::narrow_weights", n_);
    weights_.wide = make_array<decltype(weights_.wide)>(exec_, "physics::wide_weights", n_);
    const auto single = make_array<Marks>(exec_, "physics::single_layer", n_);
    index_t n_single = 0;
    Kokkos::parallel_reduce("tessera::physics::set_weights", all_vertices(),
                            SetWeights<Space>{part_ != nullptr ? part_->first_owned : 0,
                                              part_ != nullptr ? part_->first_owned + part_->n_owned : n_, in_body_,
                                              in_layer_, is_blocked_, wall_, weights_.narrow, weights_.wide, single},
                            n_single);
    weights_.is_wide = largest(n_single) == 0;
    weights_.met_regions.assign(n_regions_, false);
    weights_.met_boundaries.assign(end_boundaries_.size(), false);
    return single;
  }

  /// Finds what lies behind a single layer, and the first place there.
  void find_meetings(const Marks& single, Walls& walls) {
    walls.boundaries.single = walls.outside.single = single;
    for_each("tessera::physics::mark_met_boundaries", exec_, mesh_.n_facets(), walls.boundaries);
    for_each("tessera::physics::mark_met_outside", exec_, mesh_.n_elements(), walls.outside);
    const Marks met_regions = marks("physics::met_regions", static_cast<std::int64_t>(n_regions_) + 1);
    const auto others_table = table_of(exec_, others_);
    for_each("tessera::physics::mark_met_regions", exec_, mesh_.n_elements(),
             MarkMetRegions<Dim, Space>{mesh_.elements, mesh_.regions, others_table, single, met_regions});
    const auto regions_on_host = to_host(exec_, met_regions);
    const auto boundaries_on_host = to_host(exec_, walls.boundaries.is_met);
    for (std::size_t r = 0; r < n_regions_; ++r)
      weights_.met_regions[r] = largest(regions_on_host(r)) != 0;
    for (std::size_t b = 0; b < end_boundaries_.size(); ++b)
      weights_.met_boundaries[b] = largest(boundaries_on_host(b)) != 0;
    weights_.meets_outside = largest(to_host(exec_, walls.outside.is_met)(0)) != 0;
    Kokkos::Array<double, 3> at{};
    for (int d = 0; d < Dim; ++d) {
      double least = std::numeric_limits<double>::max();
      Kokkos::parallel_reduce("tessera::physics::single_layer_place", all_vertices(),
                              LeastCoordinate<Dim, Space>{mesh_.coordinates, single, at, d},
                              Kokkos::Min<double>(least));
      at[d] = -largest(-least);
      weights_.meets_at[static_cast<std::size_t>(d)] = at[d];
    }
  }

  /// Whether the weights reach periodic boundaries.
  void find_periodicity() {
    if (node_source_.extent(0) == 0)
      return;
    index_t n_identified = 0;
    Kokkos::parallel_reduce("tessera::physics::count_identified", all_vertices(),
                            CountIdentified<Space>{node_source_, weights_.wide}, n_identified);
    weights_.is_periodic = largest(n_identified) > 0;
  }

  Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>> all_vertices() const { return {exec_, 0, n_}; }

  ExecutionSpace exec_;
  const Mesh& mesh_;
  const BodyGroups& body_;
  const LayerEnds& ends_;
  Array<const index_t*, ExecutionSpace> node_source_;
  const PartOfMesh<ExecutionSpace>* part_; // null: the whole mesh
  index_t n_;
  std::size_t n_regions_;
  Marks in_body_, in_layer_, is_blocked_, wall_, is_reached_; // of vertices
  Marks is_identified_;                                       // empty without periodic boundaries
  std::vector<bool> end_boundaries_;                          // at which the layers end
  std::vector<bool> others_;                                  // regions neither of the body nor of its layers
  BodyWeights<Space> weights_;
};

} // namespace

template <class ExecutionSpace, int Dim>
BodyWeights<typename ExecutionSpace::memory_space>
make_body_weights(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                  const BodyGroups& body, const LayerEnds& ends,
                  const Array<const index_t*, ExecutionSpace>& node_source, const PartOfMesh<ExecutionSpace>* part) {
  return WeightsOfBody<ExecutionSpace, Dim>(exec, mesh, body, ends, node_source, part).make();
}

#define TESSERA_INSTANTIATE_DIM(SPACE, DIM)                                                                            \
  template BodyWeights<typename SPACE::memory_space> make_body_weights<SPACE, DIM>(                                    \
      const SPACE&, const mesh::Mesh<DIM, typename SPACE::memory_space>&, const BodyGroups&, const LayerEnds&,         \
      const Array<const index_t*, SPACE>&, const PartOfMesh<SPACE>*);
#define TESSERA_INSTANTIATE(SPACE) TESSERA_INSTANTIATE_DIM(SPACE, 2) TESSERA_INSTANTIATE_DIM(SPACE, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::physics
