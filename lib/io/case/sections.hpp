// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_CASE_SECTIONS_HPP
#define TESSERA_IO_CASE_SECTIONS_HPP

/// \file
/// Sections of the input, one function each; case_reader.cpp calls them.

#include "io/map_reader.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace tessera::io::detail {

/// More samples of a line, or points of a probe, take gigabytes and minutes, and show nothing that fewer do not.
constexpr int most_points_of_line = 1000000;

void read_mesh(MapReader in, const std::string& folder, MeshOptions& mesh);
/// mesh.groups; dimension 0: unknown.
void read_groups(MapReader in, int dimension, std::vector<NamedGroup>& groups);
/// mesh.refine_at.
void read_local_sizes(MapReader& in, int dimension, std::vector<LocalSize>& sizes);
/// Needs the mesh's dimension (0: unknown); relative paths start at `folder`.
void read_problem(MapReader in, const std::string& folder, int dimension, ProblemOptions& problem);
/// Reports a wildcard where it has no meaning.
void check_pattern(const Material& material, InputErrors& errors);
void read_magnetic_materials(MapReader in, const std::string& folder, ProblemOptions& problem);
/// Reads the coefficient of a region's material, and how it is turned. `semidefinite`: its values may be zero.
Coefficient read_coefficient(MapReader& in, const std::string& key, int dimension, bool semidefinite);
/// Reads a list of values, one per direction. dimension 0: unknown.
std::vector<Scalar> read_directions(MapReader& in, const std::string& key, const YamlNode& node, int dimension,
                                    const Range& range);
/// Need physics and symmetry.
void read_sources(MapReader in, ProblemOptions& problem);
void read_point_sources(MapReader in, int dimension, ProblemOptions& problem);
void read_line_sources(MapReader in, int dimension, ProblemOptions& problem);
/// Call after materials and sources, against which it checks.
void read_coils(MapReader in, ProblemOptions& problem);
/// Call after mesh and problem, against which it checks.
void read_discretization(MapReader in, const MeshOptions& mesh, const ProblemOptions& problem,
                         DiscretizationOptions& discretization);
/// Call after the discretization.
void read_assembly(MapReader in, const DiscretizationOptions& discretization, AssemblyInput& assembly);
void read_execution(MapReader in, ExecutionOptions& execution);
/// Call after discretization, assembly and execution options, against which it checks.
void read_solver(MapReader in, const MeshOptions& mesh, const ProblemOptions& problem,
                 const DiscretizationOptions& discretization, const AssemblyInput& assembly,
                 const ExecutionOptions& execution, SolverInput& solver);
/// Call after problem and discretization.
void read_output(MapReader in, int dimension, const ProblemOptions& problem,
                 const DiscretizationOptions& discretization, OutputOptions& output);
/// Whether output.quantities lists a quantity.
bool lists(const OutputOptions& output, Quantity quantity);
/// Appends a group to those of a surface or body; an error if it is one of them already.
void add_group(std::vector<GroupName>& groups, const GroupName& group, InputErrors& errors);
/// Lines and surfaces of the output.
void read_integrals(MapReader& in, int dimension, Method method, OutputOptions& output);
/// Needs the probes of the output.
void read_verification(MapReader in, int dimension, const ProblemOptions& problem,
                       const DiscretizationOptions& discretization, const OutputOptions& output,
                       VerificationOptions& verification);

/// Checks the requirements of the output quantities: conductors, coils, currents. `places` has one entry per
/// quantity.
void check_quantities(const ProblemOptions& problem, const OutputOptions& output, const std::vector<Location>& places,
                      InputErrors& errors);
/// Notes given values whose differences are lost in the solver's tolerance, which is relative to their size.
void note_small_differences(const Case& input, InputErrors& errors);
/// Refuses what refinement by error estimates cannot do yet.
void check_adaptation(const Case& input, InputErrors& errors);
/// Checks that results to be compared are computed by the run.
void check_listed(const std::string& name, const Location& where, const ProblemOptions& problem,
                  const OutputOptions& output, InputErrors& errors);

/// A point from its coordinates; where the dimension is unknown (0), a third one that is not given is no number, until
/// the mesh tells whether it was needed.
std::array<double, 3> to_point(const std::vector<double>& coordinates, int dimension);
/// Reads a point in metres; an error, and nothing, if it has not as many coordinates as the mesh (0: unknown).
std::optional<std::array<double, 3>> read_point(const YamlNode& node, const Location& where, int dimension,
                                                InputErrors& errors);
/// Reads a list of two numbers.
std::array<double, 2> read_pair(MapReader& in, const std::string& key, std::array<double, 2> otherwise);
/// Reads the ring, or ball with a hole, that stands for open space. dimension 0: unknown.
Shell read_shell(MapReader in, Symmetry symmetry, int dimension);
/// Reads the key `center`; on the axis for axisymmetric problems. dimension 0: unknown.
std::array<double, 3> read_center(MapReader& in, Symmetry symmetry, int dimension);

} // namespace tessera::io::detail

#endif
