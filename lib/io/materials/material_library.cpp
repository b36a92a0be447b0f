// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/materials/material_library.hpp"

#include "io/input/input_text.hpp"
#include "io/input/temperature.hpp"

#include <algorithm>
#include <filesystem>

namespace tessera::io {

namespace {

constexpr const char* bh_curve = "bh_curve";
constexpr const char* loss_tangent = "loss_tangent";

void set(YamlNode& map, const std::string& key, const YamlNode& value) {
  map.keys.push_back(key);
  map.items.push_back(value);
}

void remove(YamlNode& map, const std::string& key) {
  const auto found = std::find(map.keys.begin(), map.keys.end(), key);
  if (found == map.keys.end())
    return;
  map.items.erase(map.items.begin() + (found - map.keys.begin()));
  map.keys.erase(found);
}

/// Properties allowed in an entry of a library.
std::vector<std::string> property_names() {
  NameSet names;
  for (const PhysicsTraits& traits : physics_table())
    names.add(traits.coefficient);
  for (const PhysicsTraits& traits : physics_table())
    for (const char* factor : traits.capacity)
      names.add(factor);
  for (const char* key : {latent_heat, melting})
    names.add(key);
  names.add(bh_curve);
  names.add(loss_tangent);
  return names.list();
}

/// Reads a user's library. Paths of curve files in it are relative to the library.
YamlNode read_library(const std::string& text, const std::string& path, InputErrors& errors) {
  YamlNode library = parse_yaml(text, path);
  const std::vector<std::string> allowed = property_names();
  Location top;
  top.file = path;
  if (library.kind != YamlNode::Kind::map)
    errors.add(top, "a library of materials is a map: copper: {conductivity: 5.96e+7}.");
  for (std::size_t i = 0; i < library.keys.size(); ++i) {
    YamlNode& entry = library.items[i];
    const Location where = location_of(entry, library.keys[i]);
    if (entry.kind != YamlNode::Kind::map)
      errors.add(where, "expected a map of properties, {conductivity: 5.96e+7}.");
    for (std::size_t k = 0; k < entry.keys.size(); ++k)
      if (std::find(allowed.begin(), allowed.end(), entry.keys[k]) == allowed.end())
        errors.add_unknown(location_of(entry.items[k], library.keys[i] + "." + entry.keys[k]), "property",
                           entry.keys[k], allowed);
    YamlNode* curve = entry.find(bh_curve);
    if (curve != nullptr && curve->kind == YamlNode::Kind::scalar && std::filesystem::path(curve->text).is_relative())
      curve->text = std::filesystem::absolute(std::filesystem::path(path).parent_path() / curve->text).string();
  }
  return library;
}

/// Shifts the temperatures of tables from kelvins to degrees Celsius.
YamlNode in_celsius(YamlNode material, InputErrors& errors) {
  constexpr double zero_celsius = 273.15;
  const auto shift = [&](YamlNode& temperature) {
    temperature.text = number_text(read_scalar(temperature, {}, errors, true).value - zero_celsius);
  };
  if (YamlNode* range = material.find(melting))
    for (YamlNode& temperature : range->items)
      shift(temperature);
  for (YamlNode& property : material.items)
    if (YamlNode* table = property.kind == YamlNode::Kind::map ? property.find("table") : nullptr)
      for (YamlNode& pair : table->items)
        shift(pair.items.front());
  return material;
}

/// Adds the properties of a material to a region's map.
void add_properties(const YamlNode& material, const std::string& name, const PhysicsTraits& traits,
                    const Location& where, YamlNode& entry, InputErrors& errors) {
  const bool may_have_curve = traits.physics == Physics::magnetostatics;
  for (const char* const loss : {"conductivity", loss_tangent})
    if (entry.find(loss) == nullptr && material.find(loss) != nullptr &&
        (traits.physics == Physics::electro_quasistatics ||
         (traits.physics == Physics::eddy_currents && loss != loss_tangent)))
      set(entry, loss, *material.find(loss));
  std::vector<const char*> of_capacity = traits.capacity;
  if (traits.physics == Physics::heat)
    of_capacity.insert(of_capacity.end(), {latent_heat, melting});
  for (const char* factor : of_capacity)
    if (entry.find(factor) == nullptr && material.find(factor) != nullptr)
      set(entry, factor, *material.find(factor));
  if (entry.find(traits.coefficient) != nullptr || (may_have_curve && entry.find(bh_curve) != nullptr))
    return; // given in the input
  const YamlNode* curve = may_have_curve ? material.find(bh_curve) : nullptr;
  const YamlNode* value = material.find(traits.coefficient);
  if (curve != nullptr)
    set(entry, bh_curve, *curve);
  else if (value != nullptr)
    set(entry, traits.coefficient, *value);
  else
    errors.add(where, "the material '" + printable(name) + "' of the library has no " + traits.coefficient +
                          (may_have_curve ? " and no bh_curve" : "") + ". Give it next to the name: {name: " +
                          printable(name) + ", " + traits.coefficient + ": ...}.");
}

} // namespace

void expand_materials(YamlNode& root, const std::string& folder, InputErrors& errors) {
  YamlNode* problem = root.find("problem");
  YamlNode* materials = problem != nullptr ? problem->find("materials") : nullptr;
  const YamlNode* physics = problem != nullptr ? problem->find("physics") : nullptr;
  const std::vector<PhysicsTraits>& table = physics_table();
  const auto traits = std::find_if(table.begin(), table.end(), [&](const PhysicsTraits& entry) {
    return physics != nullptr && physics->text == entry.name;
  });
  if (materials == nullptr || materials->kind != YamlNode::Kind::map || traits == table.end())
    return; // reported by the reader

  std::vector<YamlNode> libraries;
  if (const YamlNode* path = problem->find("material_library")) {
    const Location where = location_of(*path, "problem.material_library");
    std::filesystem::path file(read_text(*path, where, errors));
    if (file.is_relative() && where.line > 0)
      file = std::filesystem::path(folder) / file;
    const FileText content = read_small_file(file.string(), max_yaml_bytes);
    if (!content.error.empty())
      errors.add(where, "the file '" + printable(path->text, 300) + "' " + content.error + ".");
    else
      libraries.push_back(read_library(content.text, file.string(), errors));
    remove(*problem, "material_library");
    materials = problem->find("materials"); // its address has changed
  }
  libraries.push_back(parse_yaml(material_library_text(), "the library of materials"));

  const auto expand = [&](YamlNode& entry, const char* key, const PhysicsTraits& needs, const Location& where) {
    std::string name;
    if (entry.kind == YamlNode::Kind::scalar) {
      name = entry.text;
      entry.kind = YamlNode::Kind::map;
      entry.text.clear();
    } else if (const YamlNode* given = entry.find(key)) {
      name = read_text(*given, where, errors);
      remove(entry, key);
    }
    if (name.empty())
      return;
    NameSet known;
    const YamlNode* material = nullptr;
    for (const YamlNode& library : libraries) {
      for (const std::string& key : library.keys)
        known.add(key);
      if (material == nullptr)
        material = library.find(name);
    }
    const YamlNode* unit = problem->find("temperature_unit");
    YamlNode shifted;
    if (material != nullptr && material == libraries.back().find(name) && unit != nullptr &&
        unit->text == name_of(TemperatureUnit::celsius)) {
      shifted = in_celsius(*material, errors);
      material = &shifted;
    }
    if (material != nullptr)
      add_properties(*material, name, needs, where, entry, errors);
    else
      errors.add_unknown(where, "material", name, known.list());
  };
  for (std::size_t i = 0; i < materials->items.size(); ++i)
    expand(materials->items[i], "name", *traits,
           location_of(materials->items[i], "problem.materials." + materials->keys[i]));
  YamlNode* boundaries = problem->find("boundaries");
  if (boundaries == nullptr || boundaries->kind != YamlNode::Kind::map)
    return;
  PhysicsTraits of_layer = *traits;
  of_layer.capacity.clear(); // layers store nothing
  for (std::size_t i = 0; i < boundaries->items.size(); ++i) {
    YamlNode& boundary = boundaries->items[i];
    YamlNode* layer = boundary.kind == YamlNode::Kind::map ? boundary.find("layer") : nullptr;
    if (layer != nullptr && layer->kind == YamlNode::Kind::map)
      expand(*layer, "material", of_layer, location_of(*layer, "problem.boundaries." + boundaries->keys[i] + ".layer"));
  }
}

} // namespace tessera::io
