// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/entry_strategies.hpp"
#include "assembly/dg/form/entry_integrals.hpp"

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
  KOKKOS_FUNCTION void add(index_t row, int i, index_t column, int j, double value) const {
    accumulate(values(position(row, i, column, j)), value);
  }
  KOKKOS_FUNCTION void add_load(index_t row, int i, double value) const {
    accumulate(rhs(position.dof_offsets(row) + i), value);
  }
};

template <int Dim, class ExecutionSpace, Integral Which> struct AddEntries {
  using Space = typename ExecutionSpace::memory_space;
  EntryIntegrals<Dim, Space> integrals;
  AddAtomically<ExecutionSpace> sink;
  BoundaryKind kind = BoundaryKind::natural; ///< of boundary faces; others are skipped
  KOKKOS_FUNCTION void operator()(index_t item) const {
    if (integrals.template has<Which>(item, kind))
      integrals.template add<Which>(item, sink);
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
  const index_t n_interior = form.faces.n_interior;
  for_each("tessera::assembly::dg::atomic_volume", exec, form.n_simplices(),
           AddEntries<Dim, ExecutionSpace, Integral::volume>{integrals, sink});
  if (with_matrix)
    for_each("tessera::assembly::dg::atomic_interior", exec, n_interior,
             AddEntries<Dim, ExecutionSpace, Integral::interior>{integrals, sink});
  for (const auto& boundary : boundary_kinds)
    for_each((std::string("tessera::assembly::dg::atomic_") + boundary.name).c_str(), exec,
             form.faces.n_faces() - n_interior,
             AddEntries<Dim, ExecutionSpace, Integral::boundary>{integrals, sink, boundary.kind});
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template class Atomic<Space, 2>;                                                                                     \
  template class Atomic<Space, 3>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::assembly::dg
