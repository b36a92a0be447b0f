// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/solution/distribution.hpp"

#include "core/keep_alive.hpp"
#include "core/transfer/upload.hpp"
#include "fe/dofs/ghost_numbers.hpp"
#include "fe/dofs/node_cuts.hpp"
#include "linalg/distributed/distributed_elements.hpp"
#include "linalg/distributed/distributed_rows.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace tessera::driver {

namespace {

/// Assembles the owned rows by an assembler of a part of the form.
template <class ExecutionSpace> class PartAssembler final : public assembly::Assembler<ExecutionSpace> {
public:
  using typename assembly::Assembler<ExecutionSpace>::operator_type;

  PartAssembler(std::unique_ptr<assembly::Assembler<ExecutionSpace>> local, const linalg::OwnedFirst& owned,
                const comm::Halo<ExecutionSpace>& halo, const linalg::DistributedSums<ExecutionSpace>& sums)
      : local_(std::move(local)), owned_(owned), halo_(halo), sums_(sums) {}

  void symbolic(const ExecutionSpace& exec) override {
    local_->symbolic(exec);
    this->coloring_ = local_->coloring();
  }
  void numeric(const ExecutionSpace& exec) override {
    local_->numeric(exec);
    take_rhs();
    if (system_ && system_->has_rows_of(local_->system()))
      return; // a kept pattern has its rows and columns already
    if (system_) {
      keep_alive(exec, *system_);
      elements_.reset();
      system_.reset();
    }
    system_.emplace(exec, local_->system(), owned_, halo_, sums_);
    if (local_->elements() != nullptr)
      elements_.emplace(*local_->elements(), *system_, owned_, halo_, sums_);
  }
  void load(const ExecutionSpace& exec) override {
    local_->load(exec);
    take_rhs();
  }
  const operator_type& system() const override { return *system_; }
  const linalg::ElementLevelOperator<ExecutionSpace>* elements() const override {
    return elements_ ? &*elements_ : nullptr;
  }
  linalg::Traffic symbolic_traffic() const override { return local_->symbolic_traffic(); }
  linalg::Traffic numeric_traffic() const override { return local_->numeric_traffic(); }

private:
  void take_rhs() {
    this->rhs_ = Kokkos::subview(local_->rhs(), std::make_pair(owned_.first, owned_.first + owned_.n_owned));
  }

  std::unique_ptr<assembly::Assembler<ExecutionSpace>> local_;
  linalg::OwnedFirst owned_;
  const comm::Halo<ExecutionSpace>& halo_;
  const linalg::DistributedSums<ExecutionSpace>& sums_;
  std::optional<linalg::DistributedRows<ExecutionSpace>> system_;
  std::optional<linalg::DistributedElements<ExecutionSpace>> elements_;
};

} // namespace

template <class ExecutionSpace>
Distribution<ExecutionSpace>::Distribution(const ExecutionSpace& exec, const comm::Communicator& world,
                                           comm::Transport<ExecutionSpace>& transport,
                                           const Equations<ExecutionSpace>& problem, bool same_bits)
    : problem_(problem) {
  if (problem.part) {
    const fe::OwnedUnknowns owned = problem.owned_unknowns(exec);
    const std::vector<std::int64_t> offsets = world.offsets_of(owned.end - owned.first);
    for (std::size_t r = 0; r + 1 < offsets.size(); ++r)
      TESSERA_REQUIRE(offsets[r] < offsets[r + 1], "execution.mesh: parts leaves process "
                                                       << r << " without unknowns (of " << offsets.back()
                                                       << "). Use fewer processes, or whole.");
    checked_index(offsets.back(), "unknowns of all processes");
    part_ = fe::make_dof_part<ExecutionSpace>(exec, problem.dofs, problem.element_table, owned.first, owned.end);
    const fe::PartUnknowns& unknowns = problem.part_unknowns(exec, offsets);
    const std::vector<std::int64_t>& numbers = unknowns.others;
    for (std::int64_t& ghost : part_.ghosts)
      ghost = numbers[unknowns.position(ghost)];
    UnknownsOfPart<ExecutionSpace> of_part{owned.first, {}, {}};
    std::vector<index_t> positions;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      if (numbers[i] >= 0) {
        of_part.others.push_back(numbers[i]);
        positions.push_back(unknowns.unknown(i));
      }
    of_part.positions = uploaded(exec, "driver::places_of_others", positions);
    unknowns_.emplace(exec, world, transport, offsets, part_.ghosts, same_bits, of_part);
    return;
  }
  const auto cuts = problem.part_nodes.empty()
                        ? fe::cut_unknowns<ExecutionSpace>(exec, problem.dofs, problem.element_table, world.size())
                        : fe::unknowns_of_parts<ExecutionSpace>(exec, problem.dofs, problem.element_table,
                                                                problem.summary.dimension, problem.part_nodes);
  const auto rank = static_cast<std::size_t>(world.rank());
  const auto first = static_cast<index_t>(cuts[rank]);
  const auto end = static_cast<index_t>(cuts[rank + 1]);
  std::vector<index_t> coupled;
  for (const auto& [row, column] : problem.joint_entries)
    if (row >= first && row < end)
      coupled.push_back(column);
  std::sort(coupled.begin(), coupled.end());
  coupled.erase(std::unique(coupled.begin(), coupled.end()), coupled.end());
  part_ = fe::make_dof_part<ExecutionSpace>(exec, problem.dofs, problem.element_table, first, end, coupled);
  unknowns_.emplace(exec, world, transport, cuts, part_.ghosts, same_bits);
}

template <class ExecutionSpace>
std::unique_ptr<assembly::Assembler<ExecutionSpace>>
Distribution<ExecutionSpace>::make_assembler(const assembly::AssemblyOptions& options) const {
  if (!unknowns_->is_distributed())
    return problem_.make_assembler(options);
  return std::make_unique<PartAssembler<ExecutionSpace>>(problem_.make_assembler(options, &part_),
                                                         linalg::OwnedFirst{part_.first_owned, part_.n_owned},
                                                         unknowns_->halo(), unknowns_->sums());
}

template <class ExecutionSpace>
const linalg::CrsMatrix<typename ExecutionSpace::memory_space>*
Distribution<ExecutionSpace>::owned_rows(const assembly::Assembler<ExecutionSpace>& assembler) const {
  if (!unknowns_->is_distributed())
    return assembler.matrix();
  return dynamic_cast<const linalg::DistributedRows<ExecutionSpace>&>(assembler.system()).rows();
}

template <class ExecutionSpace>
std::int64_t
Distribution<ExecutionSpace>::n_matrix_entries(const assembly::Assembler<ExecutionSpace>& assembler) const {
  const auto* rows = owned_rows(assembler);
  return static_cast<std::int64_t>(
      unknowns_->sums().added(rows == nullptr ? 0. : static_cast<double>(rows->n_entries())));
}

#define TESSERA_INSTANTIATE(SPACE) template class Distribution<SPACE>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
