// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "imported_measures.hpp"
#include "io/hdf5_file.hpp"
#include "io/import_process.hpp"
#include "io/mesh_file.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

namespace {

using namespace tessera;
using Catch::Approx;
using tessera::io::ImportedMesh;
using tessera::test::has_note;
using Place = std::array<double, 3>;
using Corners = std::vector<int>;

/// A map of degree 2, which cells of order 2 of affine shape have exactly, also without nodes within faces and cells.
Place bent(const Place& x) {
  return {x[0] + 0.1 * x[1] * x[1] - 0.05 * x[0] * x[2], x[1] + 0.08 * x[0] * x[0], x[2] + 0.06 * x[0] * x[1]};
}
Place bent_in_plane(const Place& x) {
  return {x[0] + 0.1 * x[1] * x[1], x[1] + 0.08 * x[0] * x[0] - 0.03 * x[0] * x[1], 0.};
}

/// Edges, faces and the cell itself in the order of the nodes on them, by local vertices; serendipity elements have
/// edges alone. Of Gmsh; of VTK below.
struct Shape {
  int order_1, full, serendipity; ///< types
  std::size_t n_vertices;
  std::vector<Corners> edges;
  std::vector<Corners> inner;
};
[[maybe_unused]] const Shape quadrilateral{3, 10, 16, 4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, {{0, 1, 2, 3}}};
[[maybe_unused]] const Shape hexahedron{
    5,
    12,
    17,
    8,
    {{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 5}, {2, 3}, {2, 6}, {3, 7}, {4, 5}, {4, 7}, {5, 6}, {6, 7}},
    {{0, 1, 2, 3}, {0, 1, 4, 5}, {0, 3, 4, 7}, {1, 2, 5, 6}, {2, 3, 6, 7}, {4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7}}};
[[maybe_unused]] const Shape prism{6,
                                   13,
                                   18,
                                   6,
                                   {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 4}, {2, 5}, {3, 4}, {3, 5}, {4, 5}},
                                   {{0, 1, 3, 4}, {0, 2, 3, 5}, {1, 2, 4, 5}}};
[[maybe_unused]] const Shape pyramid{
    7, 14, 19, 5, {{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 4}, {2, 3}, {2, 4}, {3, 4}}, {{0, 1, 2, 3}}};
[[maybe_unused]] const Shape tetrahedron{4, 11, 11, 4, {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {2, 3}, {1, 3}}, {}};
[[maybe_unused]] const Shape triangle{2, 9, 9, 3, {{0, 1}, {1, 2}, {2, 0}}, {}};
// A pyramid has no full kind here.
const Shape vtk_quadrilateral{9, 28, 23, 4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, {{0, 1, 2, 3}}};
const Shape vtk_hexahedron{
    12,
    29,
    25,
    8,
    {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}},
    {{0, 3, 4, 7}, {1, 2, 5, 6}, {0, 1, 4, 5}, {2, 3, 6, 7}, {0, 1, 2, 3}, {4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7}}};
const Shape vtk_prism{13,
                      32,
                      26,
                      6,
                      {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}},
                      {{0, 1, 3, 4}, {1, 2, 4, 5}, {0, 2, 3, 5}}};
const Shape vtk_pyramid{14, 27, 27, 5, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}}, {}};
const Shape vtk_triangle{5, 22, 22, 3, {{0, 1}, {1, 2}, {2, 0}}, {}};

/// A mesh of order 2: cells are straight, but for the map, with the nodes of order 2 at the middle of their vertices.
class CellMesh {
public:
  CellMesh(std::vector<Place> vertices, bool is_full, bool is_reversed, Place (*map)(const Place&))
      : vertices_(std::move(vertices)), is_full_(is_full), is_reversed_(is_reversed), map_(map) {
    for (std::size_t k = 0; k < vertices_.size(); ++k)
      tag({static_cast<int>(k)});
  }

  void add(const Shape& shape, int group, const Corners& vertices) {
    std::vector<Corners> nodes;
    for (std::size_t k = 0; k < shape.n_vertices; ++k)
      nodes.push_back({static_cast<int>(k)});
    nodes.insert(nodes.end(), shape.edges.begin(), shape.edges.end());
    if (is_full_)
      nodes.insert(nodes.end(), shape.inner.begin(), shape.inner.end());
    types_.push_back(static_cast<std::uint8_t>(is_full_ ? shape.full : shape.serendipity));
    groups_.push_back(group);
    elements_.emplace_back();
    for (Corners& node : nodes) {
      for (int& corner : node)
        corner = vertices[static_cast<std::size_t>(corner)];
      elements_.back().push_back(tag(node));
    }
  }

  /// In Gmsh's format 2.
  std::string text() const {
    std::string text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" + std::to_string(places_.size()) + "\n";
    for (const auto& [tag, place] : places_) {
      text += std::to_string(tag);
      for (const double x : place) {
        char number[40];
        std::snprintf(number, sizeof(number), " %.17g", x);
        text += number;
      }
      text += "\n";
    }
    text += "$EndNodes\n$Elements\n" + std::to_string(elements_.size()) + "\n";
    for (std::size_t e = 0; e < elements_.size(); ++e) {
      const std::string group = " " + std::to_string(groups_[e]);
      text += std::to_string(e + 1) + " " + std::to_string(types_[e]) + " 2" + group + group;
      for (const std::int64_t node : elements_[e])
        text += " " + std::to_string(node);
      text += "\n";
    }
    return text + "$EndElements\n";
  }

  void write_vtkhdf(const std::string& path) const {
    io::Hdf5File file = io::Hdf5File::create(path);
    file.make_group("/VTKHDF");
    file.write_attribute("/VTKHDF", "Version", std::vector<std::int64_t>{2, 0});
    file.write_attribute("/VTKHDF", "Type", "UnstructuredGrid");
    std::vector<std::int64_t> nodes, offsets{0};
    for (const auto& element : elements_) {
      for (const std::int64_t tag : element)
        nodes.push_back(tag - 1);
      offsets.push_back(static_cast<std::int64_t>(nodes.size()));
    }
    std::vector<double> points, regions(groups_.begin(), groups_.end());
    for (const auto& [tag, place] : places_)
      points.insert(points.end(), place.begin(), place.end());
    const auto n_points = static_cast<std::int64_t>(places_.size());
    const auto n_cells = static_cast<std::int64_t>(elements_.size());
    file.write<std::int64_t>("/VTKHDF/NumberOfPoints", {1}, &n_points);
    file.write<std::int64_t>("/VTKHDF/NumberOfCells", {1}, &n_cells);
    file.write<std::uint8_t>("/VTKHDF/Types", {types_.size()}, types_.data());
    file.write<std::int64_t>("/VTKHDF/Offsets", {offsets.size()}, offsets.data());
    file.write<std::int64_t>("/VTKHDF/Connectivity", {nodes.size()}, nodes.data());
    file.write<double>("/VTKHDF/Points", {places_.size(), 3}, points.data());
    file.make_group("/VTKHDF/CellData");
    file.write<double>("/VTKHDF/CellData/region", {regions.size()}, regions.data());
  }

private:
  int tag(const Corners& vertices) {
    const std::set<int> key(vertices.begin(), vertices.end());
    const int n = static_cast<int>(vertices_.size());
    const int next = static_cast<int>(tags_.size()) + 1;
    const auto [at, is_new] = tags_.emplace(key, is_reversed_ && next <= n ? n + 1 - next : next);
    if (is_new) {
      Place middle{};
      for (const int vertex : key)
        for (std::size_t d = 0; d < 3; ++d)
          middle[d] += vertices_[static_cast<std::size_t>(vertex)][d] / static_cast<double>(key.size());
      places_[at->second] = map_(middle);
    }
    return at->second;
  }

  std::vector<Place> vertices_;
  bool is_full_, is_reversed_;
  Place (*map_)(const Place&);
  std::map<std::set<int>, int> tags_;
  std::map<int, Place> places_;
  std::vector<std::vector<std::int64_t>> elements_;
  std::vector<std::uint8_t> types_;
  std::vector<int> groups_;
};

/// The largest distance of a point of the curved facets from the map of the straight facet between its vertices.
double distance_from_map(const ImportedMesh& mesh, const std::vector<Place>& vertices, Place (*map)(const Place&)) {
  const auto dim = static_cast<std::size_t>(mesh.dimension);
  const auto straight_of = [&](index_t node) {
    Place found{};
    double nearest = 1e300;
    for (const Place& vertex : vertices) {
      double distance = 0.;
      for (std::size_t d = 0; d < dim; ++d)
        distance += std::fabs(map(vertex)[d] - mesh.coordinates[static_cast<std::size_t>(node) * dim + d]);
      if (distance < nearest) {
        nearest = distance;
        found = vertex;
      }
    }
    return found;
  };
  double farthest = 0.;
  std::size_t point = 0;
  for (std::size_t f = 0; f < mesh.n_curved(); ++f) {
    std::vector<Place> corners;
    for (std::size_t k = 0; k < dim; ++k)
      corners.push_back(straight_of(mesh.curved_facets[f * dim + k]));
    for (int j = 0; j <= (dim == 3 ? mesh.curved_degree : 0); ++j)
      for (int i = 0; i <= mesh.curved_degree - j; ++i, ++point) {
        Place x{};
        const double lambda[3] = {1. - double(i + j) / mesh.curved_degree, double(i) / mesh.curved_degree,
                                  double(j) / mesh.curved_degree};
        for (std::size_t k = 0; k < dim; ++k)
          for (std::size_t d = 0; d < 3; ++d)
            x[d] += lambda[k] * corners[k][d];
        for (std::size_t d = 0; d < dim; ++d)
          farthest = std::max(farthest, std::fabs(map(x)[d] - mesh.curved_points[point * dim + d]));
      }
  }
  return farthest;
}

/// Elements at each facet.
std::map<std::set<index_t>, int> elements_of_facets(const ImportedMesh& mesh) {
  const auto width = static_cast<std::size_t>(mesh.dimension) + 1;
  std::map<std::set<index_t>, int> count;
  for (std::size_t e = 0; e < mesh.n_elements(); ++e)
    for (std::size_t left_out = 0; left_out < width; ++left_out) {
      std::set<index_t> facet;
      for (std::size_t k = 0; k < width; ++k)
        if (k != left_out)
          facet.insert(mesh.elements[width * e + k]);
      ++count[facet];
    }
  return count;
}

// A cube with a pyramid upon it and a prism beside it.
const std::vector<Place> body = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0},     {0, 1, 0},   {0, 0, 1},  {1, 0, 1},
                                 {1, 1, 1}, {0, 1, 1}, {0.5, 0.5, 2}, {2, 0.5, 0}, {2, 0.5, 1}};

void check_body(const ImportedMesh& mesh) {
  CHECK(has_note(mesh, "Split 3 hexahedra, prisms and pyramids into tetrahedra."));
  CHECK(mesh.n_elements() == 6 + 2 + 3);
  CHECK(mesh.n_nodes() == body.size());
  CHECK(mesh.n_facets() == 3);
  const auto elements_of_facet = elements_of_facets(mesh);
  CHECK(std::count_if(elements_of_facet.begin(), elements_of_facet.end(),
                      [](const auto& facet) { return facet.second == 1; }) == 8 + 4 + 6);
  for (std::size_t f = 0; f < mesh.n_facets(); ++f)
    CHECK(elements_of_facet.count({mesh.facets[3 * f], mesh.facets[3 * f + 1], mesh.facets[3 * f + 2]}) == 1);
  CHECK(mesh.curved_degree == 2);
  CHECK(mesh.n_curved() > 20); // of 31 facets all that are not flat by chance
  CHECK(distance_from_map(mesh, body, bent) < 1e-14);
}

const std::vector<Place> plate = {{2, 0, 0}, {2, 1, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}};

void check_plate(const ImportedMesh& mesh) {
  CHECK(has_note(mesh, "Split 2 quadrilaterals into two triangles each."));
  CHECK(mesh.n_elements() == 4);
  CHECK(mesh.curved_degree == 2);
  CHECK(mesh.n_curved() >= 8); // of nine edges
  CHECK(distance_from_map(mesh, plate, bent_in_plane) < 1e-14);
}

/// Concave at its second node, whose diagonal is the only one within.
const std::vector<Place> arrow = {{2, 0, 0}, {0.5, 0.5, 0}, {0, 2, 0}, {0, 0, 0}};

} // namespace

TEST_CASE("cells of VTKHDF files are split into tetrahedra that fit together and keep their shape", "[io]") {
  const bool is_full = GENERATE(true, false);
  const bool is_reversed = GENERATE(false, true); // faces are split from their lowest nodes
  CAPTURE(is_full, is_reversed);
  const tessera::test::TemporaryFolder folder;
  const std::string path = folder.file("cells.vtkhdf");
  CellMesh cells(body, is_full, is_reversed, bent);
  cells.add(vtk_quadrilateral, 2, {0, 1, 2, 3});
  cells.add(vtk_triangle, 2, {1, 9, 2});
  cells.add(vtk_hexahedron, 1, {0, 1, 2, 3, 4, 5, 6, 7});
  cells.add(vtk_pyramid, 1, {4, 5, 6, 7, 8});
  cells.add(vtk_prism, 1, {1, 9, 2, 5, 10, 6});
  cells.write_vtkhdf(path);
  check_body(io::read_mesh_file(path));
  CHECK(io::read_mesh_file(path, 1., false).n_curved() == 0);
}

TEST_CASE("quadrilaterals of VTKHDF files are split along the better diagonal and keep their shape", "[io]") {
  const bool is_full = GENERATE(true, false);
  const tessera::test::TemporaryFolder folder;
  const std::string path = folder.file("cells.vtkhdf");
  CellMesh cells(plate, is_full, false, bent_in_plane);
  cells.add(vtk_quadrilateral, 1, {3, 0, 1, 2});
  cells.add(vtk_quadrilateral, 1, {5, 3, 2, 4});
  cells.write_vtkhdf(path);
  check_plate(io::read_mesh_file(path));
  for (const Corners& around : {Corners{0, 1, 2, 3}, Corners{3, 2, 1, 0}}) {
    CellMesh concave(arrow, is_full, false, [](const Place& x) { return x; });
    concave.add(vtk_quadrilateral, 1, around);
    concave.write_vtkhdf(path);
    CHECK(tessera::test::region_measures(io::read_mesh_file(path)).at(0) == Approx(1.));
  }
}

#if TESSERA_HAVE_GMSH

namespace {

ImportedMesh import_text(const std::string& text, int dimension) {
  const tessera::test::TemporaryFolder folder;
  io::ImportRequest options;
  options.path = folder.write("cells.msh", text);
  options.dimension = dimension;
  return io::run_import(options);
}

} // namespace

TEST_CASE("cells of order 2 are split into tetrahedra that fit together and keep their shape", "[io]") {
  const bool is_full = GENERATE(true, false);
  const bool is_reversed = GENERATE(false, true);
  CAPTURE(is_full, is_reversed);
  CellMesh cells(body, is_full, is_reversed, bent);
  cells.add(quadrilateral, 2, {0, 1, 2, 3});
  cells.add(triangle, 2, {1, 9, 2});
  cells.add(hexahedron, 1, {0, 1, 2, 3, 4, 5, 6, 7});
  cells.add(pyramid, 1, {4, 5, 6, 7, 8});
  cells.add(prism, 1, {1, 9, 2, 5, 10, 6});
  check_body(import_text(cells.text(), 3));
}

TEST_CASE("faces of cells against triangles along the other diagonal are refused", "[io]") {
  const bool is_reversed = GENERATE(false, true); // the lowest node of the face is the first or the third one
  const auto text_of = [is_reversed](const Corners& one, const Corners& other) {
    CellMesh cells(
        {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}, {2, 0.5, 0.5}}, false,
        is_reversed, [](const Place& x) { return x; });
    cells.add(hexahedron, 1, {0, 1, 2, 3, 4, 5, 6, 7});
    cells.add(tetrahedron, 1, one);
    cells.add(tetrahedron, 1, other);
    return cells.text();
  };
  const auto facets = elements_of_facets(import_text(text_of({1, 2, 6, 8}, {1, 6, 5, 8}), 3));
  CHECK(std::count_if(facets.begin(), facets.end(), [](const auto& facet) { return facet.second == 1; }) == 10 + 4);
  CHECK_THROWS_WITH(import_text(text_of({1, 2, 5, 8}, {2, 6, 5, 8}), 3),
                    Catch::Matchers::ContainsSubstring(
                        "1 face of a hexahedron, prism or pyramid lies against two triangles of others, "
                        "along the other diagonal than it is split (near (1, 0.5, 0.5))"));
}

TEST_CASE("quadrilaterals of order 2 are split along the better diagonal and keep their shape", "[io]") {
  const bool is_full = GENERATE(true, false);
  CellMesh cells(plate, is_full, false, bent_in_plane);
  cells.add(quadrilateral, 1, {3, 0, 1, 2});
  cells.add(quadrilateral, 1, {5, 3, 2, 4});
  check_plate(import_text(cells.text(), 2));
  for (const Corners& around : {Corners{0, 1, 2, 3}, Corners{3, 2, 1, 0}}) {
    CellMesh concave(arrow, is_full, false, [](const Place& x) { return x; });
    concave.add(quadrilateral, 1, around);
    CHECK(tessera::test::region_measures(import_text(concave.text(), 2)).at(0) == Approx(1.));
  }
}

#endif
