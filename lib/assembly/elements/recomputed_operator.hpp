// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ELEMENTS_RECOMPUTED_OPERATOR_HPP
#define TESSERA_ASSEMBLY_ELEMENTS_RECOMPUTED_OPERATOR_HPP

/// \file
/// Operators that are never assembled: A x = sum over elements of Q^T K Q x (EBE paper, equation 3).

#include "assembly/elements/color_elements.hpp"
#include "assembly/elements/stored_matrices.hpp"
#include "assembly/rows/tied_rows.hpp"
#include "assembly/traffic.hpp"

namespace tessera::assembly {

namespace detail {

/// y += K x of `Items` consecutive elements whose matrices are recomputed. What they add to common unknowns is added up
/// before: consecutive elements share most of theirs.
template <class Loop, bool Atomic, int Items> struct ApplyRecomputed {
  static constexpr int N = Loop::n_nodes;
  static constexpr int n_slots = N * Items;
  Loop loop;
  ConstArray<const index_t*, typename Loop::memory_space> elements; ///< permutation; empty: natural order
  index_t begin;
  index_t end;
  ConstArray<const double*, typename Loop::memory_space> x;
  Array<double*, typename Loop::memory_space> y;

  KOKKOS_FUNCTION void operator()(index_t i) const {
    index_t dof[n_slots];
    double product[n_slots];
    TESSERA_UNROLL
    for (int k = 0; k < Items; ++k) {
      const std::int64_t position = begin + static_cast<std::int64_t>(i) * Items + k;
      const bool exists = Items == 1 || position < end;
      multiply_one(exists ? static_cast<index_t>(position) : end - 1, dof + k * N, product + k * N);
      if (!exists)
        for (int a = 0; a < N; ++a)
          dof[k * N + a] = loop.n_free;
    }
    TESSERA_UNROLL
    for (int s = N; s < n_slots; ++s) {
      TESSERA_UNROLL
      for (int t = 0; t < s / N * N; ++t)
        if (dof[t] == dof[s]) {
          product[t] += product[s];
          dof[s] = loop.n_free; // not plain: nothing is left to add
        }
    }
    TESSERA_UNROLL
    for (int s = 0; s < n_slots; ++s)
      if (loop.is_plain(dof[s]))
        add_to<Atomic>(&y(dof[s]), product[s]);
  }

private:
  KOKKOS_FUNCTION void multiply_one(index_t position, index_t* dofs, double* products) const {
    const index_t e = elements.extent(0) > 0 ? elements(position) : position;
    index_t n[N];
    double local[N];
    double product[N];
    loop.form.nodes(e, n);
    for (int a = 0; a < N; ++a) {
      dofs[a] = loop.node_dof(n[a]);
      local[a] = loop.is_free(dofs[a]) ? x(dofs[a]) : 0.;
    }
    loop.form.apply(e, n, local, product);
    for (int a = 0; a < N; ++a)
      products[a] = product[a];
  }
};

/// Diagonal or load of one element, accumulated at its plain unknowns. Nodes that share an unknown (both ends of a
/// periodic domain of one element) meet on the diagonal.
template <class Loop, bool Atomic, bool Load> struct AccumulateElements {
  Loop loop;
  ConstArray<const index_t*, typename Loop::memory_space> elements;
  index_t begin;
  Array<double*, typename Loop::memory_space> result;

  KOKKOS_FUNCTION void operator()(index_t i) const {
    constexpr int N = Loop::n_nodes;
    const index_t e = elements.extent(0) > 0 ? elements(begin + i) : i;
    index_t dof[N];
    double K[N][N];
    double f[N];
    loop.system(e, dof, K, f);
    for (int a = 0; a < N; ++a) {
      if (!loop.is_plain(dof[a]))
        continue;
      double value = Load ? f[a] : 0.;
      for (int b = 0; b < N && !Load; ++b)
        if (dof[b] == dof[a])
          value += K[a][b];
      add_to<Atomic>(&result(dof[a]), value);
    }
  }
};

} // namespace detail

/// Element matrices recomputed in every application: by colours, or with atomic additions.
///
/// Minimum traffic of apply(): connectivity, coordinates, dof map, regions, (permutation by colour), x read, y written.
template <class ExecutionSpace, class Form, bool Atomic>
class RecomputedOperator final : public linalg::LinearOperator<ExecutionSpace> {
public:
  using Space = typename ExecutionSpace::memory_space;
  using Loop = ElementLoop<Form>;
  using typename linalg::LinearOperator<ExecutionSpace>::vector_type;
  using typename linalg::LinearOperator<ExecutionSpace>::const_vector_type;
  static constexpr bool atomic = Atomic && !is_serial_space<ExecutionSpace>;
  /// Elements per thread. Neighbouring threads of a device meet in the same cache lines anyway, which several elements
  /// to a thread keep apart (50 M triangles on an H200, in ms, with 1, 2, 4: 0.83, 0.72, 0.92).
  static constexpr int items = !atomic || Loop::n_nodes > 6 ? 1 : Loop::on_host&& Loop::n_nodes <= 4 ? 4 : 2;

  RecomputedOperator(const Loop& loop, ColorClasses<Space> classes, SharedRows<ExecutionSpace, Form> shared)
      : loop_(loop), classes_(std::move(classes)), shared_(std::move(shared)) {}

  index_t size() const override { return loop_.n_free; }

  void apply(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y) const override {
    fill(exec, y, 0.);
    for (int c = 0; c < classes_.n_colors(); ++c)
      for_each("tessera::assembly::apply_recomputed", exec,
               (static_cast<std::int64_t>(classes_.size(c)) + items - 1) / items,
               detail::ApplyRecomputed<Loop, atomic, items>{loop_, classes_.elements, classes_.begin(c),
                                                            classes_.begin(c) + classes_.size(c), x, y});
    shared_.apply(exec, loop_, x, y);
  }

  void diagonal(const ExecutionSpace& exec, const vector_type& d) const override {
    accumulate<false>(exec, d);
    shared_.diagonal(exec, loop_, d);
  }

  void loads(const ExecutionSpace& exec, const vector_type& rhs) const {
    accumulate<true>(exec, rhs);
    shared_.loads(exec, loop_, rhs);
  }

  linalg::Traffic traffic() const override {
    constexpr double N = Loop::n_nodes;
    return {element_bytes(loop_) + (Atomic ? 0. : 4. * loop_.n_elements()) + 16. * loop_.n_free,
            2. * N * N * loop_.n_elements()};
  }

private:
  template <bool Load> void accumulate(const ExecutionSpace& exec, const vector_type& result) const {
    fill(exec, result, 0.);
    for (int c = 0; c < classes_.n_colors(); ++c)
      for_each("tessera::assembly::accumulate_elements", exec, classes_.size(c),
               detail::AccumulateElements<Loop, atomic, Load>{loop_, classes_.elements, classes_.begin(c), result});
  }

  Loop loop_;
  ColorClasses<Space> classes_;
  SharedRows<ExecutionSpace, Form> shared_;
};

/// Element matrices kept, applied colour by colour; or element by element, for solvers on element level.
///
/// Minimum traffic of apply(): packed matrices and unknowns of every element, x read, y written.
template <class ExecutionSpace, class Form>
class StoredOperator final : public linalg::ElementLevelOperator<ExecutionSpace> {
public:
  using Space = typename ExecutionSpace::memory_space;
  using Loop = ElementLoop<Form>;
  using typename linalg::LinearOperator<ExecutionSpace>::vector_type;
  using typename linalg::LinearOperator<ExecutionSpace>::const_vector_type;
  static constexpr bool on_host = is_host_space<ExecutionSpace>;
  using Stored = detail::StoredMatrices<Loop, on_host>;

  StoredOperator(const ExecutionSpace& exec, const Loop& loop, ColorClasses<Space> classes,
                 SharedRows<ExecutionSpace, Form> shared)
      : loop_(loop), classes_(std::move(classes)), shared_(std::move(shared)) {
    const std::int64_t n = loop.n_elements();
    stored_.n_elements = n;
    stored_.values = make_array<Array<double*, Space>>(exec, "assembly::element_matrices", n * Stored::n_entries);
    stored_.dofs = make_array<Array<index_t*, Space>>(exec, "assembly::element_dofs", n * Stored::N);
    if (shared_.empty())
      return;
    const detail::PermutedDofs<Loop> dofs{loop.dofs(), classes_.elements};
    shared_slots_ = list_shared_slots(exec, dofs, loop.n_elements(), loop.n_plain, loop.n_free);
    shared_sums_ = sums_by_group(exec, shared_slots_);
  }

  index_t size() const override { return loop_.n_free; }

  /// Evaluates all element matrices and the right-hand side.
  void evaluate(const ExecutionSpace& exec, const vector_type& rhs) const {
    fill(exec, rhs, 0.);
    for (int c = 0; c < classes_.n_colors(); ++c)
      for_each("tessera::assembly::store_elements", exec, classes_.size(c),
               detail::StoreElements<Loop, on_host>{loop_, classes_.elements, classes_.begin(c), stored_, rhs});
    shared_.loads(exec, loop_, rhs);
  }

  void apply(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y) const override {
    fill(exec, y, 0.);
    for (int c = 0; c < classes_.n_colors(); ++c)
      for_each("tessera::assembly::apply_stored", exec, classes_.size(c),
               detail::ApplyStored<Loop, on_host>{stored_, classes_.begin(c), loop_.n_plain, loop_.n_free, x, y});
    shared_.apply(exec, loop_, x, y);
  }

  void diagonal(const ExecutionSpace& exec, const vector_type& d) const override {
    fill(exec, d, 0.);
    for (int c = 0; c < classes_.n_colors(); ++c)
      for_each("tessera::assembly::stored_diagonal", exec, classes_.size(c),
               detail::StoredDiagonal<Loop, on_host>{stored_, classes_.begin(c), loop_.n_plain, d});
    shared_.diagonal(exec, loop_, d);
  }

  linalg::Traffic traffic() const override {
    constexpr double N = Loop::n_nodes;
    return {loop_.n_elements() * (Stored::n_entries * 8. + N * 4.) + 16. * loop_.n_free,
            2. * N * N * loop_.n_elements()};
  }

  std::int64_t n_elements() const override { return stored_.n_elements; }
  int nodes_per_element() const override { return Stored::N; }
  Array<const index_t*, ExecutionSpace> unknowns() const override { return stored_.dofs; }

  /// Reads the matrices and p, writes q; the unknowns are not needed.
  void multiply(const ExecutionSpace& exec, const const_vector_type& p, const vector_type& q,
                const ReduceWorkspace<ExecutionSpace>& workspace, double* pq) const override {
    ordered_sums<1>("tessera::assembly::multiply_elements", exec, stored_.n_elements,
                    detail::MultiplyElements<Loop, on_host>{stored_, p.data(), q.data()}, workspace, pq);
  }

  void element_diagonal(const ExecutionSpace& exec, const vector_type& m) const override {
    for_each<std::int64_t>("tessera::assembly::element_diagonal", exec, stored_.n_elements,
                           detail::ElementDiagonal<Loop, on_host>{stored_, loop_.n_free, m.data()});
  }

  /// Reads the unknowns and v, writes the sum.
  void accumulate(const ExecutionSpace& exec, const const_vector_type& v, const vector_type& sum) const override {
    fill(exec, sum, 0.);
    for (int c = 0; c < classes_.n_colors(); ++c)
      for_each("tessera::assembly::accumulate_slots", exec, classes_.size(c),
               detail::AccumulateSlots<Loop, on_host>{stored_, classes_.begin(c), loop_.n_plain, v.data(), sum.data()});
    shared_sums_.sum("tessera::assembly::accumulate_shared", exec,
                     detail::SumSlotValues<Loop, on_host>{stored_, shared_slots_.items, v.data()},
                     sum.data() + loop_.n_plain);
  }

  linalg::Traffic multiply_traffic() const override {
    constexpr double N = Loop::n_nodes;
    return {loop_.n_elements() * (Stored::n_entries * 8. + N * 16.), (2. * N * N + 2. * N) * loop_.n_elements()};
  }
  linalg::Traffic accumulate_traffic() const override {
    constexpr double N = Loop::n_nodes;
    return {loop_.n_elements() * N * 12. + 8. * loop_.n_free, N * loop_.n_elements()};
  }

private:
  Loop loop_;
  ColorClasses<Space> classes_;
  SharedRows<ExecutionSpace, Form> shared_;
  Stored stored_;
  GroupedItems<Space> shared_slots_; // elements in the order of the colours
  SegmentedSums<ExecutionSpace> shared_sums_;
};

} // namespace tessera::assembly

#endif
