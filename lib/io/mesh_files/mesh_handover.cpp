// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/mesh_files/mesh_handover.hpp"

#include "io/byte_stream.hpp"

namespace tessera::io {

namespace {

constexpr std::uint64_t mesh_mark = 0x356873654d737354; // to be changed with the fields below
constexpr std::uint64_t is_mesh = 0;                    // else the number of an ErrorKind

void write_entities(detail::ByteWriter& out, const std::vector<MeshEntity>& entities) {
  out.number(static_cast<std::uint64_t>(entities.size()));
  for (const MeshEntity& entity : entities) {
    out.number(static_cast<std::uint64_t>(entity.dimension));
    out.number(static_cast<std::uint64_t>(entity.number));
    out.text(entity.name);
    out.texts(entity.groups);
    out.number(static_cast<std::uint64_t>(entity.n_elements));
    out.number(entity.measure);
    for (const std::array<double, 3>* corner : {&entity.lowest, &entity.highest})
      for (const double x : *corner)
        out.number(x);
    out.array(entity.neighbours);
  }
}

std::vector<MeshEntity> read_entities(detail::ByteReader& in) {
  std::vector<MeshEntity> entities(in.count(1));
  for (MeshEntity& entity : entities) {
    entity.dimension = static_cast<int>(in.number());
    entity.number = static_cast<int>(in.number());
    entity.name = in.text();
    entity.groups = in.texts();
    entity.n_elements = static_cast<std::int64_t>(in.number());
    entity.measure = in.real();
    for (std::array<double, 3>* corner : {&entity.lowest, &entity.highest})
      for (double& x : *corner)
        x = in.real();
    entity.neighbours = in.array<int>();
  }
  return entities;
}

template <class T> void write_and_free(detail::ByteWriter& out, std::vector<T>& values) {
  out.array(values);
  std::vector<T>().swap(values);
}

} // namespace

void hand_over(int descriptor, ImportedMesh&& mesh) {
  detail::ByteWriter out(descriptor, mesh_mark);
  out.number(is_mesh);
  out.number(static_cast<std::uint64_t>(mesh.dimension));
  out.texts(mesh.region_names);
  out.texts(mesh.boundary_names);
  out.texts(mesh.notes);
  write_entities(out, mesh.entities);
  write_and_free(out, mesh.coordinates);
  write_and_free(out, mesh.elements);
  write_and_free(out, mesh.regions);
  write_and_free(out, mesh.facets);
  write_and_free(out, mesh.facet_groups);
  write_and_free(out, mesh.original_node);
  write_and_free(out, mesh.original_element);
  write_and_free(out, mesh.cell_data);
  out.number(static_cast<std::uint64_t>(mesh.levels));
  out.number(static_cast<std::uint64_t>(mesh.curved_degree));
  write_and_free(out, mesh.curved_facets);
  write_and_free(out, mesh.curved_points);
  out.finish();
}

void hand_over_failure(int descriptor, ErrorKind kind, const std::string& message) {
  detail::ByteWriter out(descriptor, mesh_mark);
  out.number(static_cast<std::uint64_t>(kind));
  out.text(message);
  out.finish();
}

bool was_handed_over(int descriptor) { return detail::ByteReader::holds(descriptor, mesh_mark); }

ImportedMesh take_over(int descriptor, const std::string& path) {
  detail::ByteReader in(descriptor, mesh_mark, "the mesh of " + path + " from the program that read it");
  const std::uint64_t what = in.number();
  if (what != is_mesh) {
    const std::string message = in.text();
    in.finish();
    throw Error(what == static_cast<std::uint64_t>(ErrorKind::input) ? ErrorKind::input : ErrorKind::resource, message);
  }
  ImportedMesh mesh;
  mesh.dimension = static_cast<int>(in.number());
  mesh.region_names = in.texts();
  mesh.boundary_names = in.texts();
  mesh.notes = in.texts();
  mesh.entities = read_entities(in);
  mesh.coordinates = in.array<double>();
  mesh.elements = in.array<index_t>();
  mesh.regions = in.array<group_t>();
  mesh.facets = in.array<index_t>();
  mesh.facet_groups = in.array<group_t>();
  mesh.original_node = in.array<index_t>();
  mesh.original_element = in.array<index_t>();
  mesh.cell_data = in.array<index_t>();
  mesh.levels = static_cast<int>(in.number());
  mesh.curved_degree = static_cast<int>(in.number());
  mesh.curved_facets = in.array<index_t>();
  mesh.curved_points = in.array<double>();
  in.finish();
  const std::size_t dim = static_cast<std::size_t>(mesh.dimension);
  TESSERA_REQUIRE_KIND((dim == 2 || dim == 3) && mesh.coordinates.size() % dim == 0 &&
                           mesh.elements.size() == mesh.n_elements() * (dim + 1) &&
                           mesh.facets.size() == mesh.n_facets() * dim &&
                           (mesh.cell_data.empty() || mesh.cell_data.size() == mesh.n_elements()) &&
                           mesh.curved_facets.size() % dim == 0,
                       ErrorKind::resource, path << ": the arrays of its mesh do not fit each other.");
  check_numbers(mesh, path);
  return mesh;
}

} // namespace tessera::io
