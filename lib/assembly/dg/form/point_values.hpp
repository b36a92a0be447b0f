// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_FORM_POINT_VALUES_HPP
#define TESSERA_ASSEMBLY_DG_FORM_POINT_VALUES_HPP

/// \file
/// Coefficients at the quadrature points of elements, evaluated by one thread per point: within the teams that use
/// them, expressions would leave most threads idle.

#include "assembly/dg/form/region_terms.hpp"

namespace tessera::assembly::dg {

/// Layout of the values at a point. Every value has a level; a coefficient that depends on time has one for each step
/// of the element and each degree in time. The levels are the same for all regions.
struct PointLevels {
  int n_source = 0;       ///< f; 0: constant everywhere
  int n_initial = 0;      ///< u at the start of the first slab
  int n_in_space = 0;     ///< coefficients of A, b, c that do not depend on time
  int n_in_time = 0;      ///< coefficients of A, b, c that depend on time
  int source_degrees = 1; ///< degrees in time of f
  int degrees = 1;        ///< of A, b, c
  int n_steps = 1;        ///< largest number of steps

  KOKKOS_FUNCTION int source(int step) const { return step * source_degrees; }
  KOKKOS_FUNCTION int initial() const { return n_source; }
  KOKKOS_FUNCTION int in_space(int k) const { return n_source + n_initial + k; }
  KOKKOS_FUNCTION int in_time(int k, int step) const {
    return n_source + n_initial + n_in_space + (k * n_steps + step) * degrees;
  }
  KOKKOS_FUNCTION int size() const { return in_time(n_in_time, 0); }
};

/// Values of a range of elements, level by level: weight of the point times coefficient; for coefficients that depend
/// on time, the sums over the times of a step of this product with each time polynomial. The points of an element are
/// contiguous and start at (simplex_offsets(e) - first_simplex) per_simplex.
template <class MemorySpace> struct PointValues {
  PointLevels levels;
  Array<double*, MemorySpace> values; ///< [levels.size()][n_points]
  index_t first_simplex = 0;          ///< index in Form::element_simplices
  index_t n_simplices = 0;
  int per_simplex = 1; ///< points of the largest rule

  KOKKOS_FUNCTION std::int64_t n_points() const { return static_cast<std::int64_t>(n_simplices) * per_simplex; }
  KOKKOS_FUNCTION std::int64_t first_point(index_t first_simplex_of_element) const {
    return static_cast<std::int64_t>(first_simplex_of_element - first_simplex) * per_simplex;
  }
  KOKKOS_FUNCTION double* level(int k) const { return values.data() + k * n_points(); }
};

/// Evaluates the values, one thread per point of a simplex.
///
/// Traffic: per simplex its nodes and their coordinates, per point and level 8 bytes.
template <int Dim, class MemorySpace> struct EvaluatePoints {
  using Coefficients = physics::AdvectionCoefficients<Dim, MemorySpace>;
  using Region = RegionTerms<Coefficients>;
  static constexpr int max_degrees = 2 * fe::max_modal_degree<Dim> + 1; ///< in time

  Form<Dim, MemorySpace> form;
  Array<const Region*, MemorySpace> regions;
  Array<const double**, MemorySpace> time_factors; ///< MomentTables::time_factors
  PointValues<MemorySpace> target;
  bool has_matrix; ///< whether A, b, c are needed

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    const auto simplex_position = static_cast<index_t>(target.first_simplex + item / target.per_simplex);
    const int q = static_cast<int>(item % target.per_simplex);
    const index_t simplex = form.element_simplices(simplex_position);
    const index_t e = form.element_of(simplex);
    const Rule rule = form.element_rule(e);
    const int per_part = form.n_points_in_space(rule);
    if (q >= per_part)
      return;
    const PointLevels& levels = target.levels;
    const group_t region_number = form.regions(e);
    const Region& region = regions(region_number);
    double x[Dim + 1];
    const double weight = form.initial_point(simplex, rule, q, x);
    const double measure = form.simplex_measure(simplex);
    const index_t first = form.simplex_offsets(e);
    double* const values =
        target.values.data() + target.first_point(first) + std::int64_t(simplex_position - first) * per_part + q;
    const std::int64_t stride = target.n_points();
    const auto write_in_space = [&](int level, int slot) {
      values[level * stride] = weight * measure * form.coefficients.value(region_number, slot, x);
    };
    if (region.source_varies) {
      if (region.source_is_transient)
        write_in_time(levels.source(0), levels.source_degrees, rule.degree + 1, Coefficients::source_slot,
                      region_number, rule, weight, measure, x, values);
      else
        write_in_space(levels.source(0), Coefficients::source_slot);
    }
    if (form.is_slab() && !form.has_previous())
      write_in_space(levels.initial(), Coefficients::initial_slot);
    for (int k = 0; has_matrix && k < region.n_variable; ++k)
      if (k < region.n_in_space)
        write_in_space(levels.in_space(k), region.variable[k]);
      else
        write_in_time(levels.in_time(k - region.n_in_space, 0), levels.degrees, 2 * rule.degree + 1, region.variable[k],
                      region_number, rule, weight, measure, x, values);
  }

private:
  KOKKOS_FUNCTION void write_in_time(int level, int levels_of_step, int n_degrees, int slot, group_t region,
                                     const Rule& rule, double weight, double measure, double (&x)[Dim + 1],
                                     double* values) const {
    const std::int64_t stride = target.n_points();
    const int n_times = form.n_times_of_step(rule);
    const index_t first_time = form.time_rules.offsets(rule.degree);
    double kept[physics::max_kept_values];
    form.coefficients.keep(region, slot, x, kept);
    for (int step = 0; step < rule.n_steps; ++step) {
      double sum[max_degrees];
      for (int degree = 0; degree < n_degrees; ++degree)
        sum[degree] = 0.;
      for (int time = 0; time < n_times; ++time) {
        const double factor = weight * (form.time_measure() * form.set_time(rule, step * n_times + time, x));
        const double value = factor * measure * form.coefficients.at_time(region, slot, x, kept);
        for (int degree = 0; degree < n_degrees; ++degree)
          sum[degree] += value * time_factors(first_time + time, degree);
      }
      for (int degree = 0; degree < n_degrees; ++degree)
        values[(level + step * levels_of_step + degree) * stride] = sum[degree];
    }
    x[Dim] = form.space.from;
  }
};

} // namespace tessera::assembly::dg

#endif
