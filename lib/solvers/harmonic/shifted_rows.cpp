// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/harmonic/shifted_rows.hpp"

#include "core/error.hpp"
#include "core/keep_alive.hpp"
#include "core/parallel.hpp"

#include <algorithm>

namespace tessera::solvers {

namespace {

/// Row sums up to this times the sum of absolute values are rounding errors of assembly and Galerkin products.
constexpr double rounding_of_sums = 64. * 2.220446049250313e-16;

/// Row sums and diagonal entries of K and of M; marks slices with entries of M besides the diagonal.
template <class Value, class Space> struct SumRows {
  static constexpr int n = 2;
  ShiftedMatrix<Space> a;
  double unit[n];
  Array<Value*, Space> sums[n];
  Array<Value*, Space> diagonal[n];
  Array<std::uint8_t*, Space> has_m; // of each slice, 0 before; may be empty
  int rows_of_slice;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    bool found = false;
    double sum[n] = {0., 0.};
    double size[n] = {0., 0.};
    double own[n] = {0., 0.};
    for (offset_t e = a.k.offsets(i); e < a.k.offsets(i + 1); ++e) {
      const double value[n] = {a.k.values(e), a.m(e)};
      const bool is_own = a.k.columns(e) == i;
      found = found || (value[1] != 0. && !is_own);
      for (int p = 0; p < n; ++p) {
        sum[p] += value[p];
        size[p] += value[p] < 0. ? -value[p] : value[p];
        own[p] = is_own ? value[p] : own[p];
      }
    }
    for (int p = 0; p < n; ++p) {
      const double limit = rounding_of_sums * size[p];
      sums[p](i) = sum[p] <= limit && sum[p] >= -limit ? Value(0) : static_cast<Value>(sum[p] / unit[p]);
      diagonal[p](i) = static_cast<Value>(own[p] / unit[p]);
    }
    if (found && has_m.extent(0) > 0)
      has_m(i / rows_of_slice) = 1; // rows of a device's slice write the same value
  }
};

/// Sets the row sums and diagonals of both matrices, and has_m unless it is set.
template <class Value, class ExecutionSpace>
void set_sums(const ExecutionSpace& exec, const ShiftedMatrix<typename ExecutionSpace::memory_space>& matrix,
              double k_unit, double m_unit, ShiftedRows<Value, typename ExecutionSpace::memory_space>& rows) {
  using Space = typename ExecutionSpace::memory_space;
  const index_t n = rows.size();
  SumRows<Value, Space> kernel{matrix, {k_unit, m_unit}, {}, {}, {}, rows.k.slice_rows(rows.k.n_sums)};
  for (int p = 0; p < 2; ++p) {
    kernel.sums[p] = make_array<Array<Value*, Space>>(exec, "solvers::shifted_row_sums", n);
    kernel.diagonal[p] = make_array<Array<Value*, Space>>(exec, "solvers::shifted_diagonal", n);
  }
  if (rows.has_m.extent(0) == 0) {
    kernel.has_m = make_filled<Array<std::uint8_t*, Space>>(exec, "solvers::slices_with_m", rows.k.n_slices(), 0);
    rows.has_m = kernel.has_m;
  }
  for_each("tessera::solvers::sum_rows", exec, n, kernel);
  rows.k_sum = kernel.sums[0];
  rows.m_sum = kernel.sums[1];
  rows.k_diagonal = kernel.diagonal[0];
  rows.m_diagonal = kernel.diagonal[1];
}

} // namespace

template <class Value, class ExecutionSpace>
std::vector<ShiftedRows<Value, typename ExecutionSpace::memory_space>>
make_shifted_rows(const ExecutionSpace& exec,
                  const std::vector<ShiftedMatrix<typename ExecutionSpace::memory_space>>& matrices, double k_unit,
                  double m_unit, const std::vector<int>& n_sums) {
  using Space = typename ExecutionSpace::memory_space;
  index_t largest = 0;
  for (const auto& matrix : matrices) {
    TESSERA_REQUIRE(matrix.m.extent(0) == matrix.k.values.extent(0),
                    "Time-harmonic system: K has " << matrix.k.values.extent(0) << " values, M " << matrix.m.extent(0)
                                                   << " on the same sparsity pattern.");
    largest = std::max(largest, matrix.size());
  }
  using Divisors = Array<double*, Space>;
  const Divisors of_k = k_unit == 1. ? Divisors() : make_filled<Divisors>(exec, "solvers::unit_of_k", largest, k_unit);
  const Divisors of_m = m_unit == 1. ? Divisors() : make_filled<Divisors>(exec, "solvers::unit_of_m", largest, m_unit);
  std::vector<linalg::SliceSource<Space>> sources;
  for (std::size_t l = 0; l < matrices.size(); ++l) {
    const auto& matrix = matrices[l];
    const int sums =
        n_sums.empty() ? linalg::sums_of_rows(matrix.size(), static_cast<double>(matrix.k.n_entries())) : n_sums[l];
    sources.push_back({matrix.k, {of_k, {}, true}, sums});
  }
  const auto sliced = linalg::make_sliced<Value>(exec, sources);
  std::vector<ShiftedRows<Value, Space>> result;
  for (std::size_t l = 0; l < matrices.size(); ++l) {
    ShiftedRows<Value, Space> rows;
    rows.k = sliced[l];
    rows.m = linalg::sliced_values<Value>(exec, {matrices[l].mass(), {of_m, {}, true}}, rows.k);
    set_sums(exec, matrices[l], k_unit, m_unit, rows);
    result.push_back(rows);
  }
  keep_alive(exec, of_k, of_m);
  return result;
}

template <class ExecutionSpace>
ShiftedRows<double, typename ExecutionSpace::memory_space>
make_shifted_rows(const ExecutionSpace& exec, const ShiftedMatrix<typename ExecutionSpace::memory_space>& matrix,
                  const ShiftedRows<float, typename ExecutionSpace::memory_space>& single) {
  using Space = typename ExecutionSpace::memory_space;
  ShiftedRows<double, Space> rows;
  rows.k.n_rows = single.k.n_rows;
  rows.k.n_sums = single.k.n_sums;
  rows.k.of_slice = single.k.of_slice;
  rows.k.offsets = single.k.offsets;
  rows.k.columns = single.k.columns;
  rows.k.codes = single.k.codes;
  rows.k.values = linalg::sliced_values<double>(exec, {matrix.k, {{}, {}, true}}, single.k);
  rows.m = linalg::sliced_values<double>(exec, {matrix.mass(), {{}, {}, true}}, single.k);
  rows.has_m = single.has_m;
  set_sums(exec, matrix, 1., 1., rows);
  return rows;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template std::vector<ShiftedRows<double, Space::memory_space>> make_shifted_rows<double>(                            \
      const Space&, const std::vector<ShiftedMatrix<Space::memory_space>>&, double, double, const std::vector<int>&);  \
  template std::vector<ShiftedRows<float, Space::memory_space>> make_shifted_rows<float>(                              \
      const Space&, const std::vector<ShiftedMatrix<Space::memory_space>>&, double, double, const std::vector<int>&);  \
  template ShiftedRows<double, Space::memory_space> make_shifted_rows(                                                 \
      const Space&, const ShiftedMatrix<Space::memory_space>&, const ShiftedRows<float, Space::memory_space>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
