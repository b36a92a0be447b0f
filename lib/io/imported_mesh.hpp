// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_IMPORTED_MESH_HPP
#define TESSERA_IO_IMPORTED_MESH_HPP

/// \file
/// A mesh as files hold it: plain host arrays and a dimension that only the run knows.

#include "core/index.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::io {

constexpr int max_curved_degree = 4; ///< of the polynomials that stand for curved facets

/// Edges and facets that differ by less from straight ones, in their own size, are straight: it changes no number of a
/// run by more, and is above the rounding of coordinates that files give with eight digits or more.
constexpr double smallest_bend = 1e-6;

/// A volume, surface or curve of a geometry, meshed.
struct MeshEntity {
  int dimension = 0;               ///< of it: 3, 2 or 1
  int number = 0;                  ///< Gmsh's tag
  std::string name;                ///< that the file gives it; empty: none
  std::vector<std::string> groups; ///< physical groups that it is in
  std::int64_t n_elements = 0;
  double measure = 0.;            ///< of its elements: m^3, m^2 or m
  std::array<double, 3> lowest{}; ///< corners of its box, m
  std::array<double, 3> highest{};
  /// Entities of one dimension more that it bounds; of the mesh's dimension: those that share an entity that bounds it.
  std::vector<int> neighbours;
};

/// The arrays of mesh::Mesh with the dimension as a value; the same meaning, order and numbering.
struct ImportedMesh {
  int dimension = 0;
  std::vector<double> coordinates;       ///< m, [n_nodes][dimension]
  std::vector<index_t> elements;         ///< [n_elements][dimension + 1]
  std::vector<group_t> regions;          ///< [n_elements]
  std::vector<index_t> facets;           ///< [n_facets][dimension]
  std::vector<group_t> facet_groups;     ///< [n_facets]
  std::vector<index_t> original_node;    ///< [n_nodes] or empty
  std::vector<index_t> original_element; ///< [n_elements] or empty
  /// Shape of curved boundaries and interfaces, as mesh::CurvedFacets has it; degree 0: not known, or none is curved.
  int curved_degree = 0;
  std::vector<index_t> curved_facets; ///< nodes of each, [n_curved][dimension]
  std::vector<double> curved_points;  ///< m, lattice points of each, [n_curved][n_curved_points()][dimension]
  /// m, by how much the rounding of coordinates may bend what is straight: while a mesh is read that is given in single
  /// precision, whose rounding exceeds smallest_bend where cells are small.
  double coordinate_rounding = 0.;
  std::vector<std::string> region_names;
  std::vector<std::string> boundary_names;
  std::vector<MeshEntity> entities; ///< from the highest dimension to curves, each by number; where they are asked for
  /// Notes for the user about what the import dropped or changed.
  std::vector<std::string> notes;

  std::size_t n_nodes() const { return dimension == 0 ? 0 : coordinates.size() / static_cast<std::size_t>(dimension); }
  std::size_t n_elements() const { return regions.size(); }
  std::size_t n_facets() const { return facet_groups.size(); }
  std::size_t n_curved() const {
    return dimension == 0 ? 0 : curved_facets.size() / static_cast<std::size_t>(dimension);
  }
  /// Lattice points of a curved facet.
  std::size_t n_curved_points() const {
    const auto k = static_cast<std::size_t>(curved_degree);
    return dimension == 2 ? k + 1 : (k + 1) * (k + 2) / 2;
  }
};

/// Sets the coordinates (m) from three per node, [n_nodes][3] in file units; `path` names the file in messages. In 2D
/// the nodes of elements, which must be set already, must share one z, and z is dropped. Throws when a coordinate is
/// not finite.
void set_coordinates(ImportedMesh& mesh, const std::vector<double>& xyz, double scale, const std::string& path);

/// Sets coordinates to 0 that are 0 but for rounding (1e-14 of the largest): a geometry's kernel computes the ends of
/// arcs, and a radius must not be negative.
void round_to_zero(ImportedMesh& mesh);

/// Sets x of nodes and curved points within 1e-9 of the largest |x| of the axis x = 0 to 0: cuts of OpenCASCADE's leave
/// some 1e-13, on either side of it. For axisymmetric problems, which know a node of the axis by its radius.
void snap_to_axis(ImportedMesh& mesh);

/// Appends a facet with lattice points `points` (m, [n_curved_points()][dimension]) if it is curved: if a point is
/// further from where it is on the flat facet than smallest_bend times the facet's size and the rounding of
/// coordinates. The first call for a mesh sets its degree.
void add_curved_facet(ImportedMesh& mesh, int degree, const std::vector<index_t>& nodes,
                      const std::vector<double>& points);

/// Drops nodes that no element uses and renumbers the rest in order; also drops facets with such a node, and a note
/// names their groups. Returns the number of dropped nodes; groups without facets lose their names.
std::size_t drop_unused_nodes(ImportedMesh& mesh);

/// What is told of a mesh of higher order, whose shape was read or not, after the nodes that no vertex is were dropped.
std::string higher_order_note(const ImportedMesh& mesh, bool reads_shape, std::size_t n_dropped);

/// Reverses elements of negative measure by swapping their last two nodes (changes no field); notes how many.
void orient_elements(ImportedMesh& mesh);

/// Throws when an element, facet or group number is out of range; `path` names the file.
void check_numbers(const ImportedMesh& mesh, const std::string& path);

} // namespace tessera::io

#endif
