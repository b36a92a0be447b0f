// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/mesh_files/cells_file.hpp"

#include "io/hdf5_file.hpp"

namespace tessera::io {

namespace {

void write_group_names(Hdf5File& file, const GroupNames& where,
                       const std::vector<std::pair<std::int64_t, std::string>>& groups) {
  if (groups.empty())
    return;
  std::vector<std::int64_t> number;
  std::vector<std::string> name;
  for (const auto& group : groups) {
    number.push_back(group.first);
    name.push_back(group.second);
  }
  file.write<std::int64_t>(where.numbers, {number.size()}, number.data());
  file.write_strings(where.names, name);
}

} // namespace

void write_cells_file(const std::string& path, const GivenCells& cells) {
  Hdf5File file = Hdf5File::create(path);
  for (const char* group : {"/VTKHDF", "/VTKHDF/CellData", "/VTKHDF/FieldData"})
    file.make_group(group);
  file.write_attribute("/VTKHDF", "Version", std::vector<std::int64_t>{1, 0});
  file.write_attribute("/VTKHDF", "Type", "UnstructuredGrid");
  const auto write_count = [&](const char* name, std::size_t n) {
    const auto count = static_cast<std::int64_t>(n);
    file.write<std::int64_t>(name, {1}, &count);
  };
  write_count("/VTKHDF/NumberOfPoints", cells.n_points);
  write_count("/VTKHDF/NumberOfCells", cells.types.size());
  write_count("/VTKHDF/NumberOfConnectivityIds", cells.connectivity.size());
  file.write<double>("/VTKHDF/Points", {cells.n_points, 3}, cells.points);
  file.write<std::uint8_t>("/VTKHDF/Types", {cells.types.size()}, cells.types.data());
  file.write<std::int64_t>("/VTKHDF/Offsets", {cells.offsets.size()}, cells.offsets.data());
  file.write<std::int64_t>("/VTKHDF/Connectivity", {cells.connectivity.size()}, cells.connectivity.data());
  file.write<double>("/VTKHDF/CellData/region", {cells.numbers.size()}, cells.numbers.data());
  write_group_names(file, names_of_regions, cells.regions);
  write_group_names(file, names_of_boundaries, cells.boundaries);
  file.close();
}

} // namespace tessera::io
