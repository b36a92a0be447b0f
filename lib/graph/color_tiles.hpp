// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_GRAPH_COLOR_TILES_HPP
#define TESSERA_GRAPH_COLOR_TILES_HPP

/// \file
/// The counting sort of elements by colour on devices: a team sorts a tile of consecutive elements in its scratch
/// memory, so that it reads and writes side by side. Private to coloring.cpp, and templates of the team so that a test
/// can run them on a host.

#include "core/parallel.hpp"
#include "graph/coloring.hpp"

namespace tessera::graph::detail {

/// What both passes work on: counts[colour][tile] is first the number of a tile's elements of that colour, then the
/// first position of these.
template <class Space> struct ColorTiles {
  static constexpr int threads = 256;
  static constexpr int items = 16; ///< consecutive elements of a thread
  static constexpr int size = threads * items;
  static constexpr int max_colors = 64;
  static constexpr int group = 8; ///< threads whose counts stay below 256 together
  static constexpr int n_groups = threads / group;

  Array<const color_t*, Space> colors;
  Array<index_t*, Space> counts; ///< [n_colors * n_tiles + 1]
  Array<index_t*, Space> elements;
  int n_colors;
  index_t n_tiles;

  KOKKOS_FUNCTION index_t begin(index_t tile) const { return tile * size; }
  KOKKOS_FUNCTION int size_of(index_t tile) const {
    const index_t left = static_cast<index_t>(colors.extent(0)) - begin(tile);
    return left < size ? static_cast<int>(left) : size;
  }
  KOKKOS_FUNCTION index_t& count(int color, index_t tile) const {
    return counts(static_cast<std::int64_t>(color) * n_tiles + tile);
  }
};

/// First pass: the number of elements of each colour in each tile.
template <class Space> struct CountTile {
  ColorTiles<Space> tiles;
  static std::size_t scratch_bytes() { return sizeof(int) * ColorTiles<Space>::max_colors + 64; }

  template <class Team> KOKKOS_FUNCTION void run(const Team& team, index_t tile) const {
    int* histogram = static_cast<int*>(team.team_shmem().get_shmem(sizeof(int) * tiles.max_colors));
    const int rank = team.team_rank();
    for (int c = rank; c < tiles.n_colors; c += team.team_size())
      histogram[c] = 0;
    team.team_barrier();
    const index_t begin = tiles.begin(tile);
    load_in_batches(
        rank, team.team_size(), tiles.size_of(tile), [&](int i) { return static_cast<int>(tiles.colors(begin + i)); },
        [&](int, int color) { Kokkos::atomic_fetch_add(histogram + color, 1); });
    team.team_barrier();
    for (int c = rank; c < tiles.n_colors; c += team.team_size())
      tiles.count(c, tile) = histogram[c];
  }
};

/// Second pass: the elements of a tile to their places, in ascending order within a colour.
template <class Space> struct PlaceTile {
  using Tiles = ColorTiles<Space>;
  Tiles tiles;

  /// Scratch memory, by its parts' order in run().
  static std::size_t scratch_bytes(int n_colors) {
    return Tiles::size * (1 + sizeof(std::uint16_t)) + n_colors * Tiles::threads +
           n_colors * Tiles::n_groups * sizeof(std::uint16_t) + 2 * n_colors * sizeof(index_t) + 256;
  }

  template <class Team> KOKKOS_FUNCTION void run(const Team& team, index_t tile) const {
    const int rank = team.team_rank();
    const int n_threads = team.team_size();
    const int n_colors = tiles.n_colors;
    const int n = tiles.size_of(tile);
    const index_t begin = tiles.begin(tile);
    auto* color = shared<unsigned char>(team, Tiles::size);
    auto* sorted = shared<std::uint16_t>(team, Tiles::size);                // positions in the tile, by colour
    auto* before = shared<unsigned char>(team, n_colors * Tiles::threads);  // in the threads of the group before
    auto* groups = shared<std::uint16_t>(team, n_colors * Tiles::n_groups); // in the groups before, colours before
    auto* first = shared<index_t>(team, n_colors);                          // of a colour, in the tile
    auto* place = shared<index_t>(team, n_colors);                          // of a colour's first, less `first`

    load_in_batches(
        rank, n_threads, n, [&](int i) { return tiles.colors(begin + i); },
        [&](int i, color_t c) { color[i] = static_cast<unsigned char>(c); });
    for (int i = rank; i < n_colors * Tiles::threads; i += n_threads)
      before[i] = 0;
    team.team_barrier();
    for (int t = rank; t < Tiles::threads; t += n_threads)
      for (int i = t * Tiles::items; i < (t + 1) * Tiles::items && i < n; ++i)
        ++before[color[i] * Tiles::threads + t];
    team.team_barrier();
    for (int i = rank; i < n_colors * Tiles::n_groups; i += n_threads) {
      int sum = 0;
      for (int t = 0; t < Tiles::group; ++t) {
        const int here = before[i * Tiles::group + t];
        before[i * Tiles::group + t] = static_cast<unsigned char>(sum);
        sum += here;
      }
      groups[i] = static_cast<std::uint16_t>(sum);
    }
    team.team_barrier();
    for (int c = rank; c < n_colors; c += n_threads) {
      int sum = 0;
      for (int g = 0; g < Tiles::n_groups; ++g) {
        const int here = groups[c * Tiles::n_groups + g];
        groups[c * Tiles::n_groups + g] = static_cast<std::uint16_t>(sum);
        sum += here;
      }
      first[c] = sum;
    }
    team.team_barrier();
    if (rank == 0) {
      index_t sum = 0;
      for (int c = 0; c < n_colors; ++c) {
        const index_t here = first[c];
        first[c] = sum;
        sum += here;
      }
    }
    team.team_barrier();
    for (int c = rank; c < n_colors; c += n_threads)
      place[c] = tiles.count(c, tile) - first[c];
    for (int t = rank; t < Tiles::threads; t += n_threads)
      for (int i = t * Tiles::items; i < (t + 1) * Tiles::items && i < n; ++i) {
        const int c = color[i];
        const int at = first[c] + groups[c * Tiles::n_groups + t / Tiles::group] + before[c * Tiles::threads + t]++;
        sorted[at] = static_cast<std::uint16_t>(i);
      }
    team.team_barrier();
    for (int at = rank; at < n; at += n_threads)
      tiles.elements(place[color[sorted[at]]] + at) = begin + sorted[at];
  }

private:
  template <class T, class Team> KOKKOS_FUNCTION static T* shared(const Team& team, int n) {
    return static_cast<T*>(team.team_shmem().get_shmem((sizeof(T) * n + 7) / 8 * 8));
  }
};

/// A pass by teams of a device.
template <class Pass, class ExecutionSpace> struct TilePass {
  Pass pass;
  using Team = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  KOKKOS_FUNCTION void operator()(const Team& team) const { pass.run(team, team.league_rank()); }
};

template <class ExecutionSpace, class Pass>
void for_each_tile(const char* label, const ExecutionSpace& exec, index_t n_tiles, std::size_t scratch_bytes,
                   const Pass& pass) {
  Kokkos::parallel_for(label,
                       Kokkos::TeamPolicy<ExecutionSpace>(exec, n_tiles, ColorTiles<ExecutionSpace>::threads)
                           .set_scratch_size(0, Kokkos::PerTeam(scratch_bytes)),
                       TilePass<Pass, ExecutionSpace>{pass});
}

} // namespace tessera::graph::detail

#endif
