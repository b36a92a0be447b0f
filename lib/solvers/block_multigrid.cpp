// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/block_multigrid.hpp"

#include "core/assert.hpp"

namespace tessera::solvers {

namespace {

template <class Space> struct TakeFirst {
  Array<const index_t*, Space> dof_offsets;
  Array<const double*, Space> from;
  Array<double*, Space> to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to(i) = from(dof_offsets(i)); }
};

template <class Space> struct AddToFirst {
  Array<const index_t*, Space> dof_offsets;
  Array<const double*, Space> from;
  Array<double*, Space> to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to(dof_offsets(i)) += from(i); }
};

} // namespace

template <class ExecutionSpace>
BlockMultigrid<ExecutionSpace>::BlockMultigrid(const ExecutionSpace& exec,
                                               const linalg::BlockCrsOperator<ExecutionSpace>& a,
                                               const linalg::CrsMatrix<Space>& first, const MultigridOptions& options)
    : blocks_(exec, a), cycle_(exec, first, {}, options), dof_offsets_(a.matrix().dof_offsets),
      residual_(make_array<vector_type>(exec, "solvers::first_residual", first.n_rows())),
      correction_(make_array<vector_type>(exec, "solvers::first_correction", first.n_rows())) {
  TESSERA_ASSERT(first.n_rows() == a.matrix().n_block_rows());
}

template <class ExecutionSpace>
void BlockMultigrid<ExecutionSpace>::apply(const ExecutionSpace& exec, const const_vector_type& r,
                                           const vector_type& z) const {
  const auto n = static_cast<std::int64_t>(residual_.extent(0));
  stream("tessera::solvers::take_first", exec, n, TakeFirst<Space>{dof_offsets_, r, residual_});
  cycle_.apply(exec, residual_, correction_);
  blocks_.apply(exec, r, z);
  stream("tessera::solvers::add_to_first", exec, n, AddToFirst<Space>{dof_offsets_, correction_, z});
}

template <class ExecutionSpace> linalg::Traffic BlockMultigrid<ExecutionSpace>::traffic() const {
  const linalg::Traffic blocks = blocks_.traffic();
  const linalg::Traffic cycle = cycle_.traffic();
  return {blocks.bytes + cycle.bytes, blocks.flops + cycle.flops};
}

#define TESSERA_INSTANTIATE(Space) template class BlockMultigrid<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
