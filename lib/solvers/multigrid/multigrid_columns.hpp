// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_MULTIGRID_MULTIGRID_COLUMNS_HPP
#define TESSERA_SOLVERS_MULTIGRID_MULTIGRID_COLUMNS_HPP

/// \file
/// Multigrid for several vectors stored together.

#include "solvers/multigrid/multigrid.hpp"

#include <memory>

namespace tessera::solvers {

/// The cycle of a preconditioner for N vectors stored together, with separate work vectors; the results have the bits
/// of single vectors. The preconditioner must not change.
template <class ExecutionSpace, int N> class MultigridColumns {
public:
  using vector_type = linalg::MultiVector<N, ExecutionSpace>;
  using const_vector_type = linalg::ConstMultiVector<N, ExecutionSpace>;

  /// Null if `m` is not multigrid, or is distributed or compact.
  static std::unique_ptr<MultigridColumns> of(const ExecutionSpace& exec, const Preconditioner<ExecutionSpace>& m);
  /// Whether of() returns a cycle.
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
