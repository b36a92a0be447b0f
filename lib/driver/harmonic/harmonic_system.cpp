// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/harmonic/harmonic_system.hpp"

#include "driver/solve.hpp"

#include <algorithm>

namespace tessera::driver {

namespace {

template <int N, class Space> struct PackColumn {
  Array<const double*, Space> re, im;
  int column;
  solvers::ComplexColumns<N, Space> pack;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    pack(i).column[2 * column] = re(i);
    pack(i).column[2 * column + 1] = im(i);
  }
};

template <int N, class Space> struct UnpackColumn {
  solvers::ComplexColumns<N, Space> pack;
  int column;
  Array<double*, Space> re, im;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    re(i) = pack(i).column[2 * column];
    im(i) = pack(i).column[2 * column + 1];
  }
};

/// An array of its own with the same values.
template <class ExecutionSpace>
linalg::Vector<ExecutionSpace> copy_of(const ExecutionSpace& exec, const linalg::Vector<ExecutionSpace>& x) {
  const auto result = make_array<linalg::Vector<ExecutionSpace>>(exec, "driver::harmonic_load", x.extent(0));
  copy(exec, result, x);
  return result;
}

} // namespace

template <class ExecutionSpace>
HarmonicSystem<ExecutionSpace>::HarmonicSystem(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem,
                                               Conduction<ExecutionSpace>& conduction, const Plan& plan, PhaseLog& log)
    : problem_(problem), conduction_(conduction), options_(plan.solver),
      assembler_(problem.make_assembler(assembly_options(plan))) {
  problem.excite(exec, {});
  assembly::Assembler<ExecutionSpace>& mass = conduction.assembler();
  log.run("assembly: symbolic", exec, [&] {
    assembler_->symbolic(exec);
    mass.symbolic(exec);
  });
  log.run("assembly: numeric", exec, [&] {
    assembler_->numeric(exec);
    mass.numeric(exec);
    first_load_ = copy_of(exec, assembler_->rhs());
    fixed_load_ = copy_of(exec, mass.rhs());
  });
  const linalg::CrsMatrix<Space>* k = assembler_->matrix();
  const linalg::CrsMatrix<Space>* m = mass.matrix();
  TESSERA_REQUIRE(k != nullptr && m != nullptr && k->n_entries() == m->n_entries(),
                  "Eddy currents need an assembled matrix, which assembly.strategy '" << io::name_of(plan.strategy)
                                                                                      << "' does not make.");
  matrix_ = {*k, m->values};
  log.run("solver: set-up", exec, [&] {
    solvers::GivenLevels<ExecutionSpace> given;
    if (options_.multigrid.type != solvers::MultigridType::algebraic)
      given = problem.prolongations(exec, nullptr, options_.multigrid.coarsest_size);
    levels_ = std::make_shared<const solvers::ShiftedLevels<ExecutionSpace>>(
        solvers::make_shifted_levels(exec, matrix_, std::move(given), options_.multigrid));
    rows_ = solvers::ShiftedOperator<ExecutionSpace, 1>(exec, matrix_).rows();
  });
}

template <class ExecutionSpace>
linalg::Vector<ExecutionSpace> HarmonicSystem<ExecutionSpace>::load(const ExecutionSpace& exec,
                                                                    const std::vector<double>& currents) const {
  Excitation excitation;
  excitation.currents = currents;
  problem_.excite(exec, excitation);
  assembler_->load(exec);
  return copy_of(exec, assembler_->rhs());
}

template <class ExecutionSpace>
linalg::Vector<ExecutionSpace>
HarmonicSystem<ExecutionSpace>::conduction_load(const ExecutionSpace& exec, const std::vector<double>& voltages) const {
  conduction_.set_voltages(exec, voltages);
  conduction_.assembler().load(exec);
  return copy_of(exec, conduction_.assembler().rhs());
}

template <class ExecutionSpace>
template <int N>
void HarmonicSystem<ExecutionSpace>::solve_pack(const ExecutionSpace& exec, const std::vector<double>& omegas,
                                                const std::vector<Column>& b, std::size_t first, std::vector<Column>& x,
                                                std::vector<solvers::CocgResult>& results) {
  const index_t n = matrix_.size();
  const auto rhs = make_array<solvers::ComplexColumns<N, Space>>(exec, "driver::harmonic_rhs", n);
  const auto solution = make_array<solvers::ComplexColumns<N, Space>>(exec, "driver::harmonic_solution", n);
  fill(exec, rhs, {}); // columns that are not used
  fill(exec, solution, {});
  const std::size_t end = std::min<std::size_t>(b.size(), first + N);
  for (std::size_t c = first; c < end; ++c)
    for_each("tessera::driver::pack_column", exec, n,
             PackColumn<N, Space>{b[c].re, b[c].im, static_cast<int>(c - first), rhs});
  solvers::Shifts<N> shifts;
  for (std::size_t c = 0; c < N; ++c) // those of columns that are not used have no effect
    shifts[c] = {0., omegas[std::min(first + c, end - 1)]};
  solvers::ShiftedOperator<ExecutionSpace, N> system(rows_);
  system.set_shifts(shifts);
  const solvers::ShiftedMultigrid<ExecutionSpace, N> multigrid(exec, levels_, shifts);
  solvers::CocgOptions options;
  options.relative_tolerance = options_.relative_tolerance;
  options.absolute_tolerance = options_.absolute_tolerance;
  options.max_iterations = options_.max_iterations;
  const auto outcome = solvers::Cocg<ExecutionSpace, N>(options).solve(exec, system, multigrid, rhs, solution);
  for (std::size_t c = first; c < end; ++c) {
    const int column = static_cast<int>(c - first);
    Column part{make_array<Vector>(exec, "driver::harmonic_re", n), make_array<Vector>(exec, "driver::harmonic_im", n)};
    for_each("tessera::driver::unpack_column", exec, n, UnpackColumn<N, Space>{solution, column, part.re, part.im});
    x.push_back(part);
    results.push_back(outcome[static_cast<std::size_t>(column)]);
  }
  exec.fence();
}

template <class ExecutionSpace>
std::vector<solvers::CocgResult>
HarmonicSystem<ExecutionSpace>::solve(const ExecutionSpace& exec, const std::vector<double>& omegas,
                                      const std::vector<Column>& b, std::vector<Column>& x) {
  std::vector<solvers::CocgResult> results;
  x.clear();
  while (x.size() < b.size()) {
    const std::size_t left = b.size() - x.size();
    if (left > 2)
      solve_pack<4>(exec, omegas, b, x.size(), x, results);
    else if (left == 2)
      solve_pack<2>(exec, omegas, b, x.size(), x, results);
    else
      solve_pack<1>(exec, omegas, b, x.size(), x, results);
  }
  return results;
}

#define TESSERA_INSTANTIATE(SPACE) template class HarmonicSystem<SPACE>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
