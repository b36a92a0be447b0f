// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_HARMONIC_SHIFTED_OPERATOR_HPP
#define TESSERA_SOLVERS_HARMONIC_SHIFTED_OPERATOR_HPP

/// \file
/// Product with K + s M, and the interface of its preconditioners.

#include "linalg/operator.hpp"
#include "solvers/harmonic/complex_columns.hpp"
#include "solvers/harmonic/conductor_rows.hpp"
#include "solvers/harmonic/pack_ghosts.hpp"
#include "solvers/harmonic/shifted_rows.hpp"
#include "solvers/multigrid/cycle_kernels.hpp"

#include <memory>

namespace tessera::solvers {

namespace detail {

/// Norm of each column, for both of its parts, from squares; 1 for one that is zero or not finite.
template <int N> KOKKOS_FUNCTION linalg::Pack<double, 2 * N> column_norms(const double* rr) {
  linalg::Pack<double, 2 * N> norms;
  for (int k = 0; k < 2 * N; ++k)
    norms.column[k] = norm_of(rr + k / 2);
  return norms;
}

} // namespace detail

/// A = K + s M for N complex vectors, each with its own shift s: complex symmetric if K and M are symmetric. With
/// massive conductors of given currents A = K + s (M - C G^-1 C^T). With several processes each has its owned rows, and
/// these entries of vectors; then functions that compute are collective.
template <class ExecutionSpace, int N> class ShiftedOperator {
public:
  using Space = typename ExecutionSpace::memory_space;
  using Rows = ShiftedRows<double, Space>;
  using vector_type = ComplexColumns<N, Space>;
  using const_vector_type = ConstComplexColumns<N, Space>;

  /// Copies the matrices. Waits.
  ShiftedOperator(const ExecutionSpace& exec, const ShiftedMatrix<Space>& a)
      : ShiftedOperator(make_shifted_rows<double>(exec, {a})[0]) {}
  /// Shares the rows, for example with operators for another number of columns.
  explicit ShiftedOperator(Rows rows) : rows_(std::move(rows)) {}
  /// Of the owned rows, whose columns are numbered owned first; `sums`, which must outlive this object, are over the
  /// unknowns of all processes.
  ShiftedOperator(Rows rows, PackGhosts<ExecutionSpace> ghosts, const linalg::GlobalSums<ExecutionSpace>& sums)
      : rows_(std::move(rows)), ghosts_(std::move(ghosts)), sums_(&sums) {}

  /// Changes the shifts of all columns; zero before. Costs nothing.
  void set_shifts(const Shifts<N>& shifts) { shifts_ = shifts; }
  const Shifts<N>& shifts() const { return shifts_; }

  /// Adds the conductors' term to the product.
  void set_conductors(const ExecutionSpace& exec, std::shared_ptr<const ConductorRows<ExecutionSpace>> conductors);

  index_t size() const { return rows_.size(); } ///< of the owned unknowns
  /// Length of vectors with room for ghosts, which products need not copy.
  index_t size_with_ghosts() const { return ghosts_.is_distributed() ? ghosts_.columns().size() : size(); }
  const Rows& rows() const { return rows_; }
  const linalg::GlobalSums<ExecutionSpace>& sums() const { return *sums_; }

  /// y = A x. Does not wait.
  void apply(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y) const;

  /// Products of K and of M, or of M - C G^-1 C^T, apart. Does not wait.
  void apply_parts(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& k_x,
                   const vector_type& m_x) const;

  /// Minimum traffic of one apply(), without conductors and with all slices of M.
  linalg::Traffic traffic() const;

private:
  Rows rows_;
  PackGhosts<ExecutionSpace> ghosts_;
  const linalg::GlobalSums<ExecutionSpace>* sums_ = &linalg::GlobalSums<ExecutionSpace>::local();
  mutable Array<double*, ExecutionSpace> x_; ///< a copy with ghosts
  Shifts<N> shifts_{};
  std::shared_ptr<const ConductorRows<ExecutionSpace>> conductors_;
  Array<double*, ExecutionSpace> averages_; ///< of conductors
};

/// N complex vectors z_i = ||r|| / unit x_i, with the norms of other vectors r.
template <int N> struct ScaledColumns {
  using Wide = linalg::Pack<double, 2 * N>;
  const linalg::Pack<float, 2 * N>* x = nullptr;
  const double* rr = nullptr; ///< squared norms
  double unit = 1.;
  Wide factor = {};
  KOKKOS_FUNCTION void load() { factor = detail::column_norms<N>(rr) / unit; }
  /// z_i, after load().
  KOKKOS_FUNCTION Wide at(std::int64_t i) const { return factor * linalg::converted<Wide>(x[i]); }
};

/// Approximation of (K + s M)^-1 for N columns.
template <class ExecutionSpace, int N> class ShiftedPreconditioner {
public:
  using Space = typename ExecutionSpace::memory_space;
  using vector_type = ComplexColumns<N, Space>;
  using const_vector_type = ConstComplexColumns<N, Space>;

  virtual ~ShiftedPreconditioner() = default;

  /// z = B r with a complex symmetric B (B = B^T, without conjugates), linear for each column. `rr`: squared 2-norm of
  /// each column of r, [N], in the space's memory. Does not wait.
  virtual void apply(const ExecutionSpace& exec, const const_vector_type& r, const double* rr,
                     const vector_type& z) const = 0;

  /// The same without writing z, if the preconditioner has it in single precision until its next call; x is null
  /// otherwise.
  virtual ScaledColumns<N> apply_scaled(const ExecutionSpace& /*exec*/, const const_vector_type& /*r*/,
                                        const double* /*rr*/) const {
    return {};
  }
};

} // namespace tessera::solvers

#endif
