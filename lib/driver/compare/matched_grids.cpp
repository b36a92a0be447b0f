// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/compare/matched_grids.hpp"

#include "core/algorithms/mix_bits.hpp"
#include "core/error.hpp"
#include "io/hdf5_file.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <unordered_map>

namespace tessera::driver::detail {

namespace {

using Place = std::array<double, 3>;

/// Width of the buckets of space in tolerances: far above the rounding of coordinates, far below the size of elements.
constexpr double tolerances_per_bucket = 1000.;

/// Elements by the bucket that contains their centre.
class Buckets {
public:
  Buckets(const PiecedGrid& grid, const Place& origin, double tolerance)
      : origin_(origin), tolerance_(tolerance), size_(tolerances_per_bucket * tolerance) {
    for (std::size_t cell = 0; cell < grid.n_cells(); ++cell)
      cells_.emplace(key(grid.centre(cell), {0, 0, 0}), cell);
  }

  /// Calls `work(cell)` for the cells that may be within the tolerance of a point, until it returns true.
  template <class Work> void visit(const Place& at, const Work& work) const {
    std::vector<std::uint64_t> seen;
    for (int corner = 0; corner < 8; ++corner) {
      const std::array<int, 3> side = {corner % 2 == 0 ? -1 : 1, corner / 2 % 2 == 0 ? -1 : 1,
                                       corner / 4 == 0 ? -1 : 1};
      const std::uint64_t bucket = key(at, side);
      if (std::find(seen.begin(), seen.end(), bucket) != seen.end())
        continue;
      seen.push_back(bucket);
      const auto range = cells_.equal_range(bucket);
      for (auto found = range.first; found != range.second; ++found)
        if (work(found->second))
          return;
    }
  }

private:
  /// Key of the point shifted by the tolerance in the given directions.
  std::uint64_t key(const Place& at, const std::array<int, 3>& side) const {
    std::uint64_t key = 1;
    for (std::size_t d = 0; d < 3; ++d)
      key = mix_bits(key ^ static_cast<std::uint64_t>(static_cast<std::int64_t>(
                               std::floor((at[d] - origin_[d] + side[d] * tolerance_) / size_)))) +
            1;
    return key;
  }

  Place origin_;
  double tolerance_;
  double size_;
  std::unordered_multimap<std::uint64_t, std::size_t> cells_;
};

bool is_near(const Place& a, const Place& b, double tolerance) {
  return std::fabs(a[0] - b[0]) <= tolerance && std::fabs(a[1] - b[1]) <= tolerance &&
         std::fabs(a[2] - b[2]) <= tolerance;
}

/// For each node of an element the node of another one at the same position; empty if one has none.
std::vector<std::size_t> nodes_at(const PiecedGrid& in, std::size_t cell, const PiecedGrid& of, std::size_t other,
                                  double tolerance) {
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < of.width; ++k)
    for (std::size_t a = 0; a < in.width && found.size() == k; ++a)
      if (is_near(in.points[in.nodes[cell * in.width + a]], of.points[of.nodes[other * of.width + k]], tolerance))
        found.push_back(in.nodes[cell * in.width + a]);
  return found.size() == of.width ? found : std::vector<std::size_t>();
}

} // namespace

std::size_t count_pieces(const io::Hdf5File& file) { return file.extents("/VTKHDF/NumberOfCells").at(0); }

PiecedGrid::PiecedGrid(const io::Hdf5File& file) : n_pieces(count_pieces(file)) {
  const auto n_points = file.read<std::int64_t>("/VTKHDF/NumberOfPoints", {n_pieces});
  const auto n_cells = file.read<std::int64_t>("/VTKHDF/NumberOfCells", {n_pieces});
  const auto n_ids = file.read<std::int64_t>("/VTKHDF/NumberOfConnectivityIds", {n_pieces});
  const auto ids = file.read<std::int64_t>("/VTKHDF/Connectivity");
  const auto xyz = file.read<double>("/VTKHDF/Points");
  for (std::size_t i = 0; i + 2 < xyz.size(); i += 3)
    points.push_back({xyz[i], xyz[i + 1], xyz[i + 2]});
  std::int64_t n_all = 0, first = 0;
  for (const std::int64_t n : n_cells)
    n_all += n;
  width = n_all > 0 ? ids.size() / static_cast<std::size_t>(n_all) : 0;
  bool is_valid = n_all > 0 && ids.size() == width * static_cast<std::size_t>(n_all);
  std::size_t next = 0;
  for (std::size_t piece = 0; is_valid && piece < n_pieces; ++piece) {
    for (std::int64_t i = 0; is_valid && i < n_ids[piece]; ++i, ++next) {
      is_valid = next < ids.size() && ids[next] >= 0 && ids[next] < n_points[piece] &&
                 static_cast<std::size_t>(first + ids[next]) < points.size();
      if (is_valid)
        nodes.push_back(static_cast<std::size_t>(first + ids[next]));
    }
    first += n_points[piece];
  }
  TESSERA_REQUIRE(is_valid && nodes.size() == ids.size(),
                  file.path() << " is not valid: the counts of its pieces do not fit its elements.");
}

std::array<double, 3> PiecedGrid::centre(std::size_t cell) const {
  Place centre{};
  for (std::size_t a = 0; a < width; ++a)
    for (std::size_t d = 0; d < 3; ++d)
      centre[d] += points[nodes[cell * width + a]][d] / static_cast<double>(width);
  return centre;
}

MatchedRows match_rows(const PiecedGrid& in, const PiecedGrid& of, double same_place) {
  MatchedRows rows;
  if (in.n_cells() != of.n_cells()) {
    rows.why_not =
        std::to_string(in.n_cells()) + " elements in the first, " + std::to_string(of.n_cells()) + " in the second";
    return rows;
  }
  if (in.width != of.width) {
    rows.why_not = "elements of another order";
    return rows;
  }
  Place low = in.points.front(), high = low;
  for (const Place& point : in.points)
    for (std::size_t d = 0; d < 3; ++d) {
      low[d] = std::min(low[d], point[d]);
      high[d] = std::max(high[d], point[d]);
    }
  const double tolerance = same_place * std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
  const Buckets buckets(in, low, tolerance);
  rows.points.assign(of.points.size(), MatchedRows::none);
  rows.cells.assign(of.n_cells(), MatchedRows::none);
  std::vector<char> is_taken(in.n_cells(), 0);
  for (std::size_t cell = 0; cell < of.n_cells(); ++cell) {
    std::vector<std::size_t> nodes;
    buckets.visit(of.centre(cell), [&](std::size_t candidate) {
      if (is_taken[candidate] == 0)
        nodes = nodes_at(in, candidate, of, cell, tolerance);
      if (nodes.empty())
        return false;
      rows.cells[cell] = candidate;
      is_taken[candidate] = 1;
      return true;
    });
    if (nodes.empty()) {
      const Place at = of.centre(cell);
      std::ostringstream text;
      text << "the first has no element like that of the second at (" << at[0] << ", " << at[1] << ", " << at[2]
           << ") m";
      rows.why_not = text.str();
      return rows;
    }
    for (std::size_t k = 0; k < of.width; ++k)
      rows.points[of.nodes[cell * of.width + k]] = nodes[k];
  }
  return rows;
}

} // namespace tessera::driver::detail
