// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_GEOMETRY_DXF_ENTITIES_HPP
#define TESSERA_IO_GEOMETRY_DXF_ENTITIES_HPP

/// \file
/// Text of a drawing in the drawing exchange format (DXF, ASCII): pairs of a group code and a value, a line each, which
/// form records that begin with code 0.

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

/// An entity: what begins with a code 0. A polyline's vertices and an insert's attributes are entities of their own.
struct DxfEntity {
  std::string file; ///< for messages
  std::string type; ///< "LINE"
  int line = 0;
  std::vector<DxfPair> pairs;

  bool has(int code) const { return find(code) != nullptr; }
  std::string text(int code, const std::string& otherwise) const;
  double number(int code, double otherwise) const;
  double number(int code) const; ///< of a code that must be there
  int integer(int code, int otherwise) const;
  std::string layer() const { return text(8, "0"); }
  /// "drawing.dxf:31: LINE on layer 'core'"
  std::string place() const;
  /// The number that a pair holds; an error if it is none, or not finite.
  double number_of(const DxfPair& pair) const;

private:
  const DxfPair* find(int code) const;
  const DxfPair* find_once(int code) const; ///< an error where it is there twice, with two values
};

/// Entities that a drawing inserts by name, as often as it likes.
struct DxfBlock {
  std::array<double, 3> base{}; ///< what comes to lie at the point of insertion
  std::vector<DxfEntity> entities;
};

/// What a drawing holds, as it is written.
struct DxfText {
  std::map<std::string, std::string> variables; ///< of the header, first values: "$INSUNITS" -> "4"
  std::set<std::string> hidden_layers;          ///< switched off or frozen
  std::map<std::string, DxfBlock> blocks;       ///< by name
  std::vector<DxfEntity> entities;              ///< of the drawing itself
};

/// Splits the text of a drawing. Throws tessera::Error (kind input), with file and line, for binary files and what is
/// no drawing, is cut off, or has sections or blocks that are not ended, or a block twice.
DxfText split_dxf(const std::string& text, const std::string& file);

} // namespace tessera::io::detail

#endif
