// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_STRATEGIES_ROW_GATHER_HPP
#define TESSERA_ASSEMBLY_STRATEGIES_ROW_GATHER_HPP

#include "assembly/crs_assembler.hpp"

namespace tessera::assembly {

/// Strategy `row-gather`: one thread per row visits the element slots of its row in ascending order, recomputes its row
/// of each element matrix, and writes the finished row. No atomics, no colours; the order of every sum is fixed.
///
/// Minimum traffic of numeric(): slots 4 n_nodes per element, column places n_nodes^2 (devices: in whole words),
/// connectivity, coordinates, dof map and regions once, pattern read, values and right-hand side written.
template <class ExecutionSpace, class Form> class RowGather final : public CrsAssembler<ExecutionSpace, Form> {
  using Base = CrsAssembler<ExecutionSpace, Form>;
  using typename Base::Loop;
  using typename Base::Space;

public:
  using Base::Base;

  void symbolic(const ExecutionSpace& exec) override {
    rows_ = this->template make_pattern<detail::PlaceWords<Loop>>(exec, places_);
  }

  void numeric(const ExecutionSpace& exec) override {
    this->allocate_values(exec);
    const detail::GatherRowBlocks<Loop> blocks{this->loop_,
                                               SlotRows<Space>(rows_),
                                               this->matrix_.offsets,
                                               this->matrix_.columns,
                                               places_.words,
                                               this->matrix_.values,
                                               this->rhs_,
                                               places_.max_entries,
                                               places_.max_slots};
    for_each_plain_row<Loop>("tessera::assembly::gather_rows", exec, this->dof_map_.n_plain,
                             detail::GatherRows<Loop>{blocks, places_.bytes}, blocks);
    this->finish_shared_rows(exec);
  }

  linalg::Traffic symbolic_traffic() const override {
    return {element_bytes(this->loop_) + slot_bytes(this->loop_) + places_.n_bytes() + pattern_bytes(this->matrix_),
            0.};
  }
  linalg::Traffic numeric_traffic() const override {
    return {element_bytes(this->loop_) + slot_bytes(this->loop_) + places_.n_bytes() +
                (rows_.n_rows() + 1.) * sizeof(offset_t) + pattern_bytes(this->matrix_) + value_bytes(this->matrix_),
            0.};
  }

private:
  graph::RowSlots<Space> rows_;
  detail::RowPlaces<Space> places_;
};

} // namespace tessera::assembly

#endif
