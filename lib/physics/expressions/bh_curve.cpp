// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "physics/expressions/bh_curve.hpp"

#include "core/error.hpp"
#include "core/parallel.hpp"

#include <algorithm>

namespace tessera::physics {

namespace {

constexpr double vacuum_reluctivity = 1. / vacuum_permeability;

/// Weighted harmonic mean of the slopes on both sides of an inner knot; h: lengths of the intervals.
double inner_slope(double h_left, double h_right, double slope_left, double slope_right) {
  const double w_left = 2. * h_right + h_left;
  const double w_right = h_right + 2. * h_left;
  return (w_left + w_right) / (w_left / slope_left + w_right / slope_right);
}

/// dH/dB at the knots of a table.
std::vector<double> knot_slopes(const BhTable& table) {
  const std::size_t n = table.size() - 1; // number of intervals
  std::vector<double> length(n);
  std::vector<double> mean(n);
  for (std::size_t k = 0; k < n; ++k) {
    length[k] = table[k + 1][1] - table[k][1];
    mean[k] = (table[k + 1][0] - table[k][0]) / length[k];
  }
  std::vector<double> slope(n + 1);
  for (std::size_t k = 1; k < n; ++k)
    slope[k] = inner_slope(length[k - 1], length[k], mean[k - 1], mean[k]);
  // Three-point formula at the end, limited for monotonicity and by the slope of vacuum, so that dH/dB does not fall
  // beyond the table.
  double end = mean[n - 1];
  if (n > 1)
    end = ((2. * length[n - 1] + length[n - 2]) * mean[n - 1] - length[n - 1] * mean[n - 2]) /
          (length[n - 1] + length[n - 2]);
  slope[n] = std::min({std::max(end, mean[n - 1] / 2.), 3. * mean[n - 1], vacuum_reluctivity});
  // The first piece is odd if slope[0] = (3 mean - slope[1]) / 2; it stays monotone and starts with a positive slope.
  slope[1] = std::min(slope[1], 2. * mean[0]);
  slope[0] = (3. * mean[0] - slope[1]) / 2.;
  return slope;
}

double energy_at(const BhPiece& piece, double t) {
  return piece.w + t * (piece.h + t * (piece.c1 / 2. + t * (piece.c2 / 3. + t * piece.c3 / 4.)));
}

} // namespace

std::vector<BhPiece> make_bh_pieces(const BhTable& table) {
  const BhTableError error = check_bh_table(table);
  TESSERA_REQUIRE(error.text.empty(), "Point " << error.point + 1 << ": " << error.text << ".");
  const std::vector<double> slope = knot_slopes(table);
  const std::size_t n = table.size() - 1;
  std::vector<BhPiece> pieces(n + 2);
  for (std::size_t k = 0; k < n; ++k) {
    const double length = table[k + 1][1] - table[k][1];
    const double mean = (table[k + 1][0] - table[k][0]) / length;
    BhPiece& piece = pieces[k];
    piece.b = table[k][1];
    piece.h = table[k][0];
    piece.c1 = slope[k];
    piece.c2 = k == 0 ? 0. : (3. * mean - 2. * slope[k] - slope[k + 1]) / length;
    piece.c3 = (slope[k] + slope[k + 1] - 2. * mean) / (length * length);
    pieces[k + 1].w = energy_at(piece, length);
  }
  // The piece in which dH/dB changes to that of vacuum, followed by vacuum.
  const double length = table[n][1] - table[n - 1][1];
  BhPiece& transition = pieces[n];
  transition.b = table[n][1];
  transition.h = table[n][0];
  transition.c1 = slope[n];
  transition.c2 = (vacuum_reluctivity - slope[n]) / (2. * length);
  BhPiece& vacuum = pieces[n + 1];
  vacuum.b = transition.b + length;
  vacuum.h = transition.h + length * (slope[n] + vacuum_reluctivity) / 2.;
  vacuum.c1 = vacuum_reluctivity;
  vacuum.w = energy_at(transition, length);
  return pieces;
}

template <class ExecutionSpace>
BhCurves<typename ExecutionSpace::memory_space> make_bh_curves(const ExecutionSpace& exec,
                                                               const std::vector<BhTable>& tables) {
  using Space = typename ExecutionSpace::memory_space;
  std::vector<BhPiece> pieces;
  std::vector<index_t> offsets{0};
  for (std::size_t c = 0; c < tables.size(); ++c) {
    const BhTableError error = check_bh_table(tables[c]);
    TESSERA_REQUIRE(error.text.empty(),
                    "B-H curve " << c + 1 << ", point " << error.point + 1 << ": " << error.text << ".");
    for (const BhPiece& piece : make_bh_pieces(tables[c]))
      pieces.push_back(piece);
    offsets.push_back(static_cast<index_t>(pieces.size()));
  }
  auto offsets_array = make_array<Array<index_t*, Space>>(exec, "physics::bh_offsets", offsets.size());
  auto pieces_array =
      make_array<Array<double * [BhPiece::n_numbers], Space>>(exec, "physics::bh_pieces", pieces.size());
  const auto offsets_host = Kokkos::create_mirror_view(HostMemory(), offsets_array);
  const auto pieces_host = Kokkos::create_mirror_view(HostMemory(), pieces_array);
  for (std::size_t c = 0; c < offsets.size(); ++c)
    offsets_host(c) = offsets[c];
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const BhPiece& piece = pieces[p];
    const double numbers[BhPiece::n_numbers] = {piece.b, piece.h, piece.c1, piece.c2, piece.c3, piece.w};
    for (int i = 0; i < BhPiece::n_numbers; ++i)
      pieces_host(p, i) = numbers[i];
  }
  Kokkos::deep_copy(exec, offsets_array, offsets_host);
  Kokkos::deep_copy(exec, pieces_array, pieces_host);
  exec.fence(); // the host copies may be freed
  BhCurves<Space> curves;
  curves.offsets = offsets_array;
  curves.pieces = pieces_array;
  return curves;
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template BhCurves<typename SPACE::memory_space> make_bh_curves<SPACE>(const SPACE&, const std::vector<BhTable>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::physics
