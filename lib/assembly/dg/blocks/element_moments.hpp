// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_BLOCKS_ELEMENT_MOMENTS_HPP
#define TESSERA_ASSEMBLY_DG_BLOCKS_ELEMENT_MOMENTS_HPP

/// \file
/// The moments from which diagonal blocks and the load are computed.

#include "assembly/dg/blocks/block_kernel.hpp"

namespace tessera::assembly::dg {

/// Sums the moments of an element over its volume and faces; in a time slab with those of its start. A team, or a group
/// of a team's threads, per element proceeds in steps: each sums moments over batches of quadrature points, which
/// ElementRows then combines.
///
/// Constant coefficients have no separate moments: they multiply the moments of 1. Time-independent integrands have
/// moments in space only, since the time factors are orthonormal; time-dependent ones are first summed over the times
/// of each point. Every moment is a sum over `lanes` interleaved parts of the points, whatever the number of threads
/// and the size of a batch, so that it has the same bits everywhere.
///
/// Coefficients in the volume come from PointValues, those on faces are evaluated here.
///
/// Traffic: coordinates of simplices and faces once per group of moments, values at points once.
template <int Dim, class ExecutionSpace> struct ElementMoments : BlockKernel<Dim, ExecutionSpace> {
  using Base = BlockKernel<Dim, ExecutionSpace>;
  using Base::faces;
  using Base::form;
  using Base::points;
  using Base::regions;
  using Base::tables;
  using typename Base::Coefficients;
  using typename Base::Region;
  using typename Base::Space;
  using typename Base::Team;
  static constexpr int lanes = 4;
  static constexpr int n_face_sets = Dim + 1;

  struct Sizes {
    bool has_steps = false; ///< elements take several steps in a slab
    int moments = 0;        ///< per set
    int time_degrees = 1;   ///< of the data of a set
    int times = 1;          ///< maximum per step of an element: on a face those of the neighbour's steps within it
    int factors = 1;        ///< Legendre factors of a point in space; odd, so that the lanes use different banks
    int pairs = 0;          ///< pairs of spatial polynomials, if their combinations are not the block itself
  };

  int batch = 32; ///< number of points in space at a time, a power of two
  int n_sets = 1; ///< number of sets of moments at a time
  Sizes sizes{};

  /// Computes the sizes, which all threads would otherwise compute.
  void find_sizes() {
    const int p = form.space.largest_degree;
    const bool is_slab = form.is_slab();
    // Coefficients that depend on time need moments in time up to twice the degree.
    const bool has_products_in_time = form.coefficients.is_transient && is_slab;
    const int in_time = has_products_in_time ? tables.n_in_space_and_time() : fe::modal_size<Dim>(form.space.time, p);
    sizes.moments = in_time > tables.n_in_space() ? in_time : tables.n_in_space();
    sizes.time_degrees = !is_slab ? 1 : form.coefficients.is_transient ? tables.n_degrees : p + 1;
    sizes.has_steps = form.space.largest_steps > 1;
    const int parts = sizes.has_steps ? form.space.largest_steps / form.space.smallest_steps : 1;
    sizes.times = is_slab ? form.time_rules.largest * parts : 1;
    sizes.factors = (Dim * tables.n_degrees) | 1;
    sizes.pairs = is_slab ? tables.n_functions * tables.n_functions : 0;
  }
  std::size_t scratch_bytes() const {
    const int per_point = sizes.factors + n_sets * (sizes.times + (form.is_slab() ? sizes.time_degrees : 0));
    return sizeof(double) *
           (static_cast<std::size_t>(batch) * per_point +
            static_cast<std::size_t>(n_sets) * sizes.moments * (lanes + 1) + 2 * static_cast<std::size_t>(sizes.pairs));
  }

protected:
  enum PointsOf { volume, all_faces, boundary_faces };
  /// The steps of an element, in order.
  enum Phase {
    steady_faces,
    geometry, ///< moments of 1
    source,
    initial,
    boundary,
    steady_variables,
    transient_variables,
    transient_faces
  };
  /// Sets of moments, over points in space, at the start of a slab, or in space and time.
  struct Step {
    Phase phase;
    PointsOf of;
    bool in_space;
    int degree; ///< of the highest moments
    int first;  ///< set of the phase
    int count;
    int of_element; ///< time step of the element, unless in space
  };

  struct Scratch {
    double* factors; ///< Legendre polynomials in space at the points
    double* data;    ///< [n_sets][times][batch], the integrands of the moments
    double* folded;  ///< [n_sets][time_degrees][batch], the same summed over the times
    double* parts;   ///< [n_sets][moments][lanes]
    double* moments;
    double* pairs; ///< [2][pairs]: terms repeated for each degree in time, and moments of 1
  };

  struct Element {
    index_t e;
    int degree;
    int size;
    int n_steps;     ///< within the slab
    int step_size;   ///< number of unknowns of a step
    int n_functions; ///< number of spatial polynomials
    group_t region;
    bool transient_faces;
    BlockValues block; ///< null: load only
    BlockValues pairs; ///< the first of Scratch::pairs, or the block
    Scratch scratch;
    int factors_degree; ///< degree of the factors at all points of the volume that are in scratch memory; -1: scratch
                        ///< memory holds other factors
  };

  KOKKOS_FUNCTION static int n_phase_sets(const Region& region, Phase phase) {
    switch (phase) {
    case steady_faces:
    case transient_faces:
    case boundary:
      return n_face_sets;
    case steady_variables:
      return region.n_in_space;
    case transient_variables:
      return region.n_variable;
    default:
      return 1;
    }
  }

  /// Sets the sums of a step; returns false if there is nothing to sum.
  KOKKOS_FUNCTION bool prepare(const Element& element, Step& step) const {
    const Region& region = regions(element.region);
    const bool has_matrix = !this->values.is_null();
    step.of = step.phase == steady_faces || step.phase == transient_faces ? all_faces
              : step.phase == boundary                                    ? boundary_faces
                                                                          : volume;
    step.in_space = true;
    step.degree =
        step.phase == source || step.phase == initial || step.phase == boundary ? element.degree : 2 * element.degree;
    step.count = smaller(n_sets, n_phase_sets(region, step.phase) - step.first);
    switch (step.phase) {
    case steady_faces:
      return has_matrix && !element.transient_faces;
    case geometry:
      return has_matrix || form.has_previous() || region.value[Coefficients::source_slot] != 0.;
    case source:
      step.in_space = !region.source_is_transient;
      return region.source_varies;
    case initial:
      return form.is_slab() && !form.has_previous();
    case boundary: {
      const index_t first = form.faces.boundary_offsets(element.e);
      const index_t end = form.faces.boundary_offsets(element.e + 1);
      step.in_space = !element.transient_faces;
      for (index_t f = first; f < end && form.is_slab(); ++f)
        if (form.coefficients.has_transient_value(form.boundary_group(form.faces.n_interior + f)))
          step.in_space = false;
      return first < end;
    }
    case steady_variables:
      return has_matrix && step.count > 0;
    case transient_variables:
      step.in_space = false;
      return has_matrix && step.count > 0;
    case transient_faces:
      step.in_space = false;
      return has_matrix && element.transient_faces;
    }
    return false;
  }
  /// Advances to the next step; returns false after the last one.
  KOKKOS_FUNCTION bool advance(const Element& element, Step& step) const {
    const Region& region = regions(element.region);
    step.first += step.count > 0 ? step.count : n_sets;
    if (step.first < n_phase_sets(region, step.phase))
      return true;
    if (!step.in_space && step.of_element + 1 < element.n_steps) {
      ++step.of_element;
    } else {
      const Phase last = !this->values.is_null() ? transient_faces : boundary;
      if (step.phase == last)
        return false;
      step.phase = static_cast<Phase>(step.phase + 1);
      step.of_element = 0;
    }
    step.first = step.phase == transient_variables ? region.n_in_space : 0;
    return true;
  }

  KOKKOS_FUNCTION static int smaller(int a, int b) { return a < b ? a : b; }

  KOKKOS_FUNCTION Scratch scratch_of(const Team& team) const {
    Scratch scratch;
    scratch.factors = static_cast<double*>(team.scratch(this->launch.scratch_level, this->launch.scratch_size));
    scratch.data = scratch.factors + batch * sizes.factors;
    scratch.folded = scratch.data + n_sets * sizes.times * batch;
    scratch.parts = scratch.folded + (form.is_slab() ? n_sets * sizes.time_degrees * batch : 0);
    scratch.moments = scratch.parts + n_sets * sizes.moments * lanes;
    scratch.pairs = scratch.moments + n_sets * sizes.moments;
    return scratch;
  }

  /// Position of the polynomial of a degree in a direction at a point of the batch: contiguous by point on hosts, by
  /// degree, of neighbouring threads, on devices.
  KOKKOS_FUNCTION int factor(int d, int degree, int point) const {
    if constexpr (uses_host_forms<Space>)
      return (d * tables.n_degrees + degree) * batch + point;
    else
      return point * sizes.factors + d * tables.n_degrees + degree;
  }

  /// The points in space of an element: parts (simplices or faces) with `per_part` points each.
  struct Range {
    index_t n_interior; ///< number of interior faces of the element
    index_t n_parts;
    int per_part;
    std::int64_t n_points;
    index_t first_part; ///< of the batch
    int first_point;    ///< within that part
  };

  KOKKOS_FUNCTION Range range_of(const Element& element, PointsOf of) const {
    const index_t e = element.e;
    Range range;
    range.n_interior = 0;
    if (of == volume) {
      range.n_parts = form.simplex_offsets(e + 1) - form.simplex_offsets(e);
      range.per_part = form.n_points_in_space(form.element_rule(e));
    } else {
      if (of == all_faces)
        range.n_interior = faces.offsets(e + 1) - faces.offsets(e);
      range.n_parts = range.n_interior + form.faces.boundary_offsets(e + 1) - form.faces.boundary_offsets(e);
      Rule largest{element.degree, 1};
      for (index_t k = 0; !form.space.is_uniform && k < range.n_interior; ++k) {
        const Rule rule = form.face_rule(faces.entries(faces.offsets(e) + k) / 2);
        largest.degree = rule.degree > largest.degree ? rule.degree : largest.degree;
      }
      range.per_part = form.n_face_points_in_space(largest);
    }
    range.n_points = static_cast<std::int64_t>(range.n_parts) * range.per_part;
    return range;
  }

  /// A quadrature point in space: its simplex, or face and side.
  struct Point {
    index_t part; ///< -1: past the last one
    int side;
    Rule rule;
    int q;
  };
  /// Number of points in time of a point in space within a step of the element.
  KOKKOS_FUNCTION int n_times_of(const Element& element, const Point& point) const {
    return sizes.has_steps ? form.n_times(point.rule) / element.n_steps : form.n_times_of_step(point.rule);
  }
  /// The quadrature point k of the batch.
  KOKKOS_FUNCTION Point point_of(const Element& element, const Range& range, PointsOf of, int k) const {
    const int index = range.first_point + k;
    const index_t part = range.first_part + index / range.per_part;
    Point point{-1, 0, {element.degree, element.n_steps}, index % range.per_part};
    if (part >= range.n_parts)
      return point;
    if (of == volume) {
      point.part = form.element_simplices(form.simplex_offsets(element.e) + part);
    } else if (part < range.n_interior) {
      const index_t entry = faces.entries(faces.offsets(element.e) + part);
      point.part = entry / 2;
      point.side = entry % 2;
      if (!form.space.is_uniform)
        point.rule = form.face_rule(point.part);
    } else {
      point.part = form.faces.n_interior + form.faces.boundary_offsets(element.e) + part - range.n_interior;
    }
    if (!sizes.has_steps)
      point.rule.n_steps = 1;
    if (of != volume && point.q >= form.n_face_points_in_space(point.rule))
      point.part = -1; // other faces have more points
    return point;
  }
  /// Position at the start of the slab; returns the weight.
  KOKKOS_FUNCTION double position(const Point& point, PointsOf of, double (&x)[Dim + 1]) const {
    return of == volume ? form.initial_point(point.part, point.rule, point.q, x)
                        : form.initial_face_point(point.part, point.rule, point.q, x);
  }

  /// Writes the integrands of the moments at a point of the batch and a time.
  KOKKOS_FUNCTION void write_data(const Element& element, const Step& step, const Range& range, int time, int k) const {
    const Point point = point_of(element, range, step.of, k);
    const int n_at = step.in_space ? 1 : sizes.times;
    double* const data = element.scratch.data + time * batch + k; // of the first set
    const int stride = n_at * batch;
    const int n_of_step = step.in_space ? 1 : n_times_of(element, point);
    if (point.part < 0 || time >= n_of_step) {
      for (int s = 0; s < step.count; ++s)
        data[s * stride] = 0.;
      return;
    }
    double x[Dim + 1];
    double weight = position(point, step.of, x);
    if (!step.in_space)
      weight *= form.time_measure() * form.set_time(point.rule, step.of_element * n_of_step + time, x);
    if (step.of == volume) {
      data[0] = weight * form.simplex_measure(point.part);
      return;
    }
    double n[Dim];
    weight *= form.face_normal(point.part, n);
    for (int d = 0; point.side == 1 && d < Dim; ++d)
      n[d] = -n[d];
    const FaceTerms<Dim> terms =
        point.part < form.faces.n_interior
            ? interior_terms(form, point.part, element.e, form.element(point.part, 1 - point.side), x, n)
            : boundary_terms(form, point.part, element.e, x, n);
    const bool is_load = step.phase == boundary;
    for (int s = 0; s < step.count; ++s) {
      const int d = step.first + s - 1; // component of the flux; -1: the value
      double value = is_load ? terms.load_value : terms.alpha;
      for (int component = 0; component < Dim; ++component)
        if (d == component)
          value = (is_load ? terms.load_flux : terms.beta) * terms.flux[component];
      data[s * stride] = weight * value;
    }
  }

  /// First level of PointValues for set s of a step.
  KOKKOS_FUNCTION int level_of(const Element& element, const Step& step, int s) const {
    const int k = step.first + s;
    switch (step.phase) {
    case source:
      return points.levels.source(step.of_element);
    case initial:
      return points.levels.initial();
    case steady_variables:
      return points.levels.in_space(k);
    default:
      return points.levels.in_time(k - regions(element.region).n_in_space, step.of_element);
    }
  }
  /// Copies the coefficients of a batch of `summed` points from point `first` of the element on, padded with zeros.
  KOKKOS_FUNCTION void copy_values(const Team& team, const Element& element, const Step& step, const Range& range,
                                   std::int64_t first, int shift, int summed) const {
    const int used = 1 << shift;
    const int n_levels = step.in_space ? 1 : step.degree + 1;
    const std::int64_t left = range.n_points - first;
    for (int s = 0; s < step.count; ++s) {
      double* const data = (step.in_space ? element.scratch.data : element.scratch.folded) + s * n_levels * batch;
      const double* const values =
          points.level(level_of(element, step, s)) + points.first_point(form.simplex_offsets(element.e)) + first;
      for (int item = team.team_rank(); item < n_levels * used; item += team.team_size()) {
        const int k = item & (used - 1);
        const int level = item >> shift;
        if (k < summed)
          data[level * batch + k] = k < left ? values[level * points.n_points() + k] : 0.;
      }
    }
  }

  /// Writes the Legendre polynomials of a direction at a point of the batch, padded with zeros.
  KOKKOS_FUNCTION void write_factors(const Element& element, PointsOf of, int degree, const Range& range, int d,
                                     int k) const {
    const Point point = point_of(element, range, of, k);
    double before = 0.;
    double value = point.part < 0 ? 0. : 1.;
    double xi = 0.;
    if (point.part >= 0) {
      double x[Dim + 1];
      position(point, of, x);
      double coordinate = x[0];
      for (int other = 1; other < Dim; ++other)
        coordinate = d == other ? x[other] : coordinate;
      xi = form.space.box_coordinate(element.e, d, coordinate);
    }
    for (int l = 0; l <= degree; ++l) {
      element.scratch.factors[factor(d, l, k)] = value;
      if (l < degree)
        form.space.legendre.advance(l, xi, value, before);
    }
  }

  /// Computes the moments of a step's sets; those of set s start at index s sizes.moments.
  KOKKOS_FUNCTION void accumulate(const Team& team, Element& element, const Step& step) const {
    const Scratch& scratch = element.scratch;
    const int rank = team.team_rank();
    const int threads = team.team_size();
    Range range = range_of(element, step.of);
    const int n = step.in_space ? fe::modal_size(Dim, step.degree) : fe::modal_size<Dim>(form.space.time, step.degree);
    const int n_at = step.in_space ? 1 : sizes.times;
    const int n_folded = step.degree + 1;
    const bool is_stored = step.of == volume && step.phase != geometry;
    // If one batch contains the volume, its factors serve all coefficients.
    const bool keeps_factors = step.of == volume && range.n_points <= batch;
    const int factors_degree = keeps_factors && !this->values.is_null() ? 2 * element.degree : step.degree;
    const bool has_factors = keeps_factors && element.factors_degree >= step.degree;
    element.factors_degree = !keeps_factors ? -1 : has_factors ? element.factors_degree : factors_degree;
    for (std::int64_t first = 0; first == 0 || first < range.n_points; first += batch) {
      range.first_part = static_cast<index_t>(first / range.per_part);
      range.first_point = static_cast<int>(first - static_cast<std::int64_t>(range.first_part) * range.per_part);
      const std::int64_t left = range.n_points - first;
      int shift = 2; // of a power of two, so that divisions are shifts
      while ((1 << shift) < batch && (1 << shift) < left)
        ++shift;
      const int used = 1 << shift;
      const int summed = left < used ? (static_cast<int>(left) + lanes - 1) / lanes * lanes : used;
      team.team_barrier(); // before the previous points are overwritten
      if (is_stored)
        copy_values(team, element, step, range, first, shift, summed);
      else
        for (int item = rank; item < used * n_at; item += threads)
          if ((item & (used - 1)) < summed)
            write_data(element, step, range, item >> shift, item & (used - 1));
      for (int item = rank; !has_factors && item < used * Dim; item += threads)
        if ((item & (used - 1)) < summed)
          write_factors(element, step.of, factors_degree, range, item >> shift, item & (used - 1));
      team.team_barrier();
      if (!step.in_space && !is_stored) {
        for (int s = 0; s < step.count; ++s)
          for (int item = rank; item < n_folded * used; item += threads)
            if ((item & (used - 1)) < summed)
              fold(element, step, range, s, item >> shift, item & (used - 1));
        team.team_barrier();
      }
      add_parts(team, step, n, summed, first == 0, scratch);
    }
    team.team_barrier();
    for (int s = 0; s < step.count; ++s)
      for (int m = rank; m < n; m += threads) {
        const double* const part = scratch.parts + (s * n + m) * lanes;
        scratch.moments[s * sizes.moments + m] = (part[0] + part[2]) + (part[1] + part[3]);
      }
    team.team_barrier();
  }
  /// Sums the data of a point over its times, multiplied by the polynomial of time of a degree.
  KOKKOS_FUNCTION void fold(const Element& element, const Step& step, const Range& range, int s, int degree,
                            int k) const {
    const Rule rule =
        form.space.is_uniform ? Rule{element.degree, element.n_steps} : point_of(element, range, step.of, k).rule;
    const int n_at = form.n_times_of_step(rule);
    const int parts = sizes.has_steps ? rule.n_steps / element.n_steps : 1;
    const double* data = element.scratch.data + s * sizes.times * batch + k;
    double sum = 0.;
    for (int part = 0; part < parts; ++part) {
      const index_t first_time = (parts - 1 + part) * tables.n_time_points + form.time_rules.offsets(rule.degree);
      for (int t = 0; t < n_at; ++t, data += batch)
        sum += *data * tables.time_factors(first_time + t, degree);
    }
    element.scratch.folded[(s * (step.degree + 1) + degree) * batch + k] = sum;
  }

  /// Adds L_m times the data to the parts of each moment: point k to part k mod lanes. A thread computes all parts of a
  /// moment, or one if there are fewer moments than threads.
  KOKKOS_FUNCTION void add_parts(const Team& team, const Step& step, int n, int n_points, bool is_first,
                                 const Scratch& scratch) const {
    static_assert(lanes == 4, "The parts are added up in pairs of pairs.");
    const bool by_moment = uses_host_forms<Space> || 2 * n > team.team_size();
    for (int s = 0; s < step.count; ++s)
      for (int item = team.team_rank(); item < n * (by_moment ? 1 : lanes); item += team.team_size()) {
        const int m = by_moment ? item : item / lanes;
        const double* f[Dim];
        for (int d = 0; d < Dim; ++d)
          f[d] = scratch.factors + factor(d, step.in_space ? tables.space_indices(m, d) : tables.indices(m, d), 0);
        const double* const data = step.in_space
                                       ? scratch.data + s * batch
                                       : scratch.folded + (s * (step.degree + 1) + tables.indices(m, Dim)) * batch;
        double* const part = scratch.parts + (s * n + m) * lanes;
        if (by_moment)
          add_all_parts(f, data, n_points, is_first, part);
        else
          add_part(f, data, n_points, is_first, item % lanes, part);
      }
  }
  KOKKOS_FUNCTION void add_all_parts(const double* const (&f)[Dim], const double* data, int n_points, bool is_first,
                                     double* part) const {
    const int stride = factor(0, 0, 1);
    double sum[lanes];
    for (int l = 0; l < lanes; ++l)
      sum[l] = is_first ? 0. : part[l];
    for (int k = 0; k < n_points; k += lanes) {
      TESSERA_INDEPENDENT_ITERATIONS
      for (int l = 0; l < lanes; ++l) {
        double product = data[k + l];
        for (int d = 0; d < Dim; ++d)
          product *= f[d][(k + l) * stride];
        sum[l] += product;
      }
    }
    for (int l = 0; l < lanes; ++l)
      part[l] = sum[l];
  }
  KOKKOS_FUNCTION void add_part(const double* const (&f)[Dim], const double* data, int n_points, bool is_first,
                                int lane, double* part) const {
    const int stride = factor(0, 0, 1);
    double sum = is_first ? 0. : part[lane];
    for (int k = lane; k < n_points; k += lanes) {
      double product = data[k];
      for (int d = 0; d < Dim; ++d)
        product *= f[d][k * stride];
      sum += product;
    }
    part[lane] = sum;
  }
};

} // namespace tessera::assembly::dg

#endif
