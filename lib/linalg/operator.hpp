// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_OPERATOR_HPP
#define TESSERA_LINALG_OPERATOR_HPP

/// \file
/// Linear maps between vectors: the common interface of matrices, element operators and transfers between levels.

#include "core/parallel.hpp"
#include "linalg/global_sums.hpp"

namespace tessera::linalg {

template <class Space> using Vector = Array<double*, Space>;            ///< entries in the memory of a space
template <class Space> using ConstVector = Array<const double*, Space>; ///< read-only

/// Minimum bytes and operations of one execution: every input read once, every output written once.
struct Traffic {
  double bytes = 0.;
  double flops = 0.;
};

/// Linear map A from vectors of n_cols() to vectors of n_rows() entries. The dispatch is on the host, once per
/// application; kernels are compiled per operator, and solvers once per space.
template <class ExecutionSpace> class Operator {
public:
  using execution_space = ExecutionSpace;
  using vector_type = Vector<ExecutionSpace>;
  using const_vector_type = ConstVector<ExecutionSpace>;

  virtual ~Operator() = default;

  virtual index_t n_rows() const = 0;
  virtual index_t n_cols() const = 0;

  /// Whether A equals its transpose up to rounding.
  virtual bool is_symmetric() const = 0;

  /// y = A x. Does not wait.
  virtual void apply(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y) const = 0;

  /// Whether apply_transpose() may be called.
  virtual bool has_transpose() const { return is_symmetric(); }

  /// y = A^T x, which has n_cols() entries. Does not wait. Throws a tessera::Error if there is no transpose.
  virtual void apply_transpose(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y) const;

  /// Minimum traffic of one apply().
  virtual Traffic traffic() const = 0;

  /// Completes sums over rows that are distributed over devices or processes.
  virtual const GlobalSums<ExecutionSpace>& sums() const { return GlobalSums<ExecutionSpace>::local(); }
};

/// Base class of operators that are a stored matrix, for matrix_of().
template <class Matrix> class StoredMatrix {
public:
  virtual ~StoredMatrix() = default;
  virtual const Matrix& matrix() const = 0;
};

/// The stored matrix of an operator, for algorithms that work on its entries; null if it has none of this type.
template <class Matrix, class ExecutionSpace> const Matrix* matrix_of(const Operator<ExecutionSpace>& a) {
  const auto* stored = dynamic_cast<const StoredMatrix<Matrix>*>(&a);
  return stored == nullptr ? nullptr : &stored->matrix();
}

} // namespace tessera::linalg

#endif
