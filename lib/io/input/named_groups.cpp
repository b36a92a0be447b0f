// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/input/named_groups.hpp"

#include "core/error.hpp"
#include "io/input/case.hpp"
#include "io/input/input_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>

namespace tessera::io {

namespace {

using Point = std::array<double, 3>;

constexpr double on_face = 1e-9;     ///< of barycentric coordinates, for rounding
constexpr double near_enough = 0.01; ///< relative to the diagonal: boundaries farther away are not matched

Point node(const ImportedMesh& mesh, index_t number) {
  const auto dim = static_cast<std::size_t>(mesh.dimension);
  Point x{};
  std::copy_n(&mesh.coordinates[static_cast<std::size_t>(number) * dim], dim, x.begin());
  return x;
}

Point operator-(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
double determinant(const Point& a, const Point& b, const Point& c) {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

std::string text_of(const Point& point, int dimension) {
  std::ostringstream text;
  for (int d = 0; d < dimension; ++d)
    text << (d > 0 ? ", " : "(") << point[static_cast<std::size_t>(d)];
  return text.str() + ")";
}

bool contains(const ImportedMesh& mesh, std::size_t element, const Point& point) {
  const auto n = static_cast<std::size_t>(mesh.dimension) + 1;
  const index_t* nodes = &mesh.elements[element * n];
  const Point origin = node(mesh, nodes[0]);
  const Point x = point - origin;
  Point edge[3] = {{}, {}, {0., 0., 1.}};
  for (std::size_t k = 1; k < n; ++k)
    edge[k - 1] = node(mesh, nodes[k]) - origin;
  const double whole = determinant(edge[0], edge[1], edge[2]);
  const double part[3] = {determinant(x, edge[1], edge[2]) / whole, determinant(edge[0], x, edge[2]) / whole,
                          determinant(edge[0], edge[1], x) / whole};
  double rest = 1.;
  bool inside = true;
  for (std::size_t k = 0; k + 1 < n; ++k) {
    rest -= part[k];
    inside = inside && part[k] >= -on_face;
  }
  return inside && rest >= -on_face;
}

/// Distance from a point to a segment (two corners) or triangle.
double distance(const Point& point, const std::vector<Point>& corners) {
  const Point u = corners[1] - corners[0], x = point - corners[0];
  if (corners.size() == 3) {
    const Point v = corners[2] - corners[0];
    const double uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), det = uu * vv - uv * uv;
    const double s = (vv * dot(x, u) - uv * dot(x, v)) / det, t = (uu * dot(x, v) - uv * dot(x, u)) / det;
    if (s >= 0. && t >= 0. && s + t <= 1.) {
      const Point away = x - Point{s * u[0] + t * v[0], s * u[1] + t * v[1], s * u[2] + t * v[2]};
      return std::sqrt(dot(away, away));
    }
    return std::min({distance(point, {corners[0], corners[1]}), distance(point, {corners[1], corners[2]}),
                     distance(point, {corners[2], corners[0]})});
  }
  const double s = std::clamp(dot(x, u) / dot(u, u), 0., 1.);
  const Point away = x - Point{s * u[0], s * u[1], s * u[2]};
  return std::sqrt(dot(away, away));
}

/// Bounding box of the nodes.
std::array<Point, 2> box_of(const ImportedMesh& mesh) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::array<Point, 2> box{Point{infinity, infinity, infinity}, Point{-infinity, -infinity, -infinity}};
  for (std::size_t n = 0; n < mesh.n_nodes(); ++n)
    for (std::size_t d = 0; d < static_cast<std::size_t>(mesh.dimension); ++d) {
      const double x = mesh.coordinates[n * static_cast<std::size_t>(mesh.dimension) + d];
      box[0][d] = std::min(box[0][d], x);
      box[1][d] = std::max(box[1][d], x);
    }
  return box;
}

/// Adds the indices of the names that match a pattern; returns whether there is one.
bool add_fitting(const std::string& pattern, const std::vector<std::string>& names, std::set<group_t>& found) {
  bool any = false;
  for (std::size_t g = 0; g < names.size(); ++g)
    if (fits(pattern, names[g])) {
      found.insert(static_cast<group_t>(g));
      any = true;
    }
  return any;
}

/// Finds the members of one group.
class MemberFinder {
public:
  MemberFinder(const ImportedMesh& mesh, const NamedGroup& group, double scale, const std::string& path)
      : mesh_(mesh), group_(group), scale_(scale), where_(path + ": mesh.groups: '" + printable(group.name) + "': ") {}

  GroupMembers find() {
    for (const std::string& pattern : group_.members)
      add_named(pattern);
    for (const Point& point : group_.inside)
      add_region_at(point);
    for (const Point& point : group_.near)
      add_boundary_at(point);
    return {{regions_.begin(), regions_.end()}, {boundaries_.begin(), boundaries_.end()}};
  }

private:
  void add_named(const std::string& pattern) {
    const bool of_regions = add_fitting(pattern, mesh_.region_names, regions_);
    const bool of_boundaries = add_fitting(pattern, mesh_.boundary_names, boundaries_);
    if (of_regions || of_boundaries)
      return;
    std::vector<std::string> known = mesh_.region_names;
    known.insert(known.end(), mesh_.boundary_names.begin(), mesh_.boundary_names.end());
    TESSERA_REQUIRE(false, where_ << unknown_name_message("region or boundary", pattern, known));
  }

  Point in_metres(const Point& point) const {
    const bool has_z = !std::isnan(point[2]);
    TESSERA_REQUIRE(mesh_.dimension == 2 || has_z,
                    where_ << "the point (" << point[0] << ", " << point[1] << ") needs a third coordinate here.");
    return {scale_ * point[0], scale_ * point[1], mesh_.dimension == 2 ? 0. : scale_ * point[2]};
  }

  std::string place(const Point& point) const { return "the point " + text_of(point, mesh_.dimension); }

  std::string extent() const {
    const std::array<Point, 2> box = box_of(mesh_);
    Point lower{}, upper{};
    for (std::size_t d = 0; d < 3; ++d) {
      lower[d] = box[0][d] / scale_;
      upper[d] = box[1][d] / scale_;
    }
    return "which reaches from " + text_of(lower, mesh_.dimension) + " to " + text_of(upper, mesh_.dimension) +
           ", in units of the file";
  }

  void add_region_at(const Point& point) {
    const Point x = in_metres(point);
    std::set<group_t> found;
    for (std::size_t e = 0; e < mesh_.n_elements(); ++e)
      if (contains(mesh_, e, x))
        found.insert(mesh_.regions[e]);
    TESSERA_REQUIRE(!found.empty(), where_ << place(point) << " lies outside of the mesh, " << extent() << ".");
    TESSERA_REQUIRE(found.size() == 1, where_ << place(point) << " lies between the regions '"
                                              << printable(mesh_.region_names[*found.begin()]) << "' and '"
                                              << printable(mesh_.region_names[*found.rbegin()])
                                              << "'; give one inside the intended region.");
    regions_.insert(*found.begin());
  }

  void add_boundary_at(const Point& point) {
    TESSERA_REQUIRE(mesh_.n_facets() > 0, where_ << "the mesh has no boundary groups.");
    const Point x = in_metres(point);
    const auto dim = static_cast<std::size_t>(mesh_.dimension);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    std::vector<double> distance_of(mesh_.boundary_names.size(), infinity);
    std::vector<Point> corners(dim);
    for (std::size_t f = 0; f < mesh_.n_facets(); ++f) {
      for (std::size_t k = 0; k < dim; ++k)
        corners[k] = node(mesh_, mesh_.facets[f * dim + k]);
      double& least = distance_of[mesh_.facet_groups[f]];
      least = std::min(least, distance(x, corners));
    }
    const auto nearest = std::min_element(distance_of.begin(), distance_of.end());
    const auto number = static_cast<std::size_t>(nearest - distance_of.begin());
    const std::array<Point, 2> box = box_of(mesh_);
    double squares = 0.;
    for (std::size_t d = 0; d < dim; ++d)
      squares += (box[1][d] - box[0][d]) * (box[1][d] - box[0][d]);
    const double diagonal = std::sqrt(squares);
    TESSERA_REQUIRE(*nearest <= near_enough * diagonal,
                    where_ << place(point) << " is on no boundary of the mesh, " << extent() << "; the nearest, '"
                           << printable(mesh_.boundary_names[number]) << "', is " << *nearest / scale_ << " away.");
    for (std::size_t g = 0; g < distance_of.size(); ++g)
      TESSERA_REQUIRE(g == number || distance_of[g] > *nearest + on_face * diagonal,
                      where_ << place(point) << " is as near to the boundary '"
                             << printable(mesh_.boundary_names[number]) << "' as to '"
                             << printable(mesh_.boundary_names[g]) << "'; give one on the intended boundary.");
    boundaries_.insert(static_cast<group_t>(number));
  }

  const ImportedMesh& mesh_;
  const NamedGroup& group_;
  double scale_;
  std::string where_;
  std::set<group_t> regions_, boundaries_;
};

/// Plans the renumbering of the regions, or of the boundaries.
class Planner {
public:
  Planner(const std::vector<std::string>& names, const char* kind, const char* plural)
      : names_(names), kind_(kind), plural_(plural), owner_(names.size()) {}

  /// Returns the text of the note about the group, or "".
  std::string claim(const NamedGroup& group, const std::vector<group_t>& members, const std::string& path) {
    std::vector<std::string> joined_names;
    for (const group_t member : members) {
      TESSERA_REQUIRE(owner_[member] == nullptr, path << ": mesh.groups: the " << kind_ << " '"
                                                      << printable(names_[member]) << "' is in '"
                                                      << printable(owner_[member]->name) << "' and in '"
                                                      << printable(group.name) << "'; it can be in one.");
      owner_[member] = &group;
      joined_names.push_back(names_[member]);
    }
    return members.empty() ? "" : (members.size() > 1 ? plural_ : kind_) + (" " + joined(joined_names));
  }

  Renumbering finish(const std::string& path) const {
    Renumbering result;
    for (std::size_t g = 0; g < names_.size(); ++g) {
      const std::string& name = owner_[g] == nullptr ? names_[g] : owner_[g]->name;
      const auto found = std::find(result.names.begin(), result.names.end(), name);
      if (found != result.names.end()) {
        const auto first = static_cast<std::size_t>(
            std::find(result.number.begin(), result.number.end(), found - result.names.begin()) -
            result.number.begin());
        TESSERA_REQUIRE(owner_[first] == owner_[g], path << ": mesh.groups: the mesh has a " << kind_ << " '"
                                                         << printable(name)
                                                         << "' already, which is none of that group; choose another "
                                                            "name, or list it there, too.");
      }
      result.number.push_back(static_cast<group_t>(found - result.names.begin()));
      if (found == result.names.end())
        result.names.push_back(name);
    }
    return result;
  }

private:
  const std::vector<std::string>& names_;
  const char* kind_;
  const char* plural_;
  std::vector<const NamedGroup*> owner_;
};

/// Indices of the names that match patterns, each of which must match one.
std::set<group_t> matching(const std::vector<std::string>& patterns, const std::vector<std::string>& names,
                           const std::string& kind, const std::string& where) {
  std::set<group_t> found;
  for (const std::string& pattern : patterns)
    TESSERA_REQUIRE(add_fitting(pattern, names, found), where << unknown_name_message(kind, pattern, names));
  return found;
}

/// Nodes of a facet, ascending; -1 for the third of an edge.
using FacetKey = std::array<index_t, 3>;

FacetKey key_of(const index_t* nodes, std::size_t n) {
  FacetKey key{-1, -1, -1};
  std::copy_n(nodes, n, key.end() - static_cast<std::ptrdiff_t>(n));
  std::sort(key.begin(), key.end());
  return key;
}

/// Adds a boundary of the facets that bound one element of the group's regions only.
void add_outside(ImportedMesh& mesh, const NamedGroup& group, const std::string& path) {
  const std::string where = path + ": mesh.groups: '" + printable(group.name) + "': ";
  TESSERA_REQUIRE(std::count(mesh.boundary_names.begin(), mesh.boundary_names.end(), group.name) == 0,
                  where << "the mesh has a boundary of this name already; choose another one.");
  const std::set<group_t> except = matching(group.except, mesh.boundary_names, "boundary", where);
  const std::set<group_t> regions = matching(
      group.outside_of.empty() ? std::vector<std::string>{"*"} : group.outside_of, mesh.region_names, "region", where);
  const auto dim = static_cast<std::size_t>(mesh.dimension);
  std::vector<FacetKey> keys;
  for (std::size_t e = 0; e < mesh.n_elements(); ++e)
    for (std::size_t k = 0; regions.count(mesh.regions[e]) > 0 && k <= dim; ++k) {
      FacetKey nodes{};
      for (std::size_t j = 0, at = 0; j <= dim; ++j)
        if (j != k)
          nodes[at++] = mesh.elements[e * (dim + 1) + j];
      keys.push_back(key_of(nodes.data(), dim));
    }
  std::sort(keys.begin(), keys.end());
  std::set<FacetKey> left_out;
  for (std::size_t f = 0; f < mesh.n_facets(); ++f)
    if (except.count(mesh.facet_groups[f]) > 0)
      left_out.insert(key_of(&mesh.facets[f * dim], dim));
  const std::size_t n_before = mesh.n_facets();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool is_shared = (i > 0 && keys[i - 1] == keys[i]) || (i + 1 < keys.size() && keys[i + 1] == keys[i]);
    if (is_shared || left_out.count(keys[i]) > 0)
      continue;
    mesh.facets.insert(mesh.facets.end(), keys[i].end() - mesh.dimension, keys[i].end());
    mesh.facet_groups.push_back(static_cast<group_t>(mesh.boundary_names.size()));
  }
  const std::size_t n_added = mesh.n_facets() - n_before;
  TESSERA_REQUIRE(n_added > 0, where << "all facets of the outside are in the boundaries under except.");
  mesh.boundary_names.push_back(group.name);
  mesh.notes.push_back("mesh.groups: '" + printable(group.name) + "' has " + std::to_string(n_added) +
                       " facets at the outside of " +
                       (group.outside_of.empty() ? "the mesh" : joined(group.outside_of)) +
                       (group.except.empty() ? "" : ", without those of " + joined(group.except)) + ".");
}

} // namespace

bool fits(const std::string& pattern, const std::string& name) {
  // Position of the last '*': if the rest does not match, it is extended by one character.
  std::size_t p = 0, n = 0, star = std::string::npos, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      // A character may have several bytes in UTF-8.
      n += pattern[p] == '?' ? std::max<std::size_t>(utf8_length(name, n), 1) : 1;
      ++p;
    } else if (star != std::string::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string::npos;
}

void drop_repeated_facets(ImportedMesh& mesh) {
  const auto dim = static_cast<std::size_t>(mesh.dimension);
  std::set<std::array<index_t, 4>> seen;
  std::size_t n_kept = 0;
  for (std::size_t f = 0; f < mesh.n_facets(); ++f) {
    std::array<index_t, 4> key{-1, -1, -1, static_cast<index_t>(mesh.facet_groups[f])};
    std::copy_n(&mesh.facets[f * dim], dim, key.begin());
    std::sort(key.begin(), key.begin() + 3);
    if (!seen.insert(key).second)
      continue;
    std::copy_n(&mesh.facets[f * dim], dim, &mesh.facets[n_kept * dim]);
    mesh.facet_groups[n_kept++] = mesh.facet_groups[f];
  }
  mesh.facets.resize(n_kept * dim);
  mesh.facet_groups.resize(n_kept);
}

GroupMembers find_members(const ImportedMesh& mesh, const NamedGroup& group, double scale, const std::string& path) {
  return MemberFinder(mesh, group, scale, path).find();
}

JoinedGroups plan_groups(const ImportedMesh& mesh, const std::vector<NamedGroup>& groups, double scale,
                         const std::string& path) {
  Planner regions(mesh.region_names, "region", "regions"), boundaries(mesh.boundary_names, "boundary", "boundaries");
  JoinedGroups plan;
  for (const NamedGroup& group : groups) {
    if (group.outside)
      continue;
    const GroupMembers members = find_members(mesh, group, scale, path);
    std::string text = regions.claim(group, members.regions, path);
    const std::string of_boundaries = boundaries.claim(group, members.boundaries, path);
    text += (text.empty() || of_boundaries.empty() ? "" : "; ") + of_boundaries;
    plan.notes.push_back("mesh.groups: '" + printable(group.name) + "' is " + text + ".");
  }
  plan.regions = regions.finish(path);
  plan.boundaries = boundaries.finish(path);
  return plan;
}

void join_groups(ImportedMesh& mesh, const std::vector<NamedGroup>& groups, double scale, const std::string& path) {
  if (groups.empty())
    return;
  JoinedGroups plan = plan_groups(mesh, groups, scale, path);
  for (group_t& region : mesh.regions)
    region = plan.regions.number[region];
  for (group_t& boundary : mesh.facet_groups)
    boundary = plan.boundaries.number[boundary];
  mesh.region_names = std::move(plan.regions.names);
  mesh.boundary_names = std::move(plan.boundaries.names);
  drop_repeated_facets(mesh);
  mesh.notes.insert(mesh.notes.end(), plan.notes.begin(), plan.notes.end());
  for (const NamedGroup& group : groups)
    if (group.outside)
      add_outside(mesh, group, path);
}

} // namespace tessera::io
