// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "physics/forms/diffusion_problem.hpp"

#include "core/algorithms/scan.hpp"
#include "core/constants.hpp"
#include "core/error.hpp"
#include "core/keep_alive.hpp"
#include "core/transfer/upload.hpp"
#include "mesh/edges.hpp"
#include "physics/expressions/expression_program.hpp"
#include "physics/forms/element_points.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::physics {

using detail::ElementPoints;
using detail::is_finite;
using detail::make_offender;
using detail::no_offender;
using detail::node_position;
using detail::Offender;
using detail::point_text;
using detail::Position;
using detail::prefix;

bool RegionData::has_source() const {
  return source_total ? *source_total != 0. : !source.is_constant() || source.value() != 0.;
}

bool DiffusionProblem::is_uniform() const {
  if (axisymmetric || !natural.empty())
    return false;
  for (const RegionData& region : regions) {
    for (const Expression& entry : region.coefficient)
      if (!entry.is_constant())
        return false;
    if (!region.source.is_constant() || !region.off_diagonal.empty())
      return false;
  }
  return true;
}

bool DiffusionProblem::has_radiation() const {
  return std::any_of(natural.begin(), natural.end(), [](const NaturalData& datum) {
    return !datum.emissivity.is_constant() || datum.emissivity.value() != 0.;
  });
}

bool DiffusionProblem::has_transient_loads() const {
  const auto is_transient = [](const Expression& value) { return value.depends_on(Opcode::t); };
  return std::any_of(regions.begin(), regions.end(), [&](const RegionData& r) { return is_transient(r.source); }) ||
         std::any_of(natural.begin(), natural.end(), [&](const NaturalData& d) {
           return is_transient(d.flux) || is_transient(d.alpha) || is_transient(d.reference) ||
                  is_transient(d.emissivity);
         });
}

namespace {

/// Whether a symmetric tensor is positive definite, by its leading minors; `off` holds xy, or xy, xz, yz.
template <int Dim>
KOKKOS_INLINE_FUNCTION bool is_positive_definite(const double (&diagonal)[Dim],
                                                 const double (&off)[Dim * (Dim - 1) / 2]) {
  double scale = 0.; // avoids products too small for a double
  bool good = true;
  for (int d = 0; d < Dim; ++d) {
    scale = diagonal[d] > scale ? diagonal[d] : scale;
    good = good && diagonal[d] > 0.;
  }
  if (!good)
    return false;
  double a[Dim];
  double b[Dim * (Dim - 1) / 2];
  for (int d = 0; d < Dim; ++d)
    a[d] = diagonal[d] / scale;
  for (int i = 0; i < Dim * (Dim - 1) / 2; ++i)
    b[i] = off[i] / scale;
  good = a[0] * a[1] - b[0] * b[0] > 0.;
  if constexpr (Dim == 3)
    good = good && a[0] * (a[1] * a[2] - b[2] * b[2]) - b[0] * (b[0] * a[2] - b[2] * b[1]) +
                           b[1] * (b[0] * b[2] - a[1] * b[1]) >
                       0.;
  return good;
}

/// Coefficients at the quadrature points of every element.
template <int Dim, int Order, class Space> struct EvaluateCoefficient {
  using rule = fe::FormQuadrature<Dim, Order>;
  static constexpr int n_pairs = Dim * (Dim - 1) / 2;
  ElementPoints<Dim, Order, Space> points;
  Array<const group_t*, Space> regions;
  TensorProgram<Dim, Space> tensor;
  Array<double* [Dim], Space> coefficient;
  Array<double* [n_pairs], Space> off_diagonal; // may be empty
  Offender<Space> bad_coefficient;
  Offender<Space> bad_tensor;

  KOKKOS_FUNCTION void operator()(index_t e) const {
    for (int q = 0; q < rule::n_points; ++q) {
      double lambda[Dim + 1];
      rule::point(q, lambda);
      evaluate(e, static_cast<std::int64_t>(e) * rule::n_points + q, points.at(e, lambda));
    }
  }

private:
  KOKKOS_FUNCTION void evaluate(index_t e, std::int64_t point, const Position<Dim>& p) const {
    double x[Dim];
    double diagonal[Dim];
    double off[n_pairs] = {};
    bool good = true;
    for (int d = 0; d < Dim; ++d)
      x[d] = p.x[d];
    tensor.evaluate(regions(e), x, diagonal, off);
    for (int d = 0; d < Dim; ++d) {
      coefficient(point, d) = diagonal[d];
      if (!is_finite(diagonal[d]) || !(diagonal[d] > 0.))
        bad_coefficient.report(e);
    }
    if (off_diagonal.extent(0) == 0)
      return;
    for (int i = 0; i < n_pairs; ++i) {
      off_diagonal(point, i) = off[i];
      good = good && is_finite(off[i]);
    }
    if (!good || !is_positive_definite<Dim>(diagonal, off))
      bad_tensor.report(e);
  }
};

template <class Space> struct FlagNatural {
  Array<const group_t*, Space> groups;
  Array<const index_t*, Space> natural_of_group; // -1: none
  Array<index_t*, Space> flags;
  KOKKOS_FUNCTION void operator()(index_t f) const { flags(f) = natural_of_group(groups(f)) >= 0 ? 1 : 0; }
};

/// Finds the element at a facet with natural data.
template <int Dim, class Space> struct FindFacets {
  Array<const index_t* [Dim], Space> facets;
  Array<const group_t*, Space> groups;
  Array<const index_t*, Space> natural_of_group;
  Array<const index_t*, Space> number; // scanned flags: index of a facet's data
  Array<const index_t * [Dim + 1], Space> elements;
  Array<offset_t*, Space> pair_offsets;
  Array<offset_t*, Space> pairs;
  Array<index_t * [Dim + 1], Space> element_facets;
  NaturalFacets<Dim, Space> found;
  Offender<Space> conflict;
  Offender<Space> orphan;

  KOKKOS_FUNCTION void operator()(index_t f) const {
    const index_t datum = natural_of_group(groups(f));
    if (datum < 0)
      return;
    int face = -1;
    index_t element = -1;
    const index_t first = facets(f, 0);
    for (offset_t s = pair_offsets(first); s < pair_offsets(first + 1) && element < 0; ++s) {
      const index_t e = static_cast<index_t>(pairs(s) / (Dim + 1));
      int found = 0;
      int opposite = 0;
      for (int a = 0; a <= Dim; ++a) {
        bool on_facet = false;
        for (int k = 0; k < Dim; ++k)
          on_facet = on_facet || facets(f, k) == elements(e, a);
        found += on_facet ? 1 : 0;
        opposite = on_facet ? opposite : a;
      }
      if (found == Dim) {
        element = e;
        face = opposite;
      }
    }
    if (element < 0) {
      orphan.report(f);
      return;
    }
    const index_t position = number(f);
    found.facet(position) = f;
    found.element(position) = element;
    found.face(position) = face;
    found.datum(position) = datum;
    if (Kokkos::atomic_exchange(&element_facets(element, face), position) != -1)
      conflict.report(f);
  }
};

/// Natural data at the quadrature points of their facets, in the elements' local order. Programs of natural datum i:
/// flux, alpha, reference, emissivity.
template <int Dim, int Order, class Space> struct EvaluateNatural {
  using rule = fe::FacetQuadrature<Dim>;
  ElementPoints<Dim, Order, Space> points;
  ExpressionProgram<Space> program;
  double t;
  NaturalFacets<Dim, Space> found;
  Offender<Space> bad_value;

  KOKKOS_FUNCTION void operator()(index_t position) const {
    const index_t datum = found.datum(position);
    const auto face = static_cast<int>(found.face(position));
    for (int q = 0; q < rule::n_points; ++q) {
      double on_facet[Dim];
      rule::point(q, on_facet);
      double lambda[Dim + 1];
      lambda[face] = 0.;
      for (int k = 0; k < Dim; ++k)
        lambda[(face + 1 + k) % (Dim + 1)] = on_facet[k];
      const Position<Dim> p = points.at(found.element(position), lambda);
      const double flux = program(4 * datum, p.x[0], p.x[1], p.x[2], t);
      const double a = program(4 * datum + 1, p.x[0], p.x[1], p.x[2], t);
      const double reference = program(4 * datum + 2, p.x[0], p.x[1], p.x[2], t);
      found.alpha(position, q) = a;
      found.load(position, q) = flux + a * reference;
      bool good = is_finite(flux + a * reference) && a >= 0.;
      if (found.radiation.extent(0) > 0) {
        const double emissivity = program(4 * datum + 3, p.x[0], p.x[1], p.x[2], t);
        found.radiation(position, q) = stefan_boltzmann * emissivity;
        found.reference(position, q) = reference;
        good = good && emissivity >= 0. && emissivity <= 1. && (emissivity == 0. || reference >= 0.);
      }
      if (!good)
        bad_value.report(found.facet(position));
    }
  }
};

template <int Dim, class Space> struct CheckRadius {
  Array<const double* [Dim], Space> coordinates;
  Offender<Space> offender;
  KOKKOS_FUNCTION void operator()(index_t n) const {
    if (coordinates(n, 0) < 0.)
      offender.report(n);
  }
};

/// Integral of 1 over the elements of a region, by the form's quadrature and weight.
template <class Form> struct SumMeasure {
  static constexpr int Dim = Form::dimension;
  using rule = fe::FormQuadrature<Dim, Form::order>;
  Form form;
  group_t region;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    term[0] = 0.;
    const auto e = static_cast<index_t>(i);
    if (form.regions(e) != region)
      return;
    index_t n[Form::n_nodes];
    form.nodes(e, n);
    fe::ElementMap<typename Form::element> map;
    map.load(form.coordinates.data(), n, form.is_curved(e));
    for (int q = 0; q < rule::n_points; ++q) {
      double lambda[Dim + 1];
      const double fraction = rule::point(q, lambda);
      map.move_to(form.coordinates.data(), n, lambda);
      term[0] += fraction * map.measure * form.integral_weight(map, lambda);
    }
  }
};

/// Rate at which an element stores.
template <class Form> struct SumStored {
  Form form;
  Array<const double*, typename Form::memory_space> nodal;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    index_t n[Form::n_nodes];
    double u[Form::n_nodes];
    form.nodes(static_cast<index_t>(i), n);
    for (int a = 0; a < Form::n_nodes; ++a)
      u[a] = nodal(n[a]);
    term[0] = form.stored(static_cast<index_t>(i), n, u);
  }
};

/// Converts totals of sources to densities; the elements and weights of the form must be set. `sums`: null for sums
/// over all elements of the form.
template <class ExecutionSpace, int Dim, class Form>
DiffusionProblem
with_densities(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
               const DiffusionProblem& problem, const Form& form, const linalg::ElementSums<ExecutionSpace>* sums) {
  DiffusionProblem spread = problem;
  std::optional<linalg::ElementSums<ExecutionSpace>> of_all;
  for (std::size_t r = 0; r < spread.regions.size(); ++r) {
    RegionData& region = spread.regions[r];
    if (!region.source_total)
      continue;
    if (sums == nullptr)
      sums = &of_all.emplace(exec, form.n_elements(), true);
    const double measure =
        (*sums)("tessera::physics::region_measure", exec, SumMeasure<Form>{form, static_cast<group_t>(r)});
    TESSERA_REQUIRE(measure > 0., prefix(region.source_where) << "Region '" << mesh.region_names[r]
                                                              << "' has no element over which a total source of "
                                                              << *region.source_total << " could be spread.");
    region.source = Expression(*region.source_total / measure);
    region.source_total.reset();
  }
  return spread;
}

/// Makes tables of constants by region, times `factor` (depth) for the uniform form. Non-constant entries are left
/// zero.
template <class ExecutionSpace, int Dim, class Form>
void set_region_tables(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                       const DiffusionProblem& problem, double factor, Form& form) {
  TESSERA_REQUIRE(problem.regions.size() == mesh.region_names.size(),
                  "The problem has data of " << problem.regions.size() << " regions, the mesh has "
                                             << mesh.region_names.size() << ".");
  std::vector<double> coefficient;
  std::vector<double> source;
  for (std::size_t r = 0; r < problem.regions.size(); ++r) {
    const RegionData& region = problem.regions[r];
    for (int d = 0; d < Dim; ++d) {
      const Expression& entry = region.coefficient.at(d);
      TESSERA_REQUIRE(!entry.is_constant() || (entry.value() > 0. && std::isfinite(entry.value())),
                      prefix(region.where) << "The material coefficient of region '" << mesh.region_names[r] << "' is "
                                           << entry.value() << "; it must be positive.");
      coefficient.push_back(entry.is_constant() ? factor * region.coefficient_factor * entry.value() : 0.);
    }
    source.push_back(region.source.is_constant() ? factor * region.source.value() : 0.);
  }
  using Space = typename ExecutionSpace::memory_space;
  auto coefficient_table =
      make_array<Array<double* [Dim], Space>>(exec, "physics::coefficients", problem.regions.size());
  auto source_table = make_array<Array<double*, Space>>(exec, "physics::sources", source.size());
  upload(exec, coefficient_table, coefficient);
  upload(exec, source_table, source);
  form.coefficient = coefficient_table;
  form.source = source_table;
}

/// Makes the table of off-diagonal entries by region, if there are any. Non-constant entries are left zero.
template <class ExecutionSpace, int Dim, class Form>
void set_off_diagonal(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                      const DiffusionProblem& problem, Form& form) {
  std::vector<double> table;
  bool has_tensors = false;
  for (std::size_t r = 0; r < problem.regions.size(); ++r) {
    const RegionData& region = problem.regions[r];
    double diagonal[Dim];
    double off[Form::n_pairs] = {};
    bool is_constant = true;
    for (int d = 0; d < Dim; ++d) {
      diagonal[d] = region.coefficient.at(d).value();
      is_constant = is_constant && region.coefficient[d].is_constant();
    }
    for (int i = 0; i < Form::n_pairs && !region.off_diagonal.empty(); ++i) {
      const Expression& entry = region.off_diagonal.at(i);
      off[i] = entry.is_constant() ? entry.value() : 0.;
      is_constant = is_constant && entry.is_constant();
    }
    has_tensors = has_tensors || !region.off_diagonal.empty();
    TESSERA_REQUIRE(!is_constant || region.off_diagonal.empty() || is_positive_definite<Dim>(diagonal, off),
                    prefix(region.where) << "The material tensor of region '" << mesh.region_names[r]
                                         << "' is not positive definite.");
    for (const double entry : off)
      table.push_back(region.coefficient_factor * entry);
  }
  if (!has_tensors)
    return;
  const auto array = make_array<Array<double * [Form::n_pairs], ExecutionSpace>>(exec, "physics::off_diagonals",
                                                                                 problem.regions.size());
  upload(exec, array, table);
  form.off_diagonal = array;
}

/// Requires that no node of an axisymmetric problem has a negative radius.
template <class ExecutionSpace, int Dim>
void check_radii(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                 const std::string& where) {
  using Space = typename ExecutionSpace::memory_space;
  const auto offender = make_offender(exec);
  for_each("tessera::physics::check_radius", exec, mesh.n_nodes(), CheckRadius<Dim, Space>{mesh.coordinates, offender});
  const std::int64_t node = read_entry(exec, offender.first, 0);
  if (node != no_offender) {
    const std::int64_t original =
        mesh.original_node.extent(0) > 0 ? read_entry(exec, mesh.original_node, node) : static_cast<index_t>(node);
    const auto point = node_position<ExecutionSpace, Dim>(exec, mesh.coordinates, node);
    TESSERA_REQUIRE(false, prefix(where) << "An axisymmetric problem needs radii (x) of 0 or more, but node "
                                         << original << " of the mesh lies at " << point_text(point, Dim) << ".");
  }
}

/// Evaluates sources at the quadrature points of the elements.
template <class ExecutionSpace, int Dim, int Order>
void evaluate_sources(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                      const DiffusionProblem& problem,
                      const ElementPoints<Dim, Order, typename ExecutionSpace::memory_space>& points,
                      const Array<double*, ExecutionSpace>& values) {
  std::vector<Expression> sources;
  for (const RegionData& region : problem.regions)
    sources.push_back(region.source);
  const auto program = make_program(exec, sources);
  const auto bad_source = make_offender(exec);
  for_each("tessera::physics::evaluate_sources", exec, mesh.n_elements(),
           detail::EvaluatePoints<Dim, Order, typename ExecutionSpace::memory_space>{
               points, mesh.regions, program, problem.time, values, false, bad_source});
  keep_alive(exec, program);
  detail::require_none<ExecutionSpace, Dim>(
      exec, mesh, bad_source, [&](group_t region) { return problem.regions[region].source_where; },
      "A value that is not finite came out of the source");
}

/// Evaluates coefficients that vary within regions at the quadrature points of the elements.
template <class ExecutionSpace, int Dim, int Order, class Form>
void evaluate_coefficients(const ExecutionSpace& exec,
                           const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                           const DiffusionProblem& problem,
                           const ElementPoints<Dim, Order, typename ExecutionSpace::memory_space>& points, Form& form) {
  using Space = typename ExecutionSpace::memory_space;
  std::vector<Expression> entries;
  std::vector<double> factors;
  const bool has_tensors = form.has_tensors();
  for (const RegionData& region : problem.regions) {
    for (int d = 0; d < Dim; ++d)
      entries.push_back(region.coefficient.at(d));
    for (std::size_t i = 0; has_tensors && i < Form::n_pairs; ++i)
      entries.push_back(region.off_diagonal.empty() ? Expression(0.) : region.off_diagonal.at(i));
    factors.push_back(region.coefficient_factor);
  }
  const std::size_t n_points = static_cast<std::size_t>(mesh.n_elements()) * Form::volume_rule::n_points;
  const auto coefficient = make_array<Array<double* [Dim], Space>>(exec, "physics::point_coefficients", n_points);
  using OffDiagonal = Array<double * [Form::n_pairs], Space>;
  OffDiagonal off_diagonal;
  if (has_tensors)
    off_diagonal = make_array<OffDiagonal>(exec, "physics::point_off_diagonals", n_points);
  const TensorProgram<Dim, Space> tensor = {make_program(exec, entries),
                                            uploaded(exec, "physics::coefficient_factors", factors), has_tensors};
  const auto bad_coefficient = make_offender(exec);
  const auto bad_tensor = make_offender(exec);
  for_each("tessera::physics::evaluate_coefficients", exec, mesh.n_elements(),
           EvaluateCoefficient<Dim, Order, Space>{points, mesh.regions, tensor, coefficient, off_diagonal,
                                                  bad_coefficient, bad_tensor});
  const auto of_coefficient = [&](group_t region) { return problem.regions[region].where; };
  detail::require_none<ExecutionSpace, Dim>(
      exec, mesh, bad_coefficient, of_coefficient,
      "A value that is not positive and finite came out of the material coefficient");
  detail::require_none<ExecutionSpace, Dim>(
      exec, mesh, bad_tensor, of_coefficient,
      "A tensor that is not positive definite came out of the material coefficient");
  form.point_coefficient = coefficient;
  form.point_off_diagonal = off_diagonal;
  form.tensor = tensor;
}

/// Evaluates what varies within regions at the quadrature points. Returns whether there is anything.
template <class ExecutionSpace, int Dim, int Order, class Form>
bool set_point_values(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                      const DiffusionProblem& problem,
                      const ElementPoints<Dim, Order, typename ExecutionSpace::memory_space>& points, Form& form) {
  using Space = typename ExecutionSpace::memory_space;
  bool varying_coefficient = false;
  bool varying_source = false;
  for (const RegionData& region : problem.regions) {
    for (const auto* entries : {&region.coefficient, &region.off_diagonal})
      for (const Expression& entry : *entries)
        varying_coefficient = varying_coefficient || !entry.is_constant();
    varying_source = varying_source || !region.source.is_constant();
  }
  if (varying_coefficient)
    evaluate_coefficients<ExecutionSpace, Dim, Order>(exec, mesh, problem, points, form);
  if (varying_source) {
    form.point_source = make_array<Array<double*, Space>>(
        exec, "physics::point_sources", static_cast<std::size_t>(mesh.n_elements()) * Form::volume_rule::n_points);
    evaluate_sources<ExecutionSpace, Dim, Order>(exec, mesh, problem, points, form.point_source);
  }
  return varying_coefficient || varying_source;
}

/// Makes the arrays for storage, at rate 0.
template <class ExecutionSpace, int Dim, int Order, class Form>
void set_storage(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                 const DiffusionProblem& problem,
                 const ElementPoints<Dim, Order, typename ExecutionSpace::memory_space>& points, index_t n_nodes,
                 Form& form) {
  using Values = Array<double*, typename ExecutionSpace::memory_space>;
  std::vector<Expression> capacities;
  std::vector<double> constants;
  for (std::size_t r = 0; r < problem.regions.size(); ++r) {
    const RegionData& region = problem.regions[r];
    const Expression& c = region.capacity;
    TESSERA_REQUIRE(!c.is_constant() || (c.value() > 0. && std::isfinite(c.value())),
                    prefix(region.capacity_where) << "The capacity of region '" << mesh.region_names[r] << "' is "
                                                  << c.value() << "; it must be positive.");
    capacities.push_back(c);
    constants.push_back(c.is_constant() ? c.value() : 0.);
    form.has_point_capacity = form.has_point_capacity || !c.is_constant();
  }
  if (form.has_point_capacity) {
    const auto values = make_array<Values>(exec, "physics::point_capacities",
                                           static_cast<std::size_t>(mesh.n_elements()) * Form::volume_rule::n_points);
    const auto program = make_program(exec, capacities);
    const auto bad_value = make_offender(exec);
    for_each("tessera::physics::evaluate_capacities", exec, mesh.n_elements(),
             detail::EvaluatePoints<Dim, Order, typename ExecutionSpace::memory_space>{
                 points, mesh.regions, program, problem.time, values, true, bad_value});
    keep_alive(exec, program);
    detail::require_none<ExecutionSpace, Dim>(
        exec, mesh, bad_value, [&](group_t region) { return problem.regions[region].capacity_where; },
        "A value that is not positive and finite came out of the capacity");
    form.capacity = values;
  } else {
    const auto table = make_array<Values>(exec, "physics::capacities", constants.size());
    upload(exec, table, constants);
    form.capacity = table;
  }
  form.rate = make_filled<Values>(exec, "physics::storage_rate", 1, 0.);
  form.earlier = make_filled<Values>(exec, "physics::earlier", static_cast<std::size_t>(n_nodes), 0.);
}

/// Throws if a check failed at a facet with a natural condition.
template <class ExecutionSpace, int Dim>
void require_no_facet(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                      const DiffusionProblem& problem, const Offender<typename ExecutionSpace::memory_space>& offender,
                      const char* what) {
  const std::int64_t facet = read_entry(exec, offender.first, 0);
  if (facet == no_offender)
    return;
  const group_t group = read_entry(exec, mesh.facet_groups, facet);
  const index_t node =
      to_host(exec, Kokkos::subview(mesh.facets, std::make_pair(facet, facet + 1), Kokkos::ALL()))(0, 0);
  const auto point = node_position<ExecutionSpace, Dim>(exec, mesh.coordinates, node);
  std::string where;
  for (const NaturalData& data : problem.natural)
    if (data.group == group)
      where = data.where;
  TESSERA_REQUIRE(false, prefix(where) << "Boundary '" << mesh.boundary_names[group] << "': " << what
                                       << ", at the facet of " << point_text(point, Dim) << ".");
}

/// Evaluates natural conditions at the quadrature points of the facets that were found.
template <class ExecutionSpace, int Dim, int Order>
void evaluate_natural(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                      const DiffusionProblem& problem,
                      const ElementPoints<Dim, Order, typename ExecutionSpace::memory_space>& points,
                      const NaturalFacets<Dim, typename ExecutionSpace::memory_space>& found) {
  std::vector<Expression> programs;
  for (const NaturalData& data : problem.natural)
    programs.insert(programs.end(), {data.flux, data.alpha, data.reference, data.emissivity});
  const auto program = make_program(exec, programs);
  const auto bad_value = make_offender(exec);
  for_each("tessera::physics::evaluate_natural", exec, found.n(),
           EvaluateNatural<Dim, Order, typename ExecutionSpace::memory_space>{points, program, problem.time, found,
                                                                              bad_value});
  keep_alive(exec, program);
  require_no_facet<ExecutionSpace, Dim>(
      exec, mesh, problem, bad_value,
      "a value of the condition is not finite, or its coefficient is negative"); // or an emissivity out of 0 .. 1
}

/// Finds the elements at the facets with natural conditions, and evaluates these at the facets' quadrature points.
template <class ExecutionSpace, int Dim, int Order, class Form>
NaturalFacets<Dim, typename ExecutionSpace::memory_space>
set_natural_facets(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                   const DiffusionProblem& problem,
                   const ElementPoints<Dim, Order, typename ExecutionSpace::memory_space>& points, Form& form) {
  using Space = typename ExecutionSpace::memory_space;
  std::vector<index_t> natural_of_group(mesh.boundary_names.size() + 1, -1);
  for (std::size_t i = 0; i < problem.natural.size(); ++i)
    natural_of_group.at(problem.natural[i].group) = static_cast<index_t>(i);
  const auto table = uploaded(exec, "physics::natural_of_group", natural_of_group);
  auto number = make_array<Array<index_t*, Space>>(exec, "physics::natural_numbers", mesh.n_facets() + 1);
  for_each("tessera::physics::flag_natural", exec, mesh.n_facets(),
           FlagNatural<Space>{mesh.facet_groups, table, number});
  const std::int64_t n_natural = counts_to_offsets(exec, number, mesh.n_facets(), "facets with natural conditions");
  auto element_facets =
      make_array<Array<index_t * [Dim + 1], Space>>(exec, "physics::element_facets", mesh.n_elements());
  fill(exec, element_facets, -1);
  NaturalFacets<Dim, Space> found;
  using Values = typename NaturalFacets<Dim, Space>::Values;
  found.facet = make_array<Array<index_t*, Space>>(exec, "physics::natural_facets", n_natural);
  found.element = make_array<Array<index_t*, Space>>(exec, "physics::facet_elements", n_natural);
  found.face = make_array<Array<index_t*, Space>>(exec, "physics::facet_faces", n_natural);
  found.datum = make_array<Array<index_t*, Space>>(exec, "physics::facet_data", n_natural);
  found.alpha = make_array<Values>(exec, "physics::facet_alpha", n_natural);
  found.load = make_array<Values>(exec, "physics::facet_load", n_natural);
  if (problem.has_radiation()) {
    found.radiation = make_array<Values>(exec, "physics::facet_radiation", n_natural);
    found.reference = make_array<Values>(exec, "physics::facet_reference", n_natural);
  }
  const auto incidence = mesh::build_node_incidence<ExecutionSpace, Dim>(exec, mesh);
  const auto conflict = make_offender(exec);
  const auto orphan = make_offender(exec);
  for_each("tessera::physics::find_facets", exec, mesh.n_facets(),
           FindFacets<Dim, Space>{mesh.facets, mesh.facet_groups, table, number, mesh.elements, incidence.offsets,
                                  incidence.pairs, element_facets, found, conflict, orphan});
  keep_alive(exec, table, number, incidence);
  require_no_facet<ExecutionSpace, Dim>(exec, mesh, problem, orphan,
                                        "a facet with a natural condition is no face of any element");
  require_no_facet<ExecutionSpace, Dim>(exec, mesh, problem, conflict, "a facet has two natural conditions");
  evaluate_natural<ExecutionSpace, Dim, Order>(exec, mesh, problem, points, found);
  form.element_facets = element_facets;
  form.facet_alpha = found.alpha;
  form.facet_load = found.load;
  return found;
}

} // namespace

template <class ExecutionSpace, int Dim, int Order>
UniformDiffusion<Dim, Order, typename ExecutionSpace::memory_space>
make_uniform_form(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                  const fe::FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
                  const DiffusionProblem& problem, const linalg::ElementSums<ExecutionSpace>* sums) {
  TESSERA_REQUIRE(problem.is_uniform(), "Closed formulas apply only to planar problems with constant data per region.");
  TESSERA_REQUIRE(space.curved_elements.extent(0) == 0, "Closed formulas apply only to elements with straight edges.");
  UniformDiffusion<Dim, Order, typename ExecutionSpace::memory_space> form;
  form.element_nodes = space.element_nodes;
  form.element_vertices = space.element_vertices;
  form.coordinates = mesh.coordinates;
  form.regions = mesh.regions;
  form.depth = problem.depth;
  set_region_tables(exec, mesh, with_densities<ExecutionSpace, Dim>(exec, mesh, problem, form, sums), problem.depth,
                    form);
  return form;
}

template <class ExecutionSpace, int Dim, int Order>
GeneralDiffusion<Dim, Order, typename ExecutionSpace::memory_space>
make_general_form(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                  const fe::FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
                  const DiffusionProblem& given, NaturalFacets<Dim, typename ExecutionSpace::memory_space>* facets,
                  const linalg::ElementSums<ExecutionSpace>* sums) {
  using Space = typename ExecutionSpace::memory_space;
  using Form = GeneralDiffusion<Dim, Order, Space>;
  Form form;
  form.element_nodes = space.element_nodes;
  form.element_vertices = space.element_vertices;
  const bool is_curved = space.curved_elements.extent(0) > 0;
  form.coordinates = is_curved ? space.coordinates : mesh.coordinates;
  form.curved_elements = space.curved_elements;
  const ElementPoints<Dim, Order, Space> points{space.element_nodes, form.coordinates, form.curved_elements};
  form.regions = mesh.regions;
  form.axisymmetric = given.axisymmetric;
  form.factor = given.axisymmetric ? 2. * pi : given.depth;
  const DiffusionProblem problem = with_densities<ExecutionSpace, Dim>(exec, mesh, given, form, sums);
  set_region_tables(exec, mesh, problem, 1., form);
  set_off_diagonal<ExecutionSpace, Dim>(exec, mesh, problem, form);

  if (problem.axisymmetric)
    check_radii<ExecutionSpace, Dim>(exec, mesh, problem.where);
  const bool varies = set_point_values<ExecutionSpace, Dim, Order>(exec, mesh, problem, points, form);
  form.is_uniform = is_curved && !problem.axisymmetric && !varies && !form.has_tensors();
  if (problem.has_storage)
    set_storage<ExecutionSpace, Dim, Order>(exec, mesh, problem, points, space.n_nodes(), form);
  if (!problem.natural.empty()) {
    const auto found = set_natural_facets<ExecutionSpace, Dim, Order>(exec, mesh, problem, points, form);
    if (facets != nullptr)
      *facets = found;
  }
  return form;
}

template <class ExecutionSpace, int Dim, int Order>
void renew_loads(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                 const DiffusionProblem& given,
                 const GeneralDiffusion<Dim, Order, typename ExecutionSpace::memory_space>& form,
                 const NaturalFacets<Dim, typename ExecutionSpace::memory_space>& facets,
                 const linalg::ElementSums<ExecutionSpace>* sums) {
  const ElementPoints<Dim, Order, typename ExecutionSpace::memory_space> points{form.element_nodes, form.coordinates,
                                                                                form.curved_elements};
  const DiffusionProblem problem = with_densities<ExecutionSpace, Dim>(exec, mesh, given, form, sums);
  if (form.point_source.extent(0) > 0)
    evaluate_sources<ExecutionSpace, Dim, Order>(exec, mesh, problem, points, form.point_source);
  if (!problem.natural.empty())
    evaluate_natural<ExecutionSpace, Dim, Order>(exec, mesh, problem, points, facets);
}

template <class ExecutionSpace, int Dim, int Order>
double stored_rate(const ExecutionSpace& exec,
                   const GeneralDiffusion<Dim, Order, typename ExecutionSpace::memory_space>& form,
                   const Array<const double*, ExecutionSpace>& nodal, const linalg::ElementSums<ExecutionSpace>& sums) {
  using Form = GeneralDiffusion<Dim, Order, typename ExecutionSpace::memory_space>;
  return sums("tessera::physics::stored_rate", exec, SumStored<Form>{form, nodal});
}

#define TESSERA_INSTANTIATE_CASE(SPACE, DIM, ORDER)                                                                    \
  template UniformDiffusion<DIM, ORDER, typename SPACE::memory_space> make_uniform_form<SPACE, DIM, ORDER>(            \
      const SPACE&, const mesh::Mesh<DIM, typename SPACE::memory_space>&,                                              \
      const fe::FunctionSpace<DIM, ORDER, typename SPACE::memory_space>&, const DiffusionProblem&,                     \
      const linalg::ElementSums<SPACE>*);                                                                              \
  template GeneralDiffusion<DIM, ORDER, typename SPACE::memory_space> make_general_form<SPACE, DIM, ORDER>(            \
      const SPACE&, const mesh::Mesh<DIM, typename SPACE::memory_space>&,                                              \
      const fe::FunctionSpace<DIM, ORDER, typename SPACE::memory_space>&, const DiffusionProblem&,                     \
      NaturalFacets<DIM, typename SPACE::memory_space>*, const linalg::ElementSums<SPACE>*);                           \
  template void renew_loads<SPACE, DIM, ORDER>(                                                                        \
      const SPACE&, const mesh::Mesh<DIM, typename SPACE::memory_space>&, const DiffusionProblem&,                     \
      const GeneralDiffusion<DIM, ORDER, typename SPACE::memory_space>&,                                               \
      const NaturalFacets<DIM, typename SPACE::memory_space>&, const linalg::ElementSums<SPACE>*);                     \
  template double stored_rate<SPACE, DIM, ORDER>(                                                                      \
      const SPACE&, const GeneralDiffusion<DIM, ORDER, typename SPACE::memory_space>&,                                 \
      const Array<const double*, SPACE>&, const linalg::ElementSums<SPACE>&);
#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  TESSERA_INSTANTIATE_CASE(SPACE, 2, 1)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 2, 2)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 3, 1)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 3, 2)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::physics
