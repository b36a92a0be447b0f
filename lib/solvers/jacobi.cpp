// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/jacobi.hpp"

#include "solvers/diagonal.hpp"

namespace tessera::solvers {

namespace {

struct InvertEntry {
  double* diagonal;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { diagonal[i] = 1. / diagonal[i]; }
};

struct ScaleByDiagonal {
  const double* scale;
  const double* r;
  double* z;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { z[i] = scale[i] * r[i]; }
};

} // namespace

template <class ExecutionSpace>
Jacobi<ExecutionSpace>::Jacobi(const ExecutionSpace& exec, const linalg::LinearOperator<ExecutionSpace>& a)
    : Fused<ExecutionSpace>(a.size(), "jacobi", true), scale_(positive_diagonal<ExecutionSpace>(exec, a, "Jacobi")) {
  stream("tessera::solvers::jacobi_invert", exec, a.size(), InvertEntry{scale_.data()});
}

template <class ExecutionSpace>
void Jacobi<ExecutionSpace>::apply(const ExecutionSpace& exec, const const_vector_type& r, const vector_type& z) const {
  stream("tessera::solvers::jacobi_apply", exec, static_cast<std::int64_t>(scale_.extent(0)),
         ScaleByDiagonal{scale_.data(), r.data(), z.data()});
}

#define TESSERA_INSTANTIATE(Space) template class Jacobi<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
