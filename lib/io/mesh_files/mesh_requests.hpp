// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_MESH_FILES_MESH_REQUESTS_HPP
#define TESSERA_IO_MESH_FILES_MESH_REQUESTS_HPP

/// \file
/// What a case asks of a mesh beyond its file. Lengths are in units of the file.

#include <array>
#include <string>
#include <vector>

namespace tessera::io {

/// A group of a mesh that joins, and takes the place of, regions or boundaries.
struct NamedGroup {
  std::string name;
  std::vector<std::string> members;          ///< names; '*' stands for any text, '?' for one character
  std::vector<std::array<double, 3>> inside; ///< points of regions; z is NaN where two numbers are given
  std::vector<std::array<double, 3>> near;   ///< points near boundaries, in the same way
};

constexpr int default_gap_elements = 3; ///< across a gap, at least

/// Largest size of elements around a point.
struct LocalSize {
  std::array<double, 3> point{};
  double size = 1.;
  double radius = 0.; ///< within which it holds; from there sizes grow
};

} // namespace tessera::io

#endif
