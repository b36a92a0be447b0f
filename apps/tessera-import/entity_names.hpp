// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IMPORT_ENTITY_NAMES_HPP
#define TESSERA_IMPORT_ENTITY_NAMES_HPP

#include <string>

namespace tessera::importer {

constexpr const char* entity_name[] = {"point", "curve", "surface", "volume"};

/// Name of a physical group, or its number.
std::string physical_name(int dim, int tag);

/// The last part of an entity's name in the file ("Shapes/Plate" -> "Plate"); empty: it has none.
std::string given_name(int dim, int tag);

/// Label of an entity without a physical group: the name that the file gives it, or "surface_3", ...
std::string entity_label(int dim, int tag);

} // namespace tessera::importer

#endif
