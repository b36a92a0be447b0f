// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/problem/binding/problem_binding.hpp"

#include "core/constants.hpp"
#include "driver/harmonic/cores/complex_permeability.hpp"
#include "driver/mesh/box_groups.hpp"
#include "driver/problem/binding/boundary_neighbours.hpp"
#include "driver/problem/binding/input_values.hpp"
#include "driver/problem/binding/open_space.hpp"
#include "io/input/case.hpp"
#include "io/input/map_reader.hpp"
#include "io/input/temperature.hpp"
#include "io/mesh_files/point_in_plane.hpp"
#include "physics/forms/magnetic_problem.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

namespace tessera::driver {

namespace {

/// Sets the permeability of the medium's region, and remanence, B-H curve and shell of the problem's region.
void set_magnetic_material(const io::Material& material, int region, bool is_harmonic,
                           physics::MagneticProblem& problem) {
  physics::RegionData& medium = problem.medium.regions[region];
  medium.coefficient.clear();
  for (const std::complex<double>& permeability : relative_permeability(material, 0.))
    medium.coefficient.emplace_back(permeability.real());
  medium.coefficient_factor = physics::vacuum_permeability;
  physics::MagneticRegion& data = problem.regions[region];
  if (!material.bh_curve.empty() && is_harmonic) { // driver/harmonic/cores/saturated_cores.hpp has the region's energy
    medium.coefficient_factor = std::numeric_limits<double>::infinity();
  } else if (!material.bh_curve.empty()) {
    data.curve = static_cast<int>(problem.curves.size());
    problem.curves.push_back(material.bh_curve);
  }
  if (!material.bh_across.empty()) {
    data.curve_across = static_cast<int>(problem.curves.size());
    data.curve_angle = material.bh_angle * pi / 180.;
    problem.curves.push_back(material.bh_across);
  }
  if (material.magnet) {
    const double size = material.bh_curve.empty() ? material.magnet->flux_density(material.relative_permeability[0])
                                                  : material.magnet->coercivity;
    if (material.magnet->has_constant_direction()) {
      const std::array<double, 2> direction = material.magnet->unit_direction();
      data.remanence = {size * direction[0], size * direction[1]};
    } else {
      data.remanence_size = size;
      for (const io::Scalar& component : material.magnet->direction)
        data.direction.push_back(to_expression(component));
    }
  }
  if (material.shell) {
    data.is_shell = true;
    data.center = {material.shell->center[0], material.shell->center[1]};
    data.inner_radius = material.shell->inner_radius;
    data.outer_radius = material.shell->outer_radius;
  }
}

/// Sets the coils on the regions of the mesh; reports an error for a region that the mesh lacks.
void set_coils(const std::vector<io::CoilInput>& coils, const std::vector<std::string>& region_names,
               physics::MagneticProblem& problem, io::InputErrors& errors) {
  for (const io::CoilInput& entry : coils) {
    physics::Coil coil;
    coil.name = entry.name.name;
    coil.where = entry.name.where.text();
    coil.turns = entry.turns;
    coil.current = entry.current;
    coil.direction.assign(region_names.size(), 0.);
    for (const io::CoilSide& side : entry.sides) {
      const int region = region_of(side.region, region_names, "a coil is given for", errors);
      if (region >= 0)
        coil.direction[region] = side.sign;
    }
    problem.coils.push_back(coil);
  }
}

/// Reports points of the output whose number of coordinates differs from the mesh's dimension.
void check_points(const io::Case& input, int dimension, io::InputErrors& errors) {
  if (input.mesh.dimension != 0) // the reader has checked
    return;
  const auto check = [&](const io::Location& where, const std::vector<std::array<double, 3>>& points) {
    for (const std::array<double, 3>& point : points)
      if (const int n = std::isnan(point[2]) ? 2 : 3; n != dimension) {
        errors.add(where, "a point has " + std::to_string(n) + " coordinates, but the mesh has " +
                              std::to_string(dimension) + " dimensions.");
        return; // one error is enough
      }
  };
  const io::OutputOptions& output = input.output;
  for (const io::Probe& probe : output.probes)
    check(probe.where, probe.is_line ? std::vector<std::array<double, 3>>{probe.from, probe.to} : probe.list);
  for (const io::Line& line : output.lines)
    check(line.where, line.points);
  for (const io::SurfaceInput& surface : output.surfaces)
    if (surface.away_from)
      check(surface.where, {*surface.away_from});
  for (const io::Body& body : output.bodies)
    if (dimension == 3 || body.about[2] != 0.) // zeros if not given
      check(body.where, {body.about});
}

/// Whether one of the lines or surfaces has this name.
template <class Path> bool has_name(const std::vector<Path>& paths, const std::string& name) {
  return std::any_of(paths.begin(), paths.end(), [&](const Path& path) { return path.name == name; });
}

/// Reports lines and surfaces with the name of a region if both have extremes, whose names would be the same.
void check_path_names(const io::Case& input, const std::vector<std::string>& regions, io::InputErrors& errors) {
  const std::vector<io::Quantity>& requested = input.output.quantities;
  if (std::find(requested.begin(), requested.end(), io::Quantity::regions) == requested.end())
    return;
  const std::string extreme = io::name_of(io::RegionQuantity::largest_field, input.problem.physics);
  const auto check = [&](const auto& paths) {
    for (const auto& path : paths)
      if (find_name(regions, path.name) >= 0)
        errors.add(path.where,
                   "is the name of a region of the mesh, too, and quantities: [regions] is requested: " + extreme +
                       "." + path.name + " would be ambiguous. Give it another name; a surface lists its groups then.");
  };
  check(input.output.lines);
  check(input.output.surfaces);
}

/// Reports expected quantities that a mesh of this dimension, with these regions, does not have.
void check_expected(const io::Case& input, int dimension, const std::vector<std::string>& regions,
                    io::InputErrors& errors) {
  const io::Physics physics = input.problem.physics;
  const auto is_of_region = [&](const std::string& head) {
    return (input.discretization.method == io::Method::dg && head == io::name_of(io::Quantity::mean, physics)) ||
           std::any_of(std::begin(io::region_quantities), std::end(io::region_quantities),
                       [&](io::RegionQuantity quantity) { return io::name_of(quantity, physics) == head; });
  };
  for (const io::ExpectedQuantity& expected : input.verification.quantities) {
    const std::size_t dot = expected.name.find('.');
    if (dot == std::string::npos)
      continue;
    const std::string head = expected.name.substr(0, dot);
    const std::string member = expected.name.substr(dot + 1);
    const bool is_line = has_name(input.output.lines, member);
    const bool is_path = is_line || has_name(input.output.surfaces, member); // their extremes have the same names
    if (is_of_region(head) && !is_path && find_name(regions, member) < 0)
      errors.add(expected.where, io::unknown_name_message("region", member, regions));
    if (dimension == 3 && head == io::name_of(io::PathQuantity::flux, physics) && is_line)
      errors.add(expected.where, "lines have a flux in two dimensions only; the mesh has 3.");
  }
}

/// Checks that the reader could not make for a mesh file, whose dimension it did not know.
void check_dimension(const io::Case& input, int dimension, io::InputErrors& errors) {
  const io::ProblemOptions& problem = input.problem;
  const auto of_mesh = [&] { return " needs a mesh of dimension 2, this one has " + std::to_string(dimension) + "."; };
  if (dimension != 2 && io::has_vector_potential(problem.physics))
    errors.add(problem.materials_where, "magnetostatics" + of_mesh());
  if (dimension != 2 && problem.symmetry == io::Symmetry::axisymmetric)
    errors.add(problem.symmetry_where, "axisymmetric" + of_mesh());
  if (dimension != 2 && problem.depth_where.line != 0)
    errors.add(problem.depth_where, "a depth" + of_mesh());
  for (const io::Material& material : problem.materials) {
    const std::size_t n = material.coefficient.diagonal.size();
    if (dimension == 2 && material.shell && material.shell->center[2] != 0.)
      errors.add(material.region.where, "the shell's centre has three coordinates, but the mesh has 2 dimensions.");
    if (n > 1 && n != static_cast<std::size_t>(dimension))
      errors.add(material.region.where, "a coefficient has one value or one per direction (" +
                                            std::to_string(dimension) + "), not " + std::to_string(n) + ".");
  }
  for (const io::PointSourceInput& source : problem.point_sources)
    if (source.n_coordinates != dimension)
      errors.add(source.name.where, "its position has " + std::to_string(source.n_coordinates) +
                                        " coordinates, but the mesh has " + std::to_string(dimension) + " dimensions.");
  for (const io::LineSourceInput& source : problem.line_sources)
    if (dimension != 3)
      errors.add(source.name.where, "a line source needs a mesh of dimension 3, this one has 2. In the plane a point "
                                    "source (problem.point_sources) is a line across it.");
  for (const io::Boundary& boundary : problem.boundaries)
    if (boundary.kind == io::BoundaryKind::asymptotic && boundary.order == 0 && dimension == 2 &&
        problem.symmetry == io::Symmetry::planar)
      errors.add(boundary.group.where,
                 "order 0 is the far field of a charge in space; in the plane the smallest is 1.");
  for (const io::Boundary& boundary : problem.boundaries)
    if (dimension != 2 && is_periodic(boundary) && boundary.periodic.kind == io::PeriodicMap::Kind::rotation)
      errors.add(boundary.group.where, "a rotation" + of_mesh());
  check_points(input, dimension, errors);
  const io::DiscretizationOptions& discretization = input.discretization;
  const auto check_order = [&](int order, const io::Location& where) {
    if (discretization.method == io::Method::dg && order > io::largest_dg_order(dimension))
      errors.add(where, "must lie between 0 and " + std::to_string(io::largest_dg_order(dimension)) + ", but is " +
                            std::to_string(order) + ": the mesh has " + std::to_string(dimension) + " dimensions.");
  };
  check_order(discretization.order.number, discretization.order.where);
  for (const io::RegionNumber& entry : discretization.order.regions)
    check_order(entry.number, entry.region.where);
  const io::VerificationOptions& verification = input.verification;
  if (!verification.gradient.empty() && verification.gradient.size() != static_cast<std::size_t>(dimension))
    errors.add(verification.gradient[0].where, "expected " + std::to_string(dimension) +
                                                   " expressions, one per direction, found " +
                                                   std::to_string(verification.gradient.size()) + ".");
  std::vector<std::string> columns;
  for (const auto& column : io::probe_columns(problem, input.discretization.method, dimension))
    columns.push_back(column.first);
  for (const io::ExpectedProbe& expected : verification.probes)
    if (find_name(columns, expected.column) < 0)
      errors.add(expected.where, io::unknown_name_message("column", expected.column, columns));
}

class Binder {
public:
  /// `import_notes`: notes of the mesh's import, including dropped groups.
  Binder(const io::Case& input, int dimension, const std::vector<std::string>& regions,
         const std::vector<std::string>& boundaries, const std::vector<std::string>& import_notes = {})
      : input_(input), options_(input.problem), dimension_(dimension), regions_(regions), boundaries_(boundaries),
        import_notes_(import_notes), is_magnetic_(io::has_vector_potential(options_.physics)),
        fixes_solution_(options_.physics == io::Physics::advection_diffusion_reaction || options_.time.requested()) {}

  ProblemBinding bind() {
    check_dimension(input_, dimension_, errors_);
    check_path_names(input_, regions_, errors_);
    check_expected(input_, dimension_, regions_, errors_);
    binding_.condition_boundaries.resize(boundaries_.size(), false);
    if (is_magnetic_) {
      binding_.magnetic.emplace();
      binding_.magnetic->regions.resize(regions_.size());
    }
    physics::DiffusionProblem& problem = medium();
    problem.axisymmetric = options_.symmetry == io::Symmetry::axisymmetric;
    problem.where = options_.symmetry_where.text();
    problem.depth = dimension_ == 2 && !problem.axisymmetric ? options_.depth : 1.;
    problem.regions.resize(regions_.size());
    problem.has_storage = options_.time.requested() && input_.discretization.method == io::Method::cg;
    problem.time = options_.time.from;
    set_materials();
    for (const io::Source& source : options_.sources) {
      const int region =
          region_of(source.region, regions_, "a source is given for", errors_, why_missing(source.region.name));
      if (region < 0)
        continue;
      problem.regions[region].source = to_expression(source.density);
      problem.regions[region].source_total = source.total;
      problem.regions[region].source_where = source.region.where.text();
    }
    for (const io::PointSourceInput& source : options_.point_sources)
      problem.point_sources.push_back({source.name.name, source.at, source.strength, source.name.where.text()});
    for (const io::LineSourceInput& source : options_.line_sources)
      problem.line_sources.push_back(
          {source.name.name, source.from, source.to, source.density, source.name.where.text()});
    for (const io::RegionNumber& entry : input_.discretization.order.regions)
      region_of(entry.region, regions_, "a degree is given for", errors_);
    for (const io::RegionNumber& entry : input_.discretization.local_steps.regions)
      region_of(entry.region, regions_, "a number of steps is given for", errors_);
    if (is_magnetic_)
      set_coils(options_.coils, regions_, *binding_.magnetic, errors_);
    for (const io::Boundary& boundary : options_.boundaries)
      set_boundary(boundary);
    binding_.takes_losses = options_.coupling == io::Coupling::losses_heat;
    binding_.has_given_temperature = options_.coupling == io::Coupling::depends_on_heat;
    if (io::depends_on_temperature(options_) || binding_.takes_losses)
      set_rest_temperature();
    for (const io::Body& body : input_.output.bodies)
      add_body(body);
    for (const io::SurfaceInput& surface : input_.output.surfaces)
      add_surface(surface);
    if (is_magnetic_ && problem.axisymmetric)
      fix_axis();
    set_jumps();
    if (!fixes_solution_)
      errors_.add(options_.boundaries_where, "nothing fixes the solution: at least one boundary needs a '" +
                                                 io::name_of(io::BoundaryKind::value, options_.physics) +
                                                 "' (or a 'robin' condition with a coefficient above 0, or an "
                                                 "'antiperiodic' one). The mesh's boundaries are: " +
                                                 io::joined(boundaries_) + ".");
    errors_.throw_if_any();
    return std::move(binding_);
  }

private:
  physics::DiffusionProblem& medium() { return binding_.medium(); }

  void set_materials() {
    std::vector<bool> has_material(regions_.size(), false);
    for (const io::Material& material : options_.materials) {
      const int region =
          region_of(material.region, regions_, "a material is given for", errors_, why_missing(material.region.name));
      if (region < 0)
        continue;
      has_material[region] = true;
      medium().regions[region].where = material.region.where.text();
      if (is_magnetic_) {
        set_magnetic_material(material, region, io::is_harmonic(options_.physics), *binding_.magnetic);
        continue;
      }
      physics::RegionData& data = binding_.problem.regions[region];
      const auto& diagonal = material.coefficient.diagonal;
      if (diagonal.size() == 1 || diagonal.size() == static_cast<std::size_t>(dimension_))
        for (int d = 0; d < dimension_; ++d)
          data.coefficient.push_back(to_expression(diagonal[diagonal.size() == 1 ? 0 : d]));
      for (const io::Scalar& entry : material.coefficient.off_diagonal)
        data.off_diagonal.push_back(to_expression(entry));
      if (binding_.problem.has_storage)
        data.capacity = capacity_of(material);
      data.capacity_where = material.region.where.text();
      if (material.shell)
        set_shell(*material.shell, diagonal[0], dimension_, options_.symmetry, data);
      data.coefficient_factor = io::has_permittivity(options_.physics) ? physics::vacuum_permittivity : 1.;
    }
    for (const io::GroupName& insulator : options_.insulators)
      if (const int region = find_name(regions_, insulator.name); region >= 0) { // others are reported with heat
        has_material[region] = true;
        binding_.problem.regions[region].where = insulator.where.text();
      }
    for (std::size_t r = 0; r < regions_.size(); ++r)
      if (!has_material[r])
        errors_.add(options_.materials_where,
                    "region '" + regions_[r] +
                        "' of the mesh has no material. The mesh's regions are: " + io::joined(regions_) + ".");
  }

  /// The mean of the given temperatures that are constants, or room temperature without any.
  void set_rest_temperature() {
    std::vector<double> given;
    const auto add = [&](const io::Scalar& value) {
      if (value.is_constant)
        given.push_back(value.value);
    };
    for (const io::Boundary& boundary : options_.boundaries)
      if (boundary.kind == io::BoundaryKind::value)
        add(boundary.value);
      else if (boundary.kind == io::BoundaryKind::robin || boundary.kind == io::BoundaryKind::radiation)
        add(boundary.reference);
    if (options_.time.requested())
      add(options_.time.initial);
    constexpr double room_in_kelvins = 293.15;
    constexpr double room_in_celsius = 20.;
    const bool in_celsius = options_.temperature_unit == io::TemperatureUnit::celsius;
    double rest = in_celsius ? room_in_celsius : room_in_kelvins;
    if (!given.empty())
      rest = std::accumulate(given.begin(), given.end(), 0.) / static_cast<double>(given.size());
    medium().depends_on_temperature = io::depends_on_temperature(options_);
    medium().rest_temperature = rest;
  }

  /// The product of the factors. Heat of fusion adds its share per kelvin to the last one, between both temperatures.
  static physics::Expression capacity_of(const io::Material& material) {
    double product = 1.;
    std::string text;
    bool is_constant = !material.fusion;
    for (const io::Scalar& factor : material.capacity) {
      product *= factor.value;
      const bool melts = material.fusion && &factor == &material.capacity.back();
      const std::string own = "(" + factor.text + ")";
      text += (text.empty() ? "" : "*") + (melts ? "(" + own + " + " + text_of(*material.fusion) + ")" : own);
      is_constant = is_constant && factor.is_constant;
    }
    return is_constant ? physics::Expression(product) : parse_around(material.capacity.front(), text);
  }

  /// Per kilogram and kelvin.
  static std::string text_of(const io::Fusion& fusion) {
    return "(T > (" + io::number_text(fusion.solidus) + ") && T < (" + io::number_text(fusion.liquidus) + ") ? " +
           io::number_text(fusion.latent_heat / (fusion.liquidus - fusion.solidus)) + " : 0)";
  }

  /// " " and the import's note on a group that is in the file but not in the mesh; empty for others.
  std::string why_missing(const std::string& name) const {
    for (const std::string& note : import_notes_)
      if (note.find('"' + name + '"') != std::string::npos)
        return " " + note;
    return "";
  }

  /// io::near_name_end() for all groups of the mesh.
  std::string near_group_end(const std::string& name) const {
    std::vector<std::string> groups = boundaries_;
    groups.insert(groups.end(), regions_.begin(), regions_.end());
    return io::near_name_end(name, groups);
  }

  void set_boundary(const io::Boundary& boundary) {
    const std::string& name = boundary.group.name;
    const int group = find_name(boundaries_, name);
    const int region = group >= 0 ? -1 : find_name(regions_, name);
    if (group >= 0)
      binding_.condition_boundaries[static_cast<std::size_t>(group)] = true;
    const bool is_natural = io::is_natural(boundary);
    const bool of_region = group < 0 && region >= 0;
    if (group < 0 && region < 0)
      errors_.add(boundary.group.where, "the mesh has no physical group '" + name + "'" + near_group_end(name) +
                                            " Its boundaries are: " + io::joined(boundaries_) +
                                            "; its regions are: " + io::joined(regions_) + "." + why_missing(name));
    else if (of_region && (is_natural || is_periodic(boundary) || boundary.kind == io::BoundaryKind::joint))
      errors_.add(boundary.group.where,
                  "'" + name + "' is a region; a " +
                      (boundary.kind == io::BoundaryKind::joint ? boundary.joint.key()
                                                                : io::name_of(boundary.kind, options_.physics)) +
                      " condition belongs on a boundary. Boundaries are: " + io::joined(boundaries_) + ".");
    if (is_periodic(boundary))
      set_periodic(boundary, group);
    else if (boundary.kind == io::BoundaryKind::joint)
      set_joint(boundary, group);
    else if (is_natural)
      set_natural(boundary, group);
    else
      set_constraint(boundary, group, region);
  }

  void set_joint(const io::Boundary& boundary, int group) {
    binding_.joints.push_back(to_joint(boundary, options_.physics, static_cast<group_t>(group)));
  }

  void set_periodic(const io::Boundary& boundary, int group) {
    const io::PeriodicMap& map = boundary.periodic;
    const int partner = find_name(boundaries_, map.with.name);
    if (partner < 0)
      errors_.add(map.with.where, "'" + map.with.name + "' of a periodic pair is no boundary of the mesh" +
                                      io::near_name_end(map.with.name, boundaries_) +
                                      " Its boundaries are: " + io::joined(boundaries_) + ".");
    fe::PeriodicPair pair;
    pair.group = static_cast<group_t>(group);
    pair.partner = static_cast<group_t>(partner);
    pair.name = boundary.group.name;
    pair.partner_name = map.with.name;
    pair.where = boundary.group.where.text();
    pair.is_antiperiodic = boundary.kind == io::BoundaryKind::antiperiodic;
    pair.map = map.kind == io::PeriodicMap::Kind::translation
                   ? fe::PeriodicPair::Map::translation
                   : (map.kind == io::PeriodicMap::Kind::rotation ? fe::PeriodicPair::Map::rotation
                                                                  : fe::PeriodicPair::Map::automatic);
    pair.translation = map.translation;
    pair.angle = map.degrees * pi / 180.;
    pair.center = map.center;
    binding_.periodic.push_back(pair);
    binding_.jumps.push_back(boundary.total);
    fixes_solution_ = fixes_solution_ || pair.is_antiperiodic;
  }

  void set_jumps() {
    std::vector<double>& jumps = binding_.jumps;
    if (std::all_of(jumps.begin(), jumps.end(), [](double jump) { return jump == 0.; }))
      jumps.clear();
    for (const fe::PeriodicPair& pair : binding_.periodic)
      if (pair.is_antiperiodic && !jumps.empty())
        errors_.add(options_.boundaries_where,
                    "periodic boundaries with a jump and antiperiodic ones ('" + pair.name + "') do not go together.");
    binding_.is_pinned = !jumps.empty() && !fixes_solution_ && medium().is_linear();
    fixes_solution_ = fixes_solution_ || binding_.is_pinned;
  }

  void set_natural(const io::Boundary& boundary, int group) {
    physics::NaturalData data;
    data.group = static_cast<group_t>(group);
    data.name = boundary.group.name;
    data.where = boundary.group.where.text();
    if (boundary.kind == io::BoundaryKind::robin || boundary.kind == io::BoundaryKind::radiation) {
      data.alpha = to_expression(boundary.coefficient);
      data.reference = to_expression(boundary.reference);
      data.emissivity = to_expression(boundary.emissivity);
      data.enclosure = boundary.enclosure.name;
      data.has_surroundings = boundary.has_surroundings;
      fixes_solution_ = fixes_solution_ || data.fixes_solution();
    } else if (boundary.kind == io::BoundaryKind::asymptotic) {
      data.alpha = asymptotic_coefficient(boundary, options_, dimension_);
      data.reference = to_expression(boundary.reference);
      data.is_asymptotic = true;
      fixes_solution_ = true;
    } else if (is_magnetic_) { // nu dA/dn = -H . t
      data.flux = -to_expression(boundary.value);
      fixes_solution_ = fixes_solution_ || boundary.impedance.has_value();
    } else {
      data.flux = to_expression(boundary.value);
    }
    medium().natural.push_back(data);
  }

  void set_constraint(const io::Boundary& boundary, int group, int region) {
    fe::Constraint constraint;
    constraint.is_region = group < 0;
    constraint.group = static_cast<group_t>(group < 0 ? region : group);
    constraint.is_tied = boundary.kind == io::BoundaryKind::floating;
    constraint.total = boundary.total;
    const physics::Expression value = constraint.is_tied ? physics::Expression() : to_expression(boundary.value);
    const bool is_constant = !constraint.is_tied && value.is_constant();
    add(constraint, value,
        {boundary.group.name, boundary.group.where, constraint.is_tied, is_constant ? value.value() : 0.});
    fixes_solution_ = fixes_solution_ || !constraint.is_tied;
  }

  void add_body(const io::Body& body) {
    BoundBody bound{body.name,
                    {std::vector<bool>(regions_.size(), false), std::vector<bool>(boundaries_.size(), false)},
                    io::in_plane_unless_given(body.about),
                    body.where.text()};
    for (const io::GroupName& group : body.groups) {
      const int region = find_name(regions_, group.name);
      const int boundary = find_name(boundaries_, group.name);
      if (region < 0 && boundary < 0)
        errors_.add(group.where,
                    "the mesh has no physical group '" + group.name + "', of which the body '" + body.name +
                        "' is to be" + near_group_end(group.name) + " Its regions are: " + io::joined(regions_) +
                        "; its boundaries are: " + io::joined(boundaries_) + "." + why_missing(group.name));
      if (region >= 0)
        bound.groups.regions[static_cast<std::size_t>(region)] = true;
      if (boundary >= 0)
        bound.groups.boundaries[static_cast<std::size_t>(boundary)] = true;
    }
    binding_.bodies.push_back(bound);
  }

  void add_surface(const io::SurfaceInput& surface) {
    std::vector<int> groups;
    for (const io::GroupName& group : surface.groups) {
      groups.push_back(find_name(boundaries_, group.name));
      if (groups.back() < 0)
        errors_.add(group.where, "the mesh has no boundary or interface '" + group.name + "', of which the surface '" +
                                     surface.name + "' is to be. Its boundaries are: " + io::joined(boundaries_) + "." +
                                     why_missing(group.name));
    }
    int from = -1;
    if (!surface.from.name.empty())
      from = region_of(surface.from, regions_, "flux is to leave", errors_);
    binding_.surfaces.push_back({groups, from});
  }

  /// A_phi vanishes on the axis, whatever the input prescribes on boundaries there.
  void fix_axis() {
    fe::Constraint axis;
    axis.is_axis = true;
    add(axis, physics::Expression(0.), {"axis", options_.symmetry_where, false, 0.});
    binding_.needs_axis = !fixes_solution_;
    fixes_solution_ = true;
  }

  void add(const fe::Constraint& constraint, const physics::Expression& value, const Conductor& conductor) {
    binding_.constraints.push_back(constraint);
    binding_.constraints.back().where = conductor.where.text();
    binding_.constraint_names.push_back(conductor.name);
    binding_.fixed_values.push_back(value);
    binding_.conductors.push_back(conductor);
  }

  const io::Case& input_;
  const io::ProblemOptions& options_;
  int dimension_;
  const std::vector<std::string>& regions_;
  const std::vector<std::string>& boundaries_;
  const std::vector<std::string> import_notes_;
  bool is_magnetic_;
  bool fixes_solution_; // independently of boundaries, by transport and reaction or by initial values
  io::InputErrors errors_;
  ProblemBinding binding_;
};

/// The groups of a box are its sides.
void refuse_joints_of_boxes(const io::ProblemOptions& problem) {
  io::InputErrors errors;
  for (const io::Boundary& boundary : problem.boundaries)
    if (boundary.kind == io::BoundaryKind::joint)
      errors.add(boundary.group.where, "a joint ('" + boundary.joint.key() +
                                           "') lies between two parts, but a box has sides only. Mesh a geometry.");
  errors.throw_if_any();
}

} // namespace

physics::Joint to_joint(const io::Boundary& boundary, io::Physics physics, group_t group) {
  const double factor = io::has_permittivity(physics) ? physics::vacuum_permittivity : 1.;
  return {boundary.group.name, boundary.group.where.text(), group, factor * boundary.joint.conductance()};
}

ProblemBinding bind_problem(const io::Case& input, const io::ImportedMesh& imported) {
  const int dimension = imported.dimension;
  if (input.mesh.source == io::MeshSource::box) {
    const io::JoinedGroups groups = box_groups(input.mesh);
    refuse_joints_of_boxes(input.problem);
    return Binder(input, dimension, groups.regions.names, groups.boundaries.names).bind();
  }
  ProblemBinding binding =
      Binder(input, dimension, imported.region_names, imported.boundary_names, imported.notes).bind();
  check_outer_conditions(input, imported);
  return binding;
}

bool have_same_structure(const ProblemBinding& a, const ProblemBinding& b) {
  const auto all_alike = [](const auto& first, const auto& second, const auto& alike) {
    return std::equal(first.begin(), first.end(), second.begin(), second.end(), alike);
  };
  const auto is_constraint_alike = [](const fe::Constraint& x, const fe::Constraint& y) {
    return x.is_region == y.is_region && x.is_axis == y.is_axis && x.group == y.group && x.is_tied == y.is_tied;
  };
  const auto is_condition_alike = [](const physics::NaturalData& x, const physics::NaturalData& y) {
    return x.group == y.group && x.is_asymptotic == y.is_asymptotic;
  };
  const auto is_pair_alike = [](const fe::PeriodicPair& x, const fe::PeriodicPair& y) {
    return x.group == y.group && x.partner == y.partner && x.is_antiperiodic == y.is_antiperiodic && x.map == y.map &&
           x.translation == y.translation && x.angle == y.angle && x.center == y.center;
  };
  const auto is_joint_alike = [](const physics::Joint& x, const physics::Joint& y) {
    return x.group == y.group && x.conductance == y.conductance;
  };
  const auto is_jump_alike = [](double x, double y) { return (x == 0.) == (y == 0.); };
  return a.magnetic.has_value() == b.magnetic.has_value() && a.medium().is_linear() && b.medium().is_linear() &&
         all_alike(a.constraints, b.constraints, is_constraint_alike) &&
         all_alike(a.medium().natural, b.medium().natural, is_condition_alike) &&
         a.medium().has_lumped_sources() == b.medium().has_lumped_sources() &&
         all_alike(a.periodic, b.periodic, is_pair_alike) && all_alike(a.jumps, b.jumps, is_jump_alike) &&
         a.is_pinned == b.is_pinned && all_alike(a.joints, b.joints, is_joint_alike);
}

} // namespace tessera::driver
