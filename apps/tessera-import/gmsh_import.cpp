// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "cad_parts.hpp"
#include "core/error.hpp"
#include "curved_facets.hpp"
#include "dxf_geometry.hpp"
#include "element_sizes.hpp"
#include "entity_names.hpp"
#include "importer.hpp"
#include "io/byte_stream.hpp"
#include "io/geometry/dxf_drawing.hpp"
#include "io/geometry/geo_commands.hpp"
#include "io/geometry/geo_parameters.hpp"
#include "io/geometry/geo_text.hpp"
#include "io/geometry/step_check.hpp"
#include "io/input/case.hpp"
#include "io/input/input_text.hpp"
#include "io/input/named_groups.hpp"
#include "io/mesh_files/cell_shapes.hpp"
#include "io/mesh_files/msh_check.hpp"
#include "io/mesh_files/tag_ranks.hpp"
#include "list_entities.hpp"
#include "mesh_levels.hpp"
#include "split_cells.hpp"

#include <gmsh.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <utility>

namespace tessera::importer {

using namespace io;

namespace {

constexpr const char* element_plural[] = {"points", "lines", "triangles", "tetrahedra"};
constexpr const char* supported_elements[] = {"points", "lines", "triangles and quadrilaterals",
                                              "tetrahedra, hexahedra, prisms and pyramids"};

/// Whether Gmsh would skip the end of a script: if the last line has no line break, Gmsh reads only its first
/// statement. `text`: the script with comments blanked.
bool is_cut_short(const std::string& text) {
  if (text.empty() || text.back() == '\n')
    return false;
  std::string line = text.substr(text.rfind('\n') + 1);
  line.erase(line.find_last_not_of(" \t\r") + 1);
  line.erase(0, line.find_first_not_of(" \t"));
  const std::size_t end = line.find(';');
  return end == std::string::npos ? line.find_first_of(" \t") != std::string::npos : end + 1 < line.size();
}

/// Throws if Gmsh would not read a script, or one that it includes or merges, to its end.
void check_ends(const std::string& path) {
  io::detail::walk_geo(path, true, [](const io::detail::GeoWord& word) {
    TESSERA_REQUIRE(!is_cut_short(word.text),
                    word.file << " has no line break at its end: of such a last line Gmsh reads the first statement "
                                 "and ignores the others. Add a line break.");
    return word.end;
  });
}

/// Gmsh's messages so far of one level ("Error", "Warning").
std::vector<std::string> messages(const std::string& level) {
  std::vector<std::string> log, found;
  gmsh::logger::get(log);
  const std::string prefix = level + ": ";
  for (const std::string& line : log)
    if (line.compare(0, prefix.size(), prefix) == 0)
      found.push_back(line.substr(prefix.size()));
  return found;
}

/// Opens a script or .msh file with values for the constants of a geometry; they are set before any DefineConstant of
/// the file is read. gmsh::parser exists only since 4.9.
void open_file(const std::string& path, const std::map<std::string, double>& constants) {
  if (constants.empty()) {
    gmsh::open(path);
    return;
  }
  std::string text;
  for (const auto& [constant, value] : constants) {
    char number[32];
    std::snprintf(number, sizeof(number), "%.17g", value);
    text += constant + " = " + number + ";\n";
  }
  const io::detail::Descriptor file = io::detail::anonymous_file("tessera-constants");
  TESSERA_REQUIRE_KIND(::write(file.number(), text.data(), text.size()) == static_cast<ssize_t>(text.size()),
                       ErrorKind::resource, "The geometry's parameters cannot be handed to Gmsh.");
  gmsh::open("/proc/self/fd/" + std::to_string(file.number()));
  gmsh::merge(path);
}

/// Reads a CAD file, chosen by its extension; gmsh::open would run a file with an unusual spelling of the extension as
/// a script. Appends notes on parts that overlap; `scale`: metres per unit of the file.
void open_cad_file(const std::string& path, double scale, std::vector<std::string>& notes) {
  const std::string extension = lower_extension(path);
  const bool is_brep = extension == ".brep";
  const bool is_iges = extension == ".iges" || extension == ".igs";
  gmsh::vectorpair all;
  gmsh::option::setString("Geometry.OCCTargetUnit", "MM"); // the default; set here so that no configuration changes it
  gmsh::model::add("geometry");
  gmsh::model::occ::importShapes(path, all, false, is_brep ? "brep" : is_iges ? "iges" : "step");
  gmsh::model::occ::synchronize();
  for (int dim = 3; dim >= 2; --dim) {
    gmsh::vectorpair entities; // Gmsh 4.8 appends to it
    gmsh::model::occ::getEntities(entities, dim);
    if (entities.empty())
      continue;
    // Solids that touch are separate in CAD files; their common faces must be merged to couple the field across them. A
    // single solid has nothing to merge, which Gmsh 4.8 treats as an error.
    if (entities.size() > 1) {
      const std::vector<std::string> overlapping = overlap_notes(join_parts(dim), dim, scale);
      notes.insert(notes.end(), overlapping.begin(), overlapping.end());
    }
    return;
  }
}

/// Rejects sizes that make Gmsh abort the program or never finish.
void check_mesh_sizes(const std::string& path) {
  const auto get = [](const char* name) {
    double value = 0.;
    gmsh::option::getNumber(name, value);
    return value;
  };
  for (const char* name : {"Mesh.MeshSizeMax", "Mesh.MeshSizeFactor"})
    TESSERA_REQUIRE(get(name) > 0., path << ": " << name << " is " << get(name) << "; it must be a positive number.");
  TESSERA_REQUIRE(get("Mesh.MeshSizeMin") >= 0.,
                  path << ": Mesh.MeshSizeMin is " << get("Mesh.MeshSizeMin") << "; it must not be negative.");
}

/// Runs `work` and converts Gmsh's exceptions (a string or an int before 4.10, std::runtime_error since) and logged
/// errors into tessera::Error.
template <class Work> void guarded(const std::string& doing, const Work& work) {
  std::string failure;
  bool failed = true;
  try {
    work();
    failed = false;
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    failure = error.what();
  } catch (const std::string& message) {
    failure = message;
  } catch (...) {
  }
  const std::vector<std::string> errors = messages("Error");
  if (!failed && errors.empty())
    return;
  for (const std::string& error : errors)
    if (failure.find(error) == std::string::npos)
      failure += (failure.empty() ? "" : "; ") + error;
  TESSERA_REQUIRE(false, "Gmsh cannot " << doing << ": " << (failure.empty() ? "it gives no reason" : failure) << ".");
}

/// Simplices of the elements of some groups, with nodes given by Gmsh's tags.
struct Cells {
  std::vector<std::size_t> tags;  // [n]
  std::vector<std::size_t> nodes; // [n][dim + 1]
  std::vector<group_t> groups;    // [n]
  std::vector<std::string> names;
  bool curved = false;
  std::size_t n_whole = 0;                                 // elements before splitting
  std::size_t n_split = 0;                                 // of these, elements that were split
  std::vector<std::array<std::size_t, 2>> other_diagonals; // SimplicesOfCells::other_diagonals
};

/// Index of the group called `name`, which is added if it is missing.
group_t group_number(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  const auto number = static_cast<std::size_t>(found - names.begin());
  TESSERA_REQUIRE(number <= std::numeric_limits<group_t>::max(), "The mesh has more than 65536 physical groups.");
  if (found == names.end())
    names.push_back(name);
  return static_cast<group_t>(number);
}

/// Appends the elements of one geometric entity.
void append_entity(const CellSplitter& splitter, int dim, int entity, group_t group, const std::string& path,
                   Cells& cells) {
  for (CellBlock& block : cell_blocks(dim, entity)) {
    TESSERA_REQUIRE(block.is_supported(), path << ": physical group \"" << cells.names[group] << "\" ("
                                               << entity_name[dim] << " " << entity << ") holds elements of type \""
                                               << block.type_name << "\"; only " << supported_elements[dim]
                                               << " are supported.");
    cells.curved = cells.curved || block.order > 1;
    cells.n_whole += block.n_cells();
    cells.n_split += block.shape != nullptr ? block.n_cells() : 0;
    SimplicesOfCells added = splitter.simplices(std::move(block));
    cells.groups.resize(cells.groups.size() + added.tags.size(), group);
    cells.other_diagonals.insert(cells.other_diagonals.end(), added.other_diagonals.begin(),
                                 added.other_diagonals.end());
    if (cells.tags.empty()) {
      cells.tags = std::move(added.tags);
      cells.nodes = std::move(added.vertices);
    } else {
      cells.tags.insert(cells.tags.end(), added.tags.begin(), added.tags.end());
      cells.nodes.insert(cells.nodes.end(), added.vertices.begin(), added.vertices.end());
    }
  }
}

/// A physical group, or several of one name.
struct NamedEntities {
  std::string name;
  std::vector<int> entities;
};

/// Physical groups of dimension `dim`, in Gmsh's order.
std::vector<NamedEntities> physical_groups(int dim) {
  std::vector<NamedEntities> all;
  std::set<std::pair<std::string, int>> seen;
  gmsh::vectorpair groups;
  gmsh::model::getPhysicalGroups(groups, dim);
  for (const auto& [group_dim, tag] : groups) {
    const std::string name = physical_name(group_dim, tag);
    auto group = std::find_if(all.begin(), all.end(), [&](const NamedEntities& one) { return one.name == name; });
    if (group == all.end())
      group = all.insert(all.end(), {name, {}});
    std::vector<int> entities;
    gmsh::model::getEntitiesForPhysicalGroup(group_dim, tag, entities);
    for (const int entity : entities) // negative: reversed
      if (seen.emplace(name, std::abs(entity)).second)
        group->entities.push_back(std::abs(entity));
  }
  return all;
}

/// Takes entities out of all groups but the one with the fewest entities, which describes them best, with a note.
void make_exclusive(std::vector<NamedEntities>& groups, int dim, const std::string& path,
                    std::vector<std::string>& notes) {
  std::vector<const NamedEntities*> by_size;
  for (const NamedEntities& group : groups)
    by_size.push_back(&group);
  const auto is_smaller = [](const auto* a, const auto* b) { return a->entities.size() < b->entities.size(); };
  std::stable_sort(by_size.begin(), by_size.end(), is_smaller);
  std::map<int, const NamedEntities*> owner;
  std::map<std::pair<std::string, std::string>, int> n_shared; // by the names of the smaller and the larger group
  for (const NamedEntities* group : by_size)
    for (const int entity : group->entities) {
      const auto [at, is_new] = owner.emplace(entity, group);
      TESSERA_REQUIRE(is_new || is_smaller(at->second, group),
                      path << ": " << entity_name[dim] << " " << entity << " lies in the physical groups \""
                           << at->second->name << "\" and \"" << group->name
                           << "\", and neither is smaller; an element has one region.");
      if (!is_new)
        ++n_shared[{at->second->name, group->name}];
    }
  for (const auto& [names, n] : n_shared)
    notes.push_back("The physical groups '" + io::printable(names.first) + "' and '" + io::printable(names.second) +
                    "' share " + std::to_string(n) + " " + entity_name[dim] + (n == 1 ? "" : "s") +
                    "; an element has one region, here the smaller group, '" + io::printable(names.first) + "'.");
  std::vector<NamedEntities> kept;
  for (const NamedEntities& group : groups) {
    NamedEntities rest{group.name, {}};
    std::copy_if(group.entities.begin(), group.entities.end(), std::back_inserter(rest.entities),
                 [&](int entity) { return owner.at(entity) == &group; });
    if (!rest.entities.empty() || group.entities.empty())
      kept.push_back(std::move(rest));
  }
  groups = std::move(kept);
}

/// Elements of dimension `dim` in physical groups; of regions each is in one.
Cells grouped_cells(const CellSplitter& splitter, int dim, bool are_regions, const std::string& path,
                    std::vector<std::string>& notes) {
  Cells cells;
  std::vector<NamedEntities> groups = physical_groups(dim);
  if (are_regions)
    make_exclusive(groups, dim, path, notes);
  for (const NamedEntities& group : groups) {
    const group_t number = group_number(cells.names, group.name);
    for (const int entity : group.entities)
      append_entity(splitter, dim, entity, number, path, cells);
  }
  return cells;
}

/// Elements of dimension `dim` of every entity, each entity a group.
Cells entity_cells(const CellSplitter& splitter, int dim, const std::string& path) {
  Cells cells;
  gmsh::vectorpair entities;
  gmsh::model::getEntities(entities, dim);
  for (const auto& [entity_dim, tag] : entities) {
    std::vector<int> types;
    gmsh::model::mesh::getElementTypes(types, entity_dim, tag);
    if (!types.empty())
      append_entity(splitter, entity_dim, tag, group_number(cells.names, entity_label(entity_dim, tag)), path, cells);
  }
  return cells;
}

/// Elements of dimension `dim` - 1 of every entity that bounds a physical group of dimension `dim`; each entity becomes
/// a group.
Cells bounding_cells(const CellSplitter& splitter, int dim, const std::string& path) {
  std::set<int> bounding;
  gmsh::vectorpair groups;
  gmsh::model::getPhysicalGroups(groups, dim);
  for (const auto& [group_dim, tag] : groups) {
    std::vector<int> entities, above, below;
    gmsh::model::getEntitiesForPhysicalGroup(group_dim, tag, entities);
    for (const int entity : entities) {
      gmsh::model::getAdjacencies(dim, std::abs(entity), above, below);
      bounding.insert(below.begin(), below.end());
    }
  }
  Cells cells;
  for (const int tag : bounding)
    append_entity(splitter, dim - 1, tag, group_number(cells.names, entity_label(dim - 1, tag)), path, cells);
  return cells;
}

/// Number of elements of dimension `dim` in the whole model.
std::size_t count_elements(int dim) {
  std::vector<int> types;
  gmsh::model::mesh::getElementTypes(types, dim);
  std::size_t n = 0;
  for (const int type : types) {
    std::vector<std::size_t> tags, nodes;
    gmsh::model::mesh::getElementsByType(type, tags, nodes);
    n += tags.size();
  }
  return n;
}

bool has_elements(int dim) {
  std::vector<int> types;
  gmsh::model::mesh::getElementTypes(types, dim);
  return !types.empty();
}

bool has_groups(int dim) {
  gmsh::vectorpair groups;
  gmsh::model::getPhysicalGroups(groups, dim);
  return !groups.empty();
}

/// Writes the vertices and groups of the cells in the order of their tags; nodes are numbered by `nodes`.
void number_cells(const Cells& cells, int dim, const io::detail::TagRanks& nodes, const std::string& path,
                  std::vector<index_t>& connectivity, std::vector<group_t>& groups) {
  const std::size_t width = static_cast<std::size_t>(dim) + 1;
  const std::vector<index_t> order = io::detail::sorted_positions(cells.tags);
  connectivity.resize(cells.nodes.size());
  groups.resize(cells.groups.size());
  bool complete = true;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t from = static_cast<std::size_t>(order[i]);
    groups[i] = cells.groups[from];
    for (std::size_t k = 0; k < width; ++k) {
      const index_t node = nodes.rank(cells.nodes[from * width + k]);
      complete = complete && node >= 0;
      connectivity[i * width + k] = node;
    }
  }
  TESSERA_REQUIRE(complete, path << ": an element refers to a node that the file does not define.");
}

/// Coordinates of the nodes in the order of their tags, three per node.
std::vector<double> ranked_coordinates(const std::vector<std::size_t>& tags, const std::vector<double>& xyz,
                                       const io::detail::TagRanks& ranks) {
  std::vector<double> ranked(xyz.size());
  for (std::size_t i = 0; i < tags.size(); ++i)
    std::copy_n(&xyz[3 * i], 3, &ranked[3 * static_cast<std::size_t>(ranks.rank(tags[i]))]);
  return ranked;
}

/// Names of the physical groups of a geometry. Gmsh lists only the groups whose entities exist; the names of the others
/// are found by their numbers, which Gmsh assigns from 1 on unless the geometry sets them.
std::vector<PhysicalName> names_of_geometry() {
  constexpr int largest_number = 10000;
  std::vector<PhysicalName> named;
  for (int dim = 1; dim <= 3; ++dim)
    for (int number = 1; number <= largest_number; ++number) {
      std::string name;
      gmsh::model::getPhysicalName(dim, number, name);
      if (!name.empty())
        named.push_back({dim, number, name});
    }
  return named;
}

/// Notes on physical groups of the same dimension and name, which are merged into one group. `named`: the groups of the
/// file.
std::vector<std::string> same_name_notes(const std::vector<PhysicalName>& named) {
  std::map<std::pair<int, std::string>, std::set<int>> numbers_of;
  for (const PhysicalName& group : named)
    if (group.dimension >= 0 && group.dimension <= 3)
      numbers_of[{group.dimension, group.name}].insert(group.number);
  std::vector<std::string> notes;
  for (const auto& [group, numbers] : numbers_of) {
    if (numbers.size() == 1)
      continue;
    std::string list;
    for (const int number : numbers)
      list += (list.empty() ? "" : number == *numbers.rbegin() ? " and " : ", ") + std::to_string(number);
    notes.push_back(std::string("The physical ") + entity_name[group.first] + "s " + list + " have the same name, \"" +
                    printable(group.second) + "\", and are one group.");
  }
  return notes;
}

/// Factor that a geometry applies to all lengths of the meshes that Gmsh saves; appends a note if it is not 1.
double saved_scale(const std::string& path, std::vector<std::string>& notes) {
  double factor = 1.;
  gmsh::option::getNumber("Mesh.ScalingFactor", factor);
  TESSERA_REQUIRE(factor > 0. && std::isfinite(factor),
                  path << ": Mesh.ScalingFactor is " << factor << "; it must be a positive number.");
  if (factor != 1.) {
    std::ostringstream note;
    note << path << ": Mesh.ScalingFactor multiplies all lengths by " << factor
         << ", as in the meshes that Gmsh saves, in addition to mesh.scale and mesh.units.";
    notes.push_back(note.str());
  }
  return factor;
}

/// Appends notes on physical groups of dimension `dim` without elements; Gmsh drops groups whose entities do not exist
/// in the file. `named`: all groups that the file names.
void note_empty_groups(const Cells& cells, int dim, const std::vector<PhysicalName>& named,
                       std::vector<std::string>& notes) {
  std::vector<bool> has_elements(cells.names.size(), false);
  for (const group_t group : cells.groups)
    has_elements[group] = true;
  std::vector<std::string> empty;
  for (std::size_t group = 0; group < has_elements.size(); ++group)
    if (!has_elements[group])
      empty.push_back('"' + cells.names[group] + '"');
  for (const PhysicalName& group : named)
    if (group.dimension == dim && std::find(cells.names.begin(), cells.names.end(), group.name) == cells.names.end())
      empty.push_back('"' + group.name + '"');
  if (!empty.empty())
    notes.push_back(std::string("Left out the physical ") + entity_name[dim] + (empty.size() == 1 ? " " : "s ") +
                    joined(empty) + ", of which there are no elements.");
}

/// Converts Gmsh's mesh into an ImportedMesh. `named`: the physical groups that the file names.
ImportedMesh collect(const ImportRequest& options, double scale, bool is_mesh_file,
                     const std::vector<PhysicalName>& named) {
  const std::string& path = options.path;
  ImportedMesh mesh;
  int dim = options.dimension;
  if (dim == 0)
    dim = has_elements(3) ? 3 : 2;
  mesh.dimension = dim;
  const int other = 5 - dim;
  TESSERA_REQUIRE(has_elements(dim),
                  path << " holds no " << element_plural[dim] << " (mesh.dimension is " << dim << ")"
                       << (has_elements(other) ? std::string("; it holds ") + element_plural[other] : "") << ".");

  const bool has_regions = has_groups(dim);
  const bool has_boundaries = has_groups(dim - 1);
  const CellSplitter splitter(dim);
  const Cells cells =
      has_regions ? grouped_cells(splitter, dim, true, path, mesh.notes) : entity_cells(splitter, dim, path);
  TESSERA_REQUIRE(!cells.tags.empty(), path << ": the physical groups of dimension " << dim << " hold no elements.");
  if (!has_regions) {
    std::string names;
    for (const std::string& name : cells.names)
      names += (names.empty() ? "" : ", ") + name;
    mesh.notes.push_back(std::string("No physical ") + entity_name[dim] + " is defined; each " + entity_name[dim] +
                         " is a region: " + names + ".");
  }
  if (cells.n_split > 0)
    mesh.notes.push_back(split_note(cells.n_split, dim));
  const std::size_t n_total = count_elements(dim);
  if (n_total > cells.n_whole)
    mesh.notes.push_back("Left out " + std::to_string(n_total - cells.n_whole) + " of " + std::to_string(n_total) +
                         " elements, which lie in no physical group.");
  // In a mesh file with groups, elements outside of all groups are there by accident, if at all.
  const bool bounds_regions = has_regions && !has_boundaries && !is_mesh_file;
  const Cells facets = bounds_regions                  ? bounding_cells(splitter, dim, path)
                       : has_boundaries || has_regions ? grouped_cells(splitter, dim - 1, false, path, mesh.notes)
                                                       : entity_cells(splitter, dim - 1, path);
  if (bounds_regions)
    mesh.notes.push_back(std::string("No physical ") + entity_name[dim - 1] + " is defined; each " +
                         entity_name[dim - 1] + " around a region is a boundary, " +
                         (facets.names.empty() ? "of which there is none" : facets.names.front()) +
                         (facets.names.size() > 1 ? " .. " + facets.names.back() : "") + ".");

  note_empty_groups(cells, dim, named, mesh.notes);
  note_empty_groups(facets, dim - 1, named, mesh.notes);
  std::vector<std::size_t> tags;
  std::vector<double> xyz, parameters;
  gmsh::model::mesh::getNodes(tags, xyz, parameters, -1, -1, false, false);
  const io::detail::TagRanks ranks(tags);
  if (options.entities)
    mesh.entities = list_entities(dim, scale, splitter);
  number_cells(cells, dim, ranks, path, mesh.elements, mesh.regions);
  number_cells(facets, dim - 1, ranks, path, mesh.facets, mesh.facet_groups);
  mesh.region_names = cells.names;
  mesh.boundary_names = facets.names;
  set_coordinates(mesh, ranked_coordinates(tags, xyz, ranks), scale, path);
  std::vector<std::array<index_t, 2>> other_diagonals;
  for (const std::array<std::size_t, 2>& ends : cells.other_diagonals)
    other_diagonals.push_back({ranks.rank(ends[0]), ranks.rank(ends[1])});
  check_joints(mesh, std::move(other_diagonals), path);

  if (options.curved)
    add_curved_facets(mesh, is_mesh_file, ranks, scale, splitter);
  const std::size_t n_dropped = drop_unused_nodes(mesh);
  if (cells.curved)
    mesh.notes.push_back(higher_order_note(mesh, options.curved, n_dropped));
  else if (is_mesh_file && n_dropped > 0)
    mesh.notes.push_back("Left out " + std::to_string(n_dropped) + " nodes that belong to no element.");
  orient_elements(mesh);
  return mesh;
}

constexpr double metres_of_step = 1e-3; // Gmsh converts the lengths of STEP files to millimetres, whatever their unit

/// Note on the unit of a STEP file; `scale`: metres per unit of length.
std::string step_unit_note(const std::string& path, double scale) {
  const std::string unit = step_length_unit(path);
  const std::string own = path + " is in " + (unit.empty() ? "a unit that it does not name" : unit);
  if (scale == metres_of_step)
    return unit == "mm" ? ""
                        : own + "; Gmsh reads its lengths in mm, the unit of mesh.sizes and other lengths of mesh.";
  std::ostringstream text;
  text << own << ", which Gmsh reads in mm: with mesh.scale (units) " << scale << " the model is "
       << scale / metres_of_step << " times as large as in the file. Without the key its size is unchanged.";
  return text.str();
}

/// Metres per unit of a drawing if mesh.units is not set.
double drawing_unit(const DxfDrawing& drawing, std::vector<std::string>& notes, const std::string& path) {
  const bool is_known = drawing.metres_per_unit > 0.;
  notes.push_back(path + (is_known ? ": lengths are in " + drawing.unit + ", according to the drawing ($INSUNITS)."
                                   : ": the drawing gives no unit ($INSUNITS): its lengths are taken as metres; "
                                     "mesh.units names another one."));
  return is_known ? drawing.metres_per_unit : 1.;
}

} // namespace

ImportedMesh read(const ImportRequest& request) {
  check_request(request);
  const std::string& path = request.path;
  const std::string extension = lower_extension(path);
  const bool is_mesh_file = extension == ".msh";
  const bool is_script = extension == ".geo" || extension == ".geo_unrolled";
  const bool is_step = extension == ".step" || extension == ".stp";
  const bool is_drawing = extension == ".dxf";
  check_geometry_text(path, request.allow_commands);
  if (is_script)
    check_ends(path);
  std::vector<PhysicalName> named;
  std::vector<std::string> same_names;
  if (is_mesh_file) {
    named = check_msh(path);
    set_physical_names(named);
    same_names = same_name_notes(named);
  }
  if (is_step)
    check_step(path);
  DxfDrawing drawing;
  if (is_drawing)
    drawing = read_dxf(path);
  std::vector<std::string> notes = drawing.notes;
  notes.insert(notes.end(), same_names.begin(), same_names.end());
  double scale = request.scale;
  if (scale == 0.)
    scale = is_step ? metres_of_step : is_drawing ? drawing_unit(drawing, notes, path) : 1.;
  const std::string step_note = is_step ? step_unit_note(path, scale) : "";
  if (!step_note.empty())
    notes.push_back(step_note);
  const auto constants = resolve_geo_parameters(path, request.parameters);
  gmsh::initialize(0, nullptr, false); // without the user's configuration files
  gmsh::logger::start();
  ImportedMesh mesh;
  int levels = 0;
  guarded("read " + path, [&] {
    gmsh::option::setNumber("General.NumThreads", request.threads);
    if (is_drawing)
      make_surfaces(drawing, path, request.join, notes);
    else if (is_mesh_file || is_script)
      open_file(path, constants);
    else
      open_cad_file(path, scale, notes);
    if (!is_mesh_file)
      scale *= saved_scale(path, notes);
  });
  if (!is_mesh_file)
    guarded("mesh " + path, [&] {
      check_mesh_sizes(path);
      double factor = 1.; // the geometry may set one, too
      gmsh::option::getNumber("Mesh.MeshSizeFactor", factor);
      gmsh::option::setNumber("Mesh.MeshSizeFactor", factor * request.size_factor);
      const auto make_mesh = [&] {
        ImportRequest plain = request;
        plain.curved = false;
        plain.entities = false;
        gmsh::model::mesh::generate(request.dimension);
        ImportedMesh first = collect(plain, scale, false, {});
        gmsh::model::mesh::clear();
        return first;
      };
      const bool has_small_places = set_largest_sizes(request, scale, make_mesh, notes);
      levels = generate_levels(request, has_small_places, notes);
    });
  guarded("hand over the mesh of " + path, [&] {
    if (is_script)
      named = names_of_geometry();
    ImportRequest whole = request;
    whole.curved = request.curved || (request.levels == automatic_levels && levels > 0);
    mesh = collect(whole, scale, is_mesh_file, named);
    mesh.levels = levels;
    if (!same_names.empty())
      drop_repeated_facets(mesh);
    if (!is_mesh_file)
      round_to_zero(mesh);
    join_groups(mesh, request.groups, scale, path);
  });
  mesh.notes.insert(mesh.notes.begin(), notes.begin(), notes.end());
  const std::vector<std::string> warnings = messages("Warning");
  // without duplicates: some are repeated for every curve
  for (auto warning = warnings.begin(); warning != warnings.end(); ++warning)
    if (std::find(warnings.begin(), warning, *warning) == warning)
      mesh.notes.push_back("Gmsh warns: " + *warning);
  return mesh;
}

std::string library_version() { return std::string("Gmsh ") + GMSH_API_VERSION; }

} // namespace tessera::importer
