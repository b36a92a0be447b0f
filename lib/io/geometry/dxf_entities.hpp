// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_GEOMETRY_DXF_ENTITIES_HPP
#define TESSERA_IO_GEOMETRY_DXF_ENTITIES_HPP

/// \file
/// Text of a drawing in the drawing exchange format (DXF, ASCII): pairs of a group code and a value, one per line,
/// which form records that begin with code 0.

#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tessera::io::detail {

struct DxfPair {
  int code = 0;
  std::string value;
  int line = 0; ///< of the code, from 1
};

/// An entity: a record that begins with code 0. A polyline's vertices and an insert's attributes are separate entities.
struct DxfEntity {
  std::string file; ///< for messages
  std::string type; ///< "LINE"
  int line = 0;
  std::vector<DxfPair> pairs;

  bool has(int code) const { return find(code) != nullptr; }
  std::string text(int code, const std::string& otherwise) const;
  double number(int code, double otherwise) const;
  double number(int code) const; ///< the code must be present
  int integer(int code, int otherwise) const;
  std::string layer() const { return text(8, "0"); }
  /// "drawing.dxf:31: LINE on layer 'core'"
  std::string location() const;
  /// The number in a pair; throws if it is not a finite number.
  double number_of(const DxfPair& pair) const;

private:
  const DxfPair* find(int code) const;
  const DxfPair* find_once(int code) const; ///< throws if it occurs twice with different values
};

/// Entities that a drawing inserts by name any number of times.
struct DxfBlock {
  std::array<double, 3> base{}; ///< the point that is placed at the point of insertion
  std::vector<DxfEntity> entities;
};

/// The records of a drawing as written.
struct DxfText {
  std::map<std::string, std::string> variables; ///< of the header, first values: "$INSUNITS" -> "4"
  std::set<std::string> hidden_layers;          ///< switched off or frozen
  std::map<std::string, DxfBlock> blocks;       ///< by name
  std::vector<DxfEntity> entities;              ///< outside blocks
};

/// Splits the text of a drawing into records. Throws a tessera::Error (kind input), with file and line, for binary
/// files, for anything that is not a drawing or is truncated, and for unterminated sections or blocks and duplicate
/// blocks.
DxfText split_dxf(const std::string& text, const std::string& file);

} // namespace tessera::io::detail

#endif
