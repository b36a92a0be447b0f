// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_STEADY_ITEMS_HPP
#define TESSERA_ASSEMBLY_DG_STEADY_ITEMS_HPP

/// \file
/// Elements and interfaces that the kernels of steady_blocks.hpp compute, and the others.

#include "assembly/dg/region_terms.hpp"
#include "core/parallel.hpp"
#include "core/scan.hpp"

namespace tessera::assembly::dg {

/// Numbers of those items that the steady kernels compute, ascending, and of the others. Empty lists: there are no
/// steady ones, and the others are all, which no list has to name.
template <class MemorySpace> struct SteadyItems {
  Array<const index_t*, MemorySpace> offsets; ///< steady ones before each item, [n + 1]
  Array<const index_t*, MemorySpace> steady;
  Array<const index_t*, MemorySpace> others;
  index_t n_steady = 0;
};

/// Most simplices of an element, and faces of an interface, that are summed pair by pair: above, moments need fewer
/// operations (docs/notebook/dg.md).
constexpr index_t most_steady_parts = 8;

/// Whether A, b and c do not depend on time, no face lies on the boundary, and simplices are few.
template <int Dim, class MemorySpace> struct IsSteadyElement {
  Form<Dim, MemorySpace> form;
  Array<const RegionTerms<physics::TransportCoefficients<Dim, MemorySpace>>*, MemorySpace> regions;
  Array<index_t*, MemorySpace> marks;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    const auto& region = regions(form.regions(e));
    const bool is_steady = region.n_variable == region.n_in_space &&
                           form.faces.boundary_offsets(e) == form.faces.boundary_offsets(e + 1) &&
                           form.simplex_offsets(e + 1) - form.simplex_offsets(e) <= most_steady_parts;
    marks(e) = is_steady ? 1 : 0;
  }
};

/// Whether A, b and c do not depend on time on both sides, and faces are few.
template <int Dim, class MemorySpace> struct IsSteadyInterface {
  Form<Dim, MemorySpace> form;
  Array<const RegionTerms<physics::TransportCoefficients<Dim, MemorySpace>>*, MemorySpace> regions;
  Array<index_t*, MemorySpace> marks;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    bool is_steady = form.faces.interface_faces(i + 1) - form.faces.interface_faces(i) <= most_steady_parts;
    for (int side = 0; side < 2; ++side) {
      const auto& region = regions(form.regions(form.faces.interface_elements(i, side)));
      is_steady = is_steady && region.n_variable == region.n_in_space;
    }
    marks(i) = is_steady ? 1 : 0;
  }
};

namespace detail {
template <class MemorySpace> struct SplitItems {
  Array<const index_t*, MemorySpace> offsets;
  Array<index_t*, MemorySpace> steady;
  Array<index_t*, MemorySpace> others;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const index_t before = offsets(i);
    if (offsets(i + 1) > before)
      steady(before) = i;
    else
      others(i - before) = i;
  }
};
} // namespace detail

/// Splits n items by what a predicate, one of those above, marks.
template <class ExecutionSpace, class Predicate>
SteadyItems<typename ExecutionSpace::memory_space> split_items(const ExecutionSpace& exec, index_t n,
                                                               Predicate predicate) {
  using Space = typename ExecutionSpace::memory_space;
  SteadyItems<Space> items;
  const auto offsets = make_array<Array<index_t*, Space>>(exec, "assembly::dg::steady_offsets", std::int64_t(n) + 1);
  predicate.marks = offsets;
  for_each("tessera::assembly::dg::mark_steady", exec, n, predicate);
  items.n_steady = static_cast<index_t>(counts_to_offsets(exec, offsets, n, "items of steady kernels"));
  if (items.n_steady == 0)
    return items;
  const auto steady = make_array<Array<index_t*, Space>>(exec, "assembly::dg::steady_items", items.n_steady);
  const auto others = make_array<Array<index_t*, Space>>(exec, "assembly::dg::other_items", n - items.n_steady);
  for_each("tessera::assembly::dg::split_items", exec, n, detail::SplitItems<Space>{offsets, steady, others});
  items.offsets = offsets;
  items.steady = steady;
  items.others = others;
  return items;
}

} // namespace tessera::assembly::dg

#endif
