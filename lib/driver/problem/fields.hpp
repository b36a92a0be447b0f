// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_FIELDS_HPP
#define TESSERA_DRIVER_PROBLEM_FIELDS_HPP

#include "driver/problem/owned_elements.hpp"
#include "driver/problem/problem_data.hpp"
#include "driver/problem/shared_nodes.hpp"
#include "io/output/field_file.hpp"
#include "mesh/facet_sides.hpp"
#include "physics/boundaries/natural_conditions.hpp"
#include "physics/fields/derived.hpp"
#include "physics/fields/point_values.hpp"
#include "physics/fields/region_phasors.hpp"
#include "physics/fields/surface_values.hpp"

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace tessera::driver {

/// Asks for a grid of the sides of nodes (physics/fields/side_fields.hpp) with the fields recovered there.
template <class ExecutionSpace> struct SidesOf {
  Array<const double*, ExecutionSpace> nodal; ///< values at all nodes; empty: the grid has the nodes
  double field_scale = 1.;
  double flux_scale = 1.;
};

/// Data of a file of fields on the host.
struct HostGrid {
  io::FieldGrid grid;
  Array<const index_t*, HostMemory> nodes; ///< [n_sides], of sides, as are the next three: indices in the user's mesh
  Array<const double*, HostMemory> solution;
  Array<const double**, HostMemory> field; ///< [n_sides][dimension]
  Array<const double**, HostMemory> flux;
  std::shared_ptr<const void> arrays; ///< owns the arrays of the grid
};

enum class EnergyOf { field, coenergy }; ///< coenergy: of magnetic problems

/// What Fields::totals() computes.
enum class TotalsOf {
  constraints, ///< inflow through the nodes of each constraint
  /// The same, but boundaries of fixed values, and natural conditions with large coefficients, share the inflow at
  /// nodes where they meet if their values agree there (docs/theory.md, "Charge"); and the jumps.
  boundaries,
  jumps, ///< only the jumps
  /// One value: inflow at all nodes minus outflow, the sum of the residual: zero up to the solver's error if nothing is
  /// fixed.
  all
};

struct Totals {
  std::vector<double> inflow;
  /// Pairs of boundaries that meet with different values, without duplicates; natural conditions are numbered after the
  /// constraints.
  std::vector<ValueJump> jumps;
};

enum class VectorField { element_gradient, nodal_gradient, element_flux };

/// What is computed from a solution. `nodal` are its values at all nodes of the space. Integrals are sums over all
/// processes: functions that compute them are collective.
template <class ExecutionSpace> class Fields : public virtual ProblemData<ExecutionSpace> {
public:
  using typename ProblemData<ExecutionSpace>::Space;
  using typename ProblemData<ExecutionSpace>::ConstVector;
  using HostField = Array<const double**, HostMemory>; ///< [n][dimension]

  /// For a problem on the owned elements of a part: the problem from which it was taken, with its nodal values. Values
  /// at points and on surfaces are computed by it, as it includes the surrounding elements.
  std::shared_ptr<const Fields> around;
  ConstVector nodal_around;
  Array<const index_t*, Space> elements_around; ///< indices of its elements in the surrounding problem, ascending
  /// Indices in this problem of elements from facet_sides(); -1: of another process, or none.
  std::vector<index_t> owned_positions(const ExecutionSpace& exec, const std::vector<index_t>& elements) const {
    return around ? find_positions<ExecutionSpace>(exec, elements_around, elements) : elements;
  }

  /// Includes the energy outside asymptotic boundaries, and that of joints.
  virtual double energy(const ExecutionSpace& exec, const ConstVector& nodal, EnergyOf of = EnergyOf::field) const = 0;
  /// Of problems with storage, for the rate and the earlier values of the last step: the integral of c du/dt.
  virtual double stored_rate(const ExecutionSpace& exec, const ConstVector& nodal) const = 0;
  virtual Totals totals(const ExecutionSpace& exec, const ConstVector& nodal,
                        TotalsOf of = TotalsOf::constraints) const = 0;
  /// Totals of each natural condition of diffusion problems; by the residual of elements if the coefficient is large
  /// (docs/theory.md, "Flux through natural conditions"). With radiation the problem must be linearised at `nodal`.
  virtual std::vector<physics::NaturalTotals> natural_totals(const ExecutionSpace& exec,
                                                             const ConstVector& nodal) const = 0;
  /// Of the joints of the binding.
  virtual std::vector<physics::JointTotals> joint_totals(const ExecutionSpace& exec,
                                                         const ConstVector& nodal) const = 0;
  /// Values of each region.
  virtual std::vector<physics::RegionValues> region_values(const ExecutionSpace& exec,
                                                           const ConstVector& nodal) const = 0;
  /// Integrals over each region of a solution with a real and an imaginary part.
  virtual std::vector<physics::RegionPhasors> region_phasors(const ExecutionSpace& exec, const ConstVector& re,
                                                             const ConstVector& im) const = 0;
  virtual physics::ErrorNorms error_norms(const ExecutionSpace& exec, const ConstVector& nodal,
                                          const physics::Expression& exact,
                                          const std::vector<physics::Expression>& gradient) const = 0;
  virtual double flux_linkage(const ExecutionSpace& exec, const ConstVector& nodal, std::size_t coil) const = 0;
  /// Of magnetic problems.
  virtual double largest_flux_density(const ExecutionSpace& exec, const ConstVector& nodal, group_t region) const = 0;
  /// Area or volume of the mesh.
  virtual double measure(const ExecutionSpace& exec) const = 0;

  virtual HostField vector_field(const ExecutionSpace& exec, const ConstVector& nodal, VectorField field,
                                 double scale) const = 0;
  /// The space, or the sides of nodes in the order of the file, on the host, in the numbering of the user's mesh. In a
  /// part: with the owned elements and indices of the nodes that are the same in all processes.
  virtual HostGrid host_grid(const ExecutionSpace& exec, const SidesOf<ExecutionSpace>& sides = {}) const = 0;
  /// `recovered`: fields are recovered region by region (physics/fields/point_values.hpp). With parts the values are
  /// global.
  virtual std::vector<physics::PointValue> values_at(const ExecutionSpace& exec, const ConstVector& nodal,
                                                     const std::vector<std::array<double, 3>>& points,
                                                     bool recovered) const = 0;

  /// Facets with the elements on their sides (mesh/facet_sides.hpp). With parts those of owned elements, so that a
  /// facet between two parts is in both processes; a problem on owned elements returns element indices of the
  /// surrounding problem.
  virtual std::vector<mesh::FacetSides> facet_sides(const ExecutionSpace& exec, const std::vector<int>& set_of_group,
                                                    int n_sets) const = 0;
  /// Number of facets between a region and others, in all processes.
  virtual std::int64_t n_facets_around(const ExecutionSpace& exec, group_t region) const = 0;
  /// `sides`: elements as numbered by facet_sides(). With parts those of owned elements are counted.
  virtual std::vector<physics::SurfaceValues> surface_values(const ExecutionSpace& exec, const ConstVector& nodal,
                                                             const std::vector<physics::SurfaceSide>& sides,
                                                             int n_surfaces, bool recovered) const = 0;
  /// For forces (physics/fields/derived.hpp): with parts called for the surrounding problem, at whose vertices the
  /// weights are. `media`: of each region (physics::LayerEnds).
  virtual physics::BodyWeights<Space> body_weights(const ExecutionSpace& exec, const physics::BodyGroups& body,
                                                   const std::vector<int>& media) const = 0;
  virtual physics::BodyLoad body_load(const ExecutionSpace& exec, const ConstVector& nodal, const ConstVector& weight,
                                      const std::array<double, 3>& about) const = 0;
};

} // namespace tessera::driver

#endif
