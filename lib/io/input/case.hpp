// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_INPUT_CASE_HPP
#define TESSERA_IO_INPUT_CASE_HPP

/// \file
/// The complete input of a run as plain structs, input format version 1 (docs/input-reference.md). SI units.

#include "assembly/dg/form/form_defaults.hpp"
#include "assembly/dg/strategy.hpp"
#include "assembly/strategy.hpp"
#include "comm/communicator.hpp"
#include "core/error.hpp"
#include "fe/modal/time_polynomials.hpp"
#include "graph/colouring/coloring_method.hpp"
#include "io/input/physics_traits.hpp"
#include "io/mesh_files/mesh_requests.hpp"
#include "mesh/polytopes/agglomeration_method.hpp"
#include "physics/expressions/bh_table.hpp"
#include "solvers/multigrid/options.hpp"
#include "solvers/solver_defaults.hpp"

#include <array>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::io {

/// Place of a value in the input, for error messages.
struct Location {
  std::string file; ///< path as given, or the option ("--set") that gave the value
  int line = 0;     ///< 1-based; 0: unknown
  std::string path; ///< key path, "problem.boundaries.high"

  /// "case.yaml:12: problem.boundaries.high"
  std::string text() const;
};

/// A number or an expression of x, y, z and t. Constant expressions are folded when they are read.
struct Scalar {
  std::string text = "0"; ///< as written
  bool is_constant = true;
  double value = 0.; ///< of a constant
  Location where;

  static Scalar constant(double value);
};

/// Whether it is the constant zero.
bool is_zero(const Scalar& scalar);

/// A name of a physical group with its place in the input.
struct GroupName {
  std::string name;
  Location where;
};

// --- enumerations: their values are those of the input file with '-' written '_'

/// Where the mesh comes from.
enum class MeshSource { geometry, file, box };
/// Order of nodes and elements: along a Morton curve, or as in the mesh's source.
enum class Ordering { morton, none };
/// How a mesh is partitioned among processes.
enum class Partition {
  morton, ///< along the curve by which elements are ordered
  metis   ///< minimises the neighbours between partitions
};
/// The part of the mesh that each of several processes stores.
enum class MeshOfProcess {
  whole, ///< the whole mesh; assembly and solver are distributed
  parts  ///< its partition and the elements around it
};
/// Estimate of the error of each element.
enum class Estimator {
  recovery, ///< distance of the field from its averages
  residual  ///< residuals of the equation, and of fluxes at faces
};
/// Meaning of a two-dimensional mesh.
enum class Symmetry { planar, axisymmetric };
/// Method for steps of time with continuous elements.
enum class TimeMethod {
  bdf2,          ///< backward differences of order 2, started by sdirk2
  sdirk2,        ///< two stages, order 2, L-stable
  implicit_euler ///< order 1
};
/// Elements of the discretization.
enum class Method {
  cg, ///< continuous elements
  dg  ///< discontinuous elements on polygons or polyhedra
};
using Strategy = assembly::Strategy;
using DgStrategy = assembly::dg::Strategy;
using Coloring = graph::ColoringMethod;
/// Solver of linear systems.
enum class SolverMethod {
  pcg,
  ebe_j_pcg, ///< pcg with jacobi on vectors per element, as in the EBE paper
  multigrid, ///< multigrid cycles as the solver
  gmres,     ///< dg only
  bicgstab,  ///< dg only
  petsc      ///< cg only; PETSc, with the options of solver.petsc
};
/// Iteration for nonlinear problems.
enum class NonlinearMethod { newton };
using AgglomerationMethod = mesh::AgglomerationMethod;
using Covering = assembly::dg::Covering;
/// Order in which block Gauss-Seidel processes the elements.
enum class SweepOrder {
  color,   ///< Colour by colour, without neighbours of one colour: few steps.
  downwind ///< In the direction of the velocity.
};

/// Preconditioner of the solver.
enum class Preconditioner {
  automatic, ///< cg only: multigrid or jacobi, chosen by the plan of a run
  none,
  jacobi,
  multigrid,
  block_jacobi,      ///< dg only
  block_gauss_seidel ///< dg only
};
// --- mesh

/// Key `mesh.box`.
struct BoxOptions {
  std::array<int, 3> cells{1, 1, 1};
  std::array<double, 3> lower{0., 0., 0.};
  std::array<double, 3> upper{1., 1., 1.};
};

/// Elements of dg: polygons or polyhedra, unions of simplices. If nothing is given: the simplices themselves.
struct AgglomerationInput {
  int elements = 0;      ///< number of elements
  double mean_size = 0.; ///< m, mean diameter
  AgglomerationMethod method = AgglomerationMethod::device;
  /// Given instead: path of a partition file, name of cell data of the mesh file, or cells_as_elements.
  std::string from;
  bool is_partition_file = false; ///< of `from`

  bool requested() const { return elements > 0 || mean_size > 0. || !from.empty(); }
};

/// Adaptive refinement, in rounds, where the estimated error is largest.
struct Adaptation {
  double target_error = 0.; ///< relative, in the energy norm; 0: none
  int max_elements = 0;     ///< 0: no limit
  int max_rounds = 30;      ///< maximum number of solutions
  double share = 0.5;       ///< fraction of the squared error that the refined elements contribute
  int max_order = 0;        ///< dg: highest degree of elements where the solution is smooth; 0: degrees stay
  Estimator estimator = Estimator::recovery;
  bool compare_setup = false; ///< times the set-up of further strategies in each round
  Location where;

  bool requested() const { return target_error > 0. || max_elements > 0; }
};

/// Key `mesh`.
struct MeshOptions {
  MeshSource source = MeshSource::box;
  std::string path; ///< of geometry or file, relative paths resolved against the input file's folder
  BoxOptions box;
  int dimension = 0;                        ///< 2 or 3; 0 (source file only): as in the file
  std::map<std::string, double> parameters; ///< of the geometry
  std::map<std::string, double> sizes;      ///< maximum sizes of a geometry's elements, by group, in units of the
                                            ///< geometry
  std::vector<LocalSize> refine_at;         ///< of a geometry
  std::vector<NamedGroup> groups;
  double size_factor = 1.;
  /// Of a geometry: refinements that replace as many halvings of Gmsh's sizes; unset: auto, which the import chooses.
  std::optional<int> levels;
  int gap_elements = default_gap_elements; ///< of a geometry: elements across a gap between curves that face each other
  double skin_elements = 0.;               ///< eddy-currents, of a geometry: elements per skin depth; 0: as without
  double join = std::numeric_limits<double>::quiet_NaN(); ///< of a drawing, in its units: ImportRequest::join
  bool curved = true; ///< refinement and elements of order 2 follow curved boundaries of known shape
  int refine = 0;
  double scale = 1.; ///< metres per mesh unit; 0: from the drawing or STEP file
  Ordering ordering = Ordering::morton;
  AgglomerationInput agglomerate;
  Location agglomerate_where;
  Adaptation adapt;
  bool allow_commands = false; ///< allow a geometry to run programs and write files
  double time_limit = 3600.;   ///< s, for the reader of a geometry or file
  double memory_limit = 0.;    ///< GiB, for the reader; 0: the host's free memory
  Location where;              ///< of geometry, file or box

  int refinements() const { return refine + levels.value_or(0); } ///< of the imported mesh
};

// --- problem

/// Isotropic (one entry), diagonal (one entry per direction) or symmetric (with off-diagonal entries) coefficient.
struct Coefficient {
  std::vector<Scalar> diagonal;
  std::vector<Scalar> off_diagonal; ///< xy, or xy, xz, yz; empty: zero
  bool isotropic() const { return diagonal.size() == 1; }
};

/// Permanent magnetisation of a linear material: B = mu0 mu_r H + remanence.
struct Magnet {
  double remanence = 0.;         ///< T; 0 if the coercivity is given
  double coercivity = 0.;        ///< A/m, the field at which B is 0; 0 if the remanence is given
  std::vector<Scalar> direction; ///< of any length but 0; (x, y) or (r, z)

  /// Remanence in T from the given one of the two.
  double flux_density(double relative_permeability) const;
  bool has_constant_direction() const;
  std::array<double, 2> unit_direction() const; ///< if it is constant
};

/// Ring, or ball with a hole, that represents the plane or space outside `inner_radius`: its points are mapped to
/// infinity.
struct Shell {
  double inner_radius = 0.;       ///< m
  double outer_radius = 0.;       ///< m, in the mesh
  std::array<double, 3> center{}; ///< m; z is 0 in 2D
};

/// Core of sheets that are insulated from each other.
struct Laminations {
  /// What the sheets are parallel to: the plane of the mesh, or the first or second direction in it and the normal.
  enum class Parallel { plane, first, second };
  Parallel parallel = Parallel::plane;
  double thickness = 0.;       ///< m, of a sheet
  double stacking_factor = 1.; ///< fraction of the volume that the sheets fill
  double conductivity = 0.;    ///< S/m, of a sheet
};

/// Losses of k f^alpha B^beta in W/m^3, with f in Hz and the amplitude of B in T.
struct LossTerm {
  double k = 0.;
  double alpha = 1.;
  double beta = 2.;
};

/// Heat that a material takes up, evenly, while its temperature rises from the solidus to the liquidus.
struct Fusion {
  double latent_heat = 0.; ///< J/kg
  double solidus = 0.;     ///< in the input's unit of temperature
  double liquidus = 0.;
};

/// An entry of `problem.materials`.
struct Material {
  GroupName region;
  Coefficient coefficient;                ///< PhysicsTraits::coefficient, SI units; empty for magnetostatics
  std::vector<Scalar> capacity;           ///< factors of c in c du/dt as far as given
  std::vector<const char*> capacity_keys; ///< their keys, of PhysicsTraits::capacity
  std::optional<Fusion> fusion;           ///< heat
  std::vector<Scalar> velocity;           ///< advection-diffusion-reaction, m/s; empty: zero
  Scalar reaction;                        ///< advection-diffusion-reaction, 1/s
  std::array<double, 2> relative_permeability{1., 1.}; ///< magnetics, along both directions; unused with a B-H curve
  /// Magnetics: empty for linear materials; valid. That of a magnet is shifted by its coercivity, with eddy currents it
  /// is the effective one, of amplitudes.
  physics::BhTable bh_curve;
  std::string bh_file;        ///< path of the curve's table; empty if the input lists the points
  physics::BhTable bh_across; ///< the curve across `bh_angle`, the other being along it; empty: isotropic
  std::string bh_across_file;
  double bh_angle = 0.;                   ///< degrees from x or r
  double conductivity = 0.;               ///< eddy-currents and electro-quasistatics, S/m
  double loss_tangent = 0.;               ///< electro-quasistatics: of the permittivity
  double lag_angle = 0.;                  ///< eddy-currents: of B behind H, degrees
  std::optional<Laminations> laminations; ///< eddy-currents
  std::vector<LossTerm> core_losses;      ///< eddy-currents: computed from the field, without an effect on it
  std::optional<Magnet> magnet;
  std::optional<Shell> shell;
};

/// An entry of `problem.sources`.
struct Source {
  GroupName region;
  Scalar density;              ///< PhysicsTraits::source, SI units: C/m^3 | A/m^2, along z or phi | A/m^3 | W/m^3 | 1/s
  std::optional<double> total; ///< PhysicsTraits::source_total: integral of a constant density, given instead of it
};

/// A point source: in 2D a line perpendicular to the plane, in axisymmetric problems a ring.
struct PointSourceInput {
  GroupName name;
  std::array<double, 3> at{}; ///< m
  int n_coordinates = 0;      ///< of `at` in the input
  double strength = 0.; ///< PhysicsTraits::source_total, SI units: C | A, along z or phi | A | W; including the depth,
                        ///< except for the current in magnetostatics
};

/// A source along a straight line in 3D.
struct LineSourceInput {
  GroupName name;
  std::array<double, 3> from{}; ///< m
  std::array<double, 3> to{};
  double density = 0.; ///< line_source_key(), SI units per metre
};

/// Part of a coil: a whole region, with uniformly distributed turns.
struct CoilSide {
  GroupName region;
  int sign = 1; ///< 1: the current flows along +z (phi), -1: opposite
};

/// Stranded coil in series: current density sign * turns * current / (area of the region).
struct CoilInput {
  GroupName name;
  std::vector<CoilSide> sides;
  double turns = 1.;
  double current = 0.;     ///< A, per turn
  double phase = 0.;       ///< of the current, degrees; eddy-currents
  bool in_circuit = false; ///< whether the current follows from the circuit
};

/// Solid conductor of eddy-currents: its regions, or the impedance boundaries that replace them, are connected in
/// parallel at their ends.
struct SolidConductor {
  GroupName name;
  std::vector<GroupName> regions;
  std::vector<GroupName> boundaries; ///< instead of regions
  bool has_voltage = false;          ///< whether the voltage is given, otherwise the total current
  bool in_circuit = false;           ///< whether both follow from the circuit
  double value = 0.;                 ///< V over the depth or around the axis, or A
  double phase = 0.;                 ///< degrees
};

/// Element of the circuit of eddy-currents, between two nodes. Its voltage is that of the first node against the
/// second, its current flows from the first node through it to the second, of sources as well.
struct CircuitElement {
  enum class Kind {
    voltage_source, ///< V
    current_source, ///< A
    resistance,     ///< Ohm
    inductance,     ///< H
    capacitance,    ///< F
    terminal        ///< the solid conductor or coil of that name
  };
  GroupName name;
  Kind kind = Kind::terminal;
  std::array<std::string, 2> nodes;
  double value = 0.;
  double phase = 0.; ///< of a source, degrees
};

/// Conductor behind a boundary with a skin depth far below its size.
struct SurfaceImpedance {
  double conductivity = 0.; ///< S/m
  double relative_permeability = 1.;
};

/// How the frequencies of a time-harmonic problem are solved.
struct FrequencySweep {
  bool reduced = false; ///< by a reduced model
  double from = 0.;     ///< Hz, range of the model
  double to = 0.;
  Location where;
};

/// Meaning of the magnitudes of phasors.
enum class Phasors { amplitude, rms };

/// Motion that maps a periodic boundary to its partner. Lengths in metres.
struct PeriodicMap {
  enum class Kind { automatic, translation, rotation };
  GroupName with; ///< the partner
  Kind kind = Kind::automatic;
  std::array<double, 3> translation{}; ///< from this boundary to the partner
  double degrees = 0.;                 ///< 2D, counterclockwise from this boundary to the partner, about `center`
  std::array<double, 2> center{};
};

/// Resistance between the two sides of an interface, at which the solution jumps: a contact, or a thin layer that has
/// no elements.
struct Joint {
  enum class Given { conductance, resistance, layer };
  Given given = Given::conductance;
  double value = 1.;     ///< conductance per area, or resistance times area; layer: PhysicsTraits::coefficient
  double thickness = 1.; ///< of a layer, m

  std::string key() const { return given == Given::layer ? "layer" : "contact"; }
  /// Flux per jump; in electrostatics divided by the vacuum permittivity.
  double conductance() const {
    return given == Given::conductance ? value : given == Given::resistance ? 1. / value : value / thickness;
  }
};

/// Condition on a boundary group, or on a whole region (a body): fixed or floating value only.
struct Boundary {
  GroupName group;
  BoundaryKind kind = BoundaryKind::value;
  /// value: potential (V), vector potential (Wb/m); flux: inflow into the domain, eps du/dn (C/m^2); magnetostatics: H
  /// along the tangent t with the domain to its left, nu dA/dn = -H.t (A/m); else unused.
  Scalar value;
  Scalar coefficient;           ///< robin, radiation: eps du/dn = coefficient (reference - u); asymptotic: medium
  Scalar reference;             ///< robin, radiation; asymptotic: the value at infinity, a constant
  Scalar emissivity;            ///< radiation
  GroupName enclosure;          ///< radiation: of the surfaces that see each other; no name: surroundings alone
  bool has_surroundings = true; ///< radiation: false: the enclosure is closed
  double total = 0.; ///< floating: charge (C) | total flux into the domain (current: A, heat: W); periodic: the jump
  double phase = 0.; ///< electro-quasistatics: of the value or the total, degrees
  std::array<double, 3> center{};            ///< asymptotic: of the multipole, m
  int order = 1;                             ///< asymptotic: 0 charge, 1 dipole, 2 quadrupole, ...
  PeriodicMap periodic;                      ///< periodic, antiperiodic
  std::optional<SurfaceImpedance> impedance; ///< eddy-currents; the kind is then flux
  Joint joint;                               ///< joint
};

/// Condition on an extreme of the solution that ends a run in time.
struct StopInput {
  bool is_given = false;
  bool of_largest = true; ///< otherwise of the smallest value
  bool above = true;      ///< ends when the extreme exceeds the limit; otherwise when it falls below
  double limit = 0.;
  std::string text;
  Location where;
};

/// Steps of a time-dependent problem; none: steady.
struct TimeOptions {
  double from = 0.;          ///< s
  double to = 0.;            ///< s
  int steps = 0;             ///< 0: steady, or steps chosen by the tolerance
  std::vector<double> sizes; ///< of the steps, s; empty: equal steps
  /// cg: largest estimated error of a step, relative to the range of the values so far; 0: steps are given.
  double tolerance = 0.;
  TimeMethod method = TimeMethod::bdf2; ///< cg
  std::vector<double> breaks;           ///< cg: instants at which steps end and data may jump, s, ascending
  Scalar initial;                       ///< solution at the initial time
  StopInput stop;                       ///< cg
  Location where;

  bool requested() const { return steps > 0 || tolerance > 0.; }
  bool is_controlled() const { return tolerance > 0.; } ///< the sizes of steps follow from the tolerance
  /// from, ..., to: [steps + 1].
  std::vector<double> nodes() const;
};

/// Default of problem.time.tolerance.
constexpr double default_time_tolerance = 1e-5;

/// Part of a problem of two physics (electro-thermal) on one mesh.
enum class Coupling {
  none,
  losses_heat,    ///< heat: the losses of current flow are a source
  depends_on_heat ///< current flow: the conductivity is a function of the other's temperature
};

/// Key `problem`.
struct ProblemOptions {
  Physics physics = Physics::electrostatics;
  Coupling coupling = Coupling::none;
  std::vector<GroupName> insulators; ///< depends_on_heat: regions without conductivity
  Symmetry symmetry = Symmetry::planar;
  double depth = 1.;                                          ///< m, planar 2D
  TemperatureUnit temperature_unit = TemperatureUnit::kelvin; ///< heat
  std::vector<Material> materials;
  std::vector<Source> sources;
  std::vector<PointSourceInput> point_sources;
  std::vector<LineSourceInput> line_sources;
  std::vector<CoilInput> coils;
  std::vector<SolidConductor> conductors; ///< eddy-currents
  std::vector<CircuitElement> circuit;    ///< eddy-currents
  std::vector<double> frequencies;        ///< of time-harmonic problems, Hz
  FrequencySweep sweep;
  Phasors phasors = Phasors::amplitude;
  std::vector<Boundary> boundaries;
  TimeOptions time;
  Location symmetry_where;  ///< for the symmetry's requirements on the mesh
  Location depth_where;     ///< of the depth if it is given, otherwise line 0
  Location materials_where; ///< for "region x has no material"
  Location boundaries_where;
};

/// Whether some region has diffusion.
bool diffuses(const ProblemOptions& problem);

// --- method

/// Highest degree of dg; dimension 0: unknown.
constexpr int largest_dg_order(int dimension) { return dimension == 3 ? 6 : 8; }
/// Maximum number of steps of an element within a time step.
constexpr int largest_local_steps = 64;

/// A number for the elements of one region.
struct RegionNumber {
  GroupName region;
  int number = 1;
};

/// An integer per element: degree, or number of steps.
struct ElementNumbersInput {
  int number = 1;
  Location where;
  std::vector<RegionNumber> regions; ///< dg: regions with different numbers
  /// dg, alternatively: the number at the centre of an element's bounding box, rounded to the nearest integer.
  std::optional<Scalar> expression;

  bool is_one_number() const { return regions.empty() && !expression; } ///< whether all elements have the same number
};

/// Key `discretization`.
struct DiscretizationOptions {
  Method method = Method::cg;
  ElementNumbersInput order;       ///< total degree of the polynomials
  ElementNumbersInput local_steps; ///< dg with problem.time: steps of the elements within a time step, powers of two
  double penalty = assembly::dg::default_penalty_constant; ///< dg: C_sigma of the interior penalty
  Covering covering = Covering::surface;                   ///< dg: its bound on elements of many simplices
  int extra_degree = 0;                                    ///< dg: of the quadrature, in addition to 2 p
  fe::TimePolynomials time_polynomials = fe::TimePolynomials::none;
};

/// Key `assembly`.
struct AssemblyInput {
  Strategy strategy = Strategy::automatic;
  Coloring coloring = Coloring::node_claims;
  DgStrategy dg_strategy = DgStrategy::automatic;    ///< of dg
  Precision precision = Precision::double_precision; ///< dg: of the matrix
};

/// Iteration for materials with a B-H curve.
struct NonlinearOptions {
  NonlinearMethod method = NonlinearMethod::newton;
  double relative_tolerance = solvers::default_newton_tolerance; ///< of the nonlinear residual
  int max_iterations = solvers::default_max_newton_steps;
  bool line_search = true;
};

/// Key `solver`.
struct SolverInput {
  SolverMethod method = SolverMethod::pcg;
  Preconditioner preconditioner = Preconditioner::jacobi;
  double relative_tolerance = solvers::default_tolerance;
  double absolute_tolerance = 0.;
  int max_iterations = solvers::default_max_iterations;
  int restart = solvers::default_restart; ///< of gmres: number of stored directions
  SweepOrder sweep_order = SweepOrder::color;
  solvers::MultigridOptions multigrid;
  bool multigrid_given = false; ///< whether the input has multigrid options
  std::string petsc;            ///< options of method petsc, as on PETSc's command line
  Location petsc_where;
  Scalar initial_guess; ///< zero by default
  NonlinearOptions nonlinear;
};

/// Key `execution`.
struct ExecutionOptions {
  std::string backend; ///< one of tessera::backend_names()
  int threads = 0;     ///< of OpenMP; 0: from the environment, else by the size of the problem
  bool reproducible = false;
  Location reproducible_where;
  comm::Messages messages = comm::Messages::automatic; ///< transport between processes
  Partition partition = Partition::morton;             ///< of several processes
  MeshOfProcess mesh = MeshOfProcess::whole;           ///< of several processes
  Location mesh_where;
  /// Limit of a run's estimated memory, GiB; infinity: none ("unlimited"); unset: the free memory ("free").
  std::optional<double> memory_limit;
};

// --- output

/// Points at which the solution is written to `<name>.csv`: a line with n_points including its ends, or a list.
struct Probe {
  std::string name;
  bool is_line = true;
  std::array<double, 3> from{};
  std::array<double, 3> to{};
  int n_points = 2;
  std::vector<std::array<double, 3>> list;
  bool recovered = false; ///< fields are recovered from the surrounding elements
  Location where;

  std::vector<std::array<double, 3>> positions() const;
};

/// Polyline along which the solution is integrated.
struct Line {
  std::string name;
  std::vector<std::array<double, 3>> points; ///< at least two
  int n_samples = 1000;                      ///< number of pieces, over the whole length
  Location where;
};

/// Boundaries or interfaces over which the solution is integrated.
struct SurfaceInput {
  std::string name;
  std::vector<GroupName> groups;                  ///< at least one
  GroupName from;                                 ///< region from which positive flux leaves; an empty name: not given
  std::optional<std::array<double, 3>> away_from; ///< m, point from which positive flux is directed away
  Location where;
};

/// A body for forces and torques: regions, or boundaries around a part that is not meshed.
struct Body {
  std::string name;
  std::vector<GroupName> groups; ///< at least one
  std::array<double, 3> about{}; ///< m, reference point of the torque
  Location where;
};

/// Whether a run estimates the discretization errors of its quantities; automatic: where that takes little time.
enum class ErrorEstimates : std::uint8_t { automatic, on, off };

/// Key `output`.
struct OutputOptions {
  std::string directory; ///< relative to the current directory; default: `results/<name of the input file>`
  std::vector<Field> fields{Field::solution};
  Location fields_where;
  bool recovered = false; ///< fields are recovered from the surrounding elements, at the points of each region
  std::vector<Quantity> quantities;
  /// The two conductors of the capacitance, and those of its matrix; empty: all fixed or floating ones except the
  /// ground.
  std::vector<GroupName> conductors;
  GroupName ground;         ///< ground of the capacitance matrix: a fixed group excluded from it, at 0 V; an empty
                            ///< name: none
  std::vector<Body> bodies; ///< of forces and torques
  std::vector<Probe> probes;
  std::vector<Line> lines;
  std::vector<SurfaceInput> surfaces;
  bool report = false;  ///< report.html
  bool netlist = false; ///< eddy-currents: netlist.cir
  Location netlist_where;
  std::string matrix; ///< name of the file of the assembled matrix, "<stem>.mtx"; empty: none
  Location matrix_where;
  bool convergence = true; ///< convergence.csv
  ErrorEstimates errors = ErrorEstimates::off;
  int subdivisions = 1;      ///< of dg: subdivisions of each edge of a simplex in the file of fields
  int every = 1;             ///< time steps between outputs of fields and probes; the last step is always written
  std::vector<double> times; ///< with problem.time.tolerance: instants of the fields, s, ascending, besides the end
  Location where;            ///< place of the directory in the input
};

// --- verification

/// An entry of `verification.quantities`.
struct ExpectedQuantity {
  std::string name; ///< "energy", "capacitance", "charge.<group>", "flux_linkage.<coil>", ...
  double value = 0.;
  double tolerance = 0.; ///< relative; 0: only reported
  Location where;
};

/// Comparison of a column of a probe's table with an exact solution.
struct ExpectedProbe {
  std::string probe;
  std::string column;    ///< as in the table, without its unit
  Scalar exact;          ///< not zero at any of the points
  double tolerance = 0.; ///< of the largest relative error; 0: only reported
  Location where;
};

/// Key `verification`.
struct VerificationOptions {
  bool has_exact = false;
  Scalar exact;
  std::vector<Scalar> gradient; ///< of exact, one per dimension; empty: no H1 error
  std::vector<ExpectedQuantity> quantities;
  std::vector<ExpectedProbe> probes;
};

// --- all of it

/// The complete, checked input of a run, including defaults.
struct Case {
  std::string file; ///< path of the input file; empty if read from a string
  std::string title;
  MeshOptions mesh;
  ProblemOptions problem;
  DiscretizationOptions discretization;
  AssemblyInput assembly;
  SolverInput solver;
  ExecutionOptions execution;
  OutputOptions output;
  VerificationOptions verification;
  std::vector<std::string> notes; ///< doubts raised by the input alone, with their places
  /// electro-thermal: current flow on the same mesh; this case is that of heat. Null: one physics.
  std::shared_ptr<const Case> current;
};

/// Spelling of an enumeration's value in the input file.
template <class Enum> struct NamedValue {
  const char* name;
  Enum value;
};

/// All spellings, in the order of lists in messages. Specialised in case.cpp.
template <class Enum> const std::vector<NamedValue<Enum>>& enum_names();

/// Spelling of one value ("row-gather").
template <class Enum> std::string name_of(Enum value) {
  for (const NamedValue<Enum>& entry : enum_names<Enum>())
    if (entry.value == value)
      return entry.name;
  return "?";
}

template <> const std::vector<NamedValue<MeshSource>>& enum_names();
template <> const std::vector<NamedValue<Ordering>>& enum_names();
template <> const std::vector<NamedValue<Partition>>& enum_names();
template <> const std::vector<NamedValue<MeshOfProcess>>& enum_names();
template <> const std::vector<NamedValue<Physics>>& enum_names();
template <> const std::vector<NamedValue<Phasors>>& enum_names();
template <> const std::vector<NamedValue<ErrorEstimates>>& enum_names();
template <> const std::vector<NamedValue<Symmetry>>& enum_names();
template <> const std::vector<NamedValue<TemperatureUnit>>& enum_names();
template <> const std::vector<NamedValue<Method>>& enum_names();
template <> const std::vector<NamedValue<fe::TimePolynomials>>& enum_names();
template <> const std::vector<NamedValue<TimeMethod>>& enum_names();
template <> const std::vector<NamedValue<Strategy>>& enum_names();
template <> const std::vector<NamedValue<DgStrategy>>& enum_names();
template <> const std::vector<NamedValue<Estimator>>& enum_names();
template <> const std::vector<NamedValue<Coloring>>& enum_names();
template <> const std::vector<NamedValue<SolverMethod>>& enum_names();
template <> const std::vector<NamedValue<NonlinearMethod>>& enum_names();
template <> const std::vector<NamedValue<AgglomerationMethod>>& enum_names();
template <> const std::vector<NamedValue<Covering>>& enum_names();
template <> const std::vector<NamedValue<Preconditioner>>& enum_names();
template <> const std::vector<NamedValue<SweepOrder>>& enum_names();
template <> const std::vector<NamedValue<solvers::MultigridType>>& enum_names();
template <> const std::vector<NamedValue<solvers::MultigridCycle>>& enum_names();
template <> const std::vector<NamedValue<Precision>>& enum_names();

/// All kinds, in the order of lists in messages.
constexpr BoundaryKind boundary_kinds[] = {BoundaryKind::value,     BoundaryKind::flux,        BoundaryKind::robin,
                                           BoundaryKind::radiation, BoundaryKind::floating,    BoundaryKind::asymptotic,
                                           BoundaryKind::periodic,  BoundaryKind::antiperiodic};

/// Whether a boundary represents space with the far field of a charge, where the solution vanishes.
bool has_infinity(const ProblemOptions& problem);
/// Value at infinity of the first asymptotic boundary; nothing without one.
std::optional<double> value_at_infinity(const ProblemOptions& problem);

/// Traits with the unit of temperatures.
const PhysicsTraits& traits_of(const ProblemOptions& problem);
/// The shell of a region's material, or nullptr.
const Shell* shell_of(const ProblemOptions& problem, const std::string& region);

/// Whether Newton's method applies, and its options: in magnetostatics, and with radiation.
bool may_be_nonlinear(const ProblemOptions& problem);

/// Whether a boundary is a conductor for capacitances: a group of fixed or floating potential.
bool is_conductor(const Boundary& boundary);
/// Whether a boundary has a flux, prescribed or from a robin, radiation or asymptotic condition.
bool is_natural(const Boundary& boundary);
/// Whether the fields contain the colours of the elements.
bool writes_colors(const OutputOptions& output);
/// Whether the problem has joints.
bool has_joints(const ProblemOptions& problem);
/// Whether the field continues at a partner boundary, with the same or the opposite sign.
bool is_periodic(const Boundary& boundary);
/// Prefix of the names of the second form of an inductance matrix, `coupling.<coil>.<coil>`.
constexpr const char* coupling = "coupling";
/// Groups of the capacitance matrix in its order: those in output.conductors, or all conductors except the ground.
std::vector<std::string> matrix_conductors(const ProblemOptions& problem, const OutputOptions& output);

/// Names and units of the numeric columns of a probe's table after the position: the solution, the components of the
/// field, and with continuous elements also those of the flux and the flux function.
std::vector<std::pair<std::string, std::string>> probe_columns(const ProblemOptions& problem, Method method,
                                                               int dimension);
/// Whether the table contains the function r A_phi, whose contour lines are field lines.
bool has_flux_function(const ProblemOptions& problem);
/// Names of the table files other than those of probes, without extension: "regions".
std::vector<std::string> table_names(const OutputOptions& output, const ProblemOptions& problem);
/// Spellings of an enumeration.
template <class Enum> std::vector<std::string> spellings() {
  std::vector<std::string> names;
  for (const NamedValue<Enum>& entry : enum_names<Enum>())
    names.push_back(entry.name);
  return names;
}

/// Shortest text that reads back as the same number (at most 17 significant digits), in YAML 1.1 and 1.2: "1.0e-10".
std::string number_text(double value);

/// End of the names of quantities at one of several frequencies, ".50Hz"; "" if there is only one.
std::string frequency_suffix(const ProblemOptions& problem, double frequency);

/// "a, b, c" (at most 20 of them, and the number of the remaining ones), or "none".
std::string joined(const std::vector<std::string>& names);

/// The allowed name that `text` most likely means; empty if none is similar.
std::string nearest_name(const std::string& text, const std::vector<std::string>& allowed);
/// End of a sentence about an unknown name: "; did you mean 'near'?", or a full stop if no name is similar.
std::string near_name_end(const std::string& text, const std::vector<std::string>& allowed);

/// "unknown <what> 'text'; did you mean 'near'? Allowed: a, b, c."
std::string unknown_name_message(const std::string& what, const std::string& text,
                                 const std::vector<std::string>& allowed);

/// The value named `text`; throws with the allowed names and the nearest one. `what` is the option ("--strategy").
template <class Enum> Enum parse_name(const std::string& text, const std::string& what) {
  for (const NamedValue<Enum>& entry : enum_names<Enum>())
    if (text == entry.name)
      return entry.value;
  ::tessera::detail::throw_error(ErrorKind::input, unknown_name_message(what, text, spellings<Enum>()));
}

} // namespace tessera::io

#endif
