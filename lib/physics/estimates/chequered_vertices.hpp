// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_ESTIMATES_CHEQUERED_VERTICES_HPP
#define TESSERA_PHYSICS_ESTIMATES_CHEQUERED_VERTICES_HPP

/// \file
/// Vertices at which materials meet in a chequered pattern, where error estimates fall short of the error.

#include "core/constants.hpp"
#include "core/kokkos_ext/math.hpp"
#include "core/math.hpp"
#include "physics/estimates/error_estimate.hpp"

namespace tessera::physics {

/// Smaller contrasts are ignored.
constexpr double least_contrast = 2.;

/// Exponent alpha of the solution r^alpha at a point where two materials of contrast k alternate in the quadrants
/// around it; no other arrangement of this contrast has a smaller exponent (M. Petzoldt, Adv. Comput. Math. 16, 2002).
KOKKOS_INLINE_FUNCTION double chequered_exponent(double contrast) {
  return 4. / pi * math::atan(1. / math::sqrt(contrast));
}

/// Factor for the squared estimates of elements at such a vertex: the error of r^alpha in these elements is about 1 /
/// alpha times the estimated one, twice that for order 2; measured for contrasts from 3 to 10^4 (docs/theory.md).
KOKKOS_INLINE_FUNCTION double chequered_factor(int order, double contrast) {
  return (order == 1 ? 1. : 2.) / chequered_exponent(contrast);
}

/// Finds the vertices around which the material is not quasi-monotone: from some element every path through
/// neighbouring elements around the vertex to one with the largest coefficient passes smaller ones. The contrast of a
/// vertex is the ratio of the smaller of two such maxima to the largest coefficient that must be passed between them.
/// Increases the squared estimates of the elements there and the estimated error, and sets its worst vertex. Vertices
/// with a fixed or floating value are ignored.
template <class ExecutionSpace, class Form>
void raise_at_chequered_vertices(const ExecutionSpace& exec, const Form& form,
                                 const Array<const double*, ExecutionSpace>& nodal,
                                 const FieldRecovery<ExecutionSpace>& conditions,
                                 ErrorEstimate<ExecutionSpace>& estimate);

} // namespace tessera::physics

#endif
