// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/form/errors.hpp"

#include "core/algorithms/reduce.hpp"

namespace tessera::assembly::dg {

namespace {

/// Exact solution (program 0) and gradient (1 .. Dim).
template <int Dim, class Space> struct Exact {
  physics::ExpressionProgram<Space> program;
  KOKKOS_FUNCTION double operator()(int k, const double (&x)[Dim + 1]) const {
    return program(k, x[0], x[1], Dim == 3 ? x[2] : 0., x[Dim]);
  }
};

/// Squares of the error, of the solution, and of the error's gradient in A, over a simplex; of error and solution at
/// the end of the time slab.
template <int Dim, class Space> struct VolumeErrors {
  using Coefficients = physics::AdvectionCoefficients<Dim, Space>;
  Form<Dim, Space> form;
  Array<const double*, Space> u;
  Exact<Dim, Space> exact;
  ElementRange owned;

  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[5]) const {
    const auto simplex = static_cast<index_t>(i);
    const index_t e = form.element_of(simplex);
    const Rule rule = form.element_rule(e);
    const double measure = form.simplex_measure(simplex);
    double x[Dim + 1];
    double gradient[Dim];
    for (double& t : term)
      t = 0.;
    if (!owned.has(e))
      return;
    for (int q = 0; q < form.n_volume_points(rule); ++q) {
      double flux[Dim];
      double A[Coefficients::n_diffusion];
      const double weight = measure * form.time_measure() * form.volume_point(simplex, rule, q, x);
      const double solution = exact(0, x);
      const double error = solution - form.space.evaluate(e, u, x, gradient);
      for (int d = 0; d < Dim; ++d)
        gradient[d] = exact(1 + d, x) - gradient[d];
      form.coefficients.diffusion(form.regions(e), x, A);
      Coefficients::multiply(A, gradient, flux);
      term[0] += weight * error * error;
      term[1] += weight * solution * solution;
      for (int d = 0; d < Dim; ++d)
        term[2] += weight * flux[d] * gradient[d];
    }
    for (int q = 0; q < form.n_initial_points(rule); ++q) {
      const double weight = measure * form.initial_point(simplex, rule, q, x);
      x[Dim] = form.space.to;
      const double solution = exact(0, x);
      const double error = solution - form.space.evaluate(e, u, x, gradient);
      term[3] += weight * error * error;
      term[4] += weight * solution * solution;
    }
  }
};

/// Squares of the error's jumps over a face, times the penalty and |b . n| / 2. Outside the domain the error is zero.
template <int Dim, class Space> struct FaceErrors {
  using Coefficients = physics::AdvectionCoefficients<Dim, Space>;
  Form<Dim, Space> form;
  Array<const double*, Space> u;
  Exact<Dim, Space> exact;
  ElementRange owned;

  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[2]) const {
    const auto face = static_cast<index_t>(i);
    const index_t e = form.element(face, 0);
    const index_t other = form.element(face, 1);
    double n[Dim];
    const double area = form.face_normal(face, n) * form.time_measure();
    const Rule rule = form.face_rule(face);
    term[0] = 0.;
    term[1] = 0.;
    if (!owned.has(e)) // a face belongs to its first element
      return;
    for (int q = 0; q < form.n_face_points(rule); ++q) {
      double x[Dim + 1];
      double b[Dim];
      double A[Coefficients::n_diffusion];
      double flux[Dim];
      double gradient[Dim];
      const double weight = area * form.face_point(face, rule, q, x);
      double inside[Dim + 1];
      for (int d = 0; d <= Dim; ++d)
        inside[d] = x[d];
      form.move_inside(e, n, 1., inside);
      form.coefficients.advection(form.regions(e), inside, b);
      double bn = 0.;
      for (int d = 0; d < Dim; ++d)
        bn += b[d] * n[d];
      bool has_penalty = true;
      double outside = 0.;
      if (other >= 0) {
        outside = form.space.evaluate(other, u, x, gradient);
        if (form.is_joint(face)) { // at which the exact solution jumps
          double beyond[Dim + 1];
          for (int d = 0; d <= Dim; ++d)
            beyond[d] = x[d];
          form.move_inside(other, n, -1., beyond);
          outside += exact(0, inside) - exact(0, beyond);
        }
      } else {
        form.coefficients.diffusion(form.regions(e), inside, A);
        Coefficients::multiply(A, n, flux);
        double an = 0.;
        for (int d = 0; d < Dim; ++d)
          an += flux[d] * n[d];
        has_penalty = physics::boundary_part(form.coefficients.condition(form.boundary_group(face)), an,
                                             Coefficients::trace(A), bn) == physics::BoundaryPart::dirichlet;
        outside = exact(0, x);
      }
      const double jump = form.space.evaluate(e, u, x, gradient) - outside;
      const double square = weight * jump * jump;
      term[0] += has_penalty ? form.penalty(face) * square : 0.;
      term[1] += 0.5 * (bn < 0. ? -bn : bn) * square;
    }
  }
};

} // namespace

template <class ExecutionSpace, int Dim>
ErrorNorms error_norms(const ExecutionSpace& exec, const Form<Dim, typename ExecutionSpace::memory_space>& form,
                       const Array<const double*, ExecutionSpace>& u, const ExactSolution& exact,
                       const ElementRange& owned) {
  using Space = typename ExecutionSpace::memory_space;
  TESSERA_REQUIRE(exact.gradient.size() == Dim, "The exact gradient has " << exact.gradient.size() << " entries; in "
                                                                          << Dim << "D it has " << Dim << ".");
  Form<Dim, Space> finer = form;
  std::vector<int> degrees;
  for (int p = 0; p <= form.space.largest_degree; ++p)
    degrees.push_back(2 * p + 4);
  set_rules(exec, finer, degrees);
  std::vector<physics::Expression> expressions{exact.value};
  expressions.insert(expressions.end(), exact.gradient.begin(), exact.gradient.end());
  const Exact<Dim, Space> solution{physics::make_program(exec, expressions)};

  const std::int64_t n_simplices = form.n_simplices();
  const std::int64_t n_faces = form.faces.n_faces();
  const ReduceWorkspace<ExecutionSpace> workspace(exec, n_simplices > n_faces ? n_simplices : n_faces, 5);
  const auto sums = make_array<Array<double*, Space>>(exec, "assembly::dg::error_sums", 7);
  ordered_sums<5>("tessera::assembly::dg::volume_errors", exec, n_simplices,
                  VolumeErrors<Dim, Space>{finer, u, solution, owned}, workspace, sums.data());
  ordered_sums<2, SumKernels::few>("tessera::assembly::dg::face_errors", exec, n_faces,
                                   FaceErrors<Dim, Space>{finer, u, solution, owned}, workspace, sums.data() + 5);
  const auto squares = tessera::to_host(exec, sums);
  ErrorNorms norms;
  norms.l2 = std::sqrt(squares(0));
  norms.exact_l2 = std::sqrt(squares(1));
  norms.diffusion = std::sqrt(squares(2));
  norms.at_end = std::sqrt(squares(3));
  norms.exact_at_end = std::sqrt(squares(4));
  norms.jumps = std::sqrt(squares(5));
  norms.advection = std::sqrt(squares(6));
  return norms;
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template ErrorNorms error_norms(const Space&, const Form<Dim, Space::memory_space>&,                                 \
                                  const Array<const double*, Space>&, const ExactSolution&, const ElementRange&);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_DIM(Space, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::assembly::dg
