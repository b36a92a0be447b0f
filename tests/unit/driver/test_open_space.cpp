// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/mesh_file.hpp"
#include "io/yaml_reader.hpp"
#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>

namespace tessera::test {

using Catch::Matchers::ContainsSubstring;

namespace {

constexpr int n_around = 32;

/// A disk in three regions about (1, 0): left and right half up to 20 mm, and a ring from there to 30 mm; the boundary
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

/// The message of a run that is refused; empty otherwise. Apart from the class below: the front end of nvcc 13.0 does
/// not finish with a handler in its members.
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

class Disk {
public:
  Disk() : file_(folder_.write("case.yaml", text)) { write_disk(folder_.file("disk.vtkhdf")); }

  /// The notes of a run, or its error.
  std::string outcome(const std::vector<std::string>& sets) const {
    const std::string error = error_of(file_, folder_.file("out"), sets);
    if (!error.empty())
      return error;
    const io::YamlNode report = io::read_yaml(folder_.file("out/report.yaml"));
    const io::YamlNode* notes = report.find("notes");
    std::string result;
    for (const io::YamlNode& note : notes == nullptr ? std::vector<io::YamlNode>() : notes->items)
      result += note.text + "\n";
    return result;
  }

private:
  TemporaryFolder folder_;
  std::string file_;
};

std::string shell(const std::string& inner, const std::string& outer, const std::string& x) {
  return "problem.materials.ring.shell={inner_radius: " + inner + ", outer_radius: " + outer + ", center: [" + x +
         ", 0]}";
}

const std::string no_shell = "problem.materials.ring={relative_permeability: 1}";

std::string asymptotic(const std::string& x) {
  return "problem.boundaries.far={asymptotic: {center: [" + x + ", 0], order: 1}}";
}

} // namespace

TEST_CASE("Radii and centre of a shell are held against the nodes of its region", "[driver]") {
  const Disk disk;
  CHECK(disk.outcome({}).empty());
  CHECK_THAT(disk.outcome({"mesh.refine=2"}), !ContainsSubstring("shell")); // new nodes lie on sides of the polygon
  CHECK(disk.outcome({shell("0.0201", "0.0299", "1")}).empty());
  CHECK_THAT(
      disk.outcome({shell("20", "30", "1")}),
      ContainsSubstring("problem.materials.ring.shell: the shell reaches from inner_radius 20 to outer_radius 30 m, "
                        "but the region 'ring' has nodes between 0.02 and 0.03 m from the centre (1, 0)."));
  for (const std::string& wrong :
       {shell("0.0204", "0.03", "1"), shell("0.0190", "0.03", "1"), shell("0.02", "0.0304", "1"),
        shell("0.02", "0.0296", "1"), shell("0.02", "0.03", "1.001"), shell("0.02", "0.03", "0")}) {
    INFO(wrong);
    CHECK_THAT(disk.outcome({wrong}), ContainsSubstring("the shell reaches from"));
  }
}

TEST_CASE("An asymptotic condition off its circle is told with what was found", "[driver]") {
  const Disk disk;
  CHECK(disk.outcome({no_shell, asymptotic("1")}).empty());
  CHECK_THAT(disk.outcome({no_shell, asymptotic("1"), "mesh.refine=2"}), !ContainsSubstring("asymptotic"));
  CHECK(disk.outcome({no_shell, asymptotic("1.0001")}).empty());
  CHECK_THAT(
      disk.outcome({no_shell, asymptotic("0")}),
      ContainsSubstring("problem.boundaries.far: an asymptotic condition holds on a circle about its centre, but "
                        "'far' has nodes between 0.97 and 1.03 m from the centre (0, 0)"));
  CHECK_THAT(disk.outcome({no_shell, asymptotic("1.0005")}), ContainsSubstring("holds on a circle"));
}

TEST_CASE("Points of a probe in a shell are noted", "[driver]") {
  const Disk disk;
  CHECK_THAT(disk.outcome({"output.probes.line={from: [1, 0], to: [1.03, 0], points: 7}"}),
             ContainsSubstring("probe 'line': 2 of 7 points lie in the shell 'ring'"));
  CHECK(disk.outcome({"output.probes.line={from: [1, 0], to: [1.02, 0], points: 7}"}).empty());
}

TEST_CASE("A net current in open space of the plane is noted", "[driver]") {
  const Disk disk;
  const std::string net = "the currents add up to ";
  const std::string one_way = "problem.coils.pair.regions={right_half: 1}";
  CHECK_THAT(disk.outcome({one_way}), ContainsSubstring("The shell 'ring' stands for open space, but " + net + "20 A"));
  CHECK_THAT(disk.outcome({one_way, no_shell, asymptotic("1")}),
             ContainsSubstring("The boundary 'far' with its") && ContainsSubstring(net + "20 A"));
  CHECK(disk.outcome({one_way, no_shell}).empty()); // nothing is open
  CHECK_THAT(disk.outcome({"problem.coils=", "problem.sources.left_half={current_density: 1e4*(1 + 0*x)}"}),
             ContainsSubstring(net));
  CHECK(disk.outcome({"problem.coils=", "problem.sources={left_half: {current_density: 1e4*(x - 1)}, right_half: "
                                        "{current_density: 1e4*(x - 1)}}"})
            .empty());
}

} // namespace tessera::test
