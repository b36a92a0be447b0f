// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_INPUT_SECTIONS_SECTIONS_HPP
#define TESSERA_IO_INPUT_SECTIONS_SECTIONS_HPP

/// \file
/// Functions that read the sections of the input; called by case_reader.cpp.

#include "io/input/map_reader.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace tessera::io::detail {

/// Maximum number of samples of a line, or points of a probe; more would take gigabytes and minutes without showing
/// more.
constexpr int most_points_of_line = 1000000;

/// Spellings of problem.physics: those of one physics, and electro-thermal.
std::vector<std::string> physics_names();
/// Whether the input is one of electro-thermal.
bool is_electro_thermal(const YamlNode& root);
/// An input of electro-thermal as two of one physics each, for the mesh and the options of the whole.
struct TwoInputs {
  YamlNode heat;
  YamlNode current;
  std::vector<GroupName> insulators; ///< regions without conductivity, which the second input leaves out
};
/// Relative paths start at `folder`.
TwoInputs split_electro_thermal(const YamlNode& root, const std::string& folder);
/// Reports what electro-thermal does not support; call with both parts of the case.
void check_electro_thermal(const Case& heat, const Case& current, InputErrors& errors);

void read_mesh(MapReader in, const std::string& folder, MeshOptions& mesh);
/// mesh.groups; dimension 0: unknown.
void read_groups(MapReader in, int dimension, std::vector<NamedGroup>& groups);
/// mesh.refine_at.
void read_local_sizes(MapReader& in, int dimension, std::vector<LocalSize>& sizes);
/// Needs the mesh's dimension (0: unknown); relative paths start at `folder`.
void read_problem(MapReader in, const std::string& folder, int dimension, ProblemOptions& problem);
/// Reads instants in (from, to] in ascending order, if there are any.
void read_instants(MapReader& in, const std::string& key, double from, double to, std::vector<double>& instants);
/// Reports a wildcard where none is allowed.
void check_pattern(const Material& material, InputErrors& errors);
void read_magnetic_materials(MapReader in, const std::string& folder, ProblemOptions& problem);
/// Reads the coefficient of a region's material, and its rotation. `semidefinite`: values may be zero.
/// `of_temperature`: it may depend on T.
Coefficient read_coefficient(MapReader& in, const std::string& key, int dimension, bool semidefinite,
                             bool of_temperature);
/// Reads a list of values, one per direction. dimension 0: unknown.
std::vector<Scalar> read_directions(MapReader& in, const std::string& key, const YamlNode& node, int dimension,
                                    const Range& range);
/// Call after reading physics and symmetry.
void read_sources(MapReader in, ProblemOptions& problem);
void read_point_sources(MapReader in, int dimension, ProblemOptions& problem);
void read_line_sources(MapReader in, int dimension, ProblemOptions& problem);
/// Keys of time-harmonic problems; call after materials and coils, which it checks.
void read_harmonic(MapReader& in, ProblemOptions& problem);
/// Conductivity and loss tangent of a region of electro-quasistatics.
void read_losses(MapReader& in, Material& material);
/// Key `impedance` of a boundary.
SurfaceImpedance read_impedance(MapReader in);
/// Checks that the boundaries of conductors have impedances; call after boundaries.
void check_surface_conductors(const ProblemOptions& problem, InputErrors& errors);
/// Names of the quantities of time-harmonic problems; dimension 0: unknown.
NameSet harmonic_names(const ProblemOptions& problem, const OutputOptions& output, int dimension);
/// Names of forces and torques; dimension 0: unknown.
NameSet force_names(const ProblemOptions& problem, const OutputOptions& output, int dimension);
/// Chooses what time-harmonic problems need, and reports options that it does not support. Call after all sections.
void finish_harmonic(Case& input, InputErrors& errors);
/// Call after materials and sources, which it checks.
void read_coils(MapReader in, ProblemOptions& problem);
/// Call after mesh and problem, which it checks.
void read_discretization(MapReader in, const MeshOptions& mesh, const ProblemOptions& problem,
                         DiscretizationOptions& discretization);
/// Call after the discretization.
void read_assembly(MapReader in, const DiscretizationOptions& discretization, AssemblyInput& assembly);
void read_execution(MapReader in, ExecutionOptions& execution);
/// Call after discretization, assembly and execution options, which it checks.
void read_solver(MapReader in, const MeshOptions& mesh, const ProblemOptions& problem,
                 const DiscretizationOptions& discretization, const AssemblyInput& assembly,
                 const ExecutionOptions& execution, SolverInput& solver);
/// Call after problem and discretization.
void read_output(MapReader in, int dimension, const ProblemOptions& problem,
                 const DiscretizationOptions& discretization, OutputOptions& output);
/// Whether output.quantities lists a quantity.
bool lists(const OutputOptions& output, Quantity quantity);
/// Appends a group to those of a surface or body; reports an error if it is already there.
void add_group(std::vector<GroupName>& groups, const GroupName& group, InputErrors& errors);
/// Lines and surfaces of the output.
void read_integrals(MapReader& in, int dimension, Method method, OutputOptions& output);
/// Call after reading the probes.
void read_verification(MapReader in, int dimension, const ProblemOptions& problem,
                       const DiscretizationOptions& discretization, const OutputOptions& output,
                       VerificationOptions& verification);

/// Checks the requirements of the output quantities: conductors, coils, currents. `locations` has one entry per
/// quantity.
void check_quantities(const ProblemOptions& problem, const OutputOptions& output,
                      const std::vector<Location>& locations, InputErrors& errors);
/// Notes given values whose differences are below the solver's tolerance, which is relative to their size.
void note_small_differences(const Case& input, InputErrors& errors);
/// Reports options that adaptive refinement does not support.
void check_adaptation(const Case& input, InputErrors& errors);
/// Reports requests for a matrix or colours that the strategy does not have.
void check_assembly_output(const Case& input, InputErrors& errors);
/// Reports enclosures whose surfaces do not fit together.
void check_enclosures(const Case& input, InputErrors& errors);
/// Reports options that joints do not support.
void check_joints(const Case& input, InputErrors& errors);
/// Reports options that steps of time with continuous elements do not support.
void check_time(const Case& input, InputErrors& errors);
/// Checks that results to be compared are computed by the run.
void check_listed(const std::string& name, const Location& where, const ProblemOptions& problem,
                  const OutputOptions& output, InputErrors& errors);

/// A point from its coordinates. If the dimension is unknown (0), a missing third coordinate is NaN, until the mesh
/// shows whether it is needed.
std::array<double, 3> to_point(const std::vector<double>& coordinates, int dimension);
/// Reads a point in metres; reports an error, and returns nothing, if the number of coordinates differs from the mesh's
/// dimension (0: unknown).
std::optional<std::array<double, 3>> read_point(const YamlNode& node, const Location& where, int dimension,
                                                InputErrors& errors);
/// Reads a list of two numbers.
std::array<double, 2> read_pair(MapReader& in, const std::string& key, std::array<double, 2> otherwise);
/// Reads the ring, or ball with a hole, that represents open space. dimension 0: unknown.
Shell read_shell(MapReader in, Symmetry symmetry, int dimension);
/// Reads the key `center`; on the axis for axisymmetric problems. dimension 0: unknown.
std::array<double, 3> read_center(MapReader& in, Symmetry symmetry, int dimension);

} // namespace tessera::io::detail

#endif
