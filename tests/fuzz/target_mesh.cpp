// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/mesh/mesh_transfer.hpp"
#include "driver/mesh/prepare_mesh.hpp"
#include "io/hdf5_file.hpp"
#include "io/mesh_files/mesh_file.hpp"
#include "io/mesh_files/mesh_source.hpp"
#include "mesh/box.hpp"
#include "mesh_checks.hpp"
#include "target.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace tessera::fuzz {

namespace {

/// A host space: Serial unless the build leaves it out.
using Space = std::tuple_element_t<0, ExecutionSpaces>;

template <int Dim> io::ImportedMesh small_box() {
  std::array<index_t, Dim> cells;
  std::array<double, Dim> lower;
  std::array<double, Dim> upper;
  cells.fill(Dim == 2 ? 3 : 2);
  lower.fill(0.);
  upper.fill(1.);
  const Space exec;
  io::ImportedMesh mesh = driver::download_mesh<Dim>(exec, mesh::make_box<Dim>(exec, cells, lower, upper));
  for (std::size_t e = 0; e < mesh.regions.size() / 2; ++e)
    mesh.regions[e] = 1;
  mesh.region_names = {"iron", "air"};
  return mesh;
}

io::MeshOptions file_options(const std::string& path) {
  io::MeshOptions options;
  options.source = io::MeshSource::file;
  options.path = path;
  return options;
}

/// Checks and prepares a mesh as a run does; throws the errors of a run. Returns the notes.
std::vector<std::string> prepare(const io::ImportedMesh& imported, const std::string& path) {
  io::Case input;
  input.mesh = file_options(path);
  io::Console console(true);
  PhaseLog log;
  std::vector<std::string> notes;
  driver::Context context{input, console, log, notes};
  if (imported.dimension == 2)
    driver::prepare_mesh<Space, 2>(Space(), imported, false, context);
  else
    driver::prepare_mesh<Space, 3>(Space(), imported, false, context);
  return notes;
}

Outcome outcome_of(const io::ImportedMesh& imported, const std::string& path) {
  std::vector<std::string> notes = prepare(imported, path);
  const std::string fault = find_fault(imported);
  if (fault.empty())
    return {};
  notes.insert(notes.end(), imported.notes.begin(), imported.notes.end());
  for (const std::string& note : notes) // a reported problem is not silent
    if (note.find("parts of the mesh touch there without common nodes") != std::string::npos)
      return {};
  std::string text;
  for (const std::string& note : notes)
    text += "; told: " + note;
  return Outcome::refuted(fault + text);
}

/// Mesh files written by Tessera: an accepted file must give the mesh that was written, bit for bit.
class OwnMeshTarget : public Target {
public:
  OwnMeshTarget() : meshes_{small_box<2>(), small_box<3>()} {}

  std::string make(Random& random) const override {
    // HDF5's layout depends only on the data, so the bytes depend only on the number.
    return std::string(1, random.chance(50) ? '2' : '3') + std::to_string(random.bits());
  }

  Outcome take(const std::string& input, const std::string& folder) const override {
    const io::ImportedMesh& mesh = meshes_[input[0] == '2' ? 0 : 1];
    const std::string path = folder + "/own.vtkhdf";
    io::write_mesh_file(path, mesh);
    Random random(std::stoull(input.substr(1)), 0);
    write_file(path, mutate_bytes(read_file(path), random));
    const io::ImportedMesh read = io::read_mesh(file_options(path));
    if (read.coordinates != mesh.coordinates || read.elements != mesh.elements || read.regions != mesh.regions ||
        read.facets != mesh.facets || read.facet_groups != mesh.facet_groups ||
        read.region_names != mesh.region_names || read.boundary_names != mesh.boundary_names)
      return Outcome::refuted("a damaged file of the program reads as another mesh");
    return {};
  }

private:
  std::vector<io::ImportedMesh> meshes_;
};

/// VTKHDF as other programs write it, with damaged arrays or damaged bytes.
class GridTarget : public Target {
public:
  GridTarget() : meshes_{small_box<2>(), small_box<3>()} {}

  std::string make(Random& random) const override {
    return std::string(1, random.chance(50) ? '2' : '3') + std::to_string(random.bits());
  }

  Outcome take(const std::string& input, const std::string& folder) const override {
    const io::ImportedMesh& mesh = meshes_[input[0] == '2' ? 0 : 1];
    Random random(std::stoull(input.substr(1)), 0);
    const std::string path = folder + "/grid.vtkhdf";
    const bool damages_arrays = random.chance(70);
    write(mesh, path, damages_arrays ? 1 + random.below(3) : 0, random);
    if (damages_arrays) // calls the library in this process, so that sanitizers see it
      return outcome_of(io::read_mesh_file(path, 1.), path);
    write_file(path, mutate_bytes(read_file(path), random));
    return outcome_of(io::read_mesh(file_options(path)), path);
  }

private:
  template <class T> static void damage(std::vector<T>& values, Random& random) {
    if (values.empty())
      return;
    const std::size_t at = random.below(values.size());
    switch (random.below(5)) {
    case 0:
      values[at] = static_cast<T>(odd_integer(random));
      break;
    case 1:
      values[at] = values[random.below(values.size())];
      break;
    case 2:
      std::swap(values[at], values[random.below(values.size())]);
      break;
    case 3:
      values.resize(random.chance(50) ? at : values.size() + 1);
      break;
    default:
      values[at] = static_cast<T>(static_cast<double>(values[at]) + (random.chance(50) ? 1. : -1.));
    }
  }

  static void write(const io::ImportedMesh& mesh, const std::string& path, std::size_t n_damages, Random& random) {
    const auto dim = static_cast<std::size_t>(mesh.dimension);
    std::vector<double> points(mesh.n_nodes() * 3, 0.);
    for (std::size_t i = 0; i < mesh.n_nodes(); ++i)
      std::copy_n(&mesh.coordinates[i * dim], dim, &points[3 * i]);
    std::vector<std::int64_t> nodes(mesh.elements.begin(), mesh.elements.end()), offsets{0};
    std::vector<std::uint8_t> types(mesh.n_elements(), dim == 2 ? 5 : 10);
    for (std::size_t e = 0; e < mesh.n_elements(); ++e)
      offsets.push_back(offsets.back() + static_cast<std::int64_t>(dim) + 1);
    std::vector<double> region(mesh.regions.begin(), mesh.regions.end());
    std::vector<std::int64_t> counts{static_cast<std::int64_t>(mesh.n_nodes()),
                                     static_cast<std::int64_t>(mesh.n_elements()),
                                     static_cast<std::int64_t>(nodes.size())};
    for (std::size_t i = 0; i < n_damages; ++i)
      switch (random.below(8)) {
      case 0:
        damage(points, random);
        break;
      case 1:
        damage(offsets, random);
        break;
      case 2:
        damage(types, random);
        break;
      case 3:
        damage(region, random);
        break;
      case 4:
        counts[random.below(3)] = odd_integer(random);
        break;
      default:
        damage(nodes, random);
      }
    io::Hdf5File file = io::Hdf5File::create(path);
    file.make_group("/VTKHDF");
    file.write_attribute("/VTKHDF", "Version", std::vector<std::int64_t>{1, 0});
    file.write_attribute("/VTKHDF", "Type", "UnstructuredGrid");
    const char* names[] = {"/VTKHDF/NumberOfPoints", "/VTKHDF/NumberOfCells", "/VTKHDF/NumberOfConnectivityIds"};
    for (std::size_t i = 0; i < 3; ++i)
      file.write<std::int64_t>(names[i], {1}, &counts[i]);
    if (points.size() % 3 == 0)
      file.write<double>("/VTKHDF/Points", {points.size() / 3, 3}, points.data());
    else
      file.write<double>("/VTKHDF/Points", {points.size()}, points.data());
    file.write<std::int64_t>("/VTKHDF/Connectivity", {nodes.size()}, nodes.data());
    file.write<std::int64_t>("/VTKHDF/Offsets", {offsets.size()}, offsets.data());
    file.write<std::uint8_t>("/VTKHDF/Types", {types.size()}, types.data());
    file.make_group("/VTKHDF/CellData");
    file.write<double>("/VTKHDF/CellData/region", {region.size()}, region.data());
    file.close();
  }

  std::vector<io::ImportedMesh> meshes_;
};

/// Gmsh's formats, read as in a run.
class MshTarget : public Target {
public:
  MshTarget() {
    for (const std::string& file : seed_files("tests/fuzz/corpus", ".msh"))
      seeds_.push_back(read_file(file));
  }

  std::string make(Random& random) const override {
    static const std::vector<std::string> words{"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n",
                                                "$Nodes\n",
                                                "$EndNodes\n",
                                                "$Elements\n",
                                                "$EndElements\n",
                                                "$PhysicalNames\n",
                                                "$Periodic\n",
                                                "$Comments\n",
                                                "1 2 2 1 1 1 2 3\n",
                                                "Exit;\n",
                                                "4.1 0 8\n",
                                                " ",
                                                "\"",
                                                "15",
                                                "2"};
    const std::string& seed = random.pick(seeds_);
    return seed.find('\0') == std::string::npos ? mutate_text(seed, words, random) : mutate_bytes(seed, random);
  }

  Outcome take(const std::string& input, const std::string& folder) const override {
    const std::string path = folder + "/mesh.msh";
    write_file(path, input);
    return outcome_of(io::read_mesh(file_options(path)), path);
  }

private:
  std::vector<std::string> seeds_;
};

} // namespace

std::unique_ptr<Target> make_grid_target() { return std::make_unique<GridTarget>(); }
std::unique_ptr<Target> make_own_mesh_target() { return std::make_unique<OwnMeshTarget>(); }
std::unique_ptr<Target> make_msh_target() { return std::make_unique<MshTarget>(); }

} // namespace tessera::fuzz
