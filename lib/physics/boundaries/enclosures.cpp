// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "physics/boundaries/enclosures.hpp"

#include "core/error.hpp"
#include "core/keep_alive.hpp"
#include "core/transfer/upload.hpp"
#include "physics/boundaries/facet_point.hpp"
#include "physics/boundaries/view_factors.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>

namespace tessera::physics {

GreyEnclosure::GreyEnclosure(std::vector<double> areas, std::vector<double> emissivities, std::vector<double> factors,
                             double surroundings)
    : areas_(std::move(areas)), emissivities_(std::move(emissivities)), factors_(std::move(factors)),
      surroundings_(surroundings) {
  for (std::size_t i = 0; i < n(); ++i) {
    double sum = 0.;
    for (std::size_t j = 0; j < n(); ++j)
      sum += factors_[i * n() + j];
    open_.push_back(std::max(0., 1. - sum));
  }
}

/// What arrives of what the surfaces send per area.
std::vector<double> GreyEnclosure::seen(const std::vector<double>& sent) const {
  std::vector<double> result(n(), 0.);
  for (std::size_t i = 0; i < n(); ++i)
    for (std::size_t j = 0; j < n(); ++j)
      result[i] += factors_[i * n() + j] * sent[j];
  return result;
}

std::vector<double> GreyEnclosure::irradiation(const std::vector<double>& black) const {
  // With w = sqrt(1 - e) H: (1 - sqrt(1 - e) F sqrt(1 - e)) w = sqrt(1 - e) (F e E + open E0), which area makes
  // symmetric and positive definite.
  std::vector<double> root;
  std::vector<double> emitted;
  for (std::size_t i = 0; i < n(); ++i) {
    root.push_back(std::sqrt(std::max(0., 1. - emissivities_[i])));
    emitted.push_back(emissivities_[i] * black[i]);
  }
  std::vector<double> direct = seen(emitted);
  for (std::size_t i = 0; i < n(); ++i)
    direct[i] += open_[i] * surroundings_;
  const auto dot = [&](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0.;
    for (std::size_t i = 0; i < n(); ++i)
      sum += areas_[i] * a[i] * b[i];
    return sum;
  };
  const auto reflected = [&](const std::vector<double>& w) {
    std::vector<double> sent(n());
    for (std::size_t i = 0; i < n(); ++i)
      sent[i] = root[i] * w[i];
    return seen(sent);
  };
  std::vector<double> w(n(), 0.);
  std::vector<double> r(n());
  for (std::size_t i = 0; i < n(); ++i)
    r[i] = root[i] * direct[i];
  std::vector<double> p = r;
  double square = dot(r, r);
  const double enough = 1e-30 * square;
  for (std::size_t iteration = 0; iteration < 2 * n() + 100 && square > enough; ++iteration) {
    std::vector<double> q = reflected(p);
    for (std::size_t i = 0; i < n(); ++i)
      q[i] = p[i] - root[i] * q[i];
    const double alpha = square / dot(p, q);
    for (std::size_t i = 0; i < n(); ++i) {
      w[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    const double next = dot(r, r);
    for (std::size_t i = 0; i < n(); ++i)
      p[i] = r[i] + next / square * p[i];
    square = next;
  }
  std::vector<double> result = reflected(w);
  for (std::size_t i = 0; i < n(); ++i)
    result[i] += direct[i];
  return result;
}

namespace {

/// Areas of the facets of enclosures, or integrals of the fourth power of the temperature over them.
template <class Form> struct IntegrateSurface {
  static constexpr int Dim = Form::dimension;
  using Space = typename Form::memory_space;
  Form form;
  NaturalFacets<Dim, Space> facets;
  Array<const index_t*, Space> items;
  Array<const double*, Space> nodal; // empty: areas
  Array<double*, Space> result;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const index_t facet = items(i);
    double sum = 0.;
    for (int q = 0; q < Form::facet_rule::n_points; ++q) {
      const FacetPoint<Form> point(form, facets.element(facet), static_cast<int>(facets.face(facet)), q, nodal);
      const double u = point.u > 0. ? point.u : 0.; // as radiation takes it
      sum += point.weight * (nodal.extent(0) > 0 ? u * u * u * u : 1.);
    }
    result(i) = sum;
  }
};

/// The ends of a facet, with the element on the left.
template <class Form> struct EndsOfSurface {
  static constexpr int Dim = Form::dimension;
  using Space = typename Form::memory_space;
  Form form;
  NaturalFacets<Dim, Space> facets;
  Array<const index_t*, Space> items;
  Array<double* [4], Space> ends;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const index_t facet = items(i);
    const auto face = static_cast<int>(facets.face(facet));
    index_t n[Form::n_nodes];
    form.nodes(facets.element(facet), n);
    const index_t apex = n[face];
    index_t begin = n[(face + 1) % 3];
    index_t end = n[(face + 2) % 3];
    const auto x = [&](index_t node, int d) { return form.coordinates(node, d); };
    const double turn =
        (x(end, 0) - x(begin, 0)) * (x(apex, 1) - x(begin, 1)) - (x(end, 1) - x(begin, 1)) * (x(apex, 0) - x(begin, 0));
    if (turn < 0.) {
      const index_t other = begin;
      begin = end;
      end = other;
    }
    for (int d = 0; d < 2; ++d) {
      ends(i, d) = x(begin, d);
      ends(i, 2 + d) = x(end, d);
    }
  }
};

template <class Form> struct SetReference {
  static constexpr int Dim = Form::dimension;
  using Space = typename Form::memory_space;
  NaturalFacets<Dim, Space> facets;
  Array<const index_t*, Space> items;
  Array<const double*, Space> reference;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    for (int q = 0; q < Form::facet_rule::n_points; ++q)
      facets.reference(items(i), q) = reference(i);
  }
};

/// Throws if a surface sees more than rounding and curved edges of nothing.
void require_closed(const std::vector<double>& open, const std::vector<RadiatingSegment>& segments,
                    const NaturalData& datum) {
  constexpr double most = 1e-3;
  const auto worst = static_cast<std::size_t>(std::max_element(open.begin(), open.end()) - open.begin());
  if (open[worst] <= most)
    return;
  const RadiatingSegment& segment = segments[worst];
  TESSERA_REQUIRE(false, datum.where << ": the enclosure '" << datum.enclosure << "' is open: at ("
                                     << 0.5 * (segment.begin[0] + segment.end[0]) << ", "
                                     << 0.5 * (segment.begin[1] + segment.end[1]) << ") a surface sees none of its "
                                     << "surfaces from the front in " << std::setprecision(3) << 100. * open[worst]
                                     << " % of its view. Give the missing boundaries the same radiation, or "
                                        "'ambient', the temperature behind the gaps.");
}

} // namespace

template <class ExecutionSpace, int Dim, int Order>
Enclosures<ExecutionSpace, Dim, Order>::Enclosures(const ExecutionSpace& exec, const Form& form,
                                                   const NaturalFacets<Dim, Space>& facets,
                                                   const DiffusionProblem& problem)
    : form_(form), facets_(facets) {
  if constexpr (Dim == 2) {
    std::vector<std::string> names;
    for (const NaturalData& datum : problem.natural)
      if (!datum.enclosure.empty() && std::find(names.begin(), names.end(), datum.enclosure) == names.end())
        names.push_back(datum.enclosure);
    if (names.empty())
      return;
    const auto data = to_host(exec, facets.datum);
    const auto radiation = to_host(exec, facets.radiation);
    std::vector<index_t> all;
    for (const std::string& name : names) {
      std::vector<index_t> items;
      std::vector<double> emissivities;
      const NaturalData* open = nullptr; // with surroundings
      const NaturalData* first = nullptr;
      for (index_t facet = 0; facet < facets.n(); ++facet) {
        const NaturalData& datum = problem.natural[static_cast<std::size_t>(data(facet))];
        if (datum.enclosure != name)
          continue;
        items.push_back(facet);
        emissivities.push_back(radiation(facet, 0) / stefan_boltzmann);
        first = first == nullptr ? &datum : first;
        open = datum.has_surroundings ? &datum : open;
      }
      if (items.empty())
        continue;
      TESSERA_REQUIRE(items.size() <= static_cast<std::size_t>(most_radiating_segments),
                      first->where << ": the enclosure '" << name << "' has " << items.size()
                                   << " facets; their view factors are limited to " << most_radiating_segments
                                   << " facets. Make its surfaces coarser, or divide it.");
      const auto on_device = uploaded(exec, "physics::enclosure_facets", items);
      const auto ends = make_array<Array<double* [4], ExecutionSpace>>(exec, "physics::enclosure_ends", items.size());
      const auto sizes = make_array<Array<double*, ExecutionSpace>>(exec, "physics::enclosure_areas", items.size());
      const auto n = static_cast<std::int64_t>(items.size());
      for_each("tessera::physics::enclosure_ends", exec, n, EndsOfSurface<Form>{form, facets, on_device, ends});
      for_each("tessera::physics::enclosure_areas", exec, n,
               IntegrateSurface<Form>{form, facets, on_device, {}, sizes});
      const auto host_ends = to_host(exec, ends);
      const auto host_sizes = to_host(exec, sizes);
      std::vector<RadiatingSegment> segments;
      for (index_t i = 0; i < static_cast<index_t>(n); ++i)
        segments.push_back({{host_ends(i, 0), host_ends(i, 1)}, {host_ends(i, 2), host_ends(i, 3)}});
      std::vector<double> areas(host_sizes.data(), host_sizes.data() + n);
      std::vector<double> factors = view_factors(exec, segments, problem.axisymmetric);
      double surroundings = 0.;
      if (open != nullptr) {
        const double t = open->reference.value();
        surroundings = stefan_boltzmann * t * t * t * t;
      } else {
        require_closed(GreyEnclosure(areas, emissivities, factors, 0.).open(), segments, *first);
        close_rows(static_cast<index_t>(n), factors);
      }
      make_reciprocal(areas, factors);
      enclosures_.emplace_back(std::move(areas), std::move(emissivities), std::move(factors), surroundings);
      all.insert(all.end(), items.begin(), items.end());
    }
    items_ = uploaded(exec, "physics::enclosure_facets", all);
  }
}

template <class ExecutionSpace, int Dim, int Order>
void Enclosures<ExecutionSpace, Dim, Order>::update(const ExecutionSpace& exec,
                                                    const Array<const double*, ExecutionSpace>& nodal) const {
  const auto n = static_cast<std::int64_t>(items_.extent(0));
  const auto powers = make_array<Array<double*, ExecutionSpace>>(exec, "physics::fourth_powers", n);
  for_each("tessera::physics::fourth_powers", exec, n, IntegrateSurface<Form>{form_, facets_, items_, nodal, powers});
  const auto host = to_host(exec, powers);
  std::vector<double> references;
  for (const GreyEnclosure& enclosure : enclosures_) {
    std::vector<double> black;
    for (std::size_t i = 0; i < enclosure.n(); ++i)
      black.push_back(stefan_boltzmann * host(references.size() + i) / enclosure.areas()[i]);
    for (const double arriving : enclosure.irradiation(black))
      references.push_back(std::sqrt(std::sqrt(std::max(0., arriving) / stefan_boltzmann)));
  }
  const auto on_device = uploaded(exec, "physics::enclosure_references", references);
  for_each("tessera::physics::set_references", exec, n, SetReference<Form>{facets_, items_, on_device});
  keep_alive(exec, on_device);
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template class Enclosures<SPACE, 2, 1>;                                                                              \
  template class Enclosures<SPACE, 2, 2>;                                                                              \
  template class Enclosures<SPACE, 3, 1>;                                                                              \
  template class Enclosures<SPACE, 3, 2>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::physics
