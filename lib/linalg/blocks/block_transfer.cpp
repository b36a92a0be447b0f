// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/blocks/block_transfer.hpp"

#include "core/algorithms/scan.hpp"
#include "core/kokkos_ext/lanes.hpp"
#include "linalg/blocks/block_spmv_kernels.hpp"

namespace tessera::linalg {

namespace {

template <class Space> struct CountTransferValues {
  Array<const index_t*, Space> coarse_of;
  Array<const index_t*, Space> dof_offsets;
  Array<const index_t*, Space> coarse_dof_offsets;
  Array<offset_t*, Space> counts;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    const index_t c = coarse_of(e);
    const bool has_block = c + 1 < static_cast<index_t>(coarse_dof_offsets.extent(0));
    counts(e) = has_block ? static_cast<offset_t>(dof_offsets(e + 1) - dof_offsets(e)) *
                                (coarse_dof_offsets(c + 1) - coarse_dof_offsets(c))
                          : 0;
  }
};

template <class Space> struct NumberRows {
  Array<offset_t*, Space> offsets;
  KOKKOS_FUNCTION void operator()(index_t i) const { offsets(i) = static_cast<offset_t>(i); }
};

/// Item k is unknown k % largest of block row k / largest, if that row has so many unknowns.
template <class Value, class Space> struct Interpolate {
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
    const Value* const a = p.template values_as<Value>() + p.value_offsets(e) + i;
    double sum = 0.;
    for (index_t j = 0; j < width; ++j)
      sum += a[static_cast<std::int64_t>(j) * n] * x(first + j);
    y(p.dof_offsets(e) + i) = sum;
    result(p.dof_offsets(e) + i) += sum;
  }
};

/// On devices neighbouring threads share an unknown: there are few coarse block rows.
template <class Value, class Space> struct Restrict {
  static constexpr int lanes = 8;
  BlockTransfer<Space> p;
  Array<const double*, Space> x;
  Array<double*, Space> y;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    double sum[lanes];
    for (int lane = 0; lane < lanes; ++lane)
      sum[lane] = part(item, lane);
    write(item, sum_of_parts(sum));
  }
  KOKKOS_FUNCTION void operator()(std::int64_t item, int lane, bool exists) const {
    const double sum = sum_of_lanes<lanes>(exists ? part(item, lane) : 0.);
    if (exists && lane == 0)
      write(item, sum);
  }

private:
  KOKKOS_FUNCTION index_t coarse_row(std::int64_t item) const {
    return static_cast<index_t>(item / p.coarse_largest_block);
  }
  KOKKOS_FUNCTION index_t unknown(std::int64_t item) const {
    return static_cast<index_t>(item % p.coarse_largest_block);
  }
  KOKKOS_FUNCTION bool has_unknown(std::int64_t item) const {
    const index_t c = p.first_owned_coarse + coarse_row(item);
    return unknown(item) < p.coarse_dof_offsets(c + 1) - p.coarse_dof_offsets(c);
  }
  KOKKOS_FUNCTION double part(std::int64_t item, int lane) const {
    if (!has_unknown(item))
      return 0.;
    const index_t c = coarse_row(item);
    double sum = 0.;
    for (offset_t k = p.child_offsets(c) + lane; k < p.child_offsets(c + 1); k += lanes) {
      const index_t e = p.children(k);
      const index_t first = p.dof_offsets(e);
      const index_t n = p.dof_offsets(e + 1) - first;
      const Value* const a =
          p.template values_as<Value>() + p.value_offsets(e) + static_cast<std::int64_t>(unknown(item)) * n;
      for (index_t i = 0; i < n; ++i)
        sum += a[i] * x(first + i);
    }
    return sum;
  }
  KOKKOS_FUNCTION void write(std::int64_t item, double sum) const {
    if (has_unknown(item))
      y(p.coarse_dof_offsets(p.first_owned_coarse + coarse_row(item)) + unknown(item)) = sum;
  }
};

} // namespace

template <class ExecutionSpace>
CrsMatrix<typename ExecutionSpace::memory_space> memberships(const ExecutionSpace& exec,
                                                             const Array<index_t*, ExecutionSpace>& coarse_of) {
  using Space = typename ExecutionSpace::memory_space;
  const auto n = static_cast<index_t>(coarse_of.extent(0));
  CrsMatrix<Space> rows;
  rows.offsets = make_array<Array<offset_t*, Space>>(exec, "linalg::membership_offsets", n + 1);
  for_each("tessera::linalg::number_memberships", exec, n + 1, NumberRows<Space>{rows.offsets});
  rows.columns = coarse_of;
  rows.values = make_filled<Array<double*, Space>>(exec, "linalg::memberships", n, 1.);
  return rows;
}

template <class ExecutionSpace>
BlockTransfer<typename ExecutionSpace::memory_space>
make_block_transfer(const ExecutionSpace& exec, const Array<index_t*, ExecutionSpace>& coarse_of, index_t n_owned,
                    const CrsMatrix<typename ExecutionSpace::memory_space>& children,
                    const BlockSizes<typename ExecutionSpace::memory_space>& fine,
                    const BlockSizes<typename ExecutionSpace::memory_space>& coarse) {
  using Space = typename ExecutionSpace::memory_space;
  const auto owned = [&](const Array<const index_t*, Space>& offsets) {
    const auto copy = make_array<Array<index_t*, Space>>(exec, "linalg::transfer_unknowns", offsets.extent(0));
    Kokkos::deep_copy(exec, copy, offsets);
    return copy;
  };
  BlockTransfer<Space> p;
  p.coarse_of = coarse_of;
  p.n_owned = n_owned;
  p.dof_offsets = owned(fine.dof_offsets);
  p.coarse_dof_offsets = owned(coarse.dof_offsets);
  p.child_offsets = children.offsets;
  p.children = children.columns;
  p.largest_block = fine.largest;
  p.coarse_largest_block = coarse.largest;
  p.coarse_block_size = coarse.is_uniform ? coarse.largest : 0;
  const index_t n = p.n_fine();
  p.value_offsets = make_array<Array<offset_t*, Space>>(exec, "linalg::transfer_offsets", n + 1);
  for_each("tessera::linalg::count_transfer_values", exec, n,
           CountTransferValues<Space>{coarse_of, p.dof_offsets, p.coarse_dof_offsets, p.value_offsets});
  const std::int64_t n_values = counts_to_offsets(exec, p.value_offsets, n, "entries of a transfer");
  p.values = make_array<Array<double*, Space>>(exec, "linalg::transfer_values", n_values);
  return p;
}

template <class ExecutionSpace>
void interpolate_and_add(const ExecutionSpace& exec, const BlockTransfer<typename ExecutionSpace::memory_space>& p,
                         const ConstVector<ExecutionSpace>& x, const Vector<ExecutionSpace>& y,
                         const Vector<ExecutionSpace>& sum) {
  with_value_type(p, [&](auto value) {
    for_each<std::int64_t>("tessera::linalg::interpolate_blocks", exec,
                           static_cast<std::int64_t>(p.n_owned) * p.largest_block,
                           Interpolate<decltype(value), typename ExecutionSpace::memory_space>{p, x, y, sum});
  });
}

template <class ExecutionSpace>
void restrict_to(const ExecutionSpace& exec, const BlockTransfer<typename ExecutionSpace::memory_space>& p,
                 const ConstVector<ExecutionSpace>& x, const Vector<ExecutionSpace>& y) {
  const char* label = "tessera::linalg::restrict_blocks";
  const std::int64_t n = static_cast<std::int64_t>(p.n_owned_coarse()) * p.coarse_largest_block;
  with_value_type(p, [&](auto value) {
    using Worker = Restrict<decltype(value), typename ExecutionSpace::memory_space>;
    const Worker worker{p, x, y};
    if constexpr (has_lanes<ExecutionSpace>)
      for_each_lane<Worker::lanes>(label, exec, n, worker);
    else
      for_each<std::int64_t>(label, exec, n, worker);
  });
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template CrsMatrix<Space::memory_space> memberships(const Space&, const Array<index_t*, Space>&);                    \
  template BlockTransfer<Space::memory_space> make_block_transfer(                                                     \
      const Space&, const Array<index_t*, Space>&, index_t, const CrsMatrix<Space::memory_space>&,                     \
      const BlockSizes<Space::memory_space>&, const BlockSizes<Space::memory_space>&);                                 \
  template void interpolate_and_add(const Space&, const BlockTransfer<Space::memory_space>&,                           \
                                    const ConstVector<Space>&, const Vector<Space>&, const Vector<Space>&);            \
  template void restrict_to(const Space&, const BlockTransfer<Space::memory_space>&, const ConstVector<Space>&,        \
                            const Vector<Space>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::linalg
