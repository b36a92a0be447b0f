// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_MESH_FILES_VTKHDF_HPP
#define TESSERA_IO_MESH_FILES_VTKHDF_HPP

/// \file
/// Structure of VTKHDF unstructured grids, version 1.0, which ParaView 5.10, VTK 9.1, PyVista and later versions read;
/// with time steps version 2.0, which ParaView 5.12, VTK 9.3 and later ones read.
/// Format: docs.vtk.org, "VTKHDF file format".

#include "io/hdf5_file.hpp"

#include <string>

namespace tessera::io {

/// VTK's numbers of cell types. Quadratic ones have their mid-edge nodes after the vertices, in the order of
/// mesh::Simplex.
enum class VtkCell : std::uint8_t {
  vertex = 1,
  poly_vertex = 2,
  line = 3,
  triangle = 5,
  tetrahedron = 10,
  quadratic_edge = 21,
  quadratic_triangle = 22,
  quadratic_tetrahedron = 24
};

/// A grid of cells of one type.
struct VtkGrid {
  std::size_t n_points = 0;
  std::size_t n_cells = 0;
  std::size_t nodes_per_cell = 0;
  VtkCell type = VtkCell::triangle;
};

/// Cell type of Lagrange elements of an order (1 or 2), and its number of nodes.
VtkGrid make_vtk_grid(int dimension, int order, std::size_t n_points, std::size_t n_cells);

/// Writes the group /VTKHDF except /VTKHDF/Points and /VTKHDF/Connectivity, with empty groups PointData, CellData and
/// FieldData. A grid may have several pieces with separate points, one after the other in all data.
void write_vtkhdf_frame(Hdf5File& file, const std::vector<VtkGrid>& pieces, bool has_steps = false);

/// Rows of /VTKHDF/Points, three entries per point; the third of 2D points is 0. `point_of(i)` is the row of
/// `coordinates` ([n][dimension], m) of the piece's point i; null: the order is unchanged. The arrays must not be
/// freed.
Hdf5File::Fill<double> vtkhdf_points(int dimension, const double* coordinates, const std::int32_t* point_of = nullptr);

/// Entries of /VTKHDF/Connectivity: `cell_of(i)` is the row of `connectivity` of the piece's cell i and `number_of(n)`
/// its index of node n.
Hdf5File::Fill<std::int64_t> vtkhdf_connectivity(const VtkGrid& grid, const std::int32_t* connectivity,
                                                 const std::int32_t* cell_of = nullptr,
                                                 const std::int32_t* number_of = nullptr);

/// Writes /VTKHDF/Points and /VTKHDF/Connectivity of a grid of one piece, in the order of the arrays.
void write_vtkhdf_geometry(Hdf5File& file, const VtkGrid& grid, int dimension, const double* coordinates,
                           const std::int32_t* connectivity);

/// Writes /VTKHDF/Steps: times of one grid of `n_pieces`, with rows of point data, [n_steps * n_points], step by step;
/// those of cells, and the `static_points`, apply to all steps.
void write_vtkhdf_steps(Hdf5File& file, std::size_t n_pieces, std::size_t n_points, const std::vector<double>& times,
                        const std::vector<std::string>& point_data, const std::vector<std::string>& cell_data,
                        const std::vector<std::string>& static_points = {});

} // namespace tessera::io

#endif
