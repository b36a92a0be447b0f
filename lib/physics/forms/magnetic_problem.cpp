// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "physics/forms/magnetic_problem.hpp"

#include "core/error.hpp"
#include "core/keep_alive.hpp"
#include "core/transfer/upload.hpp"
#include "linalg/global_sums.hpp"
#include "physics/expressions/expression_program.hpp"
#include "physics/forms/element_points.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::physics {

namespace {

/// Area of the elements of one region.
template <int Order, class Space> struct SumArea {
  using element = fe::Lagrange<2, Order>;
  using rule = fe::FormQuadrature<2, 2>; // exact for the measures of curved elements
  Array<const index_t * [element::n_nodes], Space> element_nodes;
  Array<const double* [2], Space> coordinates;
  Array<const std::uint8_t*, Space> curved_elements;
  Array<const group_t*, Space> regions;
  group_t region;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    term[0] = 0.;
    if (regions(i) != region)
      return;
    index_t n[element::n_nodes];
    for (int a = 0; a < element::n_nodes; ++a)
      n[a] = element_nodes(i, a);
    fe::ElementMap<element> map;
    map.load(coordinates.data(), n, curved_elements.extent(0) > 0 && curved_elements(i) != 0);
    if (!map.is_curved) {
      term[0] = map.measure;
      return;
    }
    for (int q = 0; q < rule::n_points; ++q) {
      double lambda[3];
      const double weight = rule::point(q, lambda);
      map.move_to(coordinates.data(), n, lambda);
      term[0] += weight * map.measure;
    }
  }
};

/// Nodes and A of an element.
template <class Form> struct LocalPotential {
  index_t n[Form::n_nodes];
  double A[Form::n_nodes];
  KOKKOS_FUNCTION LocalPotential(const Form& form, std::int64_t e,
                                 const Array<const double*, typename Form::memory_space>& nodal) {
    form.nodes(static_cast<index_t>(e), n);
    for (int a = 0; a < Form::n_nodes; ++a)
      A[a] = nodal(n[a]);
  }
};

template <class Form> struct SumCoenergy {
  Form form;
  Array<const double*, typename Form::memory_space> nodal;
  KOKKOS_FUNCTION void operator()(std::int64_t e, double (&term)[1]) const {
    const LocalPotential<Form> local(form, e, nodal);
    term[0] = form.coenergy(static_cast<index_t>(e), local.n, local.A);
  }
};

template <class Form> struct SumLinkage {
  Form form;
  Array<const double*, typename Form::memory_space> nodal;
  Array<const double*, typename Form::memory_space> density; // [n_regions]
  KOKKOS_FUNCTION void operator()(std::int64_t e, double (&term)[1]) const {
    const double here = density(form.medium.regions(e));
    term[0] = 0.;
    if (here == 0.)
      return;
    const LocalPotential<Form> local(form, e, nodal);
    term[0] = form.linkage(static_cast<index_t>(e), local.n, local.A, here);
  }
};

template <class Form> struct SumSlope {
  Form form;
  Array<const double*, typename Form::memory_space> from;
  Array<const double*, typename Form::memory_space> to;
  double s;
  KOKKOS_FUNCTION void operator()(std::int64_t e, double (&term)[1]) const {
    LocalPotential<Form> local(form, e, from);
    double d[Form::n_nodes];
    for (int a = 0; a < Form::n_nodes; ++a) {
      d[a] = to(local.n[a]) - local.A[a];
      local.A[a] += s * d[a];
    }
    term[0] = form.slope(static_cast<index_t>(e), local.n, local.A, d);
  }
};

template <class Form> struct LargestFluxDensity {
  using rule = typename Form::volume_rule;
  Form form;
  Array<const double*, typename Form::memory_space> nodal;
  group_t region;
  KOKKOS_FUNCTION void operator()(std::int64_t e, double& largest) const {
    if (form.medium.regions(e) != region)
      return;
    const LocalPotential<Form> local(form, e, nodal);
    for (int q = 0; q < rule::n_points; ++q) {
      double lambda[Form::n_vertices];
      rule::point(q, lambda);
      double B[Form::dimension];
      form.flux_density(static_cast<index_t>(e), local.n, lambda, local.A, B);
      const double size = std::sqrt(B[0] * B[0] + B[1] * B[1]);
      largest = size > largest ? size : largest;
    }
  }
};

/// Remanence at the quadrature points of every element.
template <int Order, class Space> struct EvaluateRemanence {
  using rule = fe::FormQuadrature<2, Order>;
  detail::ElementPoints<2, Order, Space> points;
  Array<const group_t*, Space> regions;
  MagnetProgram<Space> magnets;
  Array<double* [2], Space> remanence;
  detail::Offender<Space> bad;

  KOKKOS_FUNCTION void operator()(index_t e) const {
    for (int q = 0; q < rule::n_points; ++q) {
      double lambda[3];
      rule::point(q, lambda);
      const detail::Position<2> p = points.at(e, lambda);
      double value[2];
      const double length = magnets.evaluate(regions(e), p.x[0], p.x[1], value);
      if (!detail::is_finite(length) || !(length > 0.))
        bad.report(e);
      for (int d = 0; d < 2; ++d)
        remanence(static_cast<std::int64_t>(e) * rule::n_points + q, d) = value[d];
    }
  }
};

/// Program r: current density of region r.
template <class Space> struct SumSource {
  Array<const index_t* [3], Space> elements;
  Array<const double* [2], Space> coordinates;
  Array<const group_t*, Space> regions;
  ExpressionProgram<Space> program;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[2]) const {
    double p[3][2];
    double normals[3][2];
    for (int k = 0; k < 3; ++k)
      for (int d = 0; d < 2; ++d)
        p[k][d] = coordinates(elements(i, k), d);
    const double det = fe::simplex_normals(p, normals);
    const double x = (p[0][0] + p[1][0] + p[2][0]) / 3.;
    const double y = (p[0][1] + p[1][1] + p[2][1]) / 3.;
    term[0] = 0.5 * (det < 0. ? -det : det) * program(regions(i), x, y, 0., 0.);
    term[1] = term[0] < 0. ? -term[0] : term[0];
  }
};

} // namespace

template <class ExecutionSpace, int Order>
std::vector<std::vector<double>>
coil_densities(const ExecutionSpace& exec, const mesh::Mesh<2, typename ExecutionSpace::memory_space>& mesh,
               const fe::FunctionSpace<2, Order, typename ExecutionSpace::memory_space>& space,
               const MagneticProblem& problem, const linalg::ElementSums<ExecutionSpace>& sums) {
  using Space = typename ExecutionSpace::memory_space;
  const std::size_t n_regions = problem.regions.size();
  std::vector<std::vector<double>> densities;
  for (const Coil& coil : problem.coils) {
    std::vector<double> density(n_regions, 0.);
    for (std::size_t r = 0; r < n_regions; ++r) {
      if (coil.direction[r] == 0.)
        continue;
      const double area = sums("tessera::physics::coil_area", exec,
                               SumArea<Order, Space>{space.element_nodes, space.coordinates, space.curved_elements,
                                                     mesh.regions, static_cast<group_t>(r)});
      TESSERA_REQUIRE(area > 0., (coil.where.empty() ? "" : coil.where + ": ")
                                     << "Coil '" << coil.name << "': region '" << mesh.region_names[r]
                                     << "' has no area in the mesh.");
      density[r] = coil.direction[r] * coil.turns / area;
    }
    densities.push_back(density);
  }
  return densities;
}

std::vector<double> current_densities(const std::vector<std::vector<double>>& densities,
                                      const std::vector<double>& currents, std::size_t n_regions) {
  std::vector<double> sums(n_regions, 0.);
  for (std::size_t c = 0; c < densities.size(); ++c)
    for (std::size_t r = 0; r < n_regions; ++r)
      sums[r] += densities[c][r] * currents[c];
  return sums;
}

namespace {

double size_of(const MagneticRegion& region) {
  return region.direction.empty() ? std::hypot(region.remanence[0], region.remanence[1]) : region.remanence_size;
}

/// Integral of H . dB from B = 0 to the remanence, where H = 0, of a magnet whose curve is shifted by `coercive_field`.
double energy_without_field(const BhTable& table, double coercive_field) {
  const std::vector<BhPiece> pieces = make_bh_pieces(table);
  const auto after = std::upper_bound(pieces.begin() + 1, pieces.end(), coercive_field,
                                      [](double h, const BhPiece& piece) { return h < piece.h; });
  const BhPiece& piece = *(after - 1);
  const auto h = [&](double t) { return piece.h + t * (piece.c1 + t * (piece.c2 + t * piece.c3)); };
  double low = 0.;
  double high = after == pieces.end() ? (coercive_field - piece.h) / piece.c1 : after->b - piece.b;
  for (int i = 0; i < 100; ++i) { // halved to the last bit
    const double middle = 0.5 * (low + high);
    (h(middle) < coercive_field ? low : high) = middle;
  }
  const double energy = piece.w + low * (piece.h + low * (piece.c1 / 2. + low * (piece.c2 / 3. + low * piece.c3 / 4.)));
  return energy - coercive_field * (piece.b + low);
}

/// Sets the directions of all magnets, including those that do not vary.
template <class ExecutionSpace, int Order, class Form>
void set_varying_magnets(const ExecutionSpace& exec, const mesh::Mesh<2, typename ExecutionSpace::memory_space>& mesh,
                         const MagneticProblem& problem, Form& form) {
  using Space = typename ExecutionSpace::memory_space;
  std::vector<double> sizes;
  std::vector<Expression> directions;
  for (const MagneticRegion& region : problem.regions) {
    const bool varies = !region.direction.empty();
    sizes.push_back(size_of(region));
    for (std::size_t d = 0; d < 2; ++d)
      directions.push_back(varies ? region.direction.at(d) : Expression(region.remanence[d]));
  }
  form.magnets = {make_program(exec, directions), uploaded(exec, "physics::remanence_sizes", sizes)};
  const auto bad = detail::make_offender(exec);
  const auto result = make_array<Array<double* [2], Space>>(
      exec, "physics::point_remanence", static_cast<std::size_t>(mesh.n_elements()) * Form::volume_rule::n_points);
  for_each("tessera::physics::evaluate_remanence", exec, mesh.n_elements(),
           EvaluateRemanence<Order, Space>{{form.element_nodes, form.coordinates, form.medium.curved_elements},
                                           mesh.regions,
                                           form.magnets,
                                           result,
                                           bad});
  detail::require_none<ExecutionSpace, 2>(
      exec, mesh, bad, [&](group_t region) { return problem.medium.regions[region].where; },
      "A direction of the magnetisation that is not finite, or zero, came out");
  form.point_remanence = result;
}

} // namespace

template <class ExecutionSpace, int Order>
Magnetostatics<2, Order, typename ExecutionSpace::memory_space>
make_magnetic_form(const ExecutionSpace& exec, const mesh::Mesh<2, typename ExecutionSpace::memory_space>& mesh,
                   const fe::FunctionSpace<2, Order, typename ExecutionSpace::memory_space>& space,
                   const MagneticProblem& problem, const std::vector<std::vector<double>>& densities) {
  using Space = typename ExecutionSpace::memory_space;
  const std::size_t n_regions = problem.regions.size();
  Magnetostatics<2, Order, Space> form;
  form.medium = make_general_form<ExecutionSpace, 2, Order>(exec, mesh, space, problem.medium);
  form.element_nodes = form.medium.element_nodes;
  form.element_vertices = form.medium.element_vertices;
  form.coordinates = form.medium.coordinates;

  std::vector<double> currents;
  for (const Coil& coil : problem.coils)
    currents.push_back(coil.current);
  const std::vector<double> coil_density = current_densities(densities, currents, n_regions);
  std::vector<double> remanence;
  std::vector<double> energy_at_rest(n_regions, 0.);
  std::vector<double> shell;
  std::vector<index_t> curve;
  std::vector<index_t> curve_across;
  std::vector<double> curve_axis;
  bool is_directional = false;
  bool has_magnet = false;
  bool has_shell = false;
  for (std::size_t r = 0; r < n_regions; ++r) {
    const MagneticRegion& region = problem.regions[r];
    const bool is_magnet = region.is_magnet();
    if (is_magnet && region.curve >= 0)
      energy_at_rest[r] = energy_without_field(problem.curves[static_cast<std::size_t>(region.curve)], size_of(region));
    bool is_wound = false; // independently of the current
    for (const std::vector<double>& density : densities)
      is_wound = is_wound || density[r] != 0.;
    TESSERA_REQUIRE(!region.is_shell || (!is_magnet && region.curve < 0 && !is_wound),
                    "Region '" << mesh.region_names[r]
                               << "' is a shell: it represents empty space and contains no magnets, B-H curves or "
                                  "currents.");
    has_magnet = has_magnet || is_magnet;
    has_shell = has_shell || region.is_shell;
    remanence.insert(remanence.end(), region.remanence.begin(), region.remanence.end());
    curve.push_back(region.curve);
    curve_across.push_back(region.curve_across);
    for (const double component : {std::cos(region.curve_angle), std::sin(region.curve_angle)})
      curve_axis.push_back(component);
    is_directional = is_directional || region.curve_across >= 0;
    TESSERA_REQUIRE(region.curve_across < 0 || !is_magnet,
                    "Region '" << mesh.region_names[r] << "' is a magnet, which cannot have two B-H curves.");
    for (const double value :
         {region.center[0], region.center[1], region.inner_radius, region.is_shell ? region.outer_radius : 0.})
      shell.push_back(value);
  }
  const char* label = "physics::region_table";
  form.coil_density = uploaded(exec, label, coil_density);
  if (has_magnet) {
    const auto table = make_array<Array<double* [2], Space>>(exec, label, n_regions);
    upload(exec, table, remanence);
    form.remanence = table;
  }
  if (std::any_of(problem.regions.begin(), problem.regions.end(),
                  [](const MagneticRegion& region) { return !region.direction.empty(); }))
    set_varying_magnets<ExecutionSpace, Order>(exec, mesh, problem, form);
  if (has_shell) {
    const auto table = make_array<Array<double* [4], Space>>(exec, label, n_regions);
    upload(exec, table, shell);
    form.shell = table;
  }
  if (!problem.is_linear()) {
    form.curve = uploaded(exec, label, curve);
    form.curves = make_bh_curves(exec, problem.curves);
    if (is_directional) {
      form.curve_across = uploaded(exec, label, curve_across);
      const auto table = make_array<Array<double* [2], Space>>(exec, label, n_regions);
      upload(exec, table, curve_axis);
      form.curve_axis = table;
    }
    form.energy_at_rest = uploaded(exec, label, energy_at_rest);
    form.iterate = make_filled<Array<double*, Space>>(exec, "physics::iterate", space.n_nodes(), 0.);
  }
  return form;
}

template <class ExecutionSpace, class Form>
double field_coenergy(const ExecutionSpace& exec, const Form& form, const Array<const double*, ExecutionSpace>& nodal) {
  return linalg::global_sum("tessera::physics::coenergy", exec, form.n_elements(), SumCoenergy<Form>{form, nodal});
}

template <class ExecutionSpace, class Form>
double flux_linkage(const ExecutionSpace& exec, const Form& form, const Array<const double*, ExecutionSpace>& nodal,
                    const std::vector<double>& density) {
  const auto table = uploaded(exec, "physics::region_table", density);
  return linalg::global_sum("tessera::physics::flux_linkage", exec, form.n_elements(), // waits: the table may be freed
                            SumLinkage<Form>{form, nodal, table});
}

template <class ExecutionSpace, class Form>
double largest_flux_density(const ExecutionSpace& exec, const Form& form,
                            const Array<const double*, ExecutionSpace>& nodal, group_t region) {
  double largest = 0.;
  Kokkos::parallel_reduce("tessera::physics::largest_flux_density",
                          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, form.n_elements()),
                          LargestFluxDensity<Form>{form, nodal, region}, Kokkos::Max<double>(largest));
  return linalg::GlobalSums<ExecutionSpace>::local().largest(largest > 0. ? largest : 0.);
}

template <class ExecutionSpace>
PlaneCurrent source_current(const ExecutionSpace& exec,
                            const mesh::Mesh<2, typename ExecutionSpace::memory_space>& mesh,
                            const MagneticProblem& problem) {
  std::vector<Expression> densities;
  for (const RegionData& region : problem.medium.regions)
    densities.push_back(region.source);
  const ReduceWorkspace<ExecutionSpace> workspace(exec, mesh.n_elements(), 2);
  const auto sums = make_array<Array<double*, ExecutionSpace>>(exec, "physics::source_current", 2);
  const auto program = make_program(exec, densities);
  linalg::global_sums<2>(
      "tessera::physics::source_current", exec, mesh.n_elements(),
      SumSource<typename ExecutionSpace::memory_space>{mesh.elements, mesh.coordinates, mesh.regions, program},
      workspace, sums.data(), linalg::GlobalSums<ExecutionSpace>::local());
  const auto host = to_host(exec, sums); // waits: the program may be freed
  return {host(0), host(1)};
}

template <class ExecutionSpace, class Form>
double energy_slope(const ExecutionSpace& exec, const Form& form, const Array<const double*, ExecutionSpace>& from,
                    const Array<const double*, ExecutionSpace>& to, double s,
                    const linalg::ElementSums<ExecutionSpace>& sums) {
  return sums("tessera::physics::energy_slope", exec, SumSlope<Form>{form, from, to, s});
}

#define TESSERA_INSTANTIATE_ORDER(SPACE, ORDER)                                                                        \
  template std::vector<std::vector<double>> coil_densities<SPACE, ORDER>(                                              \
      const SPACE&, const mesh::Mesh<2, typename SPACE::memory_space>&,                                                \
      const fe::FunctionSpace<2, ORDER, typename SPACE::memory_space>&, const MagneticProblem&,                        \
      const linalg::ElementSums<SPACE>&);                                                                              \
  template Magnetostatics<2, ORDER, typename SPACE::memory_space> make_magnetic_form<SPACE, ORDER>(                    \
      const SPACE&, const mesh::Mesh<2, typename SPACE::memory_space>&,                                                \
      const fe::FunctionSpace<2, ORDER, typename SPACE::memory_space>&, const MagneticProblem&,                        \
      const std::vector<std::vector<double>>&);                                                                        \
  template double field_coenergy<SPACE>(const SPACE&, const Magnetostatics<2, ORDER, typename SPACE::memory_space>&,   \
                                        const Array<const double*, SPACE>&);                                           \
  template double flux_linkage<SPACE>(const SPACE&, const Magnetostatics<2, ORDER, typename SPACE::memory_space>&,     \
                                      const Array<const double*, SPACE>&, const std::vector<double>&);                 \
  template double largest_flux_density<SPACE>(const SPACE&,                                                            \
                                              const Magnetostatics<2, ORDER, typename SPACE::memory_space>&,           \
                                              const Array<const double*, SPACE>&, group_t);                            \
  template double energy_slope<SPACE>(const SPACE&, const Magnetostatics<2, ORDER, typename SPACE::memory_space>&,     \
                                      const Array<const double*, SPACE>&, const Array<const double*, SPACE>&, double,  \
                                      const linalg::ElementSums<SPACE>&);
#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template PlaneCurrent source_current<SPACE>(const SPACE&, const mesh::Mesh<2, typename SPACE::memory_space>&,        \
                                              const MagneticProblem&);                                                 \
  TESSERA_INSTANTIATE_ORDER(SPACE, 1)                                                                                  \
  TESSERA_INSTANTIATE_ORDER(SPACE, 2)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::physics
