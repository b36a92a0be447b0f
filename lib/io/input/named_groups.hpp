// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_INPUT_NAMED_GROUPS_HPP
#define TESSERA_IO_INPUT_NAMED_GROUPS_HPP

/// \file
/// Groups defined in a case by other names, wildcards and points (mesh.groups). They replace the groups that they join,
/// so that all other code uses names only.

#include "io/mesh_files/imported_mesh.hpp"
#include "io/mesh_files/mesh_requests.hpp"

#include <string>
#include <vector>

namespace tessera::io {

/// Whether a name matches a pattern: '*' matches any text, '?' one character.
bool fits(const std::string& pattern, const std::string& name);

/// Indices of the regions and boundaries of `mesh` that a group joins, ascending; of one at the outside none. `scale`:
/// metres per unit of its points; `path` begins messages. Throws a tessera::Error (kind input) for a name or pattern
/// without a match, and for a point that is in no region, in two, near no boundary, or near two.
struct GroupMembers {
  std::vector<group_t> regions;
  std::vector<group_t> boundaries;
};
GroupMembers find_members(const ImportedMesh& mesh, const NamedGroup& group, double scale, const std::string& path);

/// New indices of groups.
struct Renumbering {
  std::vector<std::string> names; ///< after the renumbering
  std::vector<group_t> number;    ///< new indices by old ones; empty: unchanged
};
struct JoinedGroups {
  Renumbering regions;
  Renumbering boundaries;
  std::vector<std::string> notes; ///< which groups join which others
};

/// Plans the groups of a case on those of a mesh. Throws also if two of them claim the same group, or a name would
/// occur twice.
JoinedGroups plan_groups(const ImportedMesh& mesh, const std::vector<NamedGroup>& groups, double scale,
                         const std::string& path);

/// Removes facets that occur twice in their group.
void drop_repeated_facets(ImportedMesh& mesh);

/// The mesh with its groups joined; a facet that is in two of them occurs once. Then come the groups of facets at the
/// outside, which know regions and boundaries by their new names; their facets stay in their other groups. Adds notes
/// of what each joins. Throws also for an outside without facets.
void join_groups(ImportedMesh& mesh, const std::vector<NamedGroup>& groups, double scale, const std::string& path);

} // namespace tessera::io

#endif
