// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/block_transfer.hpp"

#include "core/assert.hpp"
#include "core/keep_alive.hpp"
#include "core/scan.hpp"
#include "linalg/block_spmv_kernels.hpp"
#include "linalg/crs_product.hpp"
#include "linalg/pattern/product_pattern.hpp"

namespace tessera::linalg {

namespace {

template <class Space> struct CountTransferValues {
  Array<const index_t*, Space> coarse_of;
  Array<const index_t*, Space> dof_offsets;
  Array<const index_t*, Space> coarse_dof_offsets;
  Array<offset_t*, Space> counts;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    const index_t c = coarse_of(e);
    counts(e) = static_cast<offset_t>(dof_offsets(e + 1) - dof_offsets(e)) *
                (coarse_dof_offsets(c + 1) - coarse_dof_offsets(c));
  }
};

template <class Space> struct CountBlockValues {
  Array<const index_t*, Space> dof_offsets;
  Array<const offset_t*, Space> row_offsets;
  Array<const index_t*, Space> columns;
  Array<offset_t*, Space> counts;
  KOKKOS_FUNCTION void operator()(index_t r) const {
    for (offset_t b = row_offsets(r); b < row_offsets(r + 1); ++b)
      counts(b) = static_cast<offset_t>(dof_offsets(r + 1) - dof_offsets(r)) *
                  (dof_offsets(columns(b) + 1) - dof_offsets(columns(b)));
  }
};

template <class Space> struct NumberRows {
  Array<offset_t*, Space> offsets;
  KOKKOS_FUNCTION void operator()(index_t i) const { offsets(i) = static_cast<offset_t>(i); }
};

/// A row for each fine block row, whose one entry, without value, is its coarse one.
template <class ExecutionSpace>
CrsMatrix<typename ExecutionSpace::memory_space> memberships_of(const ExecutionSpace& exec,
                                                                const Array<index_t*, ExecutionSpace>& coarse_of) {
  using Space = typename ExecutionSpace::memory_space;
  const auto n = static_cast<index_t>(coarse_of.extent(0));
  CrsMatrix<Space> memberships;
  memberships.offsets = make_array<Array<offset_t*, Space>>(exec, "linalg::membership_offsets", n + 1);
  for_each("tessera::linalg::number_memberships", exec, n + 1, NumberRows<Space>{memberships.offsets});
  memberships.columns = coarse_of;
  return memberships;
}

/// Item k is unknown k % largest of block row k / largest, if it has so many.
template <class Space> struct Interpolate {
  BlockTransfer<Space> p;
  Array<const double*, Space> x;
  Array<double*, Space> y;
  Array<double*, Space> result;
  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    const auto e = static_cast<index_t>(item / p.largest_block);
    const auto i = static_cast<index_t>(item % p.largest_block);
    const index_t n = p.dof_offsets(e + 1) - p.dof_offsets(e);
    if (i >= n)
      return;
    const index_t first = p.coarse_dof_offsets(p.coarse_of(e));
    const index_t width = p.coarse_dof_offsets(p.coarse_of(e) + 1) - first;
    const double* const a = p.values.data() + p.value_offsets(e) + i;
    double sum = 0.;
    for (index_t j = 0; j < width; ++j)
      sum += a[static_cast<std::int64_t>(j) * n] * x(first + j);
    y(p.dof_offsets(e) + i) = sum;
    result(p.dof_offsets(e) + i) += sum;
  }
};

template <class Space> struct Restrict {
  BlockTransfer<Space> p;
  Array<const double*, Space> x;
  Array<double*, Space> y;
  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    const auto c = static_cast<index_t>(item / p.coarse_largest_block);
    const auto j = static_cast<index_t>(item % p.coarse_largest_block);
    if (j >= p.coarse_dof_offsets(c + 1) - p.coarse_dof_offsets(c))
      return;
    double sum = 0.;
    for (offset_t k = p.child_offsets(c); k < p.child_offsets(c + 1); ++k) {
      const index_t e = p.children(k);
      const index_t first = p.dof_offsets(e);
      const index_t n = p.dof_offsets(e + 1) - first;
      const double* const a = p.values.data() + p.value_offsets(e) + static_cast<std::int64_t>(j) * n;
      for (index_t i = 0; i < n; ++i)
        sum += a[i] * x(first + i);
    }
    y(p.coarse_dof_offsets(c) + j) = sum;
  }
};

/// Computes column j of all blocks of a coarse block row, item row * largest + j: the terms of one fine block after the
/// other, A_ef times a column of P_f in pieces, each at once times P_e^T.
template <class Value, class Space> struct MultiplyColumns {
  BlockRows a;
  BlockTransfer<Space> p;
  BlockCrsMatrix<Space> c;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    const auto row = static_cast<index_t>(item / p.coarse_largest_block);
    const auto j = static_cast<index_t>(item % p.coarse_largest_block);
    const index_t height = p.coarse_dof_offsets(row + 1) - p.coarse_dof_offsets(row);
    const offset_t begin = c.row_offsets(row);
    const offset_t end = c.row_offsets(row + 1);
    for (offset_t b = begin; b < end; ++b)
      if (j < width_of(c.columns(b)))
        for (index_t k = 0; k < height; ++k)
          c.values(c.value_offsets(b) + static_cast<offset_t>(j) * height + k) = 0.;
    for (offset_t child = p.child_offsets(row); child < p.child_offsets(row + 1); ++child) {
      const index_t e = p.children(child);
      for (offset_t block = a.row_offsets[e]; block < a.row_offsets[e + 1]; ++block) {
        const index_t f = a.columns[block];
        const index_t column = p.coarse_of(f);
        if (j >= width_of(column))
          continue;
        offset_t b = begin;
        while (c.columns(b) < column)
          ++b;
        add(e, f, a.template values_as<Value>() + a.value_offsets[block], j, height,
            c.values.data() + c.value_offsets(b) + static_cast<std::int64_t>(j) * height);
      }
    }
  }

private:
  KOKKOS_FUNCTION index_t width_of(index_t column) const {
    return p.coarse_dof_offsets(column + 1) - p.coarse_dof_offsets(column);
  }
  KOKKOS_FUNCTION void add(index_t e, index_t f, const Value* block, index_t j, index_t height, double* sums) const {
    constexpr int piece = 8;
    const index_t n = a.size(e);
    const index_t width = a.size(f);
    const double* const of_f = p.values.data() + p.value_offsets(f) + static_cast<std::int64_t>(j) * width;
    const double* const of_e = p.values.data() + p.value_offsets(e);
    for (index_t first = 0; first < n; first += piece) {
      const int rows = n - first < piece ? static_cast<int>(n - first) : piece;
      double product[piece];
      for (int i = 0; i < piece; ++i)
        product[i] = 0.;
      for (index_t l = 0; l < width; ++l) {
        const Value* const entries = block + static_cast<std::int64_t>(l) * n + first;
        for (int i = 0; i < rows; ++i)
          product[i] += entries[i] * of_f[l];
      }
      for (index_t k = 0; k < height; ++k) {
        const double* const entries = of_e + static_cast<std::int64_t>(k) * n + first;
        double sum = 0.;
        for (int i = 0; i < rows; ++i)
          sum += entries[i] * product[i];
        sums[k] += sum;
      }
    }
  }
};

} // namespace

template <class ExecutionSpace>
BlockTransfer<typename ExecutionSpace::memory_space>
make_block_transfer(const ExecutionSpace& exec, const Array<index_t*, ExecutionSpace>& coarse_of,
                    const BlockSizes<typename ExecutionSpace::memory_space>& fine,
                    const BlockSizes<typename ExecutionSpace::memory_space>& coarse) {
  using Space = typename ExecutionSpace::memory_space;
  const auto own = [&](const ConstArray<const index_t*, Space>& offsets) {
    const auto copy = make_array<Array<index_t*, Space>>(exec, "linalg::transfer_unknowns", offsets.extent(0));
    Kokkos::deep_copy(exec, copy, offsets);
    return copy;
  };
  BlockTransfer<Space> p;
  p.coarse_of = coarse_of;
  p.dof_offsets = own(fine.dof_offsets);
  p.coarse_dof_offsets = own(coarse.dof_offsets);
  p.largest_block = fine.largest;
  p.coarse_largest_block = coarse.largest;
  p.coarse_block_size = coarse.is_uniform ? coarse.largest : 0;
  const index_t n = p.n_fine();
  p.n_unknowns = read_entry(exec, p.dof_offsets, n);
  p.n_coarse_unknowns = read_entry(exec, p.coarse_dof_offsets, p.n_coarse());
  p.value_offsets = make_array<Array<offset_t*, Space>>(exec, "linalg::transfer_offsets", n + 1);
  for_each("tessera::linalg::count_transfer_values", exec, n,
           CountTransferValues<Space>{coarse_of, p.dof_offsets, p.coarse_dof_offsets, p.value_offsets});
  const std::int64_t n_values = counts_to_offsets(exec, p.value_offsets, n, "entries of a transfer");
  p.values = make_array<Array<double*, Space>>(exec, "linalg::transfer_values", n_values);

  CrsMatrix<Space> memberships = memberships_of<ExecutionSpace>(exec, coarse_of);
  memberships.values = make_filled<Array<double*, Space>>(exec, "linalg::memberships", n, 1.);
  const CrsMatrix<Space> members = transposed(exec, memberships, p.n_coarse());
  p.child_offsets = members.offsets;
  p.children = members.columns;
  keep_alive(exec, memberships, members);
  return p;
}

template <class ExecutionSpace>
void interpolate_and_add(const ExecutionSpace& exec, const BlockTransfer<typename ExecutionSpace::memory_space>& p,
                         const ConstVector<ExecutionSpace>& x, const Vector<ExecutionSpace>& y,
                         const Vector<ExecutionSpace>& sum) {
  for_each<std::int64_t>("tessera::linalg::interpolate_blocks", exec,
                         static_cast<std::int64_t>(p.n_fine()) * p.largest_block,
                         Interpolate<typename ExecutionSpace::memory_space>{p, x, y, sum});
}

template <class ExecutionSpace>
void restrict_to(const ExecutionSpace& exec, const BlockTransfer<typename ExecutionSpace::memory_space>& p,
                 const ConstVector<ExecutionSpace>& x, const Vector<ExecutionSpace>& y) {
  for_each<std::int64_t>("tessera::linalg::restrict_blocks", exec,
                         static_cast<std::int64_t>(p.n_coarse()) * p.coarse_largest_block,
                         Restrict<typename ExecutionSpace::memory_space>{p, x, y});
}

template <class ExecutionSpace>
BlockCrsMatrix<typename ExecutionSpace::memory_space>
make_galerkin_pattern(const ExecutionSpace& exec, const BlockCrsMatrix<typename ExecutionSpace::memory_space>& a,
                      const BlockTransfer<typename ExecutionSpace::memory_space>& p) {
  using Space = typename ExecutionSpace::memory_space;
  CrsMatrix<Space> graph;
  graph.offsets = a.row_offsets;
  graph.columns = a.columns;
  const CrsMatrix<Space> members = memberships_of<ExecutionSpace>(exec, p.coarse_of);
  CrsMatrix<Space> children;
  children.offsets = p.child_offsets;
  children.columns = p.children;
  const CrsMatrix<Space> to_coarse = product_pattern(exec, graph, members);
  const CrsMatrix<Space> pattern = product_pattern(exec, children, to_coarse);

  BlockCrsMatrix<Space> c;
  c.dof_offsets = p.coarse_dof_offsets;
  c.row_offsets = pattern.offsets;
  c.columns = pattern.columns;
  c.n_unknowns = p.n_coarse_unknowns;
  c.largest_block = p.coarse_largest_block;
  c.block_size = p.coarse_block_size;
  c.value_offsets = make_array<Array<offset_t*, Space>>(exec, "linalg::galerkin_offsets", c.n_blocks() + 1);
  for_each("tessera::linalg::count_galerkin_values", exec, c.n_block_rows(),
           CountBlockValues<Space>{c.dof_offsets, c.row_offsets, c.columns, c.value_offsets});
  const std::int64_t n_values = counts_to_offsets(exec, c.value_offsets, c.n_blocks(), "entries of a coarser matrix");
  c.values = make_array<Array<double*, Space>>(exec, "linalg::galerkin_values", n_values);
  keep_alive(exec, to_coarse, members);
  return c;
}

template <class ExecutionSpace>
void multiply_galerkin(const ExecutionSpace& exec, const BlockCrsMatrix<typename ExecutionSpace::memory_space>& a,
                       const BlockTransfer<typename ExecutionSpace::memory_space>& p,
                       const BlockCrsMatrix<typename ExecutionSpace::memory_space>& c) {
  using Space = typename ExecutionSpace::memory_space;
  TESSERA_ASSERT(a.n_block_rows() == p.n_fine() && c.n_block_rows() == p.n_coarse());
  with_value_type(a, [&](auto value) {
    for_each<std::int64_t>("tessera::linalg::multiply_galerkin", exec,
                           static_cast<std::int64_t>(p.n_coarse()) * p.coarse_largest_block,
                           MultiplyColumns<decltype(value), Space>{block_rows_of(a, nullptr), p, c});
  });
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template BlockTransfer<Space::memory_space> make_block_transfer(const Space&, const Array<index_t*, Space>&,         \
                                                                  const BlockSizes<Space::memory_space>&,              \
                                                                  const BlockSizes<Space::memory_space>&);             \
  template void interpolate_and_add(const Space&, const BlockTransfer<Space::memory_space>&,                           \
                                    const ConstVector<Space>&, const Vector<Space>&, const Vector<Space>&);            \
  template void restrict_to(const Space&, const BlockTransfer<Space::memory_space>&, const ConstVector<Space>&,        \
                            const Vector<Space>&);                                                                     \
  template BlockCrsMatrix<Space::memory_space> make_galerkin_pattern(                                                  \
      const Space&, const BlockCrsMatrix<Space::memory_space>&, const BlockTransfer<Space::memory_space>&);            \
  template void multiply_galerkin(const Space&, const BlockCrsMatrix<Space::memory_space>&,                            \
                                  const BlockTransfer<Space::memory_space>&,                                           \
                                  const BlockCrsMatrix<Space::memory_space>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::linalg
