// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_FORM_FACE_VALUES_HPP
#define TESSERA_ASSEMBLY_DG_FORM_FACE_VALUES_HPP

/// \file
/// Face terms with expressions at quadrature points, evaluated by one thread per point for the steady kernels
/// (steady_blocks.hpp): in these, most threads would wait for them, and they would take the registers of the sums.

#include "assembly/dg/blocks/moments.hpp"
#include "assembly/dg/form/face_terms.hpp"

namespace tessera::assembly::dg {

/// Layout of the values at face points, if all elements have one degree.
template <int Dim, class MemorySpace> struct FaceValues {
  int per_face = 1;        ///< points in space of the largest rule
  bool has_inflow = false; ///< b is an expression in some region: the upwind terms added to the penalty on both sides
  bool has_flux = false;   ///< A is an expression in some region: A n of both sides, n the first side's normal
  int n_levels = 1;        ///< degrees in time of the boundary's load
  Array<double*, MemorySpace> interior; ///< [n_interior per_face][n_interior_values()]
  /// alpha, beta and A n of the element; by degree in time the load's value and flux, multiplied by the measure of
  /// time, [n_boundary per_face][n_boundary_values()].
  Array<double*, MemorySpace> boundary;

  KOKKOS_FUNCTION int n_interior_values() const { return (has_inflow ? 2 : 0) + (has_flux ? 2 * Dim : 0); }
  KOKKOS_FUNCTION int n_boundary_values() const { return 2 + Dim + 2 * n_levels; }
  /// Position, at the start of a slab, and normal at point q of a face; returns false if its rule has no such point.
  KOKKOS_FUNCTION bool set_point(const Form<Dim, MemorySpace>& form, index_t face, int q, double (&x)[Dim + 1],
                                 double (&n)[Dim]) const {
    const Rule rule = form.face_rule(face);
    if (q >= form.n_face_points_in_space(rule))
      return false;
    form.initial_face_point(face, rule, q, x);
    form.face_normal(face, n);
    return true;
  }
  /// Values at point q of an interior face, and of boundary face f (from 0).
  KOKKOS_FUNCTION const double* of_interior(index_t face, int q) const {
    return interior.data() + (static_cast<std::int64_t>(face) * per_face + q) * n_interior_values();
  }
  KOKKOS_FUNCTION const double* of_boundary(index_t f, int q) const {
    return boundary.data() + (static_cast<std::int64_t>(f) * per_face + q) * n_boundary_values();
  }
};

/// Evaluates the values on interior faces, one thread per point.
///
/// Traffic: per face its nodes and their coordinates, per point 8 bytes a value.
template <int Dim, class MemorySpace> struct EvaluateInteriorFaces {
  Form<Dim, MemorySpace> form;
  FaceValues<Dim, MemorySpace> target;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    const auto face = static_cast<index_t>(item / target.per_face);
    double x[Dim + 1];
    double n[Dim];
    if (!target.set_point(form, face, static_cast<int>(item % target.per_face), x, n))
      return;
    double* value = target.interior.data() + item * target.n_interior_values();
    for (int side = 0; side < 2; ++side) {
      const double sign = side == 0 ? 1. : -1.;
      const index_t e = form.element(face, side);
      if (target.has_inflow) {
        const double bn = sign * detail::normal_advection(form, e, x, n, sign);
        *value++ = bn < 0. ? -bn : 0.;
      }
      if (target.has_flux) {
        double flux[Dim];
        double trace;
        detail::normal_flux(form, e, x, n, sign, flux, trace);
        for (int d = 0; d < Dim; ++d)
          *value++ = flux[d];
      }
    }
  }
};

/// Evaluates the values on boundary faces, one thread per point.
template <int Dim, class MemorySpace> struct EvaluateBoundaryFaces {
  Form<Dim, MemorySpace> form;
  Array<const double**, MemorySpace> time_factors; ///< MomentTables::time_factors
  FaceValues<Dim, MemorySpace> target;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    const index_t face = form.faces.n_interior + static_cast<index_t>(item / target.per_face);
    const index_t e = form.element(face, 0);
    double x[Dim + 1];
    double n[Dim];
    if (!target.set_point(form, face, static_cast<int>(item % target.per_face), x, n))
      return;
    double* const value = target.boundary.data() + item * target.n_boundary_values();
    const FaceTerms<Dim> terms = boundary_terms(form, face, e, x, n);
    value[0] = terms.alpha;
    value[1] = terms.beta;
    for (int d = 0; d < Dim; ++d)
      value[2 + d] = terms.flux[d];
    double* const load = value + 2 + Dim;
    for (int k = 0; k < 2 * target.n_levels; ++k)
      load[k] = 0.;
    if (!form.is_slab() || !form.coefficients.has_transient_value(form.boundary_group(face))) {
      load[0] = form.time_measure() * terms.load_value;
      load[1] = form.time_measure() * terms.load_flux;
      return;
    }
    const Rule rule = form.face_rule(face);
    const index_t first_time = form.time_rules.offsets(rule.degree);
    for (int time = 0; time < form.n_times_of_step(rule); ++time) {
      const double weight = form.time_measure() * form.set_time(rule, time, x);
      const FaceTerms<Dim> at_time = boundary_terms(form, face, e, x, n);
      for (int level = 0; level < target.n_levels; ++level) {
        const double factor = weight * time_factors(first_time + time, level);
        load[2 * level] += factor * at_time.load_value;
        load[2 * level + 1] += factor * at_time.load_flux;
      }
    }
  }
};

} // namespace tessera::assembly::dg

#endif
