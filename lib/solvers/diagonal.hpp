// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_DIAGONAL_HPP
#define TESSERA_SOLVERS_DIAGONAL_HPP

#include "linalg/linear_operator.hpp"

namespace tessera::solvers {

/// The first unknown whose diagonal entry is zero, negative or not finite; the number of entries if there is none.
/// Waits.
template <class ExecutionSpace>
std::int64_t first_unusable_entry(const ExecutionSpace& exec, const linalg::ConstVector<ExecutionSpace>& diagonal);

/// Returns the operator's diagonal. Throws an Error of kind numerical that states `method` and the first unknown whose
/// entry is zero, negative or not finite.
template <class ExecutionSpace>
linalg::Vector<ExecutionSpace> positive_diagonal(const ExecutionSpace& exec,
                                                 const linalg::LinearOperator<ExecutionSpace>& a, const char* method);

} // namespace tessera::solvers

#endif
