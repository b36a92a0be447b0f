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

/// Below this fraction of the largest charge of a conductor a net charge is a discretisation error.
constexpr double net_tolerance = 1e-3;

/// The same without conductors: fraction of the mean square of the solution on the boundary.
constexpr double net_share_tolerance = 0.01;

/// Fraction of the mean square of the solution on a boundary of order 0 above which the solution is regarded as that of
/// a net charge. If the rest is entirely a dipole, by far the largest part, the field there is off by 15 %.
constexpr double charge_share = 0.8;

/// Name of a constraint or, for larger indices, of a natural condition.
template <class ExecutionSpace> const std::string& name_of(const Fields<ExecutionSpace>& problem, int boundary) {
  const std::vector<std::string>& names = problem.binding.constraint_names;
  const auto number = static_cast<std::size_t>(boundary);
  return number < names.size() ? names[number] : problem.binding.problem.natural[number - names.size()].name;
}

/// "'a' and 'b' have a different potential where they meet, at (0, 1) m."
template <class ExecutionSpace>
std::string jump_text(const Fields<ExecutionSpace>& problem, const io::ProblemOptions& options, const ValueJump& jump) {
  std::ostringstream text;
  text << "'" << name_of(problem, jump.first) << "' and '" << name_of(problem, jump.second) << "' have a different "
       << io::traits_of(options).solution.name << " where they meet, at (";
  for (int d = 0; d < problem.summary.dimension; ++d)
    text << (d > 0 ? ", " : "") << jump.at[static_cast<std::size_t>(d)];
  text << ") m.";
  return text.str();
}

/// Advice for a net charge that passes the problem's multipole_ends.
template <class ExecutionSpace>
const char* way_out(const Fields<ExecutionSpace>& problem, const io::ProblemOptions& options) {
  return problem.summary.dimension == 2 && options.symmetry == io::Symmetry::planar
             ? "In the plane a net one has no far field with a limit: a shell whose outer boundary has no condition "
               "lets it be zero."
             : "Give it asymptotic: {order: 0}.";
}

void add_once(std::vector<std::string>& notes, const std::string& note) {
  if (std::find(notes.begin(), notes.end(), note) == notes.end())
    notes.push_back(note);
}

} // namespace

template <class ExecutionSpace>
std::vector<double> boundary_totals(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem,
                                    const io::Case& input, const Solution<ExecutionSpace>& solution,
                                    std::vector<std::string>& notes) {
  Totals totals = problem.totals(exec, solution.nodal, TotalsOf::boundaries);
  const io::PhysicsTraits& traits = io::traits_of(input.problem);
  for (const ValueJump& jump : totals.jumps) {
    const std::string& first = name_of(problem, jump.first);
    const std::string& second = name_of(problem, jump.second);
    std::ostringstream note;
    note << jump_text(problem, input.problem, jump)
         << " The flow from one to the other there is unbounded: " << traits.total.name << "." << first << ", "
         << traits.total.name << "." << second
         << " and quantities computed from them depend on this mesh and grow with each "
         << "refinement.";
    add_once(notes, note.str());
  }
  return totals.inflow;
}

template <class ExecutionSpace>
void note_value_jumps(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem, const io::Case& input,
                      const Solution<ExecutionSpace>& solution, std::vector<std::string>& notes) {
  const std::vector<io::Boundary>& boundaries = input.problem.boundaries;
  if (std::count_if(boundaries.begin(), boundaries.end(), [](const io::Boundary& given) {
        return given.kind == io::BoundaryKind::value || given.kind == io::BoundaryKind::robin;
      }) < 2)
    return;
  for (const ValueJump& jump : problem.totals(exec, solution.nodal, TotalsOf::jumps).jumps)
    add_once(notes, jump_text(problem, input.problem, jump) +
                        " The field there is unbounded: energies and losses depend on this mesh and grow with each "
                        "refinement.");
}

template <class ExecutionSpace>
double net_inflow(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem,
                  const typename Fields<ExecutionSpace>::ConstVector& nodal) {
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
std::string far_field_note(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem, const io::Case& input,
                           const typename Fields<ExecutionSpace>::ConstVector& nodal) {
  const std::vector<physics::NaturalData>& natural = problem.binding.problem.natural;
  std::vector<std::string> charge_ends;
  for (const io::Boundary& boundary : input.problem.boundaries)
    if (boundary.kind == io::BoundaryKind::asymptotic && boundary.order == 0)
      charge_ends.push_back(boundary.group.name);
  const bool is_multipole = charge_ends.empty();
  if (is_multipole && (problem.multipole_ends.empty() || !problem.binding.conductors.empty()))
    return "";
  const std::vector<std::string>& ends = is_multipole ? problem.multipole_ends : charge_ends;
  physics::NaturalTotals all;
  const std::vector<physics::NaturalTotals> totals = problem.natural_totals(exec, nodal);
  for (std::size_t i = 0; i < natural.size(); ++i)
    if (std::find(ends.begin(), ends.end(), natural[i].name) != ends.end()) {
      all.inflow += totals[i].inflow;
      all.energy += totals[i].energy;
      all.conductance += totals[i].conductance;
    }
  if (!(all.energy > 0.))
    return "";
  // For the field of a net charge, a constant value u on the boundary with the inflow alpha u.
  const double share = std::min(all.inflow * all.inflow / (2. * all.conductance * all.energy), 1.);
  const io::PhysicsTraits& traits = io::traits_of(input.problem);
  std::ostringstream note;
  note << "'" << io::joined(ends) << std::setprecision(2) << "' stands for open space by the far field of a ";
  if (!is_multipole && share < charge_share)
    // A condition of order 0 increases a dipole's field by half.
    note << "net " << traits.total.name << " (order 0), but " << std::round(100. * share)
         << " % of the mean square of the " << traits.solution.name
         << " there are of such a field: with a dipole's field for the rest it is off by about "
         << 100. / 3. * std::sqrt(1. - share)
         << " % there, and energies by less. Give it asymptotic: {order: 1}, the far field of a dipole, or move it "
            "farther out.";
  else if (is_multipole && share > net_share_tolerance)
    note << "multipole, which has no net " << traits.total.name << ", but one passes it, of " << all.inflow << ' '
         << traits.total.unit << ", and makes " << 100. * share << " % of the mean square of the "
         << traits.solution.name << " there, which then depends on the size of the mesh. "
         << way_out(problem, input.problem);
  else
    return "";
  return note.str();
}

template <class ExecutionSpace>
std::string net_inflow_note(const Fields<ExecutionSpace>& problem, const io::Case& input, double net, double largest,
                            const std::string& what) {
  if (!(std::fabs(net) > net_tolerance * largest))
    return "";
  const io::PhysicsTraits& traits = io::traits_of(input.problem);
  std::ostringstream note;
  note << "'" << io::joined(problem.multipole_ends)
       << "' stands for open space by the far field of a multipole, which has no net " << traits.total.name
       << ", but one passes it, of " << std::setprecision(3) << 100. * std::fabs(net) / largest
       << " % of the largest of a conductor. " << what << " then depend on the size of the mesh. "
       << way_out(problem, input.problem);
  return note.str();
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template std::vector<double> boundary_totals<SPACE>(const SPACE&, const Fields<SPACE>&, const io::Case&,             \
                                                      const Solution<SPACE>&, std::vector<std::string>&);              \
  template void note_value_jumps<SPACE>(const SPACE&, const Fields<SPACE>&, const io::Case&, const Solution<SPACE>&,   \
                                        std::vector<std::string>&);                                                    \
  template double net_inflow<SPACE>(const SPACE&, const Fields<SPACE>&, const Fields<SPACE>::ConstVector&);            \
  template std::string far_field_note<SPACE>(const SPACE&, const Fields<SPACE>&, const io::Case&,                      \
                                             const Fields<SPACE>::ConstVector&);                                       \
  template std::string net_inflow_note<SPACE>(const Fields<SPACE>&, const io::Case&, double, double,                   \
                                              const std::string&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
