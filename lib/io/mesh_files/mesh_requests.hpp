// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_MESH_FILES_MESH_REQUESTS_HPP
#define TESSERA_IO_MESH_FILES_MESH_REQUESTS_HPP

/// \file
/// Requests for a mesh in addition to its file. Lengths are in units of the file.

#include <array>
#include <string>
#include <vector>

namespace tessera::io {

/// A group of a mesh that joins, and replaces, regions or boundaries, or a new boundary of facets at the outside.
struct NamedGroup {
  std::string name;
  std::vector<std::string> members;          ///< names; '*' matches any text, '?' one character
  std::vector<std::array<double, 3>> inside; ///< points in regions; z is NaN if two coordinates are given
  std::vector<std::array<double, 3>> near;   ///< points near boundaries, likewise
  bool outside = false;                      ///< all facets at the outside of the mesh, or of regions
  std::vector<std::string> outside_of;       ///< names of these regions; empty: the whole mesh
  std::vector<std::string> except;           ///< names of boundaries whose facets are left out of `outside`
};

/// Stands for cell data with the number of each cell: those that are split into simplices.
constexpr const char* cells_as_elements = "cells";

constexpr int default_gap_elements = 3; ///< minimum across a gap

/// Maximum element size around a point.
struct LocalSize {
  std::array<double, 3> point{};
  double size = 1.;
  double radius = 0.; ///< within which it applies; outside it sizes grow
};

} // namespace tessera::io

#endif
