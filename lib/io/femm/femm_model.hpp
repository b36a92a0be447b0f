// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_FEMM_FEMM_MODEL_HPP
#define TESSERA_IO_FEMM_FEMM_MODEL_HPP

/// \file
/// A problem of FEMM in terms of a case: named regions and boundaries.

#include "io/femm/femm_file.hpp"
#include "io/femm/plane_graph.hpp"

#include <array>
#include <set>
#include <string>
#include <vector>

namespace tessera::io {

struct FemmRegion {
  std::string name;
  std::vector<int> faces;
  int label = -1;   ///< the first of its labels
  double size = 0.; ///< largest element, in the file's units
};

/// Curves of one boundary property or conductor.
struct FemmBoundary {
  std::string name;
  std::vector<int> curves; ///< of the graph
  int property = -1;
  bool is_conductor = false;
  bool is_inside = false; ///< in part between two regions
};

/// Two boundaries, the second of which is the image of the first under a rotation or translation.
struct FemmPair {
  int boundary = 0, image = 0; ///< of the model; with as many curves in corresponding order
  bool is_anti = false;
  double angle = 0.;   ///< degrees; 0: a translation
  PlanePoint centre{}; ///< of a rotation, in the file's units
  PlanePoint shift{};  ///< of a translation
};

struct FemmModel {
  FemmFile file;
  PlaneGraph graph;
  std::vector<FemmRegion> regions;
  std::vector<FemmBoundary> boundaries;
  std::vector<FemmPair> pairs;
  std::vector<std::string> notes;   ///< on what has no counterpart and does not change the results
  std::vector<std::string> refused; ///< reasons why there is no case with the same results
  std::set<std::string> names;      ///< of regions and boundaries

  const FemmLabel& label_of(const FemmRegion& region) const {
    return file.labels[static_cast<std::size_t>(region.label)];
  }
  const FemmProperty& material_of(const FemmRegion& region) const {
    return file.materials[static_cast<std::size_t>(label_of(region).material)];
  }
  double metres(double length) const { return length * file.metres_per_unit(); }
  double depth() const; ///< metres
  /// The type of boundary properties that are periodic; the next one is antiperiodic.
  int periodic_type() const {
    return file.kind == FemmKind::electrostatics || file.kind == FemmKind::current_flow ? 3 : 4;
  }
  double frequency() const;
  /// Adds to `refused`: "coil.fem:12: reason".
  void refuse(int line, const std::string& reason) { refused.push_back(file.at(line) + reason); }
};

/// A number to 14 digits: without the rounding errors of a change of units.
std::string femm_number(double value);

/// A name of letters, digits, '_' and '-' that starts with a letter and is not in `used`, which gets it.
std::string femm_name(const std::string& text, std::set<std::string>& used);

/// Divides the plane of a problem and names its regions and boundaries. Throws as make_plane_graph().
FemmModel make_femm_model(const FemmFile& file);

/// The sections of a case below `problem`, in YAML, indented by two blanks. They add to notes and refused reasons.
std::string femm_materials(FemmModel& model); ///< materials, sources, coils; with B-H curves
std::string femm_boundaries(FemmModel& model);
std::string femm_point_sources(FemmModel& model);

} // namespace tessera::io

#endif
