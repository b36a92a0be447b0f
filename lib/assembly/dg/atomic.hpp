// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_ATOMIC_HPP
#define TESSERA_ASSEMBLY_DG_ATOMIC_HPP

/// \file
/// The kernels of the strategy `atomic`, which are compiled for each precision in a file of its own.

#include "assembly/dg/entry_strategies.hpp"

namespace tessera::assembly::dg {

namespace detail {

template <class ExecutionSpace, class Number> struct AddAtomically {
  using Space = typename ExecutionSpace::memory_space;
  BlockPositions<Space> position;
  Array<Number*, Space> values;
  Array<double*, Space> rhs;

  template <class Sum> KOKKOS_FUNCTION static void accumulate(Sum& sum, Sum value) {
    if constexpr (is_serial_space<ExecutionSpace>)
      sum += value;
    else
      Kokkos::atomic_add(&sum, value);
  }
  struct Block {
    Number* values;
    int n_rows;
  };
  KOKKOS_FUNCTION Block block(index_t row, index_t column) const {
    return {values.data() + position(row, column),
            static_cast<int>(position.dof_offsets(row + 1) - position.dof_offsets(row))};
  }
  KOKKOS_FUNCTION void add(const Block& block, int i, int j, Number value) const {
    accumulate(block.values[j * block.n_rows + i], value);
  }
  KOKKOS_FUNCTION void add_load(index_t row, int i, double value) const {
    accumulate(rhs(position.dof_offsets(row) + i), value);
  }
};

template <int Dim, class ExecutionSpace, class Number, Integral Which, int P> struct AddEntries {
  using Space = typename ExecutionSpace::memory_space;
  EntryIntegrals<Dim, Space, Number> integrals;
  AddAtomically<ExecutionSpace, Number> sink;
  EntryItems<Space> items;
  BoundaryKind kind = BoundaryKind::natural; ///< of boundary faces; others are skipped
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const index_t item = items(i);
    if (Which != Integral::boundary || integrals.kind_of(integrals.form.faces.n_interior + item) == kind)
      integrals.template add<Which, P>(item, sink);
  }
};

} // namespace detail

template <class ExecutionSpace, int Dim, class Number>
void Atomic<ExecutionSpace, Dim, Number>::assemble(const ExecutionSpace& exec, bool with_matrix) {
  using Space = typename ExecutionSpace::memory_space;
  const auto& form = this->form_;
  if (with_matrix)
    fill(exec, this->values(), Number(0));
  fill(exec, this->rhs_, 0.);
  const auto integrals = this->integrals(with_matrix);
  const detail::AddAtomically<ExecutionSpace, Number> sink{BlockPositions<Space>(this->matrix_), this->values(),
                                                           this->rhs_};
  for (const auto& items : this->simplices_)
    visit_kernel<Dim>(items.kernel, [&](auto degree) {
      constexpr int P = decltype(degree)::value;
      if (with_matrix)
        launch_loop<void, EntryBounds<P>>(
            "tessera::assembly::dg::atomic_volume", exec, items.n,
            detail::AddEntries<Dim, ExecutionSpace, Number, Integral::volume, P>{integrals, sink, items});
      for_each("tessera::assembly::dg::atomic_loads", exec, items.n,
               detail::AddEntries<Dim, ExecutionSpace, Number, Integral::loads, P>{integrals, sink, items});
    });
  if (with_matrix)
    for (const auto& items : this->interior_faces_)
      visit_kernel<Dim>(items.kernel, [&](auto degree) {
        constexpr int P = decltype(degree)::value;
        launch_loop<void, EntryBounds<P>>(
            "tessera::assembly::dg::atomic_interior", exec, items.n,
            detail::AddEntries<Dim, ExecutionSpace, Number, Integral::interior, P>{integrals, sink, items});
      });
  for (const auto& boundary : boundary_kinds)
    for_each((std::string("tessera::assembly::dg::atomic_") + boundary.name).c_str(), exec,
             form.faces.n_faces() - form.faces.n_interior,
             detail::AddEntries<Dim, ExecutionSpace, Number, Integral::boundary, fe::max_modal_degree<Dim>>{
                 integrals, sink, {}, boundary.kind});
}

} // namespace tessera::assembly::dg

#endif
