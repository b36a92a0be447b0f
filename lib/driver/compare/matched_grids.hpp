// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_COMPARE_MATCHED_GRIDS_HPP
#define TESSERA_DRIVER_COMPARE_MATCHED_GRIDS_HPP

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace tessera::io {
class Hdf5File;
}

namespace tessera::driver::detail {

/// The grid of a file of fields, of one piece or several: its elements and points as rows of the data.
struct PiecedGrid {
  std::vector<std::array<double, 3>> points;
  std::vector<std::size_t> nodes; ///< points of each element, [n][width]
  std::size_t width = 0;
  std::size_t n_pieces = 0;

  explicit PiecedGrid(const io::Hdf5File& file);

  std::size_t n_cells() const { return width > 0 ? nodes.size() / width : 0; }
  std::array<double, 3> centre(std::size_t cell) const;
};

/// How many pieces a file of fields has.
std::size_t count_pieces(const io::Hdf5File& file);

/// Where a grid has what is in each row of the data of another one.
struct MatchedRows {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::vector<std::size_t> points; ///< none: a point of no element
  std::vector<std::size_t> cells;
  std::string why_not; ///< not empty: they are of different meshes
};

/// Finds the elements of `of` in `in` by the places of their nodes, which may differ by `same_place` of the mesh's
/// extent, and points by elements: where pieces meet, or fields jump, there are several at one place.
MatchedRows match_rows(const PiecedGrid& in, const PiecedGrid& of, double same_place);

} // namespace tessera::driver::detail

#endif
