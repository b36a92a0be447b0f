// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_FE_DOFS_PERIODIC_HPP
#define TESSERA_FE_DOFS_PERIODIC_HPP

/// \file
/// Periodic and antiperiodic boundaries: finds identified nodes and groups them into classes.

#include "fe/function_space.hpp"

#include <array>
#include <string>
#include <vector>

namespace tessera::fe {

/// Two boundary groups with the same (or opposite) values at nodes that a motion maps onto each other.
struct PeriodicPair {
  enum class Map {
    automatic, ///< a translation by the distance of the groups' mean points or, in 2D, if both groups are straight and
               ///< not parallel, the rotation about the intersection of their lines
    translation,
    rotation ///< 2D
  };
  group_t group = 0;   ///< boundary groups of the mesh
  group_t partner = 0; ///< the motion maps group to partner
  bool is_antiperiodic = false;
  Map map = Map::automatic;
  std::array<double, 3> translation{}; ///< m
  double angle = 0.;                   ///< rad, counterclockwise
  std::array<double, 2> center{};      ///< m
  std::string name;                    ///< of both groups, for messages
  std::string partner_name;
  std::string where; ///< place in the input, for messages; may be empty
};

/// Nodes correspond if their distance after the motion is below this factor times the shortest edge of the group.
constexpr double periodic_tolerance = 1e-4;

/// Classes of identified nodes; without identified nodes the array is empty.
template <class MemorySpace> struct NodeClasses {
  /// [n_nodes]: 2 * root, where root is the smallest node of the class, or 2 * root + 1 if the value is opposite to the
  /// root's; ~root in a class whose values must be their own opposites, that is, zero.
  Array<index_t*, MemorySpace> label;
  bool has_signs = false; ///< whether some pair is antiperiodic

  bool empty() const { return label.extent(0) == 0; }
  KOKKOS_FUNCTION static index_t root(index_t label) { return label < 0 ? ~label : label >> 1; }
  KOKKOS_FUNCTION static bool is_opposite(index_t label) { return label >= 0 && (label & 1) != 0; }
  KOKKOS_FUNCTION static bool is_zero(index_t label) { return label < 0; }
};

/// Finds the classes of identified nodes; resolves chains of pairs (corners of doubly periodic domains). Throws if the
/// nodes do not match; the error states how many have no partner, and the distance to the nearest.
template <class ExecutionSpace, int Dim, int Order>
NodeClasses<typename ExecutionSpace::memory_space>
identify_nodes(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
               const FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
               const std::vector<PeriodicPair>& pairs);

} // namespace tessera::fe

#endif
