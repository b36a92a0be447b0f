// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_PRECONDITIONER_HPP
#define TESSERA_SOLVERS_PRECONDITIONER_HPP

/// \file
/// Preconditioners: approximate inverses M^-1 that Krylov methods apply.

#include "linalg/linear_operator.hpp"

#include <string>

namespace tessera::solvers {

/// Inner products with a residual r: workspace, sums, and known values, in the space's memory.
template <class ExecutionSpace> struct ResidualProducts {
  const ReduceWorkspace<ExecutionSpace>& workspace; ///< for one sum over r
  const linalg::GlobalSums<ExecutionSpace>& sums;
  const double* rr; ///< (r, r)
  double* rz;       ///< set to (r, M^-1 r)
};

/// Approximation of an operator's inverse. As with operators, the dispatch is on the host.
template <class ExecutionSpace> class Preconditioner {
public:
  using execution_space = ExecutionSpace;
  using vector_type = linalg::Vector<ExecutionSpace>;
  using const_vector_type = linalg::ConstVector<ExecutionSpace>;

  /// The diagonal of a pointwise preconditioner: solvers apply it in their own loops.
  struct Pointwise {
    bool possible = false;   ///< false: the solver has to call apply()
    const_vector_type scale; ///< [size]; empty: all ones
  };

  virtual ~Preconditioner() = default;

  /// Name in the input file.
  virtual std::string name() const = 0;

  /// Whether M is symmetric, as conjugate gradients require; they detect by themselves if it is not positive definite.
  virtual bool is_symmetric() const = 0;

  /// z = M^-1 r. Does not wait.
  virtual void apply(const ExecutionSpace& exec, const const_vector_type& r, const vector_type& z) const = 0;

  /// Like apply(), with a work vector lent by the solver, so that M need not allocate one.
  virtual void apply_with(const ExecutionSpace& exec, const const_vector_type& r, const vector_type& z,
                          const vector_type& /*work*/) const {
    apply(exec, r, z);
  }

  /// Computes z = M^-1 r and (r, z) in one pass. Returns false, doing nothing, if fusing gains nothing. Does not wait.
  virtual bool apply_dot(const ExecutionSpace& /*exec*/, const const_vector_type& /*r*/, const vector_type& /*z*/,
                         const ResidualProducts<ExecutionSpace>& /*products*/) const {
    return false;
  }

  /// Whether start() is better than apply().
  virtual bool has_start() const { return false; }
  /// Replaces x by an approximation of A^-1 b, as a start for iterations. May allocate.
  virtual void start(const ExecutionSpace& exec, const const_vector_type& b, const vector_type& x) const {
    apply(exec, b, x);
  }

  /// Whether the existence of M implies that the operator does not map constants to zero.
  virtual bool excludes_constants() const { return false; }

  virtual Pointwise pointwise() const { return {}; }

  /// Minimum traffic of one apply(); pointwise preconditioners add nothing to the solver's own loops.
  virtual linalg::Traffic traffic() const { return {}; }
};

/// M = 1.
template <class ExecutionSpace> class Identity final : public Preconditioner<ExecutionSpace> {
public:
  using typename Preconditioner<ExecutionSpace>::vector_type;
  using typename Preconditioner<ExecutionSpace>::const_vector_type;
  using typename Preconditioner<ExecutionSpace>::Pointwise;

  std::string name() const override { return "none"; }
  bool is_symmetric() const override { return true; }
  void apply(const ExecutionSpace& exec, const const_vector_type& r, const vector_type& z) const override {
    Kokkos::deep_copy(exec, z, r);
  }
  Pointwise pointwise() const override { return {true, {}}; }
};

} // namespace tessera::solvers

#endif
