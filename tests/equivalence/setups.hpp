// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_EQUIVALENCE_SETUPS_HPP
#define TESSERA_TESTS_EQUIVALENCE_SETUPS_HPP

/// \file
/// Problems that together use every kind of constraint and data.

#include "problem.hpp"

#include <vector>

namespace tessera::test {

/// Boundary groups of a box.
enum Side : group_t { left, right, bottom, top };
/// Regions of the meshes in meshes.hpp.
enum Region : group_t { domain, first_body, second_body, n_regions };

/// Problems for the groups above, in 2D or 3D; each has one solution.
std::vector<Setup> make_setups(int dimension, bool axisymmetric);

/// Magnetostatic problems for the same groups: linear with coils; a saturated body with an anisotropic differential
/// reluctivity next to a magnet, a given tangential field and an asymptotic boundary; a shell.
std::vector<MagneticSetup> make_magnetic_setups(bool axisymmetric);

/// Periodic, antiperiodic and doubly periodic problems on boxes of these groups.
std::vector<Setup> make_periodic_setups(int dimension);

} // namespace tessera::test

#endif
