// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_BOUNDARIES_FACET_POINT_HPP
#define TESSERA_PHYSICS_BOUNDARIES_FACET_POINT_HPP

#include "core/types.hpp"

namespace tessera::physics {

/// A quadrature point of a facet of a form by quadrature: its weight, and the solution there.
template <class Form> struct FacetPoint {
  double weight;
  double u;

  /// `nodal`: empty: the solution is not needed.
  KOKKOS_FUNCTION FacetPoint(const Form& form, index_t e, int face, int q,
                             const Array<const double*, typename Form::memory_space>& nodal) {
    index_t n[Form::n_nodes];
    form.nodes(e, n);
    typename Form::Map map;
    map.load(form.coordinates.data(), n, form.is_curved(e));
    double lambda[Form::n_vertices];
    weight = form.facet_point(n, face, q, map, lambda);
    u = 0.;
    for (int a = 0; a < Form::n_nodes && nodal.extent(0) > 0; ++a)
      u += nodal(n[a]) * Form::element::value(a, lambda);
  }
};

} // namespace tessera::physics

#endif
