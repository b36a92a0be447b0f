// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include <tessera/core/kokkos_ext/runtime.hpp>
#include <tessera/driver/mesh/import.hpp>
#include <tessera/driver/problem/binding/input_values.hpp>
#include <tessera/driver/solve.hpp>
#include <tessera/io/input/case_reader.hpp>

#include <cmath>
#include <cstdio>

using namespace tessera;

/// Solves a case, and again with its constraint "left" set to 1: prints the maxima of the values and gradients.
int main(int, char* argv[]) {
  const Runtime runtime;
  const Kokkos::DefaultHostExecutionSpace exec;
  const io::Case input = io::read_case(argv[1]);
  io::Console console(true);
  PhaseLog log;
  std::vector<std::string> notes;
  driver::Context context{input, console, log, notes};
  const io::ImportedMesh imported = driver::import_mesh(input, context);
  const driver::ProblemBinding binding = driver::bind_problem(input, imported);
  const driver::Plan plan = driver::make_plan(input, driver::problem_size(input, imported, false), -1.);
  const auto problem = driver::make_problem(exec, imported, binding, plan.form, plan.coarser_meshes(), context);

  driver::Excitation excitation = driver::excitation_of(input);
  bool good = true;
  for (const double left : {0., 1.}) {
    const auto solution = driver::solve(exec, *problem, plan, excitation, log);
    const auto u = to_host(exec, solution.nodal);
    const auto gradients = problem->vector_field(exec, solution.nodal, driver::VectorField::nodal_gradient, 1.);
    double largest = 0.;
    double steepest = 0.;
    for (std::size_t n = 0; n < u.extent(0); ++n) {
      largest = std::fmax(largest, std::fabs(u(n)));
      steepest = std::fmax(steepest, std::hypot(gradients(n, 0), gradients(n, 1)));
    }
    std::printf("values up to %g, gradients up to %g\n", largest, steepest);
    good = good && solution.report.solver.converged() && steepest > 0. && (left == 0. || largest <= 1. + 1e-9);
    excitation.fixed_values.assign(binding.constraints.size(), physics::Expression(0.));
    const int place = driver::find_name(binding.constraint_names, "left");
    if (place < 0)
      return 1;
    excitation.fixed_values[place] = physics::Expression(1.);
  }
  return good ? 0 : 1;
}
