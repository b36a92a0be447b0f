// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_CASE_HPP
#define TESSERA_IO_CASE_HPP

/// \file
/// The whole input of a run as plain structs, input format version 1 (docs/input-reference.md). SI units.

#include "assembly/strategy.hpp"
#include "core/error.hpp"
#include "graph/coloring.hpp"

#include <array>
#include <map>
#include <string>
#include <vector>

namespace tessera::io {

/// Where a value stands in the input, so that later checks can name the place.
struct Location {
  std::string file; ///< path as given, or the option ("--set") that gave the value
  int line = 0;     ///< 1-based; 0: unknown
  std::string path; ///< key path, "problem.boundaries.high"

  /// "case.yaml:12: problem.boundaries.high"
  std::string text() const;
};

/// A number, or an expression of x, y, z and t. Constant expressions are folded when read.
struct Scalar {
  std::string text = "0"; ///< as written
  bool is_constant = true;
  double value = 0.; ///< of a constant
  Location where;

  static Scalar constant(double value);
};

/// A name of a physical group with its place.
struct GroupName {
  std::string name;
  Location where;
};

// --- enumerations; the names are those of the input file with '-' written '_'
// --------------------------------------------

enum class MeshSource { geometry, file, box };
enum class Ordering { morton, none };
enum class Physics { electrostatics, diffusion };
enum class Symmetry { planar, axisymmetric };
enum class BoundaryKind {
  value,   ///< potential, value: Dirichlet
  flux,    ///< surface_charge, flux: Neumann
  robin,   ///< robin
  floating ///< floating, equivalue: one unknown value, given total
};
enum class Method { cg };
using Strategy = assembly::Strategy;
using Coloring = graph::ColoringMethod;
enum class SolverMethod {
  pcg,
  ebe_j_pcg ///< pcg with jacobi on vectors per element, as the EBE paper writes it
};
enum class Preconditioner { none, jacobi, symmetric_gauss_seidel };
/// What fields.vtkhdf holds. The name in the file depends on the physics, see name_of.
enum class Field {
  solution, ///< potential | value
  gradient, ///< electric_field (E = -grad u) | gradient (grad u)
  flux,     ///< flux_density (D = eps E) | flux (-diffusivity grad u)
  material  ///< number of the region
};
enum class Quantity {
  energy,     ///< electrostatics: J; diffusion: half the integral of grad u . diffusivity grad u
  charge,     ///< charge of each conductor | total_flux into the domain through each fixed boundary
  capacitance ///< electrostatics only
};

// --- mesh
// -----------------------------------------------------------------------------------------------------------------

struct BoxOptions {
  std::array<int, 3> cells{1, 1, 1};
  std::array<double, 3> lower{0., 0., 0.};
  std::array<double, 3> upper{1., 1., 1.};
};

struct MeshOptions {
  MeshSource source = MeshSource::box;
  std::string path; ///< of geometry or file, relative paths resolved against the input file's folder
  BoxOptions box;
  int dimension = 0;                        ///< 2 or 3; 0 (only for source file): the file tells
  std::map<std::string, double> parameters; ///< of the geometry
  double size_factor = 1.;
  int order = 1; ///< of Gmsh's elements, 1 or 2; elements are taken as straight (affine) in either case
  int refine = 0;
  double scale = 1.; ///< metres per mesh unit
  Ordering ordering = Ordering::morton;
  Location where; ///< of geometry, file or box
};

// --- problem
// --------------------------------------------------------------------------------------------------------------

/// Isotropic (one entry) or diagonal (one entry per direction) coefficient.
struct Coefficient {
  std::vector<Scalar> diagonal;
  bool isotropic() const { return diagonal.size() == 1; }
};

struct Material {
  GroupName region;
  Coefficient coefficient; ///< relative_permittivity (1) | diffusivity (m^2/s)
};

struct Source {
  GroupName region;
  Scalar density; ///< charge_density (C/m^3) | source (1/s)
};

/// Condition on a boundary group, or on a whole region (a body): fixed or floating value only.
struct Boundary {
  GroupName group;
  BoundaryKind kind = BoundaryKind::value;
  Scalar value;       ///< value: potential (V); flux: what enters the domain, eps du/dn (C/m^2); else unused
  Scalar coefficient; ///< robin: eps du/dn = coefficient (reference - u)
  Scalar reference;   ///< robin
  double total = 0.;  ///< floating: charge (C) | total_flux into the domain
};

struct ProblemOptions {
  Physics physics = Physics::electrostatics;
  Symmetry symmetry = Symmetry::planar;
  double depth = 1.; ///< m, planar 2D
  std::vector<Material> materials;
  std::vector<Source> sources;
  std::vector<Boundary> boundaries;
  Location materials_where; ///< for "region x has no material"
  Location boundaries_where;
};

// --- method
// ---------------------------------------------------------------------------------------------------------------

struct DiscretizationOptions {
  Method method = Method::cg;
  int order = 1;
};

struct AssemblyOptions {
  Strategy strategy = Strategy::automatic;
  Coloring coloring = Coloring::node_claims;
};

struct SolverOptions {
  SolverMethod method = SolverMethod::pcg;
  Preconditioner preconditioner = Preconditioner::jacobi;
  double relative_tolerance = 1e-10;
  double absolute_tolerance = 0.;
  int max_iterations = 20000;
  Scalar initial_guess; ///< zero by default
};

struct ExecutionOptions {
  std::string backend; ///< one of tessera::backend_names()
  int threads = 0;     ///< of OpenMP; 0: what the environment says
  bool reproducible = false;
};

// --- output
// ---------------------------------------------------------------------------------------------------------------

/// Points where the solution is written to <name>.csv: a line with n_points ends included, or a list.
struct Probe {
  std::string name;
  bool is_line = true;
  std::array<double, 3> from{};
  std::array<double, 3> to{};
  int n_points = 2;
  std::vector<std::array<double, 3>> list;
  Location where;

  std::vector<std::array<double, 3>> positions() const;
};

struct OutputOptions {
  std::string directory; ///< relative to the current directory; default: results/<name of the input file>
  std::vector<Field> fields{Field::solution};
  std::vector<Quantity> quantities;
  std::vector<GroupName> conductors; ///< of the capacitance: two groups, or empty when just two are fixed or floating
  std::vector<Probe> probes;
};

// --- verification
// ---------------------------------------------------------------------------------------------------------

struct ExpectedQuantity {
  std::string name; ///< "energy", "capacitance", "charge.<group>", "total_flux.<group>"
  double value = 0.;
  double tolerance = 0.; ///< relative; 0: only reported
  Location where;
};

struct VerificationOptions {
  bool has_exact = false;
  Scalar exact;
  std::vector<Scalar> gradient; ///< of exact, one per dimension; empty: no H1 error
  std::vector<ExpectedQuantity> quantities;
};

// --- all of it
// ------------------------------------------------------------------------------------------------------------

struct Case {
  std::string file; ///< path of the input file; empty when read from a string
  std::string title;
  MeshOptions mesh;
  ProblemOptions problem;
  DiscretizationOptions discretization;
  AssemblyOptions assembly;
  SolverOptions solver;
  ExecutionOptions execution;
  OutputOptions output;
  VerificationOptions verification;
};

/// Spelling of an enumeration's value in the input file.
template <class Enum> struct NamedValue {
  const char* name;
  Enum value;
};

/// All spellings, in the order in which messages list them. Specialised in case.cpp.
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
template <> const std::vector<NamedValue<Physics>>& enum_names();
template <> const std::vector<NamedValue<Symmetry>>& enum_names();
template <> const std::vector<NamedValue<Method>>& enum_names();
template <> const std::vector<NamedValue<Strategy>>& enum_names();
template <> const std::vector<NamedValue<Coloring>>& enum_names();
template <> const std::vector<NamedValue<SolverMethod>>& enum_names();
template <> const std::vector<NamedValue<Preconditioner>>& enum_names();

/// Spellings that depend on the physics; empty when the physics has no such thing.
std::string name_of(Field field, Physics physics);
std::string name_of(Quantity quantity, Physics physics);
std::string name_of(BoundaryKind kind, Physics physics);

/// Spellings of an enumeration.
template <class Enum> std::vector<std::string> spellings() {
  std::vector<std::string> names;
  for (const NamedValue<Enum>& entry : enum_names<Enum>())
    names.push_back(entry.name);
  return names;
}

/// Shortest text that reads back to the same number (at most 17 significant digits).
std::string number_text(double value);

/// "a, b, c", or "none".
std::string joined(const std::vector<std::string>& names);

/// The allowed name that `text` most likely means; empty when none is near.
std::string nearest_name(const std::string& text, const std::vector<std::string>& allowed);

/// "unknown <what> 'text'; did you mean 'near'? Allowed: a, b, c."
std::string unknown_name_message(const std::string& what, const std::string& text,
                                 const std::vector<std::string>& allowed);

/// The value that `text` spells; throws with the allowed names and the nearest one. `what` names the option
/// ("--strategy").
template <class Enum> Enum parse_name(const std::string& text, const std::string& what) {
  for (const NamedValue<Enum>& entry : enum_names<Enum>())
    if (text == entry.name)
      return entry.value;
  ::tessera::detail::throw_error(ErrorKind::input, unknown_name_message(what, text, spellings<Enum>()));
}

} // namespace tessera::io

#endif
