// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/crs_matrix.hpp"

#include "core/kokkos_ext/lanes.hpp"
#include "linalg/crs_rows.hpp"

namespace tessera::linalg {

namespace {

/// Rows of many entries on a device: `Lanes` neighbouring threads take a row's entries side by side, each with the
/// loads of several under way together.
template <int Lanes, class ExecutionSpace> struct RowsByLanes {
  static constexpr int team_size = 256;
  static constexpr int rows_per_team = team_size / Lanes;
  static constexpr int batch = 4;
  RowsOfProduct p;
  index_t n_rows;

  using Team = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int rank = team.team_rank();
    const int lane = rank % Lanes;
    const std::int64_t i = static_cast<std::int64_t>(team.league_rank()) * rows_per_team + rank / Lanes;
    double sum = 0.;
    if (i < n_rows) {
      const offset_t end = p.offsets[i + 1];
      for (offset_t k = p.offsets[i] + lane; k < end; k += batch * Lanes) {
        double product[batch];
        TESSERA_UNROLL
        for (int j = 0; j < batch; ++j) { // without a branch: beyond the end the first one again
          const offset_t entry = k + j * Lanes < end ? k + j * Lanes : k;
          product[j] = p.values[entry] * p.x[p.columns[entry]];
        }
        TESSERA_UNROLL
        for (int j = 0; j < batch; ++j)
          sum = k + j * Lanes < end ? sum + product[j] : sum;
      }
    }
    sum = sum_over_lanes<Lanes>(team, sum);
    if (lane == 0 && i < n_rows)
      p.y[i] = sum;
  }
};

template <int Lanes, class ExecutionSpace>
void apply_rows(const ExecutionSpace& exec, index_t n_rows, const RowsOfProduct& product) {
  const char* label = "tessera::linalg::crs_apply";
  if constexpr (is_host_space<ExecutionSpace> || Lanes == 1) {
    for_each(label, exec, n_rows, RowProduct<Lanes>{product});
  } else {
    using Rows = RowsByLanes<Lanes, ExecutionSpace>;
    if (n_rows == 0)
      return;
    Kokkos::parallel_for(
        label,
        Kokkos::TeamPolicy<ExecutionSpace>(exec, (n_rows - 1) / Rows::rows_per_team + 1, Rows::team_size)
            .set_scratch_size(0, Kokkos::PerTeam(lanes_scratch_bytes<ExecutionSpace>(Rows::team_size))),
        Rows{product, n_rows});
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
  switch (lanes_per_row(n, matrix_.n_entries())) {
  case 1:
    return apply_rows<1>(exec, n, product);
  case 4:
    return apply_rows<4>(exec, n, product);
  default:
    return apply_rows<8>(exec, n, product);
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
