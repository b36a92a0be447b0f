// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/problem/binding/open_space.hpp"
#include "io/input/yaml_reader.hpp"
#include "io/mesh_files/mesh_file.hpp"
#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace tessera::test {

using Catch::Matchers::ContainsSubstring;

namespace {

constexpr int n_around = 32;

/// A disk of three regions around (1, 0): left and right half up to 20 mm, and a ring from there to 30 mm; the boundary
/// "far" is its circle.
void write_disk(const std::string& path) {
  io::ImportedMesh mesh;
  mesh.dimension = 2;
  mesh.region_names = {"right_half", "left_half", "ring"};
  mesh.boundary_names = {"far"};
  const double pi = std::acos(-1.);
  mesh.coordinates = {1., 0.};
  const double radii[] = {0.01, 0.02, 0.03};
  for (const double radius : radii)
    for (int k = 0; k < n_around; ++k) {
      mesh.coordinates.push_back(1. + radius * std::cos(2. * pi * k / n_around));
      mesh.coordinates.push_back(radius * std::sin(2. * pi * k / n_around));
    }
  const auto node = [](int ring, int k) { return 1 + ring * n_around + k % n_around; };
  const auto add = [&](std::initializer_list<index_t> nodes, int region) {
    mesh.elements.insert(mesh.elements.end(), nodes);
    mesh.regions.push_back(static_cast<group_t>(region));
  };
  for (int k = 0; k < n_around; ++k) {
    const int half = (k + n_around / 4) % n_around < n_around / 2 ? 0 : 1;
    add({0, node(0, k), node(0, k + 1)}, half);
    for (int ring = 0; ring < 2; ++ring) {
      add({node(ring, k), node(ring + 1, k), node(ring + 1, k + 1)}, ring == 0 ? half : 2);
      add({node(ring, k), node(ring + 1, k + 1), node(ring, k + 1)}, ring == 0 ? half : 2);
    }
    mesh.facets.insert(mesh.facets.end(), {node(2, k), node(2, k + 1)});
    mesh.facet_groups.push_back(0);
  }
  io::write_mesh_file(path, mesh);
}

const char* const text = R"(tessera: 1
mesh: {file: disk.vtkhdf}
problem:
  physics: magnetostatics
  materials:
    right_half: {relative_permeability: 1}
    left_half: {relative_permeability: 1}
    ring: {relative_permeability: 1, shell: {inner_radius: 0.02, outer_radius: 0.03, center: [1, 0]}}
  coils: {pair: {regions: {right_half: 1, left_half: -1}, turns: 10, current: 2}}
  boundaries: {far: {vector_potential: 0}}
output: {fields: []}
)";

/// The error message of a run, or "" if it succeeds.
std::string error_of(const std::string& file, const std::string& out, const std::vector<std::string>& sets) {
  try {
    if (run_case(file, out, sets).exit_code != 0)
      return "not converged";
  } catch (const Error& error) {
    CHECK(error.exit_code() == 1);
    return error.what();
  }
  return {};
}

/// An octant of a ball with a hole around (1, 0, 0): region "air" between 10 and 20 mm and, beyond, "far" up to 30 mm;
/// the boundaries "ball" and "end" are its spheres, and "between" the sphere shared by both regions.
void write_octant(const std::string& path) {
  constexpr int n_parts = 3; // of the sides of the octant
  const double radii[] = {0.01, 0.02, 0.03};
  io::ImportedMesh mesh;
  mesh.dimension = 3;
  mesh.region_names = {"air", "far"};
  mesh.boundary_names = {"ball", "between", "end"};
  std::vector<std::array<int, 3>> places; // on the triangle whose corners are the octant's
  for (int i = 0; i <= n_parts; ++i)
    for (int j = 0; i + j <= n_parts; ++j)
      places.push_back({i, j, n_parts - i - j});
  const auto n_places = static_cast<int>(places.size());
  const auto place = [&](int i, int j) {
    return static_cast<int>(std::find(places.begin(), places.end(), std::array<int, 3>{i, j, n_parts - i - j}) -
                            places.begin());
  };
  for (const double radius : radii)
    for (const std::array<int, 3>& p : places) {
      const double size = std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
      for (std::size_t d = 0; d < 3; ++d)
        mesh.coordinates.push_back((d == 0 ? 1. : 0.) + radius * p[d] / size);
    }
  const auto add_tetrahedron = [&](std::array<int, 4> nodes, int region) {
    const auto edge = [&](std::size_t k, std::size_t d) {
      const auto coordinate = [&](std::size_t corner) {
        return mesh.coordinates[3 * static_cast<std::size_t>(nodes[corner]) + d];
      };
      return coordinate(k) - coordinate(0);
    };
    const double volume = edge(1, 0) * (edge(2, 1) * edge(3, 2) - edge(2, 2) * edge(3, 1)) +
                          edge(1, 1) * (edge(2, 2) * edge(3, 0) - edge(2, 0) * edge(3, 2)) +
                          edge(1, 2) * (edge(2, 0) * edge(3, 1) - edge(2, 1) * edge(3, 0));
    if (volume < 0.)
      std::swap(nodes[2], nodes[3]);
    mesh.elements.insert(mesh.elements.end(), nodes.begin(), nodes.end());
    mesh.regions.push_back(static_cast<group_t>(region));
  };
  const auto add_triangle = [&](std::array<int, 3> t) {
    std::sort(t.begin(), t.end()); // so that neighbouring prisms split their common side in the same way
    for (int layer = 0; layer < 2; ++layer) {
      const int low = layer * n_places;
      const int high = low + n_places;
      add_tetrahedron({low + t[0], low + t[1], low + t[2], high + t[2]}, layer);
      add_tetrahedron({low + t[0], low + t[1], high + t[1], high + t[2]}, layer);
      add_tetrahedron({low + t[0], high + t[0], high + t[1], high + t[2]}, layer);
    }
    for (int sphere = 0; sphere < 3; ++sphere) {
      for (const int node : t)
        mesh.facets.push_back(static_cast<index_t>(sphere * n_places + node));
      mesh.facet_groups.push_back(static_cast<group_t>(sphere));
    }
  };
  for (int i = 0; i < n_parts; ++i)
    for (int j = 0; i + j < n_parts; ++j) {
      add_triangle({place(i, j), place(i + 1, j), place(i, j + 1)});
      if (i + j + 1 < n_parts)
        add_triangle({place(i + 1, j), place(i, j + 1), place(i + 1, j + 1)});
    }
  io::write_mesh_file(path, mesh);
}

const char* const octant_text = R"(tessera: 1
mesh: {file: octant.vtkhdf}
problem:
  physics: electrostatics
  materials:
    air: {relative_permittivity: 1}
    far: {relative_permittivity: 1, shell: {inner_radius: 0.02, outer_radius: 0.03, center: [1, 0, 0]}}
  boundaries: {ball: {potential: 1}, end: {potential: 0}}
output: {fields: []}
)";

/// Lines of a list in the report of the last run.
std::string list(const TemporaryFolder& folder, const char* name) {
  const io::YamlNode report = io::read_yaml(folder.file("out/report.yaml"));
  const io::YamlNode* entries = report.find(name);
  std::string result;
  if (entries != nullptr)
    for (const io::YamlNode& entry : entries->items)
      result += entry.text + "\n";
  return result;
}

/// A case and its mesh. Without member functions: the front end of nvcc 13.0 would not finish.
struct Model {
  TemporaryFolder folder;
  std::string file;
};

struct Disk : Model {
  Disk() {
    write_disk(folder.file("disk.vtkhdf"));
    file = folder.write("case.yaml", text);
  }
};

/// The disk with electric fields in a medium whose outer boundary has the far field of a dipole.
struct ElectricDisk : Model {
  ElectricDisk() {
    write_disk(folder.file("disk.vtkhdf"));
    file = folder.write("case.yaml", R"(tessera: 1
mesh: {file: disk.vtkhdf}
problem:
  physics: electrostatics
  materials: {"*": vacuum}
  sources: {left_half: {charge: -1e-9}}
  boundaries: {right_half: {floating: {charge: 1e-9}}, far: {asymptotic: {center: [1, 0], order: 1}}}
output: {fields: [], quantities: [charge]}
)");
  }
};

struct Octant : Model {
  Octant() {
    write_octant(folder.file("octant.vtkhdf"));
    file = folder.write("case.yaml", octant_text);
  }
};

/// The notes of a run with settings, or its error.
std::string outcome(const Model& model, const std::vector<std::string>& sets) {
  const std::string error = error_of(model.file, model.folder.file("out"), sets);
  return error.empty() ? list(model.folder, "notes") : error;
}

std::string shell(const std::string& inner, const std::string& outer, const std::string& x) {
  return "problem.materials.ring.shell={inner_radius: " + inner + ", outer_radius: " + outer + ", center: [" + x +
         ", 0]}";
}

const std::string no_shell = "problem.materials.ring={relative_permeability: 1}";

std::string asymptotic(const std::string& x) {
  return "problem.boundaries.far={asymptotic: {center: [" + x + ", 0], order: 1}}";
}

} // namespace

TEST_CASE("A net charge that passes an asymptotic boundary of a multipole is noted", "[driver]") {
  const ElectricDisk disk;
  CHECK(outcome(disk, {}).empty()); // the charges add up to zero
  CHECK_THAT(
      outcome(disk, {"problem.sources.left_half.charge=-0.9e-9"}),
      ContainsSubstring("'far' stands for open space by the far field of a multipole, which has no net charge") &&
          ContainsSubstring("one passes it, of 10 % of the largest of a conductor"));
  CHECK_THAT(outcome(disk, {"problem.boundaries.right_half={potential: 1}", "problem.sources="}),
             ContainsSubstring("depend on the size of the mesh"));
}

TEST_CASE("A net charge that passes an asymptotic boundary of a multipole is noted without conductors, too",
          "[driver]") {
  const ElectricDisk disk;
  const std::string fixed_by_space = "problem.boundaries.right_half=";
  CHECK(outcome(disk, {fixed_by_space, "problem.sources={left_half: {charge: -1e-9}, right_half: {charge: 1e-9}}"})
            .empty());
  CHECK_THAT(
      outcome(disk, {fixed_by_space, "problem.sources={left_half: {charge: -0.5e-9}, right_half: {charge: 1e-9}}"}),
      ContainsSubstring("by the far field of a multipole, which has no net charge, but one passes it, of ") &&
          ContainsSubstring("% of the mean square of the potential there"));
  // Independent of the requested quantities.
  CHECK_THAT(outcome(disk, {"problem.sources.left_half.charge=-0.5e-9", "output.quantities=[energy]"}),
             ContainsSubstring("which has no net charge"));
}

TEST_CASE("A far field of order 0 without a net charge is noted", "[driver]") {
  Model model;
  io::ImportedMesh mesh; // half a disk of 2 m around the axis, in rings
  mesh.dimension = 2;
  mesh.region_names = {"space"};
  mesh.boundary_names = {"far"};
  constexpr int n_rings = 10;
  constexpr int n_angles = 16;
  const double pi = std::acos(-1.);
  mesh.coordinates = {0., 0.};
  for (int ring = 1; ring <= n_rings; ++ring)
    for (int k = 0; k <= n_angles; ++k) {
      const bool on_axis = k == 0 || k == n_angles;
      mesh.coordinates.push_back(on_axis ? 0. : 0.2 * ring * std::sin(pi * k / n_angles));
      mesh.coordinates.push_back(-0.2 * ring * std::cos(pi * k / n_angles));
    }
  const auto node = [](int ring, int k) { return ring == 0 ? 0 : 1 + (ring - 1) * (n_angles + 1) + k; };
  for (int k = 0; k < n_angles; ++k) {
    for (int ring = 0; ring < n_rings; ++ring) {
      mesh.elements.insert(mesh.elements.end(), {node(ring, k), node(ring + 1, k), node(ring + 1, k + 1)});
      if (ring > 0)
        mesh.elements.insert(mesh.elements.end(), {node(ring, k), node(ring + 1, k + 1), node(ring, k + 1)});
      mesh.regions.insert(mesh.regions.end(), ring > 0 ? 2 : 1, group_t(0));
    }
    mesh.facets.insert(mesh.facets.end(), {node(n_rings, k), node(n_rings, k + 1)});
    mesh.facet_groups.push_back(0);
  }
  io::write_mesh_file(model.folder.file("half.vtkhdf"), mesh);
  model.file = model.folder.write("case.yaml", R"(tessera: 1
mesh: {file: half.vtkhdf}
problem:
  physics: electrostatics
  symmetry: axisymmetric
  materials: {space: vacuum}
  point_sources: {plus: {at: [0, 0.4], charge: 1.0e-9}, minus: {at: [0, -0.4], charge: -1.0e-9}}
  boundaries: {far: {asymptotic: {order: 0}}}
output: {fields: [], quantities: [energy]}
)");
  CHECK_THAT(outcome(model, {}),
             ContainsSubstring("'far' stands for open space by the far field of a net charge (order 0), but") &&
                 ContainsSubstring("it is off by about 33 % there") &&
                 ContainsSubstring("Give it asymptotic: {order: 1}"));
  const std::string net = "problem.point_sources.minus.charge=";
  CHECK_THAT(outcome(model, {net + "0.5e-9"}), !ContainsSubstring("stands for open space"));
  CHECK_THAT(outcome(model, {"problem.boundaries.far={asymptotic: {order: 1}}"}),
             !ContainsSubstring("stands for open space"));
  CHECK_THAT(outcome(model, {net + "0.5e-9", "problem.boundaries.far={asymptotic: {order: 1}}"}),
             ContainsSubstring("far field of a multipole, which has no net charge"));
}

TEST_CASE("Open space of another medium than the regions next to its boundary is noted", "[driver]") {
  const ElectricDisk disk;
  const auto materials = [](const std::string& inside, const std::string& ring) {
    return "problem.materials={\"*half\": {relative_permittivity: " + inside +
           "}, ring: {relative_permittivity: " + ring + "}}";
  };
  const std::string far = "problem.boundaries.far={asymptotic: {center: [1, 0], order: 1, relative_permittivity: ";
  const auto noted =
      ContainsSubstring("problem.boundaries.far: the space outside has the relative_permittivity 1, but "
                        "the medium next to the boundary has another one ('ring'); if the medium inside continues");
  CHECK_THAT(outcome(disk, {materials("2.5", "2.5")}), noted);
  CHECK_THAT(outcome(disk, {materials("1", "2.5")}), noted); // a region farther inside with the same value does not
                                                             // matter
  for (const char* value : {"1", "1.0005", "1 + x^2", "[1, 2]"})
    CHECK(outcome(disk, {materials("2.5", value)}).empty());
  CHECK(outcome(disk, {materials("1", "2.5"), far + "2.5}}"}).empty());

  const Disk magnetic;
  const std::string iron = "problem.materials.ring={relative_permeability: 100}";
  CHECK_THAT(outcome(magnetic, {iron, asymptotic("1")}),
             ContainsSubstring("the space outside has the relative_permeability 1, but the medium next to the "
                               "boundary has another one ('ring')."));
  const std::string core = "problem.materials.left_half={relative_permeability: 100}";
  CHECK(outcome(magnetic, {no_shell, core, asymptotic("1")}).empty());
}

TEST_CASE("Radii and centre of a shell are held against the nodes of its region", "[driver]") {
  const Disk disk;
  CHECK(outcome(disk, {}).empty());
  CHECK_THAT(outcome(disk, {"mesh.refine=2"}), !ContainsSubstring("shell")); // new nodes lie on sides of the polygon
  CHECK(outcome(disk, {shell("0.0201", "0.0299", "1")}).empty());
  CHECK_THAT(
      outcome(disk, {shell("20", "30", "1")}),
      ContainsSubstring("problem.materials.ring.shell: the shell reaches from inner_radius 20 to outer_radius 30 m, "
                        "but the region 'ring' has nodes between 0.02 and 0.03 m from the centre (1, 0)."));
  for (const std::string& wrong :
       {shell("0.0204", "0.03", "1"), shell("0.0190", "0.03", "1"), shell("0.02", "0.0304", "1"),
        shell("0.02", "0.0296", "1"), shell("0.02", "0.03", "1.001"), shell("0.02", "0.03", "0")}) {
    INFO(wrong);
    CHECK_THAT(outcome(disk, {wrong}), ContainsSubstring("the shell reaches from"));
  }
}

TEST_CASE("An asymptotic condition off its circle is reported with what was found", "[driver]") {
  const Disk disk;
  CHECK(outcome(disk, {no_shell, asymptotic("1")}).empty());
  CHECK_THAT(outcome(disk, {no_shell, asymptotic("1"), "mesh.refine=2"}), !ContainsSubstring("asymptotic"));
  CHECK(outcome(disk, {no_shell, asymptotic("1.0001")}).empty());
  CHECK_THAT(
      outcome(disk, {no_shell, asymptotic("0")}),
      ContainsSubstring("problem.boundaries.far: an asymptotic condition holds on a circle about its centre, but "
                        "'far' has nodes between 0.97 and 1.03 m from the centre (0, 0)"));
  CHECK_THAT(outcome(disk, {no_shell, asymptotic("1.0005")}), ContainsSubstring("holds on a circle"));
  // Distances from distant centres vary by less than 1 %.
  for (const char* far : {"-9", "1000", "1e9"})
    CHECK_THAT(outcome(disk, {no_shell, asymptotic(far)}),
               ContainsSubstring("problem.boundaries.far: an asymptotic condition holds on a circle") &&
                   ContainsSubstring("From so far away everything is round"));
}

TEST_CASE("Straight sides and plane faces are no parts of an asymptotic circle or sphere", "[driver]") {
  const TemporaryFolder folder;
  const std::string box = folder.write("box.yaml", R"(tessera: 1
mesh: {box: {cells: [8, 8]}}
problem:
  physics: electrostatics
  materials: {domain: vacuum}
  boundaries: {left: {potential: 1}, right: {asymptotic: {order: 1, center: [-100, 0.5]}}}
output: {fields: [], quantities: [energy]}
)");
  const auto is_refused = [&](const std::string& center, const std::vector<std::string>& more = {}) {
    INFO(center);
    std::vector<std::string> sets{"problem.boundaries.right={asymptotic: {order: 1, center: " + center + "}}"};
    sets.insert(sets.end(), more.begin(), more.end());
    CHECK_THAT(error_of(box, folder.file("out"), sets),
               ContainsSubstring("problem.boundaries.right: an asymptotic condition holds on a ") &&
                   ContainsSubstring(" has nodes between ") && ContainsSubstring(" m from the centre ("));
  };
  for (const char* center : {"[0, 0.5]", "[-10, 0.5]", "[-100, 0.5]", "[-1e4, 0.5]", "[-1e9, 0.5]"}) {
    is_refused(center);
    is_refused(center, {"mesh.box.cells=[2, 2]", "mesh.refine=2"});
  }
  for (const char* center : {"[-10, 0.5, 0.5]", "[-1e3, 0.5, 0.5]"})
    is_refused(center, {"mesh.box.cells=[3, 3, 3]"});
}

TEST_CASE("The mesh lies inside of an asymptotic circle or sphere", "[driver]") {
  const Octant octant;
  const std::string air = "problem.materials={\"*\": {relative_permittivity: 1}}";
  CHECK(outcome(octant,
                {air, "problem.boundaries={ball: {potential: 1}, end: {asymptotic: {order: 0, center: [1, 0, 0]}}}"})
            .empty());
  CHECK_THAT(
      outcome(octant,
              {air, "problem.boundaries={end: {potential: 1}, ball: {asymptotic: {order: 0, center: [1, 0, 0]}}}"}),
      ContainsSubstring("problem.boundaries.ball: an asymptotic condition represents all space outside of a "
                        "sphere about its centre, but the mesh lies outside of 'ball', seen from there."));
}

TEST_CASE("Radii and centre of a shell in space are held against the nodes of its region", "[driver]") {
  const Octant octant;
  const auto with = [](const std::string& inner, const std::string& outer, const std::string& center) {
    return "problem.materials.far.shell={inner_radius: " + inner + ", outer_radius: " + outer + ", center: [" + center +
           "]}";
  };
  CHECK_THAT(outcome(octant, {}),
             !ContainsSubstring("reaches") && ContainsSubstring("The shell 'far' has elements of order 1"));
  CHECK_THAT(outcome(octant, {"discretization.order=2"}), !ContainsSubstring("of order 1"));
  // New nodes lie on chords, and then inside flat triangles: up to 6 and 8 % of the radius inside the sphere.
  for (const char* refine : {"mesh.refine=1", "mesh.refine=3"})
    CHECK_THAT(outcome(octant, {refine}), !ContainsSubstring("reaches"));
  CHECK_THAT(outcome(octant, {with("0.0201", "0.0299", "1, 0, 0")}), !ContainsSubstring("reaches"));
  CHECK_THAT(
      outcome(octant, {with("20", "30", "1, 0, 0")}),
      ContainsSubstring("problem.materials.far.shell: the shell reaches from inner_radius 20 to outer_radius 30 m, "
                        "but the region 'far' has nodes between 0.02 and 0.03 m from the centre (1, 0, 0)."));
  for (const std::string& wrong :
       {with("0.017", "0.03", "1, 0, 0"), with("0.022", "0.03", "1, 0, 0"), with("0.02", "0.0304", "1, 0, 0"),
        with("0.02", "0.0296", "1, 0, 0"), with("0.02", "0.03", "1, 0, 0.002"), with("0.02", "0.03", "0, 0, 0")}) {
    INFO(wrong);
    CHECK_THAT(outcome(octant, {wrong}), ContainsSubstring("the shell reaches from"));
  }
  CHECK_THAT(
      outcome(Disk(), {"problem.physics=electrostatics", "problem.coils=",
                       "problem.materials={right_half: {relative_permittivity: 1}, left_half: "
                       "{relative_permittivity: 1}, ring: {relative_permittivity: 1, shell: {inner_radius: 0.02, "
                       "outer_radius: 0.03, center: [1, 0, 1]}}}",
                       "problem.boundaries={far: {potential: 0}}"}),
      ContainsSubstring("the shell's centre has three coordinates, but the mesh has 2 dimensions"));
}

TEST_CASE("The tensor of a shell is that of its map", "[driver]") {
  const io::Shell shell{0.02, 0.03, {0.4, -0.2, 0.1}};
  const io::Shell on_axis{0.02, 0.03, {0., -0.2, 0.}};
  const io::Scalar medium = io::Scalar::constant(2.5);
  constexpr double step = 1e-7;      // step of differences of the map, m
  constexpr double tolerance = 1e-6; // tolerance of these differences
  struct Kind {
    int dimension;
    io::Symmetry symmetry;
  };
  for (const Kind kind :
       {Kind{2, io::Symmetry::planar}, Kind{2, io::Symmetry::axisymmetric}, Kind{3, io::Symmetry::planar}}) {
    const bool is_axisymmetric = kind.symmetry == io::Symmetry::axisymmetric;
    const io::Shell& used = is_axisymmetric ? on_axis : shell;
    const auto n = static_cast<std::size_t>(kind.dimension);
    physics::RegionData region;
    driver::set_shell(used, medium, kind.dimension, kind.symmetry, region);
    REQUIRE(region.coefficient.size() == n);
    REQUIRE(region.off_diagonal.size() == n * (n - 1) / 2);
    using Point = std::array<double, 3>;
    const auto mapped = [&](const Point& x) { // maps a mesh point to the point in space
      double R = 0.;
      for (std::size_t d = 0; d < n; ++d)
        R += (x[d] - used.center[d]) * (x[d] - used.center[d]);
      R = std::sqrt(R);
      const double X = used.inner_radius * (used.outer_radius - used.inner_radius) / (used.outer_radius - R);
      Point y{};
      for (std::size_t d = 0; d < n; ++d)
        y[d] = used.center[d] + X / R * (x[d] - used.center[d]);
      return y;
    };
    for (const double radius : {0.0201, 0.024, 0.029}) {
      Point x{};
      const Point direction = n == 2 ? Point{0.6, -0.8, 0.} : Point{0.48, -0.64, 0.6};
      for (std::size_t d = 0; d < n; ++d)
        x[d] = used.center[d] + radius * direction[d];
      // The gradient in space is J^-T times that in the mesh, so that C = D |J| J^-1 J^-T, or J C J^T = D |J| 1.
      double jacobian[3][3] = {};
      for (std::size_t d = 0; d < n; ++d) {
        Point up = x;
        Point down = x;
        up[d] += step;
        down[d] -= step;
        for (std::size_t i = 0; i < n; ++i)
          jacobian[i][d] = (mapped(up)[i] - mapped(down)[i]) / (2. * step);
      }
      for (std::size_t i = n; i < 3; ++i)
        jacobian[i][i] = 1.;
      double determinant = 0.;
      for (std::size_t i = 0; i < 3; ++i)
        determinant += jacobian[0][i] * (jacobian[1][(i + 1) % 3] * jacobian[2][(i + 2) % 3] -
                                         jacobian[1][(i + 2) % 3] * jacobian[2][(i + 1) % 3]);
      const double weight = is_axisymmetric ? mapped(x)[0] / x[0] : 1.; // ratio of the circumferences around the axis
      const auto entry = [&](std::size_t i, std::size_t j) {
        const physics::Expression& expression =
            i == j ? region.coefficient[i] : region.off_diagonal[n == 2 ? 0 : std::min(i, j) + std::max(i, j) - 1];
        return expression(x[0], x[1], x[2]);
      };
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          double sum = 0.;
          for (std::size_t k = 0; k < n; ++k)
            for (std::size_t l = 0; l < n; ++l)
              sum += jacobian[i][k] * entry(k, l) * jacobian[j][l];
          CHECK(std::fabs(sum / (2.5 * determinant * weight) - (i == j ? 1. : 0.)) <= tolerance);
        }
    }
  }
}

TEST_CASE("A note reports what lines, surfaces and regions in a shell give of space and what of the mesh", "[driver]") {
  const Octant octant;
  const std::string surfaces = outcome(octant, {"output.surfaces={ball: {}, between: {}, end: {}}"});
  CHECK_THAT(surfaces, ContainsSubstring("surface 'end': 9 of 9 facets lie in the shell 'far', whose points stand for "
                                         "points of space farther out: flux as in space; area, averages, extremes of "
                                         "the surface in the mesh."));
  CHECK_THAT(surfaces, !ContainsSubstring("'ball'") && !ContainsSubstring("'between'"));
  CHECK_THAT(outcome(octant, {"output.lines={out: {points: [[1.006, 0.006, 0.006], [1.016, 0.016, 0.016]]}}"}),
             ContainsSubstring("line 'out': 0.00") && ContainsSubstring("m lie in the shell 'far'") &&
                 ContainsSubstring("voltage as in space; length, averages, extremes along the line in the mesh."));
  CHECK_THAT(outcome(octant, {"output.lines={near: {points: [[1.006, 0.006, 0.006], [1.010, 0.010, 0.010]]}}"}),
             !ContainsSubstring("line"));
  CHECK_THAT(outcome(octant, {"output.probes.line={points: [[1.006, 0.006, 0.006], [1.015, 0.014, 0.014]]}"}),
             ContainsSubstring("probe 'line': 1 of 2 points lie in the shell 'far'"));
  CHECK_THAT(outcome(octant, {"output.quantities=[regions]"}),
             ContainsSubstring("regions: 'far' is a shell, which stands for space farther out: energy of that space; "
                               "volume, mean_potential, mean_electric_field, mean_flux_density of the region in "
                               "the mesh."));
  const Disk disk;
  const std::string magnetic =
      outcome(disk, {"output.surfaces={far: {}}", "output.lines={out: {points: [[1, 0.001], [1.028, 0.001]]}}"});
  CHECK_THAT(magnetic, ContainsSubstring("surface 'far': 32 of 32 facets lie in the shell 'ring'") &&
                           ContainsSubstring("flux as in space; area, averages, extremes of the surface in the mesh."));
  CHECK_THAT(magnetic,
             ContainsSubstring("magnetomotive_force, flux as in space; length, averages, extremes along the line"));
}

TEST_CASE("A shell next to a body is no place for its force", "[driver]") {
  const Octant octant;
  const std::string message = outcome(
      octant, {"problem.materials={air: {relative_permittivity: 1, shell: {inner_radius: 0.01, outer_radius: 0.02, "
               "center: [1, 0, 0]}}, far: {relative_permittivity: 1}}",
               "output.quantities=[force]", "output.bodies={ball: {}}"});
  CHECK_THAT(message, ContainsSubstring("region 'air' touches it and is a shell that stands for open space"));
}

TEST_CASE("Points of a probe in a shell are noted", "[driver]") {
  const Disk disk;
  CHECK_THAT(outcome(disk, {"output.probes.line={from: [1, 0], to: [1.03, 0], points: 7}"}),
             ContainsSubstring("probe 'line': 2 of 7 points lie in the shell 'ring'"));
  CHECK(outcome(disk, {"output.probes.line={from: [1, 0], to: [1.02, 0], points: 7}"}).empty());
}

TEST_CASE("A net current in open space of the plane is noted", "[driver]") {
  const Disk disk;
  const std::string net = "the currents add up to ";
  const std::string one_way = "problem.coils.pair.regions={right_half: 1}";
  CHECK_THAT(outcome(disk, {one_way}),
             ContainsSubstring("The shell 'ring' stands for open space, but " + net + "20 A"));
  CHECK_THAT(outcome(disk, {one_way, no_shell, asymptotic("1")}),
             ContainsSubstring("The boundary 'far' with its") && ContainsSubstring(net + "20 A"));
  CHECK(outcome(disk, {one_way, no_shell}).empty()); // no open boundary
  CHECK_THAT(outcome(disk, {"problem.coils=", "problem.sources.left_half={current_density: 1e4*(1 + 0*x)}"}),
             ContainsSubstring(net));
  CHECK(outcome(disk, {"problem.coils=", "problem.sources={left_half: {current_density: 1e4*(x - 1)}, right_half: "
                                         "{current_density: 1e4*(x - 1)}}"})
            .empty());
}

} // namespace tessera::test
