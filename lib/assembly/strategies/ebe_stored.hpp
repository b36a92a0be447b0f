// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_STRATEGIES_EBE_STORED_HPP
#define TESSERA_ASSEMBLY_STRATEGIES_EBE_STORED_HPP

#include "assembly/elements/accumulate_elements.hpp"
#include "assembly/elements/stored_matrices.hpp"
#include "assembly/rows/tied_rows.hpp"
#include "assembly/traffic.hpp"

#include <memory>

namespace tessera::assembly {

/// Stored element matrices, applied colour by colour; or element by element, for solvers on element level.
///
/// Minimum traffic of apply(): packed matrices and unknowns of every element, x read, y written.
template <class ExecutionSpace, class Form>
class StoredOperator final : public linalg::ElementLevelOperator<ExecutionSpace> {
public:
  using Space = typename ExecutionSpace::memory_space;
  using Loop = ElementLoop<Form>;
  static_assert(Loop::Traits::is_symmetric, "ebe-stored keeps a triangle of each element matrix: these are symmetric.");
  using typename linalg::LinearOperator<ExecutionSpace>::vector_type;
  using typename linalg::LinearOperator<ExecutionSpace>::const_vector_type;
  static constexpr bool on_host = is_host_space<ExecutionSpace>;
  using Stored = detail::StoredMatrices<Loop, on_host>;

  StoredOperator(const ExecutionSpace& exec, const Loop& loop, ColorClasses<Space> classes,
                 TiedRows<ExecutionSpace, Form> tied)
      : loop_(loop), classes_(std::move(classes)), tied_(std::move(tied)) {
    const std::int64_t n = loop.n_elements();
    stored_.n_elements = n;
    stored_.kinds = loop;
    stored_.values = make_array<Array<double*, Space>>(exec, "assembly::element_matrices", n * Stored::n_entries);
    stored_.dofs = make_array<Array<index_t*, Space>>(exec, "assembly::element_dofs", n * Stored::N);
    if (tied_.empty())
      return;
    const detail::PermutedDofs<Loop> dofs{loop.dofs(), classes_.elements};
    tied_pairs_ = list_tied_pairs(exec, dofs, loop.n_elements(), loop);
    tied_sums_ = sums_by_group(exec, tied_pairs_);
  }

  index_t size() const override { return loop_.n_free; }

  /// Evaluates all element matrices and the right-hand side.
  void evaluate(const ExecutionSpace& exec, const vector_type& rhs) const {
    fill(exec, rhs, 0.);
    for (int c = 0; c < classes_.n_colors(); ++c)
      for_each("tessera::assembly::store_elements", exec, classes_.size(c),
               detail::StoreElements<Loop, on_host>{loop_, classes_.elements, classes_.begin(c), stored_, rhs});
    tied_.loads(exec, loop_, rhs);
  }

  /// Evaluates only the right-hand side.
  void loads(const ExecutionSpace& exec, const vector_type& rhs) const {
    accumulate_elements<false, true>(exec, loop_, classes_, rhs);
    tied_.loads(exec, loop_, rhs);
  }

  void apply(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y) const override {
    fill(exec, y, 0.);
    for (int c = 0; c < classes_.n_colors(); ++c)
      for_each("tessera::assembly::apply_stored", exec, classes_.size(c),
               detail::ApplyStored<Loop, on_host>{stored_, classes_.begin(c), x, y});
    tied_.apply(exec, loop_, x, y);
  }

  void diagonal(const ExecutionSpace& exec, const vector_type& d) const override {
    fill(exec, d, 0.);
    for (int c = 0; c < classes_.n_colors(); ++c)
      for_each("tessera::assembly::stored_diagonal", exec, classes_.size(c),
               detail::StoredDiagonal<Loop, on_host>{stored_, classes_.begin(c), d});
    tied_.diagonal(exec, loop_, d);
  }

  linalg::Traffic traffic() const override {
    constexpr double N = Loop::n_nodes;
    return {loop_.n_elements() * (Stored::n_entries * 8. + N * 4.) + 16. * loop_.n_free,
            2. * N * N * loop_.n_elements()};
  }

  std::int64_t n_elements() const override { return stored_.n_elements; }
  int nodes_per_element() const override { return Stored::N; }
  Array<const index_t*, ExecutionSpace> unknowns() const override { return stored_.dofs; }

  /// Reads the matrices and p, writes q; the unknowns are needed only if `first_counted` is not 0.
  void multiply(const ExecutionSpace& exec, const const_vector_type& p, const vector_type& q, index_t first_counted,
                const ReduceWorkspace<ExecutionSpace>& workspace, double* pq) const override {
    ordered_sums<1>("tessera::assembly::multiply_elements", exec, stored_.n_elements,
                    detail::MultiplyElements<Loop, on_host>{stored_, p.data(), q.data(), first_counted}, workspace, pq);
  }

  void element_diagonal(const ExecutionSpace& exec, const vector_type& m) const override {
    for_each<std::int64_t>("tessera::assembly::element_diagonal", exec, stored_.n_elements,
                           detail::ElementDiagonal<Loop, on_host>{stored_, m.data()});
  }

  /// Reads the unknowns and v, writes the sum.
  void accumulate(const ExecutionSpace& exec, const const_vector_type& v, const vector_type& sum) const override {
    fill(exec, sum, 0.);
    for (int c = 0; c < classes_.n_colors(); ++c)
      for_each("tessera::assembly::accumulate_pairs", exec, classes_.size(c),
               detail::AccumulatePairs<Loop, on_host>{stored_, classes_.begin(c), v.data(), sum.data()});
    tied_sums_.sum("tessera::assembly::accumulate_tied", exec,
                   detail::SumPairValues<Loop, on_host>{stored_, tied_pairs_.items, v.data()},
                   sum.data() + loop_.n_regular);
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
  TiedRows<ExecutionSpace, Form> tied_;
  Stored stored_;
  GroupedItems<Space> tied_pairs_; // elements are in the order of the colours
  SegmentedSums<ExecutionSpace> tied_sums_;
};

/// Strategy `ebe-stored` (EbE-v1 of the A-FEM paper; EBE-J-PCG): element matrices evaluated once and stored.
template <class ExecutionSpace, class Form> class StoredElements final : public Assembler<ExecutionSpace> {
  using Space = typename ExecutionSpace::memory_space;
  using Operator = StoredOperator<ExecutionSpace, Form>;
  using typename Assembler<ExecutionSpace>::operator_type;

public:
  StoredElements(const Form& form, const fe::DofMap<Space>& dofs, const AssemblyOptions& options)
      : loop_(form, dofs), dof_map_(dofs), options_(options) {}

  void symbolic(const ExecutionSpace& exec) override {
    operator_ = nullptr;
    ColorClasses<Space> classes = color_elements(exec, loop_, dof_map_, options_, this->coloring_);
    operator_ = std::make_unique<Operator>(exec, loop_, std::move(classes),
                                           TiedRows<ExecutionSpace, Form>(exec, loop_, dof_map_));
    this->rhs_ = make_array<linalg::Vector<ExecutionSpace>>(exec, "assembly::rhs", loop_.n_free);
  }

  void numeric(const ExecutionSpace& exec) override { operator_->evaluate(exec, this->rhs_); }
  void load(const ExecutionSpace& exec) override { operator_->loads(exec, this->rhs_); }
  const operator_type& system() const override { return *operator_; }
  const linalg::ElementLevelOperator<ExecutionSpace>* elements() const override { return operator_.get(); }
  linalg::Traffic numeric_traffic() const override { return {element_bytes(loop_) + operator_->traffic().bytes, 0.}; }

private:
  ElementLoop<Form> loop_;
  fe::DofMap<Space> dof_map_;
  AssemblyOptions options_;
  std::unique_ptr<Operator> operator_;
};

} // namespace tessera::assembly

#endif
