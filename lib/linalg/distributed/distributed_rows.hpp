// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_DISTRIBUTED_DISTRIBUTED_ROWS_HPP
#define TESSERA_LINALG_DISTRIBUTED_DISTRIBUTED_ROWS_HPP

/// \file
/// Products with a system whose rows are distributed over processes: an assembled CRS matrix or a matrix-free operator.

#include "comm/halo.hpp"
#include "linalg/crs/crs_matrix.hpp"
#include "linalg/distributed/distributed_sums.hpp"
#include "linalg/distributed/owned_first.hpp"

#include <memory>

namespace tessera::linalg {

/// Reorders a vector of owned entries followed by ghosts into the local order of a partition's unknowns.
template <class ExecutionSpace>
void in_order_of_part(const ExecutionSpace& exec, const OwnedFirst& owned,
                      const ConstVector<ExecutionSpace>& owned_first, const Vector<ExecutionSpace>& of_part);

/// The owned rows of a partition's matrix, with columns renumbered: owned first, then the ghosts. Shares the values.
template <class ExecutionSpace>
CrsMatrix<typename ExecutionSpace::memory_space>
cut_owned_rows(const ExecutionSpace& exec, const CrsMatrix<typename ExecutionSpace::memory_space>& of_part,
               const OwnedFirst& owned);

/// The product with the system of all processes. Each process has the owned entries of vectors; `local` is its part of
/// the system, whose rows of owned unknowns are complete and whose rows of ghosts are not used. The terms of a row have
/// the order of the undistributed system.
template <class ExecutionSpace> class DistributedRows final : public LinearOperator<ExecutionSpace> {
public:
  using typename LinearOperator<ExecutionSpace>::vector_type;
  using typename LinearOperator<ExecutionSpace>::const_vector_type;

  /// The arguments must outlive this object; the halo's ghosts are those of the partition. Collective.
  DistributedRows(const ExecutionSpace& exec, const LinearOperator<ExecutionSpace>& local, const OwnedFirst& owned,
                  const comm::Halo<ExecutionSpace>& halo, const DistributedSums<ExecutionSpace>& sums);

  index_t size() const override { return owned_.n_owned; }
  bool is_symmetric() const override { return local_.is_symmetric(); }
  void prepare_products(const ExecutionSpace& exec) const override;
  /// Collective. Traffic: that of the local product; 16 bytes per unknown for a copy of x with its ghosts, unless
  /// make_argument() made x; without a matrix as much again for each of x and y.
  void apply(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y) const override;
  /// The sum is fused with the product if there is a matrix and sums need not have the bits of a single process.
  void apply_dot(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y,
                 const ReduceWorkspace<ExecutionSpace>& workspace, double* xy) const override;
  void diagonal(const ExecutionSpace& exec, const vector_type& d) const override;
  vector_type make_argument(const ExecutionSpace& exec, const std::string& label) const override {
    return halo_.make_with_ghosts(exec, label);
  }
  Traffic traffic() const override;
  const GlobalSums<ExecutionSpace>& sums() const override { return sums_; }
  /// Whether `local` has the matrix from which the rows were cut, possibly with other values, which the rows share. The
  /// arrays are held, so that no others can be allocated at their addresses.
  bool has_rows_of(const LinearOperator<ExecutionSpace>& local) const;
  /// The owned rows, with columns numbered owned first, then the halo's ghosts. Null without a matrix.
  const CrsMatrix<typename ExecutionSpace::memory_space>* rows() const { return rows_ ? &rows_->matrix() : nullptr; }

private:
  /// x followed by its ghosts, or (without a matrix) local_x_.
  const_vector_type take(const ExecutionSpace& exec, const const_vector_type& x) const;
  vector_type owned_part(const vector_type& of_part) const {
    return Kokkos::subview(of_part, std::make_pair(owned_.first, owned_.first + owned_.n_owned));
  }

  const LinearOperator<ExecutionSpace>& local_;
  OwnedFirst owned_;
  const comm::Halo<ExecutionSpace>& halo_;
  const DistributedSums<ExecutionSpace>& sums_;
  std::unique_ptr<CrsOperator<ExecutionSpace>> rows_;        ///< null: the local operator has no matrix
  CrsMatrix<typename ExecutionSpace::memory_space> of_part_; ///< from which the rows were cut
  mutable vector_type x_;                                    ///< owned entries, then ghosts; for arguments without room
                                                             ///< for ghosts
  vector_type local_x_;                                      ///< in the partition's order; without a matrix
  vector_type local_y_;
};

} // namespace tessera::linalg

#endif
