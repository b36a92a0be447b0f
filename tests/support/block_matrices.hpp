// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_SUPPORT_BLOCK_MATRICES_HPP
#define TESSERA_TESTS_SUPPORT_BLOCK_MATRICES_HPP

/// \file
/// Matrices of dense blocks with known properties, made on the host and copied to a space.

#include "linalg/blocks/block_crs_operator.hpp"
#include "linalg/blocks/block_galerkin.hpp"
#include "linalg/products/crs_product.hpp"
#include "support/matrices.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::test {

/// Block rows as maps from block column to values, column by column.
struct Blocks {
  std::vector<index_t> sizes;
  std::vector<std::map<index_t, std::vector<double>>> rows;

  double& at(index_t r, index_t c, index_t i, index_t j) {
    auto& block = rows[static_cast<std::size_t>(r)][c];
    const auto height = static_cast<std::size_t>(sizes[static_cast<std::size_t>(r)]);
    block.resize(height * static_cast<std::size_t>(sizes[static_cast<std::size_t>(c)]));
    return block[static_cast<std::size_t>(j) * height + static_cast<std::size_t>(i)];
  }
  std::vector<index_t> begins() const {
    std::vector<index_t> begin = {0};
    for (const index_t size : sizes)
      begin.push_back(begin.back() + size);
    return begin;
  }
  index_t n() const { return begins().back(); }
  index_t n_rows() const { return static_cast<index_t>(sizes.size()); }
};

/// The same matrix with scalar rows.
inline Rows rows_of(const Blocks& blocks) {
  const std::vector<index_t> begin = blocks.begins();
  Rows rows(static_cast<std::size_t>(begin.back()));
  for (std::size_t r = 0; r < blocks.rows.size(); ++r)
    for (const auto& [c, values] : blocks.rows[r]) {
      const auto height = static_cast<std::size_t>(blocks.sizes[r]);
      for (std::size_t k = 0; k < values.size(); ++k)
        rows[static_cast<std::size_t>(begin[r]) + k % height]
            [begin[static_cast<std::size_t>(c)] + static_cast<index_t>(k / height)] = values[k];
    }
  return rows;
}

template <class ExecutionSpace>
linalg::BlockCrsMatrix<typename ExecutionSpace::memory_space> block_crs_on(const ExecutionSpace& exec,
                                                                           const Blocks& blocks) {
  linalg::BlockCrsMatrix<typename ExecutionSpace::memory_space> matrix;
  std::vector<offset_t> row_offsets = {0};
  std::vector<index_t> columns;
  std::vector<offset_t> value_offsets = {0};
  std::vector<double> values;
  for (const auto& row : blocks.rows) {
    for (const auto& [c, block] : row) {
      columns.push_back(c);
      values.insert(values.end(), block.begin(), block.end());
      value_offsets.push_back(static_cast<offset_t>(values.size()));
    }
    row_offsets.push_back(static_cast<offset_t>(columns.size()));
  }
  matrix.dof_offsets = to_space<decltype(matrix.dof_offsets)>(exec, blocks.begins());
  matrix.row_offsets = to_space<decltype(matrix.row_offsets)>(exec, row_offsets);
  matrix.columns = to_space<decltype(matrix.columns)>(exec, columns);
  matrix.value_offsets = to_space<decltype(matrix.value_offsets)>(exec, value_offsets);
  matrix.values = to_space<decltype(matrix.values)>(exec, values);
  matrix.n_unknowns = blocks.n();
  const auto [smallest, largest] = std::minmax_element(blocks.sizes.begin(), blocks.sizes.end());
  matrix.largest_block = blocks.sizes.empty() ? 0 : static_cast<int>(*largest);
  matrix.block_size = blocks.sizes.empty() || *smallest != *largest ? 0 : *largest;
  return matrix;
}

/// A matrix in both precisions: its values rounded to single precision and stored as such, and the same numbers as
/// doubles.
template <class ExecutionSpace> struct InBothPrecisions {
  linalg::BlockCrsMatrix<typename ExecutionSpace::memory_space> in_single;
  linalg::BlockCrsMatrix<typename ExecutionSpace::memory_space> in_double;

  InBothPrecisions(const ExecutionSpace& exec, const Blocks& blocks) : in_double(block_crs_on(exec, blocks)) {
    std::vector<double> doubles = values_of(exec, in_double.values);
    const std::vector<float> singles(doubles.begin(), doubles.end());
    doubles.assign(singles.begin(), singles.end());
    in_double.values = to_space<decltype(in_double.values)>(exec, doubles);
    in_single = in_double;
    in_single.values = {};
    in_single.single_values = to_space<decltype(in_single.single_values)>(exec, singles);
  }
};

template <class ExecutionSpace>
linalg::BlockCrsOperator<ExecutionSpace> block_operator_on(const ExecutionSpace& exec, const Blocks& blocks,
                                                           linalg::Symmetry symmetry) {
  return linalg::BlockCrsOperator<ExecutionSpace>(exec, block_crs_on(exec, blocks), symmetry);
}

/// Block sizes that vary from row to row.
inline std::vector<index_t> mixed_sizes(index_t n_rows, const std::vector<index_t>& of) {
  std::vector<index_t> sizes;
  for (index_t r = 0; r < n_rows; ++r)
    sizes.push_back(of[static_cast<std::size_t>(r * 7 + r / 3) % of.size()]);
  return sizes;
}

/// Random entries on the pattern of a five-point grid of nx columns; the diagonal exceeds `dominance` times the sum of
/// the others in its row. A symmetric one is positive definite from dominance 1 on.
inline Blocks random_blocks(const std::vector<index_t>& sizes, index_t nx, bool symmetric, double dominance,
                            unsigned seed) {
  std::mt19937 random(seed);
  const auto uniform = [&random] { return static_cast<double>(random()) / 4294967296. - 0.5; };
  Blocks blocks{sizes, std::vector<std::map<index_t, std::vector<double>>>(sizes.size())};
  const index_t n = blocks.n_rows();
  for (index_t r = 0; r < n; ++r)
    for (const index_t c : {r - nx, r - 1, r, r + 1, r + nx}) {
      if (c < 0 || c >= n || (symmetric && c > r))
        continue;
      for (index_t i = 0; i < sizes[static_cast<std::size_t>(r)]; ++i)
        for (index_t j = 0; j < sizes[static_cast<std::size_t>(c)]; ++j) {
          const double value = uniform();
          blocks.at(r, c, i, j) = value;
          if (symmetric)
            blocks.at(c, r, j, i) = value;
        }
    }
  const Rows rows = rows_of(blocks);
  index_t unknown = 0;
  for (index_t r = 0; r < n; ++r)
    for (index_t i = 0; i < sizes[static_cast<std::size_t>(r)]; ++i, ++unknown) {
      double sum = 0.;
      for (const auto& entry : rows[static_cast<std::size_t>(unknown)])
        sum += std::abs(entry.second);
      blocks.at(r, r, i, i) += dominance * sum + 0.1;
    }
  return blocks;
}

/// Solves a dense system by Gaussian elimination with partial pivoting.
inline std::vector<double> solve_dense(const Rows& rows, std::vector<double> b) {
  const std::size_t n = rows.size();
  std::vector<std::vector<double>> a(n, std::vector<double>(n, 0.));
  for (std::size_t i = 0; i < n; ++i)
    for (const auto& entry : rows[i])
      a[i][static_cast<std::size_t>(entry.first)] = entry.second;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i)
      if (std::abs(a[i][k]) > std::abs(a[pivot][k]))
        pivot = i;
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[i][k] / a[k][k];
      if (factor == 0.)
        continue;
      for (std::size_t j = k; j < n; ++j)
        a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j)
      b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

/// The fine block rows of each coarse one, on one process.
template <class ExecutionSpace>
linalg::CrsMatrix<typename ExecutionSpace::memory_space>
children_of(const ExecutionSpace& exec, const Array<index_t*, ExecutionSpace>& coarse_of, index_t n_coarse) {
  return linalg::transposed(exec, linalg::memberships<ExecutionSpace>(exec, coarse_of), n_coarse);
}

/// P^T A P, on one process.
template <class ExecutionSpace>
linalg::BlockCrsMatrix<typename ExecutionSpace::memory_space>
galerkin_product(const ExecutionSpace& exec, const linalg::BlockCrsMatrix<typename ExecutionSpace::memory_space>& a,
                 const linalg::BlockTransfer<typename ExecutionSpace::memory_space>& p) {
  linalg::CrsMatrix<typename ExecutionSpace::memory_space> children;
  children.offsets = p.child_offsets;
  children.columns = p.children;
  const comm::Shares<ExecutionSpace> shares{{}, {0, p.n_owned}};
  auto pattern = linalg::make_galerkin_pattern(exec, shares, comm::Layout<ExecutionSpace>::local(p.n_owned),
                                               {0, p.n_owned_coarse()}, a, p.coarse_of, children);
  const auto product = linalg::make_galerkin_matrix(exec, pattern, p);
  linalg::multiply_galerkin(exec, pattern, a, p, product);
  return product;
}

} // namespace tessera::test

#endif
