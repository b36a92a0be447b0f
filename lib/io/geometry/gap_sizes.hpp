// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_GEOMETRY_GAP_SIZES_HPP
#define TESSERA_IO_GEOMETRY_GAP_SIZES_HPP

/// \file
/// Sizes of elements that gaps between the curves or surfaces of a geometry ask for. Lengths are in its units.

#include "io/geometry/box_tree.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace tessera::io {

/// A part of a curve (2D: a segment, two corners) or of a surface (3D: a triangle).
struct GapFacet {
  std::array<std::array<double, 3>, 3> corners{};
  int entity = 0;   ///< number of the curve or surface
  double size = 0.; ///< of the elements there if gaps ask for nothing
};

/// A curve or surface.
struct GapEntity {
  int tag = 0;
  std::vector<int> ends; ///< ascending numbers of what bounds it; entities with one in common are neighbours
};

/// A part of a facet that another entity faces.
struct GapPlace {
  GapFacet facet;
  int other = 0; ///< number of the entity across
  double width = 0.;
  double size = 0.; ///< of elements at most
};

/// Finds where the entities around a region (a face in 2D, a volume in 3D) face others across it that are not their
/// neighbours: by rays into the region, straight and up to 45 degrees to the side, whose first hit is a facet within 60
/// degrees of facing back. Kept are places where the elements on one side or both are more than six times as
/// large as `elements` across the gap would be: with three, more than twice as long as the gap is wide. Forces across
/// gaps with elements below that are right to 2 %, also with a single layer of them.
/// `facets`: those around the region, without holes between them. `twice`: [n_entities], the region lies on both sides:
/// such an entity ends gaps, but none begins there.
/// `factor`: of all sizes, that the facets' are to be compared with.
std::vector<GapPlace> find_gaps(int dimension, const std::vector<GapFacet>& facets,
                                const std::vector<GapEntity>& entities, const std::vector<bool>& twice, double elements,
                                double factor);

/// A gap that keeps larger elements than asked for.
struct CoarseGap {
  int entity = 0;
  int other = 0;
  double width = 0.;
  double size = 0.; ///< of its elements
};

/// Size of elements at a point: that of the places at gaps, from which it grows with the distance.
class GapSizes {
public:
  GapSizes() = default;
  /// Makes no element smaller than what about `most_elements` in and around all gaps have.
  GapSizes(int dimension, std::vector<GapPlace> places, double most_elements);

  bool is_empty() const { return places_.empty(); }
  /// No limit: 1e22. Times the factor.
  double at(const std::array<double, 3>& point) const;
  void set_factor(double factor) { factor_ = factor; }
  /// One for each pair of entities, where the size per width is largest; the largest one first.
  const std::vector<CoarseGap>& coarse_gaps() const { return coarse_; }

private:
  int dimension_ = 2;
  double factor_ = 1.;
  std::vector<GapPlace> places_;
  BoxTree tree_;
  std::vector<double> smallest_; ///< size in each node of the tree
  std::vector<CoarseGap> coarse_;
};

} // namespace tessera::io

#endif
