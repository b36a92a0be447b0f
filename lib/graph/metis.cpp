// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "graph/metis.hpp"

#include "core/error.hpp"

#ifdef TESSERA_METIS_VERSION
#include <metis.h>
#endif

namespace tessera::graph {

#ifdef TESSERA_METIS_VERSION

const char* metis_version() { return TESSERA_METIS_VERSION; }

std::vector<index_t> metis_parts(const std::vector<index_t>& offsets, const std::vector<index_t>& neighbours,
                                 index_t n_parts) {
  std::vector<idx_t> first(offsets.begin(),
                           offsets.end()); // METIS's numbers may be of another width, and are not const
  std::vector<idx_t> others(neighbours.begin(), neighbours.end());
  auto n_vertices = static_cast<idx_t>(offsets.size() - 1);
  std::vector<idx_t> part(offsets.size() - 1, 0);
  idx_t n_constraints = 1;
  idx_t k = n_parts;
  idx_t n_cut = 0;
  if (n_parts > 1) { // METIS divides by zero for one
    const int status = METIS_PartGraphKway(&n_vertices, &n_constraints, first.data(), others.data(), nullptr, nullptr,
                                           nullptr, &k, nullptr, nullptr, nullptr, &n_cut, part.data());
    TESSERA_REQUIRE_KIND(status != METIS_ERROR_MEMORY, ErrorKind::resource,
                         "METIS did not get the memory to partition a graph of " << n_vertices << " vertices.");
    TESSERA_REQUIRE(status == METIS_OK,
                    "METIS could not partition a graph of " << n_vertices << " vertices into " << n_parts << " parts.");
  }
  return {part.begin(), part.end()};
}

#else

const char* metis_version() { return ""; }

std::vector<index_t> metis_parts(const std::vector<index_t>&, const std::vector<index_t>&, index_t) {
  ::tessera::detail::throw_error(ErrorKind::input, "This build has no METIS.");
}

#endif

} // namespace tessera::graph
