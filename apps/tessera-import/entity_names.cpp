// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "entity_names.hpp"

#include <gmsh.h>

#include <map>
#include <utility>

namespace tessera::importer {

namespace {
std::map<std::pair<int, int>, std::string> names_of_file; // keys: (dimension, number)
}

void set_physical_names(const std::vector<io::PhysicalName>& named) {
  for (const io::PhysicalName& group : named)
    names_of_file.emplace(std::make_pair(group.dimension, group.number), group.name);
}

std::string physical_name(int dim, int tag) {
  if (const auto found = names_of_file.find({dim, tag}); found != names_of_file.end() && !found->second.empty())
    return found->second;
  std::string name;
  gmsh::model::getPhysicalName(dim, tag, name);
  return name.empty() ? std::to_string(tag) : name;
}

std::string given_name(int dim, int tag) {
  std::string name;
  gmsh::model::getEntityName(dim, tag, name);
  return name.substr(name.find_last_of('/') + 1); // npos + 1 = 0: the whole name
}

std::string entity_label(int dim, int tag) {
  const std::string name = given_name(dim, tag);
  return name.empty() ? entity_name[dim] + ("_" + std::to_string(tag)) : name;
}

} // namespace tessera::importer
