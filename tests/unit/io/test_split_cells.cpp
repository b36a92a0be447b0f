// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "imported_measures.hpp"
#include "io/geometry/import_process.hpp"
#include "io/hdf5_file.hpp"
#include "io/mesh_files/mesh_file.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
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
using Catch::Matchers::ContainsSubstring;
using tessera::io::ImportedMesh;
using tessera::test::has_note;
using tessera::test::region_measures;
using tessera::test::TemporaryFolder;
using Place = std::array<double, 3>;
using Corners = std::vector<int>;

/// Maps of degree 2, which affine cells of order 2 represent exactly, also without nodes on faces and in cells.
Place bent(const Place& x) {
  return {x[0] + 0.1 * x[1] * x[1] - 0.05 * x[0] * x[2], x[1] + 0.08 * x[0] * x[0], x[2] + 0.06 * x[0] * x[1]};
}
/// Without a product term, which would come from squares with straight sides: straight diagonals stay straight.
Place bent_in_plane(const Place& x) { return {x[0] + 0.1 * x[1] * x[1], x[1] + 0.08 * x[0] * x[0], 0.}; }
Place straight(const Place& x) { return x; }
/// Small cells far from the origin, in single precision.
Place rounded(const Place& x) {
  const auto single = [](double place) { return static_cast<double>(static_cast<float>(100. + 0.01 * place)); };
  return {single(x[0]), single(x[1]), single(x[2])};
}
/// Bends points in the plane z = 0 between x = 0 and x = 1.
Place bulged_below(const Place& x) { return {x[0], x[1], x[2] == 0. ? -0.2 * x[0] * (1. - x[0]) : x[2]}; }

enum class Format { vtkhdf, msh };

/// The formats that this build reads.
std::vector<Format> formats() {
#if TESSERA_HAVE_GMSH
  return {Format::vtkhdf, Format::msh};
#else
  return {Format::vtkhdf};
#endif
}

enum class Order { one, two, two_complete };

std::vector<Order> orders() { return {Order::one, Order::two, Order::two_complete}; }

/// The last three are other kinds of complete cells, which only VTK has.
enum class Cell {
  triangle,
  quadrilateral,
  tetrahedron,
  hexahedron,
  prism,
  pyramid,
  triangle_7,
  hexahedron_24,
  pyramid_19
};

/// Edges, then faces and the cell itself in the order of the nodes on them, by local vertices; incomplete (serendipity)
/// cells have nodes only on edges.
struct Shape {
  int order_1, complete, serendipity; ///< types
  std::size_t n_vertices;
  std::vector<Corners> edges;
  std::vector<Corners> inner;
};

const Shape& shape_of(Format format, Cell cell) {
  static const std::map<Cell, Shape> of_gmsh{
      {Cell::triangle, {2, 9, 9, 3, {{0, 1}, {1, 2}, {2, 0}}, {}}},
      {Cell::quadrilateral, {3, 10, 16, 4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, {{0, 1, 2, 3}}}},
      {Cell::tetrahedron, {4, 11, 11, 4, {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {2, 3}, {1, 3}}, {}}},
      {Cell::hexahedron,
       {5,
        12,
        17,
        8,
        {{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 5}, {2, 3}, {2, 6}, {3, 7}, {4, 5}, {4, 7}, {5, 6}, {6, 7}},
        {{0, 1, 2, 3},
         {0, 1, 4, 5},
         {0, 3, 4, 7},
         {1, 2, 5, 6},
         {2, 3, 6, 7},
         {4, 5, 6, 7},
         {0, 1, 2, 3, 4, 5, 6, 7}}}},
      {Cell::prism,
       {6,
        13,
        18,
        6,
        {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 4}, {2, 5}, {3, 4}, {3, 5}, {4, 5}},
        {{0, 1, 3, 4}, {0, 2, 3, 5}, {1, 2, 4, 5}}}},
      {Cell::pyramid,
       {7, 14, 19, 5, {{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 4}, {2, 3}, {2, 4}, {3, 4}}, {{0, 1, 2, 3}}}}};
  static const std::map<Cell, Shape> of_vtk{
      {Cell::triangle, {5, 22, 22, 3, {{0, 1}, {1, 2}, {2, 0}}, {}}},
      {Cell::quadrilateral, {9, 28, 23, 4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, {{0, 1, 2, 3}}}},
      {Cell::tetrahedron, {10, 24, 24, 4, {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}, {}}},
      {Cell::hexahedron,
       {12,
        29,
        25,
        8,
        {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}},
        {{0, 3, 4, 7},
         {1, 2, 5, 6},
         {0, 1, 4, 5},
         {2, 3, 6, 7},
         {0, 1, 2, 3},
         {4, 5, 6, 7},
         {0, 1, 2, 3, 4, 5, 6, 7}}}},
      {Cell::prism,
       {13,
        32,
        26,
        6,
        {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}},
        {{0, 1, 3, 4}, {1, 2, 4, 5}, {0, 2, 3, 5}}}},
      {Cell::pyramid, // the complete cell is pyramid_19
       {14, 27, 27, 5, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}}, {}}},
      {Cell::triangle_7, {5, 34, 22, 3, {{0, 1}, {1, 2}, {2, 0}}, {{0, 1, 2}}}},
      {Cell::hexahedron_24,
       {12,
        33,
        25,
        8,
        {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}},
        {{0, 3, 4, 7}, {1, 2, 5, 6}, {0, 1, 4, 5}, {2, 3, 6, 7}}}},
      {Cell::pyramid_19,
       {14,
        37,
        27,
        5,
        {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}},
        {{0, 1, 2, 3}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {0, 3, 4}, {0, 1, 2, 3, 4}}}}};
  return (format == Format::msh ? of_gmsh : of_vtk).at(cell);
}

/// A mesh file of straight cells to which a map is applied, with the nodes of order 2 at the middle of their vertices.
class CellMesh {
public:
  /// `is_reversed`: the vertices are numbered in reverse order.
  CellMesh(Format format, std::vector<Place> vertices, Order order, bool is_reversed = false,
           Place (*map)(const Place&) = straight)
      : format_(format), vertices_(std::move(vertices)), order_(order), is_reversed_(is_reversed), map_(map) {
    for (std::size_t k = 0; k < vertices_.size(); ++k)
      tag({static_cast<int>(k)});
  }

  void add(Cell cell, int group, const Corners& vertices) {
    const Shape& shape = shape_of(format_, cell);
    std::vector<Corners> nodes;
    for (std::size_t k = 0; k < shape.n_vertices; ++k)
      nodes.push_back({static_cast<int>(k)});
    if (order_ != Order::one)
      nodes.insert(nodes.end(), shape.edges.begin(), shape.edges.end());
    if (order_ == Order::two_complete)
      nodes.insert(nodes.end(), shape.inner.begin(), shape.inner.end());
    const int type = order_ == Order::one ? shape.order_1 : order_ == Order::two ? shape.serendipity : shape.complete;
    types_.push_back(static_cast<std::uint8_t>(type));
    groups_.push_back(group);
    dimension_of_[group] = cell == Cell::triangle || cell == Cell::triangle_7 || cell == Cell::quadrilateral ? 2 : 3;
    elements_.emplace_back();
    for (Corners& node : nodes) {
      for (int& corner : node)
        corner = vertices[static_cast<std::size_t>(corner)];
      elements_.back().push_back(tag(node));
    }
  }

  /// Writes the file, with groups called by their numbers, and imports it, with or without the shape of cells.
  ImportedMesh imported(bool curved = true) const {
    const TemporaryFolder folder;
    if (format_ == Format::vtkhdf) {
      const std::string path = folder.file("cells.vtkhdf");
      write_vtkhdf(path);
      return io::read_mesh_file(path, 1., curved);
    }
    io::ImportRequest options;
    options.path = folder.write("cells.msh", text());
    options.dimension = 0; // the dimension of the elements
    options.curved = curved;
    return io::run_import(options);
  }

private:
  /// In Gmsh's format 2.
  std::string text() const {
    std::string text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n" + std::to_string(dimension_of_.size());
    for (const auto& [group, dimension] : dimension_of_)
      text += "\n" + std::to_string(dimension) + " " + std::to_string(group) + " \"" + std::to_string(group) + "\"";
    text += "\n$EndPhysicalNames\n$Nodes\n" + std::to_string(places_.size()) + "\n";
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

  Format format_;
  std::vector<Place> vertices_;
  Order order_;
  bool is_reversed_;
  Place (*map_)(const Place&);
  std::map<std::set<int>, int> tags_;
  std::map<int, Place> places_;
  std::vector<std::vector<std::int64_t>> elements_;
  std::vector<std::uint8_t> types_;
  std::vector<int> groups_;
  std::map<int, int> dimension_of_;
};

/// The point of `vertices` whose image is closest to a node.
Place straight_place(const ImportedMesh& mesh, index_t node, const std::vector<Place>& vertices,
                     Place (*map)(const Place&)) {
  const auto dim = static_cast<std::size_t>(mesh.dimension);
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
}

/// The largest distance of the points of curved facets from the image of the straight facet between their vertices.
double distance_from_map(const ImportedMesh& mesh, const std::vector<Place>& vertices, Place (*map)(const Place&)) {
  const auto dim = static_cast<std::size_t>(mesh.dimension);
  double farthest = 0.;
  std::size_t point = 0;
  for (std::size_t f = 0; f < mesh.n_curved(); ++f) {
    std::vector<Place> corners;
    for (std::size_t k = 0; k < dim; ++k)
      corners.push_back(straight_place(mesh, mesh.curved_facets[f * dim + k], vertices, map));
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

/// Number of elements at each facet.
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

/// Number of facets with one element.
std::ptrdiff_t n_outer_facets(const ImportedMesh& mesh) {
  const auto facets = elements_of_facets(mesh);
  return std::count_if(facets.begin(), facets.end(), [](const auto& facet) { return facet.second == 1; });
}

/// Number of facets of elements with an edge that the map bends.
std::size_t n_bent_facets(const ImportedMesh& mesh, const std::vector<Place>& vertices, Place (*map)(const Place&)) {
  const auto bends = [&](index_t one, index_t other) {
    const Place a = straight_place(mesh, one, vertices, map), b = straight_place(mesh, other, vertices, map);
    const Place middle = map({0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2])});
    double distance = 0.;
    for (std::size_t d = 0; d < 3; ++d)
      distance = std::max(distance, std::fabs(middle[d] - 0.5 * (map(a)[d] + map(b)[d])));
    return distance > 1e-4; // the maps bend edges by some per cent, or not at all
  };
  std::size_t n = 0;
  for (const auto& [facet, n_elements] : elements_of_facets(mesh)) {
    bool is_bent = false;
    for (const index_t a : facet)
      for (const index_t b : facet)
        is_bent = is_bent || bends(a, b);
    n += is_bent ? 1 : 0;
  }
  return n;
}

/// The facets of a boundary of a 3D mesh as sets of the x and y coordinates of their nodes, in millionths.
std::set<std::set<std::array<long, 2>>> facets_from_above(const ImportedMesh& mesh, const std::string& boundary) {
  std::set<std::set<std::array<long, 2>>> facets;
  for (std::size_t f = 0; f < mesh.n_facets(); ++f) {
    if (mesh.boundary_names[mesh.facet_groups[f]] != boundary)
      continue;
    std::set<std::array<long, 2>> facet;
    for (std::size_t k = 0; k < 3; ++k) {
      const double* x = &mesh.coordinates[3 * static_cast<std::size_t>(mesh.facets[3 * f + k])];
      facet.insert({std::lround(1e6 * x[0]), std::lround(1e6 * x[1])});
    }
    facets.insert(facet);
  }
  return facets;
}

const std::vector<Place> cube{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

std::vector<Place> cube_and(const std::vector<Place>& others) {
  std::vector<Place> all = cube;
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

} // namespace

TEST_CASE("hexahedra, prisms and pyramids are split into tetrahedra that fit together and keep their shape", "[io]") {
  const Format format = GENERATE(from_range(formats()));
  const Order order = GENERATE(from_range(orders()));
  const bool is_reversed = GENERATE(false, true);
  CAPTURE(int(format), int(order), is_reversed);
  Place (*const map)(const Place&) = order == Order::one ? straight : bent;
  // A pyramid on top of the cube and a prism next to it.
  const std::vector<Place> points = cube_and({{0.5, 0.5, 2}, {2, 0.5, 0}, {2, 0.5, 1}});
  CellMesh cells(format, points, order, is_reversed, map);
  cells.add(Cell::quadrilateral, 2, {0, 1, 2, 3});
  cells.add(Cell::triangle, 2, {1, 9, 2});
  cells.add(Cell::hexahedron, 1, {0, 1, 2, 3, 4, 5, 6, 7});
  cells.add(Cell::pyramid, 1, {4, 5, 6, 7, 8});
  cells.add(Cell::prism, 1, {1, 9, 2, 5, 10, 6});
  const ImportedMesh mesh = cells.imported();
  CHECK(has_note(mesh, "Split 3 hexahedra, prisms and pyramids into tetrahedra."));
  CHECK_FALSE(has_note(mesh, "Turned")); // they have the orientation of their cells
  CHECK(mesh.n_elements() == 6 + 2 + 3);
  CHECK(mesh.n_nodes() == points.size());
  CHECK(mesh.n_facets() == 3);
  CHECK(n_outer_facets(mesh) == 8 + 4 + 6); // four sides of the cube, the pyramid's, and the prism's
  const auto elements_of_facet = elements_of_facets(mesh);
  for (std::size_t f = 0; f < mesh.n_facets(); ++f)
    CHECK(elements_of_facet.count({mesh.facets[3 * f], mesh.facets[3 * f + 1], mesh.facets[3 * f + 2]}) == 1);
  if (order == Order::one) {
    CHECK(region_measures(mesh).at(0) == Approx(1. + 1. / 3. + 0.5));
    CHECK(mesh.n_curved() == 0);
  } else {
    CHECK(mesh.curved_degree == 2);
    CHECK(mesh.n_curved() > 20);
    CHECK(mesh.n_curved() == n_bent_facets(mesh, points, map));
    CHECK(distance_from_map(mesh, points, map) < 1e-14);
    CHECK(cells.imported(false).n_curved() == 0);
  }
}

TEST_CASE("straight cells of order 2 have straight simplices, whatever angles their faces have", "[io]") {
  const Format format = GENERATE(from_range(formats()));
  const Order order = GENERATE(Order::two, Order::two_complete);
  Place (*const map)(const Place&) = GENERATE(straight, rounded);
  CAPTURE(int(format), int(order), map == rounded);
  // A frustum with a nonplanar side, a pyramid on top and a prism next to it.
  CellMesh cells(format,
                 {{0, 0, 0},
                  {1, 0, 0},
                  {1, 1, 0},
                  {0, 1, 0},
                  {0.1, 0.2, 1},
                  {0.9, 0.1, 1.1},
                  {0.7, 0.8, 1},
                  {0.3, 0.9, 1},
                  {0.5, 0.5, 2},
                  {2, 0.4, 0},
                  {1.6, 0.5, 1}},
                 order, false, map);
  cells.add(Cell::hexahedron, 1, {0, 1, 2, 3, 4, 5, 6, 7});
  cells.add(Cell::pyramid, 1, {4, 5, 6, 7, 8});
  cells.add(Cell::prism, 1, {1, 9, 2, 5, 10, 6});
  const ImportedMesh mesh = cells.imported();
  CHECK(mesh.n_elements() == 6 + 2 + 3);
  CHECK(mesh.n_curved() == 0);
  CHECK(has_note(mesh, "none of its edges is curved"));
}

TEST_CASE("the straight faces of a cell with a curved one have straight diagonals", "[io]") {
  const Format format = GENERATE(from_range(formats()));
  const Order order = GENERATE(Order::two, Order::two_complete);
  CAPTURE(int(format), int(order));
  CellMesh cells(
      format, {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.1, 0.2, 1}, {0.9, 0.1, 1}, {0.7, 0.8, 1}, {0.3, 0.9, 1}},
      order, false, bulged_below);
  cells.add(Cell::hexahedron, 1, {0, 1, 2, 3, 4, 5, 6, 7});
  const ImportedMesh mesh = cells.imported();
  REQUIRE(mesh.curved_degree == 2);
  const auto is_above = [&](std::size_t f, std::size_t k) {
    return mesh.coordinates[3 * static_cast<std::size_t>(mesh.curved_facets[3 * f + k]) + 2] == 1.;
  };
  constexpr std::size_t between[3][3] = {{0, 1, 1}, {0, 2, 3}, {1, 2, 4}}; // ends, and the lattice point between them
  const std::size_t corner[3] = {0, 2, 5};
  std::size_t n_below = 0;
  for (std::size_t f = 0; f < mesh.n_curved(); ++f) {
    const double* const points = &mesh.curved_points[18 * f];
    const int n_above = int(is_above(f, 0)) + int(is_above(f, 1)) + int(is_above(f, 2));
    n_below += n_above == 0 ? 1 : 0;
    CHECK(n_above < 3);
    for (const auto& edge : between)
      for (std::size_t d = 0; d < 3 && is_above(f, edge[0]) && is_above(f, edge[1]); ++d)
        CHECK(points[3 * edge[2] + d] ==
              Approx(0.5 * (points[3 * corner[edge[0]] + d] + points[3 * corner[edge[1]] + d])).margin(1e-15));
  }
  CHECK(n_below == 2);
}

TEST_CASE("cells with nodes at the middle of some faces, which VTK alone has, keep their shape", "[io]") {
  const Order order = GENERATE(Order::two, Order::two_complete);
  const std::vector<Place> points = cube_and({{0.5, 0.5, 2}});
  CellMesh cells(Format::vtkhdf, points, order, false, bent);
  cells.add(Cell::triangle_7, 2, {0, 4, 7});
  cells.add(Cell::triangle_7, 2, {0, 7, 3});
  cells.add(Cell::hexahedron_24, 1, {0, 1, 2, 3, 4, 5, 6, 7});
  cells.add(Cell::pyramid_19, 1, {4, 5, 6, 7, 8});
  const ImportedMesh mesh = cells.imported();
  CHECK(mesh.n_elements() == 6 + 2);
  CHECK(mesh.n_facets() == 2);
  CHECK(mesh.n_nodes() == points.size());
  CHECK(mesh.n_curved() == n_bent_facets(mesh, points, bent));
  CHECK(distance_from_map(mesh, points, bent) < 1e-14);
}

TEST_CASE("quadrilaterals of order 2 keep their shape", "[io]") {
  const Format format = GENERATE(from_range(formats()));
  const Order order = GENERATE(Order::two, Order::two_complete);
  const bool is_reversed = GENERATE(false, true);
  CAPTURE(int(format), int(order), is_reversed);
  const std::vector<Place> plate{{2, 0, 0}, {2, 1, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}};
  CellMesh cells(format, plate, order, is_reversed, bent_in_plane);
  cells.add(Cell::quadrilateral, 1, {3, 0, 1, 2});
  cells.add(Cell::quadrilateral, 1, {5, 3, 2, 4});
  const ImportedMesh mesh = cells.imported();
  CHECK(has_note(mesh, "Split 2 quadrilaterals into two triangles each."));
  CHECK(mesh.n_elements() == 4);
  CHECK(mesh.curved_degree == 2);
  CHECK(mesh.n_curved() >= 8); // of nine edges
  CHECK(mesh.n_curved() == n_bent_facets(mesh, plate, bent_in_plane));
  CHECK(distance_from_map(mesh, plate, bent_in_plane) < 1e-14);
}

TEST_CASE("a quadrilateral in the plane is split along the diagonal with the better triangles, whichever way it runs",
          "[io]") {
  const Format format = GENERATE(from_range(formats()));
  const Order order = GENERATE(from_range(orders()));
  const bool is_reversed = GENERATE(false, true);
  const bool runs_clockwise = GENERATE(false, true);
  const bool is_turned = GENERATE(false, true); // the other diagonal starts at the first vertex
  CAPTURE(int(format), int(order), is_reversed, runs_clockwise, is_turned);
  // An arrowhead, one of whose diagonals lies outside, and a long rhombus.
  CellMesh cells(format,
                 {{0, 0, 0}, {1, 0, 0}, {0.25, 0.25, 0}, {0, 1, 0}, {5, 0, 0}, {8, -1, 0}, {11, 0, 0}, {8, 1, 0}},
                 order, is_reversed);
  for (Corners vertices : {Corners{0, 1, 2, 3}, Corners{4, 5, 6, 7}}) {
    if (is_turned)
      std::rotate(vertices.begin(), vertices.begin() + 1, vertices.end());
    if (runs_clockwise)
      std::swap(vertices[1], vertices[3]);
    cells.add(Cell::quadrilateral, 1, vertices);
  }
  const ImportedMesh mesh = cells.imported();
  CHECK(has_note(mesh, "Split 2 quadrilaterals into two triangles each."));
  CHECK(region_measures(mesh).at(0) == Approx(0.25 + 6.)); // each triangle has a positive area
  CHECK(mesh.n_curved() == 0);                             // the map of the arrowhead does not bend its diagonal,
                                                           // either
  std::size_t n_with_short_diagonal = 0;
  for (std::size_t e = 0; e < mesh.n_elements(); ++e) {
    int n_at_ends = 0;
    for (std::size_t k = 0; k < 3; ++k)
      n_at_ends += mesh.coordinates[2 * static_cast<std::size_t>(mesh.elements[3 * e + k])] == 8. ? 1 : 0;
    n_with_short_diagonal += n_at_ends == 2 ? 1 : 0;
  }
  CHECK(n_with_short_diagonal == 2);
}

// Elements of order 2 and refined ones have nodes on the diagonals.
TEST_CASE("sides of a mesh of hexahedra that are each other's translation are split along the same diagonals", "[io]") {
  const Format format = GENERATE(from_range(formats()));
  const bool is_reversed = GENERATE(false, true);
  CAPTURE(int(format), is_reversed);
  // Two adjacent frusta whose top nodes are in the opposite order.
  CellMesh cells(format,
                 {{0, 0, 0},
                  {2, 0, 0},
                  {1.5, 1, 0},
                  {0.1, 1, 0},
                  {4, 0, 0},
                  {3.2, 1, 0},
                  {3.2, 1, 1},
                  {4, 0, 1},
                  {0.1, 1, 1},
                  {1.5, 1, 1},
                  {2, 0, 1},
                  {0, 0, 1}},
                 Order::one, is_reversed);
  cells.add(Cell::quadrilateral, 2, {0, 1, 2, 3});
  cells.add(Cell::quadrilateral, 2, {1, 4, 5, 2});
  cells.add(Cell::quadrilateral, 3, {11, 10, 9, 8});
  cells.add(Cell::quadrilateral, 3, {10, 7, 6, 9});
  cells.add(Cell::hexahedron, 1, {0, 1, 2, 3, 11, 10, 9, 8});
  cells.add(Cell::hexahedron, 1, {1, 4, 5, 2, 10, 7, 6, 9});
  const ImportedMesh mesh = cells.imported();
  CHECK(facets_from_above(mesh, "2").size() == 4);
  CHECK(facets_from_above(mesh, "2") == facets_from_above(mesh, "3"));
}

TEST_CASE("faces of hexahedra against triangles along the other diagonal are refused", "[io]") {
  const Format format = GENERATE(from_range(formats()));
  const Order order = GENERATE(Order::one, Order::two);
  const bool is_reversed = GENERATE(false, true);
  CAPTURE(int(format), int(order), is_reversed);
  const auto with_tetrahedra = [&](const Corners& one, const Corners& other) {
    CellMesh cells(format, cube_and({{2, 0.5, 0.5}}), order, is_reversed);
    cells.add(Cell::hexahedron, 1, {0, 1, 2, 3, 4, 5, 6, 7});
    cells.add(Cell::tetrahedron, 1, one);
    cells.add(Cell::tetrahedron, 1, other);
    cells.add(Cell::quadrilateral, 2, {0, 1, 2, 3});
    return cells.imported();
  };
  const ImportedMesh joined = with_tetrahedra({1, 2, 6, 8}, {1, 6, 5, 8});
  CHECK(has_note(joined, "Split a hexahedron, prism or pyramid into tetrahedra."));
  CHECK(n_outer_facets(joined) == 10 + 4);
  CHECK_THROWS_WITH(with_tetrahedra({1, 2, 5, 8}, {2, 6, 5, 8}),
                    ContainsSubstring("1 face of a hexahedron, prism or pyramid lies against two triangles of others "
                                      "that are split along the other diagonal (near (1, 0.5, 0.5))") &&
                        ContainsSubstring("the mesh is not connected"));
}

// The error is reported for its tetrahedra without volume.
TEST_CASE("the edges of a hexahedron with a vertex twice are no diagonals of its faces", "[io]") {
  CellMesh cells(Format::vtkhdf, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}}, Order::one);
  cells.add(Cell::hexahedron, 1, {0, 1, 2, 2, 3, 4, 5, 5});
  CHECK(cells.imported().n_elements() == 6);
}

#if TESSERA_HAVE_GMSH

namespace {

ImportedMesh import_file(const std::string& path, int dimension) {
  io::ImportRequest options;
  options.path = path;
  options.dimension = dimension;
  return io::run_import(options);
}

} // namespace

TEST_CASE("quadrilaterals are split into triangles, with a note", "[io]") {
  const ImportedMesh mesh = import_file(tessera::test::data_file("quads.msh"), 2);
  CHECK(mesh.n_elements() == 16);
  CHECK(has_note(mesh, "Split 8 quadrilaterals into two triangles each."));
  CHECK(std::count(mesh.regions.begin(), mesh.regions.end(), group_t(0)) == 8);
  for (const double area : region_measures(mesh))
    CHECK(area == Approx(1.));
  CHECK(tessera::test::boundary_length(mesh, "left") == Approx(1.));
}

TEST_CASE("physical groups without elements are reported by their names", "[io]") {
  const TemporaryFolder folder;
  // Format 4.1 assigns groups to entities: curve 2 does not exist, and curve 3 has no elements.
  const std::string text =
      "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n4\n1 1 \"left\"\n1 2 \"right\"\n1 3 "
      "\"top\"\n2 4 \"plate\"\n$EndPhysicalNames\n$Entities\n0 2 1 0\n1 0 0 0 0 1 0 1 1 0\n3 0 1 0 1 1 0 1 3 "
      "0\n1 0 0 0 1 1 0 1 4 0\n$EndEntities\n$Nodes\n1 4 1 4\n2 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n1 1 "
      "0\n0 1 0\n$EndNodes\n$Elements\n2 3 1 3\n1 1 1 1\n1 1 4\n2 1 2 2\n2 1 2 3\n3 1 3 4\n$EndElements\n";
  const ImportedMesh mesh = import_file(folder.write("partial.msh", text), 2);
  CHECK(mesh.boundary_names == std::vector<std::string>{"left"});
  CHECK(has_note(mesh, "Left out the physical curves \"top\", \"right\", of which there are no elements."));
  const char* square =
      "SetFactory(\"OpenCASCADE\"); Rectangle(1) = {0, 0, 0, 1, 1};\nPhysical Surface(\"plate\") = {1};\n"
      "Physical Curve(\"left\") = {4};\nPhysical Curve(\"right\") = {77};\n";
  CHECK(has_note(import_file(folder.write("square.geo", square), 2),
                 "Left out the physical curve \"right\", of which there are no elements."));
}

TEST_CASE("quadrilaterals of order 2 that a geometry is meshed with are split, and its curves kept", "[io]") {
  const TemporaryFolder folder;
  const char* disc = "SetFactory(\"OpenCASCADE\"); Disk(1) = {0, 0, 0, 1}; Mesh.MeshSizeMax = 0.4;\n"
                     "Physical Surface(\"disc\") = {1}; Recombine Surface{:}; Mesh.ElementOrder = 2;\n";
  const ImportedMesh mesh = import_file(folder.write("disc.geo", disc), 2);
  CHECK(has_note(mesh, "quadrilaterals into two triangles each."));
  CHECK(mesh.curved_degree == 4); // the degree of the curves
  CHECK(mesh.n_curved() >= 12);
}

TEST_CASE("curved sides of hexahedra that a geometry is meshed with come with their shape", "[io]") {
  const TemporaryFolder folder;
  const char* pipe = R"(
    Point(1) = {0, 0, 0}; Point(2) = {1, 0, 0}; Point(3) = {2, 0, 0}; Point(4) = {0, 2, 0}; Point(5) = {0, 1, 0};
    Line(1) = {2, 3}; Circle(2) = {3, 1, 4}; Line(3) = {4, 5}; Circle(4) = {5, 1, 2};
    Curve Loop(1) = {1, 2, 3, 4}; Plane Surface(1) = {1};
    Transfinite Curve{1, 3} = 3; Transfinite Curve{2, 4} = 4; Transfinite Surface{1}; Recombine Surface{1};
    part[] = Extrude{0, 0, 1}{ Surface{1}; Layers{2}; Recombine; };
    Physical Volume("pipe") = {part[1]}; Physical Surface("inside") = {part[5]};
  )";
  const ImportedMesh mesh = import_file(folder.write("pipe.geo", pipe), 3);
  CHECK(mesh.n_elements() == 6 * 12);
  const std::size_t n_points = mesh.n_curved_points();
  std::size_t n_inside = 0;
  for (std::size_t f = 0; f < mesh.n_curved(); ++f) {
    double farthest = 0.;
    for (std::size_t k = 0; k < n_points; ++k) {
      const double* x = &mesh.curved_points[3 * (f * n_points + k)];
      farthest = std::max(farthest, std::fabs(std::hypot(x[0], x[1]) - 1.));
    }
    n_inside += farthest < 1e-5 ? 1 : 0; // polynomials of degree 4 over 30 degrees
  }
  CHECK(n_inside == 12); // two triangles of each of the six faces
  const auto facets = elements_of_facets(mesh);
  for (std::size_t f = 0; f < mesh.n_curved(); ++f)
    CHECK(facets.count({mesh.curved_facets[3 * f], mesh.curved_facets[3 * f + 1], mesh.curved_facets[3 * f + 2]}) == 1);
}

#endif // TESSERA_HAVE_GMSH
