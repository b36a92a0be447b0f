// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_PRECONDITIONER_HPP
#define TESSERA_SOLVERS_PRECONDITIONER_HPP

/// \file
/// Approximate inverses M^-1 that Krylov methods apply.

#include "linalg/linear_operator.hpp"

#include <string>

namespace tessera::solvers {

/// How a solver makes inner products with a residual r, and what it knows of them. In the space's memory.
template <class ExecutionSpace> struct ResidualProducts {
  const ReduceWorkspace<ExecutionSpace>& workspace; ///< for one sum over r
  const linalg::GlobalSums<ExecutionSpace>& sums;
  const double* rr; ///< (r, r)
  double* rz;       ///< becomes (r, M^-1 r)
};

/// Approximation of an operator's inverse. As with operators, the dispatch is on the host.
template <class ExecutionSpace> class Preconditioner {
public:
  using execution_space = ExecutionSpace;
  using vector_type = linalg::Vector<ExecutionSpace>;
  using const_vector_type = linalg::ConstVector<ExecutionSpace>;

  /// Factors by which a preconditioner multiplies the unknowns: solvers apply them in their own loops.
  struct Pointwise {
    bool possible = false;   ///< false: the solver has to call apply()
    const_vector_type scale; ///< [size]; empty: all ones
  };

  virtual ~Preconditioner() = default;

  /// Name in the input file.
  virtual std::string name() const = 0;

  /// Whether M is its own transpose, as conjugate gradients need it; they find out by themselves whether it is positive
  /// definite.
  virtual bool is_symmetric() const = 0;

  /// z = M^-1 r. Does not wait.
  virtual void apply(const ExecutionSpace& exec, const const_vector_type& r, const vector_type& z) const = 0;

  /// The same with a vector that the solver lends, because it holds nothing then: M need not have one of its own.
  virtual void apply_with(const ExecutionSpace& exec, const const_vector_type& r, const vector_type& z,
                          const vector_type& /*work*/) const {
    apply(exec, r, z);
  }

  /// z = M^-1 r with (r, z) on the way; false where it is as well made afterwards: then nothing is done. Does not wait.
  virtual bool apply_dot(const ExecutionSpace& /*exec*/, const const_vector_type& /*r*/, const vector_type& /*z*/,
                         const ResidualProducts<ExecutionSpace>& /*products*/) const {
    return false;
  }

  /// Whether start() has more to offer than apply().
  virtual bool has_start() const { return false; }
  /// Replaces x by an approximation of A^-1 b, a start for iterations. May allocate.
  virtual void start(const ExecutionSpace& exec, const const_vector_type& b, const vector_type& x) const {
    apply(exec, b, x);
  }

  /// Whether it could not have been made for an operator that maps constants to zero.
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
