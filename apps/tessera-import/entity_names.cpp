// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "entity_names.hpp"

#include <gmsh.h>

namespace tessera::importer {

std::string physical_name(int dim, int tag) {
  std::string name;
  gmsh::model::getPhysicalName(dim, tag, name);
  return name.empty() ? std::to_string(tag) : name;
}

std::string given_name(int dim, int tag) {
  std::string name;
  gmsh::model::getEntityName(dim, tag, name);
  return name.substr(name.find_last_of('/') + 1); // npos + 1 = 0
}

std::string entity_label(int dim, int tag) {
  const std::string name = given_name(dim, tag);
  return name.empty() ? entity_name[dim] + ("_" + std::to_string(tag)) : name;
}

} // namespace tessera::importer
