// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/field_file.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <numeric>

namespace tessera::io {

namespace {

/// Inverts `place_of`: the row at each position if row i moves to position `place_of[i]`; rows from n to n_all stay.
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

} // namespace

FieldFile::FieldFile(const std::string& path, const FieldGrid& grid, int n_steps)
    : target_(path), file_(Hdf5File::create(target_.temporary_path(), path)),
      grid_(make_vtk_grid(grid.dimension, grid.order, static_cast<std::size_t>(grid.n_nodes),
                          static_cast<std::size_t>(grid.n_elements))),
      n_steps_(static_cast<std::size_t>(n_steps)), n_nodes_(static_cast<std::size_t>(grid.n_nodes)),
      n_elements_(static_cast<std::size_t>(grid.n_elements)),
      point_of_(inverse(grid.original_node, grid.n_vertices, grid.n_nodes)),
      cell_of_(inverse(grid.original_element, grid.n_elements, grid.n_elements)) {
  write_vtkhdf_frame(file_, grid_, n_steps > 0);
  std::vector<index_t> number_of;
  if (!point_of_.empty()) {
    number_of.resize(n_nodes_);
    std::iota(number_of.begin(), number_of.end(), 0);
    std::copy_n(grid.original_node, grid.n_vertices, number_of.begin());
  }
  write_vtkhdf_geometry(file_, grid_, grid.dimension, grid.coordinates, grid.element_nodes, data_or_null(point_of_),
                        data_or_null(cell_of_), data_or_null(number_of));
}

void FieldFile::begin_step(double time) {
  TESSERA_REQUIRE(times_.size() < n_steps_, "A file of " << n_steps_ << " time steps has no place for another one.");
  times_.push_back(time);
}

void FieldFile::write_rows(const std::string& dataset, const double* values, int components, std::size_t n_rows,
                           const std::vector<index_t>& row_of, std::size_t step, std::size_t n_steps) {
  const std::size_t given = static_cast<std::size_t>(components);
  const std::size_t written = given == 1 ? 1 : 3;
  const index_t* order = data_or_null(row_of);
  const std::vector<std::size_t> extents =
      written == 1 ? std::vector<std::size_t>{n_steps * n_rows} : std::vector<std::size_t>{n_steps * n_rows, written};
  file_.write_rows<double>(dataset, extents, step * n_rows, n_rows, [=](std::size_t first, std::size_t n, double* out) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t row = order ? static_cast<std::size_t>(order[first + i]) : first + i;
      for (std::size_t c = 0; c < written; ++c)
        out[i * written + c] = c < given ? values[row * given + c] : 0.;
    }
  });
}

template <class T>
void FieldFile::write_numbers(const std::string& dataset, const T* values, std::size_t n_rows,
                              const std::vector<index_t>& row_of) {
  const index_t* order = data_or_null(row_of);
  file_.write_blocks<T>(dataset, {n_rows}, [=](std::size_t first, std::size_t n, T* out) {
    for (std::size_t i = 0; i < n; ++i)
      out[i] = values[order ? static_cast<std::size_t>(order[first + i]) : first + i];
  });
}

void FieldFile::write_point_data(const std::string& name, const double* values, int components) {
  if (times_.size() <= 1)
    point_data_.push_back(name);
  write_rows("/VTKHDF/PointData/" + name, values, components, n_nodes_, point_of_,
             times_.empty() ? 0 : times_.size() - 1, n_steps_ == 0 ? 1 : n_steps_);
}

void FieldFile::write_point_data(const std::string& name, const index_t* values) {
  point_data_.push_back(name);
  write_numbers("/VTKHDF/PointData/" + name, values, n_nodes_, point_of_);
}

void FieldFile::write_cell_data(const std::string& name, const double* values, int components) {
  cell_data_.push_back(name);
  write_rows("/VTKHDF/CellData/" + name, values, components, n_elements_, cell_of_, 0, 1);
}

void FieldFile::write_cell_data(const std::string& name, const group_t* values) {
  cell_data_.push_back(name);
  write_numbers("/VTKHDF/CellData/" + name, values, n_elements_, cell_of_);
}

void FieldFile::write_field_data(const std::string& name, const std::vector<double>& values) {
  file_.write<double>("/VTKHDF/FieldData/" + name, {values.size()}, values.data());
}

void FieldFile::write_unit(const std::string& name, const std::string& unit) {
  for (const char* group : {"/VTKHDF/PointData/", "/VTKHDF/CellData/"})
    if (!unit.empty() && file_.exists(group + name) && !file_.has_attribute(group + name, "Unit"))
      file_.write_attribute(group + name, "Unit", unit);
}

void FieldFile::write_names(const std::string& name, const std::vector<std::string>& names) {
  constexpr std::size_t most_bytes = 60000; // HDF5 keeps attributes below 64 KiB
  std::string lines;
  for (const std::string& entry : names)
    lines += entry + '\n';
  if (!lines.empty() && lines.size() < most_bytes)
    file_.write_attribute("/VTKHDF/CellData/" + name, "Names", lines);
}

void FieldFile::write_run_id(const std::string& run_id) { file_.write_attribute("/VTKHDF", run_id_attribute, run_id); }

void FieldFile::close() {
  if (n_steps_ > 0)
    write_vtkhdf_steps(file_, grid_, times_, point_data_, cell_data_);
  file_.close();
  target_.commit();
}

} // namespace tessera::io
