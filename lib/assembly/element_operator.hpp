// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ELEMENT_OPERATOR_HPP
#define TESSERA_ASSEMBLY_ELEMENT_OPERATOR_HPP

/// \file
/// Operators that are never assembled: A x = sum over elements of Q^T K Q x (EBE paper, equation 3).

#include "assembly/color_elements.hpp"
#include "assembly/shared_rows.hpp"
#include "assembly/traffic.hpp"

namespace tessera::assembly {

namespace detail {

template <bool Atomic> KOKKOS_INLINE_FUNCTION void add_to(double* target, double value) {
  if (Atomic)
    Kokkos::atomic_add(target, value);
  else
    *target += value;
}

/// y += K x of one element whose matrix is recomputed.
template <class Loop, bool Atomic> struct ApplyRecomputed {
  Loop loop;
  ConstArray<const index_t*, typename Loop::memory_space> elements; ///< permutation; empty: natural order
  index_t begin;
  ConstArray<const double*, typename Loop::memory_space> x;
  Array<double*, typename Loop::memory_space> y;

  KOKKOS_FUNCTION void operator()(index_t i) const {
    constexpr int N = Loop::n_nodes;
    const index_t e = elements.extent(0) > 0 ? elements(begin + i) : i;
    index_t n[N];
    index_t dof[N];
    double local[N];
    double product[N];
    loop.form.nodes(e, n);
    for (int a = 0; a < N; ++a) {
      dof[a] = loop.node_dof(n[a]);
      local[a] = loop.is_free(dof[a]) ? x(dof[a]) : 0.;
    }
    loop.form.apply(e, n, local, product);
    for (int a = 0; a < N; ++a)
      if (loop.is_plain(dof[a]))
        add_to<Atomic>(&y(dof[a]), product[a]);
  }
};

/// Diagonal or load of one element, accumulated at its plain unknowns.
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
    for (int a = 0; a < N; ++a)
      if (loop.is_plain(dof[a]))
        add_to<Atomic>(&result(dof[a]), Load ? f[a] : K[a][a]);
  }
};

/// Packed lower triangle of the element matrices in the order of the colours. On hosts the entries of an element are
/// adjacent, on devices those of adjacent elements.
template <class Loop, bool OnHost> struct StoredMatrices {
  static constexpr int N = Loop::n_nodes;
  static constexpr int n_entries = N * (N + 1) / 2;
  Array<double*, typename Loop::memory_space> values;
  Array<index_t*, typename Loop::memory_space> dofs;
  std::int64_t n_elements;

  KOKKOS_FUNCTION std::int64_t place(std::int64_t i, int k) const {
    return OnHost ? i * n_entries + k : k * n_elements + i;
  }
  KOKKOS_FUNCTION std::int64_t dof_place(std::int64_t i, int a) const {
    return OnHost ? i * N + a : a * n_elements + i;
  }
};

/// Evaluates and stores the matrices of all elements (no two threads share a place), and adds their loads color by
/// color.
template <class Loop, bool OnHost> struct StoreElements {
  Loop loop;
  ConstArray<const index_t*, typename Loop::memory_space> elements;
  index_t begin;
  StoredMatrices<Loop, OnHost> stored;
  Array<double*, typename Loop::memory_space> rhs;

  KOKKOS_FUNCTION void operator()(index_t j) const {
    constexpr int N = Loop::n_nodes;
    const std::int64_t i = begin + j;
    index_t dof[N];
    double K[N][N];
    double f[N];
    loop.system(elements(i), dof, K, f);
    int k = 0;
    for (int a = 0; a < N; ++a) {
      stored.dofs(stored.dof_place(i, a)) = dof[a];
      for (int b = 0; b <= a; ++b)
        stored.values(stored.place(i, k++)) = K[a][b];
      if (loop.is_plain(dof[a]))
        rhs(dof[a]) += f[a];
    }
  }
};

template <class Loop, bool OnHost> struct ApplyStored {
  StoredMatrices<Loop, OnHost> stored;
  index_t begin;
  index_t n_plain;
  index_t n_free;
  ConstArray<const double*, typename Loop::memory_space> x;
  Array<double*, typename Loop::memory_space> y;

  KOKKOS_FUNCTION void operator()(index_t j) const {
    constexpr int N = Loop::n_nodes;
    const std::int64_t i = begin + j;
    index_t dof[N];
    double local[N];
    double sum[N];
    for (int a = 0; a < N; ++a) {
      dof[a] = stored.dofs(stored.dof_place(i, a));
      local[a] = dof[a] < n_free ? x(dof[a]) : 0.;
      sum[a] = 0.;
    }
    int k = 0;
    for (int a = 0; a < N; ++a) {
      for (int b = 0; b < a; ++b) {
        const double value = stored.values(stored.place(i, k++));
        sum[a] += value * local[b];
        sum[b] += value * local[a];
      }
      sum[a] += stored.values(stored.place(i, k++)) * local[a];
    }
    for (int a = 0; a < N; ++a)
      if (dof[a] < n_plain)
        y(dof[a]) += sum[a];
  }
};

template <class Loop, bool OnHost> struct StoredDiagonal {
  StoredMatrices<Loop, OnHost> stored;
  index_t begin;
  index_t n_plain;
  Array<double*, typename Loop::memory_space> d;
  KOKKOS_FUNCTION void operator()(index_t j) const {
    const std::int64_t i = begin + j;
    for (int a = 0; a < Loop::n_nodes; ++a) {
      const index_t dof = stored.dofs(stored.dof_place(i, a));
      if (dof < n_plain)
        d(dof) += stored.values(stored.place(i, a * (a + 1) / 2 + a));
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

  RecomputedOperator(const Loop& loop, ColorClasses<Space> classes, SharedRows<ExecutionSpace, Form> shared)
      : loop_(loop), classes_(std::move(classes)), shared_(std::move(shared)) {}

  index_t size() const override { return loop_.n_free; }

  void apply(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y) const override {
    fill(exec, y, 0.);
    for (int c = 0; c < classes_.n_colors(); ++c)
      for_each("tessera::assembly::apply_recomputed", exec, classes_.size(c),
               detail::ApplyRecomputed<Loop, atomic>{loop_, classes_.elements, classes_.begin(c), x, y});
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

/// Element matrices kept, applied colour by colour.
///
/// Minimum traffic of apply(): packed matrices and unknowns of every element, x read, y written.
template <class ExecutionSpace, class Form> class StoredOperator final : public linalg::LinearOperator<ExecutionSpace> {
public:
  using Space = typename ExecutionSpace::memory_space;
  using Loop = ElementLoop<Form>;
  using typename linalg::LinearOperator<ExecutionSpace>::vector_type;
  using typename linalg::LinearOperator<ExecutionSpace>::const_vector_type;
  using Stored = detail::StoredMatrices<Loop, is_host_space<ExecutionSpace>>;

  StoredOperator(const ExecutionSpace& exec, const Loop& loop, ColorClasses<Space> classes,
                 SharedRows<ExecutionSpace, Form> shared)
      : loop_(loop), classes_(std::move(classes)), shared_(std::move(shared)) {
    const std::int64_t n = loop.n_elements();
    stored_.n_elements = n;
    stored_.values = make_array<Array<double*, Space>>(exec, "assembly::element_matrices", n * Stored::n_entries);
    stored_.dofs = make_array<Array<index_t*, Space>>(exec, "assembly::element_dofs", n * Stored::N);
  }

  index_t size() const override { return loop_.n_free; }

  /// Evaluates all element matrices and the right-hand side.
  void evaluate(const ExecutionSpace& exec, const vector_type& rhs) const {
    fill(exec, rhs, 0.);
    for (int c = 0; c < classes_.n_colors(); ++c)
      for_each("tessera::assembly::store_elements", exec, classes_.size(c),
               detail::StoreElements<Loop, is_host_space<ExecutionSpace>>{loop_, classes_.elements, classes_.begin(c),
                                                                          stored_, rhs});
    shared_.loads(exec, loop_, rhs);
  }

  void apply(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y) const override {
    fill(exec, y, 0.);
    for (int c = 0; c < classes_.n_colors(); ++c)
      for_each("tessera::assembly::apply_stored", exec, classes_.size(c),
               detail::ApplyStored<Loop, is_host_space<ExecutionSpace>>{stored_, classes_.begin(c), loop_.n_plain,
                                                                        loop_.n_free, x, y});
    shared_.apply(exec, loop_, x, y);
  }

  void diagonal(const ExecutionSpace& exec, const vector_type& d) const override {
    fill(exec, d, 0.);
    for (int c = 0; c < classes_.n_colors(); ++c)
      for_each(
          "tessera::assembly::stored_diagonal", exec, classes_.size(c),
          detail::StoredDiagonal<Loop, is_host_space<ExecutionSpace>>{stored_, classes_.begin(c), loop_.n_plain, d});
    shared_.diagonal(exec, loop_, d);
  }

  linalg::Traffic traffic() const override {
    constexpr double N = Loop::n_nodes;
    return {loop_.n_elements() * (Stored::n_entries * 8. + N * 4.) + 16. * loop_.n_free,
            2. * N * N * loop_.n_elements()};
  }

private:
  Loop loop_;
  ColorClasses<Space> classes_;
  SharedRows<ExecutionSpace, Form> shared_;
  Stored stored_;
};

} // namespace tessera::assembly

#endif
