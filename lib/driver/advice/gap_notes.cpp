// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/advice/checks.hpp"
#include "driver/evaluation/force_media.hpp"
#include "driver/plan/quantity_list.hpp"
#include "driver/problem/binding/problem_binding.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <map>
#include <set>
#include <sstream>
#include <utility>

namespace tessera::driver {

namespace {

/// Longest edge of an element relative to the width of the gap above which it is reported: forces across long gaps are
/// then wrong by 1 to 30 %; at 4 by 1 %, with elements of that size on both sides.
constexpr double longest = 5.;

using Vector = std::array<double, 3>;

Vector difference(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double length(const Vector& a) { return std::sqrt(dot(a, a)); }

/// A gap found through the elements across it.
struct Gap {
  double length = 0.; ///< of the longest edge, relative to the width
  double width = 0.;  ///< m, width at the same element
  Vector at{};
};

/// Finds gaps between a body and other objects in or around its medium.
class GapFinder {
public:
  GapFinder(const io::Case& input, const io::ImportedMesh& mesh, const ProblemBinding& binding)
      : mesh_(mesh), binding_(binding), media_(media_of(binding, input.problem, mesh.region_names)),
        n_(static_cast<std::size_t>(mesh.dimension)) {}

  /// By the labels of both sides, the smaller one first: a region, n_regions + boundary, or outside().
  std::map<std::pair<int, int>, Gap> gaps_of(const physics::BodyGroups& body) {
    gaps_.clear();
    body_.assign(mesh_.n_nodes(), -1);
    other_.assign(mesh_.n_nodes(), -1);
    passes_.assign(mesh_.n_nodes(), false);
    mark_body(body);
    if (find_medium(body)) {
      mark_others(body);
      mark_outside(body);
      visit_elements(body);
    }
    return gaps_;
  }
  int outside() const { return static_cast<int>(mesh_.region_names.size() + mesh_.boundary_names.size()); }

private:
  const index_t* element(std::size_t e) const { return &mesh_.elements[e * (n_ + 1)]; }
  const index_t* facet(std::size_t f) const { return &mesh_.facets[f * n_]; }
  static std::size_t node(index_t n) { return static_cast<std::size_t>(n); }
  bool in_body(index_t n) const { return body_[node(n)] >= 0; }
  int boundary_label(std::size_t b) const { return static_cast<int>(mesh_.region_names.size() + b); }
  bool is_medium(const physics::BodyGroups& body, std::size_t e) const {
    const group_t r = mesh_.regions[e];
    return !body.regions[r] && media_[r] == medium_;
  }
  Vector point(index_t n) const {
    Vector x{};
    std::copy_n(&mesh_.coordinates[node(n) * n_], n_, x.begin());
    return x;
  }
  double distance(index_t n, index_t m) const { return length(difference(point(n), point(m))); }
  bool touches_body(const index_t* nodes, std::size_t count) const {
    return std::any_of(nodes, nodes + count, [&](index_t n) { return in_body(n); });
  }

  void mark_body(const physics::BodyGroups& body) {
    for (std::size_t e = 0; e < mesh_.n_elements(); ++e)
      for (std::size_t a = 0; a <= n_ && body.regions[mesh_.regions[e]]; ++a)
        body_[node(element(e)[a])] = mesh_.regions[e];
    for (std::size_t f = 0; f < mesh_.n_facets(); ++f)
      for (std::size_t a = 0; a < n_ && body.boundaries[mesh_.facet_groups[f]]; ++a)
        body_[node(facet(f)[a])] = boundary_label(mesh_.facet_groups[f]);
  }

  /// Finds the medium around the body; returns false if there are several, for which forces are not defined.
  bool find_medium(const physics::BodyGroups& body) {
    std::set<int> found;
    for (std::size_t e = 0; e < mesh_.n_elements(); ++e)
      if (!body.regions[mesh_.regions[e]] && touches_body(element(e), n_ + 1))
        found.insert(media_[mesh_.regions[e]]);
    medium_ = found.empty() ? -1 : *found.begin();
    return found.size() == 1;
  }

  /// Marks the vertices of a wall of the medium, distinguishing whether the body reaches it.
  void mark_wall(const index_t* nodes, int label) {
    const bool passes = touches_body(nodes, n_);
    for (std::size_t a = 0; a < n_; ++a)
      if (passes)
        passes_[node(nodes[a])] = true;
      else if (other_[node(nodes[a])] < 0)
        other_[node(nodes[a])] = label;
  }

  void mark_others(const physics::BodyGroups& body) {
    for (std::size_t e = 0; e < mesh_.n_elements(); ++e)
      if (!body.regions[mesh_.regions[e]] && !is_medium(body, e))
        for (std::size_t a = 0; a <= n_; ++a)
          other_[node(element(e)[a])] = mesh_.regions[e];
    is_periodic_.assign(mesh_.n_nodes(), false);
    std::vector<bool> periodic(mesh_.boundary_names.size(), false);
    for (const fe::PeriodicPair& pair : binding_.periodic)
      periodic[pair.group] = periodic[pair.partner] = true;
    for (std::size_t f = 0; f < mesh_.n_facets(); ++f) {
      const group_t b = mesh_.facet_groups[f];
      if (periodic[b])
        for (std::size_t a = 0; a < n_; ++a)
          is_periodic_[node(facet(f)[a])] = true;
      else if (binding_.condition_boundaries[b] && !body.boundaries[b])
        mark_wall(facet(f), boundary_label(b));
    }
  }

  /// Marks facets of elements at the body that belong to no other element.
  void mark_outside(const physics::BodyGroups& body) {
    std::map<std::array<index_t, 3>, int> n_elements; // by facet
    const auto sorted = [&](const index_t* nodes, std::size_t but) {
      std::array<index_t, 3> vertices{-1, -1, -1};
      std::size_t k = 0;
      for (std::size_t a = 0; a <= n_; ++a)
        if (a != but)
          vertices[k++] = nodes[a];
      std::sort(vertices.begin(), vertices.begin() + static_cast<std::ptrdiff_t>(n_));
      return vertices;
    };
    std::vector<bool> is_requested(mesh_.n_nodes(), false);
    for (std::size_t e = 0; e < mesh_.n_elements(); ++e)
      if (is_medium(body, e) && touches_body(element(e), n_ + 1))
        for (std::size_t a = 0; a <= n_; ++a) {
          n_elements[sorted(element(e), a)] = 0;
          is_requested[node(element(e)[a])] = true;
        }
    for (std::size_t e = 0; e < mesh_.n_elements(); ++e) {
      std::size_t n_requested = 0;
      for (std::size_t a = 0; a <= n_; ++a)
        n_requested += is_requested[node(element(e)[a])] ? 1 : 0;
      for (std::size_t a = 0; a <= n_ && n_requested >= n_; ++a)
        if (const auto found = n_elements.find(sorted(element(e), a)); found != n_elements.end())
          ++found->second;
    }
    for (const auto& [vertices, count] : n_elements) {
      bool periodic = true, axis = binding_.medium().axisymmetric, is_body = true;
      for (std::size_t k = 0; k < n_; ++k) {
        periodic = periodic && is_periodic_[node(vertices[k])];
        axis = axis && point(vertices[k])[0] == 0.;
        is_body = is_body && in_body(vertices[k]);
      }
      if (count == 1 && !periodic && !axis && !is_body)
        mark_wall(vertices.data(), outside());
    }
  }

  void visit_elements(const physics::BodyGroups& body) {
    std::vector<index_t> across(mesh_.n_nodes(), -1); // the nearest node of another side in an element at each node
    for (std::size_t e = 0; e < mesh_.n_elements(); ++e)
      for (std::size_t a = 0; a <= n_ && is_medium(body, e); ++a)
        for (std::size_t b = 0; b <= n_; ++b) {
          const index_t n = element(e)[a], m = element(e)[b];
          if (other_[node(m)] >= 0 && (across[node(n)] < 0 || distance(n, m) < distance(n, across[node(n)])))
            across[node(n)] = m;
        }
    for (std::size_t e = 0; e < mesh_.n_elements(); ++e) {
      if (!is_medium(body, e))
        continue;
      std::vector<index_t> here, there, between;
      bool meets = false; // whether the other side itself has a node there
      for (std::size_t a = 0; a <= n_; ++a) {
        const index_t n = element(e)[a];
        meets = meets || (in_body(n) && other_[node(n)] >= 0) || (passes_[node(n)] && !in_body(n));
        (in_body(n) ? here : other_[node(n)] >= 0 ? there : between).push_back(n);
      }
      if (meets || here.empty())
        continue;
      if (!there.empty() && between.empty())
        add(here, there, there[0]);
      else if (!between.empty() && there.empty() &&
               std::all_of(between.begin(), between.end(), [&](index_t n) { return across[node(n)] >= 0; }))
        add(here, between, across[node(between[0])]);
    }
  }

  /// Adds an element of a gap, with its nodes on the body and on others, and a node of the other side.
  void add(const std::vector<index_t>& here, const std::vector<index_t>& there, index_t opposite) {
    std::vector<index_t> all = here;
    all.insert(all.end(), there.begin(), there.end());
    double edge = 0.;
    for (std::size_t a = 1; a < all.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        edge = std::max(edge, distance(all[a], all[b]));
    // The width is the distance between the lines or planes through the vertices on both sides.
    const auto along = [&](std::size_t a, std::size_t b) { return difference(point(all[b]), point(all[a])); };
    const std::size_t k = here.size();
    Vector normal{};
    if (n_ == 2)
      normal = cross(k == 2 ? along(0, 1) : along(1, 2), {0., 0., 1.});
    else
      normal = k == 2   ? cross(along(0, 1), along(2, 3))
               : k == 3 ? cross(along(0, 1), along(0, 2))
                        : cross(along(1, 2), along(1, 3));
    const Vector over = difference(point(opposite), point(all[0]));
    const double width = std::fabs(dot(normal, over)) / std::max(length(normal), 1e-300);
    const int side = body_[node(here[0])], other_side = other_[node(opposite)];
    Gap& gap = gaps_[{std::min(side, other_side), std::max(side, other_side)}];
    if (width > 0. && edge > gap.length * width) {
      gap.length = edge / width;
      gap.width = width;
      gap.at = point(all[0]);
    }
  }

  const io::ImportedMesh& mesh_;
  const ProblemBinding& binding_;
  std::vector<int> media_;
  std::size_t n_;
  int medium_ = -1;
  std::vector<int> body_, other_; ///< side of each node; -1: none
  std::vector<bool> passes_;      ///< nodes of walls that the body reaches
  std::vector<bool> is_periodic_;
  std::map<std::pair<int, int>, Gap> gaps_;
};

/// A number with two digits.
std::string short_text(double value) {
  std::ostringstream text;
  text << std::setprecision(2) << value;
  return text.str();
}

/// Advice for a gap between two groups, the second of which may be "".
std::string advice(const io::MeshOptions& mesh, const std::string& first, const std::string& second, double width) {
  if (mesh.source != io::MeshSource::geometry)
    return "Make a mesh with elements of about " + short_text(width) + " m on both sides, or let mesh.adapt refine it.";
  const std::string size = short_text(mesh.scale > 0. ? width / mesh.scale : width);
  std::string text = "Give both sides elements of this size (mesh.sizes: {" + first + ": " + size;
  if (!second.empty())
    text += ", " + second + ": " + size;
  return text + (mesh.scale > 0. ? "}" : "}, in metres here") + "), or let mesh.adapt refine the mesh" +
         (mesh.gap_elements == 0 ? ", or leave mesh.gap_elements at its default." : ".");
}

} // namespace

void gap_notes(const Facts& facts, Notes& notes) {
  const io::Case& input = facts.input;
  const io::ImportedMesh& imported = *facts.mesh;
  const bool is_requested = wants(input, io::Quantity::force) || wants(input, io::Quantity::torque);
  if (!is_requested || input.mesh.adapt.requested() || input.mesh.source == io::MeshSource::box)
    return;
  std::vector<std::string> names = imported.region_names;
  names.insert(names.end(), imported.boundary_names.begin(), imported.boundary_names.end());
  names.emplace_back();
  std::set<std::pair<int, int>> noted;
  GapFinder finder(input, imported, *facts.binding);
  for (const BoundBody& body : facts.binding->bodies)
    for (const auto& [sides, gap] : finder.gaps_of(body.groups)) {
      if (gap.length <= longest || !noted.insert(sides).second)
        continue;
      const std::string& first = names[static_cast<std::size_t>(sides.first)];
      const std::string& second = names[static_cast<std::size_t>(sides.second)];
      std::ostringstream note;
      note << "force on '" << body.name << "': the gap between '" << first << "' and "
           << (second.empty() ? "the outside of the mesh" : "'" + second + "'") << ", " << std::setprecision(3)
           << gap.width << " m wide at (";
      for (int d = 0; d < imported.dimension; ++d)
        note << (d == 0 ? "" : ", ") << gap.at[static_cast<std::size_t>(d)];
      note << ") m, has elements " << short_text(gap.length)
           << " times as long as it is wide, with which forces may be "
           << "wrong by tens of per cent. ";
      notes.push_back(note.str() + advice(input.mesh, first, second, gap.width));
    }
}

} // namespace tessera::driver
