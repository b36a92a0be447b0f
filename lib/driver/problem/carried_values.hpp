// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_CARRIED_VALUES_HPP
#define TESSERA_DRIVER_PROBLEM_CARRIED_VALUES_HPP

/// \file
/// Good conductors that carry the value of a boundary into the domain (docs/theory.md, "Rounding of flows").
///
/// If a boundary of fixed value is on a material with many times the conductivity of others, the solution hardly
/// differs from that value throughout the conductor, and differences are lost in the rounding of the solution: the
/// inflow through the boundary cannot be computed from its nodes alone. It equals the outflow of the conductor. Nodes
/// of the conductor are therefore counted as nodes of the boundary, and the iteration starts from its value there.

#include "comm/communicator.hpp"
#include "core/keep_alive.hpp"
#include "core/parallel.hpp"
#include "fe/dofs/dof_map.hpp"
#include "fe/dofs/dof_part.hpp"
#include "fe/element_map.hpp"

namespace tessera::driver {

/// Ratio of the largest to the smallest coefficient above which conductors are searched for.
constexpr double large_contrast = 1e4;

template <class ExecutionSpace> struct CarriedValues {
  double contrast = 1.; ///< ratio of the largest to the smallest coefficient of an element, over all processes
  /// [n_nodes], the boundary whose value a node has or a conductor carries to it, numbered like the given nodes; empty
  /// if nothing is carried.
  Array<group_t*, ExecutionSpace> node_boundary;

  bool any() const { return node_boundary.extent(0) > 0; }
  bool has_contrast() const { return contrast >= large_contrast; }
};

/// Finds the nodes to which boundaries carry their values. `coefficient`: the size of D in each element, between
/// `smallest` and `largest`. `node_boundary`: boundaries of the nodes, 0 .. n_boundaries - 1; larger numbers: none. A
/// conductor is a set of nodes connected by elements with D >= T, with a single boundary, for the smallest of the
/// thresholds T = 1e3, 1e5, 1e7 ... times the smallest D; one that connects several boundaries carries a large flow
/// between them, and is left to a larger T. Periodic nodes are connected to their sources; with antiperiodic ones
/// nothing is carried. `smallest` is above 0.
template <class ExecutionSpace>
Array<group_t*, ExecutionSpace>
carry_boundaries(const ExecutionSpace& exec, const Array<const double*, ExecutionSpace>& coefficient, double smallest,
                 double largest, const fe::ElementTable<typename ExecutionSpace::memory_space>& elements,
                 const fe::DofMap<typename ExecutionSpace::memory_space>& dofs,
                 const Array<const group_t*, ExecutionSpace>& node_boundary, int n_boundaries);

namespace detail {

/// The largest entry of D at the centre of an element, from the images of unit vectors.
template <class Form> struct SizeOfCoefficient {
  static constexpr int Dim = Form::dimension;
  Form form;
  Array<double*, typename Form::memory_space> size;
  KOKKOS_FUNCTION double of(index_t e) const {
    index_t n[Form::n_nodes];
    double p[Dim + 1][Dim];
    double centroid[Dim] = {};
    form.nodes(e, n);
    fe::load_vertices<typename Form::element>(form.coordinates.data(), n, p);
    for (int k = 0; k <= Dim; ++k)
      for (int d = 0; d < Dim; ++d)
        centroid[d] += p[k][d] / (Dim + 1);
    double largest = 0.;
    for (int d = 0; d < Dim; ++d) {
      double v[Dim] = {};
      v[d] = 1.;
      form.to_flux(e, centroid, v);
      for (int k = 0; k < Dim; ++k) {
        const double entry = v[k] < 0. ? -v[k] : v[k];
        largest = entry > largest ? entry : largest;
      }
    }
    return largest;
  }
  KOKKOS_FUNCTION void operator()(index_t e) const { size(e) = of(e); }
  KOKKOS_FUNCTION void operator()(index_t e, double& low, double& above_zero, double& high) const {
    const double own = of(e);
    low = own < low ? own : low;
    above_zero = own > 0. && own < above_zero ? own : above_zero;
    high = own > high ? own : high;
  }
};

} // namespace detail

/// Finds the good conductors of a diffusion form. On parts of a mesh nothing is carried. Collective.
template <class ExecutionSpace, class Form>
CarriedValues<ExecutionSpace>
find_carried_values(const ExecutionSpace& exec, const Form& form,
                    const fe::ElementTable<typename ExecutionSpace::memory_space>& elements,
                    const fe::DofMap<typename ExecutionSpace::memory_space>& dofs,
                    const Array<const group_t*, ExecutionSpace>& node_boundary, int n_boundaries,
                    const comm::Communicator& world) {
  double low = 0., above_zero = 0., high = 0.;
  Kokkos::parallel_reduce("tessera::driver::range_of_coefficient",
                          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, form.n_elements()),
                          detail::SizeOfCoefficient<Form>{form, {}}, Kokkos::Min<double>(low),
                          Kokkos::Min<double>(above_zero), Kokkos::Max<double>(high));
  low = -world.largest(-low);
  high = world.largest(high);
  CarriedValues<ExecutionSpace> carried;
  carried.contrast = high / low;
  if (!carried.has_contrast() || world.size() > 1 || n_boundaries == 0)
    return carried;
  const auto size = make_array<Array<double*, ExecutionSpace>>(exec, "driver::coefficient_sizes", form.n_elements());
  for_each("tessera::driver::coefficient_sizes", exec, form.n_elements(), detail::SizeOfCoefficient<Form>{form, size});
  const double smallest = low > 0. ? low : 0.5e-3 * above_zero; // beside D = 0 any other D is that of a conductor
  carried.node_boundary =
      carry_boundaries<ExecutionSpace>(exec, size, smallest, high, elements, dofs, node_boundary, n_boundaries);
  keep_alive(exec, size);
  return carried;
}

} // namespace tessera::driver

#endif
