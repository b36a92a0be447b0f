// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_DIAGONAL_HPP
#define TESSERA_SOLVERS_DIAGONAL_HPP

#include "linalg/linear_operator.hpp"

namespace tessera::solvers {

/// Returns the operator's diagonal. Throws an Error of kind numerical that names `method` and the first unknown whose
/// entry is zero, negative or not finite.
template <class ExecutionSpace>
linalg::Vector<ExecutionSpace> positive_diagonal(const ExecutionSpace& exec,
                                                 const linalg::LinearOperator<ExecutionSpace>& a, const char* method);

} // namespace tessera::solvers

#endif
