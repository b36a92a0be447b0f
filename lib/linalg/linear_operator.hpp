// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_LINEAR_OPERATOR_HPP
#define TESSERA_LINALG_LINEAR_OPERATOR_HPP

/// \file
/// The interface of a system's matrix for solvers.

#include "linalg/operator.hpp"

#include <string>

namespace tessera::linalg {

/// Square operator with a diagonal.
template <class ExecutionSpace> class LinearOperator : public Operator<ExecutionSpace> {
public:
  using typename Operator<ExecutionSpace>::vector_type;
  using typename Operator<ExecutionSpace>::const_vector_type;

  /// Number of unknowns.
  virtual index_t size() const = 0;
  index_t n_rows() const final { return size(); }
  index_t n_cols() const final { return size(); }

  /// Hint that many products will follow: an operator may spend about the time of one product, and memory if there is
  /// enough, on making them faster. Their bits stay the same.
  virtual void prepare_products(const ExecutionSpace&) const {}

  /// y = A x and *xy = (x, y) in a fixed order (core/algorithms/reduce.hpp), over the unknowns of all devices; `xy` is
  /// in the space's memory. Does not wait. Operators that can fuse the sum into the loop of the product override this.
  virtual void apply_dot(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y,
                         const ReduceWorkspace<ExecutionSpace>& workspace, double* xy) const;

  /// Allocates a vector, uninitialised, to which the operator will be applied repeatedly. Operators that also read
  /// entries of other processes leave room for ghosts after the owned entries, and multiply in place.
  virtual vector_type make_argument(const ExecutionSpace& exec, const std::string& label) const {
    return make_array<vector_type>(exec, label, size());
  }

  /// Main diagonal.
  virtual void diagonal(const ExecutionSpace& exec, const vector_type& d) const = 0;
};

} // namespace tessera::linalg

#endif
