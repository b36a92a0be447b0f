// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_DIFFUSION_PROBLEM_HPP
#define TESSERA_PHYSICS_DIFFUSION_PROBLEM_HPP

/// \file
/// Data of a diffusion problem -div(D grad u) = s, and the forms made from them.

#include "fe/dof_map.hpp"
#include "linalg/element_sums.hpp"
#include "physics/diffusion_form.hpp"
#include "physics/expression.hpp"

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
  std::optional<double> source_total;   ///< instead of `source`: integral over the region of a source that is constant
  double coefficient_factor = 1.;       ///< e.g. the vacuum permittivity
  std::string where;                    ///< place of the coefficient in the input, for messages; may be empty
  std::string source_where;             ///< that of the source

  bool has_source() const;
};

/// A source at a point: in the plane a line across it, in axisymmetric problems a ring.
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
  double density = 0.; ///< of the source per length
  std::string where;   ///< place in the input, for messages; may be empty
};

/// Natural condition on a boundary group: D du/dn = flux + alpha (reference - u), and with radiation
/// + emissivity * stefan_boltzmann (reference^4 - u^4) of temperatures in K.
struct NaturalData {
  group_t group = 0;
  std::string name; ///< for messages
  Expression flux;
  Expression alpha;
  Expression reference;
  Expression emissivity;      ///< zero: nothing radiates
  bool is_asymptotic = false; ///< stands for the space outside, whose energy counts
  std::string where;          ///< place in the input, for messages; may be empty
};

/// Data of -div(D grad u) = f with its natural conditions, by region and boundary of a mesh.
struct DiffusionProblem {
  std::vector<RegionData> regions; ///< in the order of the mesh's regions
  std::vector<NaturalData> natural;
  std::vector<PointSource> point_sources; ///< not in the form: see physics/point_loads.hpp
  std::vector<LineSource> line_sources;   ///< neither: see physics/line_loads.hpp
  bool axisymmetric = false;
  double depth = 1.; ///< m, planar 2D; 1 in 3D
  std::string where; ///< place of the symmetry in the input, for messages; may be empty

  /// True if closed-form element matrices suffice: planar, constant data, diagonal tensors, no natural conditions.
  bool is_uniform() const;
  /// False with radiation.
  bool is_linear() const;
  /// Whether there are sources at points or along lines.
  bool has_lumped_sources() const { return !point_sources.empty() || !line_sources.empty(); }
};

/// Makes the planar form with constant data by region; the problem must be uniform. Totals of sources are spread evenly
/// over the elements of their regions; a region without any is an error. `sums`: over the elements of all processes, of
/// a mesh that is the part of one; collective then.
template <class ExecutionSpace, int Dim, int Order>
UniformDiffusion<Dim, Order, typename ExecutionSpace::memory_space>
make_uniform_form(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                  const fe::FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
                  const DiffusionProblem& problem, const linalg::ElementSums<ExecutionSpace>* sums = nullptr);

/// Facets with natural conditions, where they are, and their data at quadrature points: one row each, in the order of
/// GeneralDiffusion::facet_alpha.
template <int Dim, class MemorySpace> struct NaturalFacets {
  using Values = Array<double * [fe::FacetQuadrature<Dim>::n_points], MemorySpace>;
  Array<index_t*, MemorySpace> element; ///< that has the facet as a face
  Array<index_t*, MemorySpace> face;    ///< number of the element's vertex opposite to it
  Array<index_t*, MemorySpace> datum;   ///< number in DiffusionProblem::natural
  Values alpha;                         ///< that of the form
  Values load;                          ///< that of the form
  Values radiation;                     ///< emissivity times stefan_boltzmann; empty: nothing radiates
  Values reference;                     ///< temperature of the surroundings; empty: nothing radiates

  index_t n() const { return static_cast<index_t>(element.extent(0)); }
};

/// Makes the form for general data. Expressions are evaluated once, on the device, at the quadrature points; errors
/// about values that are not finite, coefficients that are not positive, or negative radii name the region or group and
/// the point. `facets`, where it is given, receives those with natural conditions; `sums` as in make_uniform_form().
template <class ExecutionSpace, int Dim, int Order>
GeneralDiffusion<Dim, Order, typename ExecutionSpace::memory_space>
make_general_form(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                  const fe::FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
                  const DiffusionProblem& problem,
                  NaturalFacets<Dim, typename ExecutionSpace::memory_space>* facets = nullptr,
                  const linalg::ElementSums<ExecutionSpace>* sums = nullptr);

/// Sets the fixed values of a dof map: `values[c]` at every node bound by constraint c (unused for tied ones). The
/// `names` of the constraints and their `places` in the input (none, or one each) are used in messages about values
/// that are not finite.
template <class ExecutionSpace, int Dim>
void set_fixed_values(const ExecutionSpace& exec, const fe::DofMap<typename ExecutionSpace::memory_space>& dofs,
                      const Array<double* [Dim], ExecutionSpace>& coordinates, const std::vector<Expression>& values,
                      const std::vector<std::string>& names, const std::vector<std::string>& places = {});

/// Computes result(n) = expression at node n (initial guesses, exact solutions). The error about a value that is not
/// finite names the point, and the place `where` in the input.
template <class ExecutionSpace, int Dim>
void interpolate(const ExecutionSpace& exec, const Array<double* [Dim], ExecutionSpace>& coordinates,
                 const Expression& expression, const Array<double*, ExecutionSpace>& result,
                 const std::string& where = "");

} // namespace tessera::physics

#endif
