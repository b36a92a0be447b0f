// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/distributed/distributed_elements.hpp"

namespace tessera::linalg {

template <class ExecutionSpace>
void DistributedElements<ExecutionSpace>::multiply(const ExecutionSpace& exec, const const_vector_type& p,
                                                   const vector_type& q, index_t first_counted,
                                                   const ReduceWorkspace<ExecutionSpace>& workspace, double* pq) const {
  local_.multiply(exec, p, q, first_counted, workspace, pq);
  sums_.complete(exec, pq, 1);
}

template <class ExecutionSpace>
void DistributedElements<ExecutionSpace>::accumulate(const ExecutionSpace& exec, const const_vector_type& v,
                                                     const vector_type& sum) const {
  if (sum_.extent(0) == 0)
    sum_ = make_array<vector_type>(exec, "linalg::sum_of_part", local_.size());
  local_.accumulate(exec, v, sum_);
  Kokkos::deep_copy(exec, sum, Kokkos::subview(sum_, std::make_pair(owned_.first, owned_.first + owned_.n_owned)));
}

template <class ExecutionSpace>
auto DistributedElements<ExecutionSpace>::reach(const ExecutionSpace& exec, const const_vector_type& owned,
                                                vector_type& reached) const -> const_vector_type {
  if (static_cast<index_t>(reached.extent(0)) != local_.size())
    reached = make_array<vector_type>(exec, "linalg::reached", local_.size());
  if (owned_and_ghosts_.extent(0) == 0)
    owned_and_ghosts_ = make_array<vector_type>(exec, "linalg::owned_and_ghosts", local_.size());
  halo_.complete(exec, owned, owned_and_ghosts_);
  in_order_of_part(exec, owned_, const_vector_type(owned_and_ghosts_), reached);
  return reached;
}

template <class ExecutionSpace> Traffic DistributedElements<ExecutionSpace>::multiply_traffic() const {
  Traffic traffic = local_.multiply_traffic();
  // the unknowns, to decide which elements are counted
  traffic.bytes += 4. * static_cast<double>(n_elements()) * nodes_per_element();
  return traffic;
}

#define TESSERA_INSTANTIATE(Space) template class DistributedElements<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::linalg
