// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_STRATEGIES_ROW_GATHER_HPP
#define TESSERA_ASSEMBLY_STRATEGIES_ROW_GATHER_HPP

#include "assembly/rows/refill.hpp"
#include "assembly/rows/row_assembler.hpp"

namespace tessera::assembly {

/// Strategy `row-gather`: one thread per row visits the elements at its row in ascending order, recomputes its row of
/// each element matrix, and writes the finished row. No atomics, no colours; the order of every sum is fixed.
///
/// Minimum traffic of numeric(): pairs 4 n_nodes per element, local column indices n_nodes^2 (devices: in whole words),
/// connectivity, coordinates, dof map and regions once, pattern read, values and right-hand side written.
template <class ExecutionSpace, class Form> class RowGather : public RowAssembler<ExecutionSpace, Form> {
  using Base = RowAssembler<ExecutionSpace, Form>;
  using typename Base::Loop;
  using typename Base::Space;

public:
  using Base::Base;

  void symbolic(const ExecutionSpace& exec) override {
    using Items = detail::LocalIndexItems<Loop>;
    auto& local = local_indices_;
    this->find_tied_rows(exec);
    rows_ = this->incidence(exec);
    const CrsIncidence<Space> incidence(rows_);
    const auto source = this->columns_of(incidence);
    const auto cache = this->count_rows(exec, source);
    local.max_entries = this->largest_team(exec, this->matrix_.offsets);
    local.max_pairs = this->largest_team(exec, incidence.offsets);
    local.words =
        make_array<decltype(local.words)>(exec, "assembly::local_indices", rows_.pairs.extent(0) * Items::n_words);
    this->fill_rows(exec, source, cache, Items{this->loop_, incidence, local.words, local.max_pairs},
                    local.max_entries);
  }

  void numeric(const ExecutionSpace& exec) override {
    this->allocate_values(exec);
    linalg::for_each_row<rows_at_a_time<Loop>>(
        "tessera::assembly::gather_rows", exec, this->dof_map_.n_regular,
        detail::GatherRows<Loop>{this->loop_, CrsIncidence<Space>(rows_), this->matrix_.offsets, this->matrix_.columns,
                                 local_indices_.words, this->matrix_.values, this->rhs_, local_indices_.max_entries,
                                 local_indices_.max_pairs, this->has_images()});
    this->finish_tied_rows(exec);
  }

  void load(const ExecutionSpace& exec) override { this->gather_loads(exec, CrsIncidence<Space>(rows_)); }

  linalg::Traffic symbolic_traffic() const override {
    return {element_bytes(this->loop_) + incidence_bytes(this->loop_) + local_indices_.n_bytes() +
                pattern_bytes(this->matrix_),
            0.};
  }
  linalg::Traffic numeric_traffic() const override {
    return {element_bytes(this->loop_) + incidence_bytes(this->loop_) + local_indices_.n_bytes() +
                (rows_.n_rows() + 1.) * sizeof(offset_t) + pattern_bytes(this->matrix_) + value_bytes(this->matrix_),
            0.};
  }

private:
  graph::Incidence<Space> rows_;
  detail::LocalIndices<Loop> local_indices_;
};

} // namespace tessera::assembly

#endif
