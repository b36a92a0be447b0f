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

template <class Value, class Space> struct SumRows {
  linalg::CrsMatrix<Space> a;
  double unit;
  Array<Value*, Space> sums;
  Array<Value*, Space> diagonal;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    double sum = 0.;
    double size = 0.;
    double own = 0.;
    for (offset_t e = a.offsets(i); e < a.offsets(i + 1); ++e) {
      const double value = a.values(e);
      sum += value;
      size += value < 0. ? -value : value;
      own = a.columns(e) == i ? value : own;
    }
    const double limit = rounding_of_sums * size;
    sums(i) = sum <= limit && sum >= -limit ? Value(0) : static_cast<Value>(sum / unit);
    diagonal(i) = static_cast<Value>(own / unit);
  }
};

/// Whether the rows of a slice have entries of M besides the diagonal.
template <class Space> struct FlagSlices {
  linalg::CrsMatrix<Space> m;
  int rows_of_slice;
  Array<std::uint8_t*, Space> flags;
  KOKKOS_FUNCTION void operator()(index_t slice) const {
    const index_t n = static_cast<index_t>(m.offsets.extent(0)) - 1;
    bool found = false;
    for (index_t i = slice * rows_of_slice; i < (slice + 1) * rows_of_slice && i < n; ++i)
      for (offset_t e = m.offsets(i); e < m.offsets(i + 1); ++e)
        found = found || (m.values(e) != 0. && m.columns(e) != i);
    flags(slice) = found ? 1 : 0;
  }
};

/// Sets the row sums and diagonals of both matrices.
template <class Value, class ExecutionSpace>
void set_sums(const ExecutionSpace& exec, const ShiftedMatrix<typename ExecutionSpace::memory_space>& matrix,
              double k_unit, double m_unit, ShiftedRows<Value, typename ExecutionSpace::memory_space>& rows) {
  using Space = typename ExecutionSpace::memory_space;
  const index_t n = rows.size();
  const auto sum = [&](const linalg::CrsMatrix<Space>& a, double unit, auto& sums, auto& diagonal) {
    const auto new_sums = make_array<Array<Value*, Space>>(exec, "solvers::shifted_row_sums", n);
    const auto new_diagonal = make_array<Array<Value*, Space>>(exec, "solvers::shifted_diagonal", n);
    for_each("tessera::solvers::sum_rows", exec, n, SumRows<Value, Space>{a, unit, new_sums, new_diagonal});
    sums = new_sums;
    diagonal = new_diagonal;
  };
  sum(matrix.k, k_unit, rows.k_sum, rows.k_diagonal);
  sum(matrix.mass(), m_unit, rows.m_sum, rows.m_diagonal);
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
    const auto flags = make_array<Array<std::uint8_t*, Space>>(exec, "solvers::slices_with_m", rows.k.n_slices());
    for_each("tessera::solvers::flag_slices", exec, rows.k.n_slices(),
             FlagSlices<Space>{matrices[l].mass(), rows.k.slice_rows(rows.k.n_sums), flags});
    rows.has_m = flags;
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
