// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/input/case.hpp"

#include "core/error.hpp"
#include "io/input/input_text.hpp"
#include "io/input/sections/sections.hpp"
#include "io/input/temperature.hpp"
#include "io/mesh_files/point_in_plane.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace tessera::io {

namespace {

/// Number of insertions, deletions, replacements and transpositions between two words.
int edit_distance(const std::string& a, const std::string& b) {
  const std::size_t n = b.size();
  std::vector<int> before(n + 1);
  std::vector<int> last(n + 1);
  std::vector<int> now(n + 1);
  for (std::size_t j = 0; j <= n; ++j)
    last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= n; ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(now);
  }
  return last[n];
}

/// Ignores case and differences between '-', '_' and ' '.
std::string plain(const std::string& text) {
  std::string result;
  for (const char c : text)
    result += (c == '_' || c == ' ') ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

} // namespace

std::string Location::text() const {
  std::string result = printable(file, 300);
  if (line > 0)
    result += ":" + std::to_string(line);
  if (!path.empty())
    result += (result.empty() ? "" : ": ") + printable(path, 200);
  return result;
}

bool has_flux_function(const ProblemOptions& problem) {
  return has_vector_potential(problem.physics) && problem.symmetry == Symmetry::axisymmetric;
}

std::vector<std::string> table_names(const OutputOptions& output, const ProblemOptions& problem) {
  std::vector<std::string> names;
  const auto is_scalar = [](Quantity quantity) {
    return quantity != Quantity::capacitance_matrix && quantity != Quantity::inductance_matrix;
  };
  const auto is_floating = [](const Boundary& boundary) { return boundary.kind == BoundaryKind::floating; };
  if (std::any_of(output.quantities.begin(), output.quantities.end(), is_scalar) || !output.lines.empty() ||
      !output.surfaces.empty() || std::any_of(problem.boundaries.begin(), problem.boundaries.end(), is_floating))
    names.emplace_back("quantities");
  for (const Quantity quantity : {Quantity::regions, Quantity::capacitance_matrix, Quantity::inductance_matrix})
    if (detail::lists(output, quantity) && !(quantity == Quantity::regions && is_harmonic(problem.physics)))
      names.push_back(name_of(quantity, problem.physics));
  if (problem.frequencies.size() > 1)
    names.emplace_back("frequencies");
  if (!output.lines.empty())
    names.emplace_back("lines");
  if (!output.surfaces.empty())
    names.emplace_back("surfaces");
  return names;
}

std::vector<std::pair<std::string, std::string>> probe_columns(const ProblemOptions& problem, Method method,
                                                               int dimension) {
  const bool cylindrical = has_flux_function(problem);
  const PhysicsTraits& traits = traits_of(problem);
  const std::string unit = traits.solution.unit;
  std::vector<std::pair<std::string, std::string>> columns{{traits.solution.name, unit.empty() ? "1" : unit}};
  for (int d = 0; d < dimension; ++d)
    columns.emplace_back(traits.gradient_column + std::string(1, (cylindrical ? "rz?" : "xyz")[d]),
                         traits.gradient.unit);
  if (method == Method::dg)
    return columns;
  const bool is_eddy = problem.physics == Physics::eddy_currents;
  for (int d = 0; d < dimension; ++d)
    columns.emplace_back((is_eddy ? "H" : traits.flux_column) + std::string(1, (cylindrical ? "rz?" : "xyz")[d]),
                         is_eddy ? "A/m" : traits.flux.unit);
  if (cylindrical)
    columns.emplace_back("flux_function", "Wb");
  if (!is_harmonic(problem.physics))
    return columns;
  if (is_eddy)
    columns.emplace_back("J", "A/m^2");
  std::vector<std::pair<std::string, std::string>> of_parts;
  for (const char* part : {"_real", "_imaginary", "_magnitude", "_phase"})
    for (const auto& [name, of_unit] : columns)
      of_parts.emplace_back(name + part, std::string(part) == "_phase" ? "deg" : of_unit);
  return of_parts;
}

std::string number_text(double value) {
  if (std::isnan(value))
    return "nan";
  char buffer[40];
  for (int digits = 15; digits <= 17; ++digits) {
    std::snprintf(buffer, sizeof(buffer), "%.*g", digits, value);
    if (std::strtod(buffer, nullptr) == value)
      break;
  }
  std::string text = buffer;
  // YAML 1.1 reads 1e-10 as a text: its numbers with an exponent need a point. -0 needs one, too, to keep its sign.
  const std::size_t exponent = text.find('e');
  if (exponent != std::string::npos && text.find('.') == std::string::npos)
    text.insert(exponent, ".0");
  return text == "-0" ? "-0.0" : text;
}

std::string frequency_suffix(const ProblemOptions& problem, double frequency) {
  return problem.frequencies.size() > 1 ? "." + number_text(frequency) + "Hz" : "";
}

bool is_zero(const Scalar& scalar) { return scalar.is_constant && scalar.value == 0.; }

Scalar Scalar::constant(double value) {
  Scalar scalar;
  scalar.text = number_text(value);
  scalar.value = value;
  return scalar;
}

std::vector<std::array<double, 3>> Probe::positions() const {
  std::vector<std::array<double, 3>> points = list;
  if (is_line)
    points.resize(static_cast<std::size_t>(n_points));
  for (int i = 0; is_line && i < n_points; ++i) {
    const double s = static_cast<double>(i) / (n_points - 1);
    for (std::size_t k = 0; k < 3; ++k)
      points[static_cast<std::size_t>(i)][k] = i + 1 == n_points ? to[k] : from[k] + s * (to[k] - from[k]);
  }
  for (std::array<double, 3>& point : points)
    point = in_plane_unless_given(point);
  return points;
}

std::vector<double> TimeOptions::nodes() const {
  std::vector<double> nodes{from};
  for (int n = 1; n <= steps; ++n)
    nodes.push_back(!sizes.empty() ? nodes.back() + sizes[static_cast<std::size_t>(n - 1)]
                    : n == steps   ? to
                                   : from + (to - from) * n / steps);
  return nodes;
}

std::string nearest_name(const std::string& text, const std::vector<std::string>& allowed) {
  std::string best;
  constexpr std::size_t max_length = 64; // the cost of a distance is the product of the lengths
  if (text.size() > max_length)
    return best;
  int best_distance = 1 + static_cast<int>(std::max<std::size_t>(text.size(), 3)) / 3;
  for (const std::string& name : allowed) {
    const int difference = std::abs(static_cast<int>(name.size()) - static_cast<int>(text.size()));
    if (name.size() > max_length || difference >= best_distance)
      continue;
    const int distance = edit_distance(plain(text), plain(name));
    if (distance < best_distance) {
      best_distance = distance;
      best = name;
    }
  }
  if (!best.empty() || text.size() < 4)
    return best;
  // A part of a name that is not a misspelling: "permittivity" of "relative_permittivity".
  for (const std::string& name : allowed)
    if (("_" + name + "_").find("_" + text + "_") != std::string::npos) {
      if (!best.empty())
        return {}; // two names match
      best = name;
    }
  return best;
}

std::string joined(const std::vector<std::string>& names) {
  constexpr std::size_t max_shown = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), max_shown); ++i)
    text += (text.empty() ? "" : ", ") + printable(names[i]);
  if (names.size() > max_shown)
    text += " and " + std::to_string(names.size() - max_shown) + " more";
  return text.empty() ? "none" : text;
}

std::string near_name_end(const std::string& text, const std::vector<std::string>& allowed) {
  const std::string near = nearest_name(text, allowed);
  return near.empty() ? "." : "; did you mean '" + printable(near) + "'?";
}

std::string unknown_name_message(const std::string& what, const std::string& text,
                                 const std::vector<std::string>& allowed) {
  const std::string near = nearest_name(text, allowed);
  return "unknown " + what + " '" + printable(text) + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?") +
         (near.empty() ? "; allowed: " : " Allowed: ") + joined(allowed) + ".";
}

#define TESSERA_NAMES(Enum, ...)                                                                                       \
  template <> const std::vector<NamedValue<Enum>>& enum_names() {                                                      \
    static const std::vector<NamedValue<Enum>> names{__VA_ARGS__};                                                     \
    return names;                                                                                                      \
  }

TESSERA_NAMES(MeshSource, {"geometry", MeshSource::geometry}, {"file", MeshSource::file}, {"box", MeshSource::box})
TESSERA_NAMES(Ordering, {"morton", Ordering::morton}, {"none", Ordering::none})
TESSERA_NAMES(Partition, {"morton", Partition::morton}, {"metis", Partition::metis})
TESSERA_NAMES(MeshOfProcess, {"whole", MeshOfProcess::whole}, {"parts", MeshOfProcess::parts})
TESSERA_NAMES(Symmetry, {"planar", Symmetry::planar}, {"axisymmetric", Symmetry::axisymmetric})
TESSERA_NAMES(TemperatureUnit, {"kelvin", TemperatureUnit::kelvin}, {"celsius", TemperatureUnit::celsius})
TESSERA_NAMES(Method, {"cg", Method::cg}, {"dg", Method::dg})
TESSERA_NAMES(TimeMethod, {"bdf2", TimeMethod::bdf2}, {"sdirk2", TimeMethod::sdirk2},
              {"implicit-euler", TimeMethod::implicit_euler})
TESSERA_NAMES(fe::TimePolynomials, {"p", fe::TimePolynomials::p}, {"pq", fe::TimePolynomials::pq})
TESSERA_NAMES(Estimator, {"recovery", Estimator::recovery}, {"residual", Estimator::residual})
TESSERA_NAMES(Coloring, {"ccm", Coloring::ccm}, {"fcm", Coloring::fcm}, {"ofcm", Coloring::ofcm},
              {"kokkos-kernels", Coloring::kokkos_kernels}, {"node-claims", Coloring::node_claims})
TESSERA_NAMES(SolverMethod, {"pcg", SolverMethod::pcg}, {"ebe-j-pcg", SolverMethod::ebe_j_pcg},
              {"multigrid", SolverMethod::multigrid}, {"gmres", SolverMethod::gmres},
              {"bicgstab", SolverMethod::bicgstab}, {"petsc", SolverMethod::petsc})
TESSERA_NAMES(comm::Messages, {"auto", comm::Messages::automatic}, {"mpi", comm::Messages::mpi},
              {"peer", comm::Messages::peer}, {"nccl", comm::Messages::nccl})
TESSERA_NAMES(NonlinearMethod, {"newton", NonlinearMethod::newton})
TESSERA_NAMES(AgglomerationMethod, {"device", AgglomerationMethod::device}, {"metis", AgglomerationMethod::metis})
TESSERA_NAMES(Covering, {"surface", Covering::surface}, {"p-coverable", Covering::p_coverable},
              {"simplices", Covering::simplices})
TESSERA_NAMES(Preconditioner, {"auto", Preconditioner::automatic}, {"none", Preconditioner::none},
              {"jacobi", Preconditioner::jacobi}, {"multigrid", Preconditioner::multigrid},
              {"block-jacobi", Preconditioner::block_jacobi},
              {"block-gauss-seidel", Preconditioner::block_gauss_seidel})
TESSERA_NAMES(SweepOrder, {"color", SweepOrder::color}, {"downwind", SweepOrder::downwind})
TESSERA_NAMES(solvers::MultigridType, {"auto", solvers::MultigridType::automatic},
              {"geometric", solvers::MultigridType::geometric}, {"algebraic", solvers::MultigridType::algebraic})
TESSERA_NAMES(solvers::MultigridCycle, {"auto", solvers::MultigridCycle::automatic}, {"V", solvers::MultigridCycle::V},
              {"W", solvers::MultigridCycle::W}, {"full", solvers::MultigridCycle::full})
TESSERA_NAMES(Precision, {"single", Precision::single_precision}, {"double", Precision::double_precision})
#undef TESSERA_NAMES

template <> const std::vector<NamedValue<Physics>>& enum_names() {
  static const std::vector<NamedValue<Physics>> names = [] {
    std::vector<NamedValue<Physics>> list;
    for (const PhysicsTraits& traits : physics_table())
      list.push_back({traits.name, traits.physics});
    return list;
  }();
  return names;
}

template <> const std::vector<NamedValue<Phasors>>& enum_names() {
  static const std::vector<NamedValue<Phasors>> names{{"amplitude", Phasors::amplitude}, {"rms", Phasors::rms}};
  return names;
}

template <> const std::vector<NamedValue<ErrorEstimates>>& enum_names() {
  static const std::vector<NamedValue<ErrorEstimates>> names{
      {"auto", ErrorEstimates::automatic}, {"true", ErrorEstimates::on}, {"false", ErrorEstimates::off}};
  return names;
}

template <> const std::vector<NamedValue<DgStrategy>>& enum_names() {
  static const std::vector<NamedValue<DgStrategy>> names = [] {
    std::vector<NamedValue<DgStrategy>> list;
    for (const assembly::dg::StrategyTraits& traits : assembly::dg::strategy_table)
      list.push_back({traits.name, traits.strategy});
    return list;
  }();
  return names;
}

template <> const std::vector<NamedValue<Strategy>>& enum_names() {
  static const std::vector<NamedValue<Strategy>> names = [] {
    std::vector<NamedValue<Strategy>> list;
    for (const assembly::StrategyTraits& traits : assembly::strategy_table)
      list.push_back({traits.name, traits.strategy});
    return list;
  }();
  return names;
}

bool may_be_nonlinear(const ProblemOptions& problem) {
  return problem.physics == Physics::magnetostatics || depends_on_temperature(problem) ||
         std::any_of(problem.materials.begin(), problem.materials.end(),
                     [](const Material& material) { return !material.bh_curve.empty(); }) ||
         std::any_of(problem.boundaries.begin(), problem.boundaries.end(),
                     [](const Boundary& boundary) { return boundary.kind == BoundaryKind::radiation; });
}

bool is_conductor(const Boundary& boundary) {
  return boundary.kind == BoundaryKind::value || boundary.kind == BoundaryKind::floating;
}

bool is_periodic(const Boundary& boundary) {
  return boundary.kind == BoundaryKind::periodic || boundary.kind == BoundaryKind::antiperiodic;
}

bool writes_colors(const OutputOptions& output) {
  return std::find(output.fields.begin(), output.fields.end(), Field::colour) != output.fields.end();
}

bool has_joints(const ProblemOptions& problem) {
  return std::any_of(problem.boundaries.begin(), problem.boundaries.end(),
                     [](const Boundary& boundary) { return boundary.kind == BoundaryKind::joint; });
}

bool is_natural(const Boundary& boundary) {
  return boundary.kind == BoundaryKind::flux || boundary.kind == BoundaryKind::robin ||
         boundary.kind == BoundaryKind::radiation || boundary.kind == BoundaryKind::asymptotic;
}

bool has_infinity(const ProblemOptions& problem) {
  return std::any_of(problem.boundaries.begin(), problem.boundaries.end(), [](const Boundary& boundary) {
    return boundary.kind == BoundaryKind::asymptotic && boundary.order == 0;
  });
}

std::optional<double> value_at_infinity(const ProblemOptions& problem) {
  for (const Boundary& boundary : problem.boundaries)
    if (boundary.kind == BoundaryKind::asymptotic)
      return boundary.reference.value;
  return {};
}

const PhysicsTraits& traits_of(const ProblemOptions& problem) {
  return traits_of(problem.physics, problem.temperature_unit);
}

const Shell* shell_of(const ProblemOptions& problem, const std::string& region) {
  for (const Material& material : problem.materials)
    if (material.shell && material.region.name == region)
      return &*material.shell;
  return nullptr;
}

std::vector<std::string> matrix_conductors(const ProblemOptions& problem, const OutputOptions& output) {
  std::vector<std::string> names;
  for (const GroupName& name : output.conductors)
    names.push_back(name.name);
  for (const Boundary& boundary : problem.boundaries)
    if (output.conductors.empty() && is_conductor(boundary) && boundary.group.name != output.ground.name)
      names.push_back(boundary.group.name);
  return names;
}

double Magnet::flux_density(double relative_permeability) const {
  return remanence != 0. ? remanence : physics::vacuum_permeability * relative_permeability * coercivity;
}

bool Magnet::has_constant_direction() const {
  return std::all_of(direction.begin(), direction.end(), [](const Scalar& entry) { return entry.is_constant; });
}

std::array<double, 2> Magnet::unit_direction() const {
  // Divided by the larger one first, so that no length overflows.
  const double largest = std::max(std::fabs(direction.at(0).value), std::fabs(direction.at(1).value));
  const double x = direction[0].value / largest;
  const double y = direction[1].value / largest;
  const double length = std::hypot(x, y);
  return {x / length, y / length};
}

} // namespace tessera::io
