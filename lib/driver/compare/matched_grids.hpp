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

/// The grid of a file of fields, in one piece or several: elements and points as rows of the data.
struct PiecedGrid {
  std::vector<std::array<double, 3>> points;
  std::vector<std::size_t> nodes; ///< points of each element, [n][width]
  std::size_t width = 0;
  std::size_t n_pieces = 0;

  explicit PiecedGrid(const io::Hdf5File& file);

  std::size_t n_cells() const { return width > 0 ? nodes.size() / width : 0; }
  std::array<double, 3> centre(std::size_t cell) const;
};

/// Number of pieces of a file of fields.
std::size_t count_pieces(const io::Hdf5File& file);

/// Rows of a grid that correspond to the rows of another grid.
struct MatchedRows {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::vector<std::size_t> points; ///< none: a point of no element
  std::vector<std::size_t> cells;
  std::string why_not; ///< if not empty, the reason: the meshes are different
};

/// Finds the elements of `of` in `in` by the positions of their nodes, which may differ by `same_place` of the mesh's
/// extent, and points through elements, as there are several points at one position where pieces meet or fields jump.
MatchedRows match_rows(const PiecedGrid& in, const PiecedGrid& of, double same_place);

} // namespace tessera::driver::detail

#endif
