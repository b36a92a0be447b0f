// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/diagonal.hpp"

#include "core/error.hpp"

namespace tessera::solvers {

namespace {

/// Finds the first unknown with an unusable diagonal entry; n if there is none.
struct FirstBadEntry {
  const double* diagonal;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& first) const {
    const double d = diagonal[i];
    const bool usable = d > 0. && d - d == 0.; // the difference is NaN if d is infinite
    if (!usable && i < first)
      first = i;
  }
};

} // namespace

template <class ExecutionSpace>
std::int64_t first_unusable_entry(const ExecutionSpace& exec, const linalg::ConstVector<ExecutionSpace>& diagonal) {
  const auto n = static_cast<std::int64_t>(diagonal.extent(0));
  std::int64_t first = n;
  Kokkos::parallel_reduce("tessera::solvers::check_diagonal",
                          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, n),
                          FirstBadEntry{diagonal.data()}, Kokkos::Min<std::int64_t>(first));
  return first < n ? first : n; // an empty minimum is the largest integer
}

template <class ExecutionSpace>
linalg::Vector<ExecutionSpace> positive_diagonal(const ExecutionSpace& exec,
                                                 const linalg::LinearOperator<ExecutionSpace>& a, const char* method) {
  const std::int64_t n = a.size();
  const auto diagonal = make_array<linalg::Vector<ExecutionSpace>>(exec, "solvers::diagonal", n);
  if (n == 0)
    return diagonal;
  a.diagonal(exec, diagonal);
  const std::int64_t first = first_unusable_entry(exec, linalg::ConstVector<ExecutionSpace>(diagonal));
  TESSERA_REQUIRE_KIND(first >= n, ErrorKind::numerical,
                       "Preconditioner " << method << ": the diagonal entry of unknown " << first << " is "
                                         << read_entry(exec, diagonal, first)
                                         << ", but all have to be positive and finite.");
  return diagonal;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template std::int64_t first_unusable_entry(const Space&, const linalg::ConstVector<Space>&);                         \
  template linalg::Vector<Space> positive_diagonal(const Space&, const linalg::LinearOperator<Space>&, const char*);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
