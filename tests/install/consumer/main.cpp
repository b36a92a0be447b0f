// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "poisson.hpp"

#include <tessera/assembly/user_form.hpp>
#include <tessera/core/kokkos_ext/runtime.hpp>
#include <tessera/fe/dofs/dof_map.hpp>
#include <tessera/mesh/box.hpp>
#include <tessera/mesh/groups.hpp>
#include <tessera/physics/forms/diffusion_problem.hpp>
#include <tessera/solvers/jacobi.hpp>
#include <tessera/solvers/krylov/pcg.hpp>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

using namespace tessera;

/// Largest nodal error of Poisson's equation on the unit square with u = 0 on the boundary.
template <class Space> double largest_error(const Space& exec, assembly::Strategy strategy) {
  const auto mesh = mesh::make_box<2>(exec, {40, 40}, {0., 0.}, {1., 1.});
  const auto space = fe::make_space<1>(exec, mesh);
  const std::vector<std::string> sides{"left", "right", "bottom", "top"};
  std::vector<fe::Constraint> constraints(sides.size());
  for (std::size_t i = 0; i < sides.size(); ++i)
    constraints[i].group = mesh::find_boundary(mesh, sides[i]);
  const auto dofs = fe::number_dofs(exec, mesh, space, constraints); // fixed values are 0

  const Poisson<typename Space::memory_space> form{space.element_nodes, space.coordinates};
  assembly::AssemblyOptions options;
  options.strategy = strategy;
  const auto assembler = assembly::make_assembler<Space>(form, dofs, options);
  assembler->symbolic(exec);
  assembler->numeric(exec);

  const solvers::Jacobi<Space> jacobi(exec, assembler->system());
  const auto unknowns = make_filled<Array<double*, Space>>(exec, "consumer::unknowns", dofs.n_free, 0.);
  solvers::Pcg<Space> pcg;
  const auto result = pcg.solve(exec, assembler->system(), jacobi, assembler->rhs(), unknowns);
  if (result.status != solvers::SolverStatus::converged)
    return 1.;
  const auto nodal = make_filled<Array<double*, Space>>(exec, "consumer::nodal", space.n_nodes(), 0.);
  fe::expand(exec, dofs, Array<const double*, Space>(unknowns), nodal);

  const auto u = to_host(exec, nodal);
  const auto x = to_host(exec, space.coordinates);
  double largest = 0.;
  for (index_t n = 0; n < space.n_nodes(); ++n) {
    const double pi = std::acos(-1.);
    largest = std::fmax(largest, std::fabs(u(n) - std::sin(pi * x(n, 0)) * std::sin(pi * x(n, 1))));
  }
  return largest;
}

int main() {
  const Runtime runtime;
  std::printf("Tessera %s on Kokkos %s\n", TESSERA_VERSION_STRING, kokkos_version().c_str());
  bool good = true;
  for (const auto strategy : {assembly::Strategy::row_gather, assembly::Strategy::ebe_recomputed}) {
    const double error = largest_error(Kokkos::DefaultExecutionSpace(), strategy);
    std::printf("largest error %.3e\n", error);
    good = good && error < 2e-3; // pi^2 h^2 / 4 = 1.5e-3 at the centre
  }
  return good ? 0 : 1;
}
