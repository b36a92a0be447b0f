// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/form/estimate.hpp"

#include "core/algorithms/reduce.hpp"
#include "core/keep_alive.hpp"
#include "core/kokkos_ext/spaces.hpp"

namespace tessera::assembly::dg {

namespace {

/// The solution at a point of an element, with its flux A grad u out of the face of normal n.
template <int Dim> struct TraceAt {
  double value;
  double flux;
  double trace; ///< of A
  double normal_diffusion;
};

template <int Dim, class Space> struct ElementEstimates {
  using Coefficients = physics::AdvectionCoefficients<Dim, Space>;
  static constexpr int max_degree = fe::max_modal_degree<Dim>;
  Form<Dim, Space> form;
  Array<const double*, Space> u;
  Array<double*, Space> squares;
  Array<double*, Space> energies;
  fe::LegendrePowers powers;

  /// Gradient and second derivatives at a point, these as the upper triangle row by row; returns the value.
  KOKKOS_FUNCTION double derivatives(index_t e, const double (&x)[Dim + 1], double (&gradient)[Dim],
                                     double (&second)[Coefficients::n_diffusion]) const {
    const auto& space = form.space;
    const int degree = space.degrees(e);
    double value[Dim][max_degree + 1], first[Dim][max_degree + 1], curvature[Dim][max_degree + 1];
    for (int d = 0; d < Dim; ++d) {
      const double scale = space.scale(e, d);
      const double at = space.box_coordinate(e, d, x[d]);
      space.legendre.evaluate(degree, at, value[d], first[d]);
      for (int k = 0; k <= degree; ++k) {
        first[d][k] *= scale;
        curvature[d][k] = 0.;
        for (int m = k; m >= 2; --m)
          curvature[d][k] = curvature[d][k] * at + m * (m - 1) * powers.c[k][m];
        curvature[d][k] *= scale * scale;
      }
    }
    double result = 0.;
    for (int d = 0; d < Dim; ++d)
      gradient[d] = 0.;
    for (double& entry : second)
      entry = 0.;
    const index_t begin = space.dof_offsets(e);
    for (int i = 0; i < space.size(e); ++i) {
      const double c = u(begin + i);
      const auto product = [&](int a, int b) { // of the factors, differentiated in directions a and b; -1: not
        double p = c;
        for (int d = 0; d < Dim; ++d) {
          const int k = space.indices(i, d);
          const int times = (a == d ? 1 : 0) + (b == d ? 1 : 0);
          p *= times == 0 ? value[d][k] : times == 1 ? first[d][k] : curvature[d][k];
        }
        return p;
      };
      result += product(-1, -1);
      for (int a = 0, n = 0; a < Dim; ++a) {
        gradient[a] += product(a, -1);
        for (int b = a; b < Dim; ++b)
          second[n++] += product(a, b);
      }
    }
    return result;
  }

  /// div A . v for a matrix that varies, by central differences.
  KOKKOS_FUNCTION double divergence(index_t e, const double (&x)[Dim + 1], const double (&v)[Dim]) const {
    if (form.coefficients.has_constant_diffusion(form.regions(e)))
      return 0.;
    double sum = 0.;
    for (int d = 0; d < Dim; ++d) {
      const double h = 1e-5 * (form.space.boxes(e, 1, d) - form.space.boxes(e, 0, d));
      double row[2];
      for (int side = 0; side < 2; ++side) {
        double A[Coefficients::n_diffusion];
        double at[Dim + 1];
        double product[Dim];
        for (int k = 0; k <= Dim; ++k)
          at[k] = x[k];
        at[d] += side == 0 ? -h : h;
        form.coefficients.diffusion(form.regions(e), at, A);
        Coefficients::multiply(A, v, product);
        row[side] = product[d];
      }
      sum += (row[1] - row[0]) / (2. * h);
    }
    return sum;
  }

  KOKKOS_FUNCTION TraceAt<Dim> trace_at(index_t e, const double (&x)[Dim + 1], const double (&n)[Dim],
                                        double sign) const {
    double inside[Dim + 1];
    double A[Coefficients::n_diffusion];
    double gradient[Dim];
    double flux[Dim];
    for (int d = 0; d <= Dim; ++d)
      inside[d] = x[d];
    form.move_inside(e, n, sign, inside);
    form.coefficients.diffusion(form.regions(e), inside, A);
    TraceAt<Dim> trace{form.space.evaluate(e, u, x, gradient), 0., Coefficients::trace(A), 0.};
    Coefficients::multiply(A, gradient, flux);
    for (int d = 0; d < Dim; ++d)
      trace.flux += flux[d] * n[d];
    Coefficients::multiply(A, n, flux);
    for (int d = 0; d < Dim; ++d)
      trace.normal_diffusion += flux[d] * n[d];
    return trace;
  }

  /// Square of the jumps over an interior face, with those of the flux weighted by `weight` over the mean of A.
  KOKKOS_FUNCTION double interior(index_t face, double weight) const {
    double n[Dim];
    double x[Dim + 1];
    const double area = form.face_normal(face, n);
    const Rule rule = form.face_rule(face);
    const bool is_joint = form.is_joint(face);
    double sum = 0.;
    for (int q = 0; q < form.n_face_points(rule) && !is_joint; ++q) {
      const double ds = area * form.face_point(face, rule, q, x);
      const TraceAt<Dim> in = trace_at(form.element(face, 0), x, n, 1.);
      const TraceAt<Dim> out = trace_at(form.element(face, 1), x, n, -1.);
      const double a = (in.trace > out.trace ? in.trace : out.trace) / Dim;
      const double jump = in.value - out.value;
      const double of_flux = in.flux - out.flux;
      sum += ds * (form.penalty(face) * jump * jump + (a > 0. ? weight / a * of_flux * of_flux : 0.));
    }
    return sum;
  }

  KOKKOS_FUNCTION double boundary(index_t face, double weight) const {
    double n[Dim];
    double x[Dim + 1];
    const double area = form.face_normal(face, n);
    const Rule rule = form.face_rule(face);
    const group_t group = form.boundary_group(face);
    const physics::AdvectionCondition condition = form.coefficients.condition(group);
    double sum = 0.;
    for (int q = 0; q < form.n_face_points(rule); ++q) {
      const double ds = area * form.face_point(face, rule, q, x);
      const TraceAt<Dim> in = trace_at(form.element(face, 0), x, n, 1.);
      const physics::BoundaryPart part = physics::boundary_part(condition, in.normal_diffusion, in.trace, 0.);
      const double given =
          condition == physics::AdvectionCondition::natural ? 0. : form.coefficients.boundary_value(group, x);
      if (part == physics::BoundaryPart::dirichlet)
        sum += ds * form.penalty(face) * (in.value - given) * (in.value - given);
      else if (part == physics::BoundaryPart::neumann)
        sum += ds * weight * Dim / in.trace * (in.flux - given) * (in.flux - given);
    }
    return sum;
  }

  KOKKOS_FUNCTION void operator()(index_t e) const {
    const Rule rule = form.element_rule(e);
    const group_t region = form.regions(e);
    const double p = rule.degree > 1 ? rule.degree : 1;
    double h = 0.; // from its square
    for (int d = 0; d < Dim; ++d) {
      const double width = form.space.boxes(e, 1, d) - form.space.boxes(e, 0, d);
      h += width * width / Dim;
    }
    h = math::sqrt(h);
    double square = 0.;
    double energy = 0.;
    for (index_t k = form.simplex_offsets(e); k < form.simplex_offsets(e + 1); ++k) {
      const index_t simplex = form.element_simplices(k);
      const double volume = form.simplex_measure(simplex);
      for (int q = 0; q < form.n_volume_points(rule); ++q) {
        double x[Dim + 1];
        double gradient[Dim];
        double second[Coefficients::n_diffusion];
        double A[Coefficients::n_diffusion];
        double b[Dim];
        double flux[Dim];
        const double dx = volume * form.volume_point(simplex, rule, q, x);
        const double value = derivatives(e, x, gradient, second);
        form.coefficients.diffusion(region, x, A);
        form.coefficients.advection(region, x, b);
        double residual = form.coefficients.value(region, Coefficients::source_slot, x) -
                          form.coefficients.value(region, Coefficients::reaction_slot, x) * value +
                          divergence(e, x, gradient);
        Coefficients::multiply(A, gradient, flux);
        for (int a = 0, n = 0; a < Dim; ++a) {
          residual -= b[a] * gradient[a];
          energy += dx * flux[a] * gradient[a];
          for (int c = a; c < Dim; ++c, ++n)
            residual += (a == c ? 1. : 2.) * A[n] * second[n];
        }
        const double trace = Coefficients::trace(A) / Dim;
        square += trace > 0. ? estimate_constant * dx * h * h / (p * p * trace) * residual * residual : 0.;
      }
    }
    const double weight = estimate_constant * h / p;
    for (index_t k = form.faces.neighbour_offsets(e); k < form.faces.neighbour_offsets(e + 1); ++k) {
      const index_t interface = form.faces.neighbour_interfaces(k);
      for (index_t f = form.faces.interface_faces(interface); f < form.faces.interface_faces(interface + 1); ++f)
        square += 0.5 * interior(f, weight);
    }
    for (index_t k = form.faces.boundary_offsets(e); k < form.faces.boundary_offsets(e + 1); ++k)
      square += boundary(form.faces.n_interior + k, weight);
    squares(e) = square;
    energies(e) = energy;
  }
};

/// The entries of an array, as terms of a sum.
template <class Space> struct EstimateTerms {
  Array<const double*, Space> values;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const { term[0] = values(i); }
};

} // namespace

template <class ExecutionSpace, int Dim>
Estimate<typename ExecutionSpace::memory_space>
estimate_error(const ExecutionSpace& exec, const Form<Dim, typename ExecutionSpace::memory_space>& form,
               const Array<const double*, ExecutionSpace>& u) {
  using Space = typename ExecutionSpace::memory_space;
  const index_t n = form.n_elements();
  Estimate<Space> estimate;
  estimate.squares = make_array<Array<double*, Space>>(exec, "assembly::dg::estimate", n);
  const auto energies = make_array<Array<double*, Space>>(exec, "assembly::dg::energies", n);
  for_each("tessera::assembly::dg::estimate", exec, n,
           ElementEstimates<Dim, Space>{form, u, estimate.squares, energies, {}});
  const double square =
      ordered_sum("tessera::assembly::dg::sum_estimate", exec, n, EstimateTerms<Space>{estimate.squares});
  const double energy = ordered_sum("tessera::assembly::dg::sum_energies", exec, n, EstimateTerms<Space>{energies});
  estimate.error = std::sqrt(square);
  estimate.norm = std::sqrt(square + energy);
  return estimate;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template Estimate<Space::memory_space> estimate_error<Space, 2>(const Space&, const Form<2, Space::memory_space>&,   \
                                                                  const Array<const double*, Space>&);                 \
  template Estimate<Space::memory_space> estimate_error<Space, 3>(const Space&, const Form<3, Space::memory_space>&,   \
                                                                  const Array<const double*, Space>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::assembly::dg
