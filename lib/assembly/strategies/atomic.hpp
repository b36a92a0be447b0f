// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_STRATEGIES_ATOMIC_HPP
#define TESSERA_ASSEMBLY_STRATEGIES_ATOMIC_HPP

#include "assembly/crs_assembler.hpp"

namespace tessera::assembly {

namespace detail {

/// `Items` consecutive elements per thread. What they add to common entries is added up before: consecutive elements
/// share an edge or a face more often than not, and additions to memory are what the loop waits for. `Atomic` is false
/// where no two threads meet (one colour, or a serial space).
template <class Loop, bool Atomic, bool SkipShared, int Items> struct ScatterElements {
  static constexpr int N = Loop::n_nodes;
  Loop loop;
  ConstArray<const offset_t*, typename Loop::memory_space> offsets;
  ConstArray<const index_t*, typename Loop::memory_space> columns;
  Array<double*, typename Loop::memory_space> values;
  Array<double*, typename Loop::memory_space> rhs;
  ConstArray<const index_t*, typename Loop::memory_space> elements; ///< permutation; empty: natural order
  index_t begin;
  index_t end;

  KOKKOS_FUNCTION void operator()(index_t i) const {
    Part part[Items];
    TESSERA_UNROLL
    for (int k = 0; k < Items; ++k) {
      const std::int64_t position = begin + static_cast<std::int64_t>(i) * Items + k;
      const bool exists = Items == 1 || position < end;
      const auto at = exists ? static_cast<index_t>(position) : end - 1;
      loop.system(elements.extent(0) > 0 ? elements(at) : at, part[k].dof, part[k].K, part[k].f);
      for (int a = 0; a < N; ++a)
        part[k].rows[a] = exists && is_row(part[k].dof[a]) ? all : 0u;
    }
    TESSERA_UNROLL
    for (int k = 1; k < Items; ++k) {
      TESSERA_UNROLL
      for (int j = 0; j < k; ++j)
        add_common(part[j], part[k]);
    }
    TESSERA_UNROLL
    for (int k = 0; k < Items; ++k)
      add_all(part[k]);
  }

private:
  static constexpr unsigned load_bit = 1u << N;
  static constexpr unsigned all = 2u * load_bit - 1u;

  /// An element's contributions. Bit b of rows[a]: entry (a, b) is still to be added; bit N: the load of a.
  struct Part {
    index_t dof[N];
    double K[N][N];
    double f[N];
    unsigned rows[N];
  };

  KOKKOS_FUNCTION bool is_row(index_t dof) const { return SkipShared ? loop.is_plain(dof) : loop.is_free(dof); }

  /// Moves what `from` has in common with `to`, and still has, to `to`.
  KOKKOS_FUNCTION static void add_common(Part& to, Part& from) {
    TESSERA_UNROLL
    for (int a = 0; a < N; ++a) {
      TESSERA_UNROLL
      for (int c = 0; c < N; ++c) {
        if (to.dof[a] != from.dof[c] || from.rows[c] == 0u)
          continue;
        if ((from.rows[c] & load_bit) != 0u)
          to.f[a] += from.f[c];
        from.rows[c] &= ~load_bit;
        TESSERA_UNROLL
        for (int b = 0; b < N; ++b) {
          TESSERA_UNROLL
          for (int d = 0; d < N; ++d)
            if (to.dof[b] == from.dof[d] && (from.rows[c] >> d & 1u) != 0u) {
              to.K[a][b] += from.K[c][d];
              from.rows[c] &= ~(1u << d);
            }
        }
      }
    }
  }

  KOKKOS_FUNCTION void add_all(const Part& part) const {
    TESSERA_UNROLL
    for (int a = 0; a < N; ++a) {
      if (part.rows[a] == 0u)
        continue;
      const offset_t row_begin = offsets(part.dof[a]);
      const offset_t row_end = offsets(part.dof[a] + 1);
      TESSERA_UNROLL
      for (int b = 0; b < N; ++b)
        if ((part.rows[a] >> b & 1u) != 0u && loop.is_free(part.dof[b]))
          add_to<Atomic>(&values(find_column(columns, row_begin, row_end, part.dof[b])), part.K[a][b]);
      if ((part.rows[a] & load_bit) != 0u)
        add_to<Atomic>(&rhs(part.dof[a]), part.f[a]);
    }
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
    // On an H200, in ms, with 1, 2, 4: 50 M triangles 5.87, 4.77, 5.26; 12.6 M tetrahedra 2.19, 1.83, 7.9 (registers).
    constexpr int items = atomic && Loop::n_nodes <= 4 ? 2 : 1;
    const index_t n = this->loop_.n_elements();
    for_each(
        "tessera::assembly::scatter_elements", exec, (static_cast<std::int64_t>(n) + items - 1) / items,
        detail::ScatterElements<Loop, atomic, false, items>{
            this->loop_, this->matrix_.offsets, this->matrix_.columns, this->matrix_.values, this->rhs_, {}, 0, n});
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
