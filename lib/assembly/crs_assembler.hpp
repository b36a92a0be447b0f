// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_CRS_ASSEMBLER_HPP
#define TESSERA_ASSEMBLY_CRS_ASSEMBLER_HPP

/// \file
/// Base class of all strategies that assemble a CRS matrix.

#include "assembly/assembler.hpp"
#include "assembly/element_loop.hpp"
#include "assembly/traffic.hpp"

namespace tessera::assembly {

namespace detail {
template <class Space> struct AddTotals {
  Array<double*, Space> rhs;
  Array<const double*, Space> totals;
  index_t n_regular;
  KOKKOS_FUNCTION void operator()(index_t s) const { rhs(n_regular + s) += totals(s); }
};
} // namespace detail

template <class ExecutionSpace, class Form> class CrsAssembler : public Assembler<ExecutionSpace> {
public:
  using Space = typename ExecutionSpace::memory_space;
  using Loop = ElementLoop<Form>;
  using Dofs = typename Loop::Dofs;
  using typename Assembler<ExecutionSpace>::matrix_type;
  using typename Assembler<ExecutionSpace>::operator_type;

  CrsAssembler(const Form& form, const fe::DofMap<Space>& dofs) : loop_(form, dofs), dof_map_(dofs) {}

  const operator_type& system() const override { return operator_; }
  const matrix_type* matrix() const override { return &matrix_; }

protected:
  /// Allocates values and right-hand side, uninitialised, once.
  void allocate_values(const ExecutionSpace& exec) {
    if (matrix_.values.extent(0) != matrix_.columns.extent(0))
      matrix_.values = make_array<Array<double*, Space>>(exec, "assembly::values", matrix_.columns.extent(0));
    allocate_rhs(exec);
    operator_ = linalg::CrsOperator<ExecutionSpace>(matrix_, Loop::Traits::is_symmetric ? linalg::Symmetry::symmetric
                                                                                        : linalg::Symmetry::general);
  }

  void allocate_rhs(const ExecutionSpace& exec) {
    if (this->rhs_.extent(0) != static_cast<std::size_t>(dof_map_.n_free))
      this->rhs_ = make_array<linalg::Vector<ExecutionSpace>>(exec, "assembly::rhs", dof_map_.n_free);
  }

  /// Adds the prescribed totals of tied unknowns to the right-hand side, for strategies that treat the rows of tied
  /// unknowns like all others.
  void add_tied_totals(const ExecutionSpace& exec) {
    for_each("tessera::assembly::add_totals", exec, dof_map_.n_tied(),
             detail::AddTotals<Space>{this->rhs_, dof_map_.tied_totals, dof_map_.n_regular});
  }

  Loop loop_;
  fe::DofMap<Space> dof_map_;
  matrix_type matrix_;
  linalg::CrsOperator<ExecutionSpace> operator_;
};

} // namespace tessera::assembly

#endif
