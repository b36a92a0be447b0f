// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/evaluation/boundary_totals.hpp"

#include "core/kokkos_ext/runtime.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace tessera::driver {

namespace {

/// Below this share of the largest of a conductor a net charge is the error of the mesh.
constexpr double net_tolerance = 1e-3;

/// Name of a constraint, or of a natural condition behind them.
template <class ExecutionSpace> const std::string& name_of(const Problem<ExecutionSpace>& problem, int boundary) {
  const std::vector<std::string>& names = problem.binding.constraint_names;
  const auto number = static_cast<std::size_t>(boundary);
  return number < names.size() ? names[number] : problem.binding.problem.natural[number - names.size()].name;
}

/// "'a' and 'b' have a different potential where they meet, at (0, 1) m."
template <class ExecutionSpace>
std::string jump_text(const Problem<ExecutionSpace>& problem, const io::Case& input, const ValueJump& jump) {
  std::ostringstream text;
  text << "'" << name_of(problem, jump.first) << "' and '" << name_of(problem, jump.second) << "' have a different "
       << io::traits_of(input.problem).solution.name << " where they meet, at (";
  for (int d = 0; d < problem.summary.dimension; ++d)
    text << (d > 0 ? ", " : "") << jump.at[static_cast<std::size_t>(d)];
  text << ") m.";
  return text.str();
}

void add_once(std::vector<std::string>& notes, const std::string& note) {
  if (std::find(notes.begin(), notes.end(), note) == notes.end())
    notes.push_back(note);
}

} // namespace

template <class ExecutionSpace>
std::vector<double> boundary_totals(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem,
                                    const io::Case& input, const Solution<ExecutionSpace>& solution,
                                    std::vector<std::string>& notes) {
  std::vector<ValueJump> jumps;
  std::vector<double> totals = problem.boundary_totals(exec, solution.nodal, jumps);
  const io::PhysicsTraits& traits = io::traits_of(input.problem);
  for (const ValueJump& jump : jumps) {
    const std::string& first = name_of(problem, jump.first);
    const std::string& second = name_of(problem, jump.second);
    std::ostringstream note;
    note << jump_text(problem, input, jump)
         << " What flows from one to the other there has no bound: " << traits.total.name << "." << first << ", "
         << traits.total.name << "." << second
         << " and what is made of them are those of this mesh, and grow with each "
         << "refinement.";
    add_once(notes, note.str());
  }
  return totals;
}

template <class ExecutionSpace>
void note_value_jumps(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem, const io::Case& input,
                      const Solution<ExecutionSpace>& solution, std::vector<std::string>& notes) {
  const std::vector<io::Boundary>& boundaries = input.problem.boundaries;
  if (std::count_if(boundaries.begin(), boundaries.end(), [](const io::Boundary& given) {
        return given.kind == io::BoundaryKind::value || given.kind == io::BoundaryKind::robin;
      }) < 2)
    return;
  for (const ValueJump& jump : problem.value_jumps(exec, solution.nodal))
    add_once(notes, jump_text(problem, input, jump) +
                        " The field there has no bound: energies and losses are those of this mesh, and grow with each "
                        "refinement.");
}

template <class ExecutionSpace>
double net_inflow(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem,
                  const typename Problem<ExecutionSpace>::ConstVector& nodal) {
  const std::vector<physics::NaturalData>& natural = problem.binding.problem.natural;
  const std::vector<physics::NaturalTotals> totals = problem.natural_totals(exec, nodal);
  double net = 0.;
  for (std::size_t i = 0; i < natural.size(); ++i)
    if (std::find(problem.multipole_ends.begin(), problem.multipole_ends.end(), natural[i].name) !=
        problem.multipole_ends.end())
      net += totals[i].inflow;
  return net;
}

template <class ExecutionSpace>
std::string net_inflow_note(const Problem<ExecutionSpace>& problem, const io::Case& input, double net, double largest,
                            const std::string& what) {
  if (!(std::fabs(net) > net_tolerance * largest))
    return "";
  const io::PhysicsTraits& traits = io::traits_of(input.problem);
  const bool is_plane = problem.summary.dimension == 2 && input.problem.symmetry == io::Symmetry::planar;
  std::ostringstream note;
  note << "'" << io::joined(problem.multipole_ends)
       << "' stands for open space by the far field of a multipole, which has no net " << traits.total.name
       << ", but one passes it, of " << std::setprecision(3) << 100. * std::fabs(net) / largest
       << " % of the largest of a conductor. " << what << " then depend on the size of the mesh. "
       << (is_plane ? "In the plane a net one has no far field with a limit: a shell whose outer boundary has no "
                      "condition lets it be zero."
                    : "Give it asymptotic: {order: 0}.");
  return note.str();
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template std::vector<double> boundary_totals<SPACE>(const SPACE&, const Problem<SPACE>&, const io::Case&,            \
                                                      const Solution<SPACE>&, std::vector<std::string>&);              \
  template void note_value_jumps<SPACE>(const SPACE&, const Problem<SPACE>&, const io::Case&, const Solution<SPACE>&,  \
                                        std::vector<std::string>&);                                                    \
  template double net_inflow<SPACE>(const SPACE&, const Problem<SPACE>&, const Problem<SPACE>::ConstVector&);          \
  template std::string net_inflow_note<SPACE>(const Problem<SPACE>&, const io::Case&, double, double,                  \
                                              const std::string&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
