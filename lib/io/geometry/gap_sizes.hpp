// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_GEOMETRY_GAP_SIZES_HPP
#define TESSERA_IO_GEOMETRY_GAP_SIZES_HPP

/// \file
/// Element sizes required by gaps between the curves or surfaces of a geometry. Lengths are in units of the geometry.

#include "io/geometry/box_tree.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace tessera::io {

/// A part of a curve (2D: a segment, two corners) or of a surface (3D: a triangle).
struct GapFacet {
  std::array<std::array<double, 3>, 3> corners{};
  int entity = 0;   ///< number of the curve or surface
  double size = 0.; ///< element size there without gaps
};

/// A curve or surface.
struct GapEntity {
  int tag = 0;
  std::vector<int> ends; ///< ascending numbers of the bounding entities; entities that share one are neighbours
};

/// A part of a facet that faces another entity across a gap.
struct GapPlace {
  GapFacet facet;
  int other = 0; ///< number of the entity across
  double width = 0.;
  double size = 0.; ///< maximum element size
};

/// Finds where the entities around a region (a face in 2D, a volume in 3D) face other entities across it that are not
/// their neighbours: by rays into the region, straight and at up to 45 degrees, whose first hit is a facet within 60
/// degrees of facing back. The result has the places where the elements on one side or both are more than six times as
/// large as `elements` across the gap would be: with three, more than twice as long as the gap is wide. Forces across
/// gaps with smaller elements are accurate to 2 %, even with a single layer of them.
/// `facets`: those around the region, without holes between them. `twice`: [n_entities], the region is on both sides:
/// such an entity ends gaps, but no gap begins there.
/// `factor`: factor on all sizes before the comparison.
std::vector<GapPlace> find_gaps(int dimension, const std::vector<GapFacet>& facets,
                                const std::vector<GapEntity>& entities, const std::vector<bool>& twice, double elements,
                                double factor);

/// A gap whose elements remain larger than requested.
struct CoarseGap {
  int entity = 0;
  int other = 0;
  double width = 0.;
  double size = 0.; ///< of its elements
};

/// Element size at a point: that of the places at gaps, growing with the distance from them.
class GapSizes {
public:
  GapSizes() = default;
  /// Limits the sizes so that there are about `most_elements` elements in and around all gaps.
  GapSizes(int dimension, std::vector<GapPlace> places, double most_elements);

  bool is_empty() const { return places_.empty(); }
  /// Size at a point, times the factor; 1e22: no limit.
  double at(const std::array<double, 3>& point) const;
  void set_factor(double factor) { factor_ = factor; }
  /// One for each pair of entities, at the largest size per width; sorted, largest first.
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
