// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "physics/forms/thermal_problem.hpp"

#include "core/assert.hpp"
#include "core/error.hpp"
#include "core/keep_alive.hpp"
#include "core/transfer/upload.hpp"
#include "physics/expressions/capacity_breaks.hpp"
#include "physics/forms/element_points.hpp"

#include <algorithm>
#include <sstream>

namespace tessera::physics {

namespace {

constexpr double least_share = 1e-3; ///< of the coefficient or capacity at rest

/// Changes are counted from this value, which no temperature comes near, by a capacity whose product with the change
/// is the heat stored: unlike the heat, the change is never 0.
constexpr double far_below = -1e6;

/// The heat of a region's capacity between two temperatures.
template <class Form> struct HeatBetween {
  using Space = typename Form::memory_space;
  Form form;
  Array<const double*, Space> breaks;
  Array<const std::int32_t*, Space> first_breaks;
  double rest;

  template <int Dim>
  KOKKOS_FUNCTION double operator()(group_t region, const double (&x)[Dim], double from, double change) const {
    const double to = from + change;
    const double low = change < 0. ? to : from;
    const double high = change < 0. ? from : to;
    std::int32_t k = first_breaks(region);
    const std::int32_t end = first_breaks(region + 1);
    for (std::int32_t n = end - k; n > 0;) { // the first break above low
      const std::int32_t half = n / 2;
      const bool is_after = breaks(k + half) > low;
      k = is_after ? k : k + half + 1;
      n = is_after ? half : n - half - 1;
    }
    if (k == end || breaks(k) >= high) // one piece: no difference of temperatures, which would round
      return piece(region, x, from, change);
    double sum = 0.;
    double at = low;
    for (; k < end && breaks(k) < high; ++k) {
      sum += piece(region, x, at, breaks(k) - at);
      at = breaks(k);
    }
    sum += piece(region, x, at, high - at);
    return change < 0. ? -sum : sum;
  }

private:
  template <int Dim>
  KOKKOS_FUNCTION double piece(group_t region, const double (&x)[Dim], double from, double change) const {
    if (change == 0.)
      return 0.;
    double mean = 0.;
    for (int k = 0; k < 4; ++k) {
      const double c = form.entry(region, Form::n_entries, x, from + CapacityRule::point(k) * change).value;
      const bool is_good = c > 0. && detail::is_finite(c);
      mean +=
          CapacityRule::weight(k) * (is_good ? c : least_share * form.entry(region, Form::n_entries, x, rest).value);
    }
    return mean * change;
  }
};

/// Linearises the elements' points at the iterate, or at a uniform temperature.
template <class Form> struct LinearizeThermal {
  static constexpr int Dim = Form::dimension;
  using Space = typename Form::memory_space;
  Form form;
  bool at_rest;
  bool has_drift; ///< false: T is that of another problem
  double rest;
  Array<std::int64_t*, Space> bad;
  HeatBetween<Form> heat_between;
  Array<const double*, Space> earlier[2]; ///< the second one may be empty; both: what is stored is not counted
  double weights[2];

  KOKKOS_FUNCTION void operator()(index_t e) const {
    index_t n[Form::n_nodes];
    form.nodes(e, n);
    typename Form::Map map;
    map.load(form.coordinates.data(), n, form.is_curved(e));
    for (int q = 0; q < Form::volume_rule::n_points; ++q)
      linearize(e, n, q, map);
  }

private:
  KOKKOS_FUNCTION void linearize(index_t e, const index_t (&n)[Form::n_nodes], int q, typename Form::Map& map) const {
    double lambda[Form::n_vertices];
    Form::volume_rule::point(q, lambda);
    map.move_to(form.coordinates.data(), n, lambda);
    double x[Dim];
    double gradient[Dim];
    for (int d = 0; d < Dim; ++d) {
      x[d] = map.coordinate(d, lambda);
      gradient[d] = 0.;
    }
    double T = at_rest ? rest : 0.;
    double steepest = 0.; // square of the largest gradient of a shape function
    for (int a = 0; a < Form::n_nodes && !at_rest; ++a) {
      T += form.iterate(n[a]) * Form::element::value(a, lambda);
      double own[Dim];
      Form::element::gradient(a, lambda, map.grad_lambda, own);
      const double square = dot(own, own);
      steepest = square > steepest ? square : steepest;
      for (int d = 0; d < Dim; ++d)
        gradient[d] += (form.iterate(n[a]) - form.iterate(n[0])) * own[d];
    }
    const std::int64_t at = static_cast<std::int64_t>(e) * Form::volume_rule::n_points + q;
    const group_t region = form.regions(e);
    for (int d = 0; d < Dim; ++d) {
      const Dual D = positive(e, region, d, x, T);
      form.all_coefficients(at, d) = D.value;
      form.state(at, d) = D.slope * gradient[d];
    }
    for (int i = 0; form.has_tensors() && i < Form::n_pairs; ++i) {
      const Dual D = form.entry(region, Dim + i, x, T);
      const int first = Form::first_of(i);
      const int second = Form::second_of(i);
      form.all_off_diagonals(at, i) = D.value;
      form.state(at, first) += D.slope * gradient[second];
      form.state(at, second) += D.slope * gradient[first];
    }
    limit_drift(at, steepest);
    form.state(at, Form::temperature) = T;
    form.state(at, Form::capacity_slope) = 0.;
    if (form.all_capacities.extent(0) > 0) {
      const Dual c = positive(e, region, Form::n_entries, x, T);
      form.all_capacities(at) = c.value;
      if (!at_rest && earlier[0].extent(0) > 0) {
        const double stored = stored_since(n, region, x, lambda);
        const double change = T - far_below;
        form.all_capacities(at) = stored / change;
        form.state(at, Form::capacity_slope) = (c.value - stored / change) / change;
      }
    }
  }

  KOKKOS_FUNCTION double stored_since(const index_t (&n)[Form::n_nodes], group_t region, const double (&x)[Dim],
                                      const double (&lambda)[Form::n_vertices]) const {
    double stored = 0.;
    for (int k = 0; k < 2 && earlier[k].extent(0) > 0; ++k) {
      double from = 0.;
      double change = 0.;
      for (int a = 0; a < Form::n_nodes; ++a) {
        const double N = Form::element::value(a, lambda);
        from += earlier[k](n[a]) * N;
        change += (form.iterate(n[a]) - earlier[k](n[a])) * N;
      }
      stored += weights[k] * heat_between(region, x, from, change);
    }
    return stored;
  }

  KOKKOS_FUNCTION static double dot(const double (&a)[Dim], const double (&b)[Dim]) {
    double sum = 0.;
    for (int d = 0; d < Dim; ++d)
      sum += a[d] * b[d];
    return sum;
  }

  /// Where D changes by more than its value across an element, as between two phases, its derivative says nothing about
  /// the change, and may make diagonal entries of the matrix negative: the drift is scaled down to that change.
  KOKKOS_FUNCTION void limit_drift(std::int64_t at, double steepest) const {
    double drift = 0.;
    double least = form.all_coefficients(at, 0);
    for (int d = 0; d < Dim; ++d) {
      const double D = form.all_coefficients(at, d);
      least = D < least ? D : least;
      drift += form.state(at, d) * form.state(at, d);
    }
    const double largest = least * least * steepest;
    const double share = !has_drift ? 0. : drift > largest ? math::sqrt(largest / drift) : 1.;
    for (int d = 0; d < Dim && share < 1.; ++d)
      form.state(at, d) *= share;
  }

  KOKKOS_FUNCTION Dual positive(index_t e, group_t region, int i, const double (&x)[Dim], double T) const {
    const Dual value = form.entry(region, i, x, T);
    if (value.value > 0. && detail::is_finite(value.value) && detail::is_finite(value.slope))
      return value;
    Kokkos::atomic_fetch_min(&bad(i == Form::n_entries ? 1 : 0), static_cast<std::int64_t>(e));
    return {least_share * form.entry(region, i, x, rest).value, 0.};
  }
};

template <class Form> struct SumThermalSlope {
  using Space = typename Form::memory_space;
  Form form;
  Array<const double*, Space> from;
  Array<const double*, Space> to;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    const auto e = static_cast<index_t>(i);
    index_t n[Form::n_nodes];
    double u[Form::n_nodes];
    double r[Form::n_nodes];
    form.nodes(e, n);
    for (int a = 0; a < Form::n_nodes; ++a)
      u[a] = form.iterate(n[a]);
    form.residual(e, n, u, r);
    term[0] = 0.;
    for (int a = 0; a < Form::n_nodes; ++a)
      term[0] += r[a] * (to(n[a]) - from(n[a]));
  }
};

/// Reads nodal values and writes the sources of an element's points.
template <class Form> struct SetLosses {
  static constexpr int Dim = Form::dimension;
  using Space = typename Form::memory_space;
  Form form;
  Array<const double*, Space> nodal;
  Array<const double*, Space> own;
  bool is_of_regions;
  Array<double*, Space> source;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    index_t n[Form::n_nodes];
    form.nodes(e, n);
    typename Form::Map map;
    map.load(form.coordinates.data(), n, form.is_curved(e));
    for (int q = 0; q < Form::volume_rule::n_points; ++q) {
      double lambda[Form::n_vertices];
      double D[Dim];
      double s;
      form.volume_point(e, n, q, map, lambda, D, s);
      double gradient[Dim] = {};
      for (int a = 0; a < Form::n_nodes; ++a) {
        double shape[Dim];
        Form::element::gradient(a, lambda, map.grad_lambda, shape);
        for (int d = 0; d < Dim; ++d)
          gradient[d] += (nodal(n[a]) - nodal(n[0])) * shape[d];
      }
      const std::int64_t at = static_cast<std::int64_t>(e) * Form::volume_rule::n_points + q;
      source(at) = own(is_of_regions ? std::int64_t{form.regions(e)} : at) +
                   form.flux_product(D, form.off_diagonal_at(e, q), gradient, gradient);
    }
  }
};

template <class Form> struct TemperaturesOfRegion {
  Form form;
  group_t region;
  KOKKOS_FUNCTION void operator()(std::int64_t i, Kokkos::MinMaxScalar<double>& bounds) const {
    const auto e = static_cast<index_t>(i);
    if (form.regions(e) != region)
      return;
    for (int a = 0; a < Form::n_nodes; ++a) {
      const double T = form.iterate(form.node(e, a));
      bounds.min_val = T < bounds.min_val ? T : bounds.min_val;
      bounds.max_val = T > bounds.max_val ? T : bounds.max_val;
    }
  }
};

} // namespace

template <class ExecutionSpace, int Dim, int Order>
void set_losses(const ExecutionSpace& exec,
                const ThermalDiffusion<Dim, Order, typename ExecutionSpace::memory_space>& form,
                const Array<const double*, ExecutionSpace>& nodal, const Array<const double*, ExecutionSpace>& own,
                bool is_of_regions, const Array<double*, ExecutionSpace>& source) {
  using Form = ThermalDiffusion<Dim, Order, typename ExecutionSpace::memory_space>;
  for_each("tessera::physics::set_losses", exec, form.n_elements(),
           SetLosses<Form>{form, nodal, own, is_of_regions, source});
}

DiffusionProblem at_rest(const DiffusionProblem& problem) {
  DiffusionProblem frozen = problem;
  for (RegionData& region : frozen.regions) {
    for (auto* entries : {&region.coefficient, &region.off_diagonal})
      for (Expression& entry : *entries)
        entry = entry.at_time(problem.rest_temperature);
    region.capacity = region.capacity.at_time(problem.rest_temperature);
  }
  return frozen;
}

template <class ExecutionSpace, int Dim, int Order>
ThermalDiffusion<Dim, Order, typename ExecutionSpace::memory_space>
make_thermal_form(const ExecutionSpace& exec,
                  const GeneralDiffusion<Dim, Order, typename ExecutionSpace::memory_space>& frozen, index_t n_nodes,
                  const DiffusionProblem& problem) {
  using Space = typename ExecutionSpace::memory_space;
  using Form = ThermalDiffusion<Dim, Order, Space>;
  Form form;
  static_cast<typename Form::Base&>(form) = frozen;
  const std::size_t n_points = static_cast<std::size_t>(form.n_elements()) * Form::volume_rule::n_points;
  form.state = make_array<decltype(form.state)>(exec, "physics::thermal_state", n_points);
  form.all_coefficients = make_array<decltype(form.all_coefficients)>(exec, "physics::point_coefficients", n_points);
  form.point_coefficient = form.all_coefficients;
  form.is_uniform = false;
  if (form.has_tensors()) {
    form.all_off_diagonals =
        make_array<decltype(form.all_off_diagonals)>(exec, "physics::point_off_diagonals", n_points);
    form.point_off_diagonal = form.all_off_diagonals;
  }
  if (form.has_storage()) {
    form.all_capacities = make_array<decltype(form.all_capacities)>(exec, "physics::point_capacities", n_points);
    form.capacity = form.all_capacities;
    form.has_point_capacity = true;
  }
  form.iterate = make_filled<Array<double*, Space>>(exec, "physics::temperatures", static_cast<std::size_t>(n_nodes),
                                                    problem.rest_temperature);
  std::vector<Expression> entries;
  for (const RegionData& region : problem.regions) {
    entries.insert(entries.end(), region.coefficient.begin(), region.coefficient.end());
    for (std::size_t i = 0; i < Form::n_pairs; ++i)
      entries.push_back(region.off_diagonal.empty() ? Expression(0.) : region.off_diagonal.at(i));
    entries.push_back(region.capacity);
  }
  form.programs = make_dual_program(exec, entries);
  ThermalMaterials<ExecutionSpace, Dim, Order>(exec, form, problem).linearize_at_rest(exec);
  return form;
}

template <class ExecutionSpace, int Dim, int Order>
ThermalMaterials<ExecutionSpace, Dim, Order>::ThermalMaterials(const ExecutionSpace& exec, const Form& form,
                                                               const DiffusionProblem& problem,
                                                               bool has_given_temperature)
    : form_(form), regions_(problem.regions), rest_(problem.rest_temperature), has_drift_(!has_given_temperature),
      bad_(make_filled<Array<std::int64_t*, Space>>(exec, "physics::bad_materials", 2, detail::no_offender)),
      tables_(regions_.size()), reached_(regions_.size()) {
  for (std::size_t r = 0; r < regions_.size(); ++r) {
    std::vector<Expression> entries = regions_[r].coefficient;
    entries.insert(entries.end(), regions_[r].off_diagonal.begin(), regions_[r].off_diagonal.end());
    if (form.has_storage())
      entries.push_back(regions_[r].capacity);
    bool has_table = false;
    for (const Expression& entry : entries)
      if (const auto range = range_of_tables(entry)) {
        tables_[r].low = has_table ? std::max(tables_[r].low, (*range)[0]) : (*range)[0];
        tables_[r].high = has_table ? std::min(tables_[r].high, (*range)[1]) : (*range)[1];
        has_table = true;
      }
  }
}

template <class ExecutionSpace, int Dim, int Order>
void ThermalMaterials<ExecutionSpace, Dim, Order>::count_from(const ExecutionSpace& exec,
                                                              const std::vector<std::pair<double, Nodal>>& values) {
  TESSERA_ASSERT(!values.empty() && values.size() <= earlier_.size());
  if (first_breaks_.extent(0) == 0) {
    std::vector<double> breaks;
    std::vector<std::int32_t> first{0};
    for (const RegionData& region : regions_) {
      const std::vector<double> own = capacity_breaks(region.capacity);
      breaks.insert(breaks.end(), own.begin(), own.end());
      first.push_back(static_cast<std::int32_t>(breaks.size()));
    }
    breaks_ = uploaded(exec, "physics::capacity_breaks", breaks);
    first_breaks_ = uploaded(exec, "physics::first_breaks", first);
  }
  fill(exec, form_.earlier, far_below);
  earlier_ = {};
  for (std::size_t k = 0; k < values.size(); ++k) {
    weights_[k] = values[k].first;
    earlier_[k] = values[k].second;
  }
}

template <class ExecutionSpace, int Dim, int Order>
void ThermalMaterials<ExecutionSpace, Dim, Order>::linearize_at_rest(const ExecutionSpace& exec) const {
  fill(exec, bad_, detail::no_offender);
  for_each("tessera::physics::linearize_thermal", exec, form_.n_elements(),
           LinearizeThermal<Form>{form_, true, has_drift_, rest_, bad_, {}, {}, {}});
}

template <class ExecutionSpace, int Dim, int Order>
void ThermalMaterials<ExecutionSpace, Dim, Order>::linearize(const ExecutionSpace& exec) const {
  fill(exec, bad_, detail::no_offender);
  for_each("tessera::physics::linearize_thermal", exec, form_.n_elements(),
           LinearizeThermal<Form>{form_,
                                  false,
                                  has_drift_,
                                  rest_,
                                  bad_,
                                  {form_, breaks_, first_breaks_, rest_},
                                  {earlier_[0], earlier_[1]},
                                  {weights_[0], weights_[1]}});
}

template <class ExecutionSpace, int Dim, int Order>
double ThermalMaterials<ExecutionSpace, Dim, Order>::slope(const ExecutionSpace& exec, const Nodal& from,
                                                           const Nodal& to,
                                                           const linalg::ElementSums<ExecutionSpace>& sums) const {
  return sums("tessera::physics::thermal_slope", exec, SumThermalSlope<Form>{form_, from, to});
}

template <class ExecutionSpace, int Dim, int Order>
void ThermalMaterials<ExecutionSpace, Dim, Order>::check(const ExecutionSpace& exec,
                                                         const mesh::Mesh<Dim, Space>& mesh) {
  const auto bad = to_host(exec, bad_);
  for (const int of_capacity : {0, 1}) {
    const std::int64_t element = bad(of_capacity);
    if (element == detail::no_offender)
      continue;
    const auto e = static_cast<index_t>(element);
    const group_t region = read_entry(exec, mesh.regions, e);
    const auto nodes =
        to_host(exec, Kokkos::subview(form_.element_nodes, std::make_pair(element, element + 1), Kokkos::ALL()));
    Range range;
    for (int a = 0; a < Form::n_nodes; ++a) {
      const double T = read_entry(exec, form_.iterate, nodes(0, a));
      range = {std::min(range.low, T), std::max(range.high, T)};
    }
    const RegionData& data = regions_[region];
    TESSERA_REQUIRE(false, detail::prefix(of_capacity == 1 ? data.capacity_where : data.where)
                               << (of_capacity == 1 ? "The heat capacity" : "The conductivity") << " of region '"
                               << mesh.region_names[region]
                               << "' is not positive and finite at temperatures that the solution reaches: "
                               << range.low << " to " << range.high << " near "
                               << detail::point_text(detail::centroid<ExecutionSpace, Dim>(exec, mesh, e), Dim)
                               << ". Give a material that makes sense there.");
  }
  for (std::size_t r = 0; r < tables_.size(); ++r) {
    if (tables_[r].low > tables_[r].high && !(tables_[r].low < std::numeric_limits<double>::infinity()))
      continue;
    Kokkos::MinMaxScalar<double> bounds;
    Kokkos::parallel_reduce(
        "tessera::physics::temperatures_of_region",
        Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, form_.n_elements()),
        TemperaturesOfRegion<Form>{form_, static_cast<group_t>(r)}, Kokkos::MinMax<double>(bounds));
    reached_[r] = {std::min(reached_[r].low, bounds.min_val), std::max(reached_[r].high, bounds.max_val)};
  }
}

template <class ExecutionSpace, int Dim, int Order>
std::vector<std::string> ThermalMaterials<ExecutionSpace, Dim, Order>::notes(const mesh::Mesh<Dim, Space>& mesh) const {
  constexpr double rounding = 1e-9; // of the range, for values at its ends
  std::vector<std::string> notes;
  for (std::size_t r = 0; r < tables_.size(); ++r) {
    const Range& table = tables_[r];
    const double allowed = rounding * (std::max(std::fabs(table.low), std::fabs(table.high)));
    if (!(reached_[r].low <= reached_[r].high) ||
        (reached_[r].low >= table.low - allowed && reached_[r].high <= table.high + allowed))
      continue;
    std::ostringstream note;
    note << detail::prefix(regions_[r].where) << "temperatures in region '" << mesh.region_names[r] << "' are "
         << reached_[r].low << " to " << reached_[r].high << ", but its tables cover " << table.low << " to "
         << table.high << "; beyond them their last values hold.";
    notes.push_back(note.str());
  }
  return notes;
}

#define TESSERA_INSTANTIATE_CASE(SPACE, DIM, ORDER)                                                                    \
  template ThermalDiffusion<DIM, ORDER, typename SPACE::memory_space> make_thermal_form<SPACE, DIM, ORDER>(            \
      const SPACE&, const GeneralDiffusion<DIM, ORDER, typename SPACE::memory_space>&, index_t,                        \
      const DiffusionProblem&);                                                                                        \
  template void set_losses<SPACE, DIM, ORDER>(                                                                         \
      const SPACE&, const ThermalDiffusion<DIM, ORDER, typename SPACE::memory_space>&,                                 \
      const Array<const double*, SPACE>&, const Array<const double*, SPACE>&, bool, const Array<double*, SPACE>&);     \
  template class ThermalMaterials<SPACE, DIM, ORDER>;
#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  TESSERA_INSTANTIATE_CASE(SPACE, 2, 1)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 2, 2)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 3, 1)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 3, 2)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::physics
