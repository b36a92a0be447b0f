// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IMPORT_ENTITY_NAMES_HPP
#define TESSERA_IMPORT_ENTITY_NAMES_HPP

#include "io/mesh_files/msh_check.hpp"

#include <string>
#include <vector>

namespace tessera::importer {

constexpr const char* entity_name[] = {"point", "curve", "surface", "volume"};

/// Names of the physical groups of a file, of which Gmsh keeps one of several that are the same in some formats. Called
/// once per process, as Gmsh is.
void set_physical_names(const std::vector<io::PhysicalName>& named);

/// Name of a physical group, or its number.
std::string physical_name(int dim, int tag);

/// The last part of an entity's name in the file ("Shapes/Plate" -> "Plate"); empty: it has none.
std::string given_name(int dim, int tag);

/// Label of an entity without a physical group: the name that the file gives it, or "surface_3", ...
std::string entity_label(int dim, int tag);

} // namespace tessera::importer

#endif
