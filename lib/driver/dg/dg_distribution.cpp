// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/dg/dg_distribution.hpp"

#include "core/transfer/rows_on_host.hpp"
#include "fe/modal/modal_agglomerates.hpp"

namespace tessera::driver {

namespace {

namespace dg = assembly::dg;

/// Global indices of the ghosts' unknowns, in order.
template <int Dim, class Space> struct NumberGhosts {
  dg::FormPart<Dim, Space> part;
  Array<const index_t*, Space> all; // first unknown of each element of the whole form
  Array<index_t*, Space> numbers;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    if (e >= part.first_owned && e < part.first_owned + part.n_owned)
      return;
    const auto& offsets = part.form.space.dof_offsets;
    const index_t n_owned = offsets(part.first_owned + part.n_owned) - offsets(part.first_owned);
    const index_t position = offsets(e) - (e < part.first_owned ? 0 : n_owned);
    for (index_t i = 0; i < offsets(e + 1) - offsets(e); ++i)
      numbers(position + i) = all(part.elements(e)) + i;
  }
};

/// The number among all of the element of each own unknown.
template <class Space> struct NumberRows {
  Array<const index_t*, Space> dof_offsets;
  index_t first;
  Array<index_t*, Space> element_of;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    for (index_t i = dof_offsets(e); i < dof_offsets(e + 1); ++i)
      element_of(i) = first + e;
  }
};

} // namespace

template <int Dim, class ExecutionSpace>
DgDistribution<Dim, ExecutionSpace>::DgDistribution(const ExecutionSpace& exec, const comm::Communicator& world,
                                                    comm::Transport<ExecutionSpace>& transport,
                                                    const DgProblem<Dim, ExecutionSpace>& problem, bool same_bits)
    : problem_(problem), is_cut_(!problem.part) {
  if (problem.part) {
    const DgPart& part = *problem.part;
    part_.first_owned = part.first_owned;
    part_.n_owned = part.n_owned;
    const auto& dofs = problem.form.space.dof_offsets;
    first_in_part_ = read_entry(exec, dofs, part.first_owned);
    const index_t end_owned = read_entry(exec, dofs, part.owned().end);
    std::vector<index_t> positions;
    for (index_t i = 0; i < first_in_part_; ++i)
      positions.push_back(i);
    for (index_t i = end_owned; i < problem.form.space.n_dofs; ++i)
      positions.push_back(i);
    unknowns_.emplace(exec, world, transport, part.offsets, part.ghosts, same_bits,
                      UnknownsOfPart<ExecutionSpace>{first_in_part_, part.ghosts,
                                                     uploaded(exec, "driver::places_of_others", positions)});
    return;
  }
  const dg::Form<Dim, Space>& whole = problem.form;
  const std::vector<index_t> cuts = problem.part_elements.empty()
                                        ? dg::cut_elements<ExecutionSpace, Dim>(exec, whole, world.size())
                                        : problem.part_elements;
  const auto first_unknowns = rows_on_host(exec, whole.space.dof_offsets, cuts);
  const std::vector<std::int64_t> offsets(first_unknowns.data(), first_unknowns.data() + first_unknowns.extent(0));
  const auto rank = static_cast<std::size_t>(world.rank());
  part_ = dg::make_form_part<ExecutionSpace, Dim>(exec, whole, cuts[rank], cuts[rank + 1]);
  const fe::ModalSpace<Dim, Space>& space = part_.form.space;
  first_in_part_ = read_entry(exec, space.dof_offsets, part_.first_owned);
  const std::int64_t n_ghosts = space.n_dofs - (offsets[rank + 1] - offsets[rank]);
  const auto numbers = make_array<Array<index_t*, Space>>(exec, "driver::ghosts", n_ghosts);
  for_each("tessera::driver::number_ghosts", exec, part_.form.n_elements(),
           NumberGhosts<Dim, Space>{part_, whole.space.dof_offsets, numbers});
  unknowns_.emplace(exec, world, transport, offsets, numbers, same_bits);
}

template <int Dim, class ExecutionSpace>
void DgDistribution<Dim, ExecutionSpace>::follow_step(const ExecutionSpace& exec) {
  if (!is_cut_)
    return;
  part_.form.set_slab({problem_.form.space.from, problem_.form.space.to, {}});
  dg::update_penalty(exec, part_.form);
}

template <int Dim, class ExecutionSpace>
void DgDistribution<Dim, ExecutionSpace>::set_matrix(const ExecutionSpace& exec, const matrix_type& local,
                                                     linalg::Symmetry symmetry) {
  if (!unknowns_->is_distributed()) {
    rows_ = local;
    square_.emplace(exec, local, symmetry);
    return;
  }
  const auto owned = linalg::cut_owned_rows(exec, local, part_.first_owned, part_.n_owned);
  rows_ = owned.rows;
  square_.emplace(exec, owned.square, symmetry);
  system_.emplace(exec, owned.rows, symmetry, unknowns_->halo(), unknowns_->sums());
}

template <int Dim, class ExecutionSpace>
const linalg::LinearOperator<ExecutionSpace>& DgDistribution<Dim, ExecutionSpace>::system() const {
  if (system_)
    return *system_;
  return *square_;
}

template <int Dim, class ExecutionSpace>
DgLevel<Dim, ExecutionSpace> DgDistribution<Dim, ExecutionSpace>::finest_level(const ExecutionSpace& exec,
                                                                               const matrix_type& halved) const {
  DgLevel<Dim, ExecutionSpace> level;
  level.a = rows_;
  level.halved = rows_; // with the same pattern
  level.halved.values = halved.values;
  level.halved.single_values = halved.single_values;
  if (!unknowns_->is_distributed()) {
    const index_t n = form().n_elements();
    level.shares.offsets = {0, n};
    level.elements = comm::Layout<ExecutionSpace>::local(n);
    level.space = form().space;
    return level;
  }
  const auto& world = *unknowns_->group().world;
  level.shares.group = unknowns_->group();
  level.shares.offsets = world.offsets_of(part_.n_owned);
  // Ghost unknowns are exchanged by their element.
  const auto& unknowns = unknowns_->layout();
  const auto element_of = make_array<Array<index_t*, Space>>(exec, "driver::elements_of_unknowns", unknowns.size());
  const auto first = static_cast<index_t>(level.shares.offsets[static_cast<std::size_t>(world.rank())]);
  for_each("tessera::driver::number_elements", exec, part_.n_owned,
           NumberRows<Space>{rows_.dof_offsets, first, element_of});
  unknowns.update(exec, element_of);
  const auto host = to_host(exec, Kokkos::subview(element_of, std::make_pair(unknowns.n_owned, unknowns.size())));
  std::vector<std::int64_t> ghosts;
  for (std::size_t i = 0; i < host.extent(0); ++i)
    if (ghosts.empty() || ghosts.back() != host(i))
      ghosts.push_back(host(i));
  level.elements = comm::make_layout(exec, level.shares.group, level.shares.offsets, ghosts);
  level.space =
      fe::space_with_ghosts<Dim, ExecutionSpace>(exec, form().space, part_.first_owned, level.elements, world);
  return level;
}

template <int Dim, class ExecutionSpace>
linalg::Vector<ExecutionSpace> DgDistribution<Dim, ExecutionSpace>::owned_of_part(const vector_type& local) const {
  return Kokkos::subview(local, std::make_pair(std::int64_t(first_in_part_), first_in_part_ + unknowns_->n_owned()));
}

template <int Dim, class ExecutionSpace>
linalg::ConstVector<ExecutionSpace>
DgDistribution<Dim, ExecutionSpace>::restricted(const ExecutionSpace& exec,
                                                const Array<const double*, ExecutionSpace>& all) const {
  if (!is_cut_)
    return all;
  const auto local = make_array<vector_type>(exec, "driver::coefficients_of_part", part_.form.space.n_dofs);
  dg::restrict_to_part<ExecutionSpace, Dim>(exec, problem_.form, part_, all, local);
  return local;
}

template <int Dim, class ExecutionSpace>
Array<const index_t*, ExecutionSpace>
DgDistribution<Dim, ExecutionSpace>::owned_of_order(const ExecutionSpace& exec,
                                                    const Array<const index_t*, ExecutionSpace>& order) const {
  if (!unknowns_->is_distributed())
    return order;
  const auto host = to_host(exec, order);
  std::vector<index_t> owned;
  for (std::size_t i = 0; i < host.extent(0); ++i)
    if (host(i) >= part_.first_owned && host(i) < part_.first_owned + part_.n_owned)
      owned.push_back(host(i) - part_.first_owned);
  return uploaded(exec, "driver::owned_order", owned);
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template class DgDistribution<2, SPACE>;                                                                             \
  template class DgDistribution<3, SPACE>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
