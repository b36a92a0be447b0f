// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_HARMONIC_CIRCUITS_DRIVES_HPP
#define TESSERA_DRIVER_HARMONIC_CIRCUITS_DRIVES_HPP

#include "driver/harmonic/circuits/conduction.hpp"
#include "linalg/operator.hpp"

#include <cstddef>
#include <vector>

namespace tessera::driver {

/// Right-hand sides of 1 V at each conductor, c in A/V; conductor k consists of the regions `members[k]` of
/// `n_regions`. `at_rest`: the right-hand side of no voltages. Conductors that have no unknown in common share one
/// assembly.
template <class ExecutionSpace>
std::vector<linalg::Vector<ExecutionSpace>>
make_drives(const ExecutionSpace& exec, Conduction<ExecutionSpace>& conduction,
            const std::vector<std::vector<std::size_t>>& members, std::size_t n_regions,
            const linalg::Vector<ExecutionSpace>& at_rest);

/// The entries of a vector that are not zero.
struct Nonzeros {
  std::vector<index_t> positions;
  std::vector<double> values;
};
template <class ExecutionSpace>
Nonzeros nonzeros(const ExecutionSpace& exec, const linalg::Vector<ExecutionSpace>& vector);

} // namespace tessera::driver

#endif
