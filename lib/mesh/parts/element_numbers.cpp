// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/parts/element_numbers.hpp"

#include "core/algorithms/scan.hpp"
#include "core/keep_alive.hpp"

namespace tessera::mesh {

namespace {

template <class Space> struct FirstSimplices {
  Array<const index_t*, Space> parts;
  index_t n;
  Array<index_t*, Space> first;   // by part
  Array<index_t*, Space> invalid; // first simplex with an invalid number
  KOKKOS_FUNCTION void operator()(index_t s) const {
    const index_t part = parts(s);
    if (part < 0 || part >= n)
      Kokkos::atomic_fetch_min(&invalid(0), s);
    else if (s == 0 || parts(s - 1) != part) // avoids contention if there are few parts
      Kokkos::atomic_fetch_min(&first(part), s);
  }
};

template <class Space> struct FlagFirst {
  Array<const index_t*, Space> parts;
  Array<const index_t*, Space> first;
  Array<index_t*, Space> number; // by simplex
  KOKKOS_FUNCTION void operator()(index_t s) const { number(s) = first(parts(s)) == s ? 1 : 0; }
};

template <class Space> struct NumberSimplices {
  Array<const index_t*, Space> parts;
  Array<const index_t*, Space> first;
  Array<const index_t*, Space> number;
  Array<index_t*, Space> element_of;
  KOKKOS_FUNCTION void operator()(index_t s) const { element_of(s) = number(first(parts(s))); }
};

} // namespace

template <class ExecutionSpace>
ElementNumbers<ExecutionSpace> number_elements(const ExecutionSpace& exec,
                                               const Array<const index_t*, ExecutionSpace>& parts) {
  using Space = typename ExecutionSpace::memory_space;
  const auto n = static_cast<index_t>(parts.extent(0));
  const auto first = make_filled<Array<index_t*, Space>>(exec, "mesh::first_simplices", n, n);
  const auto invalid = make_filled<Array<index_t*, Space>>(exec, "mesh::invalid_part", 1, n);
  const auto number = make_array<Array<index_t*, Space>>(exec, "mesh::element_numbers", n + 1);
  for_each("tessera::mesh::first_simplices", exec, n, FirstSimplices<Space>{parts, n, first, invalid});
  const index_t wrong = read_entry(exec, invalid, 0);
  TESSERA_REQUIRE(wrong == n, "Simplex " << wrong << " is said to be in element " << read_entry(exec, parts, wrong)
                                         << "; with " << n << " simplices numbers go from 0 to " << n - 1 << ".");
  for_each("tessera::mesh::flag_first_simplices", exec, n, FlagFirst<Space>{parts, first, number});
  ElementNumbers<ExecutionSpace> result;
  result.n_elements = static_cast<index_t>(counts_to_offsets(exec, number, n, "elements"));
  result.element_of = make_array<Array<index_t*, Space>>(exec, "mesh::element_of", n);
  for_each("tessera::mesh::number_simplices", exec, n, NumberSimplices<Space>{parts, first, number, result.element_of});
  keep_alive(exec, first, number);
  return result;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template ElementNumbers<Space> number_elements(const Space&, const Array<const index_t*, Space>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::mesh
