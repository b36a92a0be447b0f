// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/entry_strategies.hpp"
#include "core/algorithms/sort.hpp"
#include "core/keep_alive.hpp"

namespace tessera::assembly::dg {

namespace {

/// Triplets: row and column in one key, row (n + 1) + column; column n is the load.
template <class Space> struct TripletArrays {
  Array<std::uint64_t*, Space> keys;
  Array<std::int64_t*, Space> numbers;
  Array<double*, Space> values;
};

/// Writes the triplets of one item: the t-th ones of all items of a kind are contiguous.
template <class Space> struct WriteTriplets {
  TripletArrays<Space> triplets;
  Array<const index_t*, Space> dof_offsets;
  std::uint64_t n_dofs;
  mutable std::int64_t position;
  std::int64_t stride;

  KOKKOS_FUNCTION void write(std::uint64_t key, double value) const {
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
  KOKKOS_FUNCTION void add(const Block& block, int i, int j, double value) const {
    write(static_cast<std::uint64_t>(block.first_row + i) * (n_dofs + 1) + block.first_column + j, value);
  }
  KOKKOS_FUNCTION void add_load(index_t row, int i, double value) const {
    write(static_cast<std::uint64_t>(dof_offsets(row) + i) * (n_dofs + 1) + n_dofs, value);
  }
};

/// The positions of the triplets of items of one kind; each has `slots`, more than an item of low degree needs.
struct Slots {
  std::int64_t n;
  std::int64_t slots;
  std::int64_t first;
  KOKKOS_FUNCTION std::int64_t end() const { return first + n * slots; }
};

template <int Dim, class Space, Integral Which, int P> struct WriteItem {
  EntryIntegrals<Dim, Space> integrals;
  TripletArrays<Space> triplets;
  EntryItems<Space> items;
  Slots slots;
  std::uint64_t n_dofs;
  BoundaryKind kind = BoundaryKind::natural; ///< of boundary faces; others are skipped
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const index_t item = items(i);
    if (Which == Integral::boundary && integrals.kind_of(integrals.form.faces.n_interior + item) != kind)
      return;
    const WriteTriplets<Space> sink{triplets, integrals.form.space.dof_offsets, n_dofs, slots.first + item, slots.n};
    integrals.template add<Which, P>(item, sink);
    while (sink.position < slots.end())
      sink.write(n_dofs * (n_dofs + 1), 0.); // sorted after all entries
  }
};

/// Adds the triplets of an entry, in order, starting at the first one.
template <class Space> struct SumTriplets {
  TripletArrays<Space> triplets; // keys and indices are sorted
  std::int64_t n_triplets;
  BlockPositions<Space> position;
  std::uint64_t n_dofs;
  index_t n_elements;
  double* values;
  double* rhs;

  KOKKOS_FUNCTION index_t element_of(index_t dof) const {
    index_t low = 0;
    index_t high = n_elements - 1;
    while (low < high) {
      const index_t middle = low + (high - low + 1) / 2;
      if (position.dof_offsets(middle) <= dof)
        low = middle;
      else
        high = middle - 1;
    }
    return low;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t first) const {
    const std::uint64_t key = triplets.keys(first);
    if ((first > 0 && triplets.keys(first - 1) == key) || key == n_dofs * (n_dofs + 1))
      return;
    double sum = 0.;
    for (std::int64_t k = first; k < n_triplets && triplets.keys(k) == key; ++k)
      sum += triplets.values(triplets.numbers(k));
    const auto dof = static_cast<index_t>(key / (n_dofs + 1));
    const auto column_dof = static_cast<index_t>(key % (n_dofs + 1));
    if (static_cast<std::uint64_t>(column_dof) == n_dofs) {
      rhs[dof] = sum;
      return;
    }
    const index_t row = element_of(dof);
    const index_t column = element_of(column_dof);
    const offset_t n_rows = position.dof_offsets(row + 1) - position.dof_offsets(row);
    values[position(row, column) + (column_dof - position.dof_offsets(column)) * n_rows + dof -
           position.dof_offsets(row)] = sum;
  }
};

} // namespace

template <class ExecutionSpace, int Dim>
void Triplets<ExecutionSpace, Dim>::assemble(const ExecutionSpace& exec, bool with_matrix) {
  using Space = typename ExecutionSpace::memory_space;
  const auto& form = this->form_;
  const std::int64_t size = form.space.largest_size;
  const std::int64_t entries = with_matrix ? size * size : 0;
  const index_t n_interior = form.faces.n_interior;
  const Slots volume{form.n_simplices(), entries, 0};
  const Slots loads{form.n_simplices(), size, volume.end()};
  const Slots interior{n_interior, 4 * entries, loads.end()};
  const Slots boundary{form.faces.n_faces() - n_interior, entries + size, interior.end()};
  const std::int64_t n = boundary.end();
  const auto n_dofs = static_cast<std::uint64_t>(form.space.n_dofs);
  TripletArrays<Space> triplets;
  triplets.keys = make_array<Array<std::uint64_t*, Space>>(exec, "assembly::dg::triplet_keys", n);
  triplets.numbers = make_array<Array<std::int64_t*, Space>>(exec, "assembly::dg::triplet_numbers", n);
  triplets.values = make_array<Array<double*, Space>>(exec, "assembly::dg::triplet_values", n);

  const EntryIntegrals<Dim, Space> integrals{form, with_matrix};
  for (const auto& items : this->simplices_)
    visit_kernel<Dim>(items.kernel, [&](auto degree) {
      constexpr int P = decltype(degree)::value;
      if (with_matrix)
        launch_loop<void, EntryBounds<P>>(
            "tessera::assembly::dg::triplets_volume", exec, items.n,
            WriteItem<Dim, Space, Integral::volume, P>{integrals, triplets, items, volume, n_dofs});
      for_each("tessera::assembly::dg::triplets_loads", exec, items.n,
               WriteItem<Dim, Space, Integral::loads, P>{integrals, triplets, items, loads, n_dofs});
    });
  if (with_matrix)
    for (const auto& items : this->interior_faces_)
      visit_kernel<Dim>(items.kernel, [&](auto degree) {
        constexpr int P = decltype(degree)::value;
        launch_loop<void, EntryBounds<P>>(
            "tessera::assembly::dg::triplets_interior", exec, items.n,
            WriteItem<Dim, Space, Integral::interior, P>{integrals, triplets, items, interior, n_dofs});
      });
  for (const auto& part : boundary_kinds)
    for_each((std::string("tessera::assembly::dg::triplets_") + part.name).c_str(), exec, boundary.n,
             WriteItem<Dim, Space, Integral::boundary, fe::max_modal_degree<Dim>>{
                 integrals, triplets, {}, boundary, n_dofs, part.kind});
  sort_by_key(exec, triplets.keys, triplets.numbers, n, bits_for(static_cast<std::int64_t>(n_dofs * (n_dofs + 1) + 1)));
  for_each<std::int64_t>("tessera::assembly::dg::sum_triplets", exec, n,
                         SumTriplets<Space>{triplets, n, BlockPositions<Space>(this->matrix_), n_dofs,
                                            form.n_elements(), this->matrix_.values.data(), this->rhs_.data()});
  keep_alive(exec, triplets);
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template class Triplets<Space, 2>;                                                                                   \
  template class Triplets<Space, 3>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::assembly::dg
