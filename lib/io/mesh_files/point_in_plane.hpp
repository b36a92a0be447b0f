// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_MESH_FILES_POINT_IN_PLANE_HPP
#define TESSERA_IO_MESH_FILES_POINT_IN_PLANE_HPP

#include <array>
#include <cmath>

namespace tessera::io {

/// A point of the input; if its z is NaN, because two coordinates are given, it is in the plane z = 0.
inline std::array<double, 3> in_plane_unless_given(const std::array<double, 3>& point) {
  return {point[0], point[1], std::isnan(point[2]) ? 0. : point[2]};
}

} // namespace tessera::io

#endif
