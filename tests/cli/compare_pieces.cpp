// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

/// \file
/// compare_pieces WHOLE PIECES N: checks that a field file in N pieces has the same elements, values, names and units
/// as a file in one piece, bit for bit. Elements are matched by the coordinates of their corners, points by their
/// positions in the elements.

#include "core/error.hpp"
#include "io/hdf5_file.hpp"
#include "io/output/field_file.hpp"

#include <algorithm>
#include <array>
#include <iostream>
#include <map>
#include <string>
#include <vector>

namespace {

using tessera::io::Hdf5File;
using Point = std::array<double, 3>;

struct Grid {
  Hdf5File file;
  std::size_t n_pieces = 0;
  std::vector<Point> points;
  std::vector<std::size_t> nodes; // of the cells, by their numbers in the file
  std::size_t width = 0;

  explicit Grid(const std::string& path) : file(Hdf5File::open(path)) {
    const auto n_points = file.read<std::int64_t>("/VTKHDF/NumberOfPoints");
    const auto n_ids = file.read<std::int64_t>("/VTKHDF/NumberOfConnectivityIds");
    const auto n_cells = file.read<std::int64_t>("/VTKHDF/NumberOfCells");
    const auto offsets = file.read<std::int64_t>("/VTKHDF/Offsets");
    const auto ids = file.read<std::int64_t>("/VTKHDF/Connectivity");
    const auto xyz = file.read<double>("/VTKHDF/Points");
    n_pieces = n_points.size();
    width = static_cast<std::size_t>(n_ids[0] / n_cells[0]);
    for (std::size_t i = 0; i + 2 < xyz.size(); i += 3)
      points.push_back({xyz[i], xyz[i + 1], xyz[i + 2]});
    std::int64_t first = 0;
    std::size_t next = 0, offset = 0;
    for (std::size_t piece = 0; piece < n_pieces; ++piece) {
      for (std::int64_t cell = 0; cell <= n_cells[piece]; ++cell, ++offset)
        TESSERA_REQUIRE(offsets.at(offset) == cell * static_cast<std::int64_t>(width), path << ": offsets");
      for (std::int64_t i = 0; i < n_ids[piece]; ++i, ++next) {
        TESSERA_REQUIRE(ids.at(next) >= 0 && ids[next] < n_points[piece], path << ": a point of another piece");
        nodes.push_back(static_cast<std::size_t>(first + ids[next]));
      }
      first += n_points[piece];
    }
    TESSERA_REQUIRE(static_cast<std::size_t>(first) == points.size() && next == ids.size() && offset == offsets.size(),
                    path << ": counts of the pieces");
  }

  std::size_t n_cells() const { return nodes.size() / width; }
  std::vector<Point> places(std::size_t cell) const {
    std::vector<Point> result;
    for (std::size_t a = 0; a < width; ++a)
      result.push_back(points[nodes[cell * width + a]]);
    return result;
  }
};

void check_row(const std::vector<double>& a, std::size_t row_a, const std::vector<double>& b, std::size_t row_b,
               std::size_t components, const std::string& what) {
  for (std::size_t c = 0; c < components; ++c)
    TESSERA_REQUIRE(a.at(row_a * components + c) == b.at(row_b * components + c),
                    what << ": " << a[row_a * components + c] << " and " << b[row_b * components + c]);
}

void compare(const Grid& whole, const Grid& pieces, std::size_t n) {
  TESSERA_REQUIRE(whole.n_pieces == 1 && pieces.n_pieces == n, pieces.n_pieces << " pieces");
  TESSERA_REQUIRE(whole.n_cells() == pieces.n_cells() && whole.width == pieces.width, "other elements");
  std::map<std::vector<Point>, std::size_t> cell_of; // cells of the file in one piece
  for (std::size_t cell = 0; cell < whole.n_cells(); ++cell)
    cell_of[whole.places(cell)] = cell;
  std::vector<std::size_t> same;
  for (std::size_t cell = 0; cell < pieces.n_cells(); ++cell) {
    const auto found = cell_of.find(pieces.places(cell));
    TESSERA_REQUIRE(found != cell_of.end(), "an element that the whole does not have, or twice");
    same.push_back(found->second);
    cell_of.erase(found);
  }
  for (const char* steps : {"Values", "PartOffsets", "PointOffsets"})
    if (const std::string data = std::string("/VTKHDF/Steps/") + steps; whole.file.exists(data))
      TESSERA_REQUIRE(whole.file.read<double>(data) == pieces.file.read<double>(data), data);
  if (pieces.file.exists("/VTKHDF/Steps/NumberOfParts"))
    for (const std::int64_t parts : pieces.file.read<std::int64_t>("/VTKHDF/Steps/NumberOfParts"))
      TESSERA_REQUIRE(parts == static_cast<std::int64_t>(n), "a step of " << parts << " parts");
  for (const std::string group : {"/VTKHDF/PointData/", "/VTKHDF/CellData/"}) {
    std::vector<std::string> names = whole.file.members(group);
    TESSERA_REQUIRE(!names.empty(), "no fields");
    for (const std::string& name : names) {
      const std::string data = group + name;
      if (name == tessera::io::node_numbers)
        continue;
      for (const char* attribute : {"Unit", "Names"})
        if (whole.file.has_attribute(data, attribute))
          TESSERA_REQUIRE(whole.file.read_text(data, attribute) == pieces.file.read_text(data, attribute), data);
      const auto a = whole.file.read<double>(data);
      const auto b = pieces.file.read<double>(data);
      const auto extents = pieces.file.extents(data);
      const std::size_t components = extents.size() > 1 ? extents[1] : 1;
      const bool is_of_cells = group == "/VTKHDF/CellData/";
      const std::size_t n_a = is_of_cells ? same.size() : whole.points.size(); // rows of one time step
      const std::size_t n_b = is_of_cells ? same.size() : pieces.points.size();
      const std::size_t n_steps = extents[0] / n_b;
      TESSERA_REQUIRE(n_steps > 0 && extents[0] == n_steps * n_b && whole.file.extents(data)[0] == n_steps * n_a,
                      data << ": " << extents[0] << " rows");
      for (std::size_t step = 0; step < n_steps; ++step)
        for (std::size_t cell = 0; cell < same.size(); ++cell) {
          if (is_of_cells)
            check_row(a, step * n_a + same[cell], b, step * n_b + cell, components, data);
          else
            for (std::size_t k = 0; k < whole.width; ++k)
              check_row(a, step * n_a + whole.nodes[same[cell] * whole.width + k], b,
                        step * n_b + pieces.nodes[cell * whole.width + k], components, data);
        }
    }
  }
  const std::vector<std::string> of_points = pieces.file.members("/VTKHDF/PointData/");
  if (std::find(of_points.begin(), of_points.end(), tessera::io::node_numbers) == of_points.end())
    return; // every element has separate points
  // Points of several elements at one position are either one point or several, in both files alike.
  const auto number = pieces.file.read<std::int64_t>(std::string("/VTKHDF/PointData/") + tessera::io::node_numbers);
  std::map<std::int64_t, Point> place_of;
  for (std::size_t i = 0; i < number.size(); ++i)
    TESSERA_REQUIRE(place_of.emplace(number[i], pieces.points[i]).first->second == pieces.points[i],
                    "node " << number[i] << " is at two places");
  std::map<Point, std::int64_t> numbers;
  for (std::size_t i = 0; i < number.size(); ++i)
    TESSERA_REQUIRE(numbers.emplace(pieces.points[i], number[i]).first->second == number[i],
                    "a node has the numbers " << number[i] << " and " << numbers[pieces.points[i]]);
}

} // namespace

int main(int argc, char** argv) {
  try {
    TESSERA_REQUIRE(argc == 4, "compare_pieces WHOLE PIECES N");
    compare(Grid(argv[1]), Grid(argv[2]), static_cast<std::size_t>(std::stoi(argv[3])));
  } catch (const std::exception& error) {
    std::cout << "compare_pieces: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
