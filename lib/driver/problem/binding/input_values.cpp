// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/problem/binding/input_values.hpp"

#include "core/error.hpp"

#include <algorithm>

namespace tessera::driver {

int find_name(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

int region_of(const io::GroupName& name, const std::vector<std::string>& regions, const char* what,
              io::InputErrors& errors, const std::string& why) {
  const int region = find_name(regions, name.name);
  const bool is_pattern = name.name.find_first_of("*?") != std::string::npos;
  if (region < 0)
    errors.add(name.where, std::string(what) + " '" + name.name + "', which is no region of the mesh" +
                               io::near_name_end(name.name, regions) + " Its regions are: " + io::joined(regions) +
                               "." + (is_pattern ? " Wildcards join regions under mesh.groups." : "") + why);
  return region;
}

physics::Expression to_expression(const io::Scalar& scalar) {
  return scalar.is_constant ? physics::Expression(scalar.value) : parse_around(scalar, scalar.text);
}

physics::Expression parse_around(const io::Scalar& value, const std::string& text) {
  try {
    return physics::Expression::parse(text);
  } catch (const Error& error) {
    throw Error(error.kind(), value.where.text() +
                                  ": what is computed of this expression exceeds a limit, so that it "
                                  "has to be simpler: " +
                                  error.what());
  }
}

} // namespace tessera::driver
