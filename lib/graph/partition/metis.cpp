// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "graph/partition/metis.hpp"

#include "core/error.hpp"

#ifdef TESSERA_METIS_VERSION
#include <metis.h>

#include <algorithm>
#endif

namespace tessera::graph {

#ifdef TESSERA_METIS_VERSION

namespace {

/// Scales weights so that their sum fits METIS's integers.
std::vector<idx_t> scaled(const std::vector<std::int64_t>& weights) {
  constexpr double largest_sum = 1 << 30;
  double sum = 0.;
  for (const std::int64_t weight : weights)
    sum += static_cast<double>(weight);
  const double factor = sum > largest_sum ? largest_sum / sum : 1.;
  std::vector<idx_t> result;
  for (const std::int64_t weight : weights)
    result.push_back(std::max(idx_t(1), static_cast<idx_t>(factor * static_cast<double>(weight))));
  return result;
}

} // namespace

const char* metis_version() { return TESSERA_METIS_VERSION; }

std::vector<index_t> metis_parts(const std::vector<index_t>& offsets, const std::vector<index_t>& neighbours,
                                 index_t n_parts, const std::vector<std::int64_t>& weights) {
  std::vector<idx_t> first(offsets.begin(),
                           offsets.end()); // METIS's integers may have another width, and are not const
  std::vector<idx_t> others(neighbours.begin(), neighbours.end());
  auto n_vertices = static_cast<idx_t>(offsets.size() - 1);
  std::vector<idx_t> part(offsets.size() - 1, 0);
  idx_t n_constraints = 1;
  idx_t k = n_parts;
  idx_t n_cut = 0;
  std::vector<idx_t> work = scaled(weights);
  if (n_parts > 1) { // METIS divides by zero for one part
    const int status = METIS_PartGraphKway(&n_vertices, &n_constraints, first.data(), others.data(),
                                           work.empty() ? nullptr : work.data(), nullptr, nullptr, &k, nullptr, nullptr,
                                           nullptr, &n_cut, part.data());
    TESSERA_REQUIRE_KIND(status != METIS_ERROR_MEMORY, ErrorKind::resource,
                         "METIS did not get the memory to partition a graph of " << n_vertices << " vertices.");
    TESSERA_REQUIRE(status == METIS_OK,
                    "METIS could not partition a graph of " << n_vertices << " vertices into " << n_parts << " parts.");
  }
  return {part.begin(), part.end()};
}

#else

const char* metis_version() { return ""; }

std::vector<index_t> metis_parts(const std::vector<index_t>&, const std::vector<index_t>&, index_t,
                                 const std::vector<std::int64_t>&) {
  ::tessera::detail::throw_error(ErrorKind::input, "This build has no METIS.");
}

#endif

} // namespace tessera::graph
