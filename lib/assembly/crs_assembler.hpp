// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_CRS_ASSEMBLER_HPP
#define TESSERA_ASSEMBLY_CRS_ASSEMBLER_HPP

/// \file
/// What strategies that assemble a CRS matrix have in common.

#include "assembly/assembler.hpp"
#include "assembly/rows/crs_pattern.hpp"
#include "assembly/rows/tied_rows.hpp"
#include "assembly/traffic.hpp"

namespace tessera::assembly {

template <class ExecutionSpace, class Form> class CrsAssembler : public Assembler<ExecutionSpace> {
public:
  using Space = typename ExecutionSpace::memory_space;
  using Loop = ElementLoop<Form>;
  using Dofs = ElementDofs<Loop::n_nodes, Space>;
  using typename Assembler<ExecutionSpace>::matrix_type;
  using typename Assembler<ExecutionSpace>::operator_type;

  CrsAssembler(const Form& form, const fe::DofMap<Space>& dofs) : loop_(form, dofs), dof_map_(dofs) {}

  const operator_type& system() const override { return operator_; }
  const matrix_type* matrix() const override { return &matrix_; }

protected:
  /// Pattern alone. Hosts walk the sorted slots of each row; on devices lists, whose order does not matter here, are
  /// made by half of the atomic operations.
  void make_pattern(const ExecutionSpace& exec) {
    shared_ = SharedRows<ExecutionSpace, Form>(exec, loop_, dof_map_);
    if constexpr (Loop::on_host)
      build_pattern<detail::NoWords>(exec, loop_, SlotRows<Space>(row_slots(exec)), shared_, matrix_);
    else
      build_pattern<detail::NoWords>(exec, loop_, build_slot_lists(exec, loop_.dofs()), shared_, matrix_);
  }

  /// Pattern and places of the columns from sorted slots, which are left to the caller.
  template <class Words>
  graph::RowSlots<Space> make_pattern(const ExecutionSpace& exec, detail::RowPlaces<Space>& places) {
    shared_ = SharedRows<ExecutionSpace, Form>(exec, loop_, dof_map_);
    auto slots = row_slots(exec);
    build_pattern<Words>(exec, loop_, SlotRows<Space>(slots), shared_, matrix_, &places);
    return slots;
  }

  graph::RowSlots<Space> row_slots(const ExecutionSpace& exec) const {
    const auto& nodes = loop_.form.element_nodes;
    return graph::build_row_slots(
        exec, Array<const index_t*, Space>(nodes.data(), nodes.extent(0) * nodes.extent(1)), Loop::n_nodes,
        Array<const index_t*, Space>(loop_.node_dof.data(), loop_.node_dof.extent(0)), dof_map_.n_plain);
  }

  /// Values and right-hand side, uninitialised, once.
  void allocate_values(const ExecutionSpace& exec) {
    if (matrix_.values.extent(0) != matrix_.columns.extent(0))
      matrix_.values = make_array<Array<double*, Space>>(exec, "assembly::values", matrix_.columns.extent(0));
    if (this->rhs_.extent(0) != static_cast<std::size_t>(dof_map_.n_free))
      this->rhs_ = make_array<linalg::Vector<ExecutionSpace>>(exec, "assembly::rhs", dof_map_.n_free);
    operator_ = linalg::CrsOperator<ExecutionSpace>(matrix_);
  }

  void finish_shared_rows(const ExecutionSpace& exec) { shared_.fill(exec, loop_, matrix_, this->rhs_); }

  Loop loop_;
  fe::DofMap<Space> dof_map_;
  SharedRows<ExecutionSpace, Form> shared_;
  matrix_type matrix_;
  linalg::CrsOperator<ExecutionSpace> operator_;
};

} // namespace tessera::assembly

#endif
