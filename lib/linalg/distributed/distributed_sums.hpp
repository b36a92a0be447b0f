// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_DISTRIBUTED_DISTRIBUTED_SUMS_HPP
#define TESSERA_LINALG_DISTRIBUTED_DISTRIBUTED_SUMS_HPP

#include "comm/transport.hpp"
#include "linalg/global_sums.hpp"

#include <optional>
#include <vector>

namespace tessera::linalg {

/// Sums over the unknowns of all processes. Those of a single process are complete, and cost nothing.
template <class ExecutionSpace> class DistributedSums final : public GlobalSums<ExecutionSpace> {
public:
  /// Of a single process.
  DistributedSums() = default;
  /// Process r owns the unknowns [offsets[r], offsets[r + 1]). With `same_bits` sums have the bits of a single process;
  /// otherwise the bits depend on the number of processes.
  DistributedSums(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
                  const std::vector<std::int64_t>& offsets, bool same_bits)
      : group_(group) {
    if (same_bits && is_distributed())
      shared_ = make_shared_sums(exec, group.world->rank(), offsets);
  }
  bool is_distributed() const override { return group_.is_distributed(); }
  void complete(const ExecutionSpace& exec, double* sums, int n) const override { group_.sum(exec, sums, n); }
  const SharedSums<ExecutionSpace>* shared() const override { return shared_ ? &*shared_ : nullptr; }
  void gather(const ExecutionSpace& exec, int n) const override {
    std::vector<std::int64_t> offsets;
    for (const SharedRange& range : shared_->ranges)
      offsets.push_back(range.position * n);
    offsets.push_back(offsets.back() + shared_->ranges.back().n_values() * n);
    group_.all_gather_parts(exec, shared_->values.data(), offsets, sizeof(double));
  }
  double largest(double local) const override { return group_.world->largest(local); }
  /// Communicator::added().
  double added(double value) const { return group_.world->added(value); }

private:
  comm::ProcessGroup<ExecutionSpace> group_;
  std::optional<SharedSums<ExecutionSpace>> shared_;
};

} // namespace tessera::linalg

#endif
