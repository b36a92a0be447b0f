// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FORMS_DIFFUSION_PROBLEM_HPP
#define TESSERA_PHYSICS_FORMS_DIFFUSION_PROBLEM_HPP

/// \file
/// Data of a diffusion problem -div(D grad u) = s, and the forms for it.

#include "fe/dofs/dof_map.hpp"
#include "linalg/element_sums.hpp"
#include "physics/expressions/expression.hpp"
#include "physics/forms/diffusion_form.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace tessera::physics {

/// Vacuum permittivity in F/m (CODATA 2018).
constexpr double vacuum_permittivity = 8.8541878128e-12;

/// Stefan-Boltzmann constant in W/(m^2 K^4) (CODATA 2018, exact).
constexpr double stefan_boltzmann = 5.670374419184429e-8;

/// Coefficient and source of one region.
struct RegionData {
  std::vector<Expression> coefficient;  ///< diagonal of D, one entry per direction
  std::vector<Expression> off_diagonal; ///< xy, or xy, xz, yz; empty: D is diagonal
  Expression source;                    ///< s
  std::optional<double> source_total;   ///< alternative to `source`: integral over the region of a constant source
  double coefficient_factor = 1.;       ///< e.g. the vacuum permittivity
  Expression capacity{1.};              ///< c of c du/dt, in problems with storage
  std::string capacity_where;           ///< place of the capacity in the input
  std::string where;                    ///< place of the coefficient in the input, for messages; may be empty
  std::string source_where;             ///< place of the source in the input

  bool has_source() const;
};

/// A point source: in 2D a line perpendicular to the plane, in axisymmetric problems a ring.
struct PointSource {
  std::string name;
  std::array<double, 3> at{}; ///< m
  double strength = 0.;       ///< integral of the source, with the weight of integrals; magnetostatics: A
  std::string where;          ///< place in the input, for messages; may be empty
};

/// A source along a straight line in space.
struct LineSource {
  std::string name;
  std::array<double, 3> from{}; ///< m
  std::array<double, 3> to{};
  double density = 0.; ///< source per length
  std::string where;   ///< place in the input, for messages; may be empty
};

/// Natural condition on a boundary group: D du/dn = flux + alpha (reference - u), plus, with radiation, emissivity *
/// stefan_boltzmann (reference^4 - u^4) for temperatures in K.
struct NaturalData {
  group_t group = 0;
  std::string name; ///< for messages
  Expression flux;
  Expression alpha;
  Expression reference;
  Expression emissivity;        ///< zero: no radiation
  std::string enclosure;        ///< name of the enclosure whose surfaces see each other; empty: surroundings alone
  bool has_surroundings = true; ///< `reference` is the temperature outside; false: the enclosure is closed
  bool is_asymptotic = false;   ///< represents the space outside, whose energy is included
  std::string where;            ///< place in the input, for messages; may be empty

  /// Whether the flux depends on the difference from something outside.
  bool fixes_solution() const {
    const auto vanishes = [](const Expression& e) { return e.is_constant() && e.value() == 0.; };
    return !vanishes(alpha) || (has_surroundings && !vanishes(emissivity));
  }
};

/// Data of -div(D grad u) = f with its natural conditions, by region and boundary of a mesh.
struct DiffusionProblem {
  std::vector<RegionData> regions; ///< in the order of the mesh's regions
  std::vector<NaturalData> natural;
  std::vector<PointSource> point_sources; ///< not part of the form: see physics/loads/point_loads.hpp
  std::vector<LineSource> line_sources;   ///< not part of the form: see physics/loads/line_loads.hpp
  bool axisymmetric = false;
  double depth = 1.;        ///< m, planar 2D; 1 in 3D
  bool has_storage = false; ///< time-dependent: the form has arrays for storage, at rate 0
  double time = 0.;         ///< s, at which sources and natural conditions are evaluated
  /// Whether t in coefficients and capacities stands for the solution, a temperature (physics/forms/thermal_form.hpp).
  bool depends_on_temperature = false;
  double rest_temperature = 0.; ///< about that of the solution
  std::string where;            ///< place of the symmetry in the input, for messages; may be empty

  /// True if closed-form element matrices suffice: planar, constant data, diagonal tensors, no natural conditions.
  bool is_uniform() const;
  bool has_radiation() const;
  /// False if there is radiation, or materials depend on temperature.
  bool is_linear() const { return !depends_on_temperature && !has_radiation(); }
  /// Whether there are point or line sources.
  bool has_lumped_sources() const { return !point_sources.empty() || !line_sources.empty(); }
  /// Whether sources or natural conditions depend on t.
  bool has_transient_loads() const;
};

/// Makes the planar form with constant data by region; the problem must be uniform. Totals of sources are distributed
/// evenly over the elements of their regions; throws if such a region has no elements. `sums`: for sums over the
/// elements of all processes if the mesh is distributed; then collective.
template <class ExecutionSpace, int Dim, int Order>
UniformDiffusion<Dim, Order, typename ExecutionSpace::memory_space>
make_uniform_form(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                  const fe::FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
                  const DiffusionProblem& problem, const linalg::ElementSums<ExecutionSpace>* sums = nullptr);

/// Facets with natural conditions and their data at quadrature points: one row each, in the order of
/// GeneralDiffusion::facet_alpha.
template <int Dim, class MemorySpace> struct NaturalFacets {
  using Values = Array<double * [fe::FacetQuadrature<Dim>::n_points], MemorySpace>;
  Array<index_t*, MemorySpace> facet;   ///< index in the mesh
  Array<index_t*, MemorySpace> element; ///< the element with the facet as a face
  Array<index_t*, MemorySpace> face;    ///< the element's vertex opposite to it
  Array<index_t*, MemorySpace> datum;   ///< index in DiffusionProblem::natural
  Values alpha;                         ///< shared with the form
  Values load;                          ///< shared with the form
  Values radiation;                     ///< emissivity times stefan_boltzmann; empty: no radiation
  Values reference;                     ///< temperature of the surroundings; empty: no radiation

  index_t n() const { return static_cast<index_t>(element.extent(0)); }
};

/// Makes the form for general data. Expressions are evaluated once, on the device, at the quadrature points. Throws for
/// values that are not finite, coefficients that are not positive, or negative radii; the error states the region or
/// group and the point. `facets`, if given, receives the facets with natural conditions; `sums` as in
/// make_uniform_form().
template <class ExecutionSpace, int Dim, int Order>
GeneralDiffusion<Dim, Order, typename ExecutionSpace::memory_space>
make_general_form(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                  const fe::FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
                  const DiffusionProblem& problem,
                  NaturalFacets<Dim, typename ExecutionSpace::memory_space>* facets = nullptr,
                  const linalg::ElementSums<ExecutionSpace>* sums = nullptr);

/// Evaluates sources and natural conditions that vary again, for a problem at another instant: in the arrays of `form`
/// and `facets`, which are those of make_general_form(). Throws as that does. `sums` as there.
template <class ExecutionSpace, int Dim, int Order>
void renew_loads(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                 const DiffusionProblem& problem,
                 const GeneralDiffusion<Dim, Order, typename ExecutionSpace::memory_space>& form,
                 const NaturalFacets<Dim, typename ExecutionSpace::memory_space>& facets,
                 const linalg::ElementSums<ExecutionSpace>* sums = nullptr);

/// Rate at which all elements store, by the storage of the form: the integral of capacity times rate times (u -
/// earlier), at the values `nodal`.
template <class ExecutionSpace, int Dim, int Order>
double stored_rate(const ExecutionSpace& exec,
                   const GeneralDiffusion<Dim, Order, typename ExecutionSpace::memory_space>& form,
                   const Array<const double*, ExecutionSpace>& nodal, const linalg::ElementSums<ExecutionSpace>& sums);

/// Sets the fixed values of a dof map: `values[c]` at every node bound by constraint c (unused for tied ones). Throws
/// for values that are not finite; the error uses the `names` of the constraints and their `locations` in the input
/// (none, or one each).
template <class ExecutionSpace, int Dim>
void set_fixed_values(const ExecutionSpace& exec, const fe::DofMap<typename ExecutionSpace::memory_space>& dofs,
                      const Array<double* [Dim], ExecutionSpace>& coordinates, const std::vector<Expression>& values,
                      const std::vector<std::string>& names, const std::vector<std::string>& locations = {});

/// Computes result(n) = expression at node n (initial guesses, exact solutions). Throws for a value that is not finite;
/// the error states the point, and the place `where` in the input.
template <class ExecutionSpace, int Dim>
void interpolate(const ExecutionSpace& exec, const Array<double* [Dim], ExecutionSpace>& coordinates,
                 const Expression& expression, const Array<double*, ExecutionSpace>& result,
                 const std::string& where = "");

} // namespace tessera::physics

#endif
