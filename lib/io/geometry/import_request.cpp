// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/geometry/import_request.hpp"

#include "core/error.hpp"
#include "io/byte_stream.hpp"
#include "io/mesh_files/mesh_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>

namespace tessera::io {

namespace {
constexpr std::uint64_t request_mark = 0x3871655272737354; // to be changed with the fields below

void write_point(detail::ByteWriter& out, const std::array<double, 3>& point) {
  for (const double x : point)
    out.number(x);
}

std::array<double, 3> read_point(detail::ByteReader& in) {
  std::array<double, 3> point{};
  for (double& x : point)
    x = in.real();
  return point;
}

/// Writes values given at points, and groups.
void write_points(detail::ByteWriter& out, const ImportRequest& request) {
  out.number(static_cast<std::uint64_t>(request.refine_at.size()));
  for (const LocalSize& local : request.refine_at) {
    write_point(out, local.point);
    out.number(local.size);
    out.number(local.radius);
  }
  out.number(static_cast<std::uint64_t>(request.groups.size()));
  for (const NamedGroup& group : request.groups) {
    out.text(group.name);
    for (const std::vector<std::string>* names : {&group.members, &group.outside_of, &group.except}) {
      out.number(static_cast<std::uint64_t>(names->size()));
      for (const std::string& name : *names)
        out.text(name);
    }
    out.number(static_cast<std::uint64_t>(group.outside));
    for (const std::vector<std::array<double, 3>>* points : {&group.inside, &group.near}) {
      out.number(static_cast<std::uint64_t>(points->size()));
      for (const std::array<double, 3>& point : *points)
        write_point(out, point);
    }
  }
}

void read_points(detail::ByteReader& in, ImportRequest& request) {
  request.refine_at.resize(in.count(1));
  for (LocalSize& local : request.refine_at) {
    local.point = read_point(in);
    local.size = in.real();
    local.radius = in.real();
  }
  request.groups.resize(in.count(1));
  for (NamedGroup& group : request.groups) {
    group.name = in.text();
    for (std::vector<std::string>* names : {&group.members, &group.outside_of, &group.except}) {
      names->resize(in.count(1));
      for (std::string& name : *names)
        name = in.text();
    }
    group.outside = in.number() != 0;
    for (std::vector<std::array<double, 3>>* points : {&group.inside, &group.near}) {
      points->resize(in.count(1));
      for (std::array<double, 3>& point : *points)
        point = read_point(in);
    }
  }
}

} // namespace

std::string lower_extension(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

bool is_cad_model(const std::string& path) {
  const std::string extension = lower_extension(path);
  return extension == ".step" || extension == ".stp" || extension == ".brep";
}

void check_request(const ImportRequest& request) {
  const std::string& path = request.path;
  const std::string extension = lower_extension(path);
  std::error_code error;
  TESSERA_REQUIRE(std::filesystem::exists(path, error) && ::access(path.c_str(), R_OK) == 0,
                  "Cannot read " << path << ": there is no such file, or it may not be read.");
  TESSERA_REQUIRE(std::filesystem::is_regular_file(path, error), "Cannot read " << path << ": it is no regular file.");
  const bool is_mesh_file = extension == ".msh" || is_mesh_file_name(path);
  TESSERA_REQUIRE(request.dimension == 2 || request.dimension == 3 || (request.dimension == 0 && is_mesh_file),
                  "The dimension of a geometry's mesh must be 2 or 3, not " << request.dimension << ".");
  TESSERA_REQUIRE(request.cell_data.empty() || is_mesh_file_name(path),
                  "Cell data is read from VTKHDF files only, not from " << path << ".");
  TESSERA_REQUIRE(request.parameters.empty() || extension == ".geo",
                  "Parameters can be set only for .geo files, not for " << path << ".");
  TESSERA_REQUIRE(extension != ".dxf" || request.dimension == 2,
                  "A drawing (DXF) is plane: its mesh has 2 dimensions, not " << request.dimension << ".");
  for (const auto& [name, value] : request.parameters)
    TESSERA_REQUIRE(std::isfinite(value), "The parameter \"" << name << "\" of " << path << " is " << value
                                                             << "; only finite numbers can be set.");
  const auto is_positive = [](double value) { return value > 0. && std::isfinite(value); };
  TESSERA_REQUIRE(is_positive(request.scale) || request.scale == 0., "The mesh's scale must be a positive number.");
  TESSERA_REQUIRE(is_positive(request.size_factor), "The mesh's size factor must be a positive number.");
  TESSERA_REQUIRE(request.levels >= automatic_levels, "The number of levels of a mesh must not be negative.");
  for (const auto& [name, size] : request.sizes)
    TESSERA_REQUIRE(is_positive(size) && !is_mesh_file,
                    "The size of elements at \"" << name << "\" must be a positive number, for a geometry.");
  TESSERA_REQUIRE(std::isnan(request.join) ||
                      (request.join >= 0. && std::isfinite(request.join) && extension == ".dxf"),
                  "The distance within which ends are joined must be a positive number or 0, for a drawing.");
  TESSERA_REQUIRE(request.gap_elements >= 0, "The number of elements across a gap must not be negative.");
  for (const LocalSize& local : request.refine_at)
    TESSERA_REQUIRE(is_positive(local.size) && local.radius >= 0. && std::isfinite(local.radius) && !is_mesh_file,
                    "A size of elements around a point must be a positive number, and the radius not negative, for a "
                    "geometry.");
  TESSERA_REQUIRE(is_positive(request.time_limit), "The time limit of the mesh's reader must be a positive number.");
  TESSERA_REQUIRE(request.memory_limit >= 0. && std::isfinite(request.memory_limit),
                  "The memory limit of the mesh's reader must be a positive number.");
}

void write_request(int descriptor, const ImportRequest& request) {
  detail::ByteWriter out(descriptor, request_mark);
  out.text(request.path);
  out.number(static_cast<std::uint64_t>(request.dimension));
  out.number(static_cast<std::uint64_t>(request.parameters.size()));
  for (const auto& [name, value] : request.parameters) {
    out.text(name);
    out.number(value);
  }
  out.number(static_cast<std::uint64_t>(request.sizes.size()));
  for (const auto& [name, size] : request.sizes) {
    out.text(name);
    out.number(size);
  }
  write_points(out, request);
  out.number(request.size_factor);
  out.number(static_cast<double>(request.levels));
  out.number(static_cast<std::uint64_t>(request.gap_elements));
  out.number(request.join);
  out.number(static_cast<std::uint64_t>(request.periodic.size()));
  for (const std::string& name : request.periodic)
    out.text(name);
  out.number(request.scale);
  out.number(static_cast<std::uint64_t>(request.threads));
  out.number(static_cast<std::uint64_t>(request.allow_commands));
  out.number(static_cast<std::uint64_t>(request.curved));
  out.text(request.cell_data);
  out.number(static_cast<std::uint64_t>(request.entities));
  out.number(request.time_limit);
  out.number(request.memory_limit);
  out.finish();
}

ImportRequest read_request(int descriptor) {
  detail::ByteReader in(descriptor, request_mark, "the request");
  ImportRequest request;
  request.path = in.text();
  request.dimension = static_cast<int>(in.number());
  const std::uint64_t n_parameters = in.count(1);
  for (std::uint64_t k = 0; k < n_parameters; ++k) {
    const std::string name = in.text();
    request.parameters[name] = in.real();
  }
  const std::uint64_t n_sizes = in.count(1);
  for (std::uint64_t k = 0; k < n_sizes; ++k) {
    const std::string name = in.text();
    request.sizes[name] = in.real();
  }
  read_points(in, request);
  request.size_factor = in.real();
  request.levels = static_cast<int>(in.real());
  request.gap_elements = static_cast<int>(in.number());
  request.join = in.real();
  request.periodic.resize(in.count(1));
  for (std::string& name : request.periodic)
    name = in.text();
  request.scale = in.real();
  request.threads = static_cast<int>(in.number());
  request.allow_commands = in.number() != 0;
  request.curved = in.number() != 0;
  request.cell_data = in.text();
  request.entities = in.number() != 0;
  request.time_limit = in.real();
  request.memory_limit = in.real();
  in.finish();
  return request;
}

} // namespace tessera::io
