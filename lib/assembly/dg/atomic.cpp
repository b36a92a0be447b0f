// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/entry_strategies.hpp"

namespace tessera::assembly::dg {

namespace {

template <class ExecutionSpace> struct AddAtomically {
  using Space = typename ExecutionSpace::memory_space;
  BlockPositions<Space> position;
  Array<double*, Space> values;
  Array<double*, Space> rhs;

  KOKKOS_FUNCTION static void accumulate(double& sum, double value) {
    if constexpr (is_serial_space<ExecutionSpace>)
      sum += value;
    else
      Kokkos::atomic_add(&sum, value);
  }
  struct Block {
    double* values;
    int n_rows;
  };
  KOKKOS_FUNCTION Block block(index_t row, index_t column) const {
    return {values.data() + position(row, column),
            static_cast<int>(position.dof_offsets(row + 1) - position.dof_offsets(row))};
  }
  KOKKOS_FUNCTION void add(const Block& block, int i, int j, double value) const {
    accumulate(block.values[j * block.n_rows + i], value);
  }
  KOKKOS_FUNCTION void add_load(index_t row, int i, double value) const {
    accumulate(rhs(position.dof_offsets(row) + i), value);
  }
};

template <int Dim, class ExecutionSpace, Integral Which, int P> struct AddEntries {
  using Space = typename ExecutionSpace::memory_space;
  EntryIntegrals<Dim, Space> integrals;
  AddAtomically<ExecutionSpace> sink;
  EntryItems<Space> items;
  BoundaryKind kind = BoundaryKind::natural; ///< of boundary faces; others are skipped
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const index_t item = items(i);
    if (Which != Integral::boundary || integrals.kind_of(integrals.form.faces.n_interior + item) == kind)
      integrals.template add<Which, P>(item, sink);
  }
};

} // namespace

template <class ExecutionSpace, int Dim>
void Atomic<ExecutionSpace, Dim>::assemble(const ExecutionSpace& exec, bool with_matrix) {
  using Space = typename ExecutionSpace::memory_space;
  const auto& form = this->form_;
  if (with_matrix)
    fill(exec, this->matrix_.values, 0.);
  fill(exec, this->rhs_, 0.);
  const EntryIntegrals<Dim, Space> integrals{form, with_matrix};
  const AddAtomically<ExecutionSpace> sink{BlockPositions<Space>(this->matrix_), this->matrix_.values, this->rhs_};
  for (const auto& items : this->simplices_)
    visit_kernel<Dim>(items.kernel, [&](auto degree) {
      constexpr int P = decltype(degree)::value;
      if (with_matrix)
        launch_loop<void, EntryBounds<P>>("tessera::assembly::dg::atomic_volume", exec, items.n,
                                          AddEntries<Dim, ExecutionSpace, Integral::volume, P>{integrals, sink, items});
      for_each("tessera::assembly::dg::atomic_loads", exec, items.n,
               AddEntries<Dim, ExecutionSpace, Integral::loads, P>{integrals, sink, items});
    });
  if (with_matrix)
    for (const auto& items : this->interior_faces_)
      visit_kernel<Dim>(items.kernel, [&](auto degree) {
        constexpr int P = decltype(degree)::value;
        launch_loop<void, EntryBounds<P>>(
            "tessera::assembly::dg::atomic_interior", exec, items.n,
            AddEntries<Dim, ExecutionSpace, Integral::interior, P>{integrals, sink, items});
      });
  for (const auto& boundary : boundary_kinds)
    for_each((std::string("tessera::assembly::dg::atomic_") + boundary.name).c_str(), exec,
             form.faces.n_faces() - form.faces.n_interior,
             AddEntries<Dim, ExecutionSpace, Integral::boundary, fe::max_modal_degree<Dim>>{
                 integrals, sink, {}, boundary.kind});
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template class Atomic<Space, 2>;                                                                                     \
  template class Atomic<Space, 3>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::assembly::dg
