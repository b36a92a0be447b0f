// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/nodal_loads.hpp"

#include "assembly/changed_load.hpp"
#include "core/kokkos_ext/runtime.hpp"
#include "core/transfer/upload.hpp"

#include <map>
#include <optional>
#include <utility>

namespace tessera::assembly {

namespace {

template <class Space> struct IsAmong {
  Array<const index_t*, Space> sorted;
  Array<const index_t*, Space> wanted;
  Array<index_t*, Space> found;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    index_t low = 0;
    auto high = static_cast<index_t>(sorted.extent(0));
    while (low < high) {
      const index_t middle = low + (high - low) / 2;
      if (sorted(middle) < wanted(i))
        low = middle + 1;
      else
        high = middle;
    }
    found(i) = low < static_cast<index_t>(sorted.extent(0)) && sorted(low) == wanted(i) ? 1 : 0;
  }
};

template <class Space> struct UnknownsOfNodes {
  Array<const index_t*, Space> nodes;
  fe::DofView<Space> dofs;
  Array<index_t*, Space> unknown;
  Array<double*, Space> sign;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    unknown(i) = dofs.node_dof(nodes(i));
    sign(i) = dofs.sign(nodes(i));
  }
};

template <class Space> struct AddLoads {
  Array<const index_t*, Space> unknown; // without duplicates
  Array<const double*, Space> value;
  Array<double*, Space> rhs;
  KOKKOS_FUNCTION void operator()(index_t i) const { rhs(unknown(i)) += value(i); }
};

/// The loads whose element is among the given ones, which ascend.
template <class ExecutionSpace>
std::vector<NodalLoad> loads_of_elements(const ExecutionSpace& exec, const std::vector<NodalLoad>& loads,
                                         const Array<const index_t*, ExecutionSpace>& elements) {
  std::vector<index_t> wanted;
  for (const NodalLoad& load : loads)
    wanted.push_back(load.element);
  const auto table = uploaded(exec, "assembly::load_elements", wanted);
  const auto found = make_array<Array<index_t*, ExecutionSpace>>(exec, "assembly::found_elements", wanted.size());
  for_each("tessera::assembly::find_elements", exec, static_cast<std::int64_t>(wanted.size()),
           IsAmong<typename ExecutionSpace::memory_space>{elements, table, found});
  const auto is_among = to_host(exec, found); // waits: the table may be freed
  std::vector<NodalLoad> some;
  for (std::size_t i = 0; i < loads.size(); ++i)
    if (is_among(i) != 0)
      some.push_back(loads[i]);
  return some;
}

template <class ExecutionSpace> class WithNodalLoads final : public WithChangedLoad<ExecutionSpace> {
public:
  using Space = typename ExecutionSpace::memory_space;

  WithNodalLoads(const ExecutionSpace& exec, std::unique_ptr<Assembler<ExecutionSpace>> assembler,
                 const fe::DofMap<Space>& dofs, std::shared_ptr<const NodalLoads> loads,
                 const Array<const index_t*, ExecutionSpace>* elements)
      : WithChangedLoad<ExecutionSpace>(std::move(assembler)), dofs_(dofs), loads_(std::move(loads)) {
    if (elements != nullptr)
      elements_.emplace(*elements);
    take(exec);
  }

private:
  /// Sums the loads of each unknown.
  void take(const ExecutionSpace& exec) {
    version_ = loads_->version();
    const std::vector<NodalLoad> loads =
        elements_ ? loads_of_elements(exec, loads_->list(), *elements_) : loads_->list();
    std::vector<index_t> nodes;
    for (const NodalLoad& load : loads)
      nodes.push_back(load.node);
    const auto table = uploaded(exec, "assembly::load_nodes", nodes);
    const auto unknown = make_array<Array<index_t*, Space>>(exec, "assembly::load_unknowns", nodes.size());
    const auto sign = make_array<Array<double*, Space>>(exec, "assembly::load_signs", nodes.size());
    for_each("tessera::assembly::unknowns_of_nodes", exec, static_cast<std::int64_t>(nodes.size()),
             UnknownsOfNodes<Space>{table, fe::DofView<Space>(dofs_), unknown, sign});
    const auto host_unknown = to_host(exec, unknown);
    const auto host_sign = to_host(exec, sign); // waits: the table may be freed, and so may the previous loads
    std::map<index_t, double> sums;
    for (std::size_t i = 0; i < loads.size(); ++i)
      if (dofs_.is_free(host_unknown(i)))
        sums[host_unknown(i)] += host_sign(i) * loads[i].value;
    std::vector<index_t> unknowns;
    std::vector<double> values;
    for (const auto& [number, value] : sums) {
      unknowns.push_back(number);
      values.push_back(value);
    }
    unknown_ = uploaded(exec, "assembly::loaded_unknowns", unknowns);
    value_ = uploaded(exec, "assembly::nodal_loads", values);
  }

  void change_load(const ExecutionSpace& exec) override {
    if (version_ != loads_->version())
      take(exec);
    for_each("tessera::assembly::add_nodal_loads", exec, static_cast<std::int64_t>(unknown_.extent(0)),
             AddLoads<Space>{unknown_, value_, this->rhs_});
  }

  fe::DofMap<Space> dofs_;
  std::shared_ptr<const NodalLoads> loads_;
  std::optional<Array<const index_t*, ExecutionSpace>> elements_; // without them: all loads
  int version_ = 0;
  Array<const index_t*, ExecutionSpace> unknown_;
  Array<const double*, ExecutionSpace> value_;
};

} // namespace

template <class ExecutionSpace>
std::unique_ptr<Assembler<ExecutionSpace>>
with_nodal_loads(const ExecutionSpace& exec, std::unique_ptr<Assembler<ExecutionSpace>> assembler,
                 const fe::DofMap<typename ExecutionSpace::memory_space>& dofs,
                 const std::shared_ptr<const NodalLoads>& loads,
                 const Array<const index_t*, ExecutionSpace>* elements) {
  if (loads->list().empty())
    return assembler;
  return std::make_unique<WithNodalLoads<ExecutionSpace>>(exec, std::move(assembler), dofs, loads, elements);
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template std::unique_ptr<Assembler<SPACE>> with_nodal_loads<SPACE>(                                                  \
      const SPACE&, std::unique_ptr<Assembler<SPACE>>, const fe::DofMap<typename SPACE::memory_space>&,                \
      const std::shared_ptr<const NodalLoads>&, const Array<const index_t*, SPACE>*);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::assembly
