// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ROW_GATHER_HPP
#define TESSERA_ASSEMBLY_ROW_GATHER_HPP

#include "assembly/crs_assembler.hpp"
#include "assembly/row_stars.hpp"

#include <vector>

namespace tessera::assembly {

/// Strategy `row-gather`: one thread per row visits the element slots of its row in ascending order, recomputes its row
/// of each element matrix, and writes the finished row. No atomics, no colours; the order of every sum is fixed.
///
/// Minimum traffic of numeric(): slots 4 n_nodes per element, column places n_nodes^2 (devices: in whole words),
/// connectivity, coordinates, dof map and regions once, pattern read, values and right-hand side written. With stars
/// (row_stars.hpp): places and regions in whole words, coordinates, pattern and offsets of slots, values, right-hand
/// side; the slots themselves are then freed.
template <class ExecutionSpace, class Form> class RowGather final : public CrsAssembler<ExecutionSpace, Form> {
  using Base = CrsAssembler<ExecutionSpace, Form>;
  using typename Base::Loop;
  using typename Base::Space;

public:
  using Base::Base;

  void symbolic(const ExecutionSpace& exec) override {
    if constexpr (with_stars) {
      if (detail::has_stars(this->loop_, this->dof_map_)) {
        rows_ = this->template make_pattern<detail::StarWords<Loop>>(exec, places_);
        places_.dof_coordinates = detail::dof_coordinates(exec, this->loop_);
        bool everything_fits = false;
        star_scratch_ = detail::star_scratch(exec, this->loop_, this->matrix_, rows_, places_, everything_fits);
        if (everything_fits && !places_.has_rows_without_words)
          rows_.slots = decltype(rows_.slots)();
        return;
      }
    }
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
    const char* label = "tessera::assembly::gather_rows";
    const detail::GatherRows<Loop> rows{blocks, places_.bytes};
    if constexpr (with_stars) {
      int lower = -1;
      for (const int upper : star_scratch_) {
        for_each_row_block<rows_per_team<Loop::n_nodes>>(
            label, exec, this->dof_map_.n_plain, upper + detail::StarScratch<Loop>::slack,
            detail::GatherStarBlocks<Loop>(blocks, places_, lower, upper, upper == star_scratch_.back()));
        lower = upper;
      }
    }
    if (!places_.has_stars())
      for_each_plain_row<Loop>(label, exec, this->dof_map_.n_plain, rows, blocks);
    this->finish_shared_rows(exec);
  }

  linalg::Traffic symbolic_traffic() const override {
    return {element_bytes(this->loop_) + slot_bytes(this->loop_) + places_.n_bytes() + pattern_bytes(this->matrix_),
            0.};
  }
  linalg::Traffic numeric_traffic() const override {
    return {(places_.has_stars() ? 0. : element_bytes(this->loop_) + slot_bytes(this->loop_)) + places_.n_bytes() +
                (rows_.n_rows() + 1.) * sizeof(offset_t) + pattern_bytes(this->matrix_) + value_bytes(this->matrix_),
            0.};
  }

private:
  static constexpr bool with_stars = !Loop::on_host && Form::has_vertex_rows;
  graph::RowSlots<Space> rows_;
  detail::RowPlaces<Space> places_;
  std::vector<int> star_scratch_; ///< bytes of each launch
};

} // namespace tessera::assembly

#endif
