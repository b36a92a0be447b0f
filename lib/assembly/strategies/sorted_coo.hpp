// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_STRATEGIES_SORTED_COO_HPP
#define TESSERA_ASSEMBLY_STRATEGIES_SORTED_COO_HPP

#include "assembly/crs_assembler.hpp"
#include "core/algorithms/scan.hpp"
#include "core/algorithms/sort.hpp"
#include "core/keep_alive.hpp"

namespace tessera::assembly {

namespace detail {

/// Key (row, column) of every entry of every element matrix; entries of fixed nodes get the last key. A further triplet
/// per pair holds the load, in column n_free, so that one reduction computes matrix and right-hand side.
template <class Dofs> struct TripletKeys {
  static constexpr int per_element = Dofs::n_nodes * (Dofs::n_nodes + 1);
  Dofs dofs;
  Array<std::uint64_t*, typename Dofs::memory_space> keys;
  Array<offset_t*, typename Dofs::memory_space> triplets;

  KOKKOS_FUNCTION void operator()(index_t e) const {
    index_t dof[Dofs::n_nodes];
    dofs.dofs_of(e, dof);
    const std::uint64_t width = static_cast<std::uint64_t>(dofs.n_free) + 1;
    const std::uint64_t none = width * dofs.n_free;
    std::int64_t t = static_cast<std::int64_t>(e) * per_element;
    for (int a = 0; a < Dofs::n_nodes; ++a)
      for (int b = 0; b <= Dofs::n_nodes; ++b, ++t) {
        const bool load = b == Dofs::n_nodes;
        const bool kept = dofs.is_free(dof[a]) && (load || dofs.is_free(dof[load ? 0 : b]));
        const index_t column = load ? dofs.n_free : dof[load ? 0 : b];
        keys(t) = kept ? width * dof[a] + column : none;
        triplets(t) = static_cast<offset_t>(t);
      }
  }
};

/// 1 for the first triplet of each (row, column) of the matrix.
template <class Space> struct FlagMatrixHeads {
  Array<const std::uint64_t*, Space> keys;
  Array<offset_t*, Space> heads;
  std::uint64_t width;
  index_t n_free;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const bool head = i == 0 || keys(i) != keys(i - 1);
    heads(i) = head && keys(i) < width * n_free && keys(i) % width < static_cast<std::uint64_t>(n_free) ? 1 : 0;
  }
};

/// Columns, first sorted triplet of each entry, and row offsets from the scanned heads. The triplets of an entry end
/// where the next key begins; a row's loads follow its last entry.
template <class Space> struct WriteEntries {
  Array<const std::uint64_t*, Space> keys;
  Array<const offset_t*, Space> position; // scanned heads
  std::uint64_t width;
  index_t n_free;
  Array<offset_t*, Space> offsets;
  Array<index_t*, Space> columns;
  Array<offset_t*, Space> entry_begin;
  Array<offset_t*, Space> load_begin;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (keys(i) >= width * n_free)
      return;
    const index_t row = static_cast<index_t>(keys(i) / width);
    const index_t column = static_cast<index_t>(keys(i) % width);
    const bool head = i == 0 || keys(i) != keys(i - 1);
    if (!head)
      return;
    if (column == n_free) {
      load_begin(row) = static_cast<offset_t>(i);
      return;
    }
    const offset_t entry = position(i);
    columns(entry) = column;
    entry_begin(entry) = static_cast<offset_t>(i);
    if (i == 0 || keys(i - 1) / width != keys(i) / width)
      offsets(row) = entry;
  }
};

/// Values of all triplets, in the order of the elements.
template <class Loop> struct TripletValues {
  Loop loop;
  Array<double*, typename Loop::memory_space> values;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    index_t dof[Loop::n_nodes];
    double K[Loop::n_nodes][Loop::n_nodes];
    double f[Loop::n_nodes];
    loop.system(e, dof, K, f);
    std::int64_t t = static_cast<std::int64_t>(e) * Loop::n_nodes * (Loop::n_nodes + 1);
    for (int a = 0; a < Loop::n_nodes; ++a) {
      for (int b = 0; b < Loop::n_nodes; ++b)
        values(t++) = K[a][b];
      values(t++) = f[a];
    }
  }
};

/// Sums of the runs of sorted triplets: one thread per matrix entry, then per right-hand side entry.
template <class Space> struct ReduceTriplets {
  Array<const std::uint64_t*, Space> keys;
  Array<const offset_t*, Space> triplets;
  Array<const double*, Space> triplet_values;
  Array<const offset_t*, Space> begin;
  Array<double*, Space> sums;
  std::int64_t n_triplets;
  KOKKOS_FUNCTION void operator()(std::int64_t entry) const {
    std::int64_t i = begin(entry);
    const std::uint64_t key = keys(i);
    double sum = 0.;
    for (; i < n_triplets && keys(i) == key; ++i)
      sum += triplet_values(triplets(i));
    sums(entry) = sum;
  }
};

} // namespace detail

/// Strategy `sorted-coo`: triplets of all elements, sorted by (row, column) with a stable sort, then reduced by key
/// (polytopic-dG paper, approach 1). The sort is symbolic; numeric() recomputes the triplets' values and sums the runs,
/// in a fixed order. Tied unknowns need no special treatment: their runs are only longer.
///
/// Minimum traffic of numeric(): the data of every element, triplet values written and read, order and keys read,
/// values written.
template <class ExecutionSpace, class Form> class SortedCoo final : public CrsAssembler<ExecutionSpace, Form> {
  using Base = CrsAssembler<ExecutionSpace, Form>;
  using typename Base::Dofs;
  using typename Base::Loop;
  using typename Base::Space;

public:
  using Base::Base;

  void symbolic(const ExecutionSpace& exec) override {
    const Dofs dofs = this->loop_.dofs();
    const index_t n_free = dofs.n_free;
    n_triplets_ = checked_offset(static_cast<std::int64_t>(dofs.n_elements()) * detail::TripletKeys<Dofs>::per_element,
                                 "triplets of element matrices");
    keys_ = make_array<Array<std::uint64_t*, Space>>(exec, "assembly::triplet_keys", n_triplets_);
    triplets_ = make_array<Array<offset_t*, Space>>(exec, "assembly::triplets", n_triplets_);
    for_each("tessera::assembly::triplet_keys", exec, dofs.n_elements(),
             detail::TripletKeys<Dofs>{dofs, keys_, triplets_});
    const std::uint64_t width = static_cast<std::uint64_t>(n_free) + 1;
    int key_bits = 1;
    while (key_bits < 64 && (width * n_free) >> key_bits != 0)
      ++key_bits;
    sort_by_key(exec, keys_, triplets_, n_triplets_, key_bits);

    auto heads = make_array<Array<offset_t*, Space>>(exec, "assembly::triplet_heads", n_triplets_ + 1);
    for_each<std::int64_t>("tessera::assembly::flag_heads", exec, n_triplets_,
                           detail::FlagMatrixHeads<Space>{keys_, heads, width, n_free});
    const std::int64_t n_entries = counts_to_offsets(exec, heads, n_triplets_, "matrix entries");
    auto& matrix = this->matrix_;
    matrix.offsets = make_array<Array<offset_t*, Space>>(exec, "assembly::row_offsets", n_free + 1);
    matrix.columns = make_array<Array<index_t*, Space>>(exec, "assembly::columns", n_entries);
    entry_begin_ = make_array<Array<offset_t*, Space>>(exec, "assembly::entry_begin", n_entries);
    load_begin_ = make_array<Array<offset_t*, Space>>(exec, "assembly::load_begin", n_free);
    for_each<std::int64_t>("tessera::assembly::write_entries", exec, n_triplets_,
                           detail::WriteEntries<Space>{keys_, heads, width, n_free, matrix.offsets, matrix.columns,
                                                       entry_begin_, load_begin_});
    fill(exec, Kokkos::subview(matrix.offsets, std::make_pair(n_free, n_free + 1)), static_cast<offset_t>(n_entries));
    keep_alive(exec, heads);
  }

  void numeric(const ExecutionSpace& exec) override {
    this->allocate_values(exec);
    const auto values = triplet_values(exec);
    for_each<std::int64_t>("tessera::assembly::reduce_triplets", exec, this->matrix_.n_entries(),
                           Reduce{keys_, triplets_, values, entry_begin_, this->matrix_.values, n_triplets_});
    reduce_loads(exec, values);
  }

  void load(const ExecutionSpace& exec) override {
    this->allocate_rhs(exec);
    reduce_loads(exec, triplet_values(exec));
  }

  linalg::Traffic symbolic_traffic() const override {
    // One pass over keys and order is the minimum for a sort.
    return {element_bytes(this->loop_) + static_cast<double>(n_triplets_) * 2. * (8. + sizeof(offset_t)) +
                pattern_bytes(this->matrix_),
            0.};
  }
  linalg::Traffic numeric_traffic() const override {
    return {element_bytes(this->loop_) + static_cast<double>(n_triplets_) * (8. + 8. + 8. + sizeof(offset_t)) +
                value_bytes(this->matrix_),
            0.};
  }

private:
  using Reduce = detail::ReduceTriplets<Space>;

  Array<double*, Space> triplet_values(const ExecutionSpace& exec) const {
    auto values = make_array<Array<double*, Space>>(exec, "assembly::triplet_values", n_triplets_);
    for_each("tessera::assembly::triplet_values", exec, this->loop_.n_elements(),
             detail::TripletValues<Loop>{this->loop_, values});
    return values;
  }

  void reduce_loads(const ExecutionSpace& exec, const Array<double*, Space>& values) {
    for_each<std::int64_t>("tessera::assembly::reduce_loads", exec, this->loop_.n_free,
                           Reduce{keys_, triplets_, values, load_begin_, this->rhs_, n_triplets_});
    this->add_tied_totals(exec);
    keep_alive(exec, values);
  }

  std::int64_t n_triplets_ = 0;
  Array<std::uint64_t*, Space> keys_;
  Array<offset_t*, Space> triplets_;
  Array<offset_t*, Space> entry_begin_;
  Array<offset_t*, Space> load_begin_;
};

} // namespace tessera::assembly

#endif
