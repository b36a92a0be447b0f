// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_FEMM_FEMM_FILE_HPP
#define TESSERA_IO_FEMM_FEMM_FILE_HPP

/// \file
/// Problem files of FEMM 4.2 (D. Meeker, Finite Element Method Magnetics): magnetics (.fem), electrostatics (.fee),
/// heat flow (.feh) and current flow (.fec). They are plane drawings of points, segments, arcs and block labels, with
/// properties by number.

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace tessera::io {

enum class FemmKind { magnetics, electrostatics, heat, current_flow };

/// A named property of points, curves or labels.
struct FemmProperty {
  std::string name;
  std::map<std::string, double> values;     ///< by key in lower case, "a_0"; in the file's units
  std::vector<std::array<double, 2>> table; ///< of materials: (B, H) in T and A/m, or (temperature, conductivity)
  int line = 0;

  double get(const std::string& key, double otherwise = 0.) const;
};

/// A point. In all of these, properties are numbered from 0, and -1 means none.
struct FemmPoint {
  double x = 0., y = 0.;
  int property = -1;
  int conductor = -1;
  int line = 0; ///< of the file, from 1
};

/// A segment, or an arc that runs counterclockwise.
struct FemmCurve {
  int from = 0, to = 0; ///< points, from 0
  double angle = 0.;    ///< of an arc, degrees, at most 180; 0: a segment
  double size = 0.;     ///< largest element: length, of an arc in degrees; 0 or less: not given
  int property = -1;
  int conductor = -1;
  int line = 0;
};

/// A block label: the material of the region around it.
struct FemmLabel {
  double x = 0., y = 0.;
  bool is_hole = false; ///< not meshed
  int material = -1;
  double size = 0.; ///< largest element; 0 or less: not given
  int circuit = -1;
  double direction = 0.;            ///< of the magnetisation, degrees
  std::string direction_expression; ///< instead of it; empty: not given
  int turns = 1;                    ///< negative: the other direction
  int group = 0;
  bool is_external = false; ///< in the mapped outer region of axisymmetric problems
  bool is_default = false;  ///< of all regions without a label, too
  int line = 0;
};

struct FemmFile {
  std::string path; ///< for messages
  FemmKind kind = FemmKind::magnetics;
  std::map<std::string, std::string> settings; ///< of the head, by key in lower case: "lengthunits" -> "millimeters"
  std::vector<FemmProperty> point_properties, boundaries, materials;
  std::vector<FemmProperty> circuits; ///< those of magnetics; conductors in the other physics
  std::vector<FemmPoint> points;
  std::vector<FemmCurve> curves;
  std::vector<FemmLabel> labels; ///< those of holes, too

  double number(const std::string& key, double otherwise) const; ///< a setting
  std::string text(const std::string& key) const;                ///< a setting; empty if it is not given
  bool is_axisymmetric() const { return text("problemtype") == "axisymmetric"; }
  double metres_per_unit() const;
  /// "coil.fem:12: "
  std::string at(int line) const { return path + ":" + std::to_string(line) + ": "; }
};

namespace detail {
/// An index that is not negative, for the library's containers.
inline std::size_t at(int i) { return static_cast<std::size_t>(i); }
} // namespace detail

/// The kind of problem by the ending of the name; throws for other endings.
FemmKind femm_kind_of(const std::string& path);

/// Reads the text of a problem file; `path` is used in messages. Throws a tessera::Error (kind input), with file and
/// line, for unknown keys, wrong numbers, numbers of properties and points that do not exist, and truncated files.
FemmFile read_femm_text(const std::string& text, const std::string& path);

FemmFile read_femm(const std::string& path);

} // namespace tessera::io

#endif
