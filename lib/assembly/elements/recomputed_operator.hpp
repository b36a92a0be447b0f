// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ELEMENTS_RECOMPUTED_OPERATOR_HPP
#define TESSERA_ASSEMBLY_ELEMENTS_RECOMPUTED_OPERATOR_HPP

/// \file
/// Operators that recompute the element matrices in every product: A x = sum over elements of Q^T K Q x (EBE paper,
/// equation 3), by colours or with atomic additions.

#include "assembly/elements/accumulate_elements.hpp"
#include "assembly/elements/siblings.hpp"
#include "assembly/rows/tied_rows.hpp"
#include "assembly/traffic.hpp"

#include <memory>

namespace tessera::assembly {

namespace detail {

/// Adds K x of `Items` consecutive elements, whose matrices are recomputed, to y. Contributions to common unknowns are
/// summed first: consecutive elements share most of their unknowns.
template <class Loop, bool Atomic, int Items> struct ApplyRecomputed {
  static constexpr int N = Loop::n_nodes;
  static constexpr int n_pairs = N * Items;
  Loop loop;
  Array<const index_t*, typename Loop::memory_space> elements; ///< permutation; empty: natural order
  index_t begin;
  index_t end;
  Array<const double*, typename Loop::memory_space> x;
  Array<double*, typename Loop::memory_space> y;

  KOKKOS_FUNCTION void operator()(index_t i) const {
    index_t dof[n_pairs];
    double product[n_pairs];
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
    for (int s = N; s < n_pairs; ++s) {
      TESSERA_UNROLL
      for (int t = 0; t < s / N * N; ++t)
        if (dof[t] == dof[s]) {
          product[t] += product[s];
          dof[s] = loop.n_free; // marked as not regular: nothing is left to add
        }
    }
    TESSERA_UNROLL
    for (int s = 0; s < n_pairs; ++s)
      if (loop.is_regular(dof[s]))
        add_to<Atomic>(&y(dof[s]), product[s]);
  }

private:
  KOKKOS_FUNCTION void multiply_one(index_t position, index_t* dofs, double* products) const {
    const index_t e = elements.extent(0) > 0 ? elements(position) : position;
    index_t n[N];
    double local[N];
    double product[N];
    loop.nodes(e, n);
    for (int a = 0; a < N; ++a) {
      dofs[a] = loop.dof_of_node(n[a]);
      local[a] = loop.is_free(dofs[a]) ? x(dofs[a]) : 0.;
    }
    loop.signed_apply(e, n, local, product);
    for (int a = 0; a < N; ++a)
      products[a] = product[a];
  }
};

} // namespace detail

/// Recomputes the element matrices in every product: by colours, or with atomic additions.
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
  /// Elements per thread. Two reduce additions to memory; with more, neighbouring threads of a device share fewer cache
  /// lines (docs/notebook/gpu-assembly.md).
  static constexpr int items = !atomic || Loop::n_nodes > 6 ? 1 : Loop::on_host&& Loop::n_nodes <= 4 ? 4 : 2;

  RecomputedOperator(const ExecutionSpace& exec, const Loop& loop, ColorClasses<Space> classes,
                     TiedRows<ExecutionSpace, Form> tied)
      : loop_(loop), classes_(std::move(classes)), tied_(std::move(tied)) {
    if constexpr (by_siblings)
      are_siblings_ = are_siblings(exec, loop);
  }

  index_t size() const override { return loop_.n_free; }
  bool is_symmetric() const override { return Loop::Traits::is_symmetric; }

  void apply(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y) const override {
    fill(exec, y, 0.);
    if constexpr (by_siblings)
      if (are_siblings_)
        for_each("tessera::assembly::apply_siblings", exec, loop_.n_elements() / 4,
                 detail::ApplySiblings<Loop>{loop_, x, y});
    for (int c = 0; c < classes_.n_colors() && !are_siblings_; ++c)
      for_each("tessera::assembly::apply_recomputed", exec,
               (static_cast<std::int64_t>(classes_.size(c)) + items - 1) / items,
               detail::ApplyRecomputed<Loop, atomic, items>{loop_, classes_.elements, classes_.begin(c),
                                                            classes_.begin(c) + classes_.size(c), x, y});
    tied_.apply(exec, loop_, x, y);
  }

  void diagonal(const ExecutionSpace& exec, const vector_type& d) const override {
    accumulate_elements<atomic, false>(exec, loop_, classes_, d);
    tied_.diagonal(exec, loop_, d);
  }

  void loads(const ExecutionSpace& exec, const vector_type& rhs) const {
    accumulate_elements<atomic, true>(exec, loop_, classes_, rhs);
    tied_.loads(exec, loop_, rhs);
  }

  linalg::Traffic traffic() const override {
    constexpr double N = Loop::n_nodes;
    return {element_bytes(loop_) + (Atomic ? 0. : 4. * loop_.n_elements()) + 16. * loop_.n_free,
            2. * N * N * loop_.n_elements()};
  }

private:
  static constexpr bool by_siblings = atomic && may_be_siblings<Loop>;
  Loop loop_;
  ColorClasses<Space> classes_;
  TiedRows<ExecutionSpace, Form> tied_;
  bool are_siblings_ = false;
};

/// Assembles only the right-hand side, for strategies whose operator recomputes the element matrices.
template <class ExecutionSpace, class Form, bool Atomic>
class RecomputedElements final : public Assembler<ExecutionSpace> {
  using Space = typename ExecutionSpace::memory_space;
  using Operator = RecomputedOperator<ExecutionSpace, Form, Atomic>;
  using typename Assembler<ExecutionSpace>::operator_type;

public:
  RecomputedElements(const Form& form, const fe::DofMap<Space>& dofs, const AssemblyOptions& options)
      : loop_(form, dofs), dof_map_(dofs), options_(options) {}

  void symbolic(const ExecutionSpace& exec) override {
    ColorClasses<Space> classes = Atomic ? ColorClasses<Space>::one_class(loop_.n_elements())
                                         : color_elements(exec, loop_, dof_map_, options_, this->coloring_);
    operator_ = std::make_unique<Operator>(exec, loop_, std::move(classes),
                                           TiedRows<ExecutionSpace, Form>(exec, loop_, dof_map_));
    this->rhs_ = make_array<linalg::Vector<ExecutionSpace>>(exec, "assembly::rhs", loop_.n_free);
  }

  void numeric(const ExecutionSpace& exec) override { load(exec); }
  void load(const ExecutionSpace& exec) override { operator_->loads(exec, this->rhs_); }
  const operator_type& system() const override { return *operator_; }
  linalg::Traffic numeric_traffic() const override {
    return {element_bytes(loop_) + (Atomic ? 0. : 4. * loop_.n_elements()) + 8. * loop_.n_free, 0.};
  }

private:
  ElementLoop<Form> loop_;
  fe::DofMap<Space> dof_map_;
  AssemblyOptions options_;
  std::unique_ptr<Operator> operator_;
};

} // namespace tessera::assembly

#endif
