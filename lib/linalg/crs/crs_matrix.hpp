// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_CRS_CRS_MATRIX_HPP
#define TESSERA_LINALG_CRS_CRS_MATRIX_HPP

/// \file
/// Compressed row storage.

#include "linalg/linear_operator.hpp"

namespace tessera::linalg {

/// Square sparse matrix with ascending columns in each row.
template <class MemorySpace> struct CrsMatrix {
  using memory_space = MemorySpace;
  Array<offset_t*, memory_space> offsets; ///< [n_rows + 1]
  Array<index_t*, memory_space> columns;  ///< [n_entries]
  Array<double*, memory_space> values;    ///< [n_entries]
  index_t n_rows() const { return offsets.extent(0) == 0 ? 0 : static_cast<index_t>(offsets.extent(0)) - 1; }
  offset_t n_entries() const { return static_cast<offset_t>(columns.extent(0)); }
};

/// Declared symmetry of a matrix; the values are not checked.
enum class Symmetry { symmetric, general };

/// Columns of 2 bytes instead of 4 in products (compressed_columns.hpp).
struct CompressedColumns;

/// A CRS matrix as an operator. Shares the arrays of the matrix; its pattern must not change afterwards.
template <class ExecutionSpace>
class CrsOperator final : public LinearOperator<ExecutionSpace>,
                          public StoredMatrix<CrsMatrix<typename ExecutionSpace::memory_space>> {
public:
  using typename LinearOperator<ExecutionSpace>::vector_type;
  using typename LinearOperator<ExecutionSpace>::const_vector_type;
  using matrix_type = CrsMatrix<typename ExecutionSpace::memory_space>;

  CrsOperator() = default;
  explicit CrsOperator(matrix_type matrix, Symmetry symmetry = Symmetry::symmetric)
      : matrix_(std::move(matrix)), symmetry_(symmetry) {}
  /// Rows of a larger matrix, which determines the number of accumulators of a row (accumulators_per_row()); their
  /// columns, and the entries of x, may go beyond the rows.
  CrsOperator(matrix_type rows, Symmetry symmetry, int accumulators)
      : matrix_(std::move(rows)), symmetry_(symmetry), accumulators_(accumulators) {}

  index_t size() const override { return matrix_.n_rows(); }
  bool is_symmetric() const override { return symmetry_ == Symmetry::symmetric; }
  /// On devices, makes compressed columns (2 bytes per entry) for further products, unless memory is short or too many
  /// entries are far from the diagonal. Costs about as much as a product. Copies made afterwards share them.
  void prepare_products(const ExecutionSpace& exec) const override;
  void apply(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y) const override;
  void apply_dot(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y,
                 const ReduceWorkspace<ExecutionSpace>& workspace, double* xy) const override;
  void diagonal(const ExecutionSpace& exec, const vector_type& d) const override;
  Traffic traffic() const override;

  const matrix_type& matrix() const override { return matrix_; }
  /// Whether products use compressed columns.
  bool has_compressed_columns() const { return compressed_columns_.extent(0) > 0; }

private:
  CompressedColumns compressed_columns() const;
  int accumulators() const;

  matrix_type matrix_;
  Symmetry symmetry_ = Symmetry::symmetric;
  int accumulators_ = 0; ///< 0: determined by the matrix
  // Made on demand; mutable because they do not change the operator's results.
  mutable Array<std::uint16_t*, ExecutionSpace> compressed_columns_; ///< [n_entries], or empty
  mutable bool is_prepared_ = false;
};

} // namespace tessera::linalg

#endif
