// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/mesh/mesh_surface.hpp"

#include "core/place_text.hpp"
#include "mesh/checks/curved_surfaces.hpp"
#include "mesh/checks/hanging_nodes.hpp"

#include <algorithm>
#include <iomanip>
#include <map>
#include <set>

namespace tessera::driver {

namespace {

constexpr std::size_t n_named = 5;

/// Index of a node or element in the file.
index_t original(const std::vector<index_t>& numbers, index_t i) {
  return numbers.empty() ? i : numbers[static_cast<std::size_t>(i)];
}

template <int Dim>
std::string list_places(const std::vector<mesh::NodeOnFacet<Dim>>& found, const io::ImportedMesh& of) {
  std::ostringstream text;
  for (std::size_t i = 0; i < std::min(n_named, found.size()); ++i) {
    text << (i > 0 ? "; " : "") << "node " << original(of.original_node, found[i].node) << " at "
         << place_text(&found[i].place[0], Dim) << " on element " << original(of.original_element, found[i].element);
  }
  text << (found.size() > n_named ? "; ..." : "");
  return text.str();
}

/// Groups of the facets that have one in the file, by their nodes.
template <int Dim> class GroupsOfFacets {
public:
  explicit GroupsOfFacets(const io::ImportedMesh& imported) {
    for (std::size_t f = 0; f < imported.n_facets(); ++f) {
      Nodes nodes;
      std::copy_n(&imported.facets[f * Dim], Dim, nodes.begin());
      std::sort(nodes.begin(), nodes.end());
      groups_.emplace(nodes, imported.facet_groups[f]);
    }
  }
  /// Finds the group of a facet of the surface; null if it has none.
  const group_t* find(const mesh::Surface<Dim>& surface, index_t f) const {
    Nodes nodes;
    for (int k = 0; k < Dim; ++k)
      nodes[k] = surface.nodes(f, k);
    std::sort(nodes.begin(), nodes.end());
    const auto found = groups_.find(nodes);
    return found == groups_.end() ? nullptr : &found->second;
  }

private:
  using Nodes = std::array<index_t, Dim>;
  std::map<Nodes, group_t> groups_;
};

} // namespace

template <int Dim>
std::string narrow_gaps_note(const mesh::Surface<Dim>& surface, const io::ImportedMesh& imported,
                             const io::Case& input) {
  const std::vector<mesh::NarrowGap<Dim>> all = mesh::find_narrow_gaps(surface);
  if (all.empty())
    return "";
  const GroupsOfFacets<Dim> groups(imported);
  std::map<index_t, mesh::NarrowGap<Dim>> found; // by node: in 3D a node may be close to several facets
  for (const mesh::NarrowGap<Dim>& gap : all) {
    const group_t* group = groups.find(surface, gap.facet);
    const std::vector<io::Boundary>& given = input.problem.boundaries;
    if (group == nullptr || std::none_of(given.begin(), given.end(), [&](const io::Boundary& boundary) {
          return boundary.group.name == imported.boundary_names[*group];
        }))
      found.emplace(gap.node, gap);
  }
  if (found.empty())
    return "";
  std::ostringstream text;
  text << found.size() << (found.size() == 1 ? " node lies" : " nodes lie")
       << " less than a thousandth of the next edge beside elements to which nothing joins "
       << (found.size() == 1 ? "it" : "them") << " (";
  std::size_t n_printed = 0;
  for (const auto& [node, gap] : found) {
    if (++n_printed > n_named)
      break;
    text << (n_printed > 1 ? "; " : "") << "node " << original(imported.original_node, node) << " at "
         << place_text(&gap.place[0], Dim) << ", " << gap.width << " m from element "
         << original(imported.original_element, surface.elements(gap.facet));
  }
  text << (found.size() > n_named ? "; ..." : "")
       << "): there the mesh is cut, as by an insulating slit. If it should be connected, let both sides have the same "
          "points in the geometry, or join them (in Gmsh by BooleanFragments with a Geometry.Tolerance above the gap).";
  return text.str();
}

template <int Dim>
std::string check_hanging_nodes(const mesh::Surface<Dim>& surface, const io::ImportedMesh& imported,
                                const std::string& path) {
  std::vector<mesh::NodeOnFacet<Dim>> hanging, touching;
  std::set<index_t> seen; // a node in 3D may lie on the edge of two facets
  for (const mesh::NodeOnFacet<Dim>& found : mesh::find_nodes_on_facets(surface))
    if (found.is_hanging && seen.insert(found.node).second)
      hanging.push_back(found);
    else if (!found.is_hanging && seen.insert(found.node).second)
      touching.push_back(found);
  TESSERA_REQUIRE(hanging.empty(), path << ": " << hanging.size() << " hanging node" << (hanging.size() == 1 ? "" : "s")
                                        << ", on facets of coarser elements, where the field would tear ("
                                        << list_places(hanging, imported)
                                        << "). Elements must share whole facets: make the mesh without hanging nodes.");
  if (touching.empty())
    return "";
  return std::to_string(touching.size()) + (touching.size() == 1 ? " node lies" : " nodes lie") +
         " on boundary facets of elements that hold other nodes: parts of the mesh touch there without "
         "common nodes, and the field does not cross (" +
         list_places(touching, imported) + ").";
}

template <int Dim>
void check_overlap(const std::optional<mesh::Overlap<Dim>>& overlap, const io::ImportedMesh& imported,
                   const std::string& path) {
  if (!overlap)
    return;
  TESSERA_REQUIRE(false, path << ": elements overlap: a facet of element "
                              << original(imported.original_element, overlap->other) << " that bounds the mesh passes "
                              << "through element " << original(imported.original_element, overlap->element) << " at "
                              << place_text(&overlap->place[0], Dim) << ".");
}

bool needs_curved_elements(const io::Case& input) {
  return input.mesh.refinements() > 0 || input.mesh.adapt.requested() ||
         (input.discretization.method == io::Method::cg && input.discretization.order.number > 1);
}

template <int Dim>
std::string curved_surfaces_note(const mesh::Surface<Dim>& surface, const io::ImportedMesh& imported,
                                 const io::Case& input) {
  const std::vector<mesh::CurvedSurface> all = mesh::find_curved_surfaces(surface);
  if (all.empty())
    return "";
  const GroupsOfFacets<Dim> groups(imported);
  std::map<std::string, std::size_t> n_facets; // by the name of the surface
  double angle = 0.;
  for (const mesh::CurvedSurface& curved : all) {
    angle = std::max(angle, curved.angle);
    for (const index_t f : curved.facets) {
      const group_t* group = groups.find(surface, f);
      ++n_facets[group != nullptr ? "boundary '" + imported.boundary_names[*group] + "'"
                                  : "the surface of region '" + imported.region_names[curved.region] + "'"];
    }
  }
  std::string names;
  for (const auto& entry : n_facets)
    names += (names.empty() ? "" : ", ") + entry.first;
  std::ostringstream text;
  text << "Elements have straight edges, but " << names << (n_facets.size() == 1 ? " is" : " are")
       << " curved (to judge by angles of about " << std::setprecision(2) << angle
       << " degrees between neighbouring facets): "
       << (input.discretization.order.number > 1 ? "order 2" : "mesh.refine")
       << " does not lessen the error of the shape. "
       << (input.mesh.curved ? "A mesh of order 2 from where the file comes from does, or a finer one."
                             : "mesh.curved: true does, or a finer mesh.");
  return text.str();
}

#define TESSERA_INSTANTIATE(Dim)                                                                                       \
  template std::string check_hanging_nodes(const mesh::Surface<Dim>&, const io::ImportedMesh&, const std::string&);    \
  template std::string narrow_gaps_note(const mesh::Surface<Dim>&, const io::ImportedMesh&, const io::Case&);          \
  template void check_overlap(const std::optional<mesh::Overlap<Dim>>&, const io::ImportedMesh&, const std::string&);  \
  template std::string curved_surfaces_note(const mesh::Surface<Dim>&, const io::ImportedMesh&, const io::Case&);
TESSERA_INSTANTIATE(2)
TESSERA_INSTANTIATE(3)

} // namespace tessera::driver
