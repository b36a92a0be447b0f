// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "problem.hpp"

#include "support/direct_solve.hpp"

#include <cmath>

namespace tessera::test {

namespace {

std::vector<double> solve(const Oracle& oracle) {
  std::int64_t n_entries = 0;
  for (const auto& row : oracle.rows)
    n_entries += static_cast<std::int64_t>(row.size());
  linalg::CrsMatrix<HostMemory> matrix;
  matrix.offsets = decltype(matrix.offsets)("test::offsets", oracle.rows.size() + 1);
  matrix.columns = decltype(matrix.columns)("test::columns", n_entries);
  matrix.values = decltype(matrix.values)("test::values", n_entries);
  offset_t entry = 0;
  for (std::size_t i = 0; i < oracle.rows.size(); ++i) {
    for (const auto& pair : oracle.rows[i]) {
      matrix.columns(entry) = pair.first;
      matrix.values(entry++) = pair.second;
    }
    matrix.offsets(i + 1) = entry;
  }
  return solve_directly(matrix, oracle.rhs);
}

/// The textbook assembly loops, independent of the strategy `reference`, which is compared with them, too.
template <class HostForm> Oracle make_oracle(const HostForm& form, const fe::DofMap<HostMemory>& dofs) {
  constexpr int N = HostForm::n_nodes;
  Oracle oracle;
  oracle.rows.resize(dofs.n_free);
  oracle.rhs.assign(dofs.n_free, 0.);
  oracle.row_sum.assign(dofs.n_free, 0.);
  oracle.load_sum.assign(dofs.n_free, 0.);
  const auto add_load = [&](index_t row, double value) {
    oracle.rhs[row] += value;
    oracle.load_sum[row] += std::fabs(value);
  };
  const auto sign = [&](index_t n) { return dofs.node_sign.extent(0) > 0 ? dofs.node_sign(n) : 1; };
  for (index_t s = 0; s < dofs.n_tied(); ++s)
    add_load(dofs.n_regular + s, dofs.tied_totals(s));
  for (index_t e = 0; e < form.n_elements(); ++e) {
    index_t n[N];
    double K[N][N];
    double f[N];
    form.nodes(e, n);
    form.system(e, n, K, f);
    for (int a = 0; a < N; ++a)
      for (int b = 0; b <= N; ++b)
        (b < N ? K[a][b] : f[a]) *= sign(n[a]) * (b < N ? sign(n[b]) : 1);
    for (int a = 0; a < N; ++a) {
      const index_t row = dofs.node_dof(n[a]);
      if (dofs.is_fixed(row))
        continue;
      add_load(row, f[a]);
      for (int b = 0; b < N; ++b) {
        const index_t column = dofs.node_dof(n[b]);
        if (dofs.is_free(column))
          oracle.rows[row][column] += K[a][b];
        else
          add_load(row, -K[a][b] * dofs.fixed_values(dofs.fixed_index(column)));
      }
    }
  }
  for (std::size_t i = 0; i < oracle.rows.size(); ++i)
    for (const auto& entry : oracle.rows[i])
      oracle.row_sum[i] += std::fabs(entry.second);
  oracle.solution = solve(oracle);
  return oracle;
}

/// Sets the functions that make the assemblers of a form, for the whole mesh and for partitions.
template <class ExecutionSpace, class Form>
void set_assemblers(const ExecutionSpace& exec, const Form& form,
                    const fe::DofMap<typename ExecutionSpace::memory_space>& dofs, Problem<ExecutionSpace>& problem) {
  problem.n_regular = dofs.n_regular;
  problem.n_free = dofs.n_free;
  problem.fixed_values = dofs.fixed_values;
  problem.tied_totals = dofs.tied_totals;
  problem.dofs = dofs;
  problem.element_table.nodes =
      decltype(problem.element_table.nodes)(form.element_nodes.data(), form.element_nodes.size());
  problem.element_table.nodes_per_element = Form::n_nodes;
  problem.oracle = make_oracle(form.to_host(exec), fe::to_host(exec, dofs));
  problem.make_assembler = [form, dofs](const assembly::AssemblyOptions& options) {
    return assembly::make_assembler<ExecutionSpace, Form>(form, dofs, options);
  };
  problem.make_part_assembler = [exec, form](const typename Problem<ExecutionSpace>::Part& part,
                                             const assembly::AssemblyOptions& options) {
    return assembly::make_assembler<ExecutionSpace, Form>(
        form.part(exec, Array<const index_t*, ExecutionSpace>(part.elements)), part.dofs, options);
  };
}

} // namespace

template <class ExecutionSpace, int Dim, int Order>
Problem<ExecutionSpace> make_problem(const ExecutionSpace& exec,
                                     const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                                     const Setup& setup, FormKind kind) {
  const auto space = fe::make_space<Order, ExecutionSpace, Dim>(exec, mesh);
  const auto dofs = fe::number_dofs<ExecutionSpace, Dim, Order>(
      exec, mesh, space, setup.constraints,
      fe::identify_nodes<ExecutionSpace, Dim, Order>(exec, mesh, space, setup.periodic), setup.numbering);
  physics::set_fixed_values<ExecutionSpace, Dim>(exec, dofs, space.coordinates, setup.fixed_values,
                                                 std::vector<std::string>(setup.constraints.size(), "constraint"));
  Problem<ExecutionSpace> problem;
  if (kind == FormKind::uniform)
    set_assemblers(exec, physics::make_uniform_form<ExecutionSpace, Dim, Order>(exec, mesh, space, setup.problem), dofs,
                   problem);
  else
    set_assemblers(exec, physics::make_general_form<ExecutionSpace, Dim, Order>(exec, mesh, space, setup.problem), dofs,
                   problem);
  return problem;
}

template <class ExecutionSpace, int Dim, int Order>
Problem<ExecutionSpace> make_problem(const ExecutionSpace& exec,
                                     const mesh::Mesh<2, typename ExecutionSpace::memory_space>& mesh,
                                     const MagneticSetup& setup) {
  using Form = physics::Magnetostatics<2, Order, typename ExecutionSpace::memory_space>;
  const auto space = fe::make_space<Order, ExecutionSpace, 2>(exec, mesh);
  const auto dofs = fe::number_dofs<ExecutionSpace, 2, Order>(
      exec, mesh, space, setup.constraints,
      fe::identify_nodes<ExecutionSpace, 2, Order>(exec, mesh, space, setup.periodic), setup.numbering);
  physics::set_fixed_values<ExecutionSpace, 2>(exec, dofs, space.coordinates, setup.fixed_values,
                                               std::vector<std::string>(setup.constraints.size(), "constraint"));
  Form form = physics::make_magnetic_form<ExecutionSpace, Order>(
      exec, mesh, space, setup.problem,
      physics::coil_densities<ExecutionSpace, Order>(exec, mesh, space, setup.problem, {exec, mesh.n_elements()}));
  if (form.iterate.extent(0) > 0)
    physics::interpolate<ExecutionSpace, 2>(exec, space.coordinates, setup.iterate, form.iterate);
  Problem<ExecutionSpace> problem;
  set_assemblers(exec, form, dofs, problem);
  return problem;
}

#define TESSERA_INSTANTIATE_MAGNETIC(SPACE, ORDER)                                                                     \
  template Problem<SPACE> make_problem<SPACE, 2, ORDER>(                                                               \
      const SPACE&, const mesh::Mesh<2, typename SPACE::memory_space>&, const MagneticSetup&);
#define TESSERA_INSTANTIATE_CASE(SPACE, DIM, ORDER)                                                                    \
  template Problem<SPACE> make_problem<SPACE, DIM, ORDER>(                                                             \
      const SPACE&, const mesh::Mesh<DIM, typename SPACE::memory_space>&, const Setup&, FormKind);
#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  TESSERA_INSTANTIATE_CASE(SPACE, 2, 1)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 2, 2)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 3, 1)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 3, 2)                                                                                \
  TESSERA_INSTANTIATE_MAGNETIC(SPACE, 1)                                                                               \
  TESSERA_INSTANTIATE_MAGNETIC(SPACE, 2)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::test
