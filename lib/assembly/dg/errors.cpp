// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/errors.hpp"

#include "core/reduce.hpp"

namespace tessera::assembly::dg {

namespace {

/// Exact solution (program 0) and gradient (1 .. Dim).
template <int Dim, class Space> struct Exact {
  physics::ExpressionProgram<Space> program;
  double time;
  KOKKOS_FUNCTION double operator()(int k, const double (&x)[Dim]) const {
    return program(k, x[0], x[1], Dim == 3 ? x[Dim - 1] : 0., time);
  }
};

/// Squares of the error, of the solution, and of the error's gradient in A, over a simplex.
template <int Dim, class Space> struct VolumeErrors {
  using Coefficients = physics::TransportCoefficients<Dim, Space>;
  Form<Dim, Space> form;
  Array<const double*, Space> u;
  Exact<Dim, Space> exact;

  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[3]) const {
    const auto simplex = static_cast<index_t>(i);
    const index_t e = form.element_of(simplex);
    const int p = form.space.degrees(e);
    const double measure = form.simplex_measure(simplex);
    for (double& t : term)
      t = 0.;
    for (int q = form.volume_rules.offsets(p); q < form.volume_rules.offsets(p + 1); ++q) {
      double x[Dim];
      double gradient[Dim];
      double flux[Dim];
      double A[Coefficients::n_diffusion];
      form.volume_point(simplex, q, x);
      const double weight = measure * form.volume_rules.weights(q);
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
  }
};

/// Squares of the error's jumps over a face, times the penalty and |b . n| / 2. Beyond the boundary the error is zero.
template <int Dim, class Space> struct FaceErrors {
  using Coefficients = physics::TransportCoefficients<Dim, Space>;
  Form<Dim, Space> form;
  Array<const double*, Space> u;
  Exact<Dim, Space> exact;

  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[2]) const {
    const auto face = static_cast<index_t>(i);
    const index_t e = form.element(face, 0);
    const index_t other = form.element(face, 1);
    double n[Dim];
    const double area = form.face_normal(face, n);
    const int rule = form.face_rule(face);
    term[0] = 0.;
    term[1] = 0.;
    for (int q = form.face_rules.offsets(rule); q < form.face_rules.offsets(rule + 1); ++q) {
      double x[Dim];
      double b[Dim];
      double A[Coefficients::n_diffusion];
      double flux[Dim];
      double gradient[Dim];
      form.face_point(face, q, x);
      form.coefficients.advection(form.regions(e), x, b);
      double bn = 0.;
      for (int d = 0; d < Dim; ++d)
        bn += b[d] * n[d];
      bool has_penalty = true;
      double outside = 0.;
      if (other >= 0) {
        outside = form.space.evaluate(other, u, x, gradient);
      } else {
        form.coefficients.diffusion(form.regions(e), x, A);
        Coefficients::multiply(A, n, flux);
        double an = 0.;
        for (int d = 0; d < Dim; ++d)
          an += flux[d] * n[d];
        has_penalty = physics::boundary_part(form.coefficients.condition(form.boundary_group(face)), an,
                                             Coefficients::trace(A), bn) == physics::BoundaryPart::dirichlet;
        outside = exact(0, x);
      }
      const double jump = form.space.evaluate(e, u, x, gradient) - outside;
      const double square = area * form.face_rules.weights(q) * jump * jump;
      term[0] += has_penalty ? form.penalty(face) * square : 0.;
      term[1] += 0.5 * (bn < 0. ? -bn : bn) * square;
    }
  }
};

} // namespace

template <class ExecutionSpace, int Dim>
ErrorNorms error_norms(const ExecutionSpace& exec, const Form<Dim, typename ExecutionSpace::memory_space>& form,
                       const Array<const double*, ExecutionSpace>& u, const ExactSolution& exact) {
  using Space = typename ExecutionSpace::memory_space;
  TESSERA_REQUIRE(exact.gradient.size() == Dim, "The exact gradient has " << exact.gradient.size() << " entries; in "
                                                                          << Dim << "D it has " << Dim << ".");
  Form<Dim, Space> finer = form;
  std::vector<int> degrees;
  for (int p = 0; p <= form.space.largest_degree; ++p)
    degrees.push_back(2 * p + 4);
  finer.volume_rules = fe::make_simplex_rules<Dim + 1>(exec, degrees);
  finer.face_rules = fe::make_simplex_rules<Dim>(exec, degrees);
  std::vector<physics::Expression> expressions{exact.value};
  expressions.insert(expressions.end(), exact.gradient.begin(), exact.gradient.end());
  const Exact<Dim, Space> solution{physics::make_program(exec, expressions), form.coefficients.time};

  const std::int64_t n_simplices = form.n_simplices();
  const std::int64_t n_faces = form.faces.n_faces();
  const ReduceWorkspace<ExecutionSpace> workspace(exec, n_simplices > n_faces ? n_simplices : n_faces, 3);
  const auto sums = make_array<Array<double*, Space>>(exec, "assembly::dg::error_sums", 5);
  ordered_sums<3>("tessera::assembly::dg::volume_errors", exec, n_simplices,
                  VolumeErrors<Dim, Space>{finer, u, solution}, workspace, sums.data());
  ordered_sums<2>("tessera::assembly::dg::face_errors", exec, n_faces, FaceErrors<Dim, Space>{finer, u, solution},
                  workspace, sums.data() + 3);
  const auto squares = tessera::to_host(exec, sums);
  ErrorNorms norms;
  norms.l2 = std::sqrt(squares(0));
  norms.exact_l2 = std::sqrt(squares(1));
  norms.diffusion = std::sqrt(squares(2));
  norms.jumps = std::sqrt(squares(3));
  norms.advection = std::sqrt(squares(4));
  return norms;
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template ErrorNorms error_norms(const Space&, const Form<Dim, Space::memory_space>&,                                 \
                                  const Array<const double*, Space>&, const ExactSolution&);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_DIM(Space, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::assembly::dg
