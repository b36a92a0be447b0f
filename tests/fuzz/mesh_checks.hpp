// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_FUZZ_MESH_CHECKS_HPP
#define TESSERA_TESTS_FUZZ_MESH_CHECKS_HPP

#include "io/mesh_files/imported_mesh.hpp"

#include <string>

namespace tessera::fuzz {

/// The first error found in a small mesh that a run would accept, or "". Compares all pairs, to be independent of the
/// program's checks: numbers in range, positive measures, no centroid inside two elements, no node inside a facet that
/// belongs to only one element.
std::string find_fault(const io::ImportedMesh& mesh);

} // namespace tessera::fuzz

#endif
