// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_NAMED_GROUPS_HPP
#define TESSERA_IO_NAMED_GROUPS_HPP

/// \file
/// Groups that a case names by others' names, wildcards and points (mesh.groups). They take the places of what they
/// join, so that everything else knows names only.

#include "io/imported_mesh.hpp"
#include "io/mesh_files/mesh_requests.hpp"

#include <string>
#include <vector>

namespace tessera::io {

/// Whether a name fits a pattern: '*' stands for any text, '?' for one character.
bool fits(const std::string& pattern, const std::string& name);

/// Numbers of the regions and boundaries of `mesh` that a group joins, ascending. `scale`: metres per unit of its
/// points; `path` begins messages. Throws tessera::Error (kind input) for a name or pattern that fits nothing, and for
/// a point that is in no region, in two, near no boundary, or near two.
struct GroupMembers {
  std::vector<group_t> regions;
  std::vector<group_t> boundaries;
};
GroupMembers find_members(const ImportedMesh& mesh, const NamedGroup& group, double scale, const std::string& path);

/// New numbers of groups.
struct Renumbering {
  std::vector<std::string> names; ///< after
  std::vector<group_t> number;    ///< new ones by old ones; empty: unchanged
};
struct JoinedGroups {
  Renumbering regions;
  Renumbering boundaries;
  std::vector<std::string> notes; ///< which groups join what
};

/// Finds out what the groups of a case make of those of a mesh. Throws also when two of them claim the same one, or a
/// name would be there twice.
JoinedGroups plan_groups(const ImportedMesh& mesh, const std::vector<NamedGroup>& groups, double scale,
                         const std::string& path);

/// Removes facets that are listed in their group already.
void drop_repeated_facets(ImportedMesh& mesh);

/// The mesh with its groups joined; a facet that lies in two of them stays once. Notes tell what each joins.
void join_groups(ImportedMesh& mesh, const std::vector<NamedGroup>& groups, double scale, const std::string& path);

} // namespace tessera::io

#endif
