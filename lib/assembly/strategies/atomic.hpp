// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_STRATEGIES_ATOMIC_HPP
#define TESSERA_ASSEMBLY_STRATEGIES_ATOMIC_HPP

#include "assembly/elements/accumulate_elements.hpp"
#include "assembly/elements/scatter_elements.hpp"
#include "assembly/rows/row_assembler.hpp"

namespace tessera::assembly {

/// Strategy `atomic`: one thread per element adds its matrix to the CRS pattern with atomic additions (the position is
/// found by search: precomputed positions are no faster in rows this short). The order of the sums, and hence the last
/// bits, differ from run to run. Polytopic-dG paper, approach 2.
///
/// Minimum traffic of numeric(): the data of every element, the pattern; values zeroed, read and written.
template <class ExecutionSpace, class Form> class AtomicScatter final : public RowAssembler<ExecutionSpace, Form> {
  using Base = RowAssembler<ExecutionSpace, Form>;
  using typename Base::Loop;
  using typename Base::Space;

public:
  using Base::Base;

  void symbolic(const ExecutionSpace& exec) override { this->make_pattern(exec); }

  void numeric(const ExecutionSpace& exec) override {
    this->allocate_values(exec);
    fill(exec, this->matrix_.values, 0.);
    fill(exec, this->rhs_, 0.);
    // Two elements per thread reduce additions to memory; four take too many registers (docs/notebook/gpu-assembly.md).
    constexpr int items = atomic && Loop::n_nodes <= 4 ? 2 : 1;
    const index_t n = this->loop_.n_elements();
    for_each(
        "tessera::assembly::scatter_elements", exec, (static_cast<std::int64_t>(n) + items - 1) / items,
        detail::ScatterElements<Loop, atomic, false, items>{
            this->loop_, this->matrix_.offsets, this->matrix_.columns, this->matrix_.values, this->rhs_, {}, 0, n});
    this->add_tied_totals(exec);
  }

  void load(const ExecutionSpace& exec) override {
    this->allocate_rhs(exec);
    const auto all = ColorClasses<Space>::one_class(this->loop_.n_elements());
    accumulate_elements<atomic, true>(exec, this->loop_, all, this->rhs_);
    this->tied_.loads(exec, this->loop_, this->rhs_);
  }

  linalg::Traffic symbolic_traffic() const override {
    return {element_bytes(this->loop_) + incidence_bytes(this->loop_) + pattern_bytes(this->matrix_), 0.};
  }
  linalg::Traffic numeric_traffic() const override {
    return {element_bytes(this->loop_) + pattern_bytes(this->matrix_) + 3. * value_bytes(this->matrix_), 0.};
  }

private:
  static constexpr bool atomic = !is_serial_space<ExecutionSpace>;
};

} // namespace tessera::assembly

#endif
