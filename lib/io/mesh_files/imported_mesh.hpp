// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_MESH_FILES_IMPORTED_MESH_HPP
#define TESSERA_IO_MESH_FILES_IMPORTED_MESH_HPP

/// \file
/// A mesh as stored in files: plain host arrays, with the dimension as a run-time value.

#include "core/index.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::io {

constexpr int max_curved_degree = 4; ///< degree of the polynomials that represent curved facets

/// Edges and facets that deviate from straight ones by less, relative to their size, are treated as straight: this
/// changes no result of a run by more, and is above the rounding of coordinates in files with eight digits or more.
constexpr double smallest_bend = 1e-6;

/// A meshed volume, surface or curve of a geometry.
struct MeshEntity {
  int dimension = 0;               ///< 3, 2 or 1
  int number = 0;                  ///< Gmsh's tag
  std::string name;                ///< in the file; empty: none
  std::vector<std::string> groups; ///< physical groups that contain it
  std::int64_t n_elements = 0;
  double measure = 0.;            ///< sum over its elements: m^3, m^2 or m
  std::array<double, 3> lowest{}; ///< corners of its bounding box, m
  std::array<double, 3> highest{};
  /// Entities of one dimension more that it bounds; for entities of the mesh's dimension: those that share a bounding
  /// entity.
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
  /// Cell of the file of each element, counted without cells of fewer dimensions, or the requested cell data
  /// (ImportRequest::cell_data), [n_elements]; empty: each element is a cell of the file.
  std::vector<index_t> cell_data;
  /// Shape of curved boundaries and interfaces, as in mesh::CurvedFacets; degree 0: unknown, or none is curved.
  int curved_degree = 0;
  std::vector<index_t> curved_facets; ///< nodes of each curved facet, [n_curved][dimension]
  std::vector<double> curved_points;  ///< m, lattice points of each curved facet,
                                      ///< [n_curved][n_curved_points()][dimension]
  /// Refinements that are missing to the sizes of elements that were requested (MeshOptions::levels).
  int levels = 0;
  /// m, bound of the bend of straight edges that is due to rounding of coordinates: used while a mesh in single
  /// precision is read, whose rounding exceeds smallest_bend in small cells.
  double coordinate_rounding = 0.;
  std::vector<std::string> region_names;
  std::vector<std::string> boundary_names;
  std::vector<MeshEntity> entities; ///< from the highest dimension to curves, each by number; if requested
  /// Notes for the user about data that the import dropped or changed.
  std::vector<std::string> notes;

  std::size_t n_nodes() const { return dimension == 0 ? 0 : coordinates.size() / static_cast<std::size_t>(dimension); }
  std::size_t n_elements() const { return regions.size(); }
  std::size_t n_facets() const { return facet_groups.size(); }
  std::size_t n_curved() const {
    return dimension == 0 ? 0 : curved_facets.size() / static_cast<std::size_t>(dimension);
  }
  /// Number of lattice points of a curved facet.
  std::size_t n_curved_points() const {
    const auto k = static_cast<std::size_t>(curved_degree);
    return dimension == 2 ? k + 1 : (k + 1) * (k + 2) / 2;
  }
};

/// Sets the coordinates (m) from three per node, [n_nodes][3] in file units; `path` names the file in messages. In 2D
/// the nodes of elements, which must be set already, must have the same z, which is dropped. Throws if a coordinate is
/// not finite.
void set_coordinates(ImportedMesh& mesh, const std::vector<double>& xyz, double scale, const std::string& path);

/// Sets coordinates that are zero up to rounding (1e-14 of the largest) to zero: geometry kernels compute the ends of
/// arcs with rounding errors, and a radius must not be negative.
void round_to_zero(ImportedMesh& mesh);

/// Sets x to 0 for nodes and curved points whose distance from the axis x = 0 is at most 1e-9 of the largest |x|: cuts
/// by OpenCASCADE leave some 1e-13, on either side of it. For axisymmetric problems, which identify nodes on the axis
/// by their radius.
void snap_to_axis(ImportedMesh& mesh);

/// Appends a facet with lattice points `points` (m, [n_curved_points()][dimension]) if it is curved: if the distance of
/// a point from its position on the flat facet exceeds smallest_bend times the facet's size and the rounding of
/// coordinates. The first call for a mesh sets its degree.
void add_curved_facet(ImportedMesh& mesh, int degree, const std::vector<index_t>& nodes,
                      const std::vector<double>& points);

/// Drops nodes that no element uses and renumbers the remaining ones in order; also drops facets with such a node, and
/// notes their groups. Returns the number of dropped nodes; groups without facets lose their names.
std::size_t drop_unused_nodes(ImportedMesh& mesh);

/// The note about a mesh of higher order, whose shape was read or not, after the nodes that are not vertices were
/// dropped.
std::string higher_order_note(const ImportedMesh& mesh, bool reads_shape, std::size_t n_dropped);

/// Reverses elements of negative measure by swapping their last two nodes (which changes no field); notes their number.
void orient_elements(ImportedMesh& mesh);

/// Throws if an element, facet or group index is out of range; `path` names the file.
void check_numbers(const ImportedMesh& mesh, const std::string& path);

} // namespace tessera::io

#endif
