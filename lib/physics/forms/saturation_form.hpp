// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FORMS_SATURATION_FORM_HPP
#define TESSERA_PHYSICS_FORMS_SATURATION_FORM_HPP

/// \file
/// Saturated iron in a time-harmonic magnetic field (docs/theory.md, "Iron at a frequency"), as device functors of one
/// element.
///
/// H = nu(|B|) B with phasors H and B, and with the effective B-H curve of amplitudes. A change dB changes H by
///   dH = nu dB + s B Re(B^H dB),    s = 2 nu', nu' = dnu/d(|B|^2),
/// which is linear for real factors only. The element matrix is that of the real tensor
///   T = nu I + s (B_r B_r^T + B_i B_i^T),
/// whose eigenvalues are positive, as the smallest one is at least dH/dB of the curve; loads are those of what T leaves
/// out. As in Magnetostatics, everything is written in the effective gradient G, which is B turned by a right angle.

#include "physics/forms/potential_elements.hpp"

namespace tessera::physics {

/// What the load of SaturationForm is that of, with the vector x that is given and T at the state.
enum class SaturationLoad : int {
  none,     ///< 0: for the matrix
  strength, ///< T G(x) - H(x)
  change    ///< T G(x) - dH(x), without a matrix: the fixed values must be 0
};

template <int Dim, int Order, class MemorySpace> struct SaturationForm : PotentialElements<Dim, Order, MemorySpace> {
  using Elements = PotentialElements<Dim, Order, MemorySpace>;
  using Elements::medium;
  using Elements::n_nodes;
  using typename Elements::Map;
  using typename Elements::Point;
  using rule = typename Magnetostatics<Dim, Order, MemorySpace>::volume_rule;

  Array<const index_t*, MemorySpace> curve; ///< [n_regions], index of the effective curve; -1: linear
  BhCurves<MemorySpace> curves;
  double amplitude_squared = 1.; ///< square of the amplitude of a phasor of magnitude 1
  /// At all nodes, [n_nodes]: A at the state, and the vector of loads. The owner changes them.
  Array<double*, MemorySpace> re, im, x_re, x_im;
  Array<int*, MemorySpace> load_kind; ///< [2]: SaturationLoad, and 0 for the real part of the load or 1

  template <class ExecutionSpace> SaturationForm<Dim, Order, HostMemory> to_host(const ExecutionSpace& exec) const {
    SaturationForm<Dim, Order, HostMemory> host;
    this->copy_elements(exec, host);
    host.curve = tessera::to_host(exec, curve);
    host.curves.offsets = tessera::to_host(exec, curves.offsets);
    host.curves.pieces = tessera::to_host(exec, curves.pieces);
    host.amplitude_squared = amplitude_squared;
    host.re = tessera::to_host(exec, re);
    host.im = tessera::to_host(exec, im);
    host.x_re = tessera::to_host(exec, x_re);
    host.x_im = tessera::to_host(exec, x_im);
    host.load_kind = tessera::to_host(exec, load_kind);
    return host;
  }

  KOKKOS_FUNCTION bool is_linear(index_t e) const { return curve(medium.regions(e)) < 0; }

  /// Element matrix K of T (symmetric, both triangles) and load f.
  TESSERA_NOINLINE KOKKOS_FUNCTION void system(index_t e, const index_t (&n)[n_nodes], double (&K)[n_nodes][n_nodes],
                                               double (&f)[n_nodes]) const {
    for (int a = 0; a < n_nodes; ++a) {
      f[a] = 0.;
      for (int b = 0; b < n_nodes; ++b)
        K[a][b] = 0.;
    }
    if (is_linear(e))
      return;
    const bool has_matrix = load_kind(0) != static_cast<int>(SaturationLoad::change);
    Map map = this->make_map(e, n);
    for (int q = 0; q < rule::n_points; ++q) {
      const Point point = this->template point<rule>(n, q, map);
      double G[n_nodes][Dim];
      double T[3];
      double load[Dim];
      gradients(map, point, G);
      linearize(e, n, G, T, load);
      for (int a = 0; a < n_nodes; ++a) {
        f[a] += point.weight * (load[0] * G[a][0] + load[1] * G[a][1]);
        for (int b = has_matrix ? a : n_nodes; b < n_nodes; ++b)
          K[a][b] += point.weight * product(T, G[a], G[b]);
      }
    }
    for (int a = 0; a < n_nodes; ++a)
      for (int b = a + 1; b < n_nodes; ++b)
        K[b][a] = K[a][b];
  }

  /// Integrals of nu |B|^2 and of |B|^2 over the element at the state.
  TESSERA_NOINLINE KOKKOS_FUNCTION void squares(index_t e, const index_t (&n)[n_nodes], double& weighted,
                                                double& plain) const {
    weighted = 0.;
    plain = 0.;
    if (is_linear(e))
      return;
    Map map = this->make_map(e, n);
    for (int q = 0; q < rule::n_points; ++q) {
      const Point point = this->template point<rule>(n, q, map);
      double G[n_nodes][Dim];
      gradients(map, point, G);
      double r[Dim];
      double i[Dim];
      combine(n, G, re, r);
      combine(n, G, im, i);
      const double square = dot(r, r) + dot(i, i);
      plain += point.weight * square;
      weighted += point.weight * square * reluctivity(e, square).nu;
    }
  }

private:
  KOKKOS_FUNCTION Reluctivity reluctivity(index_t e, double square) const {
    return curves.reluctivity(curve(medium.regions(e)), amplitude_squared * square);
  }

  KOKKOS_FUNCTION void gradients(const Map& map, const Point& point, double (&G)[n_nodes][Dim]) const {
    for (int a = 0; a < n_nodes; ++a)
      this->effective_gradient(a, map, point, G[a]);
  }

  KOKKOS_FUNCTION static void combine(const index_t (&n)[n_nodes], const double (&G)[n_nodes][Dim],
                                      const Array<double*, MemorySpace>& nodal, double (&sum)[Dim]) {
    sum[0] = 0.;
    sum[1] = 0.;
    for (int a = 0; a < n_nodes; ++a) {
      sum[0] += nodal(n[a]) * G[a][0];
      sum[1] += nodal(n[a]) * G[a][1];
    }
  }

  KOKKOS_FUNCTION static double dot(const double (&g)[Dim], const double (&h)[Dim]) {
    return g[0] * h[0] + g[1] * h[1];
  }

  /// g . T h, with the same bits if g and h are exchanged.
  KOKKOS_FUNCTION static double product(const double (&T)[3], const double (&g)[Dim], const double (&h)[Dim]) {
    return T[0] * (g[0] * h[0]) + T[1] * (g[0] * h[1] + g[1] * h[0]) + T[2] * (g[1] * h[1]);
  }

  /// T (xx, xy, yy) and T G(x) - H(x) or T G(x) - dH(x) at a point with the shape functions' G.
  KOKKOS_FUNCTION void linearize(index_t e, const index_t (&n)[n_nodes], const double (&G)[n_nodes][Dim],
                                 double (&T)[3], double (&load)[Dim]) const {
    double r[Dim];
    double i[Dim];
    double x_r[Dim];
    double x_i[Dim];
    combine(n, G, re, r);
    combine(n, G, im, i);
    const Reluctivity at_state = reluctivity(e, dot(r, r) + dot(i, i));
    const double slope = 2. * amplitude_squared * at_state.derivative;
    T[0] = at_state.nu + slope * (r[0] * r[0] + i[0] * i[0]);
    T[1] = slope * (r[0] * r[1] + i[0] * i[1]);
    T[2] = at_state.nu + slope * (r[1] * r[1] + i[1] * i[1]);
    load[0] = 0.;
    load[1] = 0.;
    if (load_kind(0) == static_cast<int>(SaturationLoad::none))
      return;
    combine(n, G, x_re, x_r);
    combine(n, G, x_im, x_i);
    const bool is_real = load_kind(1) == 0;
    double x[Dim];
    double state[Dim];
    for (int d = 0; d < Dim; ++d) {
      x[d] = is_real ? x_r[d] : x_i[d];
      state[d] = is_real ? r[d] : i[d];
    }
    const bool is_change = load_kind(0) == static_cast<int>(SaturationLoad::change);
    const double nu = is_change ? at_state.nu : reluctivity(e, dot(x_r, x_r) + dot(x_i, x_i)).nu;
    const double along = is_change ? slope * (dot(r, x_r) + dot(i, x_i)) : 0.;
    load[0] = (T[0] - nu) * x[0] + T[1] * x[1] - along * state[0];
    load[1] = T[1] * x[0] + (T[2] - nu) * x[1] - along * state[1];
  }
};

} // namespace tessera::physics

#endif
