// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_TRIPLETS_HPP
#define TESSERA_ASSEMBLY_DG_TRIPLETS_HPP

/// \file
/// The kernels of the strategy `triplets`, which are compiled for each precision in a file of its own.

#include "assembly/dg/entry_strategies.hpp"
#include "core/algorithms/scan.hpp"
#include "core/algorithms/sort.hpp"
#include "core/keep_alive.hpp"
#include "core/kokkos_ext/device/kernel_group.hpp"

namespace tessera::assembly::dg {

namespace detail {

/// Triplets: row and column in one key, row (n + 1) + column; column n is the load.
template <class Space, class Number> struct TripletArrays {
  Array<std::uint64_t*, Space> keys;
  Array<std::int64_t*, Space> numbers;
  Array<Number*, Space> values;
};

/// Writes the triplets of one item: the t-th ones of all items of a kind are contiguous.
template <class Space, class Number> struct WriteTriplets {
  TripletArrays<Space, Number> triplets;
  Array<const index_t*, Space> dof_offsets;
  std::uint64_t n_dofs;
  mutable std::int64_t position;
  std::int64_t stride;

  KOKKOS_FUNCTION void write(std::uint64_t key, Number value) const {
    triplets.keys(position) = key;
    triplets.numbers(position) = position;
    triplets.values(position) = value;
    position += stride;
  }
  struct Block {
    index_t first_row;
    index_t first_column;
  };
  KOKKOS_FUNCTION Block block(index_t row, index_t column) const { return {dof_offsets(row), dof_offsets(column)}; }
  KOKKOS_FUNCTION void add(const Block& block, int i, int j, Number value) const {
    write(static_cast<std::uint64_t>(block.first_row + i) * (n_dofs + 1) + block.first_column + j, value);
  }
  KOKKOS_FUNCTION void add_load(index_t row, int i, double value) const {
    write(static_cast<std::uint64_t>(dof_offsets(row) + i) * (n_dofs + 1) + n_dofs, static_cast<Number>(value));
  }
};

/// The positions of the triplets of items of one kind; each has `slots`, more than an item of low degree needs.
struct Slots {
  std::int64_t n;
  std::int64_t slots;
  std::int64_t first;
  KOKKOS_FUNCTION std::int64_t end() const { return first + n * slots; }
};

template <int Dim, class Space, class Number, Integral Which, int P> struct WriteItem {
  EntryIntegrals<Dim, Space, Number> integrals;
  TripletArrays<Space, Number> triplets;
  EntryItems<Space> items;
  Slots slots;
  std::uint64_t n_dofs;
  BoundaryKind kind = BoundaryKind::natural; ///< of boundary faces; others are skipped
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const index_t item = items(i);
    if (Which == Integral::boundary && integrals.kind_of(integrals.form.faces.n_interior + item) != kind)
      return;
    const WriteTriplets<Space, Number> sink{triplets, integrals.form.space.dof_offsets, n_dofs, slots.first + item,
                                            slots.n};
    integrals.template add<Which, P>(item, sink);
    while (sink.position < slots.end())
      sink.write(n_dofs * (n_dofs + 1), Number(0)); // sorted after all entries
  }
};

/// Whether a triplet is the first of an entry of the matrix; the number of entries before it after a scan.
template <class Space> struct MarkEntries {
  Array<const std::uint64_t*, Space> keys; // sorted
  std::uint64_t n_dofs;
  Array<offset_t*, Space> marks;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const std::uint64_t key = keys(k);
    const bool is_first = k == 0 || keys(k - 1) != key;
    marks(k) = is_first && key % (n_dofs + 1) != n_dofs && key < n_dofs * (n_dofs + 1) ? 1 : 0;
  }
};

/// Adds the triplets of an entry or load, in order, starting at the first one, and makes the compressed rows.
template <class Space, class Number> struct SumTriplets {
  TripletArrays<Space, Number> triplets; // keys and numbers are sorted
  std::int64_t n_triplets;
  std::uint64_t n_dofs;
  Array<const offset_t*, Space> entries; ///< before each triplet
  Array<offset_t*, Space> row_offsets;
  Array<index_t*, Space> columns;
  Array<Number*, Space> values;
  double* rhs;

  /// Row of a triplet; that after the last of the matrix for those that fill slots.
  KOKKOS_FUNCTION index_t row(std::int64_t k) const {
    return static_cast<index_t>(k < n_triplets ? triplets.keys(k) / (n_dofs + 1) : n_dofs);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t first) const {
    for (index_t r = first > 0 ? row(first - 1) + 1 : 0; r <= row(first); ++r)
      row_offsets(r) = entries(first);
    const std::uint64_t end = n_dofs * (n_dofs + 1);
    const std::uint64_t key = first < n_triplets ? triplets.keys(first) : end;
    if (key == end || (first > 0 && triplets.keys(first - 1) == key))
      return;
    Number sum = 0;
    for (std::int64_t k = first; k < n_triplets && triplets.keys(k) == key; ++k)
      sum += triplets.values(triplets.numbers(k));
    const std::uint64_t column = key % (n_dofs + 1);
    if (column == n_dofs) {
      rhs[row(first)] = sum;
      return;
    }
    columns(entries(first)) = static_cast<index_t>(column);
    values(entries(first)) = sum;
  }
};

/// Copies a row to the blocks of its element. Both have ascending columns.
template <class Space, class Number> struct CopyToBlocks {
  Array<const offset_t*, Space> row_offsets;
  Array<const index_t*, Space> columns;
  Array<const Number*, Space> values;
  BlockPositions<Space> blocks;
  index_t n_elements;
  Array<Number*, Space> block_values;

  KOKKOS_FUNCTION index_t element_of(index_t dof) const {
    index_t low = 0;
    index_t high = n_elements - 1;
    while (low < high) {
      const index_t middle = low + (high - low + 1) / 2;
      if (blocks.dof_offsets(middle) <= dof)
        low = middle;
      else
        high = middle - 1;
    }
    return low;
  }
  KOKKOS_FUNCTION void operator()(index_t dof) const {
    const index_t row = element_of(dof);
    const offset_t n_rows = blocks.dof_offsets(row + 1) - blocks.dof_offsets(row);
    offset_t block = blocks.row_offsets(row);
    for (offset_t k = row_offsets(dof); k < row_offsets(dof + 1); ++k) {
      while (columns(k) >= blocks.dof_offsets(blocks.columns(block) + 1))
        ++block;
      block_values(blocks.value_offsets(block) + (columns(k) - blocks.dof_offsets(blocks.columns(block))) * n_rows +
                   dof - blocks.dof_offsets(row)) = values(k);
    }
  }
};

} // namespace detail

template <class ExecutionSpace, int Dim, class Number>
void Triplets<ExecutionSpace, Dim, Number>::assemble(const ExecutionSpace& exec, bool with_matrix) {
  using Space = typename ExecutionSpace::memory_space;
  const auto& form = this->form_;
  const std::int64_t size = form.space.largest_size;
  const std::int64_t entries = with_matrix ? size * size : 0;
  const index_t n_interior = form.faces.n_interior;
  const detail::Slots volume{form.n_simplices(), entries, 0};
  const detail::Slots loads{form.n_simplices(), size, volume.end()};
  const detail::Slots interior{n_interior, 4 * entries, loads.end()};
  const detail::Slots boundary{form.faces.n_faces() - n_interior, entries + size, interior.end()};
  const std::int64_t n = boundary.end();
  const auto n_dofs = static_cast<std::uint64_t>(form.space.n_dofs);
  detail::TripletArrays<Space, Number> triplets;
  triplets.keys = make_array<Array<std::uint64_t*, Space>>(exec, "assembly::dg::triplet_keys", n);
  triplets.numbers = make_array<Array<std::int64_t*, Space>>(exec, "assembly::dg::triplet_numbers", n);
  triplets.values = make_array<Array<Number*, Space>>(exec, "assembly::dg::triplet_values", n);

  const auto integrals = this->integrals(with_matrix);
  for (const auto& items : this->simplices_)
    visit_kernel<Dim>(items.kernel, [&](auto degree) {
      constexpr int P = decltype(degree)::value;
      if (with_matrix)
        launch_loop<void, EntryBounds<P>>(
            "tessera::assembly::dg::triplets_volume", exec, items.n,
            detail::WriteItem<Dim, Space, Number, Integral::volume, P>{integrals, triplets, items, volume, n_dofs});
      for_each("tessera::assembly::dg::triplets_loads", exec, items.n,
               detail::WriteItem<Dim, Space, Number, Integral::loads, P>{integrals, triplets, items, loads, n_dofs});
    });
  if (with_matrix)
    for (const auto& items : this->interior_faces_)
      visit_kernel<Dim>(items.kernel, [&](auto degree) {
        constexpr int P = decltype(degree)::value;
        launch_loop<void, EntryBounds<P>>(
            "tessera::assembly::dg::triplets_interior", exec, items.n,
            detail::WriteItem<Dim, Space, Number, Integral::interior, P>{integrals, triplets, items, interior, n_dofs});
      });
  for (const auto& part : boundary_kinds)
    for_each((std::string("tessera::assembly::dg::triplets_") + part.name).c_str(), exec, boundary.n,
             detail::WriteItem<Dim, Space, Number, Integral::boundary, fe::max_modal_degree<Dim>>{
                 integrals, triplets, {}, boundary, n_dofs, part.kind});
  {
    const KernelGroup group("tessera::assembly::dg::sort_triplets");
    sort_by_key(exec, triplets.keys, triplets.numbers, n,
                bits_for(static_cast<std::int64_t>(n_dofs * (n_dofs + 1) + 1)));
  }
  const auto marks = make_array<Array<offset_t*, Space>>(exec, "assembly::dg::triplet_marks", n + 1);
  for_each<std::int64_t>("tessera::assembly::dg::mark_entries", exec, n,
                         detail::MarkEntries<Space>{triplets.keys, n_dofs, marks});
  const std::int64_t n_entries = counts_to_offsets(exec, marks, n, "matrix entries");
  const auto row_offsets = make_array<Array<offset_t*, Space>>(exec, "assembly::dg::entry_rows", n_dofs + 1);
  const auto columns = make_array<Array<index_t*, Space>>(exec, "assembly::dg::entry_columns", n_entries);
  const auto values = make_array<Array<Number*, Space>>(exec, "assembly::dg::entry_values", n_entries);
  for_each<std::int64_t>(
      "tessera::assembly::dg::sum_triplets", exec, n + 1,
      detail::SumTriplets<Space, Number>{triplets, n, n_dofs, marks, row_offsets, columns, values, this->rhs_.data()});
  if (with_matrix)
    for_each("tessera::assembly::dg::copy_rows", exec, form.space.n_dofs,
             detail::CopyToBlocks<Space, Number>{row_offsets, columns, values, BlockPositions<Space>(this->matrix_),
                                                 form.n_elements(), this->values()});
  keep_alive(exec, triplets, marks, row_offsets, columns, values);
}

} // namespace tessera::assembly::dg

#endif
