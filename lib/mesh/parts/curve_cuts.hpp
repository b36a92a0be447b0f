// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_PARTS_CURVE_CUTS_HPP
#define TESSERA_MESH_PARTS_CURVE_CUTS_HPP

/// \file
/// Cuts of a space-filling curve into ranges for several processes.

#include "comm/communicator.hpp"
#include "core/parallel.hpp"

#include <cstdint>
#include <vector>

namespace tessera::mesh {

/// Items on a curve that each process contributes; any distribution.
template <class ExecutionSpace> struct ItemsOnCurve {
  Array<const std::uint64_t*, ExecutionSpace> positions;  ///< [n], ascending
  Array<const std::int64_t*, ExecutionSpace> work_before; ///< [n + 1], prefix sums of the items' work; empty: 1 each
};

/// Work of the items of all processes before each of some positions. Collective.
template <class ExecutionSpace>
std::vector<std::int64_t> work_before(const ExecutionSpace& exec, const comm::Communicator& world,
                                      const ItemsOnCurve<ExecutionSpace>& items,
                                      const std::vector<std::uint64_t>& positions);

/// Cuts a curve of 2^n_bits positions into ranges of about equal work: first position of each process, and the end.
/// Collective.
template <class ExecutionSpace>
std::vector<std::uint64_t> cut_curve(const ExecutionSpace& exec, const comm::Communicator& world,
                                     const ItemsOnCurve<ExecutionSpace>& items, int n_bits);

} // namespace tessera::mesh

#endif
