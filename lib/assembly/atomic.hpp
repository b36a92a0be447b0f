// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ATOMIC_HPP
#define TESSERA_ASSEMBLY_ATOMIC_HPP

#include "assembly/crs_assembler.hpp"

namespace tessera::assembly {

namespace detail {

/// One element per thread. `Atomic` is false where no two threads meet (one colour, or a serial space).
template <class Loop, bool Atomic, bool SkipShared> struct ScatterElements {
  Loop loop;
  ConstArray<const offset_t*, typename Loop::memory_space> offsets;
  ConstArray<const index_t*, typename Loop::memory_space> columns;
  Array<double*, typename Loop::memory_space> values;
  Array<double*, typename Loop::memory_space> rhs;
  ConstArray<const index_t*, typename Loop::memory_space> elements; ///< permutation; empty: natural order
  index_t begin;

  KOKKOS_FUNCTION void operator()(index_t i) const {
    const index_t e = elements.extent(0) > 0 ? elements(begin + i) : i;
    index_t dof[Loop::n_nodes];
    double K[Loop::n_nodes][Loop::n_nodes];
    double f[Loop::n_nodes];
    loop.system(e, dof, K, f);
    for (int a = 0; a < Loop::n_nodes; ++a) {
      if (SkipShared ? !loop.is_plain(dof[a]) : !loop.is_free(dof[a]))
        continue;
      const offset_t row_begin = offsets(dof[a]);
      const offset_t row_end = offsets(dof[a] + 1);
      for (int b = 0; b < Loop::n_nodes; ++b)
        if (loop.is_free(dof[b]))
          add(&values(find_column(columns, row_begin, row_end, dof[b])), K[a][b]);
      add(&rhs(dof[a]), f[a]);
    }
  }

  KOKKOS_FUNCTION static void add(double* target, double value) {
    if (Atomic)
      Kokkos::atomic_add(target, value);
    else
      *target += value;
  }
};

template <class Space> struct AddTotals {
  Array<double*, Space> rhs;
  ConstArray<const double*, Space> totals;
  index_t n_plain;
  KOKKOS_FUNCTION void operator()(index_t s) const { rhs(n_plain + s) += totals(s); }
};

} // namespace detail

/// Strategy `atomic`: one thread per element adds its matrix into the CRS pattern with atomic additions (position found
/// by search: precomputed slots are no faster in rows this short). The order of the sums, and with it the last bits,
/// differ from run to run. Polytopic-dG paper, approach 2.
///
/// Minimum traffic of numeric(): what every element reads, the pattern, values zeroed, read and written.
template <class ExecutionSpace, class Form> class AtomicScatter final : public CrsAssembler<ExecutionSpace, Form> {
  using Base = CrsAssembler<ExecutionSpace, Form>;
  using typename Base::Loop;
  using typename Base::Space;

public:
  using Base::Base;

  void symbolic(const ExecutionSpace& exec) override { this->make_pattern(exec); }

  void numeric(const ExecutionSpace& exec) override {
    this->allocate_values(exec);
    fill(exec, this->matrix_.values, 0.);
    fill(exec, this->rhs_, 0.);
    constexpr bool atomic = !is_serial_space<ExecutionSpace>;
    for_each("tessera::assembly::scatter_elements", exec, this->loop_.n_elements(),
             detail::ScatterElements<Loop, atomic, false>{
                 this->loop_, this->matrix_.offsets, this->matrix_.columns, this->matrix_.values, this->rhs_, {}, 0});
    for_each("tessera::assembly::add_totals", exec, this->dof_map_.n_shared(),
             detail::AddTotals<Space>{this->rhs_, this->dof_map_.shared_totals, this->dof_map_.n_plain});
  }

  linalg::Traffic symbolic_traffic() const override {
    return {element_bytes(this->loop_) + slot_bytes(this->loop_) + pattern_bytes(this->matrix_), 0.};
  }
  linalg::Traffic numeric_traffic() const override {
    return {element_bytes(this->loop_) + pattern_bytes(this->matrix_) + 3. * value_bytes(this->matrix_), 0.};
  }
};

} // namespace tessera::assembly

#endif
