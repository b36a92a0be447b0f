// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_PRECONDITIONER_HPP
#define TESSERA_SOLVERS_PRECONDITIONER_HPP

/// \file
/// Preconditioners: approximate inverses M^-1 that Krylov methods apply.

#include "linalg/linear_operator.hpp"

#include <string>
#include <utility>

namespace tessera::solvers {

/// Inner products with a residual r: workspace, sums, and known values, in the space's memory.
template <class ExecutionSpace> struct ResidualProducts {
  const ReduceWorkspace<ExecutionSpace>& workspace; ///< for one sum over r
  const linalg::GlobalSums<ExecutionSpace>& sums;
  const double* rr; ///< (r, r)
  double* rz;       ///< set to (r, M^-1 r)
};

/// Approximation M^-1 of an operator's inverse. Its application is that of an operator: z = M^-1 r; its traffic is zero
/// if it is pointwise, which adds nothing to the solver's own loops. M is symmetric as conjugate gradients require if
/// is_symmetric(); they detect by themselves if it is not positive definite.
template <class ExecutionSpace> class Preconditioner : public linalg::Operator<ExecutionSpace> {
public:
  using typename linalg::Operator<ExecutionSpace>::vector_type;
  using typename linalg::Operator<ExecutionSpace>::const_vector_type;

  /// Name in the input file.
  const std::string& name() const { return name_; }
  /// Whether the existence of M implies that the operator does not map constants to zero.
  bool excludes_constants() const { return excludes_constants_; }

  index_t n_rows() const final { return size_; }
  index_t n_cols() const final { return size_; }
  bool is_symmetric() const final { return is_symmetric_; }
  linalg::Traffic traffic() const override { return {}; }

protected:
  /// `size`: number of unknowns, with several processes of the owned ones.
  Preconditioner(index_t size, std::string name, bool is_symmetric, bool excludes_constants = false)
      : size_(size), name_(std::move(name)), is_symmetric_(is_symmetric), excludes_constants_(excludes_constants) {}

private:
  index_t size_;
  std::string name_;
  bool is_symmetric_;
  bool excludes_constants_;
};

/// How solvers compute z = M^-1 r: it is r, or they multiply in their own loops, or M is applied and z stored.
enum class Inverse { identity, pointwise, stored };

/// A preconditioner with functions that exist only for speed; see fused().
template <class ExecutionSpace> class Fused : public Preconditioner<ExecutionSpace> {
public:
  using typename Preconditioner<ExecutionSpace>::vector_type;
  using typename Preconditioner<ExecutionSpace>::const_vector_type;
  using Preconditioner<ExecutionSpace>::Preconditioner;

  struct Pointwise {
    Inverse kind = Inverse::stored;
    const_vector_type scale; ///< diagonal of M^-1, [size], if `kind` is pointwise
  };
  virtual Pointwise pointwise() const { return {}; }

  /// z = M^-1 r, where `work`, lent by the solver, may be overwritten. Returns whether (r, z) has been computed in the
  /// same pass, which needs `products`; null: not wanted. Does not wait.
  virtual bool apply_dot(const ExecutionSpace& exec, const const_vector_type& r, const vector_type& z,
                         const vector_type& /*work*/, const ResidualProducts<ExecutionSpace>* /*products*/) const {
    this->apply(exec, r, z);
    return false;
  }

  /// Whether start() is better than apply().
  virtual bool has_start() const { return false; }
  /// Replaces x by an approximation of A^-1 b, as a start for iterations. May allocate.
  virtual void start(const ExecutionSpace& exec, const const_vector_type& b, const vector_type& x) const {
    this->apply(exec, b, x);
  }
};

/// The functions of M for speed; null if it has none.
template <class ExecutionSpace> const Fused<ExecutionSpace>* fused(const Preconditioner<ExecutionSpace>& m) {
  return dynamic_cast<const Fused<ExecutionSpace>*>(&m);
}

template <class ExecutionSpace>
typename Fused<ExecutionSpace>::Pointwise pointwise_of(const Preconditioner<ExecutionSpace>& m) {
  const auto* f = fused(m);
  return f == nullptr ? typename Fused<ExecutionSpace>::Pointwise() : f->pointwise();
}

/// Fused::apply_dot() if M has it, else apply().
template <class ExecutionSpace>
bool apply_dot(const ExecutionSpace& exec, const Preconditioner<ExecutionSpace>& m,
               const linalg::ConstVector<ExecutionSpace>& r, const linalg::Vector<ExecutionSpace>& z,
               const linalg::Vector<ExecutionSpace>& work, const ResidualProducts<ExecutionSpace>* products) {
  if (const auto* f = fused(m))
    return f->apply_dot(exec, r, z, work, products);
  m.apply(exec, r, z);
  return false;
}

/// M = 1.
template <class ExecutionSpace> class Identity final : public Fused<ExecutionSpace> {
public:
  using typename Fused<ExecutionSpace>::vector_type;
  using typename Fused<ExecutionSpace>::const_vector_type;
  using typename Fused<ExecutionSpace>::Pointwise;

  explicit Identity(index_t size) : Fused<ExecutionSpace>(size, "none", true) {}
  void apply(const ExecutionSpace& exec, const const_vector_type& r, const vector_type& z) const override {
    Kokkos::deep_copy(exec, z, r);
  }
  Pointwise pointwise() const override { return {Inverse::identity, {}}; }
};

} // namespace tessera::solvers

#endif
