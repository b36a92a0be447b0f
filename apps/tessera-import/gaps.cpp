// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "gaps.hpp"

#include "core/error.hpp"
#include "entity_names.hpp"
#include "io/byte_stream.hpp"

#include <gmsh.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <map>
#include <sstream>

namespace tessera::importer {

using io::GapEntity;
using io::GapFacet;
using io::GapPlace;

namespace {

using Point = std::array<double, 3>;

/// Approximate number of elements that all gaps of a geometry together may add.
constexpr double most_elements_2d = 40000.;
constexpr double most_elements_3d = 150000.;

double option(const char* name) {
  double value = 0.;
  gmsh::option::getNumber(name, value);
  return value;
}

double distance(const Point& a, const Point& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

/// The meshed curves (2D) or surfaces (3D) of a model and the faces or volumes that they bound.
class Boundaries {
public:
  explicit Boundaries(int dimension) : dimension_(dimension) {
    gmsh::vectorpair regions, groups;
    gmsh::model::getPhysicalGroups(groups, dimension);
    gmsh::model::getEntities(regions, dimension);
    for (const auto& [dim, tag] : regions) {
      std::vector<int> of_groups;
      gmsh::model::getPhysicalGroupsForEntity(dim, tag, of_groups);
      if (groups.empty() || !of_groups.empty())
        add_region(tag);
    }
  }

  const std::vector<GapEntity>& entities() const { return entities_; }
  bool is_discrete() const { return is_discrete_; }

  std::vector<GapPlace> find(double elements, double factor) const {
    std::vector<GapPlace> all;
    for (const Region& region : regions_) {
      std::vector<GapFacet> facets;
      std::vector<bool> twice(entities_.size(), false);
      for (const auto& [entity, times] : region.entities) {
        const std::vector<GapFacet>& own = facets_[static_cast<std::size_t>(entity)];
        facets.insert(facets.end(), own.begin(), own.end());
        twice[static_cast<std::size_t>(entity)] = times > 1;
      }
      const std::vector<GapPlace> found = io::find_gaps(dimension_, facets, entities_, twice, elements, factor);
      all.insert(all.end(), found.begin(), found.end());
    }
    return all;
  }

private:
  struct Region {
    std::map<int, int> entities; ///< number of occurrences of each
  };

  void add_region(int tag) {
    gmsh::vectorpair boundary;
    gmsh::model::getBoundary({{dimension_, tag}}, boundary, false, false, false);
    Region region;
    for (const auto& [dim, entity] : boundary)
      ++region.entities[number_of(std::abs(entity))];
    regions_.push_back(region);
  }

  int number_of(int tag) {
    const auto [at, is_new] = numbers_.emplace(tag, static_cast<int>(entities_.size()));
    if (is_new) {
      entities_.push_back({tag, ends_of(tag)});
      facets_.push_back(dimension_ == 2 ? facets_of_curve(tag, at->second) : facets_of_surface(tag, at->second));
    }
    return at->second;
  }

  /// The ends of a curve or surface: points have even numbers, curves odd ones.
  std::vector<int> ends_of(int tag) const {
    std::vector<int> ends;
    gmsh::vectorpair level{{dimension_ - 1, tag}};
    for (int dim = dimension_ - 2; dim >= 0; --dim) {
      gmsh::vectorpair below;
      gmsh::model::getBoundary(level, below, false, false, false);
      for (const auto& [below_dim, end] : below)
        ends.push_back(2 * std::abs(end) + below_dim);
      level = below;
    }
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    return ends;
  }

  bool check_type(int tag) {
    std::string type;
    gmsh::model::getType(dimension_ - 1, tag, type);
    is_discrete_ = is_discrete_ || type.find("Discrete") != std::string::npos;
    return !is_discrete_;
  }

  /// Pieces of the curve itself, several per element: an element may be longer than a gap is wide.
  std::vector<GapFacet> facets_of_curve(int tag, int entity) {
    constexpr int pieces = 8;
    std::vector<GapFacet> facets;
    if (!check_type(tag))
      return facets;
    std::vector<double> lower, upper, xyz, nodes_at;
    std::vector<std::size_t> nodes;
    gmsh::model::getParametrizationBounds(1, tag, lower, upper);
    gmsh::model::mesh::getNodes(nodes, xyz, nodes_at, 1, tag, false, true);
    if (lower.empty() || upper.empty())
      return facets;
    nodes_at.push_back(lower[0]);
    nodes_at.push_back(upper[0]);
    std::sort(nodes_at.begin(), nodes_at.end());
    std::vector<double> at{nodes_at[0]};
    for (std::size_t i = 1; i < nodes_at.size(); ++i)
      for (int k = 1; k <= pieces; ++k)
        at.push_back(nodes_at[i - 1] + (nodes_at[i] - nodes_at[i - 1]) * k / pieces);
    xyz.clear();
    gmsh::model::getValue(1, tag, at, xyz);
    if (xyz.size() != 3 * at.size())
      return facets;
    const auto point = [&](std::size_t i) { return Point{xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]}; };
    for (std::size_t i = 0; i + 1 < at.size(); ++i) {
      const std::size_t first = i / pieces * pieces;
      facets.push_back({{point(i), point(i + 1)}, entity, distance(point(first), point(first + pieces))});
    }
    return facets;
  }

  std::vector<GapFacet> facets_of_surface(int tag, int entity) {
    std::vector<GapFacet> facets;
    if (!check_type(tag))
      return facets;
    std::vector<int> types;
    std::vector<std::vector<std::size_t>> elements, nodes;
    gmsh::model::mesh::getElements(types, elements, nodes, 2, tag);
    for (std::size_t t = 0; t < types.size(); ++t) {
      std::string name;
      int dim = 0, order = 0, n = 0, n_corners = 0;
      std::vector<double> parameters;
      gmsh::model::mesh::getElementProperties(types[t], name, dim, order, n, parameters, n_corners);
      const auto width = static_cast<std::size_t>(n);
      for (std::size_t e = 0; e < elements[t].size(); ++e)
        for (int k = 2; k < n_corners; ++k) { // a quadrilateral as two triangles
          const std::size_t* const own = &nodes[t][e * width];
          GapFacet facet{
              {node(own[0]), node(own[static_cast<std::size_t>(k) - 1]), node(own[static_cast<std::size_t>(k)])},
              entity,
              0.};
          for (std::size_t a = 0; a < 3; ++a)
            facet.size += distance(facet.corners[a], facet.corners[(a + 1) % 3]) / 3.;
          facets.push_back(facet);
        }
    }
    return facets;
  }

  const Point& node(std::size_t tag) {
    if (points_.empty()) {
      std::vector<std::size_t> tags;
      std::vector<double> xyz, parameters;
      gmsh::model::mesh::getNodes(tags, xyz, parameters, -1, -1, false, false);
      for (std::size_t i = 0; i < tags.size(); ++i)
        points_[tags[i]] = {xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]};
    }
    return points_.at(tag);
  }

  int dimension_;
  bool is_discrete_ = false;
  std::vector<Region> regions_;
  std::map<int, int> numbers_; ///< of entities, keyed by tag
  std::vector<GapEntity> entities_;
  std::vector<std::vector<GapFacet>> facets_; ///< per entity
  std::map<std::size_t, Point> points_;
};

/// Number of elements of each entity.
std::vector<std::size_t> element_counts(int dim, const std::vector<GapEntity>& entities) {
  std::vector<std::size_t> counts;
  for (const GapEntity& entity : entities) {
    std::vector<int> types;
    std::vector<std::vector<std::size_t>> elements, nodes;
    gmsh::model::mesh::getElements(types, elements, nodes, dim, entity.tag);
    counts.push_back(0);
    for (const auto& of_type : elements)
      counts.back() += of_type.size();
  }
  return counts;
}

/// Marks the entities whose number of elements does not depend on sizes; found by meshing once more with smaller sizes.
std::vector<bool> find_rigid(int dim, const std::vector<GapEntity>& entities) {
  const std::vector<std::size_t> before = element_counts(dim, entities);
  gmsh::model::mesh::clear();
  gmsh::option::setNumber("Mesh.MeshSizeFactor", option("Mesh.MeshSizeFactor") / 4.);
  gmsh::model::mesh::generate(dim);
  const std::vector<std::size_t> after = element_counts(dim, entities);
  std::vector<bool> is_rigid;
  for (std::size_t i = 0; i < entities.size(); ++i)
    is_rigid.push_back(after[i] <= before[i]);
  return is_rigid;
}

/// Finds the gaps; entities are given by their tags. Leaves meshes and changed options in Gmsh.
std::vector<GapPlace> search(const io::ImportRequest& request, bool script) {
  const int dim = request.dimension;
  gmsh::model::mesh::generate(dim - 1);
  const Boundaries boundaries(dim);
  if (boundaries.is_discrete())
    return {};
  std::vector<GapPlace> places = boundaries.find(request.gap_elements, request.size_factor);
  const std::vector<GapEntity>& entities = boundaries.entities();
  if (script && !places.empty()) {
    const std::vector<bool> is_rigid = find_rigid(dim - 1, entities);
    const auto stays = [&](const GapPlace& place) {
      return is_rigid[static_cast<std::size_t>(place.facet.entity)] && is_rigid[static_cast<std::size_t>(place.other)];
    };
    places.erase(std::remove_if(places.begin(), places.end(), stays), places.end());
  }
  for (GapPlace& place : places) {
    place.facet.entity = entities[static_cast<std::size_t>(place.facet.entity)].tag;
    place.other = entities[static_cast<std::size_t>(place.other)].tag;
  }
  return places;
}

constexpr std::uint64_t places_mark = 0x3173706167737354;

/// Runs search() in a forked process, so that the model of this process, and the meshes that it makes, are as if
/// nothing had been searched. The child shares the memory of this process and ends with it. Returns no gaps if Gmsh
/// fails in the child: it will fail in this process, too.
std::vector<GapPlace> search_in_process(const io::ImportRequest& request, bool script) {
  const io::detail::Descriptor file = io::detail::anonymous_file("tessera-gaps");
  std::fflush(nullptr); // otherwise both processes write the buffered output
  const ::pid_t child = ::fork();
  TESSERA_REQUIRE_KIND(child >= 0, ErrorKind::resource, "Gaps cannot be searched for: no process can be started.");
  if (child == 0) {
    try {
      const std::vector<GapPlace> places = search(request, script);
      io::detail::ByteWriter out(file.number(), places_mark);
      out.array(places);
      out.finish();
      ::_exit(0);
    } catch (...) {
      ::_exit(1);
    }
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return {};
  io::detail::ByteReader in(file.number(), places_mark, "the gaps");
  std::vector<GapPlace> places = in.array<GapPlace>();
  in.finish();
  return places;
}

/// Name of a physical group of an entity, or of a region next to it; otherwise the entity's label.
std::string name_of(int dim, int tag) {
  std::vector<int> groups, above, below;
  gmsh::model::getPhysicalGroupsForEntity(dim, tag, groups);
  if (!groups.empty())
    return "'" + physical_name(dim, groups[0]) + "'";
  return entity_label(dim, tag);
}

std::string coarse_note(int dim, const io::GapSizes& sizes, int elements) {
  const io::CoarseGap& gap = sizes.coarse_gaps().front();
  const std::size_t n_others = sizes.coarse_gaps().size() - 1;
  std::ostringstream text;
  text.precision(3);
  text << "mesh.gap_elements: " << elements << " elements across would be too many in all in the gap between "
       << name_of(dim, gap.entity) << " and " << name_of(dim, gap.other) << " (width " << gap.width << ", elements of "
       << gap.size << ", in units of the geometry)";
  if (n_others > 0)
    text << ", and in those between " << n_others << (n_others == 1 ? " other pair" : " other pairs") << " of "
         << (dim == 1 ? "curves" : "surfaces");
  text << ". Use mesh.sizes or mesh.adapt for smaller elements there.";
  return text.str();
}

} // namespace

io::GapSizes find_gap_sizes(const io::ImportRequest& request, bool script, std::vector<std::string>& notes) {
  const int dim = request.dimension;
  io::GapSizes sizes(dim, search_in_process(request, script), dim == 2 ? most_elements_2d : most_elements_3d);
  if (!sizes.coarse_gaps().empty())
    notes.push_back(coarse_note(dim - 1, sizes, request.gap_elements));
  // the factor of the geometry does not change gaps
  sizes.set_factor(request.size_factor / option("Mesh.MeshSizeFactor"));
  return sizes;
}

} // namespace tessera::importer
