// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_COMPARE_COMPARE_IMPL_HPP
#define TESSERA_DRIVER_COMPARE_COMPARE_IMPL_HPP

/// \file
/// Definition of run_strategies(): included only by the generated instantiations.

#include "driver/compare/compare.hpp"
#include "driver/magnetic_newton.hpp"
#include "driver/problem/problem_on_mesh.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::driver {

namespace detail {

template <class ExecutionSpace, class ArrayType>
std::vector<typename ArrayType::non_const_value_type> to_vector(const ExecutionSpace& exec, const ArrayType& array) {
  const auto host = tessera::to_host(exec, array);
  return {host.data(), host.data() + host.extent(0)};
}

/// A vector without structure, the same on every backend.
template <class Space> struct FillProbe {
  Array<double*, Space> x;
  double size = 1.;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const std::uint32_t hash = static_cast<std::uint32_t>(i) * 2654435761u;
    x(i) = size * (static_cast<double>(hash >> 8) / 16777216. - 0.5);
  }
};

template <class Form> struct SumMeasure {
  Form form;
  KOKKOS_FUNCTION void operator()(std::int64_t e, double (&term)[1]) const {
    index_t n[Form::n_nodes];
    form.nodes(static_cast<index_t>(e), n);
    double p[Form::dimension + 1][Form::dimension];
    double normals[Form::dimension + 1][Form::dimension];
    fe::load_vertices(form.medium.coordinates.data(), n, p);
    const double det = fe::simplex_normals(p, normals);
    term[0] = 0.5 * (det < 0. ? -det : det);
  }
};

/// An iterate with about 2 T in all directions, where reluctivities are far from those at rest and differ everywhere.
template <class ExecutionSpace, class Form> void set_probe_iterate(const ExecutionSpace& exec, const Form& form) {
  const double area = ordered_sum("tessera::driver::area", exec, form.n_elements(), SumMeasure<Form>{form});
  for_each("tessera::driver::fill_probe", exec, static_cast<std::int64_t>(form.iterate.extent(0)),
           FillProbe<typename ExecutionSpace::memory_space>{form.iterate, 2. * std::sqrt(area / form.n_elements())});
}

/// Energy and the total of every constraint.
template <class ExecutionSpace, class Form, class Problem>
std::vector<double> quantities(const ExecutionSpace& exec, const Form& form, const Problem& problem,
                               const Array<double*, ExecutionSpace>& unknowns) {
  const auto nodal =
      make_array<Array<double*, ExecutionSpace>>(exec, "driver::nodal_solution", problem.space.n_nodes());
  fe::expand(exec, problem.dofs, Array<const double*, ExecutionSpace>(unknowns), nodal);
  std::vector<double> values{physics::field_energy(exec, form, Array<const double*, ExecutionSpace>(nodal))};
  const std::vector<double> totals =
      physics::constraint_totals(exec, form, Array<const double*, ExecutionSpace>(nodal),
                                 Array<const group_t*, ExecutionSpace>(problem.dofs.node_constraint),
                                 static_cast<index_t>(problem.model.constraints.size()));
  values.insert(values.end(), totals.begin(), totals.end());
  return values;
}

/// One strategy on one form: `probe` is the vector of the product.
template <int Dim, class ExecutionSpace, class Form, class Problem>
Candidate run_strategy(const ExecutionSpace& exec, const Form& form, const Problem& problem, const io::Case& input,
                       assembly::Strategy strategy, const linalg::Vector<ExecutionSpace>& probe) {
  Candidate candidate;
  candidate.backend = BackendName<ExecutionSpace>::value;
  candidate.strategy = strategy;
  candidate.solver = usable_solver(input.solver, strategy);
  assembly::AssemblyOptions options;
  options.strategy = strategy;
  options.coloring = input.assembly.coloring;
  options.reproducible = input.execution.reproducible;
  const std::size_t before = MemoryLedger::current_bytes();
  auto assembler = assembly::make_assembler<ExecutionSpace, Form>(form, problem.dofs, options);
  PhaseLog log;
  bool is_linear = true;
  if constexpr (Form::has_vector_potential) {
    is_linear = problem.model.magnetic->is_linear();
    if (!is_linear)
      set_probe_iterate(exec, form);
  }
  log.run("symbolic", exec, [&] { assembler->symbolic(exec); });
  log.run("numeric", exec, [&] { assembler->numeric(exec); });
  const index_t n = problem.dofs.n_free;
  const auto product = make_array<linalg::Vector<ExecutionSpace>>(exec, "driver::product", n);
  assembler->system().apply(exec, probe, product);
  Candidate::Arrays& arrays = candidate.arrays;
  if (assembler->matrix() != nullptr) {
    arrays.offsets = to_vector(exec, assembler->matrix()->offsets);
    arrays.columns = to_vector(exec, assembler->matrix()->columns);
    arrays.values = to_vector(exec, assembler->matrix()->values);
  }
  arrays.rhs = to_vector(exec, assembler->rhs());
  arrays.product = to_vector(exec, product);

  const auto unknowns = make_array<linalg::Vector<ExecutionSpace>>(exec, "driver::unknowns", n);
  set_initial_guess<Dim>(exec, input.solver.initial_guess, problem, unknowns);
  const solvers::PcgOptions pcg = pcg_options(input.solver);
  const auto preconditioner = [&](const ExecutionSpace& instance) {
    return make_preconditioner(instance, candidate.solver.preconditioner, *assembler, strategy);
  };
  log.run("solve", exec, [&] {
    if (is_linear) {
      const auto result = solve_system(exec, candidate.solver.method, pcg, *assembler, *preconditioner(exec), unknowns);
      candidate.iterations = result.iterations;
      candidate.converged = result.status == solvers::PcgStatus::converged;
      candidate.relative_tolerance = result.rhs_norm > 0. ? result.threshold / result.rhs_norm : pcg.relative_tolerance;
    } else if constexpr (Form::has_vector_potential) {
      MagneticSystem<ExecutionSpace, Form> system(
          exec, form, problem.dofs, *assembler, preconditioner, candidate.solver.method, pcg,
          [](const std::string&, const std::function<void()>& work) { work(); });
      const auto result = solvers::newton(exec, system, unknowns, newton_options(input.solver));
      candidate.iterations = static_cast<int>(result.linear_iterations);
      candidate.converged = result.status == solvers::NewtonStatus::converged;
      candidate.relative_tolerance = input.solver.nonlinear.relative_tolerance;
    }
  });
  log.run("quantities", exec, [&] { arrays.quantities = quantities(exec, form, problem, unknowns); });
  arrays.solution = to_vector(exec, unknowns);
  candidate.phases = log.phases();
  for (Phase& phase : candidate.phases)
    phase.peak_bytes -= std::min(phase.peak_bytes, before);
  return candidate;
}

} // namespace detail

template <class ExecutionSpace, int Dim, int Order>
void run_strategies(const ExecutionSpace& exec, const io::ImportedMesh& imported,
                    const std::vector<assembly::Strategy>& strategies, Context& context,
                    const std::function<void(Candidate)>& found) {
  using Space = typename ExecutionSpace::memory_space;
  const auto problem = prepare_problem<ExecutionSpace, Dim, Order>(exec, imported, context);
  problem.with_form(exec, context, [&](const auto& form) {
    const index_t n = problem.dofs.n_free;
    const auto probe = make_array<linalg::Vector<ExecutionSpace>>(exec, "driver::probe_vector", n);
    for_each("tessera::driver::fill_probe", exec, n, detail::FillProbe<Space>{probe});
    for (const assembly::Strategy strategy : strategies)
      found(detail::run_strategy<Dim>(exec, form, problem, context.input, strategy, probe));
  });
}

} // namespace tessera::driver

#endif
