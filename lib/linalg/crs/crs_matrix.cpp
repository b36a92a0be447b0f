// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/crs/crs_matrix.hpp"

#include "core/kokkos_ext/device/free_memory.hpp"
#include "linalg/crs/spmv_kernels.hpp"
#include "linalg/vector_kernels.hpp"

#include <type_traits>

namespace tessera::linalg {

namespace {

template <int NSums, class ExecutionSpace, class Columns>
void apply_rows(const ExecutionSpace& exec, index_t n_rows, const RowsOfProduct<Columns>& product) {
  const char* label = "tessera::linalg::crs_apply";
  constexpr bool is_short = std::is_same_v<Columns, CompressedColumns>; // decoding adds a dependent load: load in
                                                                        // batches
  if constexpr (!has_lanes<ExecutionSpace> || (NSums == 1 && !is_short)) {
    for_each(label, exec, n_rows, RowProduct<NSums, Columns>{product});
  } else {
    // A few threads share a row's entries, but only few, so that neighbouring rows, which use the same entries of x,
    // share cache lines. Measured in docs/notebook/gpu-solver.md, with the alternatives.
    constexpr int threads = NSums == 1 ? 1 : NSums / 2;
    constexpr int batch = NSums == 8 ? 2 : 8;
    for_each_lane<threads>(label, exec, n_rows, SplitRowProduct<NSums, threads, batch, Columns>{product});
  }
}

template <class ExecutionSpace, class Columns>
void apply_by(const ExecutionSpace& exec, index_t n_rows, int n_sums, const RowsOfProduct<Columns>& product) {
  if (n_sums == 1)
    apply_rows<1>(exec, n_rows, product);
  else if (n_sums == 4)
    apply_rows<4>(exec, n_rows, product);
  else
    apply_rows<8>(exec, n_rows, product);
}

/// Product with the sum (x, y) in one loop. On devices threads share long rows; that loop has no fused sum.
template <class ExecutionSpace, class Columns>
void apply_dot_by(const ExecutionSpace& exec, index_t n_rows, int n_sums, const RowsOfProduct<Columns>& product,
                  const ReduceWorkspace<ExecutionSpace>& workspace, double* xy) {
  const char* label = "tessera::linalg::crs_apply_dot";
  if constexpr (is_host_space<ExecutionSpace>) {
    if (n_sums == 1)
      ordered_sums<1>(label, exec, n_rows, RowProduct<1, Columns>{product}, workspace, xy);
    else if (n_sums == 4)
      ordered_sums<1>(label, exec, n_rows, RowProduct<4, Columns>{product}, workspace, xy);
    else
      ordered_sums<1>(label, exec, n_rows, RowProduct<8, Columns>{product}, workspace, xy);
  } else {
    TESSERA_ASSERT(n_sums == 1);
    ordered_sum_of_terms(label, exec, n_rows, BatchedRowProduct<1, Columns>{{product}}, workspace, xy);
  }
}

struct ExtractDiagonal {
  RowsOfProduct<> p;
  double* d;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    double value = 0.;
    for (offset_t k = p.offsets[i]; k < p.offsets[i + 1]; ++k)
      if (p.columns.at(i, k) == i)
        value = p.values[k];
    d[i] = value;
  }
};

} // namespace

// Traffic of a product with n rows and m entries: values 8 m and columns 4 m once, or 2 m if compressed (and a few in
// full), offsets once, x and y 8 n each. With 7 entries in a row that is 104 bytes per row, or 90 (32-bit offsets).
template <class ExecutionSpace> Traffic CrsOperator<ExecutionSpace>::traffic() const {
  const auto n = static_cast<double>(matrix_.n_rows());
  const auto m = static_cast<double>(matrix_.n_entries());
  const double column = has_compressed_columns() ? sizeof(std::uint16_t) : sizeof(index_t);
  return {m * (sizeof(double) + column) + (n + 1.) * sizeof(offset_t) + 2. * n * sizeof(double), 2. * m};
}

// Hosts keep columns of 4 bytes: decoding takes longer than reading the bytes that it saves
// (docs/notebook/gpu-solver.md).
template <class ExecutionSpace> void CrsOperator<ExecutionSpace>::prepare_products(const ExecutionSpace& exec) const {
  if constexpr (!is_host_space<ExecutionSpace>) {
    if (is_prepared_ || matrix_.n_entries() == 0)
      return;
    // At most half of the free memory: products work without compressed columns, but later allocations may fail.
    const double available = free_memory(exec);
    if (available >= 0. && available < 2. * sizeof(std::uint16_t) * static_cast<double>(matrix_.n_entries()))
      return;
    compressed_columns_ = make_compressed_columns(exec, matrix_);
    is_prepared_ = true;
  } else {
    (void)exec;
  }
}

template <class ExecutionSpace> CompressedColumns CrsOperator<ExecutionSpace>::compressed_columns() const {
  return {compressed_columns_.data(), matrix_.columns.data()};
}

template <class ExecutionSpace> int CrsOperator<ExecutionSpace>::accumulators() const {
  return accumulators_ > 0 ? accumulators_ : accumulators_per_row(matrix_.n_rows(), matrix_.n_entries());
}

template <class ExecutionSpace>
void CrsOperator<ExecutionSpace>::apply(const ExecutionSpace& exec, const const_vector_type& x,
                                        const vector_type& y) const {
  const index_t n = size();
  TESSERA_ASSERT(static_cast<index_t>(x.extent(0)) >= n && static_cast<index_t>(y.extent(0)) == n);
  const int n_sums = accumulators();
  if constexpr (!is_host_space<ExecutionSpace>)
    if (has_compressed_columns())
      return apply_by(exec, n, n_sums, product_of(matrix_, compressed_columns(), x.data(), y.data()));
  apply_by(exec, n, n_sums, product_of(matrix_, x.data(), y.data()));
}

template <class ExecutionSpace>
void CrsOperator<ExecutionSpace>::apply_dot(const ExecutionSpace& exec, const const_vector_type& x,
                                            const vector_type& y, const ReduceWorkspace<ExecutionSpace>& workspace,
                                            double* xy) const {
  const index_t n = size();
  TESSERA_ASSERT(static_cast<index_t>(x.extent(0)) >= n && static_cast<index_t>(y.extent(0)) == n);
  const int n_sums = accumulators();
  if constexpr (!is_host_space<ExecutionSpace>) {
    if (n_sums > 1) {
      apply(exec, x, y);
      return dot<ExecutionSpace>(exec, Kokkos::subview(x, std::make_pair(index_t(0), n)), y, workspace, xy);
    }
    if (has_compressed_columns())
      return apply_dot_by(exec, n, n_sums, product_of(matrix_, compressed_columns(), x.data(), y.data()), workspace,
                          xy);
  }
  apply_dot_by(exec, n, n_sums, product_of(matrix_, x.data(), y.data()), workspace, xy);
}

template <class ExecutionSpace>
void CrsOperator<ExecutionSpace>::diagonal(const ExecutionSpace& exec, const vector_type& d) const {
  for_each("tessera::linalg::crs_diagonal", exec, size(),
           ExtractDiagonal{product_of(matrix_, nullptr, nullptr), d.data()});
}

#define TESSERA_INSTANTIATE(Space) template class CrsOperator<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::linalg
