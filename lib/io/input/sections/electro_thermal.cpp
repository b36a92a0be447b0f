// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/input/input_text.hpp"
#include "io/input/sections/sections.hpp"
#include "io/input/temperature.hpp"
#include "io/materials/material_library.hpp"
#include "physics/expressions/expression.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>

namespace tessera::io::detail {

namespace {

using KeyTest = std::function<bool(const std::string& key)>;

void keep_keys(YamlNode& map, const KeyTest& keeps) {
  if (map.kind != YamlNode::Kind::map)
    return; // reported by the reader
  YamlNode kept = map;
  kept.keys.clear();
  kept.items.clear();
  for (std::size_t i = 0; i < map.keys.size(); ++i)
    if (keeps(map.keys[i])) {
      kept.keys.push_back(map.keys[i]);
      kept.items.push_back(map.items[i]);
    }
  map = std::move(kept);
}

/// Keeps keys in the maps that are entries of `section`, and entries with some left.
void keep_in_entries(YamlNode& problem, const char* section, const KeyTest& keeps) {
  YamlNode* entries = problem.find(section);
  if (entries == nullptr || entries->kind != YamlNode::Kind::map)
    return;
  for (YamlNode& entry : entries->items)
    keep_keys(entry, keeps);
  const YamlNode all = *entries;
  keep_keys(*entries, [&](const std::string& key) {
    const YamlNode& entry = *all.find(key);
    return entry.kind != YamlNode::Kind::map || !entry.keys.empty();
  });
}

/// Keys of boundaries that one of the two physics has and the other has not. Periodic boundaries are of both.
bool is_boundary_key_of(const std::string& key, Physics physics) {
  return std::any_of(std::begin(boundary_kinds), std::end(boundary_kinds),
                     [&](BoundaryKind kind) { return name_of(kind, physics) == key; });
}

bool is_of_current(const std::string& name) {
  const PhysicsTraits& traits = traits_of(Physics::current_flow);
  const std::string head = name.substr(0, name.find('.'));
  for (const Quantity quantity :
       {Quantity::losses, Quantity::charge, Quantity::resistance, Quantity::capacitance_matrix})
    if (name_of(quantity, Physics::current_flow) == head)
      return true;
  for (const RegionQuantity quantity : region_quantities)
    if (name_of(quantity, Physics::current_flow) == head && name_of(quantity, Physics::heat) != head)
      return true;
  return head == traits.solution.name || head == traits.gradient.name || head == traits.flux.name ||
         head == traits.matrix.mutual;
}

/// Keeps the items of a list, or removes it if none of several is left.
void keep_items(YamlNode& output, const char* key, const KeyTest& keeps) {
  YamlNode* list = output.find(key);
  if (list == nullptr || list->kind != YamlNode::Kind::sequence)
    return;
  std::vector<YamlNode> kept;
  for (const YamlNode& item : list->items)
    if (keeps(item.text))
      kept.push_back(item);
  list->items = kept;
}

bool is_number_zero(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::scalar || node.text.empty())
    return false;
  char* end = nullptr;
  return std::strtod(node.text.c_str(), &end) == 0. && *end == '\0';
}

} // namespace

std::vector<std::string> physics_names() {
  std::vector<std::string> names = spellings<Physics>();
  names.push_back(electro_thermal);
  return names;
}

bool is_electro_thermal(const YamlNode& root) {
  const YamlNode* physics = value_at(root, "problem.physics");
  return physics != nullptr && physics->text == electro_thermal;
}

TwoInputs split_electro_thermal(const YamlNode& root, const std::string& folder) {
  TwoInputs two{root, root, {}};
  const PhysicsTraits& of_heat = traits_of(Physics::heat);
  const PhysicsTraits& of_current = traits_of(Physics::current_flow);
  YamlNode& heat = *two.heat.find("problem");
  YamlNode& current = *two.current.find("problem");
  heat.find("physics")->text = of_heat.name;
  current.find("physics")->text = of_current.name;

  const std::string conductivity = of_current.coefficient;
  InputErrors missing; // materials of the library without conductivity insulate; what else is wrong, heat reports
  expand_materials(two.current, folder, missing);
  const YamlNode* materials = current.find("materials");
  if (materials != nullptr && materials->kind == YamlNode::Kind::map)
    for (std::size_t i = 0; i < materials->keys.size(); ++i) {
      const YamlNode& entry = materials->items[i];
      const YamlNode* value = entry.kind == YamlNode::Kind::map ? entry.find(conductivity) : nullptr;
      if (value == nullptr || is_number_zero(*value))
        two.insulators.push_back({materials->keys[i], location_of(entry, "problem.materials." + materials->keys[i])});
    }
  const auto insulates = [&](const std::string& region) {
    return std::any_of(two.insulators.begin(), two.insulators.end(),
                       [&](const GroupName& one) { return one.name == region; });
  };
  if (YamlNode* of_both = current.find("materials"))
    keep_keys(*of_both, [&](const std::string& region) { return !insulates(region); });
  keep_in_entries(current, "materials", [&](const std::string& key) {
    return key != of_heat.coefficient && key != latent_heat && key != melting &&
           std::none_of(of_heat.capacity.begin(), of_heat.capacity.end(),
                        [&](const char* factor) { return key == factor; });
  });
  if (YamlNode* entries = heat.find("materials"); entries != nullptr && entries->kind == YamlNode::Kind::map)
    for (YamlNode& entry : entries->items)
      keep_keys(entry, [&](const std::string& key) { return key != conductivity; });

  for (const char* section : {"sources", "point_sources", "line_sources"}) {
    const auto is_strength = [](const std::string& key, const PhysicsTraits& traits) {
      return key == traits.source || key == traits.source_total || key == line_source_key(traits.physics);
    };
    const YamlNode* given = heat.find(section);
    if (given == nullptr || given->kind != YamlNode::Kind::map)
      continue;
    const YamlNode all = *given;
    for (const bool of_second : {false, true}) {
      const PhysicsTraits& own = of_second ? of_current : of_heat;
      const PhysicsTraits& other = of_second ? of_heat : of_current;
      YamlNode& entries = *(of_second ? current : heat).find(section);
      keep_keys(entries, [&](const std::string& name) { // unknown ones are reported with heat
        const std::vector<std::string>& keys = all.find(name)->keys;
        const auto has = [&](const PhysicsTraits& traits) {
          return std::any_of(keys.begin(), keys.end(), [&](const auto& key) { return is_strength(key, traits); });
        };
        return has(own) || (!of_second && !has(other));
      });
      for (YamlNode& entry : entries.items)
        keep_keys(entry, [&](const std::string& key) { return !is_strength(key, other); });
    }
  }
  keep_in_entries(heat, "boundaries", [](const std::string& key) {
    return !is_boundary_key_of(key, Physics::current_flow) || is_boundary_key_of(key, Physics::heat);
  });
  keep_in_entries(current, "boundaries",
                  [](const std::string& key) { return is_boundary_key_of(key, Physics::current_flow); });
  keep_keys(current,
            [](const std::string& key) { return key != "time" && key != "initial" && key != "temperature_unit"; });

  if (YamlNode* output = two.heat.find("output"); output != nullptr && output->kind == YamlNode::Kind::map) {
    for (const char* key : {"quantities", "fields"})
      keep_items(*output, key, [](const std::string& name) { return !is_of_current(name); });
    keep_keys(*output, [](const std::string& key) { return key != "conductors"; });
    YamlNode& own = *two.current.find("output");
    for (const char* key : {"quantities", "fields"})
      keep_items(own, key, [](const std::string& name) { return name == "regions" || is_of_current(name); });
    keep_keys(own, [](const std::string& key) {
      return key == "quantities" || key == "fields" || key == "conductors" || key == "recovered" || key == "directory";
    });
  }
  if (YamlNode* verification = two.heat.find("verification");
      verification != nullptr && verification->kind == YamlNode::Kind::map) {
    YamlNode& own = *two.current.find("verification");
    if (YamlNode* quantities = verification->find("quantities"))
      keep_keys(*quantities, [](const std::string& name) { return !is_of_current(name); });
    keep_keys(own, [](const std::string& key) { return key == "quantities"; });
    if (YamlNode* quantities = own.find("quantities"))
      keep_keys(*quantities, [](const std::string& name) { return is_of_current(name); });
  }
  return two;
}

void check_electro_thermal(const Case& heat, const Case& current, InputErrors& errors) {
  const auto refuse = [&](const Location& where, const std::string& what) {
    errors.add(where, what + " is not supported with physics: electro-thermal.");
  };
  const Location& problem = heat.problem.materials_where;
  if (heat.discretization.method == Method::dg)
    refuse(problem, "discretization.method: dg");
  if (heat.mesh.adapt.requested())
    refuse(heat.mesh.adapt.where, "refinement by error estimates");
  if (heat.execution.mesh == MeshOfProcess::parts)
    refuse(heat.execution.mesh_where, "execution.mesh: parts");
  if (!heat.output.matrix.empty())
    refuse(heat.output.matrix_where, "output.matrix");
  if (writes_colors(heat.output))
    refuse(heat.output.fields_where, "output.fields: colour");
  if (heat.output.errors == ErrorEstimates::on)
    refuse(heat.output.where, "output.errors: true");
  for (const Case* part : {&heat, &current}) {
    for (const Boundary& boundary : part->problem.boundaries)
      if (boundary.kind == BoundaryKind::asymptotic)
        refuse(boundary.group.where, "an asymptotic condition");
      else if (boundary.kind == BoundaryKind::joint)
        refuse(boundary.group.where, "a joint ('" + boundary.joint.key() + "')");
    for (const Material& material : part->problem.materials)
      if (material.shell)
        refuse(material.region.where, "a shell for open space");
    for (const Quantity quantity : {Quantity::capacitance_matrix, Quantity::resistance})
      if (lists(part->output, quantity) && (part == &heat || quantity != Quantity::resistance))
        refuse(part->output.where, "output.quantities: " + name_of(quantity, part->problem.physics));
    for (const Source& source : part->problem.sources)
      if (!source.density.is_constant && physics::Expression::parse(source.density.text).depends_on(physics::Opcode::t))
        refuse(source.region.where, "a source that depends on t");
  }
  if (current.problem.materials.empty())
    errors.add(problem,
               "no region has a conductivity above 0: nothing conducts current. Without it, take physics: heat.");
}

} // namespace tessera::io::detail
