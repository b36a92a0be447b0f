// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh_levels.hpp"

#include "core/constants.hpp"
#include "io/geometry/geo_text.hpp"
#include "io/output/console.hpp"

#include <gmsh.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

namespace tessera::importer {

namespace {

/// Gmsh makes some 10,000 triangles per second; refinement makes millions.
constexpr double many_elements = 200000.;
/// Levels are added while the coarse mesh has more elements.
constexpr double most_coarse_elements = 100000.;
constexpr int most_levels = 3;
/// Elements of the refined mesh may exceed those of Gmsh's sizes by the square of this.
constexpr double most_edges = 1.2;

/// Largest number of equilateral triangles with edges of length h in a region whose boundary has n of these edges: that
/// of a disc.
double most_triangles(double n_edges) { return n_edges * n_edges / (std::sqrt(3.) * pi); }

double count_elements(int dim) {
  std::vector<int> types;
  std::vector<std::vector<std::size_t>> tags, nodes;
  gmsh::model::mesh::getElements(types, tags, nodes, dim, -1);
  std::size_t n = 0;
  for (const std::vector<std::size_t>& of_type : tags)
    n += of_type.size();
  return static_cast<double>(n);
}

/// Whether a script asks for sizes within its surfaces, or for meshes of given numbers of elements.
bool asks_for_elements(const std::string& path) {
  static const std::set<std::string> words{"Field", "Layers", "PostView", "Recombine", "Transfinite"};
  const std::string extension = io::lower_extension(path);
  bool asks = false;
  if (extension == ".geo" || extension == ".geo_unrolled")
    io::detail::walk_geo(path, true, [&](const io::detail::GeoWord& word) {
      asks = asks || words.count(word.word) > 0;
      return word.end;
    });
  return asks;
}

class CoarseMeshes {
public:
  CoarseMeshes() { gmsh::option::getNumber("Mesh.MeshSizeFactor", factor_); }
  /// A mesh up to dimension `dim`, of elements 2^levels times as large as the sizes say.
  void make(int levels, int dim) const {
    gmsh::option::setNumber("Mesh.MeshSizeFactor", std::ldexp(factor_, levels));
    gmsh::model::mesh::generate(dim);
  }
  void make_anew(int levels, int dim) const {
    gmsh::model::mesh::clear();
    make(levels, dim);
  }

private:
  double factor_ = 1.;
};

/// The levels by which the number of edges on curves falls as the sizes grow.
int levels_of_curves(const CoarseMeshes& meshes, double n_edges) {
  for (int levels = most_levels; levels > 0; --levels) {
    meshes.make_anew(levels, 1);
    if (std::ldexp(count_elements(1), levels) <= most_edges * n_edges)
      return levels;
  }
  return 0;
}

/// Makes the mesh, and returns its levels. `n_elements`: of the refined mesh.
int choose(const CoarseMeshes& meshes, double& n_elements) {
  meshes.make(0, 1);
  const double n_edges = count_elements(1);
  int most = 0;
  if (most_triangles(n_edges) >= many_elements)
    most = levels_of_curves(meshes, n_edges);
  gmsh::model::mesh::clear(); // Gmsh's mesh of a surface depends on whether its curves were meshed in the same call
  if (most == 0) {
    meshes.make(0, 2);
    return 0;
  }
  const int first = std::min(2, most);
  meshes.make(first, 2);
  n_elements = std::ldexp(count_elements(2), 2 * first);
  int levels = n_elements < many_elements ? 0 : 1;
  while (levels > 0 && levels < most && std::ldexp(n_elements, -2 * levels) > most_coarse_elements)
    ++levels;
  if (levels != first)
    meshes.make_anew(levels, 2);
  return levels;
}

std::string levels_note(int levels, double n_elements) {
  std::ostringstream text;
  text << "mesh.levels: about " << io::format_count(10000 * std::llround(n_elements / 1e4))
       << " elements are made by Gmsh's mesh of elements " << (1 << levels) << " times as large and " << levels
       << (levels == 1 ? " refinement" : " refinements")
       << ", which are much faster. mesh.levels: 0 leaves all to Gmsh.";
  return text.str();
}

} // namespace

int generate_levels(const io::ImportRequest& request, bool has_small_places, std::vector<std::string>& notes) {
  const CoarseMeshes meshes;
  if (request.levels != io::automatic_levels || request.dimension != 2 || has_small_places ||
      asks_for_elements(request.path)) {
    const int levels = std::max(request.levels, 0);
    meshes.make(levels, request.dimension);
    return levels;
  }
  double n_elements = 0.;
  const int levels = choose(meshes, n_elements);
  if (levels > 0)
    notes.push_back(levels_note(levels, n_elements));
  return levels;
}

} // namespace tessera::importer
