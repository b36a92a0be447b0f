// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/distributed/distributed_rows.hpp"

#include "linalg/crs/crs_pieces.hpp"
#include "linalg/crs/spmv_kernels.hpp"

namespace tessera::linalg {

namespace {

template <class Vector> Vector piece(const Vector& v, std::int64_t begin, std::int64_t end) {
  return Kokkos::subview(v, std::make_pair(begin, end));
}

template <class ExecutionSpace, class To, class From>
void copy_piece(const ExecutionSpace& exec, const To& to, const From& from) {
  if (to.extent(0) > 0)
    Kokkos::deep_copy(exec, to, from);
}

} // namespace

template <class ExecutionSpace>
CrsMatrix<typename ExecutionSpace::memory_space>
cut_owned_rows(const ExecutionSpace& exec, const CrsMatrix<typename ExecutionSpace::memory_space>& of_part,
               const OwnedFirst& owned) {
  CrsMatrix<typename ExecutionSpace::memory_space> rows =
      cut_rows(exec, of_part, owned.first, owned.first + owned.n_owned);
  const auto columns = make_array<decltype(rows.columns)>(exec, "linalg::owned_columns", rows.n_entries());
  renumber_columns(exec, owned, rows.n_entries(), rows.columns.data(), columns.data());
  rows.columns = columns;
  return rows;
}

template <class ExecutionSpace>
void in_order_of_part(const ExecutionSpace& exec, const OwnedFirst& owned,
                      const ConstVector<ExecutionSpace>& owned_first, const Vector<ExecutionSpace>& of_part) {
  const std::int64_t n = owned.n_owned;
  const std::int64_t n_below = owned.first;
  const auto n_all = static_cast<std::int64_t>(owned_first.extent(0));
  copy_piece(exec, piece(of_part, n_below, n_below + n), piece(owned_first, 0, n));
  copy_piece(exec, piece(of_part, 0, n_below), piece(owned_first, n, n + n_below));
  copy_piece(exec, piece(of_part, n_below + n, n_all), piece(owned_first, n + n_below, n_all));
}

template <class ExecutionSpace>
DistributedRows<ExecutionSpace>::DistributedRows(const ExecutionSpace& exec,
                                                 const LinearOperator<ExecutionSpace>& local, const OwnedFirst& owned,
                                                 const comm::Halo<ExecutionSpace>& halo,
                                                 const DistributedSums<ExecutionSpace>& sums)
    : local_(local), owned_(owned), halo_(halo), sums_(sums) {
  using Matrix = CrsMatrix<typename ExecutionSpace::memory_space>;
  if (const Matrix* matrix = matrix_of<Matrix>(local)) {
    const Matrix rows = cut_owned_rows(exec, *matrix, owned);
    of_part_ = *matrix;
    const double mean_row = sums.added(static_cast<double>(rows.n_entries())) / sums.added(owned.n_owned);
    rows_ = std::make_unique<CrsOperator<ExecutionSpace>>(
        rows, local.is_symmetric() ? Symmetry::symmetric : Symmetry::general, accumulators_per_row(mean_row));
  } else {
    local_x_ = make_array<vector_type>(exec, "linalg::x_of_part", local.size());
    local_y_ = make_array<vector_type>(exec, "linalg::y_of_part", local.size());
  }
}

template <class ExecutionSpace>
bool DistributedRows<ExecutionSpace>::has_rows_of(const LinearOperator<ExecutionSpace>& local) const {
  const auto* matrix = matrix_of<CrsMatrix<typename ExecutionSpace::memory_space>>(local);
  return rows_ && matrix != nullptr && matrix->offsets.data() == of_part_.offsets.data() &&
         matrix->columns.data() == of_part_.columns.data() && matrix->values.data() == of_part_.values.data();
}

template <class ExecutionSpace>
void DistributedRows<ExecutionSpace>::prepare_products(const ExecutionSpace& exec) const {
  (rows_ ? *rows_ : local_).prepare_products(exec);
}

template <class ExecutionSpace>
auto DistributedRows<ExecutionSpace>::take(const ExecutionSpace& exec, const const_vector_type& x) const
    -> const_vector_type {
  const const_vector_type owned_first = halo_.with_ghosts(exec, x, x_);
  if (rows_)
    return owned_first;
  in_order_of_part(exec, owned_, owned_first, local_x_);
  return local_x_;
}

template <class ExecutionSpace>
void DistributedRows<ExecutionSpace>::apply(const ExecutionSpace& exec, const const_vector_type& x,
                                            const vector_type& y) const {
  const const_vector_type taken = take(exec, x);
  if (rows_)
    return rows_->apply(exec, taken, y);
  local_.apply(exec, taken, local_y_);
  copy_piece(exec, y, owned_part(local_y_));
}

template <class ExecutionSpace>
void DistributedRows<ExecutionSpace>::apply_dot(const ExecutionSpace& exec, const const_vector_type& x,
                                                const vector_type& y, const ReduceWorkspace<ExecutionSpace>& workspace,
                                                double* xy) const {
  if (!rows_ || sums_.shared() != nullptr)
    return LinearOperator<ExecutionSpace>::apply_dot(exec, x, y, workspace, xy);
  rows_->apply_dot(exec, take(exec, x), y, workspace, xy);
  sums_.complete(exec, xy, 1);
}

template <class ExecutionSpace>
void DistributedRows<ExecutionSpace>::diagonal(const ExecutionSpace& exec, const vector_type& d) const {
  if (rows_)
    return rows_->diagonal(exec, d);
  local_.diagonal(exec, local_y_);
  copy_piece(exec, d, owned_part(local_y_));
}

template <class ExecutionSpace> Traffic DistributedRows<ExecutionSpace>::traffic() const {
  Traffic traffic = (rows_ ? *rows_ : local_).traffic();
  if (!rows_) // copies of x and y
    traffic.bytes += 4. * static_cast<double>(local_x_.extent(0)) * sizeof(double);
  return traffic;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template class DistributedRows<Space>;                                                                               \
  template CrsMatrix<Space::memory_space> cut_owned_rows(const Space&, const CrsMatrix<Space::memory_space>&,          \
                                                         const OwnedFirst&);                                           \
  template void in_order_of_part(const Space&, const OwnedFirst&, const ConstVector<Space>&, const Vector<Space>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::linalg
