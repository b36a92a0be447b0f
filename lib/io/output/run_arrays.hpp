// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_OUTPUT_RUN_ARRAYS_HPP
#define TESSERA_IO_OUTPUT_RUN_ARRAYS_HPP

/// \file
/// The results of a run in host memory, instead of files or in addition to them.

#include "io/output/probes_file.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace tessera::io {

/// An array of fields.vtkhdf.
struct FieldArray {
  std::vector<std::size_t> extents; ///< [n_rows] or [n_rows][3], row-major
  std::variant<std::vector<double>, std::vector<std::int32_t>, std::vector<std::int64_t>, std::vector<std::uint16_t>>
      values;
  std::string unit;               ///< "V/m"; empty: none
  std::vector<std::string> names; ///< of the values of a cell field, from 0; empty: none
};

/// What a run writes to fields.vtkhdf and to its tables, with the same names, order and numbering (FieldFile).
struct RunArrays {
  /// "Points" (m, [n_points][3]), "Connectivity" ([n_cells * nodes_per_cell]), "PointData/potential", ... Fields of
  /// time-dependent problems have the rows of all steps, one step after the other.
  std::map<std::string, FieldArray> fields;
  std::size_t nodes_per_cell = 0;
  std::vector<double> times; ///< s, of the steps; empty: the problem does not depend on time
  /// Columns by name of the file: "quantities.csv" of the time steps, "centre_line.csv" of a probe.
  std::map<std::string, std::vector<TableColumn>> tables;

  /// Rows of an array, which the first call makes.
  template <class T> T* rows(const std::string& name, const std::vector<std::size_t>& extents, std::size_t first) {
    FieldArray& array = fields[name];
    if (array.extents.empty()) {
      std::size_t n = 1;
      for (const std::size_t extent : extents)
        n *= extent;
      array.extents = extents;
      array.values = std::vector<T>(n);
    }
    return std::get<std::vector<T>>(array.values).data() + first * (extents.size() > 1 ? extents[1] : 1);
  }
};

/// Where fields go: to a file, unless its path is empty, and to arrays, unless these are null; neither on processes
/// that write nothing.
struct FieldTarget {
  FieldTarget(const std::string& file = "", RunArrays* in_memory = nullptr) : path(file), arrays(in_memory) {}

  std::string path;
  RunArrays* arrays; ///< must outlive the FieldFile
};

} // namespace tessera::io

#endif
