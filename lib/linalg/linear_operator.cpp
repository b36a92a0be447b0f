// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/linear_operator.hpp"

#include "core/error.hpp"
#include "linalg/vector_kernels.hpp"

namespace tessera::linalg {

template <class ExecutionSpace>
void Operator<ExecutionSpace>::apply_transpose(const ExecutionSpace& exec, const const_vector_type& x,
                                               const vector_type& y) const {
  TESSERA_REQUIRE(is_symmetric(),
                  "This operator of " << n_rows() << " rows and " << n_cols() << " columns has no transposed product.");
  apply(exec, x, y);
}

template <class ExecutionSpace>
void LinearOperator<ExecutionSpace>::apply_dot(const ExecutionSpace& exec, const const_vector_type& x,
                                               const vector_type& y, const ReduceWorkspace<ExecutionSpace>& workspace,
                                               double* xy) const {
  this->apply(exec, x, y);
  dot<ExecutionSpace>(exec, x, y, workspace, xy, this->sums());
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template class Operator<Space>;                                                                                      \
  template class LinearOperator<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::linalg
