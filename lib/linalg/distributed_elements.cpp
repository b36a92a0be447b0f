// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/distributed_elements.hpp"

namespace tessera::linalg {

namespace {

/// (p^(e), q^e) of the elements that a process counts.
template <bool OnHost> struct CountedProducts {
  const index_t* unknowns;
  index_t first_own;
  int n_nodes;
  std::int64_t n_elements;
  const double* p;
  const double* q;
  KOKKOS_FUNCTION void operator()(std::int64_t e, double (&term)[1]) const {
    bool is_counted = true;
    double sum = 0.;
    for (int a = 0; a < n_nodes; ++a) {
      const std::int64_t s = element_place<OnHost>(e, a, n_nodes, n_elements);
      is_counted = is_counted && unknowns[s] >= first_own;
      sum += p[s] * q[s];
    }
    term[0] = is_counted ? sum : 0.;
  }
};

} // namespace

template <class ExecutionSpace>
void DistributedElements<ExecutionSpace>::multiply(const ExecutionSpace& exec, const const_vector_type& p,
                                                   const vector_type& q,
                                                   const ReduceWorkspace<ExecutionSpace>& workspace, double* pq) const {
  local_.multiply(exec, p, q, workspace, pq); // whose sum has all elements of the part
  ordered_sums<1>("tessera::linalg::counted_products", exec, n_elements(),
                  CountedProducts<is_host_space<ExecutionSpace>>{unknowns().data(), own_.first, nodes_per_element(),
                                                                 n_elements(), p.data(), q.data()},
                  workspace, pq);
  sums_.complete(exec, pq, 1);
}

template <class ExecutionSpace>
void DistributedElements<ExecutionSpace>::accumulate(const ExecutionSpace& exec, const const_vector_type& v,
                                                     const vector_type& sum) const {
  if (sum_.extent(0) == 0)
    sum_ = make_array<vector_type>(exec, "linalg::sum_of_part", local_.size());
  local_.accumulate(exec, v, sum_);
  Kokkos::deep_copy(exec, sum, Kokkos::subview(sum_, std::make_pair(own_.first, own_.first + own_.n_own)));
}

template <class ExecutionSpace>
void DistributedElements<ExecutionSpace>::reach(const ExecutionSpace& exec, const const_vector_type& own,
                                                const vector_type& reached) const {
  if (own_and_ghosts_.extent(0) == 0)
    own_and_ghosts_ = make_array<vector_type>(exec, "linalg::own_and_ghosts", local_.size());
  halo_.complete(exec, own, own_and_ghosts_);
  in_order_of_part(exec, own_, const_vector_type(own_and_ghosts_), reached);
}

template <class ExecutionSpace> Traffic DistributedElements<ExecutionSpace>::multiply_traffic() const {
  Traffic traffic = local_.multiply_traffic();
  traffic.bytes += 20. * static_cast<double>(n_elements()) * nodes_per_element();
  return traffic;
}

#define TESSERA_INSTANTIATE(Space) template class DistributedElements<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::linalg
