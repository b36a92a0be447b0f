// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/materials/material_patterns.hpp"

#include "io/input/input_text.hpp"
#include "io/input/map_reader.hpp"
#include "io/input/named_groups.hpp"
#include "io/input/resolved.hpp"

#include <algorithm>

namespace tessera::io {

bool is_pattern(const std::string& name) { return name.find_first_of("*?") != std::string::npos; }

bool is_listed(const std::vector<std::string>& list, const std::string& name) {
  return std::any_of(list.begin(), list.end(), [&](const std::string& entry) {
    return entry == name || (is_pattern(entry) && fits(entry, name));
  });
}

namespace {

void leave_out_coils(ProblemOptions& problem) {
  NameSet stranded;
  for (const CoilInput& coil : problem.coils)
    for (const CoilSide& side : coil.sides)
      stranded.add(side.region.name);
  for (Material& material : problem.materials)
    if (stranded.has(material.region.name))
      material.conductivity = 0.;
}

} // namespace

void spread_materials(ProblemOptions& problem, const std::vector<std::string>& regions) {
  std::vector<Material> materials;
  std::vector<const Material*> patterns;
  for (const Material& material : problem.materials)
    if (is_pattern(material.region.name) &&
        std::find(regions.begin(), regions.end(), material.region.name) == regions.end())
      patterns.push_back(&material);
    else
      materials.push_back(material);
  if (patterns.empty())
    return leave_out_coils(problem);
  InputErrors errors;
  for (const Material* pattern : patterns)
    if (std::none_of(regions.begin(), regions.end(),
                     [&](const std::string& region) { return fits(pattern->region.name, region); }))
      errors.add(pattern->region.where, "'" + printable(pattern->region.name) +
                                            "' fits no region of the mesh. Its regions are: " + joined(regions) + ".");
  const std::size_t n_owned = materials.size();
  for (const std::string& region : regions) {
    if (std::any_of(materials.begin(), materials.begin() + static_cast<std::ptrdiff_t>(n_owned),
                    [&](const Material& material) { return material.region.name == region; }))
      continue;
    const Material* taken = nullptr;
    for (const Material* pattern : patterns) {
      if (!fits(pattern->region.name, region))
        continue;
      if (taken == nullptr)
        taken = pattern;
      else if (material_text(*taken, problem.physics) != material_text(*pattern, problem.physics))
        errors.add(pattern->region.where,
                   "region '" + printable(region) + "' fits '" + printable(pattern->region.name) + "' and '" +
                       printable(taken->region.name) + "', whose materials differ. Give it a separate entry.");
    }
    if (taken != nullptr) {
      materials.push_back(*taken);
      materials.back().region.name = region;
    }
  }
  errors.throw_if_any();
  problem.materials = std::move(materials);
  leave_out_coils(problem);
}

} // namespace tessera::io
