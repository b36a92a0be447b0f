// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/blocks/block_galerkin.hpp"

#include "core/algorithms/scan.hpp"
#include "core/assert.hpp"
#include "core/keep_alive.hpp"
#include "core/parallel.hpp"
#include "core/transfer/upload.hpp"
#include "linalg/blocks/block_spmv_kernels.hpp"
#include "linalg/crs/crs_pieces.hpp"
#include "linalg/distributed/row_exchange.hpp"
#include "linalg/pattern/product_pattern.hpp"

#include <utility>

namespace tessera::linalg {

namespace {

/// Counts the values of each block in rows of blocks.
template <class Space> struct CountBlockValues {
  Array<const index_t*, Space> row_unknowns;    // first unknown of each block row
  Array<const index_t*, Space> column_unknowns; // first unknown of each block column
  CrsMatrix<Space> pattern;
  Array<offset_t*, Space> counts;
  KOKKOS_FUNCTION void operator()(index_t r) const {
    for (offset_t b = pattern.offsets(r); b < pattern.offsets(r + 1); ++b)
      counts(b) = static_cast<offset_t>(row_unknowns(r + 1) - row_unknowns(r)) *
                  (column_unknowns(pattern.columns(b) + 1) - column_unknowns(pattern.columns(b)));
  }
};

template <class ExecutionSpace>
Array<offset_t*, ExecutionSpace>
offsets_of_values(const ExecutionSpace& exec, const CrsMatrix<typename ExecutionSpace::memory_space>& pattern,
                  const Array<index_t*, ExecutionSpace>& row_unknowns,
                  const Array<index_t*, ExecutionSpace>& column_unknowns, std::int64_t& n_values) {
  using Space = typename ExecutionSpace::memory_space;
  const auto n = static_cast<std::int64_t>(pattern.n_entries());
  const auto offsets = make_array<Array<offset_t*, Space>>(exec, "linalg::galerkin_offsets", n + 1);
  for_each("tessera::linalg::count_galerkin_values", exec, pattern.n_rows(),
           CountBlockValues<Space>{row_unknowns, column_unknowns, pattern, offsets});
  n_values = counts_to_offsets(exec, offsets, n, "entries of a coarser matrix");
  return offsets;
}

/// First value of each block row.
template <class Space> struct OffsetsOfRows {
  Array<const offset_t*, Space> row_offsets;
  Array<const offset_t*, Space> value_offsets;
  Array<offset_t*, Space> offsets;
  KOKKOS_FUNCTION void operator()(index_t r) const { offsets(r) = value_offsets(row_offsets(r)); }
};

/// Computes column j of all blocks of a row of A P, item row * largest + j: the terms are added block by block of A,
/// several rows of a block at once.
template <class Value, class Space> struct MultiplyByTransfer {
  BlockRows a;
  BlockTransfer<Space> p;
  CrsMatrix<Space> pattern;
  Array<offset_t*, Space> value_offsets;
  Array<double*, Space> values;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    const auto e = static_cast<index_t>(item / p.coarse_largest_block);
    const auto j = static_cast<index_t>(item % p.coarse_largest_block);
    constexpr int piece = 8;
    const index_t n = a.size(e);
    for (offset_t b = pattern.offsets(e); b < pattern.offsets(e + 1); ++b) {
      const index_t column = pattern.columns(b);
      if (j >= p.coarse_dof_offsets(column + 1) - p.coarse_dof_offsets(column))
        continue;
      double* const result = values.data() + value_offsets(b) + static_cast<std::int64_t>(j) * n;
      for (index_t first = 0; first < n; first += piece) {
        const int rows = n - first < piece ? static_cast<int>(n - first) : piece;
        double sum[piece];
        for (int i = 0; i < piece; ++i)
          sum[i] = 0.;
        for (offset_t block = a.row_offsets[e]; block < a.row_offsets[e + 1]; ++block) {
          const index_t f = a.columns[block];
          if (p.coarse_of(f) != column)
            continue;
          const index_t width = a.size(f);
          const double* const of_f = p.values.data() + p.value_offsets(f) + static_cast<std::int64_t>(j) * width;
          const Value* const entries = a.template values_as<Value>() + a.value_offsets[block] + first;
          for (index_t l = 0; l < width; ++l)
            for (int i = 0; i < rows; ++i)
              sum[i] += entries[static_cast<std::int64_t>(l) * n + i] * of_f[l];
        }
        for (int i = 0; i < rows; ++i)
          result[first + i] = sum[i];
      }
    }
  }
};

/// Computes column j of all blocks of a row of P^T (A P), item row * largest + j: the terms are added child by child.
template <class Space> struct MultiplyByTranspose {
  BlockTransfer<Space> p;
  CrsMatrix<Space> pattern; // of A P
  Array<offset_t*, Space> value_offsets;
  Array<double*, Space> values;
  BlockCrsMatrix<Space> c;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    const auto row = static_cast<index_t>(item / p.coarse_largest_block);
    const auto j = static_cast<index_t>(item % p.coarse_largest_block);
    const index_t height = p.coarse_dof_offsets(row + 1) - p.coarse_dof_offsets(row);
    const offset_t begin = c.row_offsets(row);
    for (offset_t b = begin; b < c.row_offsets(row + 1); ++b)
      if (j < width_of(c.columns(b)))
        for (index_t k = 0; k < height; ++k)
          c.values(c.value_offsets(b) + static_cast<offset_t>(j) * height + k) = 0.;
    for (offset_t child = p.child_offsets(row); child < p.child_offsets(row + 1); ++child) {
      const index_t e = p.children(child);
      const index_t n = p.dof_offsets(e + 1) - p.dof_offsets(e);
      offset_t b = begin; // both rows have their columns in the same order
      for (offset_t block = pattern.offsets(e); block < pattern.offsets(e + 1); ++block) {
        const index_t column = pattern.columns(block);
        while (c.columns(b) != column)
          ++b;
        if (j < width_of(column))
          add(p.values.data() + p.value_offsets(e), n, height,
              values.data() + value_offsets(block) + static_cast<std::int64_t>(j) * n,
              c.values.data() + c.value_offsets(b) + static_cast<std::int64_t>(j) * height);
      }
    }
  }

private:
  KOKKOS_FUNCTION index_t width_of(index_t column) const {
    return p.coarse_dof_offsets(column + 1) - p.coarse_dof_offsets(column);
  }
  KOKKOS_FUNCTION static void add(const double* of_e, index_t n, index_t height, const double* factor, double* sums) {
    constexpr int piece = 8;
    for (index_t first = 0; first < n; first += piece) {
      const int rows = n - first < piece ? static_cast<int>(n - first) : piece;
      double part[piece];
      for (int i = 0; i < rows; ++i)
        part[i] = factor[first + i];
      for (index_t k = 0; k < height; ++k) {
        const double* const entries = of_e + static_cast<std::int64_t>(k) * n + first;
        double sum = 0.;
        for (int i = 0; i < rows; ++i)
          sum += entries[i] * part[i];
        sums[k] += sum;
      }
    }
  }
};

/// Appends the rows of ghosts to the owned rows; ghosts that were not received get empty rows.
template <class ExecutionSpace>
CrsMatrix<typename ExecutionSpace::memory_space>
with_rows_of_ghosts(const ExecutionSpace& exec, const CrsMatrix<typename ExecutionSpace::memory_space>& owned,
                    const CrsMatrix<typename ExecutionSpace::memory_space>& received,
                    const std::vector<std::int64_t>& numbers, const std::vector<std::int64_t>& ghosts) {
  const auto ends = to_host(exec, received.offsets);
  std::vector<offset_t> offsets{0};
  index_t i = 0;
  for (const std::int64_t ghost : ghosts) {
    if (static_cast<std::size_t>(i) < numbers.size() && numbers[static_cast<std::size_t>(i)] == ghost)
      ++i;
    offsets.push_back(ends(i));
  }
  auto rows = received;
  rows.offsets = uploaded(exec, "linalg::ghost_row_offsets", offsets);
  return stacked_rows(exec, std::vector<CrsMatrix<typename ExecutionSpace::memory_space>>{owned, rows});
}

} // namespace

template <class ExecutionSpace>
GalerkinPattern<ExecutionSpace>
make_galerkin_pattern(const ExecutionSpace& exec, const comm::Shares<ExecutionSpace>& shares,
                      const comm::Layout<ExecutionSpace>& fine, const std::vector<std::int64_t>& coarse_offsets,
                      const BlockCrsMatrix<typename ExecutionSpace::memory_space>& a,
                      const Array<index_t*, ExecutionSpace>& coarse_of,
                      const CrsMatrix<typename ExecutionSpace::memory_space>& children) {
  using Space = typename ExecutionSpace::memory_space;
  CrsMatrix<Space> graph;
  graph.offsets = a.row_offsets;
  graph.columns = a.columns;
  CrsMatrix<Space> members = memberships<ExecutionSpace>(exec, coarse_of);
  GalerkinPattern<ExecutionSpace> pattern;
  pattern.a_times_p = product_pattern(exec, graph, members);
  if (fine.is_distributed()) {
    const auto of_ghosts = to_host(
        exec, Kokkos::subview(coarse_of, std::make_pair(std::int64_t(fine.n_owned), std::int64_t(fine.size()))));
    const auto rank = static_cast<std::size_t>(shares.group.world->rank());
    const std::vector<std::int64_t> ghosts = comm::ghosts_on_host(exec, fine);
    std::vector<std::int64_t> children_there;
    for (std::size_t i = 0; i < ghosts.size(); ++i)
      if (of_ghosts(i) >= coarse_offsets[rank] && of_ghosts(i) < coarse_offsets[rank + 1])
        children_there.push_back(ghosts[i]);
    pattern.children = comm::make_layout(exec, shares.group, shares.offsets, children_there);
    const auto received = rows_of_ghosts(exec, *pattern.children.halo, pattern.a_times_p, RowParts::columns);
    pattern.a_times_p = with_rows_of_ghosts(exec, pattern.a_times_p, received, children_there, ghosts);
  }
  pattern.product = product_pattern(exec, children, pattern.a_times_p);
  // A common numbering of the columns of both.
  pattern.coarse = comm::number_owned_first<ExecutionSpace>(exec, shares.group, coarse_offsets,
                                                            {&pattern.a_times_p.columns, &pattern.product.columns});
  keep_alive(exec, members);
  return pattern;
}

template <class ExecutionSpace>
BlockCrsMatrix<typename ExecutionSpace::memory_space>
make_galerkin_matrix(const ExecutionSpace& exec, GalerkinPattern<ExecutionSpace>& pattern,
                     const BlockTransfer<typename ExecutionSpace::memory_space>& p) {
  using Space = typename ExecutionSpace::memory_space;
  pattern.value_offsets =
      offsets_of_values<ExecutionSpace>(exec, pattern.a_times_p, p.dof_offsets, p.coarse_dof_offsets, pattern.n_values);
  BlockCrsMatrix<Space> c;
  c.dof_offsets = p.coarse_dof_offsets;
  c.row_offsets = pattern.product.offsets;
  c.columns = pattern.product.columns;
  c.n_unknowns = read_entry(exec, c.dof_offsets, c.n_block_rows());
  c.largest_block = p.coarse_largest_block;
  c.block_size = p.coarse_block_size;
  std::int64_t n_values = 0;
  c.value_offsets = offsets_of_values<ExecutionSpace>(exec, pattern.product, c.dof_offsets, c.dof_offsets, n_values);
  c.values = make_array<Array<double*, Space>>(exec, "linalg::galerkin_values", n_values);
  return c;
}

template <class ExecutionSpace>
void multiply_galerkin(const ExecutionSpace& exec, const GalerkinPattern<ExecutionSpace>& pattern,
                       const BlockCrsMatrix<typename ExecutionSpace::memory_space>& a,
                       const BlockTransfer<typename ExecutionSpace::memory_space>& p,
                       const BlockCrsMatrix<typename ExecutionSpace::memory_space>& c) {
  using Space = typename ExecutionSpace::memory_space;
  TESSERA_ASSERT(a.n_block_rows() == p.n_owned && c.n_block_rows() == p.n_owned_coarse());
  const std::int64_t n_values = pattern.n_values;
  const auto values = make_array<Array<double*, Space>>(exec, "linalg::matrix_times_transfer", n_values);
  with_value_type(a, [&](auto value) {
    for_each<std::int64_t>("tessera::linalg::multiply_by_transfer", exec,
                           static_cast<std::int64_t>(p.n_owned) * p.coarse_largest_block,
                           MultiplyByTransfer<decltype(value), Space>{block_rows_of(a, nullptr), p, pattern.a_times_p,
                                                                      pattern.value_offsets, values});
  });
  if (pattern.children.is_distributed()) {
    CrsMatrix<Space> owned;
    owned.offsets = make_array<Array<offset_t*, Space>>(exec, "linalg::value_rows", p.n_owned + 1);
    for_each("tessera::linalg::value_rows", exec, p.n_owned + 1,
             OffsetsOfRows<Space>{pattern.a_times_p.offsets, pattern.value_offsets, owned.offsets});
    owned.values = values;
    const auto received = rows_of_ghosts(exec, *pattern.children.halo, owned, RowParts::values);
    const std::int64_t n_received = static_cast<std::int64_t>(received.values.extent(0));
    copy(exec, Kokkos::subview(values, std::make_pair(n_values - n_received, n_values)), received.values);
    keep_alive(exec, owned, received);
  }
  for_each<std::int64_t>("tessera::linalg::multiply_by_transpose", exec,
                         static_cast<std::int64_t>(p.n_owned_coarse()) * p.coarse_largest_block,
                         MultiplyByTranspose<Space>{p, pattern.a_times_p, pattern.value_offsets, values, c});
  keep_alive(exec, values);
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template GalerkinPattern<Space> make_galerkin_pattern(                                                               \
      const Space&, const comm::Shares<Space>&, const comm::Layout<Space>&, const std::vector<std::int64_t>&,          \
      const BlockCrsMatrix<Space::memory_space>&, const Array<index_t*, Space>&,                                       \
      const CrsMatrix<Space::memory_space>&);                                                                          \
  template BlockCrsMatrix<Space::memory_space> make_galerkin_matrix(const Space&, GalerkinPattern<Space>&,             \
                                                                    const BlockTransfer<Space::memory_space>&);        \
  template void multiply_galerkin(                                                                                     \
      const Space&, const GalerkinPattern<Space>&, const BlockCrsMatrix<Space::memory_space>&,                         \
      const BlockTransfer<Space::memory_space>&, const BlockCrsMatrix<Space::memory_space>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::linalg
