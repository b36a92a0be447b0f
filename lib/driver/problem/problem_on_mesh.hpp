// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_PROBLEM_ON_MESH_HPP
#define TESSERA_DRIVER_PROBLEM_PROBLEM_ON_MESH_HPP

/// \file
/// A problem of one dimension and order: included only by the generated instantiations.

#include "core/kokkos_ext/runtime.hpp"
#include "driver/problem/connected_parts.hpp"
#include "driver/problem/field_grids.hpp"
#include "driver/problem/flows_where_boundaries_meet.hpp"
#include "driver/problem/form_on_mesh.hpp"
#include "driver/problem/part_values.hpp"
#include "mesh/ordering.hpp"
#include "mesh/refine/bisection.hpp"
#include "physics/estimates/chequered_vertices.hpp"
#include "physics/estimates/residual_estimate.hpp"
#include "physics/fields/side_fields.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <tuple>
#include <utility>
#include <variant>

namespace tessera::driver {

namespace detail {

/// A problem on a mesh: its equations (FormOnMesh), and the evaluation of their solution.
template <class ExecutionSpace, int Dim, int Order>
class ProblemOnMesh final : public FormOnMesh<ExecutionSpace, Dim, Order> {
  using OfForm = FormOnMesh<ExecutionSpace, Dim, Order>;

public:
  using Base = Problem<ExecutionSpace>;
  using OfForm::form;
  using OfForm::OfForm;
  using typename Base::ConstVector;
  using typename Base::HostField;
  using typename Base::Space;
  using typename Base::Vector;
  using typename OfForm::Form;
  using typename OfForm::Quadrature;

  std::unique_ptr<Base> of_owned_elements(const ExecutionSpace& exec, ConstVector& nodal,
                                          Context& context) const override {
    const mesh::Mesh<Dim, Space> owned = owned_mesh(exec);
    std::vector<std::string> ignored_notes; // notes of this problem's construction
    Context again{context.input, context.console, context.log, ignored_notes, context.world};
    ProblemBinding binding = this->binding;
    binding.periodic.clear(); // owned elements have only some of the nodes on these sides
    binding.jumps.clear();
    binding.is_pinned = false;
    binding.medium().point_sources.clear();
    binding.medium().line_sources.clear();
    auto problem = std::make_unique<ProblemOnMesh>(exec, owned, binding, form(), again, *this->world);
    problem->binding = this->binding;
    problem->summary = this->summary;
    problem->elements_around = this->owned_elements;
    problem->sources_ =
        sources_.on(exec, Array<const index_t*, ExecutionSpace>(this->owned_elements), problem->element_table);
    const auto values = make_filled<Vector>(exec, "driver::nodal_solution", problem->n_space_nodes, 0.);
    const auto take = [&](const char* label, auto from, auto to) {
      using T = typename decltype(to)::value_type;
      for_each(label, exec, owned.n_elements(),
               detail::TakeNodes<T, Space>{this->element_table.nodes, problem->element_table.nodes,
                                           this->element_table.nodes_per_element, this->owned_elements, from, to});
    };
    take("tessera::driver::take_owned_values", nodal, values);
    // Whether a node is on a boundary may only follow from facets of other processes' elements.
    take("tessera::driver::take_owned_constraints", this->dofs.node_constraint, problem->dofs.node_constraint);
    if (this->dofs.node_sign.extent(0) > 0) {
      problem->dofs.node_sign =
          make_filled<Array<signed char*, Space>>(exec, "driver::node_sign", problem->n_space_nodes, 1);
      take("tessera::driver::take_owned_signs", this->dofs.node_sign, problem->dofs.node_sign);
    }
    keep_alive(exec, nodal);
    nodal = values;
    if (!problem->is_linear()) {
      copy(exec, problem->iterate(), values);
      problem->linearize(exec);
    }
    return problem;
  }

  std::unique_ptr<Base> with_coefficients(const ExecutionSpace& exec, const ProblemBinding& binding) const override {
    auto problem = std::make_unique<ProblemOnMesh>(*this);
    problem->replace_form(exec, binding);
    return problem;
  }

  double energy(const ExecutionSpace& exec, const ConstVector& nodal, EnergyOf of) const override {
    if (of == EnergyOf::coenergy) {
      if constexpr (Dim == 2)
        return this->world->added(physics::field_coenergy(exec, magnetic(), nodal));
      return 0.;
    }
    double energy =
        this->world->added(visit([&](const auto& form) { return physics::field_energy(exec, form, nodal); }));
    const std::vector<physics::NaturalData>& natural = this->binding.problem.natural;
    if (std::any_of(natural.begin(), natural.end(),
                    [](const physics::NaturalData& datum) { return datum.is_asymptotic; })) {
      const std::vector<physics::NaturalTotals> totals = natural_totals(exec, nodal);
      for (std::size_t i = 0; i < natural.size(); ++i)
        energy += natural[i].is_asymptotic ? totals[i].energy : 0.;
    }
    for (const physics::JointTotals& joint : joint_totals(exec, nodal))
      energy += 0.5 * joint.losses;
    return energy;
  }
  std::vector<physics::JointTotals> joint_totals(const ExecutionSpace& exec, const ConstVector& nodal) const override {
    return joints_.totals(this->at_joints(exec, nodal));
  }
  double stored_rate(const ExecutionSpace& exec, const ConstVector& nodal) const override {
    if (!this->has_quadrature())
      return 0.;
    return physics::stored_rate<ExecutionSpace, Dim, Order>(exec, this->quadrature(), nodal,
                                                            this->element_sums(exec, true));
  }
  Totals totals(const ExecutionSpace& exec, const ConstVector& nodal, TotalsOf of) const override {
    Totals totals;
    if (of == TotalsOf::jumps) {
      meeting_boundaries(exec).shared_nodes_of_all(nodal, *this->world, totals.jumps);
      return totals;
    }
    if (of == TotalsOf::all) {
      totals.inflow = {unbalanced_inflow(exec, nodal)};
      return totals;
    }
    totals.inflow = inflows(exec, nodal, boundaries_of_nodes(exec), this->binding.constraints.size());
    if (of == TotalsOf::constraints)
      return totals;
    const std::vector<double> moved = flows_where_boundaries_meet(
        exec, *this, meeting_boundaries(exec), nodal, [this](const auto& work) { this->visit(work); }, totals.jumps);
    for (std::size_t c = 0; c < moved.size(); ++c)
      totals.inflow[c] += this->world->added(moved[c]);
    return totals;
  }
  Vector residual(const ExecutionSpace& exec, const ConstVector& nodal) const override {
    const auto rows = make_filled<Vector>(exec, "driver::residual", this->dofs.n_free, 0.);
    const Vector regular = Kokkos::subview(rows, std::make_pair(index_t(0), this->dofs.n_regular));
    visit([&](const auto& form) {
      physics::residual_rows(exec, form, nodal, Array<const index_t*, ExecutionSpace>(this->dofs.node_dof),
                             Array<const signed char*, ExecutionSpace>(this->dofs.node_sign), regular,
                             this->binding.medium().has_storage ? &incidence_ : nullptr);
    });
    std::vector<index_t> nodes;
    std::vector<double> values;
    for (const assembly::NodalLoad& load : nodal_loads_->list()) {
      nodes.push_back(load.node);
      values.push_back(load.value);
    }
    const std::vector<double> flows = joint_flows(exec, nodal);
    for (std::size_t i = 0; i < flows.size(); ++i) {
      nodes.push_back(joints_.nodes()[i]);
      values.push_back(-flows[i]);
    }
    if (!nodes.empty())
      for_each("tessera::driver::add_loads", exec, static_cast<std::int64_t>(nodes.size()),
               detail::AddLoads<Space>{uploaded(exec, "driver::loaded_nodes", nodes),
                                       uploaded(exec, "driver::loads", values), fe::DofView<Space>(this->dofs), rows});
    if (this->dofs.n_tied() == 0) {
      exec.fence(); // the tables of the loads are freed
      return rows;
    }
    const std::vector<double> totals =
        inflows(exec, nodal, this->dofs.node_constraint, this->binding.constraints.size());
    std::vector<double> tied;
    for (std::size_t c = 0; c < totals.size(); ++c)
      if (this->binding.constraints[c].is_tied)
        tied.push_back(this->binding.constraints[c].total - totals[c]);
    upload(exec, Vector(Kokkos::subview(rows, std::make_pair(this->dofs.n_regular, this->dofs.n_free))), tied);
    exec.fence();
    return rows;
  }
  std::vector<Balance> balances(const ExecutionSpace& exec, const ConstVector& nodal) const override {
    const std::size_t n = this->binding.constraints.size();
    const Array<const group_t*, ExecutionSpace> boundaries = boundaries_of_nodes(exec);
    ConnectedParts<ExecutionSpace> parts;           // one in parts of processes, whose connections none of them knows
    if (this->world->size() == 1 && !joints_.any()) // joints connect parts
      parts =
          find_connected_parts<ExecutionSpace>(exec, this->element_table, this->dofs, boundaries, static_cast<int>(n));
    std::vector<Balance> balances(static_cast<std::size_t>(parts.n));
    const auto fill_in = [&](const auto& form, Balance& balance) {
      const physics::ResidualOfOthers sums =
          physics::residual_of_others(exec, form, nodal, boundaries, static_cast<index_t>(n),
                                      Array<const signed char*, ExecutionSpace>(this->dofs.node_sign));
      balance.residual = this->world->added(sums.sum);
      balance.size = this->world->added(sums.size);
      balance.rounding = physics::constraint_rounding(exec, form, nodal, boundaries, static_cast<index_t>(n));
      for (double& rounding : balance.rounding)
        rounding = this->world->added(rounding);
    };
    if (parts.n == 1)
      visit_owned(exec, form_, [&](const auto& form) {
        fill_in(form, balances.front());
        return 0;
      });
    else
      visit([&](const auto& form) {
        for (index_t p = 0; p < parts.n; ++p) {
          const auto elements = parts.elements_of(exec, p);
          const auto part = form.part(exec, Array<const index_t*, ExecutionSpace>(elements));
          Balance& balance = balances[static_cast<std::size_t>(p)];
          fill_in(part, balance);
          balance.totals = physics::constraint_totals(exec, part, nodal, boundaries, static_cast<index_t>(n));
          balance.regions = regions_of_some(exec, Array<const index_t*, ExecutionSpace>(elements));
          keep_alive(exec, part);
        }
      });
    add_joints(exec, nodal, boundaries, balances.front());
    add_natural_of_parts(exec, nodal, parts, balances);
    add_loads_of_parts(exec, boundaries, parts, balances);
    return balances;
  }
  std::vector<physics::NaturalTotals> natural_totals(const ExecutionSpace& exec,
                                                     const ConstVector& nodal) const override {
    const auto n = static_cast<index_t>(this->binding.problem.natural.size());
    if (n == 0)
      return {};
    auto totals = physics::natural_totals<ExecutionSpace, Dim, Order>(exec, this->quadrature(), facets_, n, nodal);
    for (physics::NaturalTotals& total : totals)
      total = {this->world->added(total.inflow), this->world->added(total.energy),
               this->world->added(total.conductance)};
    return totals;
  }
  std::vector<physics::RegionValues> region_values(const ExecutionSpace& exec,
                                                   const ConstVector& nodal) const override {
    return visit([&](const auto& form) {
      return physics::region_values(exec, form, nodal, Array<const group_t*, ExecutionSpace>(mesh_.regions),
                                    static_cast<index_t>(mesh_.region_names.size()),
                                    Array<const index_t*, ExecutionSpace>(mesh_.original_element), *this->world);
    });
  }
  std::vector<physics::RegionPhasors> region_phasors(const ExecutionSpace& exec, const ConstVector& re,
                                                     const ConstVector& im) const override {
    return visit([&](const auto& form) {
      return physics::region_phasors(exec, form, re, im, Array<const group_t*, ExecutionSpace>(mesh_.regions),
                                     static_cast<index_t>(mesh_.region_names.size()), *this->world);
    });
  }
  physics::ErrorNorms error_norms(const ExecutionSpace& exec, const ConstVector& nodal,
                                  const physics::Expression& exact,
                                  const std::vector<physics::Expression>& gradient) const override {
    physics::ErrorNorms norms =
        visit([&](const auto& form) { return physics::error_norms(exec, form, nodal, exact, gradient); });
    if (this->world->size() > 1) // otherwise the last bits would change
      for (double* norm : {&norms.l2, &norms.h1, &norms.exact_l2, &norms.exact_h1})
        *norm = std::sqrt(this->world->added(*norm * *norm));
    return norms;
  }
  std::vector<physics::PointValue> values_at(const ExecutionSpace& exec, const ConstVector& nodal,
                                             const std::vector<std::array<double, 3>>& points,
                                             bool recovered) const override {
    if (this->around)
      return this->around->values_at(exec, this->nodal_around, points, recovered);
    auto values =
        visit([&](const auto& form) { return physics::values_at(exec, form, nodal, points, recovery(recovered)); });
    if (!this->part)
      return values;
    std::vector<index_t> elements; // the first element with each point
    for (const physics::PointValue& value : values)
      elements.push_back(value.element);
    std::vector<bool> is_owned;
    for (const index_t position :
         find_positions(exec, Array<const index_t*, ExecutionSpace>(this->owned_elements), elements))
      is_owned.push_back(position >= 0);
    return of_all_parts(*this->world, std::move(values), is_owned);
  }
  std::vector<mesh::FacetSides> facet_sides(const ExecutionSpace& exec, const std::vector<int>& set_of_group,
                                            int n_sets) const override {
    if (this->around)
      return this->around->facet_sides(exec, set_of_group, n_sets);
    auto facets = mesh::find_facet_sides<ExecutionSpace, Dim>(exec, mesh_, set_of_group, n_sets);
    if (!this->part)
      return facets;
    std::vector<index_t> elements; // two per facet
    for (const mesh::FacetSides& facet : facets)
      elements.insert(elements.end(), std::begin(facet.element), std::end(facet.element));
    const std::vector<index_t> positions =
        find_positions(exec, Array<const index_t*, ExecutionSpace>(this->owned_elements), elements);
    std::vector<mesh::FacetSides> facets_of_owned;
    for (std::size_t f = 0; f < facets.size(); ++f)
      if (positions[2 * f] >= 0 || positions[2 * f + 1] >= 0)
        facets_of_owned.push_back(facets[f]);
    return facets_of_owned;
  }
  std::int64_t n_facets_around(const ExecutionSpace& exec, group_t region) const override {
    if (this->around)
      return this->around->n_facets_around(exec, region);
    const auto neighbours = mesh::build_dual_graph<ExecutionSpace, Dim>(exec, mesh_);
    const std::int64_t n = this->part ? this->owned_elements.extent(0) : mesh_.n_elements();
    const double owned = linalg::global_sum(
        "tessera::driver::facets_around", exec, n,
        CountFacetsAround<Dim, Space>{neighbours, mesh_.regions, this->owned_elements, this->part.has_value(), region});
    return static_cast<std::int64_t>(this->world->added(owned));
  }
  std::vector<physics::SurfaceValues> surface_values(const ExecutionSpace& exec, const ConstVector& nodal,
                                                     const std::vector<physics::SurfaceSide>& sides, int n_surfaces,
                                                     bool recovered) const override {
    if (this->around) {
      std::vector<index_t> elements;
      for (const physics::SurfaceSide& side : sides)
        elements.push_back(side.element);
      const std::vector<index_t> positions = this->owned_positions(exec, elements);
      std::vector<physics::SurfaceSide> owned_sides;
      for (std::size_t i = 0; i < sides.size(); ++i)
        if (positions[i] >= 0)
          owned_sides.push_back(sides[i]);
      return this->around->surface_values(exec, this->nodal_around, owned_sides, n_surfaces, recovered);
    }
    return visit([&](const auto& form) {
      return physics::surface_values(exec, form, nodal, sides, n_surfaces, recovery(recovered),
                                     Array<const index_t*, ExecutionSpace>(mesh_.original_element), *this->world);
    });
  }
  HostField vector_field(const ExecutionSpace& exec, const ConstVector& nodal, VectorField field,
                         double scale) const override {
    return visit([&](const auto& form) -> HostField {
      if (field == VectorField::element_gradient)
        return tessera::to_host(exec, physics::element_gradients(exec, form, nodal, scale));
      if (field == VectorField::nodal_gradient)
        return tessera::to_host(exec, physics::nodal_gradients(exec, form, this->n_space_nodes, nodal, scale));
      return tessera::to_host(exec, physics::element_fluxes(exec, form, nodal, scale));
    });
  }

  physics::ErrorEstimate<ExecutionSpace> estimate_error(const ExecutionSpace& exec, const ConstVector& nodal,
                                                        io::Estimator estimator) const override {
    return visit([&](const auto& form) {
      auto estimate =
          estimator == io::Estimator::recovery
              ? physics::estimate_error(exec, form, nodal, recovery(true))
              : physics::estimate_error_by_residuals(exec, form, nodal, recovery(true),
                                                     // waits: they may be freed
                                                     mesh::build_dual_graph<ExecutionSpace, Dim>(exec, mesh_));
      physics::raise_at_chequered_vertices(exec, form, nodal, recovery(true), estimate);
      return estimate;
    });
  }
  std::unique_ptr<Base> bisected(const ExecutionSpace& exec, const Array<const std::uint8_t*, ExecutionSpace>& marked,
                                 std::int64_t most_elements, const ConstVector& nodal, Vector& start,
                                 Context& context) const override {
    mesh::Mesh<Dim, Space> fine;
    mesh::StraightEdges straight;
    context.log.run("mesh: bisect", exec,
                    [&] { fine = mesh::bisect_marked<ExecutionSpace, Dim>(exec, mesh_, marked, &straight); });
    if (most_elements > 0 && fine.n_elements() > most_elements)
      return nullptr;
    note_straight_edges(straight, Dim, "mesh.adapt", "inverted", context.notes);
    if (fine.curved.n_facets() > 0)
      context.log.run("mesh: check refined", exec,
                      [&] { check_refined<ExecutionSpace, Dim>(exec, fine, context.input.mesh, "mesh.adapt"); });
    if (context.input.mesh.ordering == io::Ordering::morton)
      context.log.run("mesh: order", exec, [&] { fine = mesh::order_mesh<ExecutionSpace, Dim>(exec, fine); });
    const auto parents = fine.node_parents.front();
    fine.node_parents.clear();
    auto problem = std::make_unique<ProblemOnMesh>(exec, fine, this->binding, form(), context);
    start = make_array<Vector>(exec, "driver::start", problem->n_space_nodes);
    for_each("tessera::driver::interpolate_start", exec, fine.n_elements(),
             detail::InterpolateStart<Dim, Order, Space>{problem->space_.element_nodes, parents, nodal, start});
    keep_alive(exec, parents);
    return problem;
  }

  physics::BodyWeights<Space> body_weights(const ExecutionSpace& exec, const physics::BodyGroups& body,
                                           const std::vector<int>& media) const override {
    if (this->around)
      return this->around->body_weights(exec, body, media);
    const physics::PartOfMesh<ExecutionSpace> part = part_of_mesh();
    physics::LayerEnds ends{this->binding.condition_boundaries, media, this->binding.medium().axisymmetric};
    for (const fe::PeriodicPair& pair : this->binding.periodic)
      ends.boundaries[pair.group] = ends.boundaries[pair.partner] = false; // the field continues there
    return physics::make_body_weights<ExecutionSpace, Dim>(exec, mesh_, body, ends, this->dofs.node_source,
                                                           this->part ? &part : nullptr);
  }
  physics::BodyLoad body_load(const ExecutionSpace& exec, const ConstVector& nodal, const ConstVector& weight,
                              const std::array<double, 3>& about) const override {
    if (this->around)
      return this->around->body_load(exec, this->nodal_around, weight, about);
    physics::BodyLoad load = visit_owned(
        exec, form_, [&](const auto& form) { return physics::body_load(exec, form, nodal, weight, about); });
    for (std::array<double, 3>* vector : {&load.force, &load.torque})
      for (double& component : *vector)
        component = this->world->added(component);
    return load;
  }

  double flux_linkage(const ExecutionSpace& exec, const ConstVector& nodal, std::size_t coil) const override {
    if constexpr (Dim == 2)
      return this->world->added(physics::flux_linkage(
          exec,
          this->part ? magnetic().part(exec, Array<const index_t*, ExecutionSpace>(this->owned_elements)) : magnetic(),
          nodal, this->coil_densities[coil]));
    return 0.;
  }
  double largest_flux_density(const ExecutionSpace& exec, const ConstVector& nodal, group_t region) const override {
    if constexpr (Dim == 2)
      return this->world->largest(physics::largest_flux_density(exec, magnetic(), nodal, region));
    return 0.;
  }

  HostGrid host_grid(const ExecutionSpace& exec, const SidesOf<ExecutionSpace>& of_sides) const override {
    const bool has_sides = of_sides.nodal.extent(0) > 0;
    HostGrid result;
    const bool has_nodes = !has_sides || this->part;
    using Nodes = decltype(tessera::to_host(exec, space_.element_nodes));
    const Nodes nodes = has_nodes ? tessera::to_host(exec, space_.element_nodes) : Nodes();
    using Numbers = decltype(tessera::to_host(exec, mesh_.original_node));
    const Numbers original_node = has_nodes ? tessera::to_host(exec, mesh_.original_node) : Numbers();
    std::vector<std::int64_t> numbers;
    if (this->part)
      numbers = numbers_in_all_parts<Dim, Order>(nodes, original_node, this->n_space_nodes);
    // Called last: these arrays need not exist while fields are recovered.
    const auto finish = [&](const auto& elements, const auto& coordinates) {
      const auto original_element = tessera::to_host(exec, mesh_.original_element);
      const auto owned = tessera::to_host(exec, this->owned_elements);
      auto arrays =
          std::make_shared<std::tuple<std::decay_t<decltype(elements)>, std::decay_t<decltype(coordinates)>,
                                      std::decay_t<decltype(original_node)>, std::decay_t<decltype(original_element)>,
                                      std::decay_t<decltype(owned)>, std::vector<std::int64_t>>>(
              elements, coordinates, original_node, original_element, owned, numbers);
      result.grid = detail::grid_of<Dim, Order>(elements, coordinates, original_element);
      if (this->part)
        set_piece(owned, std::get<std::vector<std::int64_t>>(*arrays), result.grid);
      result.arrays = std::move(arrays);
    };
    if (!has_sides) {
      finish(nodes, tessera::to_host(exec, space_.coordinates));
      result.grid.n_vertices = space_.n_vertices;
      result.grid.original_node = original_node.extent(0) > 0 ? original_node.data() : nullptr;
      return result;
    }
    const auto order = this->part ? decltype(mesh_.original_node)() : mesh_.original_node;
    auto sides = visit([&](const auto& form) {
      return physics::side_fields(exec, form, of_sides.nodal, recovery(true),
                                  Array<const index_t*, ExecutionSpace>(order), of_sides.field_scale,
                                  of_sides.flux_scale);
    });
    const auto take = [&exec](auto& array) {
      const auto host = tessera::to_host(exec, array);
      array = std::decay_t<decltype(array)>();
      return host;
    };
    const auto elements = take(sides.of_elements);
    const auto coordinates = take(sides.coordinates);
    result.nodes = take(sides.nodes);
    result.solution = take(sides.solution);
    result.field = take(sides.field);
    result.flux = take(sides.flux);
    if (this->part) {
      const std::vector<std::int64_t> of_nodes = std::move(numbers);
      numbers.clear();
      for (std::size_t i = 0; i < result.nodes.extent(0); ++i)
        numbers.push_back(of_nodes[static_cast<std::size_t>(result.nodes(i))]);
    }
    finish(elements, coordinates);
    return result;
  }

private:
  using OfForm::facets_;
  using OfForm::form_;
  using OfForm::joints_;
  using OfForm::magnetic;
  using OfForm::mesh_;
  using OfForm::nodal_loads_;
  using OfForm::owned_mesh;
  using OfForm::part_of_mesh;
  using OfForm::radiation_;
  using OfForm::recovery;
  using OfForm::sources_;
  using OfForm::space_;
  using OfForm::visit;
  using OfForm::visit_owned;

  /// Of residual() in steps of time: elements at each unknown.
  mutable graph::Incidence<Space> incidence_;

  detail::MeetingBoundaries<ExecutionSpace, Dim, Order> meeting_boundaries(const ExecutionSpace& exec) const {
    return {exec, mesh_, space_, this->dofs.node_constraint, this->binding};
  }

  /// The boundary to which each node is counted: its own, or the one whose value a conductor carries to it.
  Array<const group_t*, ExecutionSpace> boundaries_of_nodes(const ExecutionSpace& exec) const {
    const CarriedValues<ExecutionSpace>& carried = this->carried_values(exec);
    if (carried.any())
      return carried.node_boundary;
    return this->dofs.node_constraint;
  }

  /// Regions of a list of elements, ascending.
  std::vector<group_t> regions_of_some(const ExecutionSpace& exec,
                                       const Array<const index_t*, ExecutionSpace>& elements) const {
    const auto found = make_filled<Array<group_t*, ExecutionSpace>>(
        exec, "driver::found_regions", static_cast<std::int64_t>(mesh_.region_names.size()), group_t(0));
    for_each("tessera::driver::mark_regions", exec, static_cast<std::int64_t>(elements.extent(0)),
             detail::MarkRegions<Space>{elements, mesh_.regions, found});
    const auto host = to_host(exec, found);
    std::vector<group_t> regions;
    for (std::size_t r = 0; r < host.extent(0); ++r)
      if (host(r) > 0)
        regions.push_back(static_cast<group_t>(r));
    return regions;
  }
  /// What flows through natural conditions into each of several parts.
  void add_natural_of_parts(const ExecutionSpace& exec, const ConstVector& nodal,
                            const ConnectedParts<ExecutionSpace>& parts, std::vector<Balance>& balances) const {
    const auto n = static_cast<index_t>(this->binding.problem.natural.size());
    if (n == 0 || parts.n == 1)
      return;
    physics::NaturalFacets<Dim, Space> facets = facets_;
    facets.datum = make_array<Array<index_t*, ExecutionSpace>>(exec, "driver::conditions_of_parts", facets.n());
    for_each("tessera::driver::conditions_of_parts", exec, facets.n(),
             detail::ConditionOfPart<Space>{facets_.datum, facets_.element, parts.of_element, n, facets.datum});
    const auto totals =
        physics::natural_totals<ExecutionSpace, Dim, Order>(exec, this->quadrature(), facets, n * parts.n, nodal);
    for (std::size_t p = 0; p < balances.size(); ++p)
      for (index_t i = 0; i < n; ++i)
        balances[p].natural.push_back(totals[p * static_cast<std::size_t>(n) + static_cast<std::size_t>(i)].inflow);
  }
  /// Takes sources at points and along lines away from the residual, but for those at the nodes of boundaries.
  void add_loads_of_parts(const ExecutionSpace& exec, const Array<const group_t*, ExecutionSpace>& boundaries,
                          const ConnectedParts<ExecutionSpace>& parts, std::vector<Balance>& balances) const {
    const std::vector<assembly::NodalLoad>& loads = sources_.loads();
    std::vector<double> sums(balances.size(), 0.);
    for (const assembly::NodalLoad& load : loads) {
      if (read_entry(exec, boundaries, load.node) < this->binding.constraints.size())
        continue;
      const double sign = this->dofs.node_sign.extent(0) > 0 ? read_entry(exec, this->dofs.node_sign, load.node) : 1.;
      const index_t part =
          parts.n == 1 ? 0 : read_entry(exec, parts.of_unknown, read_entry(exec, this->dofs.node_dof, load.node));
      sums[static_cast<std::size_t>(part)] += sign * load.value;
    }
    for (std::size_t p = 0; p < balances.size(); ++p)
      balances[p].residual -= this->world->added(sums[p]);
  }

  /// What leaves each node of joints through them.
  std::vector<double> joint_flows(const ExecutionSpace& exec, const ConstVector& nodal) const {
    return joints_.any() ? joints_.flows(this->at_joints(exec, nodal)) : std::vector<double>();
  }
  /// Boundary of each node of joints.
  std::vector<group_t> joint_boundaries(const ExecutionSpace& exec,
                                        const Array<const group_t*, ExecutionSpace>& node_boundary) const {
    return read_entries(exec, node_boundary, std::vector<std::int64_t>(joints_.nodes().begin(), joints_.nodes().end()));
  }
  void add_joints(const ExecutionSpace& exec, const ConstVector& nodal,
                  const Array<const group_t*, ExecutionSpace>& boundaries, Balance& balance) const {
    const std::vector<double> flows = joint_flows(exec, nodal);
    const std::vector<group_t> of_node = joint_boundaries(exec, boundaries);
    for (std::size_t i = 0; i < flows.size(); ++i) {
      balance.residual += of_node[i] < this->binding.constraints.size() ? 0. : flows[i];
      balance.size += std::abs(flows[i]);
    }
  }

  /// TotalsOf::all
  double unbalanced_inflow(const ExecutionSpace& exec, const ConstVector& nodal) const {
    const auto one_group = make_array<Array<group_t*, ExecutionSpace>>(exec, "driver::one_group",
                                                                       static_cast<std::size_t>(this->n_space_nodes));
    fill(exec, one_group, group_t(0));
    double net = inflows(exec, nodal, one_group, 1).front();
    for (const fe::Constraint& constraint : this->binding.constraints)
      net += constraint.is_tied ? -constraint.total : 0.;
    keep_alive(exec, one_group);
    return net;
  }

  /// Inflow at the nodes of each of `n` boundaries, from the residual of the form on the owned elements.
  std::vector<double> inflows(const ExecutionSpace& exec, const ConstVector& nodal,
                              const Array<const group_t*, ExecutionSpace>& node_boundary, std::size_t n) const {
    std::vector<double> totals = visit_owned(exec, form_, [&](const auto& form) {
      return physics::constraint_totals(exec, form, nodal, node_boundary, static_cast<index_t>(n));
    });
    const std::vector<assembly::NodalLoad>& loads = sources_.loads();
    std::vector<std::int64_t> nodes;
    for (const assembly::NodalLoad& load : loads)
      nodes.push_back(load.node);
    const std::vector<group_t> boundaries = read_entries(exec, node_boundary, nodes);
    for (std::size_t i = 0; i < loads.size(); ++i)
      if (boundaries[i] < totals.size()) // otherwise unconstrained
        totals[boundaries[i]] -= loads[i].value;
    const std::vector<double> flows = joint_flows(exec, nodal);
    const std::vector<group_t> of_node = joint_boundaries(exec, node_boundary);
    for (std::size_t i = 0; i < flows.size(); ++i)
      if (of_node[i] < totals.size())
        totals[of_node[i]] += flows[i];
    for (double& total : totals)
      total = this->world->added(total);
    return totals;
  }
};

} // namespace detail

template <class ExecutionSpace, int Dim, int Order>
std::unique_ptr<Problem<ExecutionSpace>>
make_problem_on_mesh(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                     const ProblemBinding& binding, FormKind form, Context& context) {
  return std::make_unique<detail::ProblemOnMesh<ExecutionSpace, Dim, Order>>(exec, mesh, binding, form, context);
}

template <class ExecutionSpace, int Dim, int Order>
std::unique_ptr<Problem<ExecutionSpace>>
make_problem_on_part(const ExecutionSpace& exec, const mesh::MeshPart<Dim, typename ExecutionSpace::memory_space>& part,
                     const ProblemBinding& binding, FormKind form, Context& context) {
  return std::make_unique<detail::ProblemOnMesh<ExecutionSpace, Dim, Order>>(exec, part, binding, form, context);
}

} // namespace tessera::driver

#endif
