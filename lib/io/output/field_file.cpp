// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/output/field_file.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace tessera::io {

namespace {

/// Inverts `place_of`: the row at each position if row i moves to position `place_of[i]`; rows from n to n_all keep
/// their positions.
std::vector<index_t> inverse(const index_t* place_of, index_t n, index_t n_all) {
  if (place_of == nullptr)
    return {};
  std::vector<index_t> row_of(static_cast<std::size_t>(n_all));
  std::iota(row_of.begin(), row_of.end(), 0);
  for (index_t i = 0; i < n; ++i)
    row_of[static_cast<std::size_t>(place_of[i])] = i;
  return row_of;
}

const index_t* data_or_null(const std::vector<index_t>& v) { return v.empty() ? nullptr : v.data(); }

/// The nodes of the written elements, ascending, and their positions in this list.
std::vector<index_t> owned_nodes(const FieldGrid& grid, std::size_t nodes_per_cell, std::vector<index_t>& number_of) {
  number_of.assign(static_cast<std::size_t>(grid.n_nodes), -1);
  for (index_t i = 0; i < grid.n_owned_elements; ++i)
    for (std::size_t a = 0; a < nodes_per_cell; ++a)
      number_of[static_cast<std::size_t>(
          grid.element_nodes[static_cast<std::size_t>(grid.owned_elements[i]) * nodes_per_cell + a])] = 0;
  std::vector<index_t> nodes;
  for (index_t n = 0; n < grid.n_nodes; ++n)
    if (index_t& number = number_of[static_cast<std::size_t>(n)]; number == 0) {
      number = static_cast<index_t>(nodes.size());
      nodes.push_back(n);
    }
  return nodes;
}

/// Exclusive prefix sums over the processes, and the total.
std::vector<std::size_t> offsets_by_rank(const comm::Communicator& world, std::size_t own) {
  std::vector<std::size_t> first{0};
  for (const std::size_t n : world.all_gather(own))
    first.push_back(first.back() + n);
  return first;
}

constexpr const char* root_group = "/VTKHDF";

/// "PointData/potential" of "/VTKHDF/PointData/potential".
std::string name_in_arrays(const std::string& dataset) { return dataset.substr(std::strlen(root_group) + 1); }

/// The array of a dataset, or null.
FieldArray* array_of(RunArrays* arrays, const std::string& dataset) {
  if (arrays == nullptr)
    return nullptr;
  const auto found = arrays->fields.find(name_in_arrays(dataset));
  return found == arrays->fields.end() ? nullptr : &found->second;
}

} // namespace

FieldFile::FieldFile(const FieldTarget& target, const FieldGrid& grid, int n_steps, const comm::Communicator& world)
    : world_(&world), arrays_(target.arrays), n_steps_(static_cast<std::size_t>(n_steps)) {
  grid_ = make_vtk_grid(grid.dimension, grid.order, static_cast<std::size_t>(grid.n_nodes),
                        static_cast<std::size_t>(grid.n_elements));
  std::vector<index_t> number_of;
  if (grid.n_owned_elements >= 0) {
    cell_of_.assign(grid.owned_elements, grid.owned_elements + grid.n_owned_elements);
    point_of_ = owned_nodes(grid, grid_.nodes_per_cell, number_of);
    grid_.n_points = point_of_.size();
    grid_.n_cells = cell_of_.size();
  } else {
    point_of_ = inverse(grid.original_node, grid.n_vertices, grid.n_nodes);
    cell_of_ = inverse(grid.original_element, grid.n_elements, grid.n_elements);
    if (!point_of_.empty()) {
      number_of.resize(grid_.n_points);
      std::iota(number_of.begin(), number_of.end(), 0);
      std::copy_n(grid.original_node, grid.n_vertices, number_of.begin());
    }
  }
  first_point_ = offsets_by_rank(world, grid_.n_points);
  first_cell_ = offsets_by_rank(world, grid_.n_cells);
  if (arrays_ != nullptr) {
    *arrays_ = {};
    arrays_->nodes_per_cell = grid_.nodes_per_cell;
  }
  if (world.is_root() && !target.path.empty()) {
    target_.emplace(target.path);
    file_.emplace(Hdf5File::create(target_->temporary_path(), target.path));
    std::vector<VtkGrid> pieces;
    for (std::size_t r = 0; r + 1 < first_cell_.size(); ++r) {
      VtkGrid piece = grid_;
      piece.n_points = first_point_[r + 1] - first_point_[r];
      piece.n_cells = first_cell_[r + 1] - first_cell_[r];
      if (piece.n_cells > 0)
        pieces.push_back(piece);
    }
    if (pieces.empty())
      pieces.push_back(grid_);
    n_pieces_ = pieces.size();
    write_vtkhdf_frame(*file_, pieces, n_steps > 0);
  }
  write_pieces<double>("/VTKHDF/Points", {first_point_.back(), 3}, first_point_, 0,
                       vtkhdf_points(grid.dimension, grid.coordinates, data_or_null(point_of_)));
  std::vector<std::size_t> first_id = first_cell_;
  for (std::size_t& first : first_id)
    first *= grid_.nodes_per_cell;
  write_pieces<std::int64_t>(
      "/VTKHDF/Connectivity", {first_id.back()}, first_id, 0,
      vtkhdf_connectivity(grid_, grid.element_nodes, data_or_null(cell_of_), data_or_null(number_of)));
}

FieldFile::FieldFile(const OutputDirectory* output, const FieldGrid& grid, int n_steps, const comm::Communicator& world)
    : FieldFile(output != nullptr ? output->fields() : FieldTarget(), grid, n_steps, world) {
  if (output != nullptr)
    write_run_id(output->run_id());
}

template <class T>
void FieldFile::write_pieces(const std::string& dataset, const std::vector<std::size_t>& extents,
                             const std::vector<std::size_t>& first, std::size_t first_row,
                             const Hdf5File::Fill<T>& fill) {
  const std::size_t row_size = extents.size() > 1 ? extents[1] : 1;
  const std::size_t row_bytes = sizeof(T) * row_size;
  const std::size_t block = Hdf5File::rows_of_block(row_bytes);
  for (int process = 0; process < world_->size(); ++process) {
    const auto r = static_cast<std::size_t>(process);
    const std::size_t n_rows = first[r + 1] - first[r];
    if (world_->is_root()) {
      const Hdf5File::Fill<T> receive = [&](std::size_t, std::size_t n, T* rows) {
        world_->exchange(nullptr, {}, reinterpret_cast<char*>(rows), {{process, 0, n * row_bytes}});
      };
      const Hdf5File::Fill<T>& rows = process == 0 ? fill : receive;
      const std::size_t begin = first_row + first[r];
      T* kept = arrays_ != nullptr ? arrays_->rows<T>(name_in_arrays(dataset), extents, begin) : nullptr;
      for (std::size_t done = 0; kept != nullptr && done < n_rows; done += block)
        rows(done, std::min(block, n_rows - done), kept + done * row_size);
      const Hdf5File::Fill<T> copy = [=](std::size_t row, std::size_t n, T* out) {
        std::copy_n(kept + row * row_size, n * row_size, out);
      };
      if (file_)
        file_->write_rows<T>(dataset, extents, begin, n_rows, kept != nullptr ? copy : rows);
    } else if (process == world_->rank()) { // the same blocks
      std::vector<T> rows(std::min(block, n_rows) * row_size);
      for (std::size_t done = 0; done < n_rows; done += block) {
        const std::size_t n = std::min(block, n_rows - done);
        fill(done, n, rows.data());
        world_->exchange(reinterpret_cast<const char*>(rows.data()), {{0, 0, n * row_bytes}}, nullptr, {});
      }
    }
  }
}

void FieldFile::begin_step(double time) {
  TESSERA_REQUIRE(times_.size() < n_steps_, "A file of " << n_steps_ << " time steps has no place for another one.");
  times_.push_back(time);
}

void FieldFile::write_rows(const std::string& dataset, const double* values, int components,
                           const std::vector<std::size_t>& first, const std::vector<index_t>& row_of, std::size_t step,
                           std::size_t n_steps) {
  const std::size_t given = static_cast<std::size_t>(components);
  const std::size_t written = given == 1 ? 1 : 3;
  const index_t* order = data_or_null(row_of);
  std::vector<std::size_t> extents{n_steps * first.back()};
  if (written > 1)
    extents.push_back(written);
  write_pieces<double>(dataset, extents, first, step * first.back(),
                       [=](std::size_t begin, std::size_t n, double* out) {
                         for (std::size_t i = 0; i < n; ++i) {
                           const std::size_t row = order ? static_cast<std::size_t>(order[begin + i]) : begin + i;
                           for (std::size_t c = 0; c < written; ++c)
                             out[i * written + c] = c < given ? values[row * given + c] : 0.;
                         }
                       });
}

template <class T>
void FieldFile::write_numbers(const std::string& dataset, const T* values, const std::vector<std::size_t>& first,
                              const std::vector<index_t>& row_of) {
  const index_t* order = data_or_null(row_of);
  write_pieces<T>(dataset, {first.back()}, first, 0, [=](std::size_t begin, std::size_t n, T* out) {
    for (std::size_t i = 0; i < n; ++i)
      out[i] = values[order ? static_cast<std::size_t>(order[begin + i]) : begin + i];
  });
}

void FieldFile::write_point_data(const std::string& name, const double* values, int components,
                                 const std::string& unit) {
  if (times_.size() <= 1)
    point_data_.push_back(name);
  write_rows("/VTKHDF/PointData/" + name, values, components, first_point_, point_of_,
             times_.empty() ? 0 : times_.size() - 1, n_steps_ == 0 ? 1 : n_steps_);
  write_unit("/VTKHDF/PointData/" + name, unit);
}

void FieldFile::write_point_data(const std::string& name, const index_t* values) {
  static_points_.push_back(name);
  write_numbers("/VTKHDF/PointData/" + name, values, first_point_, point_of_);
}

void FieldFile::write_point_data(const std::string& name, const std::int64_t* values) {
  static_points_.push_back(name);
  write_numbers("/VTKHDF/PointData/" + name, values, first_point_, point_of_);
}

void FieldFile::write_cell_data(const std::string& name, const double* values, int components,
                                const std::string& unit) {
  cell_data_.push_back(name);
  write_rows("/VTKHDF/CellData/" + name, values, components, first_cell_, cell_of_, 0, 1);
  write_unit("/VTKHDF/CellData/" + name, unit);
}

void FieldFile::write_unit(const std::string& dataset, const std::string& unit) {
  if (unit.empty() || times_.size() > 1) // written with the first step
    return;
  if (file_)
    file_->write_attribute(dataset, unit_attribute, unit);
  if (FieldArray* array = array_of(arrays_, dataset))
    array->unit = unit;
}

void FieldFile::write_cell_data(const std::string& name, const group_t* values, const std::vector<std::string>& names) {
  const std::string dataset = "/VTKHDF/CellData/" + name;
  cell_data_.push_back(name);
  write_numbers(dataset, values, first_cell_, cell_of_);
  constexpr std::size_t most_bytes = 60000; // HDF5 keeps attributes below 64 KiB
  std::string lines;
  for (const std::string& entry : names)
    lines += entry + '\n';
  if (file_ && !lines.empty() && lines.size() < most_bytes)
    file_->write_attribute(dataset, "Names", lines);
  if (FieldArray* array = array_of(arrays_, dataset))
    array->names = names;
}

void FieldFile::write_run_id(const std::string& run_id) {
  if (file_)
    file_->write_attribute(root_group, run_id_attribute, run_id);
}

void FieldFile::close() {
  if (arrays_ != nullptr)
    arrays_->times = times_;
  if (!file_)
    return;
  if (n_steps_ > 0)
    write_vtkhdf_steps(*file_, n_pieces_, first_point_.back(), times_, point_data_, cell_data_, static_points_);
  file_->close();
  target_->commit();
}

} // namespace tessera::io
