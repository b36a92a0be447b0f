// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "physics/boundaries/natural_conditions.hpp"

#include "core/algorithms/grouped_items.hpp"
#include "core/algorithms/segmented_sums.hpp"
#include "core/keep_alive.hpp"
#include "core/transfer/upload.hpp"
#include "physics/boundaries/facet_conductance.hpp"
#include "physics/boundaries/facet_point.hpp"

namespace tessera::physics {

namespace {

template <class Space> struct DatumOfFacet {
  Array<const index_t*, Space> datum;
  KOKKOS_FUNCTION index_t operator()(std::int64_t facet) const { return datum(facet); }
};

/// Integrals over a facet.
enum class NaturalSum { inflow, energy, conductance };

template <class Form> struct SumNatural {
  static constexpr int Dim = Form::dimension;
  using Space = typename Form::memory_space;
  Form form;
  NaturalFacets<Dim, Space> facets;
  Array<const std::int64_t*, Space> items;
  Array<const double*, Space> nodal;
  NaturalSum what;
  KOKKOS_FUNCTION void operator()(index_t, std::int64_t i, double (&term)[1]) const {
    const std::int64_t facet = items(i);
    term[0] = 0.;
    for (int q = 0; q < Form::facet_rule::n_points; ++q) {
      const FacetPoint<Form> point(form, facets.element(facet), facets.face(facet), q, nodal);
      const double alpha = facets.alpha(facet, q);
      const double gap = alpha > 0. ? point.u - facets.load(facet, q) / alpha : 0.; // to the value at infinity
      const double value = what == NaturalSum::inflow   ? facets.load(facet, q) - alpha * point.u
                           : what == NaturalSum::energy ? 0.5 * alpha * gap * gap
                                                        : alpha;
      term[0] += point.weight * value;
    }
  }
};

template <class Form> struct RatioOfFacet {
  static constexpr int Dim = Form::dimension;
  using Space = typename Form::memory_space;
  Form form;
  NaturalFacets<Dim, Space> facets;
  Array<double*, Space> of_datum;
  KOKKOS_FUNCTION void operator()(index_t facet) const {
    double alpha = 0.;
    for (int q = 0; q < Form::facet_rule::n_points; ++q)
      alpha = facets.alpha(facet, q) > alpha ? facets.alpha(facet, q) : alpha;
    const double conductance = facet_conductance(form, facets.element(facet), static_cast<int>(facets.face(facet)));
    Kokkos::atomic_fetch_max(&of_datum(facets.datum(facet)), alpha / conductance);
  }
};

/// K. Newton's method reduces a temperature that is far too high by at most a quarter per step, and it starts far too
/// high if surroundings near 0 K, which hardly affect radiation, determine the slope.
constexpr double rest_temperature = 300.;

/// Linearises radiation at a facet's points.
template <class Form> struct Linearize {
  static constexpr int Dim = Form::dimension;
  using Space = typename Form::memory_space;
  using Values = typename NaturalFacets<Dim, Space>::Values;
  Form form;
  NaturalFacets<Dim, Space> facets;
  Values alpha; // without radiation
  Values load;
  Array<const double*, Space> nodal; // empty: at rest
  KOKKOS_FUNCTION void operator()(index_t facet) const {
    for (int q = 0; q < Form::facet_rule::n_points; ++q) {
      const double a = facets.radiation(facet, q);
      const double r = facets.reference(facet, q);
      double u = r > rest_temperature ? r : rest_temperature;
      if (nodal.extent(0) > 0 && a > 0.)
        u = FacetPoint<Form>(form, facets.element(facet), facets.face(facet), q, nodal).u;
      u = u > 0. ? u : 0.; // iterates may be negative; radiation is then zero, so that the energy stays convex
      const double cube = u * u * u;
      facets.alpha(facet, q) = alpha(facet, q) + 4. * a * cube;
      facets.load(facet, q) = load(facet, q) + a * (r * r * r * r + 3. * cube * u);
    }
  }
};

template <class Form> struct SumBoundarySlope {
  using Space = typename Form::memory_space;
  Form form;
  Array<const double*, Space> from;
  Array<const double*, Space> to;
  Array<const double*, Space> u;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    const index_t e = static_cast<index_t>(i);
    index_t n[Form::n_nodes];
    double K[Form::n_nodes][Form::n_nodes];
    double f[Form::n_nodes];
    form.nodes(e, n);
    form.system(e, n, K, f);
    term[0] = 0.;
    for (int a = 0; a < Form::n_nodes; ++a) {
      double residual = -f[a];
      for (int b = 0; b < Form::n_nodes; ++b)
        residual += K[a][b] * u(n[b]);
      term[0] += residual * (to(n[a]) - from(n[a]));
    }
  }
};

template <class Space> struct OnLine {
  Array<const double*, Space> from;
  Array<const double*, Space> to;
  double s;
  Array<double*, Space> u;
  KOKKOS_FUNCTION void operator()(index_t n) const { u(n) = from(n) + s * (to(n) - from(n)); }
};

} // namespace

template <class ExecutionSpace, int Dim, int Order>
std::vector<NaturalTotals>
natural_totals(const ExecutionSpace& exec,
               const GeneralDiffusion<Dim, Order, typename ExecutionSpace::memory_space>& form,
               const NaturalFacets<Dim, typename ExecutionSpace::memory_space>& facets, index_t n_natural,
               const Array<const double*, ExecutionSpace>& nodal) {
  using Space = typename ExecutionSpace::memory_space;
  using Form = GeneralDiffusion<Dim, Order, Space>;
  if (n_natural == 0)
    return {};
  const auto groups = group_items(exec, facets.n(), n_natural, DatumOfFacet<Space>{facets.datum}, "natural conditions");
  std::vector<Segment> segments;
  for (index_t i = 0; i < n_natural; ++i)
    segments.push_back({groups.host_starts[i], groups.host_starts[i + 1], i});
  const SegmentedSums<ExecutionSpace> sums(exec, segments);
  const auto result = make_array<Array<double*, ExecutionSpace>>(exec, "physics::natural_totals", n_natural);
  std::vector<NaturalTotals> totals(static_cast<std::size_t>(n_natural));
  const auto sum = [&](NaturalSum what, double NaturalTotals::*entry) {
    sums.sum("tessera::physics::natural_totals", exec, SumNatural<Form>{form, facets, groups.items, nodal, what},
             result.data());
    const auto host = to_host(exec, result);
    for (std::size_t i = 0; i < totals.size(); ++i)
      totals[i].*entry = host(i);
  };
  sum(NaturalSum::inflow, &NaturalTotals::inflow);
  sum(NaturalSum::energy, &NaturalTotals::energy);
  sum(NaturalSum::conductance, &NaturalTotals::conductance);
  return totals;
}

template <class ExecutionSpace, int Dim, int Order>
std::vector<double> coefficient_ratios(const ExecutionSpace& exec,
                                       const GeneralDiffusion<Dim, Order, typename ExecutionSpace::memory_space>& form,
                                       const NaturalFacets<Dim, typename ExecutionSpace::memory_space>& facets,
                                       index_t n_natural) {
  using Form = GeneralDiffusion<Dim, Order, typename ExecutionSpace::memory_space>;
  const auto of_datum = make_filled<Array<double*, ExecutionSpace>>(exec, "physics::coefficient_ratios", n_natural, 0.);
  for_each("tessera::physics::coefficient_ratios", exec, facets.n(), RatioOfFacet<Form>{form, facets, of_datum});
  const auto host = to_host(exec, of_datum);
  return {host.data(), host.data() + host.extent(0)};
}

template <class ExecutionSpace, int Dim, int Order>
Radiation<ExecutionSpace, Dim, Order>::Radiation(const ExecutionSpace& exec, const Form& form,
                                                 const NaturalFacets<Dim, Space>& facets,
                                                 const DiffusionProblem& problem)
    : form_(form), facets_(facets), enclosures_(exec, form, facets, problem),
      alpha_(make_array<typename NaturalFacets<Dim, Space>::Values>(exec, "physics::plain_alpha", facets.n())),
      load_(make_array<typename NaturalFacets<Dim, Space>::Values>(exec, "physics::plain_load", facets.n())) {
  copy(exec, alpha_, facets.alpha);
  copy(exec, load_, facets.load);
}

template <class ExecutionSpace, int Dim, int Order>
NaturalFacets<Dim, typename ExecutionSpace::memory_space>
Radiation<ExecutionSpace, Dim, Order>::without_radiation() const {
  NaturalFacets<Dim, Space> plain = facets_;
  plain.alpha = alpha_;
  plain.load = load_;
  return plain;
}

template <class ExecutionSpace, int Dim, int Order>
void Radiation<ExecutionSpace, Dim, Order>::linearize_at_rest(const ExecutionSpace& exec) const {
  linearize(exec, {});
}

template <class ExecutionSpace, int Dim, int Order>
void Radiation<ExecutionSpace, Dim, Order>::linearize(const ExecutionSpace& exec,
                                                      const Array<const double*, ExecutionSpace>& nodal) const {
  if (enclosures_.any() && nodal.extent(0) > 0)
    enclosures_.update(exec, nodal);
  for_each("tessera::physics::linearize_radiation", exec, facets_.n(),
           Linearize<Form>{form_, facets_, alpha_, load_, nodal});
}

template <class ExecutionSpace, int Dim, int Order>
double Radiation<ExecutionSpace, Dim, Order>::slope(const ExecutionSpace& exec,
                                                    const Array<const double*, ExecutionSpace>& from,
                                                    const Array<const double*, ExecutionSpace>& to, double s,
                                                    const Array<double*, ExecutionSpace>& u,
                                                    const linalg::ElementSums<ExecutionSpace>& sums) const {
  for_each("tessera::physics::on_line", exec, static_cast<std::int64_t>(u.extent(0)), OnLine<Space>{from, to, s, u});
  linearize(exec, u);
  return sums("tessera::physics::diffusion_slope", exec, SumBoundarySlope<Form>{form_, from, to, u});
}

#define TESSERA_INSTANTIATE_CASE(SPACE, DIM, ORDER)                                                                    \
  template std::vector<NaturalTotals> natural_totals<SPACE, DIM, ORDER>(                                               \
      const SPACE&, const GeneralDiffusion<DIM, ORDER, typename SPACE::memory_space>&,                                 \
      const NaturalFacets<DIM, typename SPACE::memory_space>&, index_t, const Array<const double*, SPACE>&);           \
  template std::vector<double> coefficient_ratios<SPACE, DIM, ORDER>(                                                  \
      const SPACE&, const GeneralDiffusion<DIM, ORDER, typename SPACE::memory_space>&,                                 \
      const NaturalFacets<DIM, typename SPACE::memory_space>&, index_t);                                               \
  template class Radiation<SPACE, DIM, ORDER>;
#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  TESSERA_INSTANTIATE_CASE(SPACE, 2, 1)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 2, 2)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 3, 1)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 3, 2)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::physics
