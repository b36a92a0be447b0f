// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/evaluation/boundary_totals.hpp"

#include "core/kokkos_ext/runtime.hpp"

#include <algorithm>
#include <sstream>

namespace tessera::driver {

template <class ExecutionSpace>
std::vector<double> boundary_totals(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem,
                                    const io::Case& input, const Solution<ExecutionSpace>& solution,
                                    std::vector<std::string>& notes) {
  std::vector<ValueJump> jumps;
  std::vector<double> totals = problem.boundary_totals(exec, solution.nodal, jumps);
  const io::PhysicsTraits& traits = io::traits_of(input.problem);
  const std::vector<std::string>& names = problem.binding.constraint_names;
  for (const ValueJump& jump : jumps) {
    const std::string& first = names[static_cast<std::size_t>(jump.first)];
    const std::string& second = names[static_cast<std::size_t>(jump.second)];
    std::ostringstream note;
    note << "'" << first << "' and '" << second << "' have a different " << traits.solution.name
         << " where they meet, at (";
    for (int d = 0; d < problem.summary.dimension; ++d)
      note << (d > 0 ? ", " : "") << jump.at[static_cast<std::size_t>(d)];
    note << ") m. What flows from one to the other there has no bound: " << traits.total.name << "." << first << ", "
         << traits.total.name << "." << second
         << " and what is made of them are those of this mesh, and grow with each "
         << "refinement.";
    if (std::find(notes.begin(), notes.end(), note.str()) == notes.end())
      notes.push_back(note.str());
  }
  return totals;
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template std::vector<double> boundary_totals<SPACE>(const SPACE&, const Problem<SPACE>&, const io::Case&,            \
                                                      const Solution<SPACE>&, std::vector<std::string>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
