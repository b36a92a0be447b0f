// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_COMPARE_IMPL_HPP
#define TESSERA_DRIVER_COMPARE_IMPL_HPP

/// \file
/// Definition of run_strategies(): included only by the generated instantiations.

#include "driver/compare.hpp"
#include "driver/magnetic_newton.hpp"
#include "driver/problem_on_mesh.hpp"
#include "solvers/jacobi.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

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
  for (std::size_t c = 0; c < problem.model.constraints.size(); ++c)
    values.push_back(physics::constraint_total(exec, form, Array<const double*, ExecutionSpace>(nodal),
                                               Array<const group_t*, ExecutionSpace>(problem.dofs.node_constraint),
                                               static_cast<group_t>(c)));
  return values;
}

} // namespace detail

template <class ExecutionSpace, int Dim, int Order>
std::vector<Candidate> run_strategies(const ExecutionSpace& exec, const io::ImportedMesh& imported,
                                      const std::vector<assembly::Strategy>& strategies, Context& context) {
  using Space = typename ExecutionSpace::memory_space;
  const io::Case& input = context.input;
  const auto problem = prepare_problem<ExecutionSpace, Dim, Order>(exec, imported, context);
  std::vector<Candidate> candidates;
  problem.with_form(exec, context, [&](const auto& form) {
    using Form = std::decay_t<decltype(form)>;
    const index_t n = problem.dofs.n_free;
    const auto probe = make_array<Array<double*, Space>>(exec, "driver::probe_vector", n);
    for_each("tessera::driver::fill_probe", exec, n, detail::FillProbe<Space>{probe});
    for (const assembly::Strategy strategy : strategies) {
      Candidate candidate;
      candidate.backend = BackendName<ExecutionSpace>::value;
      candidate.strategy = strategy;
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
          detail::set_probe_iterate(exec, form);
      }
      log.run("symbolic", exec, [&] { assembler->symbolic(exec); });
      log.run("numeric", exec, [&] { assembler->numeric(exec); });
      const auto product = make_array<Array<double*, Space>>(exec, "driver::product", n);
      assembler->system().apply(exec, probe, product);
      if (assembler->matrix() != nullptr) {
        candidate.offsets = detail::to_vector(exec, assembler->matrix()->offsets);
        candidate.columns = detail::to_vector(exec, assembler->matrix()->columns);
        candidate.values = detail::to_vector(exec, assembler->matrix()->values);
      }
      candidate.rhs = detail::to_vector(exec, assembler->rhs());
      const auto unknowns = make_filled<Array<double*, Space>>(exec, "driver::unknowns", n, 0.);
      solvers::PcgOptions pcg_options;
      pcg_options.relative_tolerance = input.solver.relative_tolerance;
      pcg_options.absolute_tolerance = input.solver.absolute_tolerance;
      pcg_options.max_iterations = input.solver.max_iterations;
      log.run("solve", exec, [&] {
        if (is_linear) {
          const solvers::Jacobi<ExecutionSpace> jacobi(exec, assembler->system());
          const auto result = solvers::Pcg<ExecutionSpace>(pcg_options)
                                  .solve(exec, assembler->system(), jacobi, assembler->rhs(), unknowns);
          candidate.iterations = result.iterations;
          candidate.converged = result.status == solvers::PcgStatus::converged;
        } else if constexpr (Form::has_vector_potential) {
          MagneticSystem<ExecutionSpace, Form> system(
              exec, form, problem.dofs, *assembler,
              [&](const ExecutionSpace& instance) {
                return std::make_unique<solvers::Jacobi<ExecutionSpace>>(instance, assembler->system());
              },
              io::SolverMethod::pcg, pcg_options,
              [](const std::string&, const std::function<void()>& work) { work(); });
          const auto result = solvers::newton(exec, system, unknowns, newton_options(input.solver));
          candidate.iterations = static_cast<int>(result.linear_iterations);
          candidate.converged = result.status == solvers::NewtonStatus::converged;
        }
      });
      log.run("quantities", exec, [&] { candidate.quantities = detail::quantities(exec, form, problem, unknowns); });
      candidate.phases = log.phases();
      for (Phase& phase : candidate.phases)
        phase.peak_bytes -= std::min(phase.peak_bytes, before);
      candidate.product = detail::to_vector(exec, product);
      candidate.solution = detail::to_vector(exec, unknowns);
      candidates.push_back(std::move(candidate));
    }
  });
  return candidates;
}

} // namespace tessera::driver

#endif
