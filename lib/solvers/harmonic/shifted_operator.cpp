// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/harmonic/shifted_operator.hpp"

namespace tessera::solvers {

namespace {

template <int W> struct MultiplyShifted {
  using Entry = linalg::Pack<double, W>;
  const Entry* x;
  Entry shift;
  Entry* y;
  KOKKOS_FUNCTION void finish(index_t i, const Entry& /*own*/, const RowProducts<Entry>& products) const {
    y[i] = products.k + detail::complex_product(shift, products.m);
  }
};

} // namespace

// Traffic with n rows and m entries besides the diagonal: both matrices 16 m, columns 4 m (codes 2 m), row sums 16 n, x
// and y 32 N n.
template <class ExecutionSpace, int N>
void ShiftedOperator<ExecutionSpace, N>::apply(const ExecutionSpace& exec, const const_vector_type& x,
                                               const vector_type& y) const {
  for_each_shifted_row("tessera::solvers::shifted_product", exec, rows_,
                       MultiplyShifted<2 * N>{x.data(), detail::parts_of<double, N>(shifts_), y.data()});
}

template <class ExecutionSpace, int N> linalg::Traffic ShiftedOperator<ExecutionSpace, N>::traffic() const {
  const auto n = static_cast<double>(size());
  const auto n_entries = static_cast<double>(rows_.m.span());
  return {rows_.k.bytes_read() + 8. * n_entries + (16. + 32. * N) * n, 8. * N * n_entries};
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template class ShiftedOperator<Space, 1>;                                                                            \
  template class ShiftedOperator<Space, 2>;                                                                            \
  template class ShiftedOperator<Space, 4>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
