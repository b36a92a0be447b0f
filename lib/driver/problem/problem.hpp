// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_PROBLEM_HPP
#define TESSERA_DRIVER_PROBLEM_PROBLEM_HPP

/// \file
/// A problem on its mesh, independent of dimension, order and form: the interface for solve(), evaluation, compare and
/// bench.

#include "assembly/assembler.hpp"
#include "driver/context.hpp"
#include "driver/mesh/prepare_mesh.hpp"
#include "driver/plan/form_choice.hpp"
#include "driver/problem/binding/input_values.hpp"
#include "driver/problem/binding/problem_binding.hpp"
#include "driver/problem/carried_values.hpp"
#include "driver/problem/own_elements.hpp"
#include "driver/problem/shared_nodes.hpp"
#include "driver/solve_report.hpp"
#include "fe/dofs/dof_part.hpp"
#include "fe/dofs/ghost_numbers.hpp"
#include "fe/transfer/prolongation.hpp"
#include "io/output/field_file.hpp"
#include "linalg/element_sums.hpp"
#include "linalg/nested_unknowns.hpp"
#include "mesh/facet_sides.hpp"
#include "mesh/parts/box_part.hpp"
#include "physics/estimates/error_estimate.hpp"
#include "physics/fields/derived.hpp"
#include "physics/fields/point_values.hpp"
#include "physics/fields/surface_values.hpp"
#include "physics/forms/natural_conditions.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera::driver {

/// Data of a file of fields at the sides of nodes (physics/fields/side_fields.hpp), on the host.
struct SideValues {
  Array<const index_t*, HostMemory> nodes; ///< [n_sides], indices in the user's mesh
  Array<const double*, HostMemory> solution;
  Array<const double**, HostMemory> field; ///< [n_sides][dimension]
  Array<const double**, HostMemory> flux;
};

/// An element with a point source, or a piece of a line source.
struct SourceElement {
  index_t element = 0;
  std::string name; ///< of the source
};

/// Balance of the equations at a solution (docs/theory.md, "Rounding of flows").
struct Balance {
  double residual = 0.; ///< inflow into the nodes of no boundary minus the sources there: 0 for an exact solution
  double size = 0.;     ///< sum of the magnitudes of all flows between elements
  std::vector<double> rounding; ///< by boundary: effect of the solution's rounding on its total
};

/// Mesh, space, unknowns and form of a problem. The dispatch is on the host, once per call; kernels are compiled for
/// dimension, order and form. `nodal` are values at all nodes of the space, `scale` multiplies vector fields.
template <class ExecutionSpace> class Problem {
public:
  using Space = typename ExecutionSpace::memory_space;
  using Vector = Array<double*, ExecutionSpace>;
  using ConstVector = Array<const double*, ExecutionSpace>;
  using HostField = Array<const double**, HostMemory>; ///< [n][dimension]

  virtual ~Problem() = default;

  ProblemSummary summary;
  ProblemBinding binding;
  std::vector<std::string> multipole_ends; ///< closed asymptotic boundaries whose far field has no net charge
  fe::DofMap<Space> dofs;
  index_t n_space_nodes = 0;                       ///< number of nodes of the space
  fe::ElementTable<Space> element_table;           ///< nodes of each element
  Array<const index_t*, ExecutionSpace> vertices;  ///< of each element, row-major
  Array<const group_t*, ExecutionSpace> regions;   ///< of each element
  std::vector<std::vector<double>> coil_densities; ///< turns per area, physics::coil_densities
  std::vector<SourceElement> source_elements;      ///< of the point and line sources of the binding; in a part the
                                                   ///< owned ones
  std::vector<index_t> part_nodes; ///< first node of the mesh in each process's part; empty: parts are cut by work

  /// Set if the process has the problem only on its part of the mesh: the vertices of that part.
  std::optional<fe::PartVertices<Space>> part;
  /// The range of the owned unknowns in such a part, determined at the first call.
  const fe::OwnUnknowns& own_unknowns(const ExecutionSpace& exec) const {
    if (!own_unknowns_)
      own_unknowns_ = fe::find_own_unknowns<ExecutionSpace>(exec, dofs, element_table, summary.dimension, part.value());
    return *own_unknowns_;
  }
  /// The same, with the indices of the other unknowns; `offsets`: as for fe::number_ghosts(). Collective at the first
  /// call.
  const fe::PartUnknowns& part_unknowns(const ExecutionSpace& exec, const std::vector<std::int64_t>& offsets) const {
    if (!part_unknowns_)
      part_unknowns_ = fe::number_others<ExecutionSpace>(exec, *world, dofs, element_table, summary.dimension,
                                                         part.value(), own_unknowns(exec), offsets);
    return *part_unknowns_;
  }
  /// For such a part: the problem on the elements that the process owns; its integrals are sums over all processes, and
  /// functions that compute them are collective. `nodal` is replaced by the values at its nodes.
  virtual std::unique_ptr<Problem> of_own_elements(const ExecutionSpace& exec, ConstVector& nodal,
                                                   Context& context) const = 0;
  /// The processes with parts of the problem.
  const comm::Communicator* world = &comm::alone();
  /// For a problem on the owned elements: the problem from which it was taken, with its nodal values. Values at points
  /// and on surfaces are computed by it, as it includes the surrounding elements.
  std::unique_ptr<Problem> around;
  ConstVector nodal_around;
  Array<const index_t*, Space> elements_around; ///< indices of its elements in the surrounding problem, ascending
  /// Indices in this problem of elements from facet_sides(); -1: of another process, or none.
  std::vector<index_t> own_places(const ExecutionSpace& exec, const std::vector<index_t>& elements) const {
    return around ? find_places<ExecutionSpace>(exec, elements_around, elements) : elements;
  }

  virtual FormKind form() const = 0;
  virtual std::unique_ptr<assembly::Assembler<ExecutionSpace>>
  make_assembler(const assembly::AssemblyOptions& options) const = 0;
  /// Makes the assembler of a part's elements, for its unknowns. Shares the form's data of nodes, regions and facets.
  virtual std::unique_ptr<assembly::Assembler<ExecutionSpace>>
  make_part_assembler(const ExecutionSpace& exec, const fe::DofPart<Space>& part,
                      const assembly::AssemblyOptions& options) const = 0;

  /// Switches to another binding of the same mesh with constraints on the same groups, whose data apply from the next
  /// numeric() of an assembler on; `form_is_same`: only fixed values and currents of coils differ, and the next load()
  /// suffices. Returns false, doing nothing, if the problem must be made again.
  virtual bool renew(const ExecutionSpace& exec, const ProblemBinding& binding, FormKind form, bool form_is_same,
                     Context& context) = 0;

  /// Sets the values of the fixed nodes: one expression per constraint of the binding.
  virtual void set_fixed_values(const ExecutionSpace& exec, const std::vector<physics::Expression>& values) const = 0;
  /// `where` is used in the error for a value that is not finite.
  virtual void interpolate(const ExecutionSpace& exec, const physics::Expression& expression, const Vector& nodal,
                           const std::string& where) const = 0;

  /// Good conductors that carry values of boundaries into the domain; found at the first call. Boundaries are the
  /// constraints and, if any natural condition is strong, these. None for magnetic problems. Collective.
  virtual const CarriedValues<ExecutionSpace>& carried_values(const ExecutionSpace& exec) const = 0;
  /// f - K u at all unknowns, [n_free], from values at all nodes, by differences of u (physics::residual_rows):
  /// accurate even if the product with the matrix is dominated by the rounding of large entries. In a part valid at
  /// owned unknowns. Collective.
  virtual Vector residual(const ExecutionSpace& exec, const ConstVector& nodal) const = 0;
  /// Collective.
  virtual Balance balance(const ExecutionSpace& exec, const ConstVector& nodal) const = 0;

  /// \name Nonlinear problems
  /// Their matrix depends on the iterate.
  ///@{
  bool is_linear() const {
    return binding.medium().is_linear() && (!binding.magnetic || binding.magnetic->is_linear());
  }
  /// Values at all nodes that linearize() uses; empty for linear problems.
  virtual Vector iterate() const = 0;
  virtual void linearize(const ExecutionSpace& exec) const = 0;
  /// Linearises at zero field, or at the temperature of the surroundings.
  virtual void linearize_at_rest(const ExecutionSpace& exec) const = 0;
  /// For energy_slope(). `same_bits`: independent of the distribution of elements.
  virtual linalg::ElementSums<ExecutionSpace> element_sums(const ExecutionSpace& exec, bool same_bits) const = 0;
  /// dW/ds of the energy whose minimum is the solution, on the line from + s (to - from); call linearize() afterwards.
  virtual double energy_slope(const ExecutionSpace& exec, const ConstVector& from, const ConstVector& to, double s,
                              const linalg::ElementSums<ExecutionSpace>& sums) const = 0;
  ///@}

  /// \name From a solution (physics/fields/derived.hpp)
  ///@{
  /// Includes the energy outside asymptotic boundaries.
  virtual double energy(const ExecutionSpace& exec, const ConstVector& nodal) const = 0;
  /// Inflow through the nodes of each constraint.
  virtual std::vector<double> totals(const ExecutionSpace& exec, const ConstVector& nodal) const = 0;
  /// The same, but boundaries of fixed values, and natural conditions with large coefficients, share the inflow at
  /// nodes where they meet if their values agree there (docs/theory.md, "Charge"). `jumps` gets the pairs whose values
  /// do not agree, without duplicates; natural conditions are numbered after the constraints.
  virtual std::vector<double> boundary_totals(const ExecutionSpace& exec, const ConstVector& nodal,
                                              std::vector<ValueJump>& jumps) const = 0;
  /// Total inflow at all nodes minus outflow, the sum of the residual: zero up to the solver's error if nothing is
  /// fixed. Collective.
  virtual double unbalanced_inflow(const ExecutionSpace& exec, const ConstVector& nodal) const = 0;
  /// Only the pairs of jumps. Collective.
  virtual std::vector<ValueJump> value_jumps(const ExecutionSpace& exec, const ConstVector& nodal) const = 0;
  /// Totals of each natural condition of diffusion problems; by the residual of elements if the coefficient is large
  /// (docs/theory.md, "Flux through natural conditions"). With radiation the problem must be linearised at `nodal`.
  virtual std::vector<physics::NaturalTotals> natural_totals(const ExecutionSpace& exec,
                                                             const ConstVector& nodal) const = 0;
  /// Values of each region.
  virtual std::vector<physics::RegionValues> region_values(const ExecutionSpace& exec,
                                                           const ConstVector& nodal) const = 0;
  virtual physics::ErrorNorms error_norms(const ExecutionSpace& exec, const ConstVector& nodal,
                                          const physics::Expression& exact,
                                          const std::vector<physics::Expression>& gradient) const = 0;
  /// `recovered`: fields are recovered region by region (physics/fields/point_values.hpp). With parts the values are
  /// global, and the call is collective.
  virtual std::vector<physics::PointValue> values_at(const ExecutionSpace& exec, const ConstVector& nodal,
                                                     const std::vector<std::array<double, 3>>& points,
                                                     bool recovered) const = 0;
  /// Facets with the elements on their sides (mesh/facet_sides.hpp). With parts those of owned elements, so that a
  /// facet between two parts is in both processes; a problem on owned elements returns element indices of the
  /// surrounding problem.
  virtual std::vector<mesh::FacetSides> facet_sides(const ExecutionSpace& exec, const std::vector<int>& set_of_group,
                                                    int n_sets) const = 0;
  /// Number of facets between a region and others, in all processes; collective.
  virtual std::int64_t n_facets_around(const ExecutionSpace& exec, group_t region) const = 0;
  /// `sides`: elements as numbered by facet_sides(). With parts those of owned elements are counted; then collective.
  virtual std::vector<physics::SurfaceValues> surface_values(const ExecutionSpace& exec, const ConstVector& nodal,
                                                             const std::vector<physics::SurfaceSide>& sides,
                                                             int n_surfaces, bool recovered) const = 0;
  virtual HostField element_gradients(const ExecutionSpace& exec, const ConstVector& nodal, double scale) const = 0;
  virtual HostField nodal_gradients(const ExecutionSpace& exec, const ConstVector& nodal, double scale) const = 0;
  virtual HostField element_fluxes(const ExecutionSpace& exec, const ConstVector& nodal, double scale) const = 0;
  ///@}

  /// \name Adaptive refinement
  ///@{
  /// Increased at vertices where materials meet in a chequered pattern.
  virtual physics::ErrorEstimate<ExecutionSpace> estimate_error(const ExecutionSpace& exec, const ConstVector& nodal,
                                                                io::Estimator estimator) const = 0;
  /// The problem on the mesh with the marked elements bisected (mesh/refine/bisection.hpp); null if that has more than
  /// `most_elements`, unless these are 0. Sets `start` to the values of `nodal` on it, interpolated linearly between
  /// vertices.
  virtual std::unique_ptr<Problem> bisected(const ExecutionSpace& exec,
                                            const Array<const std::uint8_t*, ExecutionSpace>& marked,
                                            std::int64_t most_elements, const ConstVector& nodal, Vector& start,
                                            Context& context) const = 0;
  ///@}

  /// \name Forces (physics/fields/derived.hpp)
  ///@{
  /// With parts called for the surrounding problem, at whose vertices the weights are, and load() is global;
  /// collective. `media`: of each region (physics::LayerEnds).
  virtual physics::BodyWeights<Space> body_weights(const ExecutionSpace& exec, const physics::BodyGroups& body,
                                                   const std::vector<int>& media) const = 0;
  virtual physics::BodyLoad body_load(const ExecutionSpace& exec, const ConstVector& nodal, const ConstVector& weight,
                                      const std::array<double, 3>& about) const = 0;
  ///@}

  /// \name Magnetostatics only (physics/forms/magnetic_problem.hpp)
  ///@{
  virtual double coenergy(const ExecutionSpace& exec, const ConstVector& nodal) const = 0;
  virtual double flux_linkage(const ExecutionSpace& exec, const ConstVector& nodal, std::size_t coil) const = 0;
  /// Sets the currents of the coils, A, for the next right-hand side of an assembler of this problem.
  virtual void set_currents(const ExecutionSpace& exec, const std::vector<double>& currents) const = 0;
  virtual double largest_flux_density(const ExecutionSpace& exec, const ConstVector& nodal, group_t region) const = 0;
  ///@}

  /// Calls `work` with the space on the host, in the numbering of the user's mesh. In a part: with the owned elements
  /// and indices of the nodes that are the same in all processes.
  virtual void with_grid(const ExecutionSpace& exec, const std::function<void(const io::FieldGrid&)>& work) const = 0;
  /// The same with the sides of nodes as points, in the order of the file, and with fields recovered there, times
  /// `field_scale` and `flux_scale`.
  virtual void with_side_grid(const ExecutionSpace& exec, const ConstVector& nodal, double field_scale,
                              double flux_scale,
                              const std::function<void(const io::FieldGrid&, const SideValues&)>& work) const = 0;
  /// Area or volume of the mesh.
  virtual double measure(const ExecutionSpace& exec) const = 0;

  /// \name Coarser levels, for multigrid
  ///@{
  /// Interpolations from the unknowns of coarser meshes, finest first, to the first level with at most `few` unknowns;
  /// none without coarser meshes. `coarser` is set to coarser_unknowns() of one process, without an interpolation.
  virtual std::vector<linalg::Prolongation<typename ExecutionSpace::memory_space>>
  prolongations(const ExecutionSpace& exec, index_t few = 0,
                fe::CoarserUnknowns<ExecutionSpace>* coarser = nullptr) const = 0;
  /// The same levels with several processes, which have the whole mesh or a part each: the data of this process's owned
  /// unknowns (fe/transfer/nested_unknowns.hpp). Collective.
  virtual linalg::NestedUnknowns<Space> nested_unknowns(const ExecutionSpace& exec,
                                                        const comm::Shares<ExecutionSpace>& shares) const = 0;
  /// The next coarser level, if there is any, in a form that takes less memory. `shares`: distribution of the unknowns
  /// over several processes (fe::make_coarser_unknowns, or that of a part).
  virtual fe::CoarserUnknowns<ExecutionSpace> coarser_unknowns(const ExecutionSpace& exec,
                                                               const comm::Shares<ExecutionSpace>& shares = {},
                                                               bool with_interpolation = true) const = 0;
  /// prolongations() starting from that level, for the whole mesh.
  virtual std::vector<linalg::Prolongation<Space>> prolongations_below(const ExecutionSpace& exec,
                                                                       const fe::DofMap<Space>& coarser) const = 0;
  /// nested_unknowns() starting from that level, for the whole mesh. Collective.
  virtual linalg::NestedUnknowns<Space> nested_unknowns_below(const ExecutionSpace& exec,
                                                              const comm::Communicator& processes,
                                                              const fe::DofMap<Space>& coarser,
                                                              const fe::OwnUnknowns& own) const = 0;
  /// Assembler of the Galerkin matrix of that level, from its own elements if these give that matrix
  /// (physics::coarser_diffusion), else from the elements of this problem (assembly::make_coarser_assembler); with
  /// `own_only` null instead of the latter.
  virtual std::unique_ptr<assembly::Assembler<ExecutionSpace>>
  make_coarser_assembler(const ExecutionSpace& exec, const fe::DofMap<Space>& coarser, bool own_only = false) const = 0;
  /// The same for the part of the level with the rows [first, end), which it also sets; collective with parts of a
  /// mesh.
  virtual std::unique_ptr<assembly::Assembler<ExecutionSpace>>
  make_coarser_part_assembler(const ExecutionSpace& exec, const fe::DofMap<Space>& coarser, index_t first, index_t end,
                              fe::DofPart<Space>& part, bool own_only = false) const = 0;
  /// Upper bound of the eigenvalues of D^-1 A, where D is the diagonal of A: with several processes the maximum of
  /// their results, each for one of `n_pieces` pieces of the elements, or for the owned ones of its part of a mesh.
  virtual double bound_eigenvalues(const ExecutionSpace& exec, int piece = 0, int n_pieces = 1) const = 0;
  ///@}

private:
  mutable std::optional<fe::OwnUnknowns> own_unknowns_;
  mutable std::optional<fe::PartUnknowns> part_unknowns_;
};

/// The problem of a case that is bound to the imported mesh: makes the mesh, numbers the unknowns and makes the form
/// assumed by the plan. Throws errors of kind input that only the mesh shows. `coarser`: the data of coarser meshes
/// that its mesh stores, for multigrid (Plan::coarser_meshes()). `prepared`: a mesh to reuse, or to be set to the mesh
/// made. With execution.mesh: parts each of several processes has its part; then collective.
template <class ExecutionSpace>
std::unique_ptr<Problem<ExecutionSpace>>
make_problem(const ExecutionSpace& exec, const io::ImportedMesh& imported, const ProblemBinding& binding, FormKind form,
             mesh::CoarserMeshes coarser, Context& context,
             PreparedMesh<typename ExecutionSpace::memory_space>* prepared = nullptr);

/// The same on a mesh with a binding. Instantiated for every space, dimension and order (problem_on_mesh.cpp.in).
template <class ExecutionSpace, int Dim, int Order>
std::unique_ptr<Problem<ExecutionSpace>>
make_problem_on_mesh(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                     const ProblemBinding& binding, FormKind form, Context& context);

/// The same on this process's part of a mesh. Collective.
template <class ExecutionSpace, int Dim, int Order>
std::unique_ptr<Problem<ExecutionSpace>>
make_problem_on_part(const ExecutionSpace& exec, const mesh::MeshPart<Dim, typename ExecutionSpace::memory_space>& part,
                     const ProblemBinding& binding, FormKind form, Context& context);

} // namespace tessera::driver

#endif
