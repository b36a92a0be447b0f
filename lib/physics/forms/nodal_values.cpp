// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "physics/expressions/expression_program.hpp"
#include "physics/forms/diffusion_problem.hpp"
#include "physics/forms/element_points.hpp"

namespace tessera::physics {

using detail::is_finite;
using detail::make_offender;
using detail::no_offender;
using detail::node_position;
using detail::Offender;
using detail::point_text;
using detail::prefix;

namespace {

template <int Dim, class Space> struct SetFixed {
  fe::DofKinds kinds;
  Array<const index_t*, Space> node_dof;
  Array<const group_t*, Space> node_constraint;
  Array<const index_t*, Space> node_source; // may be empty
  Array<const double* [Dim], Space> coordinates;
  ExpressionProgram<Space> program;
  Array<double*, Space> fixed_values;
  Offender<Space> offender;
  KOKKOS_FUNCTION void operator()(index_t n) const {
    const group_t constraint = node_constraint(n);
    // zero due to antiperiodicity only
    if (kinds.is_free(node_dof(n)) || constraint == fe::DofMap<Space>::unconstrained)
      return;
    const index_t source = node_source.extent(0) > 0 ? node_source(n) : n;
    const index_t at = source < 0 ? ~source : source;
    const double value =
        program(constraint, coordinates(at, 0), coordinates(at, 1), Dim == 3 ? coordinates(at, Dim - 1) : 0., 0.);
    fixed_values(kinds.fixed_index(node_dof(n))) = source < 0 ? -value : value;
    if (!is_finite(value))
      offender.report(n);
  }
};

template <int Dim, class Space> struct Interpolate {
  Array<const double* [Dim], Space> coordinates;
  ExpressionProgram<Space> program;
  Array<double*, Space> result;
  Offender<Space> offender;
  KOKKOS_FUNCTION void operator()(index_t n) const {
    const double value = program(0, coordinates(n, 0), coordinates(n, 1), Dim == 3 ? coordinates(n, Dim - 1) : 0., 0.);
    result(n) = value;
    if (!is_finite(value))
      offender.report(n);
  }
};

} // namespace

template <class ExecutionSpace, int Dim>
void set_fixed_values(const ExecutionSpace& exec, const fe::DofMap<typename ExecutionSpace::memory_space>& dofs,
                      const Array<double* [Dim], ExecutionSpace>& coordinates, const std::vector<Expression>& values,
                      const std::vector<std::string>& names, const std::vector<std::string>& locations) {
  using Space = typename ExecutionSpace::memory_space;
  if (values.empty())
    return;
  const auto offender = make_offender(exec);
  const auto program = make_program(exec, values);
  for_each("tessera::physics::set_fixed_values", exec, static_cast<std::int64_t>(dofs.node_dof.extent(0)),
           SetFixed<Dim, Space>{dofs, dofs.node_dof, dofs.node_constraint, dofs.node_source, coordinates, program,
                                dofs.fixed_values, offender});
  const std::int64_t node = read_entry(exec, offender.first, 0); // waits: the program may be freed
  if (node != no_offender) {
    const group_t constraint = read_entry(exec, dofs.node_constraint, node);
    const auto point = node_position<ExecutionSpace, Dim>(exec, coordinates, node);
    TESSERA_REQUIRE(false, prefix(locations.empty() ? "" : locations.at(constraint))
                               << "The value of boundary '" << names.at(constraint) << "' is not finite at "
                               << point_text(point, Dim) << ".");
  }
}

template <class ExecutionSpace, int Dim>
void interpolate(const ExecutionSpace& exec, const Array<double* [Dim], ExecutionSpace>& coordinates,
                 const Expression& expression, const Array<double*, ExecutionSpace>& result, const std::string& where) {
  using Space = typename ExecutionSpace::memory_space;
  const auto offender = make_offender(exec);
  const auto program = make_program(exec, {expression});
  for_each("tessera::physics::interpolate", exec, static_cast<std::int64_t>(coordinates.extent(0)),
           Interpolate<Dim, Space>{coordinates, program, result, offender});
  const std::int64_t node = read_entry(exec, offender.first, 0); // waits: the program may be freed
  TESSERA_REQUIRE(node == no_offender,
                  prefix(where) << "The expression is not finite at "
                                << point_text(node_position<ExecutionSpace, Dim>(exec, coordinates, node), Dim) << ".");
}

#define TESSERA_INSTANTIATE_DIM(SPACE, DIM)                                                                            \
  template void set_fixed_values<SPACE, DIM>(const SPACE&, const fe::DofMap<typename SPACE::memory_space>&,            \
                                             const Array<double* [DIM], SPACE>&, const std::vector<Expression>&,       \
                                             const std::vector<std::string>&, const std::vector<std::string>&);        \
  template void interpolate<SPACE, DIM>(const SPACE&, const Array<double* [DIM], SPACE>&, const Expression&,           \
                                        const Array<double*, SPACE>&, const std::string&);
#define TESSERA_INSTANTIATE(SPACE) TESSERA_INSTANTIATE_DIM(SPACE, 2) TESSERA_INSTANTIATE_DIM(SPACE, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::physics
