// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_FEMM_PLANE_GRAPH_HPP
#define TESSERA_IO_FEMM_PLANE_GRAPH_HPP

/// \file
/// The faces into which segments and arcs divide the plane.

#include "io/femm/femm_file.hpp"

#include <array>
#include <vector>

namespace tessera::io {

using PlanePoint = std::array<double, 2>;

/// A segment, or a counterclockwise arc of at most 90 degrees.
struct PlaneCurve {
  int from = 0, to = 0;    ///< points of the graph
  double angle = 0.;       ///< of an arc, radians; 0: a segment
  PlanePoint centre{};     ///< of an arc
  double radius = 0.;      ///< of an arc
  int origin = 0;          ///< curve of the file
  int faces[2] = {-1, -1}; ///< to its left and right; -1: outside
};

/// A bounded region of the plane.
struct PlaneFace {
  /// Closed sequences of curves with the face on their left: the outline, then those of holes. Entries are
  /// 2 curve, or 2 curve + 1 if it is passed from its end to its begin.
  std::vector<std::vector<int>> loops;
  std::vector<int> inner_curves; ///< with the face on both sides
  int label = -1;                ///< of the file; -1 for a face without one
  double area = 0.;              ///< of the face, without its holes
  double diagonal = 0.;          ///< of its box
};

struct PlaneGraph {
  std::vector<PlanePoint> points; ///< those of the file, then middles of arcs
  std::vector<PlaneCurve> curves;
  std::vector<PlaneFace> faces;
  double diagonal = 0.; ///< of the drawing's box

  /// The face is part of the mesh.
  bool is_meshed(const FemmFile& file, int face) const;
};

/// Divides the plane, and assigns the labels to the faces. Throws a tessera::Error (kind input), with file and line,
/// for curves that cross, touch or coincide, for labels outside of all faces, on a curve, or in a face with another
/// label, and for faces without a label unless a label is that of all others.
PlaneGraph make_plane_graph(const FemmFile& file);

} // namespace tessera::io

#endif
