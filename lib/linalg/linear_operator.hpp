// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_LINEAR_OPERATOR_HPP
#define TESSERA_LINALG_LINEAR_OPERATOR_HPP

/// \file
/// All that a solver sees of a matrix.

#include "core/parallel.hpp"
#include "core/reduce.hpp"

#include <string>

namespace tessera::linalg {

template <class Space> using Vector = Array<double*, Space>;
template <class Space> using ConstVector = Array<const double*, Space>;

/// Bytes and operations that one execution needs at the least: every input read once, every output written once.
struct Traffic {
  double bytes = 0.;
  double flops = 0.;
};

template <class MemorySpace> struct CrsMatrix;

/// Symmetric linear operator on an execution space. The dispatch is on the host, once per application; kernels are
/// compiled per operator, and solvers once per space.
template <class ExecutionSpace> class LinearOperator {
public:
  using execution_space = ExecutionSpace;
  using vector_type = Vector<ExecutionSpace>;
  using const_vector_type = ConstVector<ExecutionSpace>;

  virtual ~LinearOperator() = default;

  /// Number of unknowns.
  virtual index_t size() const = 0;

  /// Tells that many products follow: an operator may spend about the time of one on making them faster, and memory if
  /// there is enough. Their bits stay the same.
  virtual void prepare_products(const ExecutionSpace&) const {}

  /// y = A x. Does not wait.
  virtual void apply(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y) const = 0;

  /// y = A x and *xy = (x, y) in a fixed order (core/reduce.hpp); `xy` is in the space's memory. Does not wait.
  /// Operators that can fuse the product into their loop override this.
  virtual void apply_dot(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y,
                         const ReduceWorkspace<ExecutionSpace>& workspace, double* xy) const;

  /// Main diagonal.
  virtual void diagonal(const ExecutionSpace& exec, const vector_type& d) const = 0;

  /// Minimum traffic of one apply().
  virtual Traffic traffic() const = 0;

  /// The matrix, of operators that are one: a solver may then work on its rows itself.
  virtual const CrsMatrix<typename ExecutionSpace::memory_space>* crs_matrix() const { return nullptr; }
};

} // namespace tessera::linalg

#endif
