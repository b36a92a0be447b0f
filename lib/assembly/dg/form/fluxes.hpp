// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_FORM_FLUXES_HPP
#define TESSERA_ASSEMBLY_DG_FORM_FLUXES_HPP

/// \file
/// Integrals of discontinuous solutions over regions and boundaries, by the form's quadrature. In a time slab they are
/// means over the slab. Sums are ordered: the same bits on every backend.

#include "assembly/dg/form/form.hpp"

#include <cstdint>
#include <vector>

namespace tessera::assembly::dg {

struct RegionIntegrals {
  double measure = 0.; ///< m^2 or m^3
  double value = 0.;   ///< of u; in time-dependent problems at the end of the step
  double energy = 0.;  ///< of grad u . A grad u / 2, element by element
  double source = 0.;  ///< of the source f; in time-dependent problems over the step
};

/// Integrals of the function u, [n_dofs], over the elements of `owned` in each of `n_regions` regions.
template <class ExecutionSpace, int Dim>
std::vector<RegionIntegrals>
region_integrals(const ExecutionSpace& exec, const Form<Dim, typename ExecutionSpace::memory_space>& form,
                 const Array<const double*, ExecutionSpace>& u, int n_regions, const ElementRange& owned = {});

enum class FluxSum {
  net,
  magnitudes ///< integral of the magnitude on each face
};

/// Flux into the domain through each of `n_groups` boundary groups, followed by the flux through the boundary without a
/// group: the integral of n . A grad u - sigma (u - g) - (b . n) u, with g instead of u at the inflow, which is the
/// numerical flux of the method. For the solution the sum is the integral of c u - f - u div b up to the solver's
/// residual (docs/theory.md).
template <class ExecutionSpace, int Dim>
std::vector<double>
boundary_fluxes(const ExecutionSpace& exec, const Form<Dim, typename ExecutionSpace::memory_space>& form,
                const Array<const double*, ExecutionSpace>& u, int n_groups, FluxSum sum = FluxSum::net);

/// Number of faces of the domain's boundary in each of `n_groups` groups, followed by the number without a group. A
/// group of interfaces has none.
template <class ExecutionSpace, int Dim>
std::vector<std::int64_t> count_boundary_faces(const ExecutionSpace& exec,
                                               const Form<Dim, typename ExecutionSpace::memory_space>& form,
                                               int n_groups);

} // namespace tessera::assembly::dg

#endif
