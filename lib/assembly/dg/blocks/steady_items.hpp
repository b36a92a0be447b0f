// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_BLOCKS_STEADY_ITEMS_HPP
#define TESSERA_ASSEMBLY_DG_BLOCKS_STEADY_ITEMS_HPP

/// \file
/// Lists of the elements and interfaces that the kernels of steady_blocks.hpp compute, and of the others.

#include "assembly/dg/form/region_terms.hpp"
#include "core/algorithms/queued_scans.hpp"
#include "core/parallel.hpp"

#include <array>
#include <vector>

namespace tessera::assembly::dg {

/// Which kernel computes an item: that for constant coefficients (numeric), that for coefficients that do not depend on
/// time (steady), or the general one.
enum class ItemKind { numeric, steady, other };

/// Indices of the items of each kind, ascending.
template <class MemorySpace> struct ItemLists {
  Array<const index_t*, MemorySpace> before[2]; ///< number of numeric and of steady items before each item, [n + 1]
  Array<const index_t*, MemorySpace> lists[3];  ///< by ItemKind
  index_t counts[3] = {0, 0, 0};
};

/// Maximum number of simplices of an element, and of faces of an interface, that are summed pair by pair: above it,
/// moments need fewer operations (docs/notebook/dg.md).
constexpr index_t most_steady_parts = 8;

template <int Dim, class MemorySpace> struct KindOfElement {
  Form<Dim, MemorySpace> form;
  Array<const RegionTerms<physics::AdvectionCoefficients<Dim, MemorySpace>>*, MemorySpace> regions;
  KOKKOS_FUNCTION ItemKind operator()(index_t e) const {
    const auto& region = regions(form.regions(e));
    if (region.n_variable > region.n_in_space ||
        form.simplex_offsets(e + 1) - form.simplex_offsets(e) > most_steady_parts)
      return ItemKind::other;
    const bool is_interior = form.faces.boundary_offsets(e) == form.faces.boundary_offsets(e + 1);
    return region.n_variable == 0 && is_interior ? ItemKind::numeric : ItemKind::steady;
  }
};

template <int Dim, class MemorySpace> struct KindOfInterface {
  Form<Dim, MemorySpace> form;
  Array<const RegionTerms<physics::AdvectionCoefficients<Dim, MemorySpace>>*, MemorySpace> regions;
  KOKKOS_FUNCTION ItemKind operator()(index_t i) const {
    ItemKind kind = ItemKind::numeric;
    for (int side = 0; side < 2; ++side) {
      const auto& region = regions(form.regions(form.faces.interface_elements(i, side)));
      if (region.n_variable > region.n_in_space)
        return ItemKind::other;
      if (region.n_variable > 0)
        kind = ItemKind::steady;
    }
    const index_t n_faces = form.faces.interface_faces(i + 1) - form.faces.interface_faces(i);
    return n_faces > most_steady_parts ? ItemKind::other : kind;
  }
};

namespace detail {
template <class Kind, class MemorySpace> struct MarkKinds {
  Kind kind;
  Array<index_t*, MemorySpace> marks[2];
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const ItemKind of_item = kind(i);
    marks[0](i) = of_item == ItemKind::numeric ? 1 : 0;
    marks[1](i) = of_item == ItemKind::steady ? 1 : 0;
  }
};

template <class MemorySpace> struct ListKinds {
  Array<const index_t*, MemorySpace> before[2];
  Array<index_t*, MemorySpace> lists[3];
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const index_t numeric = before[0](i);
    const index_t steady = before[1](i);
    if (before[0](i + 1) > numeric)
      lists[0](numeric) = i;
    else if (before[1](i + 1) > steady)
      lists[1](steady) = i;
    else
      lists[2](i - numeric - steady) = i;
  }
};
} // namespace detail

/// Lists of elements and of interfaces by their kind, with one wait.
template <class ExecutionSpace> class ListItems {
public:
  using Space = typename ExecutionSpace::memory_space;

  explicit ListItems(const ExecutionSpace& exec) : exec_(exec), scans_(exec, "assembly::dg::items_of_kinds", 0) {}

  /// Counts the kinds of n items; call for up to two sets of items.
  template <class Kind> void count(index_t n, const Kind& kind) {
    detail::MarkKinds<Kind, Space> mark{kind, {}};
    for (auto& marks : mark.marks)
      marks = make_array<Array<index_t*, Space>>(exec_, "assembly::dg::items_before", std::int64_t(n) + 1);
    for_each("tessera::assembly::dg::mark_kinds", exec_, n, mark);
    counted_.push_back({n, {mark.marks[0], mark.marks[1]}});
    for (const auto& marks : mark.marks)
      scans_.add(exec_, marks, n);
  }
  /// The lists of the items in the order of count(). Waits.
  std::array<ItemLists<Space>, 2> lists() const {
    const auto totals = scans_.totals(exec_);
    std::array<ItemLists<Space>, 2> result;
    for (std::size_t i = 0; i < counted_.size(); ++i) {
      ItemLists<Space>& items = result[i];
      items.counts[2] = counted_[i].n;
      detail::ListKinds<Space> list;
      for (std::size_t k = 0; k < 2; ++k) {
        items.counts[k] = static_cast<index_t>(totals[2 * i + k]); // at most n
        items.counts[2] -= items.counts[k];
        items.before[k] = list.before[k] = counted_[i].before[k];
      }
      for (int k = 0; k < 3; ++k)
        items.lists[k] = list.lists[k] =
            make_array<Array<index_t*, Space>>(exec_, "assembly::dg::items", items.counts[k]);
      for_each("tessera::assembly::dg::list_kinds", exec_, counted_[i].n, list);
    }
    return result;
  }

private:
  struct Counted {
    index_t n;
    Array<index_t*, Space> before[2];
  };
  ExecutionSpace exec_;
  QueuedScans<4, ExecutionSpace> scans_;
  std::vector<Counted> counted_;
};

} // namespace tessera::assembly::dg

#endif
