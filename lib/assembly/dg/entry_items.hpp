// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_ENTRY_ITEMS_HPP
#define TESSERA_ASSEMBLY_DG_ENTRY_ITEMS_HPP

/// \file
/// Simplices or faces by the kernel that computes them: a kernel for each degree, and for each larger degree of the two
/// elements of a face (section 3.1 of Dong, Georgoulis, Kappas).

#include "assembly/dg/form/entry_integrals.hpp"
#include "core/algorithms/list_marked.hpp"
#include "core/algorithms/scan.hpp"

#include <utility>
#include <vector>

namespace tessera::assembly::dg {

/// The items of one kernel.
template <class Space> struct EntryItems {
  int kernel = 0; ///< its degree
  index_t n = 0;
  Array<const index_t*, Space> list; ///< [n]; empty: all items

  KOKKOS_FUNCTION index_t operator()(index_t i) const { return list.extent(0) > 0 ? list(i) : i; }
};

namespace detail {
template <int Dim, class Space, Integral Which> struct MarkEntryItems {
  EntryIntegrals<Dim, Space> integrals;
  int kernel;
  Array<index_t*, Space> marks;
  KOKKOS_FUNCTION void operator()(index_t item) const {
    marks(item) = integrals.template kernel_of<Which>(item) == kernel ? 1 : 0;
  }
};
} // namespace detail

/// Lists `n` simplices or interior faces by their kernels.
template <Integral Which, int Dim, class ExecutionSpace>
std::vector<EntryItems<typename ExecutionSpace::memory_space>>
entry_items(const ExecutionSpace& exec, const EntryIntegrals<Dim, typename ExecutionSpace::memory_space>& integrals,
            index_t n) {
  using Space = typename ExecutionSpace::memory_space;
  const auto& space = integrals.form.space;
  const int smallest = kernel_of<Dim>(space.smallest_degree), largest = kernel_of<Dim>(space.largest_degree);
  if (smallest == largest || n == 0)
    return {{largest, n, {}}};
  std::vector<EntryItems<Space>> items;
  for (int kernel = smallest; kernel <= largest; ++kernel) {
    if (kernel != kernel_of<Dim>(kernel))
      continue;
    const auto marks = make_array<Array<index_t*, Space>>(exec, "assembly::dg::item_marks", n + 1);
    for_each("tessera::assembly::dg::mark_items", exec, n,
             detail::MarkEntryItems<Dim, Space, Which>{integrals, kernel, marks});
    const std::int64_t n_marked = counts_to_offsets(exec, marks, n, "items of a kernel");
    if (n_marked > 0)
      items.push_back({kernel, static_cast<index_t>(n_marked),
                       list_marked<ExecutionSpace>(exec, "assembly::dg::items", marks, n, n_marked)});
  }
  return items;
}

} // namespace tessera::assembly::dg

#endif
