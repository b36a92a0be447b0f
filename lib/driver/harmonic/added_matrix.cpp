// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/harmonic/added_matrix.hpp"

#include <algorithm>
#include <limits>

namespace tessera::driver {

template <class ExecutionSpace>
AddedMatrix<ExecutionSpace>::AddedMatrix(const ExecutionSpace& exec, const Problem<ExecutionSpace>& of,
                                         const ProblemBinding& binding, const assembly::AssemblyOptions& options)
    : problem(of.with_coefficients(exec, binding)), assembler(problem->make_assembler(options)) {
  assembler->symbolic(exec);
  assembler->numeric(exec);
  const auto load = [&](const std::vector<physics::Expression>& values) {
    Excitation excitation;
    excitation.fixed_values = values;
    problem->excite(exec, excitation);
    assembler->load(exec);
    return copy_of_load(exec, *assembler);
  };
  // The difference is free of the sources, which are those of the other problem.
  using Vector = linalg::Vector<ExecutionSpace>;
  const auto n = static_cast<std::size_t>(problem->dofs.n_free);
  fixed_load = {load(problem->binding.fixed_values), make_filled<Vector>(exec, "driver::no_load", n, 0.)};
  const auto without = load(std::vector<physics::Expression>(problem->binding.constraints.size()));
  add_multiple<ExecutionSpace>(exec, {without, fixed_load.im}, -1., fixed_load);
  problem->excite(exec, {});
  exec.fence();
}

ProblemBinding without_energy(ProblemBinding binding) {
  binding.medium().natural.clear();
  for (physics::RegionData& region : binding.medium().regions) {
    std::fill(region.coefficient.begin(), region.coefficient.end(), physics::Expression(1.));
    region.off_diagonal.clear();
    region.coefficient_factor = std::numeric_limits<double>::infinity();
  }
  return binding;
}

#define TESSERA_INSTANTIATE(SPACE) template struct AddedMatrix<SPACE>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
