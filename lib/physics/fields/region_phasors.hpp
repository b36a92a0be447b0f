// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FIELDS_REGION_PHASORS_HPP
#define TESSERA_PHYSICS_FIELDS_REGION_PHASORS_HPP

#include "comm/communicator.hpp"
#include "core/types.hpp"

#include <array>
#include <complex>
#include <vector>

namespace tessera::physics {

/// Integrals over a region of a solution with a real and an imaginary part.
struct RegionPhasors {
  double measure = 0.;                         ///< as in RegionValues
  std::complex<double> value;                  ///< of the solution
  std::array<std::complex<double>, 3> field{}; ///< of each component of the vector field
  std::array<std::complex<double>, 3> flux{};  ///< of each component of the flux
  double field_magnitude = 0.;                 ///< of the root of the squares of all parts of the vector field
};

/// Computes them for the regions 0 .. n_regions - 1, as region_values() does.
template <class ExecutionSpace, class Form>
std::vector<RegionPhasors>
region_phasors(const ExecutionSpace& exec, const Form& form, const Array<const double*, ExecutionSpace>& re,
               const Array<const double*, ExecutionSpace>& im, const Array<const group_t*, ExecutionSpace>& regions,
               index_t n_regions, const comm::Communicator& world = comm::alone());

} // namespace tessera::physics

#endif
