// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_UNIT_IO_IMPORTED_MEASURES_HPP
#define TESSERA_TESTS_UNIT_IO_IMPORTED_MEASURES_HPP

/// \file
/// Measures and notes of imported meshes.

#include "io/mesh_files/imported_mesh.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>

namespace tessera::test {

/// Sums of the elements' signed measures by region.
inline std::vector<double> region_measures(const io::ImportedMesh& mesh) {
  std::vector<double> sums(mesh.region_names.size(), 0.);
  const std::size_t dim = static_cast<std::size_t>(mesh.dimension);
  for (std::size_t e = 0; e < mesh.n_elements(); ++e) {
    double m[3][3] = {{0., 0., 0.}, {0., 0., 0.}, {0., 0., 1.}};
    const auto node = [&](std::size_t k) { return static_cast<std::size_t>(mesh.elements[e * (dim + 1) + k]); };
    for (std::size_t k = 0; k < dim; ++k)
      for (std::size_t d = 0; d < dim; ++d)
        m[k][d] = mesh.coordinates[node(k + 1) * dim + d] - mesh.coordinates[node(0) * dim + d];
    const double determinant = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                               m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                               m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    CHECK(determinant > 0.);
    sums[mesh.regions[e]] += determinant / (dim == 2 ? 2. : 6.);
  }
  return sums;
}

/// Length of the facets of a boundary in 2D.
inline double boundary_length(const io::ImportedMesh& mesh, const std::string& name) {
  const auto group = std::find(mesh.boundary_names.begin(), mesh.boundary_names.end(), name);
  double length = 0.;
  for (std::size_t f = 0; f < mesh.n_facets(); ++f)
    if (mesh.facet_groups[f] == group - mesh.boundary_names.begin()) {
      const double* a = &mesh.coordinates[2 * static_cast<std::size_t>(mesh.facets[2 * f])];
      const double* b = &mesh.coordinates[2 * static_cast<std::size_t>(mesh.facets[2 * f + 1])];
      length += std::hypot(b[0] - a[0], b[1] - a[1]);
    }
  return length;
}

inline bool has_note(const io::ImportedMesh& mesh, const std::string& part) {
  return std::any_of(mesh.notes.begin(), mesh.notes.end(),
                     [&part](const std::string& note) { return note.find(part) != std::string::npos; });
}

} // namespace tessera::test

#endif
