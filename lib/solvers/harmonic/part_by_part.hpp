// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_HARMONIC_PART_BY_PART_HPP
#define TESSERA_SOLVERS_HARMONIC_PART_BY_PART_HPP

#include "solvers/harmonic/shifted_operator.hpp"
#include "solvers/preconditioner.hpp"

namespace tessera::solvers {

namespace detail {

/// Takes part k of N complex columns, real and imaginary parts counted together.
template <int N> struct TakePart {
  const linalg::Pack<double, 2 * N>* from;
  int k;
  double* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to[i] = from[i].column[k]; }
};
template <int N> struct PutPart {
  const double* from;
  int k;
  linalg::Pack<double, 2 * N>* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to[i].column[k] = from[i]; }
};

} // namespace detail

/// A symmetric real preconditioner, for example of K + |s| M, applied to real and imaginary parts: needs about twice as
/// many iterations as ShiftedMultigrid. The fallback, and a reference for tests.
template <class ExecutionSpace, int N> class PartByPart final : public ShiftedPreconditioner<ExecutionSpace, N> {
public:
  using typename ShiftedPreconditioner<ExecutionSpace, N>::vector_type;
  using typename ShiftedPreconditioner<ExecutionSpace, N>::const_vector_type;

  /// Refers to `real`.
  PartByPart(const ExecutionSpace& exec, const Preconditioner<ExecutionSpace>& real, index_t n)
      : real_(real), r_(make_array<linalg::Vector<ExecutionSpace>>(exec, "solvers::part_of_r", n)),
        z_(make_array<linalg::Vector<ExecutionSpace>>(exec, "solvers::part_of_z", n)) {}

  void apply(const ExecutionSpace& exec, const const_vector_type& r, const double* /*rr*/,
             const vector_type& z) const override {
    const auto n = static_cast<std::int64_t>(r.extent(0));
    for (int k = 0; k < 2 * N; ++k) {
      stream("tessera::solvers::take_part", exec, n, detail::TakePart<N>{r.data(), k, r_.data()});
      real_.apply(exec, r_, z_);
      stream("tessera::solvers::put_part", exec, n, detail::PutPart<N>{z_.data(), k, z.data()});
    }
  }

private:
  const Preconditioner<ExecutionSpace>& real_;
  linalg::Vector<ExecutionSpace> r_, z_;
};

} // namespace tessera::solvers

#endif
