// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_FORM_FORM_HPP
#define TESSERA_ASSEMBLY_DG_FORM_FORM_HPP

/// \file
/// The data of the interior-penalty discontinuous Galerkin form (Dong, Georgoulis, Kappas, GPU-accelerated
/// discontinuous Galerkin methods on polytopic meshes, equations 2.4 and 2.5, in time slabs 2.9): mesh, space,
/// quadrature, coefficients and penalty. docs/theory.md derives the form.

#include "assembly/dg/form/form_defaults.hpp"
#include "core/kokkos_ext/math.hpp"
#include "fe/geometry.hpp"
#include "fe/modal/modal_space.hpp"
#include "fe/simplex_quadrature.hpp"
#include "mesh/polytopes/polytopic_mesh.hpp"
#include "physics/forms/advection_diffusion_reaction.hpp"

#include <limits>

namespace tessera::assembly::dg {

/// A range of elements of a form, [first, end), over which sums over elements and faces are taken. A face belongs to
/// its first element. Default: all elements.
struct ElementRange {
  index_t first = 0;
  index_t end = std::numeric_limits<index_t>::max();
  KOKKOS_FUNCTION bool has(index_t e) const { return e >= first && e < end; }
};

struct FormOptions {
  /// Quadrature is exact for polynomials of degree 2 p plus this.
  int extra_degree = 0;
  double penalty_constant = default_penalty_constant; ///< C_sigma
  Covering covering = Covering::surface;
};

/// A time slab, or the time of a steady problem.
template <class MemorySpace> struct TimeSlab {
  double from = 0.; ///< s
  double to = 0.;   ///< s; equal in a steady problem
  /// Coefficients of the solution in the previous slab, in a space that differs only in its times; empty in the first
  /// slab, which starts from the initial value.
  Array<const double*, MemorySpace> previous;
};

/// Quadrature of an element or face. Its rules are indexed by the degree p for which they are used, and that of time is
/// used for each of a number of steps within the slab.
struct Rule {
  int degree;
  int n_steps;
};

/// Kernels take the form by value. In a time slab elements, faces and their rules are products with the slab; a steady
/// problem has one point in time, of measure 1. Numbers of steps are powers of two, so that the steps of one of two
/// neighbours are within those of the other: the rule of a face is for the shorter ones.
template <int Dim, class MemorySpace> struct Form {
  using memory_space = MemorySpace;
  static constexpr int dimension = Dim;
  static constexpr group_t no_joint = 0xffff;

  Array<const double* [Dim], MemorySpace> coordinates;
  Array<const index_t * [Dim + 1], MemorySpace> simplices; ///< nodes, [n_simplices][Dim + 1]
  Array<const index_t*, MemorySpace> element_of;
  Array<const index_t*, MemorySpace> simplex_offsets;
  Array<const index_t*, MemorySpace> element_simplices;
  Array<const group_t*, MemorySpace> regions; ///< of the elements
  mesh::Faces<Dim, MemorySpace> faces;
  fe::ModalSpace<Dim, MemorySpace> space;
  fe::SimplexRules<Dim + 1, MemorySpace> volume_rules; ///< by the element's degree
  fe::SimplexRules<Dim, MemorySpace> face_rules;       ///< by the larger degree of the two sides
  fe::SimplexRules<2, MemorySpace> time_rules;         ///< by the same degrees
  physics::AdvectionCoefficients<Dim, MemorySpace> coefficients;
  /// Measure of each element and of its surface, m^Dim and m^(Dim - 1), and p^(2 (Dim - 1)) or infinity of its C_cov,
  /// [n_elements]; empty if the penalty uses no C_cov. Of whole elements, even if a part of the form has only some of
  /// their faces.
  Array<double* [3], MemorySpace> measures;
  Array<const group_t*, MemorySpace> joints;      ///< of the interior faces, no_joint: none; empty without joints
  Array<const double*, MemorySpace> conductances; ///< of the joints, in the unit of the penalty
  Array<double*, MemorySpace> penalty; ///< sigma, 1 / m times the unit of A, or the joint's conductance, [n_faces]
  Array<const double*, MemorySpace> previous; ///< as in TimeSlab
  FormOptions options;

  index_t n_elements() const { return space.n_elements(); }
  index_t n_simplices() const { return static_cast<index_t>(element_of.extent(0)); }

  /// Element on a side of a face: on side 0 the normal points out of it; -1 outside the domain.
  KOKKOS_FUNCTION index_t element(index_t face, int side) const {
    const index_t simplex = faces.simplices(face, side);
    return simplex < 0 ? -1 : element_of(simplex);
  }
  KOKKOS_FUNCTION Rule element_rule(index_t e) const { return {space.degrees(e), space.n_steps(e)}; }
  /// Rule of a face or interface: the larger degree and number of steps of its elements; `other` -1: none.
  KOKKOS_FUNCTION Rule face_rule(index_t e, index_t other) const {
    Rule rule = element_rule(e);
    if (other < 0)
      return rule;
    const Rule beyond = element_rule(other);
    rule.degree = beyond.degree < rule.degree ? rule.degree : beyond.degree;
    rule.n_steps = beyond.n_steps < rule.n_steps ? rule.n_steps : beyond.n_steps;
    return rule;
  }
  KOKKOS_FUNCTION Rule face_rule(index_t face) const { return face_rule(element(face, 0), element(face, 1)); }
  KOKKOS_FUNCTION group_t boundary_group(index_t face) const { return faces.groups(face - faces.n_interior); }

  KOKKOS_FUNCTION bool is_joint(index_t face) const {
    return face < static_cast<index_t>(joints.extent(0)) && joints(face) != no_joint;
  }
  /// Weight of each side's flux in the mean flux of an interior face. The flux through a joint is that of its jump
  /// alone.
  KOKKOS_FUNCTION double flux_weight(index_t face) const { return is_joint(face) ? 0. : 0.5; }

  KOKKOS_FUNCTION double simplex_measure(index_t simplex) const {
    double p[Dim + 1][Dim];
    double normals[Dim + 1][Dim];
    for (int k = 0; k <= Dim; ++k)
      for (int d = 0; d < Dim; ++d)
        p[k][d] = coordinates(simplices(simplex, k), d);
    const double det = fe::simplex_normals(p, normals);
    return (det < 0. ? -det : det) / (Dim == 2 ? 2. : 6.);
  }
  /// Measure of a face, and its unit normal out of the first element.
  KOKKOS_FUNCTION double face_normal(index_t face, double (&normal)[Dim]) const {
    double edge[Dim - 1][Dim];
    for (int k = 0; k < Dim - 1; ++k)
      for (int d = 0; d < Dim; ++d)
        edge[k][d] = coordinates(faces.nodes(face, k + 1), d) - coordinates(faces.nodes(face, 0), d);
    if constexpr (Dim == 2) {
      normal[0] = edge[0][1];
      normal[1] = -edge[0][0];
    } else {
      for (int d = 0; d < 3; ++d)
        normal[d] = edge[0][(d + 1) % 3] * edge[1][(d + 2) % 3] - edge[0][(d + 2) % 3] * edge[1][(d + 1) % 3];
    }
    double square = 0.;
    for (int d = 0; d < Dim; ++d)
      square += normal[d] * normal[d];
    const double length = math::sqrt(square);
    for (int d = 0; d < Dim; ++d)
      normal[d] /= length;
    return Dim == 2 ? length : 0.5 * length;
  }
  /// Moves a point of a face into an element, whose outward normal is `sign` times n, by a trillionth of the element's
  /// size but more than the rounding of x: on faces, where A and b may jump, they are those of the element.
  KOKKOS_FUNCTION void move_inside(index_t e, const double (&n)[Dim], double sign, double (&x)[Dim + 1]) const {
    double size = 0.;
    double farthest = 0.;
    for (int d = 0; d < Dim; ++d) {
      const double width = space.boxes(e, 1, d) - space.boxes(e, 0, d);
      const double distance = x[d] < 0. ? -x[d] : x[d];
      size = width > size ? width : size;
      farthest = distance > farthest ? distance : farthest;
    }
    const double step = sign * (1e-12 * size + 4e-16 * farthest);
    for (int d = 0; d < Dim; ++d)
      x[d] -= step * n[d];
  }
  KOKKOS_FUNCTION bool is_slab() const { return space.time != fe::TimePolynomials::none; }
  KOKKOS_FUNCTION double time_measure() const { return space.to > space.from ? space.to - space.from : 1.; }

  /// Number of points of a rule in a simplex, and in a face: points in space times points in time.
  KOKKOS_FUNCTION int n_volume_points(const Rule& rule) const { return n_points_in_space(rule) * n_times(rule); }
  KOKKOS_FUNCTION int n_face_points(const Rule& rule) const { return n_face_points_in_space(rule) * n_times(rule); }
  KOKKOS_FUNCTION int n_points_in_space(const Rule& rule) const { return n_points(volume_rules, rule); }
  KOKKOS_FUNCTION int n_face_points_in_space(const Rule& rule) const { return n_points(face_rules, rule); }
  KOKKOS_FUNCTION int n_times_of_step(const Rule& rule) const { return n_points(time_rules, rule); }
  KOKKOS_FUNCTION int n_times(const Rule& rule) const { return rule.n_steps * n_times_of_step(rule); }
  KOKKOS_FUNCTION int n_initial_points(const Rule& rule) const { return is_slab() ? n_points_in_space(rule) : 0; }
  /// Position (x, t) of point q of a rule in a simplex; returns the weight. All weights add up to 1.
  KOKKOS_FUNCTION double volume_point(index_t simplex, const Rule& rule, int q, double (&x)[Dim + 1]) const {
    const int n = n_times(rule);
    return initial_point(simplex, rule, q / n, x) * set_time(rule, q % n, x);
  }
  KOKKOS_FUNCTION double face_point(index_t face, const Rule& rule, int q, double (&x)[Dim + 1]) const {
    const int n = n_times(rule);
    return initial_face_point(face, rule, q / n, x) * set_time(rule, q % n, x);
  }
  /// Like volume_point(), at the start of the slab.
  KOKKOS_FUNCTION double initial_point(index_t simplex, const Rule& rule, int q, double (&x)[Dim + 1]) const {
    const int point = volume_rules.offsets(rule.degree) + q;
    for (int d = 0; d < Dim; ++d) {
      x[d] = 0.;
      for (int k = 0; k <= Dim; ++k)
        x[d] += volume_rules.points(point, k) * coordinates(simplices(simplex, k), d);
    }
    x[Dim] = space.from;
    return volume_rules.weights(point);
  }
  /// Like face_point(), at the start of the slab.
  KOKKOS_FUNCTION double initial_face_point(index_t face, const Rule& rule, int q, double (&x)[Dim + 1]) const {
    const int point = face_rules.offsets(rule.degree) + q;
    for (int d = 0; d < Dim; ++d) {
      x[d] = 0.;
      for (int k = 0; k < Dim; ++k)
        x[d] += face_rules.points(point, k) * coordinates(faces.nodes(face, k), d);
    }
    x[Dim] = space.from;
    return face_rules.weights(point);
  }
  /// Sets the time of point q of a rule, step by step; returns the weight.
  KOKKOS_FUNCTION double set_time(const Rule& rule, int q, double (&x)[Dim + 1]) const {
    const int first = time_rules.offsets(rule.degree);
    if (rule.n_steps == 1) {
      x[Dim] = space.from + time_rules.points(first + q, 1) * (space.to - space.from);
      return time_rules.weights(first + q);
    }
    const int n = n_times_of_step(rule);
    const int point = first + q % n;
    x[Dim] = space.from + (q / n + time_rules.points(point, 1)) * ((space.to - space.from) / rule.n_steps);
    return time_rules.weights(point) / rule.n_steps;
  }
  /// Whether there is a solution in the previous slab; the first slab starts from the initial value instead.
  KOKKOS_FUNCTION bool has_previous() const { return is_slab() && previous.extent(0) > 0; }
  /// Solution at the end of the previous slab, or the initial value, at a point (x, start of this slab) of an element.
  KOKKOS_FUNCTION double previous_value(index_t e, const double (&x)[Dim + 1]) const {
    if (!has_previous())
      return coefficients.value(regions(e), coefficients.initial_slot, x);
    double at_end[Dim + 1]; // of this slab: the spaces differ only in their times
    double gradient[Dim];
    for (int d = 0; d < Dim; ++d)
      at_end[d] = x[d];
    at_end[Dim] = space.to;
    return space.evaluate(e, previous, at_end, gradient);
  }

  void set_slab(const TimeSlab<MemorySpace>& slab) {
    space.from = slab.from;
    space.to = slab.to;
    previous = slab.previous;
  }

private:
  template <class Rules> KOKKOS_FUNCTION static int n_points(const Rules& rules, const Rule& rule) {
    return rules.offsets(rule.degree + 1) - rules.offsets(rule.degree);
  }
};

/// Makes the form and computes the penalty of every face, in the slab of the space. The mesh's arrays are shared, and
/// must not be freed; the degrees are those of the space. Throws if the regions of the data do not match the mesh's.
template <class ExecutionSpace, int Dim>
Form<Dim, typename ExecutionSpace::memory_space>
make_form(const ExecutionSpace& exec, const mesh::PolytopicMesh<Dim, typename ExecutionSpace::memory_space>& mesh,
          const fe::ModalSpace<Dim, typename ExecutionSpace::memory_space>& space,
          const physics::AdvectionDiffusionReaction& problem, const FormOptions& options = {});

/// Recomputes the penalties, in place for all copies of the form: for another time if A depends on it.
template <class ExecutionSpace, int Dim>
void update_penalty(const ExecutionSpace& exec, const Form<Dim, typename ExecutionSpace::memory_space>& form);

/// Replaces the rules by rules of the given degrees for p = 0, 1, ...
template <class ExecutionSpace, int Dim>
void set_rules(const ExecutionSpace& exec, Form<Dim, typename ExecutionSpace::memory_space>& form,
               const std::vector<int>& degrees);

/// Copy of a form on the host.
template <class ExecutionSpace, int Dim>
Form<Dim, HostMemory> to_host(const ExecutionSpace& exec, const Form<Dim, typename ExecutionSpace::memory_space>& form);

} // namespace tessera::assembly::dg

#endif
