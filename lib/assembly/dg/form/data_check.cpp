// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/form/data_check.hpp"

#include "core/error.hpp"

#include <limits>

namespace tessera::assembly::dg {

namespace {

constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

/// Whether A is positive semidefinite up to rounding: all principal minors.
KOKKOS_INLINE_FUNCTION bool is_semidefinite(const double (&A)[3]) {
  const double trace = A[0] + A[2];
  return A[0] >= 0. && A[2] >= 0. && A[0] * A[2] - A[1] * A[1] >= -1e-13 * trace * trace;
}
KOKKOS_INLINE_FUNCTION bool is_semidefinite(const double (&A)[6]) {
  const double trace = A[0] + A[3] + A[5];
  const double least = -1e-13 * trace * trace;
  const double minor = A[3] * A[5] - A[4] * A[4];
  const double det = A[0] * minor - A[1] * (A[1] * A[5] - A[4] * A[2]) + A[2] * (A[1] * A[4] - A[3] * A[2]);
  return A[0] >= 0. && A[3] >= 0. && A[5] >= 0. && minor >= least && A[0] * A[3] - A[1] * A[1] >= least &&
         A[0] * A[5] - A[2] * A[2] >= least && det >= least * trace;
}

/// Kinds of faults, of which the first simplex is recorded: values that are not finite, and tensors that are not
/// semidefinite.
enum Fault { not_finite, not_semidefinite, n_faults };

template <int Dim, class Space> struct CheckVolume {
  using Coefficients = physics::AdvectionCoefficients<Dim, Space>;
  Form<Dim, Space> form;
  Array<std::int64_t*, Space> first; // [n_faults]

  KOKKOS_FUNCTION double divergence(index_t e, group_t region, const double (&x)[Dim + 1]) const {
    double sum = 0.;
    for (int d = 0; d < Dim; ++d) {
      const double step = 1e-5 * (form.space.boxes(e, 1, d) - form.space.boxes(e, 0, d));
      double low[Dim + 1];
      double high[Dim + 1];
      for (int k = 0; k <= Dim; ++k) {
        low[k] = x[k] - (k == d ? step : 0.);
        high[k] = x[k] + (k == d ? step : 0.);
      }
      const int slot = Coefficients::advection_slot + d;
      sum += (form.coefficients.value(region, slot, high) - form.coefficients.value(region, slot, low)) /
             (high[d] - low[d]);
    }
    return sum;
  }
  KOKKOS_FUNCTION void operator()(index_t simplex, double& least_reaction) const {
    const index_t e = form.element_of(simplex);
    const group_t region = form.regions(e);
    const Rule rule = form.element_rule(e);
    for (int q = 0; q < form.n_volume_points(rule); ++q) {
      double x[Dim + 1];
      double A[Coefficients::n_diffusion];
      double sum = 0.;
      form.volume_point(simplex, rule, q, x);
      for (int slot = 0; slot < Coefficients::n_slots; ++slot)
        sum += form.coefficients.value(region, slot, x);
      if (!(sum - sum == 0.))
        Kokkos::atomic_fetch_min(&first(not_finite), static_cast<std::int64_t>(simplex));
      form.coefficients.diffusion(region, x, A);
      if (!is_semidefinite(A))
        Kokkos::atomic_fetch_min(&first(not_semidefinite), static_cast<std::int64_t>(simplex));
      double reaction = form.coefficients.value(region, Coefficients::reaction_slot, x);
      if (form.coefficients.has_advection)
        reaction -= 0.5 * divergence(e, region, x);
      least_reaction = reaction < least_reaction ? reaction : least_reaction;
    }
  }
};

/// Counts boundary points of one kind.
template <int Dim, class Space> struct CountBoundary {
  using Coefficients = physics::AdvectionCoefficients<Dim, Space>;
  Form<Dim, Space> form;
  bool inflow; // true: inflow boundary; false: Neumann boundary with inflow

  KOKKOS_FUNCTION void operator()(index_t boundary_face, std::int64_t& count) const {
    const index_t face = form.faces.n_interior + boundary_face;
    const physics::AdvectionCondition condition = form.coefficients.condition(form.boundary_group(face));
    if (condition == physics::AdvectionCondition::dirichlet)
      return;
    const group_t region = form.regions(form.element(face, 0));
    double n[Dim];
    form.face_normal(face, n);
    const Rule rule = form.face_rule(face);
    for (int q = 0; q < form.n_face_points(rule); ++q) {
      double x[Dim + 1];
      double b[Dim];
      double A[Coefficients::n_diffusion];
      double flux[Dim];
      form.face_point(face, rule, q, x);
      form.move_inside(form.element(face, 0), n, 1., x);
      form.coefficients.advection(region, x, b);
      form.coefficients.diffusion(region, x, A);
      Coefficients::multiply(A, n, flux);
      double an = 0.;
      double bn = 0.;
      for (int d = 0; d < Dim; ++d) {
        an += flux[d] * n[d];
        bn += b[d] * n[d];
      }
      const physics::BoundaryPart part = physics::boundary_part(condition, an, Coefficients::trace(A), bn);
      if (bn < 0. && (part == physics::BoundaryPart::inflow) == inflow)
        ++count;
    }
  }
};

} // namespace

template <class ExecutionSpace, int Dim>
DataSummary check_data(const ExecutionSpace& exec, const Form<Dim, typename ExecutionSpace::memory_space>& form,
                       const std::vector<std::string>& region_names,
                       const physics::AdvectionDiffusionReaction& problem) {
  using Space = typename ExecutionSpace::memory_space;
  using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>;
  DataSummary summary;
  const auto first = make_filled<Array<std::int64_t*, Space>>(exec, "assembly::dg::faults", n_faults, none);
  Kokkos::parallel_reduce("tessera::assembly::dg::check_volume", Policy(exec, 0, form.n_simplices()),
                          CheckVolume<Dim, Space>{form, first}, Kokkos::Min<double>(summary.least_reaction));
  const auto found = tessera::to_host(exec, first);
  for (int fault = 0; fault < n_faults; ++fault) {
    if (found(fault) == none)
      continue;
    const auto simplex = static_cast<index_t>(found(fault));
    const group_t region = read_entry(exec, form.regions, read_entry(exec, form.element_of, simplex));
    const auto nodes =
        tessera::to_host(exec, Kokkos::subview(form.simplices, std::make_pair(simplex, simplex + 1), Kokkos::ALL()));
    std::ostringstream point;
    double centre[Dim] = {};
    for (int k = 0; k <= Dim; ++k) {
      const index_t node = nodes(0, k);
      const auto row =
          tessera::to_host(exec, Kokkos::subview(form.coordinates, std::make_pair(node, node + 1), Kokkos::ALL()));
      for (int d = 0; d < Dim; ++d)
        centre[d] += row(0, d) / (Dim + 1);
    }
    for (int d = 0; d < Dim; ++d)
      point << (d == 0 ? "(" : ", ") << centre[d];
    const std::string& where = problem.regions[region].where;
    TESSERA_REQUIRE(false, (where.empty() ? "" : where + ": ")
                               << (fault == not_finite ? "A coefficient that is not finite"
                                                       : "A diffusion tensor that is not positive semidefinite")
                               << " came out in region '" << region_names.at(region) << "' near " << point.str()
                               << ").");
  }
  const Policy boundary(exec, 0, form.faces.n_faces() - form.faces.n_interior);
  Kokkos::parallel_reduce("tessera::assembly::dg::count_inflow", boundary, CountBoundary<Dim, Space>{form, true},
                          Kokkos::Sum<std::int64_t>(summary.n_inflow_without_data));
  Kokkos::parallel_reduce("tessera::assembly::dg::count_neumann_inflow", boundary,
                          CountBoundary<Dim, Space>{form, false}, Kokkos::Sum<std::int64_t>(summary.n_neumann_inflow));
  exec.fence();
  return summary;
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template DataSummary check_data(const Space&, const Form<Dim, Space::memory_space>&,                                 \
                                  const std::vector<std::string>&, const physics::AdvectionDiffusionReaction&);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_DIM(Space, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::assembly::dg
