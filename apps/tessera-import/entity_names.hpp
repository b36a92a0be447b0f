// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IMPORT_ENTITY_NAMES_HPP
#define TESSERA_IMPORT_ENTITY_NAMES_HPP

#include "io/mesh_files/msh_check.hpp"

#include <string>
#include <vector>

namespace tessera::importer {

constexpr const char* entity_name[] = {"point", "curve", "surface", "volume"};

/// Sets the names of the physical groups of a file; in some formats Gmsh keeps only one of several equal names. To be
/// called once per process, since Gmsh's state is per process, too.
void set_physical_names(const std::vector<io::PhysicalName>& named);

/// Name of a physical group, or its number if it has none.
std::string physical_name(int dim, int tag);

/// The last component of an entity's name in the file ("Shapes/Plate" -> "Plate"); empty if it has no name.
std::string given_name(int dim, int tag);

/// Label of an entity without a physical group: its name in the file, or "surface_3", ...
std::string entity_label(int dim, int tag);

} // namespace tessera::importer

#endif
