// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_DISTRIBUTED_ROWS_HPP
#define TESSERA_LINALG_DISTRIBUTED_ROWS_HPP

/// \file
/// Products with a system whose rows are distributed over processes: assembled to CRS, or an operator without a matrix.

#include "comm/halo.hpp"
#include "linalg/crs_matrix.hpp"
#include "linalg/distributed_sums.hpp"
#include "linalg/own_first.hpp"

#include <memory>

namespace tessera::linalg {

/// Puts a vector that has the own entries first, then the ghosts, into the order of a part's unknowns.
template <class ExecutionSpace>
void in_order_of_part(const ExecutionSpace& exec, const OwnFirst& own, const ConstVector<ExecutionSpace>& own_first,
                      const Vector<ExecutionSpace>& of_part);

/// The rows that a process owns of the matrix of its part, with columns numbered own first, then the ghosts. Shares the
/// values.
template <class ExecutionSpace>
CrsMatrix<typename ExecutionSpace::memory_space>
cut_own_rows(const ExecutionSpace& exec, const CrsMatrix<typename ExecutionSpace::memory_space>& of_part,
             const OwnFirst& own);

/// The product with the system of all processes. Each has the own entries of vectors; `local` is its part of the
/// system: rows of own unknowns are those of the whole, rows of ghosts are not used. The terms of a row have the order
/// that they have in the whole.
template <class ExecutionSpace> class DistributedRows final : public LinearOperator<ExecutionSpace> {
public:
  using typename LinearOperator<ExecutionSpace>::vector_type;
  using typename LinearOperator<ExecutionSpace>::const_vector_type;

  /// What is given must stay, and the halo's ghosts are those of the part. Collective.
  DistributedRows(const ExecutionSpace& exec, const LinearOperator<ExecutionSpace>& local, const OwnFirst& own,
                  const comm::Halo<ExecutionSpace>& halo, const DistributedSums<ExecutionSpace>& sums);

  index_t size() const override { return own_.n_own; }
  bool is_symmetric() const override { return local_.is_symmetric(); }
  void prepare_products(const ExecutionSpace& exec) const override;
  /// Collective. Traffic: that of the local product; 16 bytes per unknown for a copy of x beside its ghosts, unless
  /// make_argument() made it; without a matrix as much again for each of x and y.
  void apply(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y) const override;
  /// The sum in the loop of the product where a matrix allows it and sums need not have the bits of one process.
  void apply_dot(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y,
                 const ReduceWorkspace<ExecutionSpace>& workspace, double* xy) const override;
  void diagonal(const ExecutionSpace& exec, const vector_type& d) const override;
  vector_type make_argument(const ExecutionSpace& exec, const std::string& label) const override {
    return halo_.make_with_room(exec, label);
  }
  Traffic traffic() const override;
  const GlobalSums<ExecutionSpace>& sums() const override { return sums_; }
  /// Whether the local system has the matrix whose rows were cut out, perhaps with other values: these share them. Its
  /// arrays are kept, so that no others can have their addresses.
  bool has_rows_of(const LinearOperator<ExecutionSpace>& local) const;
  /// The own rows; columns are numbered own first, then the halo's ghosts. Null without a matrix.
  const CrsMatrix<typename ExecutionSpace::memory_space>* rows() const { return rows_ ? &rows_->matrix() : nullptr; }

private:
  /// x and its ghosts behind it, or (without a matrix) in local_x_.
  const_vector_type take(const ExecutionSpace& exec, const const_vector_type& x) const;
  vector_type own_part(const vector_type& of_part) const {
    return Kokkos::subview(of_part, std::make_pair(own_.first, own_.first + own_.n_own));
  }

  const LinearOperator<ExecutionSpace>& local_;
  OwnFirst own_;
  const comm::Halo<ExecutionSpace>& halo_;
  const DistributedSums<ExecutionSpace>& sums_;
  std::unique_ptr<CrsOperator<ExecutionSpace>> rows_;        ///< null: the local operator has no matrix
  CrsMatrix<typename ExecutionSpace::memory_space> of_part_; ///< that they were cut out of
  mutable vector_type x_;                                    ///< own entries, then ghosts; of arguments without room
  vector_type local_x_;                                      ///< in the part's order; without a matrix
  vector_type local_y_;
};

} // namespace tessera::linalg

#endif
