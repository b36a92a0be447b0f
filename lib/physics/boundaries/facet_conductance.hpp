// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_BOUNDARIES_FACET_CONDUCTANCE_HPP
#define TESSERA_PHYSICS_BOUNDARIES_FACET_CONDUCTANCE_HPP

/// \file
/// Conductance of the element at a facet, with which the coefficient alpha of a natural condition is compared.

#include "core/kokkos_ext/math.hpp"
#include "physics/forms/diffusion_form.hpp"

namespace tessera::physics {

/// From this many times facet_conductance() on, a natural condition is refused: it fixes the solution. At this ratio
/// the solver's tolerance of 1e-10 leaves six digits of what flows in, alpha (reference - u), and of the other rows.
constexpr double largest_coefficient_ratio = 1e4;

/// D / h: the largest diagonal entry of the tensor in the element `e`, over the height of the element's vertex above
/// the facet `face`. In the unit of alpha.
template <class Form> KOKKOS_FUNCTION double facet_conductance(const Form& form, index_t e, int face) {
  index_t n[Form::n_nodes];
  form.nodes(e, n);
  typename Form::Map map;
  map.load(form.coordinates.data(), n, form.is_curved(e));
  double square = 0.;
  for (int d = 0; d < Form::dimension; ++d)
    square += map.grad_lambda[face][d] * map.grad_lambda[face][d];
  const bool varies = form.point_coefficient.extent(0) > 0;
  double largest = 0.;
  for (int q = 0; q < (varies ? Form::volume_rule::n_points : 1); ++q)
    for (int d = 0; d < Form::dimension; ++d) {
      const double D = varies
                           ? form.point_coefficient(static_cast<std::int64_t>(e) * Form::volume_rule::n_points + q, d)
                           : form.coefficient(form.regions(e), d);
      largest = D > largest ? D : largest;
    }
  return largest * math::sqrt(square);
}

} // namespace tessera::physics

#endif
