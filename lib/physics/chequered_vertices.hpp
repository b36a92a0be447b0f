// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_CHEQUERED_VERTICES_HPP
#define TESSERA_PHYSICS_CHEQUERED_VERTICES_HPP

/// \file
/// Vertices at which materials meet in a chequered way, where error estimates fall short of the error.

#include "core/kokkos_ext/math.hpp"
#include "core/math.hpp"
#include "physics/error_estimate.hpp"

namespace tessera::physics {

/// Contrasts below this one make no difference.
constexpr double least_contrast = 2.;

/// Materials of the contrast k in the quadrants around a point, by turns, have a solution like r^alpha there, and no
/// other ones of this contrast have a smaller exponent (M. Petzoldt, Adv. Comput. Math. 16, 2002).
KOKKOS_INLINE_FUNCTION double chequered_exponent(double contrast) {
  return 4. / 3.14159265358979323846 * math::atan(1. / math::sqrt(contrast));
}

/// Factor of the squares of elements at such a vertex: the error of r^alpha within these is about 1 / alpha times what
/// estimates see of it, with order 2 twice that; measured for contrasts from 3 to 10^4 (docs/theory.md).
KOKKOS_INLINE_FUNCTION double chequered_factor(int order, double contrast) {
  return (order == 1 ? 1. : 2.) / chequered_exponent(contrast);
}

/// Finds the vertices around which the material is not quasi-monotone: from some element there is no way through
/// neighbouring elements around the vertex to one with the largest coefficient that does not pass smaller ones. The
/// contrast of a vertex is that of the smaller one of two such parts to the best way between them. Raises the squares
/// of the estimate in the elements there, and its error, and sets its worst vertex. Vertices with a fixed or floating
/// value are left out.
template <class ExecutionSpace, class Form>
void raise_at_chequered_vertices(const ExecutionSpace& exec, const Form& form,
                                 const Array<const double*, ExecutionSpace>& nodal,
                                 const FieldRecovery<ExecutionSpace>& conditions,
                                 ErrorEstimate<ExecutionSpace>& estimate);

} // namespace tessera::physics

#endif
