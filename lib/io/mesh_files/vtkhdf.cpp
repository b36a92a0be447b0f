// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/mesh_files/vtkhdf.hpp"

#include <algorithm>

namespace tessera::io {

VtkGrid make_vtk_grid(int dimension, int order, std::size_t n_points, std::size_t n_cells) {
  VtkGrid grid;
  grid.n_points = n_points;
  grid.n_cells = n_cells;
  if (dimension == 2) {
    grid.type = order == 1 ? VtkCell::triangle : VtkCell::quadratic_triangle;
    grid.nodes_per_cell = order == 1 ? 3 : 6;
  } else {
    grid.type = order == 1 ? VtkCell::tetrahedron : VtkCell::quadratic_tetrahedron;
    grid.nodes_per_cell = order == 1 ? 4 : 10;
  }
  return grid;
}

void write_vtkhdf_frame(Hdf5File& file, const std::vector<VtkGrid>& pieces, bool has_steps) {
  file.make_group("/VTKHDF");
  file.write_attribute("/VTKHDF", "Version", std::vector<std::int64_t>{has_steps ? 2 : 1, 0});
  file.write_attribute("/VTKHDF", "Type", "UnstructuredGrid");
  std::vector<std::int64_t> points, cells, ids;
  std::size_t n_cells = 0;
  for (const VtkGrid& piece : pieces) {
    points.push_back(static_cast<std::int64_t>(piece.n_points));
    cells.push_back(static_cast<std::int64_t>(piece.n_cells));
    ids.push_back(static_cast<std::int64_t>(piece.n_cells * piece.nodes_per_cell));
    n_cells += piece.n_cells;
  }
  file.write<std::int64_t>("/VTKHDF/NumberOfPoints", {pieces.size()}, points.data());
  file.write<std::int64_t>("/VTKHDF/NumberOfCells", {pieces.size()}, cells.data());
  file.write<std::int64_t>("/VTKHDF/NumberOfConnectivityIds", {pieces.size()}, ids.data());
  std::size_t first_row = 0;
  for (const VtkGrid& piece : pieces) { // the offsets of each begin with 0
    file.write_rows<std::int64_t>("/VTKHDF/Offsets", {n_cells + pieces.size()}, first_row, piece.n_cells + 1,
                                  [&piece](std::size_t first, std::size_t n_rows, std::int64_t* offset) {
                                    for (std::size_t i = 0; i < n_rows; ++i)
                                      offset[i] = static_cast<std::int64_t>((first + i) * piece.nodes_per_cell);
                                  });
    first_row += piece.n_cells + 1;
  }
  file.write_blocks<std::uint8_t>("/VTKHDF/Types", {n_cells},
                                  [&pieces](std::size_t, std::size_t n_rows, std::uint8_t* type) {
                                    std::fill_n(type, n_rows, static_cast<std::uint8_t>(pieces.front().type));
                                  });
  for (const char* group : {"/VTKHDF/PointData", "/VTKHDF/CellData", "/VTKHDF/FieldData"})
    file.make_group(group);
}

Hdf5File::Fill<double> vtkhdf_points(int dimension, const double* coordinates, const std::int32_t* point_of) {
  const std::size_t dim = static_cast<std::size_t>(dimension);
  return [=](std::size_t first, std::size_t n_rows, double* xyz) {
    for (std::size_t i = 0; i < n_rows; ++i) {
      const std::size_t row = point_of ? static_cast<std::size_t>(point_of[first + i]) : first + i;
      for (std::size_t d = 0; d < 3; ++d)
        xyz[3 * i + d] = d < dim ? coordinates[row * dim + d] : 0.;
    }
  };
}

Hdf5File::Fill<std::int64_t> vtkhdf_connectivity(const VtkGrid& grid, const std::int32_t* connectivity,
                                                 const std::int32_t* cell_of, const std::int32_t* number_of) {
  const std::size_t width = grid.nodes_per_cell;
  return [=](std::size_t first, std::size_t n_rows, std::int64_t* out) {
    std::size_t cell = first / width, k = first % width;
    for (std::size_t i = 0; i < n_rows; ++i) {
      const std::size_t row = cell_of ? static_cast<std::size_t>(cell_of[cell]) : cell;
      const std::int32_t node = connectivity[row * width + k];
      out[i] = number_of ? number_of[node] : node;
      if (++k == width) {
        k = 0;
        ++cell;
      }
    }
  };
}

void write_vtkhdf_geometry(Hdf5File& file, const VtkGrid& grid, int dimension, const double* coordinates,
                           const std::int32_t* connectivity) {
  file.write_blocks<double>("/VTKHDF/Points", {grid.n_points, 3}, vtkhdf_points(dimension, coordinates));
  file.write_blocks<std::int64_t>("/VTKHDF/Connectivity", {grid.n_cells * grid.nodes_per_cell},
                                  vtkhdf_connectivity(grid, connectivity));
}

void write_vtkhdf_steps(Hdf5File& file, std::size_t n_pieces, std::size_t n_points, const std::vector<double>& times,
                        const std::vector<std::string>& point_data, const std::vector<std::string>& cell_data,
                        const std::vector<std::string>& static_points) {
  const std::size_t n = times.size();
  file.make_group("/VTKHDF/Steps");
  file.write_attribute("/VTKHDF/Steps", "NSteps", std::vector<std::int64_t>{static_cast<std::int64_t>(n)});
  file.write<double>("/VTKHDF/Steps/Values", {n}, times.data());
  const auto write = [&](const std::string& name, std::size_t stride, std::int64_t first = 0, bool is_table = false) {
    std::vector<std::int64_t> values;
    for (std::size_t k = 0; k < n; ++k)
      values.push_back(first + static_cast<std::int64_t>(k * stride));
    const std::vector<std::size_t> extents = is_table ? std::vector<std::size_t>{n, 1} : std::vector<std::size_t>{n};
    file.write<std::int64_t>("/VTKHDF/Steps/" + name, extents, values.data());
  };
  write("NumberOfParts", 0, static_cast<std::int64_t>(n_pieces));
  write("PartOffsets", 0);
  write("PointOffsets", 0);
  write("CellOffsets", 0, 0, true);
  write("ConnectivityIdOffsets", 0, 0, true);
  for (const char* group : {"PointDataOffsets", "CellDataOffsets"})
    file.make_group(std::string("/VTKHDF/Steps/") + group);
  for (const std::string& name : point_data)
    write("PointDataOffsets/" + name, n_points);
  for (const std::string& name : static_points)
    write("PointDataOffsets/" + name, 0);
  for (const std::string& name : cell_data)
    write("CellDataOffsets/" + name, 0);
}

} // namespace tessera::io
