// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/harmonic/deflated.hpp"

#include "core/error.hpp"
#include "core/keep_alive.hpp"
#include "core/transfer/upload.hpp"
#include "solvers/harmonic/small_systems.hpp"

#include <algorithm>
#include <utility>

namespace tessera::solvers {

namespace {

using Complex = std::complex<double>;

/// Terms of the bilinear products of several vectors with v.
template <int N> struct BilinearProducts {
  static constexpr int n_vectors = 8 / N;
  using Entry = linalg::Pack<double, 2 * N>;
  const Entry* vectors;
  std::int64_t n;
  int count;
  const Entry* v;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[16]) const {
    const Entry vi = v[i];
    for (int d = 0; d < n_vectors; ++d) {
      const Entry product = d < count ? detail::complex_product(vectors[d * n + i], vi) : Entry{};
      for (int k = 0; k < 2 * N; ++k)
        term[d * 2 * N + k] = product.column[k];
    }
  }
};

/// t_2 = E^-1 (t_0 - t_1), by one thread per row.
template <int N> struct SolveSmall {
  using Entry = linalg::Pack<double, 2 * N>;
  const Entry* inverse;
  int k;
  bool subtracts;
  const Entry* t_0;
  const Entry* t_1;
  Entry* t_2;
  KOKKOS_FUNCTION void operator()(index_t row) const {
    Entry sum{};
    for (int j = 0; j < k; ++j)
      sum += detail::complex_product(inverse[row * k + j], subtracts ? t_0[j] - t_1[j] : t_0[j]);
    t_2[row] = sum;
  }
};

/// to = from + sign sum of factors times vectors.
template <int N> struct AddVectors {
  using Entry = linalg::Pack<double, 2 * N>;
  const Entry* vectors;
  std::int64_t n;
  int count;
  double sign;
  const Entry* factor;
  const Entry* from;
  Entry* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Entry sum{};
    for (int d = 0; d < count; ++d)
      sum += detail::complex_product(factor[d], vectors[d * n + i]);
    to[i] = from[i] + sign * sum;
  }
};

/// (v, v) of each column, both parts together.
template <int N> struct ColumnSquares {
  const linalg::Pack<double, 2 * N>* v;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[N]) const {
    const auto vi = v[i];
    for (int c = 0; c < N; ++c)
      term[c] = vi.column[2 * c] * vi.column[2 * c] + vi.column[2 * c + 1] * vi.column[2 * c + 1];
  }
};

template <int N> const linalg::Pack<double, 2 * N>* packs(const double* t) {
  return reinterpret_cast<const linalg::Pack<double, 2 * N>*>(t);
}

} // namespace

template <class ExecutionSpace, int N>
Deflated<ExecutionSpace, N>::Deflated(const ExecutionSpace& exec, const ShiftedOperator<ExecutionSpace, N>& a,
                                      const ConductorRows<ExecutionSpace>& conductors,
                                      const ShiftedPreconditioner<ExecutionSpace, N>& inner)
    : inner_(inner), sums_(a.sums()), n_(a.size()), k_(conductors.n_conductors()) {
  using Entry = linalg::Pack<double, 2 * N>;
  const auto size = static_cast<std::size_t>(k_);
  y_ = make_array<vector_type>(exec, "solvers::deflation_vectors", std::int64_t(k_) * n_);
  ay_ = make_array<vector_type>(exec, "solvers::deflation_products", std::int64_t(k_) * n_);
  r_ = make_array<vector_type>(exec, "solvers::deflated_residual", n_);
  t_ = make_filled<decltype(t_)>(exec, "solvers::deflation_sums", 3 * 2 * N * (size + 8), 0.);
  workspace_ = ReduceWorkspace<ExecutionSpace>(exec, n_, 16);
  const auto squares = make_array<Array<double*, ExecutionSpace>>(exec, "solvers::deflation_norms", N);
  SmallComplex e[N];
  for (auto& matrix : e)
    matrix.assign(size, std::vector<Complex>(size));
  Entry ones{};
  for (int c = 0; c < N; ++c)
    ones.column[2 * c] = 1.;
  for (int k = 0; k < k_; ++k) {
    const auto part = std::make_pair(std::int64_t(k) * n_, std::int64_t(k + 1) * n_);
    const vector_type y = Kokkos::subview(y_, part);
    const vector_type ay = Kokkos::subview(ay_, part);
    std::vector<double> unit(2 * N * size);
    for (std::size_t i = 0; i < 2 * N; i += 2)
      unit[2 * N * static_cast<std::size_t>(k) + i] = 1.;
    linalg::set_to_zero(exec, r_);
    conductors.template add<N>(exec, uploaded(exec, "solvers::deflation_unit", unit), ones, r_);
    column_sums<N>("tessera::solvers::deflation_norm", exec, n_, ColumnSquares<N>{r_.data()}, workspace_,
                   squares.data(), sums_);
    inner_.apply(exec, r_, squares.data(), y);
    a.apply(exec, y, ay);
    keep_alive(exec, unit);
  }
  for (int k = 0; k < k_; ++k) {
    products(exec, y_, Kokkos::subview(ay_, std::make_pair(std::int64_t(k) * n_, std::int64_t(k + 1) * n_)), t_.data());
    const auto host = to_host(exec, t_);
    for (std::size_t l = 0; l < size; ++l)
      for (std::size_t c = 0; c < N; ++c)
        e[c][l][static_cast<std::size_t>(k)] = {host(2 * N * l + 2 * c), host(2 * N * l + 2 * c + 1)};
  }
  std::vector<Entry> inverse(size * size);
  for (std::size_t c = 0; c < N; ++c) {
    SmallComplex unit(size, std::vector<Complex>(size));
    for (std::size_t i = 0; i < size; ++i)
      unit[i][i] = 1.;
    const auto of_column = solved(e[c], std::move(unit));
    TESSERA_REQUIRE_KIND(of_column.size() == size, ErrorKind::numerical,
                         "Deflation of conductors: the matrix of " << size << " conductors is singular.");
    for (std::size_t i = 0; i < size * size; ++i) {
      inverse[i].column[2 * c] = of_column[i / size][i % size].real();
      inverse[i].column[2 * c + 1] = of_column[i / size][i % size].imag();
    }
  }
  inverse_ = uploaded(exec, "solvers::deflation_inverse", inverse);
}

template <class ExecutionSpace, int N>
void Deflated<ExecutionSpace, N>::products(const ExecutionSpace& exec, const vector_type& vectors,
                                           const const_vector_type& v, double* t) const {
  constexpr int n_vectors = BilinearProducts<N>::n_vectors;
  for (int first = 0; first < k_; first += n_vectors)
    column_sums<16>(
        "tessera::solvers::deflation_products", exec, n_,
        BilinearProducts<N>{vectors.data() + std::int64_t(first) * n_, n_, std::min(n_vectors, k_ - first), v.data()},
        workspace_, t + 2 * N * first, sums_);
}

template <class ExecutionSpace, int N>
void Deflated<ExecutionSpace, N>::apply(const ExecutionSpace& exec, const const_vector_type& r, const double* rr,
                                        const vector_type& z) const {
  const auto size = static_cast<std::int64_t>(t_.extent(0)) / 3;
  double* const of_r = t_.data();
  double* const of_z = of_r + size;
  double* const factors = of_z + size;
  auto* const y_factors = reinterpret_cast<linalg::Pack<double, 2 * N>*>(factors);
  const auto solve = [&](bool subtracts) {
    for_each("tessera::solvers::deflation_solve", exec, k_,
             SolveSmall<N>{inverse_.data(), k_, subtracts, packs<N>(of_r), packs<N>(of_z), y_factors});
  };
  products(exec, y_, r, of_r);
  solve(false);
  stream("tessera::solvers::deflate", exec, n_, AddVectors<N>{ay_.data(), n_, k_, -1., y_factors, r.data(), r_.data()});
  inner_.apply(exec, r_, rr, z);
  products(exec, ay_, z, of_z);
  solve(true);
  stream("tessera::solvers::deflation_correct", exec, n_,
         AddVectors<N>{y_.data(), n_, k_, 1., y_factors, z.data(), z.data()});
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template class Deflated<Space, 1>;                                                                                   \
  template class Deflated<Space, 2>;                                                                                   \
  template class Deflated<Space, 4>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
