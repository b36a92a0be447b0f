// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_DISTRIBUTED_DISTRIBUTED_ELEMENTS_HPP
#define TESSERA_LINALG_DISTRIBUTED_DISTRIBUTED_ELEMENTS_HPP

/// \file
/// Element matrices distributed over processes.

#include "linalg/distributed/distributed_rows.hpp"
#include "linalg/element_level.hpp"

namespace tessera::linalg {

/// The element-level system of all processes. Each process has all elements with owned unknowns. Elements at a
/// partition boundary are in several processes, which all hold the same values for them; one process counts them in
/// sums over elements. Vectors of unknowns have the owned ones; vectors of elements also refer to ghosts, the unknowns
/// of other processes.
template <class ExecutionSpace> class DistributedElements final : public ElementLevelOperator<ExecutionSpace> {
public:
  using typename LinearOperator<ExecutionSpace>::vector_type;
  using typename LinearOperator<ExecutionSpace>::const_vector_type;

  /// `local`: elements of the partition; `rows`: its distributed product. All arguments must outlive this object.
  DistributedElements(const ElementLevelOperator<ExecutionSpace>& local, const DistributedRows<ExecutionSpace>& rows,
                      const OwnedFirst& owned, const comm::Halo<ExecutionSpace>& halo,
                      const DistributedSums<ExecutionSpace>& sums)
      : local_(local), rows_(rows), owned_(owned), halo_(halo), sums_(sums) {}

  index_t size() const override { return owned_.n_owned; }
  void apply(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y) const override {
    rows_.apply(exec, x, y);
  }
  void apply_dot(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y,
                 const ReduceWorkspace<ExecutionSpace>& workspace, double* xy) const override {
    rows_.apply_dot(exec, x, y, workspace, xy);
  }
  void diagonal(const ExecutionSpace& exec, const vector_type& d) const override { rows_.diagonal(exec, d); }
  vector_type make_argument(const ExecutionSpace& exec, const std::string& label) const override {
    return rows_.make_argument(exec, label);
  }
  Traffic traffic() const override { return rows_.traffic(); }
  const GlobalSums<ExecutionSpace>& sums() const override { return sums_; }

  std::int64_t n_elements() const override { return local_.n_elements(); }
  int nodes_per_element() const override { return local_.nodes_per_element(); }
  /// In the partition's order.
  Array<const index_t*, ExecutionSpace> unknowns() const override { return local_.unknowns(); }
  index_t first_owned() const override { return owned_.first; }
  const_vector_type reach(const ExecutionSpace& exec, const const_vector_type& owned,
                          vector_type& reached) const override;

  /// The sum is over all processes. Collective.
  void multiply(const ExecutionSpace& exec, const const_vector_type& p, const vector_type& q, index_t first_counted,
                const ReduceWorkspace<ExecutionSpace>& workspace, double* pq) const override;
  void element_diagonal(const ExecutionSpace& exec, const vector_type& m) const override {
    local_.element_diagonal(exec, m);
  }
  void accumulate(const ExecutionSpace& exec, const const_vector_type& v, const vector_type& sum) const override;

  Traffic multiply_traffic() const override;
  Traffic accumulate_traffic() const override { return local_.accumulate_traffic(); }

private:
  const ElementLevelOperator<ExecutionSpace>& local_;
  const DistributedRows<ExecutionSpace>& rows_;
  OwnedFirst owned_;
  const comm::Halo<ExecutionSpace>& halo_;
  const DistributedSums<ExecutionSpace>& sums_;
  // Allocated if a solver works by elements.
  mutable vector_type sum_;              ///< in the partition's order
  mutable vector_type owned_and_ghosts_; ///< in the halo's order
};

} // namespace tessera::linalg

#endif
