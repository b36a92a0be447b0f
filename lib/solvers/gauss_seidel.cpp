// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/gauss_seidel.hpp"

#include "solvers/diagonal.hpp"

namespace tessera::solvers {

template <class ExecutionSpace>
SymmetricGaussSeidel<ExecutionSpace>::SymmetricGaussSeidel(const ExecutionSpace& exec,
                                                           const linalg::CrsOperator<ExecutionSpace>& a) {
  positive_diagonal<ExecutionSpace>(exec, a, "symmetric Gauss-Seidel");
  const auto& matrix = a.matrix();
  kernels_ = std::make_shared<KernelsGaussSeidel<ExecutionSpace>>(exec, matrix.offsets, matrix.columns, matrix.values);
  // Traffic: two sweeps read the matrix, r and the inverse diagonal, and read and write z.
  const linalg::Traffic product = a.traffic();
  traffic_ = {2. * (product.bytes + 16. * a.size()), 2. * product.flops};
}

template <class ExecutionSpace>
void SymmetricGaussSeidel<ExecutionSpace>::apply(const ExecutionSpace& exec, const const_vector_type& r,
                                                 const vector_type& z) const {
  kernels_->apply(exec, r, z);
}

#define TESSERA_INSTANTIATE(Space) template class SymmetricGaussSeidel<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
