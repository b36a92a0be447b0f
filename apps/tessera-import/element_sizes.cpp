// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "element_sizes.hpp"

#include "core/error.hpp"
#include "entity_names.hpp"
#include "gaps.hpp"
#include "io/input/case.hpp"
#include "io/input/input_text.hpp"
#include "io/input/named_groups.hpp"

#include <gmsh.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <set>

namespace tessera::importer {

using io::ImportRequest;

namespace {

constexpr double growth = 0.3; // of sizes, per unit of distance from the ball in which a point's size applies

/// Upper limits of element sizes, for entities of the geometry and around points. Gmsh calls this for the size at a
/// point of an entity. Versions before 4.10 do not pass the size that Gmsh would use otherwise; they take the smaller
/// of the two.
struct LargestSizes {
  std::map<std::pair<int, int>, double> of_entity;
  std::vector<io::LocalSize> at_points;
  std::shared_ptr<const io::GapSizes> gaps; ///< null if there are none
  std::set<std::pair<int, int>> apart;      ///< entities whose sizes gaps do not limit
  int dimension = 3;                        ///< of the space in which distances are measured

  double operator()(int dim, int tag, double x, double y, double z, double otherwise = 1e22) const {
    const auto found = of_entity.find({dim, tag});
    double size = found == of_entity.end() ? otherwise : std::min(found->second, otherwise);
    for (const io::LocalSize& local : at_points) {
      const double away = std::hypot(x - local.point[0], y - local.point[1], dimension == 3 ? z - local.point[2] : 0.);
      size = std::min(size, local.size + growth * std::max(0., away - local.radius));
    }
    if (gaps != nullptr && apart.count({dim, tag}) == 0)
      size = std::min(size, gaps->at({x, y, z}));
    return size;
  }
  void add(int dim, int tag, double size) {
    double& present = of_entity.emplace(std::make_pair(dim, tag), size).first->second;
    present = std::min(present, size);
  }
};

/// Entities of the physical groups, of all dimensions, whose names match a pattern; if the geometry has no physical
/// groups, the matching entities themselves. Adds all names to `known`, those of regions first.
gmsh::vectorpair entities_called(const std::string& pattern, std::vector<std::string>& known) {
  gmsh::vectorpair found, groups, entities;
  gmsh::model::getPhysicalGroups(groups);
  const auto by_dimension = [](const auto& a, const auto& b) { return a.first > b.first; };
  std::stable_sort(groups.begin(), groups.end(), by_dimension);
  for (const auto& [dim, tag] : groups) {
    known.push_back(physical_name(dim, tag));
    std::vector<int> tags;
    if (io::fits(pattern, known.back()))
      gmsh::model::getEntitiesForPhysicalGroup(dim, tag, tags);
    for (const int entity : tags)
      found.emplace_back(dim, std::abs(entity));
  }
  if (groups.empty())
    gmsh::model::getEntities(entities);
  std::stable_sort(entities.begin(), entities.end(), by_dimension);
  for (const auto& [dim, tag] : entities) {
    known.push_back(entity_label(dim, tag));
    if (io::fits(pattern, known.back()))
      found.emplace_back(dim, tag);
  }
  return found;
}

/// The given entities and all entities on their boundaries.
gmsh::vectorpair with_bounds(const gmsh::vectorpair& entities) {
  gmsh::vectorpair all;
  for (const auto& entity : entities) {
    gmsh::vectorpair level{entity};
    all.push_back(entity);
    for (int dim = entity.first - 1; dim >= 0; --dim) {
      gmsh::vectorpair below;
      gmsh::model::getBoundary(level, below, false, false, false);
      for (auto& bound : below)
        bound.second = std::abs(bound.second);
      all.insert(all.end(), below.begin(), below.end());
      level = below;
    }
  }
  return all;
}

/// Maps the names and patterns of mesh.sizes to the groups of the case and of the geometry.
class SizedGroups {
public:
  SizedGroups(const ImportRequest& request, double scale, const std::function<io::ImportedMesh()>& make_mesh)
      : request_(request), scale_(scale), make_mesh_(make_mesh) {}

  /// Names and patterns of the geometry's groups that make up the groups of the case matching `pattern`.
  std::vector<std::string> members(const std::string& pattern) {
    std::vector<std::string> names;
    for (const io::NamedGroup& group : request_.groups)
      if (io::fits(pattern, group.name))
        add_members(group, names);
    return names;
  }
  bool has(const std::string& name) const {
    return std::any_of(request_.groups.begin(), request_.groups.end(),
                       [&](const io::NamedGroup& group) { return group.name == name; });
  }

private:
  void add_members(const io::NamedGroup& group, std::vector<std::string>& names) {
    TESSERA_REQUIRE(!group.outside, request_.path << ": mesh.sizes: '" << io::printable(group.name)
                                                  << "' consists of facets of the mesh, which is made after its sizes; "
                                                     "give sizes to boundaries or regions of the geometry.");
    if (group.inside.empty() && group.near.empty()) {
      names.insert(names.end(), group.members.begin(), group.members.end());
      return;
    }
    if (mesh_.dimension == 0)
      mesh_ = make_mesh_();
    const io::GroupMembers members = io::find_members(mesh_, group, scale_, request_.path);
    for (const group_t region : members.regions)
      names.push_back(mesh_.region_names[region]);
    for (const group_t boundary : members.boundaries)
      names.push_back(mesh_.boundary_names[boundary]);
  }

  const ImportRequest& request_;
  double scale_;
  const std::function<io::ImportedMesh()>& make_mesh_;
  io::ImportedMesh mesh_;
};

/// Checks that the points of mesh.refine_at lie in the bounding box of the geometry: points outside have no effect, or
/// an unintended one.
void check_points(const ImportRequest& request) {
  if (request.refine_at.empty())
    return;
  std::array<double, 3> lower{}, upper{};
  gmsh::model::getBoundingBox(-1, -1, lower[0], lower[1], lower[2], upper[0], upper[1], upper[2]);
  const auto dim = static_cast<std::size_t>(request.dimension);
  double size = 0.;
  for (std::size_t d = 0; d < dim; ++d)
    size = std::max(size, upper[d] - lower[d]);
  for (std::size_t i = 0; i < request.refine_at.size(); ++i)
    for (std::size_t d = 0; d < dim; ++d) {
      const double x = request.refine_at[i].point[d];
      TESSERA_REQUIRE(x >= lower[d] - 1e-6 * size && x <= upper[d] + 1e-6 * size, // Gmsh's boxes are slightly too large
                      request.path << ": mesh.refine_at[" << i << "]: the point has "
                                   << "xyz"[d] << " = " << x << ", but the geometry reaches from " << lower[d] << " to "
                                   << upper[d] << ", in units of the geometry.");
    }
}

} // namespace

bool set_largest_sizes(const ImportRequest& request, double scale, const std::function<io::ImportedMesh()>& make_mesh,
                       std::vector<std::string>& notes) {
  check_points(request);
  LargestSizes sizes;
  sizes.at_points = request.refine_at;
  sizes.dimension = request.dimension;
  SizedGroups groups(request, scale, make_mesh);
  for (const auto& [name, size] : request.sizes) {
    std::vector<std::string> patterns = groups.members(name);
    const bool is_of_case = !patterns.empty();
    if (!groups.has(name)) // a group of the case overrides one of the geometry
      patterns.push_back(name);
    for (const std::string& pattern : patterns) {
      std::vector<std::string> known;
      const gmsh::vectorpair entities = entities_called(pattern, known);
      for (const io::NamedGroup& group : request.groups)
        known.push_back(group.name);
      TESSERA_REQUIRE(!entities.empty() || (is_of_case && pattern == name),
                      request.path << ": mesh.sizes: " << io::unknown_name_message("group", pattern, known));
      for (const auto& entity : with_bounds(entities))
        sizes.add(entity.first, entity.second, size);
    }
  }
  if (!request.sizes.empty() || !request.refine_at.empty())
    gmsh::model::mesh::setSizeCallback(sizes);
  const bool has_points = !request.refine_at.empty();
  if (request.gap_elements == 0)
    return has_points;
  sizes.gaps =
      std::make_shared<const io::GapSizes>(find_gap_sizes(request, io::lower_extension(request.path) == ".geo", notes));
  if (sizes.gaps->is_empty())
    return has_points;
  for (const std::string& name : request.periodic)
    for (const std::string& pattern : groups.has(name) ? groups.members(name) : std::vector<std::string>{name}) {
      std::vector<std::string> known; // the problem reports unknown names
      for (const auto& entity : with_bounds(entities_called(pattern, known)))
        sizes.apart.insert(entity);
    }
  gmsh::model::mesh::setSizeCallback(sizes);
  return true;
}

} // namespace tessera::importer
