// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ELEMENTS_SCATTER_ELEMENTS_HPP
#define TESSERA_ASSEMBLY_ELEMENTS_SCATTER_ELEMENTS_HPP

/// \file
/// Adds element matrices into the rows of a CRS matrix.

#include "assembly/element_loop.hpp"
#include "linalg/pattern/find_column.hpp"

namespace tessera::assembly::detail {

/// Adds `Items` consecutive elements per thread. Contributions to common entries are summed first: consecutive elements
/// usually share an edge or a face, and additions to memory limit the loop. `Atomic` is false if no two threads write
/// the same entry (one colour, or a serial space).
template <class Loop, bool Atomic, bool SkipTied, int Items> struct ScatterElements {
  static constexpr int N = Loop::n_nodes;
  Loop loop;
  Array<const offset_t*, typename Loop::memory_space> offsets;
  Array<const index_t*, typename Loop::memory_space> columns;
  Array<double*, typename Loop::memory_space> values;
  Array<double*, typename Loop::memory_space> rhs;
  Array<const index_t*, typename Loop::memory_space> elements; ///< permutation; empty: natural order
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

  /// The contributions of an element. Bit b of rows[a]: entry (a, b) is still to be added; bit N: the load of a.
  struct Part {
    index_t dof[N];
    double K[N][N];
    double f[N];
    unsigned rows[N];
  };

  KOKKOS_FUNCTION bool is_row(index_t dof) const { return SkipTied ? loop.is_regular(dof) : loop.is_free(dof); }

  /// Moves the remaining entries that `from` shares with `to` to `to`.
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
          add_to<Atomic>(&values(linalg::find_column(columns, row_begin, row_end, part.dof[b])), part.K[a][b]);
      if ((part.rows[a] & load_bit) != 0u)
        add_to<Atomic>(&rhs(part.dof[a]), part.f[a]);
    }
  }
};

} // namespace tessera::assembly::detail

#endif
