// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_MULTIGRID_MULTIGRID_COLUMNS_HPP
#define TESSERA_SOLVERS_MULTIGRID_MULTIGRID_COLUMNS_HPP

/// \file
/// Multigrid for several vectors side by side.

#include "solvers/multigrid/multigrid.hpp"

#include <memory>

namespace tessera::solvers {

/// The cycle of a preconditioner for N vectors side by side, with vectors of its own: each has the bits that it has
/// alone. The preconditioner must stay as it is.
template <class ExecutionSpace, int N> class MultigridColumns {
public:
  using vector_type = linalg::MultiVector<N, ExecutionSpace>;
  using const_vector_type = linalg::ConstMultiVector<N, ExecutionSpace>;

  /// Null if `m` is no multigrid, or one of several processes or compact.
  static std::unique_ptr<MultigridColumns> of(const ExecutionSpace& exec, const Preconditioner<ExecutionSpace>& m);
  /// Whether of() gives one.
  static bool exists(const Preconditioner<ExecutionSpace>& m);

  void apply(const ExecutionSpace& exec, const const_vector_type& r, const vector_type& z) const;
  bool has_start() const { return one_.has_start(); }
  void start(const ExecutionSpace& exec, const const_vector_type& b, const vector_type& x) const;

private:
  MultigridColumns(const ExecutionSpace& exec, const Multigrid<ExecutionSpace>& one);
  template <class Work> void visit(const Work& work) const;

  const Multigrid<ExecutionSpace>& one_;
  std::variant<std::monostate, Cycle<ExecutionSpace, double, N>, Cycle<ExecutionSpace, float, N>> cycle_;
};

} // namespace tessera::solvers

#endif
