// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FORMS_TENSOR_PROGRAM_HPP
#define TESSERA_PHYSICS_FORMS_TENSOR_PROGRAM_HPP

/// \file
/// Coefficients that vary within regions, at any point.

#include "physics/expressions/expression_program.hpp"
#include "physics/forms/form_data.hpp"

namespace tessera::physics {

/// Tensors that vary within regions, at any point.
template <int Dim, class MemorySpace> struct TensorProgram {
  static constexpr int n_pairs = Dim * (Dim - 1) / 2;
  /// For each region: the diagonal entries, then the off-diagonal ones if any region has them.
  ExpressionProgram<MemorySpace> entries;
  Array<const double*, MemorySpace> factor; ///< [n_regions], for all entries of a region
  bool has_pairs = false;

  /// Whether there are varying tensors.
  KOKKOS_FUNCTION bool varies() const { return entries.size() > 0; }

  /// Sets the entries at the point x; off-diagonal entries may be left unchanged.
  KOKKOS_FUNCTION void evaluate(group_t region, const double (&x)[Dim], double (&diagonal)[Dim],
                                double (&off)[n_pairs]) const {
    const int first = region * (Dim + (has_pairs ? n_pairs : 0));
    const double z = Dim == 3 ? x[Dim - 1] : 0.;
    for (int d = 0; d < Dim; ++d)
      diagonal[d] = factor(region) * entries(first + d, x[0], x[1], z, 0.);
    for (int i = 0; has_pairs && i < n_pairs; ++i)
      off[i] = factor(region) * entries(first + Dim + i, x[0], x[1], z, 0.);
  }

  template <class ExecutionSpace> TensorProgram<Dim, HostMemory> to_host(const ExecutionSpace& exec) const {
    TensorProgram<Dim, HostMemory> host;
    if (varies()) {
      host.entries = entries.on_host(exec);
      host.factor = detail::host_array(exec, factor);
    }
    host.has_pairs = has_pairs;
    return host;
  }
};

} // namespace tessera::physics

#endif
