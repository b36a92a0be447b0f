// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/atomic.hpp"

#include "assembly/dg/form/entry_integrals.hpp"

namespace tessera::assembly::dg {

namespace {

template <class ExecutionSpace> struct AddAtomically {
  using Space = typename ExecutionSpace::memory_space;
  BlockPlaces<Space> place;
  Array<double*, Space> values;
  Array<double*, Space> rhs;

  KOKKOS_FUNCTION static void accumulate(double& sum, double value) {
    if constexpr (is_serial_space<ExecutionSpace>)
      sum += value;
    else
      Kokkos::atomic_add(&sum, value);
  }
  KOKKOS_FUNCTION void add(index_t row, int i, index_t column, int j, double value) const {
    accumulate(values(place(row, i, column, j)), value);
  }
  KOKKOS_FUNCTION void add_load(index_t row, int i, double value) const {
    accumulate(rhs(place.dof_offsets(row) + i), value);
  }
};

enum class Part { volume, interior, boundary };

template <int Dim, class ExecutionSpace, Part WhichPart> struct AddEntries {
  using Space = typename ExecutionSpace::memory_space;
  EntryIntegrals<Dim, Space> integrals;
  AddAtomically<ExecutionSpace> sink;
  BoundaryKind kind = BoundaryKind::natural; ///< of boundary faces; others are skipped
  KOKKOS_FUNCTION void operator()(index_t item) const {
    if constexpr (WhichPart == Part::volume)
      integrals.add_simplex(item, sink);
    else if constexpr (WhichPart == Part::interior)
      integrals.add_interior_face(item, sink);
    else if (integrals.kind_of(integrals.form.faces.n_interior + item) == kind)
      integrals.add_boundary_face(integrals.form.faces.n_interior + item, sink);
  }
};

} // namespace

template <class ExecutionSpace, int Dim>
void Atomic<ExecutionSpace, Dim>::numeric(const ExecutionSpace& exec, const TimeSlab<Space>& slab) {
  fill(exec, this->matrix_.values, 0.);
  assemble(exec, slab, true);
}

template <class ExecutionSpace, int Dim>
void Atomic<ExecutionSpace, Dim>::load(const ExecutionSpace& exec, const TimeSlab<Space>& slab) {
  assemble(exec, slab, false);
}

template <class ExecutionSpace, int Dim>
void Atomic<ExecutionSpace, Dim>::assemble(const ExecutionSpace& exec, const TimeSlab<Space>& slab, bool with_matrix) {
  form_.set_slab(slab);
  fill(exec, this->rhs_, 0.);
  const EntryIntegrals<Dim, Space> integrals{form_, with_matrix};
  const AddAtomically<ExecutionSpace> sink{BlockPlaces<Space>(this->matrix_), this->matrix_.values, this->rhs_};
  const index_t n_interior = form_.faces.n_interior;
  for_each("tessera::assembly::dg::atomic_volume", exec, form_.n_simplices(),
           AddEntries<Dim, ExecutionSpace, Part::volume>{integrals, sink});
  if (with_matrix)
    for_each("tessera::assembly::dg::atomic_interior", exec, n_interior,
             AddEntries<Dim, ExecutionSpace, Part::interior>{integrals, sink});
  for (const auto& boundary : boundary_kinds)
    for_each((std::string("tessera::assembly::dg::atomic_") + boundary.name).c_str(), exec,
             form_.faces.n_faces() - n_interior,
             AddEntries<Dim, ExecutionSpace, Part::boundary>{integrals, sink, boundary.kind});
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template class Atomic<Space, 2>;                                                                                     \
  template class Atomic<Space, 3>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::assembly::dg
