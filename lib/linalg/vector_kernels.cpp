// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/vector_kernels.hpp"

#include <cmath>

namespace tessera::linalg {

namespace {
struct Products {
  const double* x;
  const double* y;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const { term[0] = x[i] * y[i]; }
};
} // namespace

template <class ExecutionSpace>
void dot(const ExecutionSpace& exec, const ConstVector<ExecutionSpace>& x, const ConstVector<ExecutionSpace>& y,
         const ReduceWorkspace<ExecutionSpace>& workspace, double* xy) {
  ordered_sums<1>("tessera::linalg::dot", exec, static_cast<std::int64_t>(x.extent(0)), Products{x.data(), y.data()},
                  workspace, xy);
}

template <class ExecutionSpace> double norm2(const ExecutionSpace& exec, const ConstVector<ExecutionSpace>& x) {
  return std::sqrt(ordered_sum("tessera::linalg::norm2", exec, static_cast<std::int64_t>(x.extent(0)),
                               Products{x.data(), x.data()}));
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template void dot(const Space&, const ConstVector<Space>&, const ConstVector<Space>&, const ReduceWorkspace<Space>&, \
                    double*);                                                                                          \
  template double norm2(const Space&, const ConstVector<Space>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::linalg
