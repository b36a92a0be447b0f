// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ROW_GATHER_HPP
#define TESSERA_ASSEMBLY_ROW_GATHER_HPP

#include "assembly/crs_assembler.hpp"

namespace tessera::assembly {

/// Strategy `row-gather`: one thread per row visits the element slots of its row in ascending order, recomputes its row
/// of each element matrix, and writes the finished row. No atomics, no colours; the order of every sum is fixed.
///
/// Minimum traffic of numeric(): slots 4 n_nodes per element (hosts: and n_nodes^2 bytes of column places),
/// connectivity, coordinates, dof map and regions once, pattern read, values and right-hand side written.
template <class ExecutionSpace, class Form> class RowGather final : public CrsAssembler<ExecutionSpace, Form> {
  using Base = CrsAssembler<ExecutionSpace, Form>;
  using typename Base::Loop;
  using typename Base::Space;

public:
  using Base::Base;

  void symbolic(const ExecutionSpace& exec) override {
    rows_ = this->make_pattern(exec);
    if (Loop::on_host) {
      places_ = make_array<Array<detail::place_t*, Space>>(exec, "assembly::column_places",
                                                           rows_.slots.extent(0) * Loop::n_nodes);
      using Slots = SlotRows<Space>;
      for_each("tessera::assembly::find_places", exec, this->dof_map_.n_plain,
               detail::FindPlaces<Loop, Slots>{this->loop_, Slots(rows_), this->matrix_.offsets, this->matrix_.columns,
                                               places_});
    }
  }

  void numeric(const ExecutionSpace& exec) override {
    this->allocate_values(exec);
    using Slots = SlotRows<Space>;
    for_each("tessera::assembly::gather_rows", exec, this->dof_map_.n_plain,
             detail::GatherRows<Loop, Slots>{this->loop_, Slots(rows_), this->matrix_.offsets, this->matrix_.columns,
                                             this->matrix_.values, this->rhs_, places_});
    this->finish_shared_rows(exec);
  }

  linalg::Traffic symbolic_traffic() const override {
    return {element_bytes(this->loop_) + slot_bytes(this->loop_) + static_cast<double>(places_.extent(0)) +
                pattern_bytes(this->matrix_),
            0.};
  }
  linalg::Traffic numeric_traffic() const override {
    return {element_bytes(this->loop_) + slot_bytes(this->loop_) + static_cast<double>(places_.extent(0)) +
                (rows_.n_rows() + 1.) * sizeof(offset_t) + pattern_bytes(this->matrix_) + value_bytes(this->matrix_),
            0.};
  }

private:
  graph::RowSlots<Space> rows_;
  Array<detail::place_t*, Space> places_; ///< hosts only: one byte per entry of the element matrices
};

} // namespace tessera::assembly

#endif
