// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "physics/forms/advection_diffusion_reaction.hpp"

#include "core/error.hpp"
#include "core/transfer/upload_together.hpp"
#include "physics/forms/element_points.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::physics {

bool AdvectionDiffusionReaction::is_symmetric() const {
  for (const AdvectionRegion& region : regions)
    for (const Expression& entry : region.advection)
      if (!entry.is_constant() || entry.value() != 0.)
        return false;
  return true;
}

bool AdvectionDiffusionReaction::has_transient_operator() const {
  const auto is_transient = [](const Expression& e) { return e.depends_on(Opcode::t); };
  return std::any_of(regions.begin(), regions.end(), [&](const AdvectionRegion& region) {
    return std::any_of(region.diffusion.begin(), region.diffusion.end(), is_transient) ||
           std::any_of(region.advection.begin(), region.advection.end(), is_transient) || is_transient(region.reaction);
  });
}

namespace {

using detail::prefix;

bool are_equal(const Expression& a, const Expression& b) {
  return std::equal(a.code().begin(), a.code().end(), b.code().begin(), b.code().end(),
                    [](const Instruction& s, const Instruction& t) { return s.op == t.op && s.value == t.value; });
}

/// The upper triangle of A, row by row.
template <int Dim> std::vector<Expression> full_tensor(const AdvectionRegion& region) {
  const std::vector<Expression>& given = region.diffusion;
  constexpr std::size_t n_full = Dim * (Dim + 1) / 2;
  TESSERA_REQUIRE(given.size() <= 1 || given.size() == Dim || given.size() == n_full,
                  prefix(region.where) << "The diffusion tensor has " << given.size() << " entries; in " << Dim
                                       << "D it has 1 (scalar), " << Dim << " (diagonal) or " << n_full
                                       << " (upper triangle, row by row).");
  if (given.size() == n_full)
    return given;
  std::vector<Expression> full;
  for (int row = 0; row < Dim; ++row)
    for (int column = row; column < Dim; ++column)
      full.push_back(row != column || given.empty() ? Expression() : given[given.size() == 1 ? 0 : row]);
  return full;
}

} // namespace

template <int Dim, class ExecutionSpace>
AdvectionCoefficients<Dim, typename ExecutionSpace::memory_space>
make_coefficients(const ExecutionSpace& exec, const AdvectionDiffusionReaction& problem, int n_groups) {
  using Space = typename ExecutionSpace::memory_space;
  using Coefficients = AdvectionCoefficients<Dim, Space>;
  std::vector<Expression> expressions;
  const auto add_program = [&](const Expression& expression) { // shared by equal expressions
    const auto found = std::find_if(expressions.begin(), expressions.end(),
                                    [&](const Expression& other) { return are_equal(expression, other); });
    const int program = static_cast<int>(found - expressions.begin());
    if (found == expressions.end())
      expressions.push_back(expression);
    return program;
  };
  std::vector<double> constants;
  std::vector<int> programs;
  std::vector<int> transient;
  for (const AdvectionRegion& region : problem.regions) {
    TESSERA_REQUIRE(region.advection.empty() || region.advection.size() == Dim,
                    prefix(region.where) << "The advection has " << region.advection.size() << " entries; in " << Dim
                                         << "D it has " << Dim << ".");
    std::vector<Expression> slots = full_tensor<Dim>(region);
    const std::vector<Expression> no_advection(Dim);
    const std::vector<Expression>& advection = region.advection.empty() ? no_advection : region.advection;
    slots.insert(slots.end(), advection.begin(), advection.end());
    slots.push_back(region.reaction);
    slots.push_back(region.source);
    slots.push_back(region.initial);
    for (const Expression& slot : slots) {
      TESSERA_REQUIRE(!slot.is_constant() || std::isfinite(slot.value()),
                      prefix(region.where) << "A coefficient is " << slot.value() << "; it must be finite.");
      constants.push_back(slot.is_constant() ? slot.value() : 0.);
      programs.push_back(slot.is_constant() ? -1 : add_program(slot));
      transient.push_back(slot.depends_on(Opcode::t) ? 1 : 0);
    }
  }
  std::vector<BoundProgram> conditions(n_groups + 1, {AdvectionCondition::natural, -1, false});
  for (const AdvectionBoundary& boundary : problem.boundaries) {
    TESSERA_REQUIRE(boundary.group < n_groups, prefix(boundary.where)
                                                   << "The mesh has " << n_groups << " boundary groups, there is no "
                                                   << boundary.group << ".");
    BoundProgram& condition = conditions[boundary.group];
    TESSERA_REQUIRE(condition.program < 0, prefix(boundary.where)
                                               << "Boundary '" << boundary.name << "' has two conditions.");
    condition = {boundary.condition, add_program(boundary.value), boundary.value.depends_on(Opcode::t)};
  }
  Coefficients coefficients;
  const auto arrays =
      uploaded_together(exec, "physics::transport_coefficients", constants, programs, transient, conditions);
  coefficients.memory = std::get<0>(arrays);
  coefficients.constants = std::get<1>(arrays);
  coefficients.programs = std::get<2>(arrays);
  coefficients.transient = std::get<3>(arrays);
  coefficients.conditions = std::get<4>(arrays);
  coefficients.program = make_program(exec, expressions);
  coefficients.has_advection = !problem.is_symmetric();
  coefficients.is_transient = problem.has_transient_operator();
  return coefficients;
}

template <class ExecutionSpace, int Dim>
AdvectionCoefficients<Dim, HostMemory>
host_coefficients(const ExecutionSpace& exec,
                  const AdvectionCoefficients<Dim, typename ExecutionSpace::memory_space>& from) {
  AdvectionCoefficients<Dim, HostMemory> host;
  host.constants = tessera::to_host(exec, from.constants);
  host.programs = tessera::to_host(exec, from.programs);
  host.transient = tessera::to_host(exec, from.transient);
  host.conditions = tessera::to_host(exec, from.conditions);
  host.program = from.program.on_host(exec);
  host.has_advection = from.has_advection;
  host.is_transient = from.is_transient;
  return host;
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template AdvectionCoefficients<Dim, Space::memory_space> make_coefficients<Dim>(                                     \
      const Space&, const AdvectionDiffusionReaction&, int);                                                           \
  template AdvectionCoefficients<Dim, HostMemory> host_coefficients(                                                   \
      const Space&, const AdvectionCoefficients<Dim, Space::memory_space>&);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_DIM(Space, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::physics
