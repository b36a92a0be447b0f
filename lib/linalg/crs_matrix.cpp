// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/crs_matrix.hpp"

#include "linalg/crs_rows.hpp"

namespace tessera::linalg {

namespace {

/// Rows of many entries on a device: the threads of a team take the entries of its rows side by side, whatever row they
/// are in, and leave the products in scratch memory; then a thread adds those of its row.
template <int Lanes, class ExecutionSpace> struct StreamedRows {
  static constexpr int team_size = 128;
  static constexpr int capacity = 2560; ///< products in scratch memory
  RowsOfProduct p;
  index_t n_rows;
  int rows_per_team;

  using Team = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    double* products = static_cast<double*>(team.team_shmem().get_shmem(sizeof(double) * capacity));
    const int rank = team.team_rank();
    const std::int64_t first = static_cast<std::int64_t>(team.league_rank()) * rows_per_team;
    const index_t end = static_cast<index_t>(first + rows_per_team < n_rows ? first + rows_per_team : n_rows);
    // As many of the team's rows at a time as fit.
    for (index_t row = static_cast<index_t>(first), next; row < end; row = next) {
      const offset_t begin = p.offsets[row];
      next = end;
      while (p.offsets[next] - begin > capacity && next - row > 1)
        next = row + (next - row + 1) / 2;
      const offset_t n_entries = p.offsets[next] - begin;
      if (n_entries > capacity) {
        if (rank == 0)
          p.y[row] = RowProduct<Lanes>{p}.row(row);
        continue;
      }
      load_in_batches(
          rank, team_size, static_cast<int>(n_entries),
          [&](int i) { return p.values[begin + i] * p.x[p.columns[begin + i]]; },
          [&](int i, double product) { products[i] = product; });
      team.team_barrier();
      if (rank < next - row)
        p.y[row + rank] = sum_row<Lanes>(products + (p.offsets[row + rank] - begin),
                                         static_cast<int>(p.offsets[row + rank + 1] - p.offsets[row + rank]));
      team.team_barrier();
    }
  }
};

template <int Lanes, class ExecutionSpace>
void apply_rows(const ExecutionSpace& exec, index_t n_rows, offset_t n_entries, const RowsOfProduct& product) {
  const char* label = "tessera::linalg::crs_apply";
  if constexpr (is_host_space<ExecutionSpace> || Lanes == 1) {
    (void)n_entries;
    for_each(label, exec, n_rows, RowProduct<Lanes>{product});
  } else {
    using Rows = StreamedRows<Lanes, ExecutionSpace>;
    if (n_rows == 0)
      return;
    // Nine tenths of what fits, by the mean.
    const double rows = 0.9 * Rows::capacity * n_rows / static_cast<double>(n_entries);
    const int rows_per_team = rows >= Rows::team_size ? Rows::team_size : rows < 1. ? 1 : static_cast<int>(rows);
    Kokkos::parallel_for(label,
                         Kokkos::TeamPolicy<ExecutionSpace>(exec, (n_rows - 1) / rows_per_team + 1, Rows::team_size)
                             .set_scratch_size(0, Kokkos::PerTeam(sizeof(double) * Rows::capacity + 64)),
                         Rows{product, n_rows, rows_per_team});
  }
}

template <int Lanes, class ExecutionSpace>
void apply_dot_rows(const ExecutionSpace& exec, index_t n_rows, const RowsOfProduct& product,
                    const ReduceWorkspace<ExecutionSpace>& workspace, double* xy) {
  ordered_sums<1>("tessera::linalg::crs_apply_dot", exec, n_rows, RowProduct<Lanes>{product}, workspace, xy);
}

struct ExtractDiagonal {
  RowsOfProduct p;
  double* d;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    double value = 0.;
    for (offset_t k = p.offsets[i]; k < p.offsets[i + 1]; ++k)
      if (p.columns[k] == i)
        value = p.values[k];
    d[i] = value;
  }
};

} // namespace

// Traffic of a product with n rows and m entries: values 8 m and columns 4 m once, offsets once, x and y 8 n each. With
// 7 entries in a row that is 104 bytes per row (32-bit offsets).
template <class ExecutionSpace> Traffic CrsOperator<ExecutionSpace>::traffic() const {
  const auto n = static_cast<double>(matrix_.n_rows());
  const auto m = static_cast<double>(matrix_.n_entries());
  return {m * (sizeof(double) + sizeof(index_t)) + (n + 1.) * sizeof(offset_t) + 2. * n * sizeof(double), 2. * m};
}

template <class ExecutionSpace>
void CrsOperator<ExecutionSpace>::apply(const ExecutionSpace& exec, const const_vector_type& x,
                                        const vector_type& y) const {
  const index_t n = size();
  TESSERA_ASSERT(static_cast<index_t>(x.extent(0)) == n && static_cast<index_t>(y.extent(0)) == n);
  const RowsOfProduct product = product_of(matrix_, x.data(), y.data());
  const offset_t n_entries = matrix_.n_entries();
  switch (lanes_per_row(n, n_entries)) {
  case 1:
    return apply_rows<1>(exec, n, n_entries, product);
  case 4:
    return apply_rows<4>(exec, n, n_entries, product);
  default:
    return apply_rows<8>(exec, n, n_entries, product);
  }
}

template <class ExecutionSpace>
void CrsOperator<ExecutionSpace>::apply_dot(const ExecutionSpace& exec, const const_vector_type& x,
                                            const vector_type& y, const ReduceWorkspace<ExecutionSpace>& workspace,
                                            double* xy) const {
  const index_t n = size();
  const int lanes = lanes_per_row(n, matrix_.n_entries());
  // On a device, the fixed order of the sum costs more than reading x and y again: a block of 256 threads takes rows
  // from far apart (50 M triangles on an H200: 1.44 ms fused, 0.78 ms in two loops). Both give the same bits.
  if (!is_host_space<ExecutionSpace>)
    return LinearOperator<ExecutionSpace>::apply_dot(exec, x, y, workspace, xy);
  TESSERA_ASSERT(static_cast<index_t>(x.extent(0)) == n && static_cast<index_t>(y.extent(0)) == n);
  const RowsOfProduct product = product_of(matrix_, x.data(), y.data());
  switch (lanes) {
  case 1:
    return apply_dot_rows<1>(exec, n, product, workspace, xy);
  case 4:
    return apply_dot_rows<4>(exec, n, product, workspace, xy);
  default:
    return apply_dot_rows<8>(exec, n, product, workspace, xy);
  }
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
