// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_TRANSFER_HPP
#define TESSERA_LINALG_TRANSFER_HPP

#include "linalg/operator.hpp"

namespace tessera::linalg {

/// Interpolation P from the unknowns of a coarser level and its transpose, with or without a stored matrix.
template <class ExecutionSpace> class Transfer : public Operator<ExecutionSpace> {
public:
  using typename Operator<ExecutionSpace>::vector_type;
  using typename Operator<ExecutionSpace>::const_vector_type;

  bool is_symmetric() const final { return false; }
  bool has_transpose() const final { return true; }

  /// y += P x. Does not wait.
  virtual void add(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y) const = 0;

  /// Memory of its arrays in bytes.
  virtual std::int64_t bytes() const = 0;
};

} // namespace tessera::linalg

#endif
