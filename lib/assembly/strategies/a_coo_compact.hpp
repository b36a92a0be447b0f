// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_STRATEGIES_A_COO_COMPACT_HPP
#define TESSERA_ASSEMBLY_STRATEGIES_A_COO_COMPACT_HPP

#include "assembly/rows/merge_rows.hpp"
#include "assembly/rows/row_assembler.hpp"

#include <algorithm>
#include <vector>

namespace tessera::assembly {

/// Strategy `a-coo-compact`: the linked lists of a-COO with one link per element and row instead of one entry per
/// matrix entry. A pair in the list identifies an element row that contributes to the matrix row; its values are
/// recomputed while the row is merged. Memory in addition to the matrix: 4 bytes per pair and 4 per row (the paper's
/// a-COO: 16 per matrix entry of every element). The pairs of a row are sorted (hosts: in the list, while columns are
/// counted; devices: in scratch memory, while the row is merged), so the sums have a fixed order. Devices compute the
/// columns in symbolic(), hosts with the values.
///
/// Minimum traffic of symbolic() plus numeric(): the data of every element, twice (count, merge); links written, sorted
/// and read twice; pattern and values written. Devices copy the columns twice more.
template <class ExecutionSpace, class Form> class ACooCompact final : public RowAssembler<ExecutionSpace, Form> {
  using Base = RowAssembler<ExecutionSpace, Form>;
  using typename Base::Loop;
  using typename Base::Space;

public:
  using Base::Base;

  void symbolic(const ExecutionSpace& exec) override {
    this->find_tied_rows(exec);
    lists_ = link_incidence(exec, this->loop_.dofs());
    if constexpr (Loop::on_host) { // here the columns are computed with the values
      this->count_rows(exec, this->columns_of(lists_));
      this->tied_.columns(exec, this->matrix_);
    } else {
      this->make_pattern(exec, lists_);
    }
    const index_t n_regular = this->dof_map_.n_regular;
    const double mean = static_cast<double>(this->matrix_.n_entries()) / std::max(n_regular, index_t(1));
    entries_of_launches_ = linalg::scratch_of_launches(this->largest_team(exec, this->matrix_.offsets),
                                                       mean * rows_per_team<Loop::n_nodes>);
  }

  void numeric(const ExecutionSpace& exec) override {
    this->allocate_values(exec);
    using Rows = detail::MergeRows<Loop, LinkedIncidence<Space>>;
    const Rows rows{this->loop_,          lists_,    this->matrix_.offsets, this->matrix_.columns,
                    this->matrix_.values, this->rhs_};
    const index_t n_regular = this->dof_map_.n_regular;
    const char* label = "tessera::assembly::merge_rows";
    if constexpr (Loop::on_host) {
      for_each(label, exec, n_regular, rows);
    } else {
      int lower = -1;
      for (const int entries : entries_of_launches_) {
        detail::MergeRowsByTeam<Loop, Rows> blocks{rows, lower, entries, entries == entries_of_launches_.back(),
                                                   this->has_images()};
        blocks.fit_scratch();
        linalg::for_each_team_rows<rows_per_team<Loop::n_nodes>>(label, exec, n_regular, blocks.scratch_bytes(),
                                                                 blocks);
        lower = blocks.max_entries;
      }
    }
    this->finish_tied_rows(exec);
  }

  void load(const ExecutionSpace& exec) override { this->gather_loads(exec, lists_); }

  linalg::Traffic symbolic_traffic() const override {
    const double columns = Loop::on_host ? 0. : pattern_bytes(this->matrix_) + 8. * this->matrix_.n_entries();
    return {element_bytes(this->loop_) + 3. * incidence_bytes(this->loop_) + this->loop_.n_regular * 4. * 3. + columns,
            0.};
  }
  linalg::Traffic numeric_traffic() const override {
    return {element_bytes(this->loop_) + incidence_bytes(this->loop_) + this->loop_.n_regular * 4. +
                pattern_bytes(this->matrix_) + value_bytes(this->matrix_),
            0.};
  }

private:
  LinkedIncidence<Space> lists_;
  std::vector<int> entries_of_launches_; ///< of one team's rows on a device
};

} // namespace tessera::assembly

#endif
