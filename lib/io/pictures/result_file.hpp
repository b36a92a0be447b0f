// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_PICTURES_RESULT_FILE_HPP
#define TESSERA_IO_PICTURES_RESULT_FILE_HPP

#include "io/hdf5_file.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tessera::io::pictures {

/// A field of the file. A field stored both at points and in cells has both names.
struct StoredField {
  std::string name;
  bool at_points = false;
  bool of_cells = false;
  int components = 1;     ///< 3 for vectors
  std::string unit{};     ///< "": none, or not known
  bool is_phasor = false; ///< stored as two fields, NAME_real and NAME_imaginary
};

/// Simplices with values at their corners. Elements of order 2 are divided into linear ones.
struct SimplexGrid {
  int dimension = 2;
  std::vector<double> points;         ///< m, [n_points][3]
  std::vector<std::int32_t> corners;  ///< [n][dimension + 1]; points at the same position have one number
  std::vector<std::int32_t> elements; ///< [n] the element of which each simplex is a part
  std::vector<std::uint16_t> regions; ///< [n], or empty if the file does not contain them
  std::size_t size() const { return elements.size(); }
  std::size_t n_corners() const { return static_cast<std::size_t>(dimension) + 1; }
  /// Number of the region; 0 if the file does not contain it.
  std::uint16_t region(std::size_t i) const { return regions.empty() ? std::uint16_t(0) : regions[i]; }
};

/// A file of fields (fields.vtkhdf) written by a run. With several time steps the last one is used. Throws (kind input)
/// for files of another format, and (kind resource) if memory would not suffice.
class ResultFile {
public:
  explicit ResultFile(const std::string& path);

  const std::string& run_id() const { return run_id_; }
  std::optional<double> time() const { return time_; } ///< s
  const std::vector<StoredField>& fields() const { return fields_; }
  /// Null if there is no field of that name.
  const StoredField* find(const std::string& name) const;
  const SimplexGrid& grid() const { return grid_; }

  /// Values at the corners of the grid's simplices, [n][dimension + 1]: of a vector its magnitude, or its component 0,
  /// 1 or 2. Of a phasor X they are those of Re(X exp(j phase)), the phase in degrees; without a phase the square root
  /// of the sum of squares of both parts. Cell values are averaged at the points, separately for each region, weighted
  /// by volume; if regions are unknown they are constant in each cell.
  std::vector<double> values(const StoredField& field, std::optional<int> component = std::nullopt,
                             std::optional<double> phase = std::nullopt) const;

private:
  std::vector<double> stored_values(const StoredField& field, std::optional<int> component) const;
  std::vector<double> rows(const std::string& dataset, std::size_t n, std::size_t width, bool has_steps) const;

  Hdf5File file_;
  std::string run_id_;
  std::optional<double> time_;
  std::size_t step_ = 0;
  std::size_t n_points_ = 0;
  std::size_t n_cells_ = 0;
  std::vector<StoredField> fields_;
  SimplexGrid grid_;
  std::vector<std::int32_t> stored_corners_; ///< [n][dimension + 1] indices of points in the file
  std::vector<std::int32_t> cell_of_;        ///< [n]
};

} // namespace tessera::io::pictures

#endif
