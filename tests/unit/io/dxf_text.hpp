// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_UNIT_IO_DXF_TEXT_HPP
#define TESSERA_TESTS_UNIT_IO_DXF_TEXT_HPP

/// \file
/// Drawings (DXF) for tests, entity by entity.

#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace tessera::test {

using DxfNumbers = std::vector<std::pair<int, double>>;

inline std::string dxf_pair(int code, const std::string& value) { return std::to_string(code) + "\n" + value + "\n"; }

inline std::string dxf_pair(int code, double value) {
  std::ostringstream text;
  text.precision(17);
  text << code << '\n' << value << '\n';
  return text.str();
}

inline std::string dxf_entity(const std::string& type, const std::string& layer, const DxfNumbers& numbers,
                              const std::string& further = "") {
  std::string text = dxf_pair(0, type) + dxf_pair(8, layer);
  for (const auto& [code, value] : numbers)
    text += dxf_pair(code, value);
  return text + further;
}

inline std::string dxf_line(const std::string& layer, double x0, double y0, double x1, double y1) {
  return dxf_entity("LINE", layer, {{10, x0}, {20, y0}, {11, x1}, {21, y1}});
}

inline std::string dxf_circle(const std::string& layer, double x, double y, double radius) {
  return dxf_entity("CIRCLE", layer, {{10, x}, {20, y}, {40, radius}});
}

/// Closed polyline around a rectangle.
inline std::string dxf_rectangle(const std::string& layer, double x0, double y0, double x1, double y1) {
  return dxf_entity("LWPOLYLINE", layer,
                    {{90, 4}, {70, 1}, {10, x0}, {20, y0}, {10, x1}, {20, y0}, {10, x1}, {20, y1}, {10, x0}, {20, y1}});
}

inline std::string dxf_text(const std::string& name, double x, double y) {
  return dxf_entity("TEXT", "labels", {{10, x}, {20, y}}, dxf_pair(1, name));
}

/// A drawing with these entities; `unit`: $INSUNITS. Other sections come before the entities.
inline std::string dxf_drawing(const std::string& entities, int unit = 6, const std::string& sections = "") {
  return dxf_pair(0, "SECTION") + dxf_pair(2, "HEADER") + dxf_pair(9, "$INSUNITS") +
         dxf_pair(70, std::to_string(unit)) + dxf_pair(0, "ENDSEC") + sections + dxf_pair(0, "SECTION") +
         dxf_pair(2, "ENTITIES") + entities + dxf_pair(0, "ENDSEC") + dxf_pair(0, "EOF");
}

} // namespace tessera::test

#endif
