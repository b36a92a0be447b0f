// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/groups.hpp"

#include <algorithm>

namespace tessera::mesh::detail {

group_t find_group(const std::vector<std::string>& names, const std::string& name, const char* kind) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end())
    return static_cast<group_t>(found - names.begin());
  std::string known;
  for (const std::string& other : names)
    known += (known.empty() ? "'" : ", '") + other + "'";
  tessera::detail::throw_error(ErrorKind::input, std::string("The mesh has no ") + kind + " '" + name + "'; it has " +
                                                     (known.empty() ? "none" : known) + ".");
}

} // namespace tessera::mesh::detail
