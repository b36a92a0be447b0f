// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_OUTPUT_FIELD_FILE_HPP
#define TESSERA_IO_OUTPUT_FIELD_FILE_HPP

/// \file
/// fields.vtkhdf: results on the nodes and elements, in the user's numbering, for ParaView and PyVista; or the same in
/// memory.

#include "comm/communicator.hpp"
#include "core/index.hpp"
#include "io/atomic_file.hpp"
#include "io/hdf5_file.hpp"
#include "io/mesh_files/vtkhdf.hpp"
#include "io/output/output_directory.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tessera::io {

/// Point data of grids with several points at a node: the node's index, also in other grids of the run. On a
/// distributed mesh, mid-edge nodes have indices from 2^31 on.
constexpr const char* node_numbers = "node";
/// Cell data of dg: the index of the element of which each cell is a part.
constexpr const char* element_numbers = "element";
/// Attribute of the group /VTKHDF in files of results.
constexpr const char* run_id_attribute = "RunId";
/// Attribute of the data of a field.
constexpr const char* unit_attribute = "Unit";

/// Host arrays of a Lagrange space (fe::FunctionSpace) and of the mesh's original numbering (mesh::Mesh).
struct FieldGrid {
  int dimension = 2;
  int order = 1;
  index_t n_vertices = 0; ///< nodes of the mesh; further nodes (order 2) follow
  index_t n_nodes = 0;
  index_t n_elements = 0;
  const double* coordinates = nullptr;       ///< of all nodes, m, [n_nodes][dimension]
  const index_t* element_nodes = nullptr;    ///< [n_elements][3, 6, 4 or 10]
  const index_t* original_node = nullptr;    ///< [n_vertices] or null
  const index_t* original_element = nullptr; ///< [n_elements] or null
  /// Elements to be written, with only their nodes, in this order, [n_owned_elements]; number -1: all.
  const index_t* owned_elements = nullptr;
  index_t n_owned_elements = -1;
  const std::int64_t* node_numbers = nullptr; ///< [n_nodes] of pieces with common nodes, or null
};

/// Writes one results file, or arrays in memory, of one time or of several steps on the same grid. Arrays are given in
/// Tessera's numbering and written in the user's: vertices and elements as in the mesh's source, then the mid-edge
/// nodes of quadratic cells. Vectors have 3 components in the file. The file gets its name only in close().
///
/// With several processes each contributes a piece of the grid, in Tessera's numbering (FieldGrid::owned_elements),
/// ordered by rank; all call the same functions. Rank 0, which alone has the file, receives the pieces of the others in
/// blocks and writes them.
class FieldFile {
public:
  /// n_steps: at most this many steps follow, each begun by begin_step(); 0: the fields are not time-dependent. `world`
  /// must outlive the object. `target` is used by rank 0 only.
  FieldFile(const FieldTarget& target, const FieldGrid& grid, int n_steps = 0,
            const comm::Communicator& world = comm::alone());
  /// Of a run, with its ID; `output` is null except on rank 0.
  FieldFile(const OutputDirectory* output, const FieldGrid& grid, int n_steps = 0,
            const comm::Communicator& world = comm::alone());

  /// Begins the next step, at a time in s; every step writes the same point data.
  void begin_step(double time);

  /// values: [n_nodes][components]; 1 component is a scalar, 2 or 3 make a vector. `unit` ("V/m", "": none) becomes the
  /// attribute Unit of the data (unit_attribute), which VTKHDF readers ignore.
  void write_point_data(const std::string& name, const double* values, int components = 1,
                        const std::string& unit = "");
  /// Writes integer values of nodes, with steps once for all.
  void write_point_data(const std::string& name, const index_t* values);
  void write_point_data(const std::string& name, const std::int64_t* values);
  /// values: [n_elements][components]; with steps: written once for all.
  void write_cell_data(const std::string& name, const double* values, int components = 1, const std::string& unit = "");
  /// `names` of the values 0, 1, ... become the attribute Names of the data, one per line.
  void write_cell_data(const std::string& name, const group_t* values, const std::vector<std::string>& names = {});

  /// Writes the ID of the run as run_id_attribute of the group /VTKHDF, which VTKHDF readers ignore.
  void write_run_id(const std::string& run_id);

  /// Completes and renames the file.
  void close();

private:
  /// Writes the rows of all pieces; `first` are the rows before each piece, and `fill` makes this process's rows.
  template <class T>
  void write_pieces(const std::string& dataset, const std::vector<std::size_t>& extents,
                    const std::vector<std::size_t>& first, std::size_t first_row, const Hdf5File::Fill<T>& fill);
  void write_rows(const std::string& dataset, const double* values, int components,
                  const std::vector<std::size_t>& first, const std::vector<index_t>& row_of, std::size_t step,
                  std::size_t n_steps);
  void write_unit(const std::string& dataset, const std::string& unit);
  template <class T>
  void write_numbers(const std::string& dataset, const T* values, const std::vector<std::size_t>& first,
                     const std::vector<index_t>& row_of);

  const comm::Communicator* world_;
  RunArrays* arrays_ = nullptr;
  std::optional<AtomicFile> target_; ///< on rank 0, unless everything goes to memory
  std::optional<Hdf5File> file_;
  VtkGrid grid_; // of this process
  std::size_t n_pieces_ = 0;
  std::size_t n_steps_; // maximum
  std::vector<double> times_;
  std::vector<std::string> point_data_; // names
  std::vector<std::string> static_points_;
  std::vector<std::string> cell_data_;
  std::vector<std::size_t> first_point_; // of each process, and the total
  std::vector<std::size_t> first_cell_;
  std::vector<index_t> point_of_; ///< node at each position of the file; empty: the same
  std::vector<index_t> cell_of_;
};

} // namespace tessera::io

#endif
