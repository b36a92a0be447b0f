// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/fluxes.hpp"

#include "assembly/dg/face_terms.hpp"
#include "core/reduce.hpp"

namespace tessera::assembly::dg {

namespace {

/// Measure, integral and energy over a simplex; zero in other regions.
template <int Dim, class Space> struct IntegrateRegion {
  using Coefficients = physics::TransportCoefficients<Dim, Space>;
  Form<Dim, Space> form;
  Array<const double*, Space> u;
  group_t region;

  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[3]) const {
    const auto simplex = static_cast<index_t>(i);
    const index_t e = form.element_of(simplex);
    for (double& t : term)
      t = 0.;
    if (form.regions(e) != region)
      return;
    const int p = form.space.degrees(e);
    const double measure = form.simplex_measure(simplex);
    for (int q = 0; q < form.n_volume_points(p); ++q) {
      double x[Dim + 1];
      double A[Coefficients::n_diffusion];
      double gradient[Dim];
      double flux[Dim];
      const double weight = measure * form.volume_point(simplex, p, q, x);
      term[0] += weight;
      term[1] += weight * form.space.evaluate(e, u, x, gradient);
      form.coefficients.diffusion(region, x, A);
      Coefficients::multiply(A, gradient, flux);
      for (int d = 0; d < Dim; ++d)
        term[2] += 0.5 * weight * flux[d] * gradient[d];
    }
  }
};

/// Flux through a boundary face; zero for faces of other groups. It is what the element's row has for the test function
/// 1, where the integral of b . grad u over the element leaves b . n u on its surface.
template <int Dim, class Space> struct IntegrateFlux {
  Form<Dim, Space> form;
  Array<const double*, Space> u;
  group_t group;

  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    const auto face = static_cast<index_t>(form.faces.n_interior + i);
    term[0] = 0.;
    if (form.boundary_group(face) != group)
      return;
    const index_t e = form.element(face, 0);
    double n[Dim];
    const double area = form.face_normal(face, n);
    const int rule = form.face_rule(face);
    for (int q = 0; q < form.n_face_points(rule); ++q) {
      double x[Dim + 1];
      double gradient[Dim];
      const double weight = area * form.face_point(face, rule, q, x);
      const FaceTerms<Dim> terms = boundary_terms(form, face, e, x, n);
      const double value = form.space.evaluate(e, u, x, gradient);
      double diffusive = 0.;
      for (int d = 0; d < Dim; ++d)
        diffusive += terms.flux[d] * gradient[d];
      const double advective = detail::normal_advection(form.coefficients, form.regions(e), x, n) * value;
      term[0] -= weight * (advective + terms.alpha * value + terms.beta * diffusive - terms.load_value);
    }
  }
};

} // namespace

template <class ExecutionSpace, int Dim>
std::vector<RegionIntegrals> region_integrals(const ExecutionSpace& exec,
                                              const Form<Dim, typename ExecutionSpace::memory_space>& form,
                                              const Array<const double*, ExecutionSpace>& u, int n_regions) {
  using Space = typename ExecutionSpace::memory_space;
  const ReduceWorkspace<ExecutionSpace> workspace(exec, form.n_simplices(), 3);
  const auto sums = make_array<Array<double*, Space>>(exec, "assembly::dg::region_sums", 3 * n_regions);
  for (int region = 0; region < n_regions; ++region)
    ordered_sums<3>("tessera::assembly::dg::integrate_region", exec, form.n_simplices(),
                    IntegrateRegion<Dim, Space>{form, u, static_cast<group_t>(region)}, workspace,
                    sums.data() + 3 * region);
  const auto on_host = tessera::to_host(exec, sums);
  std::vector<RegionIntegrals> integrals;
  for (int region = 0; region < n_regions; ++region)
    integrals.push_back({on_host(3 * region), on_host(3 * region + 1), on_host(3 * region + 2)});
  return integrals;
}

template <class ExecutionSpace, int Dim>
std::vector<double> boundary_fluxes(const ExecutionSpace& exec,
                                    const Form<Dim, typename ExecutionSpace::memory_space>& form,
                                    const Array<const double*, ExecutionSpace>& u, int n_groups) {
  using Space = typename ExecutionSpace::memory_space;
  const std::int64_t n_faces = form.faces.n_faces() - form.faces.n_interior;
  const ReduceWorkspace<ExecutionSpace> workspace(exec, n_faces, 1);
  const auto sums = make_array<Array<double*, Space>>(exec, "assembly::dg::flux_sums", n_groups + 1);
  for (int group = 0; group <= n_groups; ++group)
    ordered_sums<1>("tessera::assembly::dg::integrate_flux", exec, n_faces,
                    IntegrateFlux<Dim, Space>{
                        form, u, group < n_groups ? static_cast<group_t>(group) : mesh::Faces<Dim, Space>::no_group},
                    workspace, sums.data() + group);
  const auto on_host = tessera::to_host(exec, sums);
  return {on_host.data(), on_host.data() + n_groups + 1};
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template std::vector<RegionIntegrals> region_integrals(const Space&, const Form<Dim, Space::memory_space>&,          \
                                                         const Array<const double*, Space>&, int);                     \
  template std::vector<double> boundary_fluxes(const Space&, const Form<Dim, Space::memory_space>&,                    \
                                               const Array<const double*, Space>&, int);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_DIM(Space, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::assembly::dg
