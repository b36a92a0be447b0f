// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_FE_PERIODIC_HPP
#define TESSERA_FE_PERIODIC_HPP

/// \file
/// Periodic and antiperiodic boundaries: finds the nodes that are identified, and sorts them into classes.

#include "fe/function_space.hpp"

#include <array>
#include <string>
#include <vector>

namespace tessera::fe {

/// Two boundary groups with the same (or opposite) values at nodes that a motion maps onto each other.
struct PeriodicPair {
  enum class Map {
    automatic, ///< a translation by the distance of the groups' mean points, or in 2D, when both are straight and not
               ///< parallel, the rotation about the point where their lines meet
    translation,
    rotation ///< 2D
  };
  group_t group = 0;   ///< boundary groups of the mesh
  group_t partner = 0; ///< the motion leads from group to partner
  bool is_antiperiodic = false;
  Map map = Map::automatic;
  std::array<double, 3> translation{}; ///< m
  double angle = 0.;                   ///< rad, counterclockwise
  std::array<double, 2> center{};      ///< m
  std::string name;                    ///< of both groups, for messages
  std::string partner_name;
  std::string where; ///< place in the input, for messages; may be empty
};

/// Nodes correspond if their distance after the motion is below this times the shortest edge of the group.
constexpr double periodic_tolerance = 1e-4;

/// Classes of identified nodes; no array if there are none.
template <class MemorySpace> struct NodeClasses {
  /// [n_nodes]: 2 * root, root being the smallest node of the class, or 2 * root + 1 when the value is opposite to the
  /// root's; ~root in a class whose values are opposite to themselves, that is zero.
  Array<index_t*, MemorySpace> label;
  bool has_signs = false; ///< some pair is antiperiodic

  bool empty() const { return label.extent(0) == 0; }
  KOKKOS_FUNCTION static index_t root(index_t label) { return label < 0 ? ~label : label >> 1; }
  KOKKOS_FUNCTION static bool is_opposite(index_t label) { return label >= 0 && (label & 1) != 0; }
  KOKKOS_FUNCTION static bool is_zero(index_t label) { return label < 0; }
};

/// Finds the classes of identified nodes; resolves chains of pairs (corners of doubly periodic domains). If the nodes
/// do not match, the error says how many have no partner, and the distance to the nearest.
template <class ExecutionSpace, int Dim, int Order>
NodeClasses<typename ExecutionSpace::memory_space>
identify_nodes(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
               const FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
               const std::vector<PeriodicPair>& pairs);

} // namespace tessera::fe

#endif
