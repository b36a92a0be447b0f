// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FORMS_TENSOR_HPP
#define TESSERA_PHYSICS_FORMS_TENSOR_HPP

#include "core/types.hpp"

namespace tessera::physics {

/// Whether a symmetric tensor is positive definite, by its leading minors; `off` holds xy, or xy, xz, yz.
template <int Dim>
KOKKOS_INLINE_FUNCTION bool is_positive_definite(const double (&diagonal)[Dim],
                                                 const double (&off)[Dim * (Dim - 1) / 2]) {
  double scale = 0.; // avoids products too small for a double
  bool good = true;
  for (int d = 0; d < Dim; ++d) {
    scale = diagonal[d] > scale ? diagonal[d] : scale;
    good = good && diagonal[d] > 0.;
  }
  if (!good)
    return false;
  double a[Dim];
  double b[Dim * (Dim - 1) / 2];
  for (int d = 0; d < Dim; ++d)
    a[d] = diagonal[d] / scale;
  for (int i = 0; i < Dim * (Dim - 1) / 2; ++i)
    b[i] = off[i] / scale;
  good = a[0] * a[1] - b[0] * b[0] > 0.;
  if constexpr (Dim == 3)
    good = good && a[0] * (a[1] * a[2] - b[2] * b[2]) - b[0] * (b[0] * a[2] - b[2] * b[1]) +
                           b[1] * (b[0] * b[2] - a[1] * b[1]) >
                       0.;
  return good;
}

} // namespace tessera::physics

#endif
