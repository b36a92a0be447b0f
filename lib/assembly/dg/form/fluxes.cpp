// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/form/fluxes.hpp"

#include "assembly/dg/form/face_terms.hpp"
#include "core/algorithms/grouped_items.hpp"
#include "core/algorithms/segmented_sums.hpp"

namespace tessera::assembly::dg {

namespace {

/// Region of a simplex; the number of regions for elements that are not counted.
template <int Dim, class Space> struct RegionOfSimplex {
  Form<Dim, Space> form;
  ElementRange owned;
  index_t n_regions;
  KOKKOS_FUNCTION index_t operator()(std::int64_t i) const {
    const index_t e = form.element_of(static_cast<index_t>(i));
    return owned.has(e) ? static_cast<index_t>(form.regions(e)) : n_regions;
  }
};

/// Group of a boundary face; the last group for faces without one.
template <int Dim, class Space> struct GroupOfFace {
  Form<Dim, Space> form;
  index_t n_groups;
  KOKKOS_FUNCTION index_t operator()(std::int64_t i) const {
    const group_t group = form.boundary_group(static_cast<index_t>(form.faces.n_interior + i));
    return group == mesh::Faces<Dim, Space>::no_group ? n_groups : static_cast<index_t>(group);
  }
};

/// Measure, integral, energy and source over a simplex; in time measure and integral are those at the end of the step.
template <int Dim, class Space> struct IntegrateSimplex {
  using Coefficients = physics::AdvectionCoefficients<Dim, Space>;
  Form<Dim, Space> form;
  Array<const double*, Space> u;
  Array<double* [4], Space> terms;

  KOKKOS_FUNCTION void operator()(index_t simplex) const {
    const index_t e = form.element_of(simplex);
    const group_t region = form.regions(e);
    double term[4] = {0., 0., 0., 0.};
    const Rule rule = form.element_rule(e);
    const double measure = form.simplex_measure(simplex);
    for (int q = 0; q < form.n_volume_points(rule); ++q) {
      double x[Dim + 1];
      double A[Coefficients::n_diffusion];
      double gradient[Dim];
      double flux[Dim];
      const double weight = measure * form.volume_point(simplex, rule, q, x);
      term[0] += weight;
      term[1] += weight * form.space.evaluate(e, u, x, gradient);
      form.coefficients.diffusion(region, x, A);
      Coefficients::multiply(A, gradient, flux);
      for (int d = 0; d < Dim; ++d)
        term[2] += 0.5 * weight * flux[d] * gradient[d];
      term[3] += weight * form.coefficients.value(region, Coefficients::source_slot, x);
    }
    if (form.n_initial_points(rule) > 0) {
      term[0] = 0.;
      term[1] = 0.;
    }
    for (int q = 0; q < form.n_initial_points(rule); ++q) {
      double x[Dim + 1];
      double gradient[Dim];
      const double weight = measure * form.initial_point(simplex, rule, q, x);
      x[Dim] = form.space.to;
      term[0] += weight;
      term[1] += weight * form.space.evaluate(e, u, x, gradient);
    }
    for (int k = 0; k < 4; ++k)
      terms(simplex, k) = term[k];
  }
};

/// One of the terms of the simplices of a region: segment 4 r + k is term k of region r.
template <class Space> struct TermOfRegion {
  Array<const double* [4], Space> terms;
  Array<const std::int64_t*, Space> simplices; ///< by region
  KOKKOS_FUNCTION void operator()(index_t segment, std::int64_t i, double (&term)[1]) const {
    term[0] = terms(simplices(i), segment % 4);
  }
};

/// Flux through a boundary face: the terms of the element's row for the test function 1, for which the integral of b .
/// grad u over the element becomes b . n u on its surface.
template <int Dim, class Space> struct IntegrateFlux {
  Form<Dim, Space> form;
  Array<const double*, Space> u;
  Array<const std::int64_t*, Space> boundary_faces; ///< by group
  FluxSum sum;

  KOKKOS_FUNCTION void operator()(index_t, std::int64_t i, double (&term)[1]) const {
    const auto face = static_cast<index_t>(form.faces.n_interior + boundary_faces(i));
    term[0] = 0.;
    const index_t e = form.element(face, 0);
    double n[Dim];
    const double area = form.face_normal(face, n);
    const Rule rule = form.face_rule(face);
    for (int q = 0; q < form.n_face_points(rule); ++q) {
      double x[Dim + 1];
      double gradient[Dim];
      const double weight = area * form.face_point(face, rule, q, x);
      const FaceTerms<Dim> terms = boundary_terms(form, face, e, x, n);
      const double value = form.space.evaluate(e, u, x, gradient);
      double diffusive = 0.;
      for (int d = 0; d < Dim; ++d)
        diffusive += terms.flux[d] * gradient[d];
      const double advective = detail::normal_advection(form, e, x, n, 1.) * value;
      term[0] -= weight * (advective + terms.alpha * value + terms.beta * diffusive - terms.load_value);
    }
    if (sum == FluxSum::magnitudes && term[0] < 0.)
      term[0] = -term[0];
  }
};

/// The boundary faces, from `n_interior` on, by group.
template <class ExecutionSpace, int Dim>
auto boundary_faces_by_group(const ExecutionSpace& exec, const Form<Dim, typename ExecutionSpace::memory_space>& form,
                             int n_groups) {
  const std::int64_t n_faces = form.faces.n_faces() - form.faces.n_interior;
  return group_items(exec, n_faces, n_groups + 1,
                     GroupOfFace<Dim, typename ExecutionSpace::memory_space>{form, n_groups}, "faces of boundaries");
}

} // namespace

template <class ExecutionSpace, int Dim>
std::vector<RegionIntegrals>
region_integrals(const ExecutionSpace& exec, const Form<Dim, typename ExecutionSpace::memory_space>& form,
                 const Array<const double*, ExecutionSpace>& u, int n_regions, const ElementRange& owned) {
  using Space = typename ExecutionSpace::memory_space;
  const auto simplices = group_items(exec, form.n_simplices(), n_regions + 1,
                                     RegionOfSimplex<Dim, Space>{form, owned, n_regions}, "simplices of regions");
  const IntegrateSimplex<Dim, Space> integrate{
      form, u, make_array<Array<double* [4], Space>>(exec, "assembly::dg::simplex_integrals", form.n_simplices())};
  for_each("tessera::assembly::dg::integrate_simplex", exec, form.n_simplices(), integrate);
  std::vector<Segment> segments;
  for (int region = 0; region < n_regions; ++region)
    for (int k = 0; k < 4; ++k)
      segments.push_back({simplices.host_starts[region], simplices.host_starts[region + 1], 4 * region + k});
  const SegmentedSums<ExecutionSpace> by_region(exec, segments);
  const auto sums = make_filled<Array<double*, Space>>(exec, "assembly::dg::region_sums", 4 * n_regions, 0.);
  by_region.sum("tessera::assembly::dg::sum_regions", exec, TermOfRegion<Space>{integrate.terms, simplices.items},
                sums.data());
  const auto on_host = tessera::to_host(exec, sums);
  std::vector<RegionIntegrals> integrals;
  for (int region = 0; region < n_regions; ++region)
    integrals.push_back(
        {on_host(4 * region), on_host(4 * region + 1), on_host(4 * region + 2), on_host(4 * region + 3)});
  return integrals;
}

template <class ExecutionSpace, int Dim>
std::vector<std::int64_t> count_boundary_faces(const ExecutionSpace& exec,
                                               const Form<Dim, typename ExecutionSpace::memory_space>& form,
                                               int n_groups) {
  const auto faces = boundary_faces_by_group<ExecutionSpace, Dim>(exec, form, n_groups);
  std::vector<std::int64_t> counts;
  for (int group = 0; group <= n_groups; ++group)
    counts.push_back(faces.host_starts[group + 1] - faces.host_starts[group]);
  return counts;
}

template <class ExecutionSpace, int Dim>
std::vector<double> boundary_fluxes(const ExecutionSpace& exec,
                                    const Form<Dim, typename ExecutionSpace::memory_space>& form,
                                    const Array<const double*, ExecutionSpace>& u, int n_groups, FluxSum sum) {
  using Space = typename ExecutionSpace::memory_space;
  const auto faces = boundary_faces_by_group<ExecutionSpace, Dim>(exec, form, n_groups);
  std::vector<Segment> segments;
  for (int group = 0; group <= n_groups; ++group)
    segments.push_back({faces.host_starts[group], faces.host_starts[group + 1], group});
  const SegmentedSums<ExecutionSpace> by_group(exec, segments);
  const auto sums = make_filled<Array<double*, Space>>(exec, "assembly::dg::flux_sums", n_groups + 1, 0.);
  by_group.sum("tessera::assembly::dg::integrate_flux", exec, IntegrateFlux<Dim, Space>{form, u, faces.items, sum},
               sums.data());
  const auto on_host = tessera::to_host(exec, sums);
  return {on_host.data(), on_host.data() + n_groups + 1};
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template std::vector<RegionIntegrals> region_integrals(const Space&, const Form<Dim, Space::memory_space>&,          \
                                                         const Array<const double*, Space>&, int,                      \
                                                         const ElementRange&);                                         \
  template std::vector<double> boundary_fluxes(const Space&, const Form<Dim, Space::memory_space>&,                    \
                                               const Array<const double*, Space>&, int, FluxSum);                      \
  template std::vector<std::int64_t> count_boundary_faces(const Space&, const Form<Dim, Space::memory_space>&, int);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_DIM(Space, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::assembly::dg
