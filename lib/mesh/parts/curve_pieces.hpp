// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_PARTS_CURVE_PIECES_HPP
#define TESSERA_MESH_PARTS_CURVE_PIECES_HPP

/// \file
/// Pieces of a space-filling curve, to find items on it in few steps.

#include "core/algorithms/lower_bound.hpp"
#include "core/parallel.hpp"
#include "mesh/parts/part_selection.hpp"

namespace tessera::mesh {

/// Pieces of the curve, so that a search for a position among ascending ones starts close to its result: [first, end)
/// in pieces of 2^shift positions, with all earlier positions in the first piece and all later ones in the last.
template <class Space> struct CurvePieces {
  std::uint64_t first;
  std::uint64_t end;
  int shift;
  Array<const index_t*, Space> starts; // first item of each piece, and the number of items

  KOKKOS_FUNCTION index_t piece(std::uint64_t position) const {
    if (position < first)
      return 0;
    return static_cast<index_t>(((position < end ? position : end - 1) - first) >> shift) + (position < end ? 1 : 2);
  }
};

namespace detail {
template <class Space> struct FindStarts {
  Array<const std::uint64_t*, Space> positions;
  index_t n;
  CurvePieces<Space> pieces;
  Array<index_t*, Space> starts;
  KOKKOS_FUNCTION void operator()(index_t piece) const {
    std::uint64_t lowest = piece == 0 ? 0 : pieces.first + (static_cast<std::uint64_t>(piece - 1) << pieces.shift);
    lowest = lowest < pieces.end ? lowest : pieces.end;
    starts(piece) = lower_bound(positions, index_t(0), n, lowest);
    if (piece == pieces.piece(pieces.end))
      starts(piece + 1) = n;
  }
};

} // namespace detail

/// Cuts [first, end) into at most one piece more than half the number of positions.
template <class ExecutionSpace>
CurvePieces<typename ExecutionSpace::memory_space>
cut_into_pieces(const ExecutionSpace& exec, const Array<const std::uint64_t*, ExecutionSpace>& positions, index_t n,
                std::uint64_t first, std::uint64_t end) {
  using Space = typename ExecutionSpace::memory_space;
  CurvePieces<Space> pieces{first, end, 0, {}};
  while ((end - first) >> pieces.shift > static_cast<std::uint64_t>(n) / 2)
    ++pieces.shift;
  const index_t n_pieces = pieces.piece(end) + 1;
  const auto starts = make_array<Array<index_t*, Space>>(exec, "mesh::starts_on_curve", n_pieces + 1);
  for_each("tessera::mesh::starts_on_curve", exec, n_pieces, detail::FindStarts<Space>{positions, n, pieces, starts});
  pieces.starts = starts;
  return pieces;
}

} // namespace tessera::mesh

#endif
