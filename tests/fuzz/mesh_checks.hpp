// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_FUZZ_MESH_CHECKS_HPP
#define TESSERA_TESTS_FUZZ_MESH_CHECKS_HPP

#include "io/imported_mesh.hpp"

#include <string>

namespace tessera::fuzz {

/// What is wrong with a small mesh that a run would take, or "". Compares all pairs, so that it shares nothing with the
/// program's own checks: numbers in range, positive measures, no centroid inside of two elements, no node inside of a
/// facet that belongs to one element only.
std::string find_fault(const io::ImportedMesh& mesh);

} // namespace tessera::fuzz

#endif
