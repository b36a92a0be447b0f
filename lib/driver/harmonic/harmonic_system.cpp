// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/harmonic/harmonic_system.hpp"

#include "core/keep_alive.hpp"
#include "io/input/case.hpp"
#include "solvers/harmonic/flexible_gmres.hpp"

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

template <int N, class Space> struct TakeStart {
  solvers::ComplexColumns<1, Space> start;
  int column;
  solvers::ComplexColumns<N, Space> pack;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    pack(i).column[2 * column] = start(i).column[0];
    pack(i).column[2 * column + 1] = start(i).column[1];
  }
};

template <int N, class Space> struct UnpackColumn {
  solvers::ConstComplexColumns<N, Space> pack;
  int column;
  Array<double*, Space> re, im;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    re(i) = pack(i).column[2 * column];
    im(i) = pack(i).column[2 * column + 1];
  }
};

/// Fewer conductors of given currents cost few iterations; for more the directions take more time and memory than the
/// iterations that they save.
bool deflates(int n_conductors) { return n_conductors >= 3 && n_conductors <= 16; }

template <class Space> struct AddValues {
  Array<const double*, Space> a, b;
  double factor;
  Array<double*, Space> sum;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { sum(i) = a(i) + factor * b(i); }
};

/// y -= x
template <class Space> struct SubtractColumn {
  solvers::ComplexColumns<1, Space> x, y;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    for (int k = 0; k < 2; ++k)
      y(i).column[k] -= x(i).column[k];
  }
};

/// y = b - y
template <class Space> struct SubtractFrom {
  Array<const double*, Space> b_re, b_im;
  Array<double*, Space> re, im;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    re(i) = b_re(i) - re(i);
    im(i) = b_im(i) - im(i);
  }
};

template <class Space> struct AddMultiple {
  Array<const double*, Space> from_re, from_im;
  double re, im;
  Array<double*, Space> to_re, to_im;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const double x = from_re(i);
    const double y = from_im(i);
    to_re(i) += re * x - im * y;
    to_im(i) += re * y + im * x;
  }
};

} // namespace

template <class ExecutionSpace>
linalg::Vector<ExecutionSpace> sum_of(const ExecutionSpace& exec, const linalg::ConstVector<ExecutionSpace>& a,
                                      double factor, const linalg::ConstVector<ExecutionSpace>& b) {
  const auto sum = make_array<linalg::Vector<ExecutionSpace>>(exec, "driver::harmonic_values", a.extent(0));
  for_each("tessera::driver::add_values", exec, static_cast<std::int64_t>(a.extent(0)),
           AddValues<typename ExecutionSpace::memory_space>{a, b, factor, sum});
  return sum;
}

template <class ExecutionSpace>
linalg::Vector<ExecutionSpace> copy_of_load(const ExecutionSpace& exec,
                                            const assembly::Assembler<ExecutionSpace>& assembler) {
  const auto result =
      make_array<linalg::Vector<ExecutionSpace>>(exec, "driver::harmonic_load", assembler.rhs().extent(0));
  copy(exec, result, assembler.rhs());
  return result;
}

template <class ExecutionSpace>
void add_multiple(const ExecutionSpace& exec, const ComplexVector<ExecutionSpace>& from, std::complex<double> factor,
                  const ComplexVector<ExecutionSpace>& to) {
  for_each(
      "tessera::driver::add_multiple", exec, static_cast<std::int64_t>(to.re.extent(0)),
      AddMultiple<typename ExecutionSpace::memory_space>{from.re, from.im, factor.real(), factor.imag(), to.re, to.im});
}

template <class ExecutionSpace>
HarmonicSystem<ExecutionSpace>::HarmonicSystem(const ExecutionSpace& exec, const Levels<ExecutionSpace>& problem,
                                               Assembler& k, Assembler& m, const Plan& plan,
                                               const HarmonicTraits& traits, PhaseLog& log)
    : problem_(problem), options_(plan.solver), traits_(traits) {
  log.run("assembly: symbolic", exec, [&] {
    k.symbolic(exec);
    m.symbolic(exec);
  });
  log.run("assembly: numeric", exec, [&] {
    k.numeric(exec);
    m.numeric(exec);
  });
  TESSERA_REQUIRE(k.matrix() != nullptr && m.matrix() != nullptr && k.matrix()->n_entries() == m.matrix()->n_entries(),
                  "Time-harmonic problems need an assembled matrix, which assembly.strategy '"
                      << io::name_of(plan.strategy) << "' does not make.");
  matrix_ = {*k.matrix(), m.matrix()->values};
  k_ = matrix_.k.values;
  m_ = matrix_.m;
  if (!traits_.adds_terms)
    log.run("solver: set-up", exec, [&] { set_up(exec); });
}

template <class ExecutionSpace> void HarmonicSystem<ExecutionSpace>::set_up(const ExecutionSpace& exec) {
  levels_.reset(); // those of another K
  rows_ = {};
  solvers::GivenLevels<ExecutionSpace> given;
  if (options_.multigrid.type != solvers::MultigridType::algebraic)
    given = problem_.prolongations(exec, nullptr, options_.multigrid.coarsest_size);
  Vector guide;
  if (traits_.guide > 0.)
    guide = sum_of<ExecutionSpace>(exec, matrix_.k.values, traits_.guide, matrix_.m);
  levels_ = std::make_shared<const solvers::ShiftedLevels<ExecutionSpace>>(
      solvers::make_shifted_levels(exec, matrix_, std::move(given), options_.multigrid, guide));
  rows_ = solvers::ShiftedOperator<ExecutionSpace, 1>(exec, matrix_).rows();
  keep_alive(exec, guide);
}

template <class ExecutionSpace>
void HarmonicSystem<ExecutionSpace>::set_terms(const ExecutionSpace& exec, const std::vector<Term>& of_k,
                                               const std::vector<Term>& of_m) {
  const auto with_terms = [&](Vector sum, const std::vector<Term>& terms) {
    for (const Term& term : terms)
      sum = sum_of<ExecutionSpace>(exec, sum, term.factor, term.values);
    return sum;
  };
  matrix_.k.values = with_terms(k_, of_k);
  matrix_.m = with_terms(m_, of_m);
  set_up(exec);
  changes_ = true;
}

template <class ExecutionSpace>
solvers::ShiftedOperator<ExecutionSpace, 1> HarmonicSystem<ExecutionSpace>::operator_at(const ExecutionSpace& exec,
                                                                                        Shift shift) const {
  solvers::ShiftedOperator<ExecutionSpace, 1> system(rows_);
  system.set_shifts({shift});
  if (conductors_)
    system.set_conductors(exec, conductors_);
  return system;
}

template <class ExecutionSpace>
template <int N>
const solvers::ShiftedPreconditioner<ExecutionSpace, N>&
HarmonicSystem<ExecutionSpace>::preconditioner(const ExecutionSpace& exec,
                                               const solvers::ShiftedOperator<ExecutionSpace, N>& system,
                                               const solvers::ShiftedMultigrid<ExecutionSpace, N>& multigrid,
                                               std::optional<solvers::Deflated<ExecutionSpace, N>>& deflated) const {
  if (!conductors_ || !deflates(conductors_->n_conductors()))
    return multigrid;
  return deflated.emplace(exec, system, *conductors_, multigrid);
}

template <class ExecutionSpace>
template <int N>
void HarmonicSystem<ExecutionSpace>::solve_pack(const ExecutionSpace& exec, const std::vector<Shift>& all,
                                                const std::vector<Column>& b, std::size_t first, std::vector<Column>& x,
                                                std::vector<solvers::CocgResult>& results) {
  const index_t n = matrix_.size();
  const auto rhs = make_array<solvers::ComplexColumns<N, Space>>(exec, "driver::harmonic_rhs", n);
  const auto solution = make_array<solvers::ComplexColumns<N, Space>>(exec, "driver::harmonic_solution", n);
  fill(exec, rhs, {}); // columns that are not used
  fill(exec, solution, {});
  const std::size_t end = std::min<std::size_t>(b.size(), first + N);
  if (earlier_.n_solutions() > 0) {
    const auto one_b = make_array<solvers::ComplexColumns<1, Space>>(exec, "driver::harmonic_rhs", n);
    const auto one_x = make_array<solvers::ComplexColumns<1, Space>>(exec, "driver::harmonic_start", n);
    for (std::size_t c = first; c < end; ++c) {
      for_each("tessera::driver::pack_column", exec, n, PackColumn<1, Space>{b[c].re, b[c].im, 0, one_b});
      earlier_.start(exec, operator_at(exec, all[c]), one_b, one_x);
      for_each("tessera::driver::take_start", exec, n,
               TakeStart<N, Space>{one_x, static_cast<int>(c - first), solution});
    }
    exec.fence();
  }
  for (std::size_t c = first; c < end; ++c)
    for_each("tessera::driver::pack_column", exec, n,
             PackColumn<N, Space>{b[c].re, b[c].im, static_cast<int>(c - first), rhs});
  solvers::Shifts<N> shifts;
  for (std::size_t c = 0; c < N; ++c) // those of columns that are not used have no effect
    shifts[c] = all[std::min(first + c, end - 1)];
  solvers::ShiftedOperator<ExecutionSpace, N> system(rows_);
  system.set_shifts(shifts);
  const solvers::ShiftedMultigrid<ExecutionSpace, N> multigrid(exec, levels_, shifts);
  solvers::CocgOptions options;
  options.relative_tolerance = options_.relative_tolerance;
  options.absolute_tolerance = options_.absolute_tolerance;
  options.max_iterations = options_.max_iterations;
  options.norm = traits_.norm;
  std::optional<solvers::Deflated<ExecutionSpace, N>> deflated;
  if (conductors_)
    system.set_conductors(exec, conductors_);
  const auto& cycle = preconditioner<N>(exec, system, multigrid, deflated);
  const auto outcome = solvers::Cocg<ExecutionSpace, N>(options).solve(exec, system, cycle, rhs, solution);
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
HarmonicSystem<ExecutionSpace>::solve_shifts(const ExecutionSpace& exec, const std::vector<Shift>& shifts,
                                             const std::vector<Column>& b, bool keeps, std::vector<Column>& x) {
  std::vector<solvers::CocgResult> results;
  x.clear();
  while (x.size() < b.size()) {
    const std::size_t left = b.size() - x.size();
    if (left > 2)
      solve_pack<4>(exec, shifts, b, x.size(), x, results);
    else if (left == 2)
      solve_pack<2>(exec, shifts, b, x.size(), x, results);
    else
      solve_pack<1>(exec, shifts, b, x.size(), x, results);
  }
  if (!keeps || changes_)
    return results;
  const auto one = make_array<solvers::ComplexColumns<1, Space>>(exec, "driver::harmonic_solution", matrix_.size());
  for (std::size_t c = 0; c < x.size(); ++c) {
    for_each("tessera::driver::pack_column", exec, matrix_.size(), PackColumn<1, Space>{x[c].re, x[c].im, 0, one});
    earlier_.add(exec, operator_at(exec, shifts[c]), one);
  }
  return results;
}

template <class ExecutionSpace>
std::vector<solvers::CocgResult>
HarmonicSystem<ExecutionSpace>::solve(const ExecutionSpace& exec, const std::vector<double>& omegas,
                                      const std::vector<Column>& b, bool keeps, std::vector<Column>& x) {
  std::vector<Shift> shifts;
  for (const double omega : omegas)
    shifts.emplace_back(0., omega);
  return solve_shifts(exec, shifts, b, keeps, x);
}

template <class ExecutionSpace>
std::vector<solvers::CocgResult> HarmonicSystem<ExecutionSpace>::add_to_model(const ExecutionSpace& exec,
                                                                              const std::vector<double>& shifts,
                                                                              const std::vector<Column>& b) {
  std::vector<Column> x;
  return solve_shifts(exec, {shifts.begin(), shifts.end()}, b, true, x);
}

template <class ExecutionSpace>
ComplexVector<ExecutionSpace> HarmonicSystem<ExecutionSpace>::from_model(const ExecutionSpace& exec, double omega,
                                                                         const Column& b) const {
  const index_t n = matrix_.size();
  const auto one_b = make_array<solvers::ComplexColumns<1, Space>>(exec, "driver::harmonic_rhs", n);
  const auto one_x = make_array<solvers::ComplexColumns<1, Space>>(exec, "driver::harmonic_solution", n);
  const Column x{make_array<Vector>(exec, "driver::harmonic_re", n),
                 make_array<Vector>(exec, "driver::harmonic_im", n)};
  for_each("tessera::driver::pack_column", exec, n, PackColumn<1, Space>{b.re, b.im, 0, one_b});
  earlier_.start(exec, operator_at(exec, {0., omega}), one_b, one_x);
  for_each("tessera::driver::unpack_column", exec, n, UnpackColumn<1, Space>{one_x, 0, x.re, x.im});
  exec.fence();
  return x;
}

template <class ExecutionSpace>
ComplexVector<ExecutionSpace> HarmonicSystem<ExecutionSpace>::residual(const ExecutionSpace& exec, double omega,
                                                                       const Column& b, const Column& x) const {
  const index_t n = matrix_.size();
  const auto packed = make_array<solvers::ComplexColumns<1, Space>>(exec, "driver::harmonic_vector", n);
  const auto product = make_array<solvers::ComplexColumns<1, Space>>(exec, "driver::harmonic_product", n);
  for_each("tessera::driver::pack_column", exec, n, PackColumn<1, Space>{x.re, x.im, 0, packed});
  operator_at(exec, {0., omega}).apply(exec, packed, product);
  Column r{make_array<Vector>(exec, "driver::harmonic_re", n), make_array<Vector>(exec, "driver::harmonic_im", n)};
  for_each("tessera::driver::unpack_column", exec, n, UnpackColumn<1, Space>{product, 0, r.re, r.im});
  for_each("tessera::driver::subtract_from", exec, n, SubtractFrom<Space>{b.re, b.im, r.re, r.im});
  exec.fence();
  return r;
}

template <class ExecutionSpace>
solvers::SolverResult HarmonicSystem<ExecutionSpace>::solve_real(const ExecutionSpace& exec, double omega,
                                                                 const Column& b,
                                                                 const std::function<Column(const Column&)>& load,
                                                                 double threshold, Column& x) {
  using Packed = solvers::ComplexColumns<1, Space>;
  const index_t n = matrix_.size();
  const auto rhs = make_array<Packed>(exec, "driver::harmonic_rhs", n);
  const auto solution = make_array<Packed>(exec, "driver::harmonic_solution", n);
  const auto term = make_array<Packed>(exec, "driver::harmonic_term", n);
  for_each("tessera::driver::pack_column", exec, n, PackColumn<1, Space>{b.re, b.im, 0, rhs});
  const solvers::ShiftedOperator<ExecutionSpace, 1> system = operator_at(exec, {0., omega});
  const solvers::ShiftedMultigrid<ExecutionSpace, 1> multigrid(exec, levels_, {std::complex<double>(0., omega)});
  std::optional<solvers::Deflated<ExecutionSpace, 1>> deflated;
  x = {make_array<Vector>(exec, "driver::harmonic_re", n), make_array<Vector>(exec, "driver::harmonic_im", n)};
  solvers::RealGmresOptions options;
  options.threshold = threshold;
  options.max_iterations = options_.max_iterations;
  const solvers::SolverResult result = solvers::real_gmres<ExecutionSpace>(
      exec,
      [&](const solvers::ConstComplexColumns<1, Space>& from, const Packed& to) {
        system.apply(exec, from, to);
        for_each("tessera::driver::unpack_column", exec, n, UnpackColumn<1, Space>{from, 0, x.re, x.im});
        const Column added = load(x);
        for_each("tessera::driver::pack_column", exec, n, PackColumn<1, Space>{added.re, added.im, 0, term});
        for_each("tessera::driver::subtract_column", exec, n, SubtractColumn<Space>{term, to});
        exec.fence();
      },
      preconditioner<1>(exec, system, multigrid, deflated), rhs, solution, options);
  for_each("tessera::driver::unpack_column", exec, n, UnpackColumn<1, Space>{solution, 0, x.re, x.im});
  exec.fence();
  return result;
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template class HarmonicSystem<SPACE>;                                                                                \
  template linalg::Vector<SPACE> sum_of<SPACE>(const SPACE&, const linalg::ConstVector<SPACE>&, double,                \
                                               const linalg::ConstVector<SPACE>&);                                     \
  template linalg::Vector<SPACE> copy_of_load<SPACE>(const SPACE&, const assembly::Assembler<SPACE>&);                 \
  template void add_multiple<SPACE>(const SPACE&, const ComplexVector<SPACE>&, std::complex<double>,                   \
                                    const ComplexVector<SPACE>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
