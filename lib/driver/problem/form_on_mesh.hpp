// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_FORM_ON_MESH_HPP
#define TESSERA_DRIVER_PROBLEM_FORM_ON_MESH_HPP

/// \file
/// The part of a problem that defines its equations: included only by problem_on_mesh.hpp.

#include "assembly/joint_rows.hpp"
#include "assembly/jump_loads.hpp"
#include "assembly/nodal_loads.hpp"
#include "core/algorithms/gather_rows.hpp"
#include "core/transfer/read_entries.hpp"
#include "core/transfer/upload.hpp"
#include "driver/harmonic/circuits/conduction.hpp"
#include "driver/problem/binding/open_space.hpp"
#include "driver/problem/binding/point_sources.hpp"
#include "driver/problem/bodies_at_jumps.hpp"
#include "driver/problem/bound_nodes.hpp"
#include "driver/problem/coarser_assemblers.hpp"
#include "driver/problem/identified_values.hpp"
#include "driver/problem/owned_sources.hpp"
#include "driver/problem/problem.hpp"
#include "driver/problem/problem_kernels.hpp"
#include "fe/dofs/part_dofs.hpp"
#include "fe/transfer/nested_unknowns.hpp"
#include "fe/transfer/prolongation.hpp"
#include "physics/boundaries/facet_conductance.hpp"
#include "physics/forms/renew_form.hpp"
#include "physics/forms/thermal_problem.hpp"
#include "physics/loads/line_loads.hpp"
#include "physics/loads/point_loads.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace tessera::driver::detail {

/// The space of a mesh, with a note on edges that stay straight. Elements of a part of the mesh must not be folded,
/// since its neighbours may see other elements; errors state the place of the mesh in the input.
template <int Order, class ExecutionSpace, int Dim>
fe::FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>
make_space_of_case(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                   bool is_part, Context& context) {
  try {
    if (is_part)
      return fe::make_space<Order, ExecutionSpace, Dim>(exec, mesh);
    mesh::StraightEdges straight;
    auto space = fe::make_space<Order, ExecutionSpace, Dim>(exec, mesh, straight);
    note_straight_edges(straight, Dim, "discretization.order", "folded", context.notes);
    return space;
  } catch (const Error& error) {
    throw Error(error.kind(), context.input.mesh.where.text() + ": " + error.what());
  }
}

/// Mesh, space, unknowns, form and sources of a problem: the basis of assemblers and levels of multigrid. Evaluation of
/// solutions is in ProblemOnMesh.
template <class ExecutionSpace, int Dim, int Order> class FormOnMesh : public Problem<ExecutionSpace> {
public:
  using Base = Problem<ExecutionSpace>;
  using typename Base::Coarser;
  using typename Base::ConstVector;
  using typename Base::HostField;
  using typename Base::Space;
  using typename Base::Vector;
  using Closed = physics::UniformDiffusion<Dim, Order, Space>;
  using Quadrature = physics::GeneralDiffusion<Dim, Order, Space>;
  using Thermal = physics::ThermalDiffusion<Dim, Order, Space>;
  /// In the order of FormKind.
  using Form = typename std::conditional_t<
      Dim == 2, std::common_type<std::variant<Closed, Quadrature, Thermal, physics::Magnetostatics<2, Order, Space>>>,
      std::common_type<std::variant<Closed, Quadrature, Thermal>>>::type;

  /// `world`: for parts, the processes over which integrals are summed. `part`: the part of the mesh, or null.
  FormOnMesh(const ExecutionSpace& exec, const mesh::Mesh<Dim, Space>& mesh, const ProblemBinding& binding,
             FormKind form, Context& context, const comm::Communicator& world = comm::alone(),
             const mesh::MeshPart<Dim, Space>* part = nullptr)
      : exec_(exec), mesh_(mesh) {
    this->world = &world;
    this->binding = binding;
    this->regions = mesh.regions;
    if (part != nullptr) {
      this->part = fe::PartVertices<Space>{mesh.original_node, part->owner,         part->first_owned,
                                           part->n_owned,      part->is_surrounded, world.rank() + 1 == world.size()};
      this->owned_elements = part->owned_elements;
      owned_facets_ = part->owned_facets;
      nested_nodes_ = part->nested;
    }
    context.log.run("discretization", exec, [&] { discretize(exec, context); });
    check_bound_nodes(exec, this->dofs, binding, world, context.notes);
    const auto& nodes = space_.element_nodes;
    this->element_table.nodes = Array<const index_t*, ExecutionSpace>(nodes.data(), nodes.size());
    this->element_table.nodes_per_element = static_cast<int>(nodes.extent(1));
    this->vertices = Array<const index_t*, ExecutionSpace>(mesh_.elements.data(), mesh_.elements.size());
    summarize();
    const std::string where = context.input.problem.boundaries_where.text();
    TESSERA_REQUIRE(!binding.needs_axis || world.largest(this->dofs.n_fixed()) > 0,
                    where << ": nothing fixes the solution: no node of the mesh lies on the axis (x = 0), and no "
                             "boundary has a vector potential or an asymptotic condition.");
    TESSERA_REQUIRE(world.largest(this->dofs.n_free) > 0,
                    where << ": Every node of the mesh has a fixed value: nothing is left to compute. Refine the mesh, "
                             "or fix the values of fewer groups.");
    context.log.run("form", exec, [&] {
      make_form(exec, form);
      place_sources(exec, context);
    });
  }

  /// On the process's part of a mesh.
  FormOnMesh(const ExecutionSpace& exec, const mesh::MeshPart<Dim, Space>& part, const ProblemBinding& binding,
             FormKind form, Context& context)
      : FormOnMesh(exec, part.mesh, binding, form, context, context.world, &part) {
    ProblemSummary& summary = this->summary;
    summary.n_nodes = part.n_nodes_of_all;
    summary.n_elements = part.n_elements_of_all;
    summary.n_facets = part.n_facets_of_all;
    const fe::OwnedUnknowns owned = this->owned_unknowns(exec);
    summary.n_unknowns = static_cast<std::int64_t>(this->world->added(owned.end - owned.first));
    summary.n_fixed = static_cast<std::int64_t>(this->world->added(static_cast<double>(
        fe::count_owned_fixed<ExecutionSpace>(exec, this->dofs, this->element_table, Dim, *this->part))));
  }

  FormKind form() const override { return static_cast<FormKind>(form_.index()); }

  std::unique_ptr<assembly::Assembler<ExecutionSpace>> make_assembler(const assembly::AssemblyOptions& options,
                                                                      const fe::DofPart<Space>* part) const override {
    const fe::DofMap<Space>& dofs = part != nullptr ? part->dofs : this->dofs;
    const auto elements = part != nullptr ? Array<const index_t*, ExecutionSpace>(part->elements)
                                          : Array<const index_t*, ExecutionSpace>();
    const Form of_matrix = form_of_matrix();
    auto assembler = std::visit(
        [&](const auto& form) {
          using OneForm = std::decay_t<decltype(form)>;
          OneForm own = part != nullptr ? form.part(exec_, elements) : form;
          if constexpr (std::is_base_of_v<Quadrature, OneForm>)
            if (part != nullptr && (this->binding.takes_losses || this->binding.has_given_temperature))
              keep_copies(elements, own);
          return with_jump_loads(assembly::make_assembler<ExecutionSpace, OneForm>(own, dofs, options), own, dofs);
        },
        of_matrix);
    assembler = assembly::with_joint_rows<ExecutionSpace>(exec_, std::move(assembler), this->dofs, part, joints_);
    return assembly::with_nodal_loads<ExecutionSpace>(exec_, std::move(assembler), dofs, nodal_loads_,
                                                      part != nullptr ? &elements : nullptr);
  }

  std::unique_ptr<Conduction<ExecutionSpace>> make_conduction(const ExecutionSpace& exec,
                                                              const std::vector<double>& conductivity) const override {
    if constexpr (Dim == 2)
      if (form() == FormKind::magnetic)
        return driver::make_conduction<ExecutionSpace, Order>(exec, magnetic(), this->dofs, conductivity);
    throw Error(ErrorKind::input, "Conduction is computed for magnetic problems only.");
  }

  bool renew(const ExecutionSpace& exec, const ProblemBinding& binding, FormKind kind, bool form_is_same,
             Context& context) override {
    if (kind != form() || !have_same_structure(this->binding, binding))
      return false;
    if (!form_is_same && !renew_form(exec, binding))
      return false;
    const bool has_other_jumps = binding.jumps != this->binding.jumps;
    this->binding = binding;
    if (has_other_jumps)
      copy(exec, this->jumps, ConstVector(find_jumps(exec))); // the array that assemblers use
    std::vector<double> totals;
    for (const fe::Constraint& constraint : binding.constraints)
      if (constraint.is_tied)
        totals.push_back(constraint.total);
    upload(exec, this->dofs.tied_totals, totals);
    set_currents(exec, {});
    place_sources(exec, context);
    this->multipole_ends =
        check_open_space<ExecutionSpace, Dim>(exec, context.input, mesh_, *this->world, binding, context.notes);
    return true;
  }

  void excite(const ExecutionSpace& exec, const Excitation& excitation) const override {
    set_fixed_values(exec, excitation.fixed_values.empty() ? this->binding.fixed_values : excitation.fixed_values);
    set_currents(exec, excitation.currents);
  }
  void interpolate(const ExecutionSpace& exec, const physics::Expression& expression, const Vector& nodal,
                   const std::string& where) const override {
    physics::interpolate<ExecutionSpace, Dim>(exec, space_.coordinates, expression, nodal, where);
  }

  const CarriedValues<ExecutionSpace>& carried_values(const ExecutionSpace& exec) const override {
    if (!carried_)
      carried_ = find_carried(exec);
    return *carried_;
  }
  void set_carried_values(const CarriedValues<ExecutionSpace>& carried) override { carried_ = carried; }

  void set_time(const ExecutionSpace& exec, double t) override {
    physics::DiffusionProblem& problem = this->binding.problem;
    problem.time = t;
    const std::vector<physics::Expression>& values = this->binding.fixed_values;
    if (std::any_of(values.begin(), values.end(),
                    [](const auto& value) { return value.depends_on(physics::Opcode::t); }))
      set_fixed_values(exec, values);
    if (!problem.has_transient_loads())
      return;
    std::optional<linalg::ElementSums<ExecutionSpace>> sums;
    const linalg::ElementSums<ExecutionSpace>* given = sums_for_totals(exec, this->binding, sums);
    physics::renew_loads<ExecutionSpace, Dim, Order>(exec, mesh_, problem, quadrature(),
                                                     radiation_ ? radiation_->without_radiation() : facets_, given);
  }
  typename Base::Storage storage() const override {
    if (!has_quadrature())
      return {};
    return {quadrature().rate, quadrature().earlier};
  }

  bool count_from(const ExecutionSpace& exec, const std::vector<std::pair<double, ConstVector>>& values) override {
    if (thermal_)
      thermal_->count_from(exec, values);
    return thermal_.has_value();
  }

  void take_losses(const ExecutionSpace& exec, const Equations<ExecutionSpace>& current,
                   const ConstVector& potential) const override {
    const auto& other = dynamic_cast<const FormOnMesh&>(current);
    const bool is_of_regions = own_source_.extent(0) == 0;
    physics::set_losses<ExecutionSpace, Dim, Order>(exec, std::get<Thermal>(other.form_), potential,
                                                    is_of_regions ? quadrature().source : ConstVector(own_source_),
                                                    is_of_regions, quadrature().point_source);
    renew_copies(exec);
  }

  Vector iterate() const override {
    if constexpr (Dim == 2)
      if (form() == FormKind::magnetic)
        return magnetic().iterate;
    return iterate_;
  }
  void linearize(const ExecutionSpace& exec) const override { // magnetic forms read the iterate
    if (radiation_)
      radiation_->linearize(exec, iterate_);
    if (thermal_)
      thermal_->linearize(exec);
    if (this->binding.has_given_temperature)
      renew_copies(exec);
  }
  void linearize_at_rest(const ExecutionSpace& exec) const override {
    if (radiation_)
      radiation_->linearize_at_rest(exec);
    if (thermal_)
      thermal_->linearize_at_rest(exec);
    if (!radiation_ && !thermal_)
      fill(exec, iterate(), 0.);
  }
  void check_materials(const ExecutionSpace& exec) const override {
    if (thermal_)
      thermal_->check(exec, mesh_);
  }
  std::vector<std::string> material_notes() const override {
    return thermal_ ? thermal_->notes(mesh_) : std::vector<std::string>();
  }
  double energy_slope(const ExecutionSpace& exec, const ConstVector& from, const ConstVector& to, double s,
                      const linalg::ElementSums<ExecutionSpace>& sums) const override {
    const double work = sources_.work(exec, *this->world, from, to) - joint_work(exec, from, to, s);
    if (thermal_) {
      for_each("tessera::driver::on_line", exec, static_cast<std::int64_t>(iterate_.extent(0)),
               detail::OnLine<Space>{from, to, s, iterate_});
      linearize(exec);
      return thermal_->slope(exec, from, to, sums) - work;
    }
    if (radiation_)
      return radiation_->slope(exec, from, to, s, iterate_, sums) - work;
    if constexpr (Dim == 2)
      return physics::energy_slope(exec, magnetic(), from, to, s, sums) - work;
    return 0.;
  }

  double measure(const ExecutionSpace& exec) const override {
    return this->world->added(linalg::global_sum("tessera::driver::measure", exec, mesh_.n_elements(),
                                                 SumMeasure<Dim, Space>{mesh_.elements, mesh_.coordinates}));
  }

  fe::CoarserUnknowns<ExecutionSpace> coarser_unknowns(const ExecutionSpace& exec,
                                                       const comm::Shares<ExecutionSpace>& shares,
                                                       bool with_interpolation) const override {
    if (!this->part)
      return fe::make_coarser_unknowns<ExecutionSpace, Dim, Order>(exec, mesh_, space_, this->dofs, shares,
                                                                   with_interpolation);
    return fe::make_coarser_unknowns_of_part<ExecutionSpace, Dim, Order>(
        exec, mesh_, space_, this->dofs, this->part_unknowns(exec, shares.offsets), shares, with_interpolation);
  }
  std::vector<linalg::Prolongation<Space>> prolongations(const ExecutionSpace& exec, const Coarser* from, index_t few,
                                                         Coarser* coarser) const override {
    if (from != nullptr)
      return fe::make_prolongations_below<ExecutionSpace, Dim, Order>(exec, mesh_, from->dofs);
    return fe::make_prolongations<ExecutionSpace, Dim, Order>(exec, mesh_, space_, this->dofs, few, coarser);
  }
  linalg::NestedUnknowns<Space> nested_unknowns(const ExecutionSpace& exec, const comm::Shares<ExecutionSpace>& shares,
                                                const Coarser* from) const override {
    const comm::Communicator& processes = *shares.group.world;
    const std::vector<std::int64_t>& offsets = shares.offsets;
    if (from != nullptr)
      return fe::nest_unknowns_below<ExecutionSpace, Dim, Order>(exec, processes, mesh_, from->dofs, from->owned);
    if (!this->part) {
      const auto rank = static_cast<std::size_t>(processes.rank());
      return fe::nest_unknowns_of_whole<ExecutionSpace, Dim, Order>(
          exec, processes, mesh_, space_, this->dofs,
          {static_cast<index_t>(offsets[rank]), static_cast<index_t>(offsets[rank + 1])});
    }
    return fe::nest_unknowns<ExecutionSpace, Dim, Order>(exec, *this->world, space_, this->dofs, nested_nodes_,
                                                         *this->part, this->owned_unknowns(exec), offsets);
  }
  std::unique_ptr<assembly::Assembler<ExecutionSpace>> make_coarser_assembler(const ExecutionSpace& exec,
                                                                              const Coarser& coarser, bool owned_only,
                                                                              fe::DofPart<Space>* part) const override {
    using Assemblers = CoarserAssemblers<ExecutionSpace, Dim, Order>;
    if (part == nullptr)
      return Assemblers{mesh_, this->dofs, coarser.dofs}.whole(exec, form_of_matrix(), owned_only);
    const physics::PartOfMesh<ExecutionSpace> owned = part_of_mesh();
    return Assemblers{mesh_, this->dofs, coarser.dofs, this->part ? &owned : nullptr}.part(
        exec, form_of_matrix(), coarser.owned.first, coarser.owned.end, *part, owned_only);
  }
  double bound_eigenvalues(const ExecutionSpace& exec, int piece, int n_pieces) const override {
    const Array<const index_t*, ExecutionSpace> owned = this->owned_elements;
    return std::visit(
        [&](const auto& form) {
          using Form = std::decay_t<decltype(form)>;
          if constexpr (!assembly::FormTraits<Form>::is_symmetric)
            return 0.; // never used: multigrid without a matrix
          else if (this->part)
            return assembly::bound_eigenvalues<ExecutionSpace, Form>(exec, form, this->dofs, 0, 1, &owned);
          else
            return assembly::bound_eigenvalues<ExecutionSpace, Form>(exec, form, this->dofs, piece, n_pieces);
        },
        form_of_matrix());
  }

protected:
  physics::PartOfMesh<ExecutionSpace> part_of_mesh() const {
    if (!this->part)
      return {};
    return {this->owned_elements, this->part->first_owned, this->part->n_owned, this->world};
  }
  physics::FieldRecovery<ExecutionSpace> recovery(bool requested) const {
    const auto n_constraints = static_cast<index_t>(this->binding.constraints.size());
    return {requested,     this->n_space_nodes, mesh_.regions, this->dofs.node_constraint,
            n_constraints, space_.n_vertices};
  }

  /// The elements of a part that no other process owns, as a mesh.
  mesh::Mesh<Dim, Space> owned_mesh(const ExecutionSpace& exec) const {
    mesh::Mesh<Dim, Space> owned = mesh_;
    const auto of_owned = [&](const auto& all, const Array<index_t*, Space>& owned_items) {
      return gather_rows(exec, all, Array<const index_t*, ExecutionSpace>(owned_items));
    };
    owned.elements = of_owned(mesh_.elements, this->owned_elements);
    owned.regions = of_owned(mesh_.regions, this->owned_elements);
    owned.original_element = of_owned(mesh_.original_element, this->owned_elements);
    owned.facets = of_owned(mesh_.facets, owned_facets_);
    owned.facet_groups = of_owned(mesh_.facet_groups, owned_facets_);
    return owned;
  }

  /// Values at the nodes of joints.
  std::vector<double> at_joints(const ExecutionSpace& exec, const ConstVector& nodal) const {
    return read_entries(exec, nodal, std::vector<std::int64_t>(joints_.nodes().begin(), joints_.nodes().end()));
  }
  /// What joints add to the slope of the energy.
  double joint_work(const ExecutionSpace& exec, const ConstVector& from, const ConstVector& to, double s) const {
    if (!joints_.any())
      return 0.;
    std::vector<double> u = at_joints(exec, from);
    std::vector<double> step = at_joints(exec, to);
    for (std::size_t i = 0; i < u.size(); ++i) {
      step[i] -= u[i];
      u[i] += s * step[i];
    }
    const std::vector<double> flows = joints_.flows(u);
    return std::inner_product(flows.begin(), flows.end(), step.begin(), 0.);
  }

  /// The form by which a solution is evaluated.
  template <class OneForm> static const OneForm& evaluated(const OneForm& form) { return form; }
  static const Quadrature& evaluated(const Thermal& form) { return form; }
  template <class Work> auto visit(const Work& work) const {
    return std::visit([&](const auto& form) { return work(evaluated(form)); }, form_);
  }
  /// Calls `work` with a form on the owned elements; its copies of their data are freed afterwards.
  template <class Work> auto visit_owned(const ExecutionSpace& exec, const Form& all, const Work& work) const {
    return std::visit(
        [&](const auto& of_problem) {
          const auto& form = evaluated(of_problem);
          if (!this->part)
            return work(form);
          const auto owned = form.part(exec, Array<const index_t*, ExecutionSpace>(this->owned_elements));
          const auto result = work(owned);
          keep_alive(exec, owned);
          return result;
        },
        all);
  }
  void set_fixed_values(const ExecutionSpace& exec, const std::vector<physics::Expression>& values) const {
    std::vector<std::string> places;
    for (const fe::Constraint& constraint : this->binding.constraints)
      places.push_back(constraint.where);
    std::vector<physics::Expression> now;
    for (const physics::Expression& value : values)
      now.push_back(value.at_time(this->binding.medium().time));
    physics::set_fixed_values<ExecutionSpace, Dim>(exec, this->dofs, space_.coordinates, now,
                                                   this->binding.constraint_names, places);
    if (this->jumps.extent(0) > 0)
      fe::add_jumps_to_fixed(exec, this->dofs, ConstVector(this->jumps));
  }
  /// Takes the form of a binding with the same constraints.
  void replace_form(const ExecutionSpace& exec, const ProblemBinding& binding) {
    this->binding = binding;
    facets_ = {};
    carried_.reset();
    make_form(exec, form());
  }
  /// Empty: those of the binding.
  void set_currents(const ExecutionSpace& exec, std::vector<double> currents) const {
    if constexpr (Dim == 2) {
      if (!this->binding.magnetic || this->binding.magnetic->coils.empty())
        return;
      if (currents.empty())
        for (const physics::Coil& coil : this->binding.magnetic->coils)
          currents.push_back(coil.current);
      upload(exec, magnetic().coil_density,
             physics::current_densities(this->coil_densities, currents, mesh_.region_names.size()));
    }
  }
  /// The form of the matrix: that of materials at a given temperature is symmetric.
  Form form_of_matrix() const {
    if (this->binding.has_given_temperature)
      return static_cast<const Quadrature&>(std::get<Thermal>(form_));
    return form_;
  }
  bool has_quadrature() const { return form() == FormKind::quadrature || form() == FormKind::thermal; }
  const Quadrature& quadrature() const {
    if (const Thermal* thermal = std::get_if<Thermal>(&form_))
      return *thermal;
    return std::get<Quadrature>(form_);
  }
  const auto& magnetic() const { return std::get<static_cast<std::size_t>(FormKind::magnetic)>(form_); }

  ExecutionSpace exec_;
  mesh::Mesh<Dim, Space> mesh_;
  Array<index_t*, Space> owned_facets_;
  mesh::NestedPart<Space> nested_nodes_; ///< of a part, for multigrid
  std::shared_ptr<assembly::NodalLoads> nodal_loads_ =
      std::make_shared<assembly::NodalLoads>(); ///< of point and line sources, for assemblers
  OwnedSources sources_;
  physics::JointCoupling joints_;
  fe::FunctionSpace<Dim, Order, Space> space_;
  Form form_;
  physics::NaturalFacets<Dim, Space> facets_; ///< of the form by quadrature
  std::optional<physics::Radiation<ExecutionSpace, Dim, Order>> radiation_;
  mutable std::optional<physics::ThermalMaterials<ExecutionSpace, Dim, Order>> thermal_;
  Vector iterate_; ///< with either
  /// What forms of parts have copies of, of two problems that change each other's.
  struct CopiesOfPart {
    Array<const index_t*, ExecutionSpace> elements;
    Array<double* [Dim], Space> coefficient;
    Array<double * [Quadrature::n_pairs], Space> off_diagonal;
    Vector source;
  };
  void keep_copies(const Array<const index_t*, ExecutionSpace>& elements, Quadrature& of_part) const {
    const auto writable = [&](const auto& values) {
      using Values = std::decay_t<decltype(values)>;
      const auto result = make_array<Array<typename Values::non_const_data_type, ExecutionSpace>>(
          exec_, "driver::copy_of_part", values.extent(0));
      if (values.extent(0) > 0)
        copy(exec_, result, values);
      return result;
    };
    const CopiesOfPart copies{elements, writable(of_part.point_coefficient), writable(of_part.point_off_diagonal),
                              of_part.point_source};
    of_part.point_coefficient = copies.coefficient;
    of_part.point_off_diagonal = copies.off_diagonal;
    copies_of_parts_.push_back(copies);
  }
  void renew_copies(const ExecutionSpace& exec) const {
    const Quadrature& all = quadrature();
    const auto renew = [&](const auto& elements, const auto& from, const auto& to) {
      if (to.extent(0) == 0)
        return;
      const auto fresh = gather_rows(exec, from, elements, Quadrature::volume_rule::n_points);
      copy(exec, to, fresh);
      keep_alive(exec, fresh);
    };
    for (const CopiesOfPart& copies : copies_of_parts_) {
      renew(copies.elements, all.point_coefficient, copies.coefficient);
      renew(copies.elements, all.point_off_diagonal, copies.off_diagonal);
      renew(copies.elements, all.point_source, copies.source);
    }
  }

  mutable std::vector<CopiesOfPart> copies_of_parts_;
  mutable Vector own_source_; ///< at quadrature points, without the losses that it takes; empty: that of regions

private:
  CarriedValues<ExecutionSpace> find_carried(const ExecutionSpace& exec) const {
    const Array<const group_t*, ExecutionSpace> boundaries = this->dofs.node_constraint;
    const int n = static_cast<int>(this->binding.constraints.size());
    return visit([&](const auto& form) -> CarriedValues<ExecutionSpace> {
      if constexpr (std::decay_t<decltype(form)>::has_vector_potential)
        return {};
      else
        return find_carried_values(exec, form, this->element_table, this->dofs, boundaries, n, *this->world);
    });
  }

  mutable std::optional<CarriedValues<ExecutionSpace>> carried_;

  void discretize(const ExecutionSpace& exec, Context& context) {
    const ProblemBinding& binding = this->binding;
    space_ = make_space_of_case<Order, ExecutionSpace, Dim>(exec, mesh_, this->part.has_value(), context);
    auto classes = fe::identify_nodes<ExecutionSpace, Dim, Order>(exec, mesh_, space_, binding.periodic);
    if (binding.is_pinned)
      pin(exec, classes, context);
    // Ranges of unknowns must be parts of the mesh, also for a single process if its sums must equal those of several.
    const bool in_parts = context.world.size() > 1 || context.input.execution.reproducible;
    this->dofs = fe::number_part_dofs<ExecutionSpace, Dim, Order>(
        exec, *this->world, mesh_, space_, binding.constraints, classes,
        in_parts ? fe::Numbering::edges_after_vertices : fe::Numbering::by_nodes);
    this->n_space_nodes = space_.n_nodes();
    if (!binding.jumps.empty()) {
      this->jumps = find_jumps(exec);
      check_bodies_at_jumps<ExecutionSpace>(exec, space_.element_nodes, this->dofs, this->jumps, binding, *this->world);
    }
    joints_ = physics::make_joint_coupling<ExecutionSpace, Dim, Order>(
        exec, mesh_, space_, binding.joints, binding.medium().axisymmetric, binding.medium().depth);
    const std::vector<index_t> of_joints = read_entries(
        exec, this->dofs.node_dof, std::vector<std::int64_t>(joints_.nodes().begin(), joints_.nodes().end()));
    for (const physics::JointCoupling::Entry& entry : joints_.entries()) {
      const index_t row = of_joints[static_cast<std::size_t>(entry.row)];
      const index_t column = of_joints[static_cast<std::size_t>(entry.column)];
      if (!this->dofs.is_fixed(row) && !this->dofs.is_fixed(column))
        this->joint_entries.push_back({row, column});
    }
    set_fixed_values(exec, binding.fixed_values);
    detail::note_identified_values<ExecutionSpace, Dim>(
        exec, mesh_, space_, this->dofs, binding, io::traits_of(context.input.problem).solution.unit, context.notes);
    const mesh::Mesh<Dim, Space> owned = this->part ? owned_mesh(exec) : mesh_;
    this->multipole_ends =
        check_open_space<ExecutionSpace, Dim>(exec, context.input, owned, *this->world, binding, context.notes);
    keep_alive(exec, owned);
    this->coil_densities = find_coil_densities(exec, binding);
  }

  Vector find_jumps(const ExecutionSpace& exec) const {
    const ProblemBinding& binding = this->binding;
    return fe::jumps_of_nodes<ExecutionSpace, Dim, Order>(exec, mesh_, space_, binding.periodic, binding.jumps,
                                                          this->dofs);
  }
  /// Gives a node the value 0.
  void pin(const ExecutionSpace& exec, fe::NodeClasses<Space>& classes, Context& context) const {
    const std::vector<double>& jumps = this->binding.jumps;
    const auto first = std::find_if(jumps.begin(), jumps.end(), [](double jump) { return jump != 0.; });
    const fe::PeriodicPair& pair = this->binding.periodic[static_cast<std::size_t>(first - jumps.begin())];
    const index_t node = fe::pin_first_node<ExecutionSpace, Dim, Order>(exec, mesh_, space_, pair, classes);
    const std::array<double, 3> at = coordinates_of_nodes(exec, space_.coordinates, {node}).front();
    context.notes.push_back(pair.where +
                            ": the jump fixes differences of the solution only; its constant is such that it is 0 at " +
                            physics::detail::point_text(at, Dim) + ".");
  }
  template <class OneForm>
  std::unique_ptr<assembly::Assembler<ExecutionSpace>>
  with_jump_loads(std::unique_ptr<assembly::Assembler<ExecutionSpace>> assembler, const OneForm& form,
                  const fe::DofMap<Space>& dofs) const {
    if constexpr (!OneForm::has_vector_potential)
      if (this->jumps.extent(0) > 0)
        return std::make_unique<assembly::WithJumpLoads<ExecutionSpace, OneForm>>(exec_, std::move(assembler), form,
                                                                                  dofs, ConstVector(this->jumps));
    return assembler;
  }

  /// The same bits in all processes, and for any number of them: the densities occur in all rows of the coils.
  std::vector<std::vector<double>> find_coil_densities(const ExecutionSpace& exec,
                                                       const ProblemBinding& binding) const {
    if constexpr (Dim == 2)
      if (binding.magnetic)
        return physics::coil_densities<ExecutionSpace, Order>(exec, mesh_, space_, *binding.magnetic,
                                                              this->element_sums(exec, true));
    return {};
  }

  void summarize() {
    ProblemSummary& summary = this->summary;
    summary.dimension = Dim;
    summary.elements = Dim == 2 ? "triangles" : "tetrahedra";
    summary.smallest_order = Order;
    summary.largest_order = Order;
    summary.n_nodes = mesh_.n_nodes();
    summary.n_elements = mesh_.n_elements();
    summary.n_facets = mesh_.n_facets();
    summary.n_unknowns = this->dofs.n_free;
    summary.n_fixed = this->dofs.n_fixed();
    summary.region_names = mesh_.region_names;
    summary.boundary_names = mesh_.boundary_names;
  }

  void make_form(const ExecutionSpace& exec, FormKind kind) {
    form_ = new_form(exec, kind, this->binding, this->coil_densities, facets_);
    if (const Thermal* thermal = std::get_if<Thermal>(&form_)) {
      thermal_.emplace(exec, *thermal, this->binding.medium(), this->binding.has_given_temperature);
      iterate_ = thermal->iterate;
    }
    if (this->binding.medium().has_radiation()) {
      radiation_.emplace(exec, quadrature(), facets_, this->binding.medium());
      if (!thermal_)
        iterate_ = make_array<Vector>(exec, "driver::iterate", this->n_space_nodes);
    }
  }

  /// Finds the loads of point and line sources on this mesh.
  void place_sources(const ExecutionSpace& exec, Context& context) {
    const physics::DiffusionProblem& medium = this->binding.medium();
    std::vector<SourceLoads> sources;
    const std::vector<physics::PointLoad> loads =
        visit([&](const auto& form) { return physics::point_loads(exec, form, medium.point_sources); });
    for (std::size_t i = 0; i < loads.size(); ++i) {
      const physics::PointSource& source = medium.point_sources[i];
      const bool is_here = loads[i].element >= 0;
      if (this->world->largest(is_here ? 1 : 0) == 0)
        throw_outside<ExecutionSpace, Dim>(exec, source, mesh_, *this->world);
      sources.push_back({source.where + ": the point source '" + source.name + "' ", source.name, {loads[i]}});
    }
    if constexpr (Dim == 3)
      for (const physics::LineSource& source : medium.line_sources) {
        const physics::LineMesh<ExecutionSpace> crossed{mesh_.original_element, this->part.has_value(),
                                                        this->owned_elements, mesh_.original_node, this->world};
        const physics::LineLoads line =
            visit([&](const auto& form) { return physics::line_loads(exec, form, source, crossed); });
        check_inside(source, line);
        sources.push_back({source.where + ": the line source '" + source.name + "' ", source.name, line.pieces});
      }
    nodal_loads_->set(sum_at_nodes(sources));
    sources_ = {};
    if (!sources.empty()) {
      const Array<const index_t*, ExecutionSpace> owned = this->owned_elements;
      sources_ = OwnedSources(exec, this->part ? &owned : nullptr, this->element_table.nodes_per_element, sources);
    }
    this->source_elements.clear();
    for (const SourceLoads& source : sources)
      for (const physics::PointLoad& load : source.loads)
        this->source_elements.push_back({load.element, source.name});
    check_sources(exec, context.input, sources, Array<const group_t*, ExecutionSpace>(mesh_.regions),
                  mesh_.region_names, this->dofs, *this->world, context.notes);
  }

  bool renew_form(const ExecutionSpace& exec, const ProblemBinding& binding) {
    const std::vector<std::vector<double>> densities = find_coil_densities(exec, binding);
    physics::NaturalFacets<Dim, Space> facets;
    const Form fresh = new_form(exec, form(), binding, densities, facets);
    const bool is_renewed = std::visit(
        [&](auto& used) { return physics::renew_form(exec, used, std::get<std::decay_t<decltype(used)>>(fresh)); },
        form_);
    if (is_renewed) {
      this->coil_densities = densities;
      facets_ = facets;
      carried_.reset();
    }
    return is_renewed;
  }

  /// The form of a binding on this mesh; `facets` receives those of the form by quadrature.
  Form new_form(const ExecutionSpace& exec, FormKind kind, const ProblemBinding& binding,
                const std::vector<std::vector<double>>& densities, physics::NaturalFacets<Dim, Space>& facets) const {
    if constexpr (Dim == 2)
      if (kind == FormKind::magnetic)
        return physics::make_magnetic_form<ExecutionSpace, Order>(exec, mesh_, space_, *binding.magnetic, densities);
    std::optional<linalg::ElementSums<ExecutionSpace>> sums;
    const linalg::ElementSums<ExecutionSpace>* given = sums_for_totals(exec, binding, sums);
    if (kind == FormKind::closed)
      return physics::make_uniform_form<ExecutionSpace, Dim, Order>(exec, mesh_, space_, binding.problem, given);
    const physics::DiffusionProblem& problem = binding.problem;
    Quadrature general = physics::make_general_form<ExecutionSpace, Dim, Order>(
        exec, mesh_, space_, kind == FormKind::thermal ? physics::at_rest(problem) : problem, &facets, given);
    check_coefficients(exec, binding, general, facets);
    if (binding.takes_losses)
      place_losses(exec, general);
    if (kind == FormKind::thermal)
      return physics::make_thermal_form<ExecutionSpace, Dim, Order>(exec, general, space_.n_nodes(), problem);
    return general;
  }

  /// Makes values of the source at all points.
  void place_losses(const ExecutionSpace& exec, Quadrature& form) const {
    if (form.point_source.extent(0) > 0) {
      own_source_ = make_array<Vector>(exec, "driver::own_source", form.point_source.extent(0));
      copy(exec, own_source_, ConstVector(form.point_source));
      return;
    }
    const std::size_t n = static_cast<std::size_t>(form.n_elements()) * Quadrature::volume_rule::n_points;
    form.point_source = make_filled<Vector>(exec, "driver::losses", n, 0.);
    form.is_uniform = false;
  }

  /// What densities from totals of sources need to have the same bits in all processes, and for any number of them;
  /// null without totals.
  const linalg::ElementSums<ExecutionSpace>*
  sums_for_totals(const ExecutionSpace& exec, const ProblemBinding& binding,
                  std::optional<linalg::ElementSums<ExecutionSpace>>& sums) const {
    for (const physics::RegionData& region : binding.problem.regions)
      if (region.source_total && !sums)
        sums.emplace(this->element_sums(exec, true));
    return sums ? &*sums : nullptr;
  }

  /// Refuses natural conditions whose coefficients fix the solution: rows of the matrix that are so much larger than
  /// all others hide these from the solver, and what flows in is lost in the difference reference - u. Collective.
  void check_coefficients(const ExecutionSpace& exec, const ProblemBinding& binding, const Quadrature& form,
                          const physics::NaturalFacets<Dim, Space>& facets) const {
    const std::vector<physics::NaturalData>& natural = binding.problem.natural;
    if (natural.empty())
      return;
    const std::vector<double> ratios = physics::coefficient_ratios<ExecutionSpace, Dim, Order>(
        exec, form, facets, static_cast<index_t>(natural.size()));
    for (std::size_t i = 0; i < natural.size(); ++i) {
      const double ratio = this->world->largest(ratios[i]);
      TESSERA_REQUIRE(
          ratio <= physics::largest_coefficient_ratio,
          physics::detail::prefix(natural[i].where)
              << "The coefficient of boundary '" << mesh_.boundary_names[natural[i].group] << "' is " << ratio
              << " times what the elements there conduct; at most " << physics::largest_coefficient_ratio
              << " is allowed. It fixes the solution there: use 'potential' instead, in heat 'temperature'.");
    }
  }
};

} // namespace tessera::driver::detail

#endif
