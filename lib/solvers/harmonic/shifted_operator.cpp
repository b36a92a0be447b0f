// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/harmonic/shifted_operator.hpp"

#include <utility>

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

template <int W> struct MultiplyParts {
  using Entry = linalg::Pack<double, W>;
  const Entry* x;
  Entry* k;
  Entry* m;
  KOKKOS_FUNCTION void finish(index_t i, const Entry& /*own*/, const RowProducts<Entry>& products) const {
    k[i] = products.k;
    m[i] = products.m;
  }
};

} // namespace

template <class ExecutionSpace, int N>
void ShiftedOperator<ExecutionSpace, N>::set_conductors(
    const ExecutionSpace& exec, std::shared_ptr<const ConductorRows<ExecutionSpace>> conductors) {
  conductors_ = std::move(conductors);
  averages_ = make_array<decltype(averages_)>(exec, "solvers::conductor_averages",
                                              2 * N * (conductors_ ? conductors_->n_conductors() : 0));
}

// Traffic with n rows and m entries besides the diagonal: both matrices 16 m, columns 4 m (codes 2 m), row sums 16 n, x
// and y 32 N n.
template <class ExecutionSpace, int N>
void ShiftedOperator<ExecutionSpace, N>::apply(const ExecutionSpace& exec, const const_vector_type& x,
                                               const vector_type& y) const {
  for_each_shifted_row(
      "tessera::solvers::shifted_product", exec, rows_,
      MultiplyShifted<2 * N>{ghosts_.with_ghosts(exec, x, x_), detail::parts_of<double, N>(shifts_), y.data()});
  if (!conductors_)
    return;
  conductors_->template averages<N>(exec, x, averages_);
  conductors_->template add<N>(exec, averages_, -1. * detail::parts_of<double, N>(shifts_), y);
}

template <class ExecutionSpace, int N>
void ShiftedOperator<ExecutionSpace, N>::apply_parts(const ExecutionSpace& exec, const const_vector_type& x,
                                                     const vector_type& k_x, const vector_type& m_x) const {
  for_each_shifted_row("tessera::solvers::shifted_parts", exec, rows_,
                       MultiplyParts<2 * N>{ghosts_.with_ghosts(exec, x, x_), k_x.data(), m_x.data()});
  if (!conductors_)
    return;
  Shifts<N> minus_one;
  minus_one.fill(-1.);
  conductors_->template averages<N>(exec, x, averages_);
  conductors_->template add<N>(exec, averages_, detail::parts_of<double, N>(minus_one), m_x);
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
