// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/harmonic/harmonic_system.hpp"

#include "core/keep_alive.hpp"
#include "io/input/case.hpp"
#include "linalg/crs/crs_pieces.hpp"
#include "solvers/harmonic/flexible_gmres.hpp"
#include "solvers/multigrid/hierarchy.hpp"

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

namespace {

/// Those of one process if they are few.
template <class ExecutionSpace>
DistributedUnknowns<ExecutionSpace> unknowns_of_solver(const DistributedUnknowns<ExecutionSpace>& unknowns,
                                                       const solvers::MultigridOptions& options) {
  const std::int64_t n = unknowns.offsets().back();
  return n > solvers::replicated_size(options) ? unknowns
                                               : DistributedUnknowns<ExecutionSpace>(static_cast<index_t>(n));
}

} // namespace

template <class ExecutionSpace>
HarmonicSystem<ExecutionSpace>::HarmonicSystem(const ExecutionSpace& exec, const Levels<ExecutionSpace>& problem,
                                               const DistributedUnknowns<ExecutionSpace>& unknowns, Assembler& k,
                                               Assembler& m, const Plan& plan, const HarmonicTraits& traits,
                                               PhaseLog& log)
    : problem_(problem), unknowns_(unknowns_of_solver(unknowns, plan.solver.multigrid)), options_(plan.solver),
      traits_(traits) {
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
  whole_ = *k.matrix();
  m_ = m.matrix()->values;
  take_rows(exec, whole_.values, m_);
  if (!traits_.adds_terms)
    log.run("solver: set-up", exec, [&] { set_up(exec); });
}

template <class ExecutionSpace>
void HarmonicSystem<ExecutionSpace>::take_rows(const ExecutionSpace& exec, const Vector& k, const Vector& m) {
  const comm::Layout<ExecutionSpace>& layout = unknowns_.layout();
  const auto owned = [&](const Vector& values) {
    const linalg::CrsMatrix<Space> all{whole_.offsets, whole_.columns, values};
    return unknowns_.is_distributed() ? linalg::cut_rows(exec, all, layout.first, layout.first + layout.n_owned) : all;
  };
  matrix_ = {owned(k), owned(m).values};
  if (!unknowns_.is_distributed())
    return;
  if (!ghosts_.is_distributed()) {
    columns_ = make_array<decltype(columns_)>(exec, "driver::harmonic_columns", matrix_.k.columns.extent(0));
    copy(exec, columns_, matrix_.k.columns);
    comm::to_local_indices(exec, layout, columns_);
    ghosts_ = {unknowns_.group(), unknowns_.offsets(), layout};
  }
  matrix_.k.columns = columns_;
}

template <class ExecutionSpace>
ComplexVector<ExecutionSpace> HarmonicSystem<ExecutionSpace>::new_column(const ExecutionSpace& exec) const {
  const std::int64_t n = unknowns_.offsets().back();
  return {make_array<Vector>(exec, "driver::harmonic_re", n), make_array<Vector>(exec, "driver::harmonic_im", n)};
}

template <class ExecutionSpace>
solvers::ComplexColumns<1, typename ExecutionSpace::memory_space>
HarmonicSystem<ExecutionSpace>::packed(const ExecutionSpace& exec, const Column& column) const {
  const index_t n = matrix_.size();
  const auto pack = make_array<solvers::ComplexColumns<1, Space>>(exec, "driver::harmonic_vector", n);
  for_each("tessera::driver::pack_column", exec, n,
           PackColumn<1, Space>{unknowns_.owned_of_all(column.re), unknowns_.owned_of_all(column.im), 0, pack});
  return pack;
}

template <class ExecutionSpace>
template <int N>
ComplexVector<ExecutionSpace>
HarmonicSystem<ExecutionSpace>::unpacked(const ExecutionSpace& exec, const solvers::ConstComplexColumns<N, Space>& pack,
                                         int column) const {
  const Column all = new_column(exec);
  for_each("tessera::driver::unpack_column", exec, matrix_.size(),
           UnpackColumn<N, Space>{pack, column, unknowns_.owned_of_all(all.re), unknowns_.owned_of_all(all.im)});
  unknowns_.gather(exec, all.re);
  unknowns_.gather(exec, all.im);
  return all;
}

template <class ExecutionSpace>
template <int N>
solvers::ShiftedOperator<ExecutionSpace, N>
HarmonicSystem<ExecutionSpace>::make_operator(const ExecutionSpace& exec, const solvers::Shifts<N>& shifts) const {
  solvers::ShiftedOperator<ExecutionSpace, N> system(rows_, ghosts_, unknowns_.sums());
  if (conductors_)
    system.set_conductors(exec, conductors_);
  system.set_shifts(shifts);
  return system;
}

template <class ExecutionSpace>
template <int N>
std::unique_ptr<HarmonicPack<ExecutionSpace, N>>
HarmonicSystem<ExecutionSpace>::make_pack(const ExecutionSpace& exec, const solvers::Shifts<N>& shifts) const {
  std::unique_ptr<HarmonicPack<ExecutionSpace, N>> pack(
      new HarmonicPack<ExecutionSpace, N>{make_operator<N>(exec, shifts), {exec, levels_, shifts}, {}});
  if (conductors_ && deflates(conductors_->n_conductors()))
    pack->deflated.emplace(exec, pack->a, *conductors_, pack->multigrid);
  return pack;
}

template <class ExecutionSpace>
template <int N>
HarmonicPack<ExecutionSpace, N>& HarmonicSystem<ExecutionSpace>::pack_for(const ExecutionSpace& exec,
                                                                          const solvers::Shifts<N>& shifts) {
  auto& kept = std::get<std::unique_ptr<HarmonicPack<ExecutionSpace, N>>>(packs_);
  if (!kept || kept->deflated) {
    packs_ = {}; // frees the memory of another number of columns
    kept = make_pack<N>(exec, shifts);
  } else {
    kept->a.set_shifts(shifts);
    kept->multigrid.set_shifts(exec, shifts);
  }
  return *kept;
}

template <class ExecutionSpace> solvers::CocgOptions HarmonicSystem<ExecutionSpace>::cocg_options() const {
  solvers::CocgOptions options;
  options.relative_tolerance = options_.relative_tolerance;
  options.absolute_tolerance = options_.absolute_tolerance;
  options.max_iterations = options_.max_iterations;
  options.norm = traits_.norm;
  return options;
}

template <class ExecutionSpace>
void HarmonicSystem<ExecutionSpace>::set_conductors(const ExecutionSpace& exec,
                                                    const std::vector<solvers::Conductor>& conductors) {
  packs_ = {};
  const comm::Layout<ExecutionSpace>& layout = unknowns_.layout();
  std::vector<solvers::Conductor> of_owned;
  for (const solvers::Conductor& conductor : conductors) {
    of_owned.push_back({{}, {}, conductor.conductance});
    for (std::size_t i = 0; i < conductor.unknowns.size(); ++i) {
      const index_t unknown = conductor.unknowns[i] - layout.first;
      if (unknown < 0 || unknown >= layout.n_owned)
        continue;
      of_owned.back().unknowns.push_back(unknown);
      of_owned.back().c.push_back(conductor.c[i]);
    }
  }
  conductors_ =
      std::make_shared<const solvers::ConductorRows<ExecutionSpace>>(exec, of_owned, layout.n_owned, unknowns_.group());
}

template <class ExecutionSpace> void HarmonicSystem<ExecutionSpace>::set_up(const ExecutionSpace& exec) {
  packs_ = {}; // those of another K
  levels_.reset();
  rows_ = {};
  solvers::GivenLevels<ExecutionSpace> given;
  if (options_.multigrid.type != solvers::MultigridType::algebraic) {
    if (unknowns_.is_distributed())
      given = problem_.nested_unknowns(exec, unknowns_.shares());
    else
      given = problem_.prolongations(exec, nullptr, options_.multigrid.coarsest_size);
  }
  Vector guide;
  if (traits_.guide > 0.)
    guide = sum_of<ExecutionSpace>(exec, matrix_.k.values, traits_.guide, matrix_.m);
  levels_ = std::make_shared<const solvers::ShiftedLevels<ExecutionSpace>>(
      solvers::make_shifted_levels(exec, unknowns_.group(), unknowns_.sums(), unknowns_.offsets(), unknowns_.layout(),
                                   matrix_, std::move(given), options_.multigrid, guide));
  rows_ = solvers::make_shifted_rows(exec, matrix_, levels_->levels.front().a);
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
  take_rows(exec, with_terms(whole_.values, of_k), with_terms(m_, of_m));
  set_up(exec);
  changes_ = true;
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
    const auto one_x = make_array<solvers::ComplexColumns<1, Space>>(exec, "driver::harmonic_start", n);
    for (std::size_t c = first; c < end; ++c) {
      earlier_.start(exec, make_operator<1>(exec, {all[c]}), packed(exec, b[c]), one_x);
      for_each("tessera::driver::take_start", exec, n,
               TakeStart<N, Space>{one_x, static_cast<int>(c - first), solution});
    }
    exec.fence();
  }
  for (std::size_t c = first; c < end; ++c)
    for_each("tessera::driver::pack_column", exec, n,
             PackColumn<N, Space>{unknowns_.owned_of_all(b[c].re), unknowns_.owned_of_all(b[c].im),
                                  static_cast<int>(c - first), rhs});
  solvers::Shifts<N> shifts;
  for (std::size_t c = 0; c < N; ++c) // those of columns that are not used have no effect
    shifts[c] = all[std::min(first + c, end - 1)];
  const auto& pack = pack_for<N>(exec, shifts);
  const auto outcome =
      solvers::Cocg<ExecutionSpace, N>(cocg_options()).solve(exec, pack.a, pack.preconditioner(), rhs, solution);
  for (std::size_t c = first; c < end; ++c) {
    const int column = static_cast<int>(c - first);
    x.push_back(unpacked<N>(exec, solution, column));
    results.push_back(outcome[static_cast<std::size_t>(column)]);
  }
  exec.fence();
}

template <class ExecutionSpace>
std::vector<solvers::CocgResult>
HarmonicSystem<ExecutionSpace>::solve(const ExecutionSpace& exec, const std::vector<double>& omegas,
                                      const std::vector<Column>& b, bool keeps, std::vector<Column>& x) {
  std::vector<Shift> shifts;
  for (const double omega : omegas)
    shifts.emplace_back(0., omega);
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
  for (std::size_t c = 0; c < x.size(); ++c)
    earlier_.add(exec, make_operator<1>(exec, {shifts[c]}), packed(exec, x[c]));
  return results;
}

template <class ExecutionSpace>
ComplexVector<ExecutionSpace> HarmonicSystem<ExecutionSpace>::from_model(const ExecutionSpace& exec, double omega,
                                                                         const Column& b) const {
  const auto one_x = make_array<solvers::ComplexColumns<1, Space>>(exec, "driver::harmonic_solution", matrix_.size());
  earlier_.start(exec, make_operator<1>(exec, {Shift(0., omega)}), packed(exec, b), one_x);
  const Column x = unpacked<1>(exec, one_x, 0);
  exec.fence();
  return x;
}

template <class ExecutionSpace>
ComplexVector<ExecutionSpace> HarmonicSystem<ExecutionSpace>::residual(const ExecutionSpace& exec, double omega,
                                                                       const Column& b, const Column& x) const {
  const auto product = make_array<solvers::ComplexColumns<1, Space>>(exec, "driver::harmonic_product", matrix_.size());
  make_operator<1>(exec, {Shift(0., omega)}).apply(exec, packed(exec, x), product);
  const Column r = unpacked<1>(exec, product, 0);
  for_each("tessera::driver::subtract_from", exec, unknowns_.offsets().back(),
           SubtractFrom<Space>{b.re, b.im, r.re, r.im});
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
  const auto solution = make_array<Packed>(exec, "driver::harmonic_solution", n);
  const auto& pack = pack_for<1>(exec, {Shift(0., omega)});
  solvers::RealGmresOptions options;
  options.threshold = threshold;
  options.max_iterations = options_.max_iterations;
  const solvers::SolverResult result = solvers::real_gmres<ExecutionSpace>(
      exec,
      [&](const solvers::ConstComplexColumns<1, Space>& from, const Packed& to) {
        pack.a.apply(exec, from, to);
        for_each("tessera::driver::subtract_column", exec, n,
                 SubtractColumn<Space>{packed(exec, load(unpacked<1>(exec, from, 0))), to});
        exec.fence();
      },
      pack.preconditioner(), packed(exec, b), solution, options, unknowns_.sums());
  x = unpacked<1>(exec, solution, 0);
  exec.fence();
  return result;
}

#define TESSERA_INSTANTIATE_PACK(SPACE, N)                                                                             \
  template std::unique_ptr<HarmonicPack<SPACE, N>> HarmonicSystem<SPACE>::make_pack<N>(                                \
      const SPACE&, const solvers::Shifts<N>&) const;
#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  TESSERA_INSTANTIATE_PACK(SPACE, 1)                                                                                   \
  TESSERA_INSTANTIATE_PACK(SPACE, 2)                                                                                   \
  TESSERA_INSTANTIATE_PACK(SPACE, 4)                                                                                   \
  template class HarmonicSystem<SPACE>;                                                                                \
  template linalg::Vector<SPACE> sum_of<SPACE>(const SPACE&, const linalg::ConstVector<SPACE>&, double,                \
                                               const linalg::ConstVector<SPACE>&);                                     \
  template linalg::Vector<SPACE> copy_of_load<SPACE>(const SPACE&, const assembly::Assembler<SPACE>&);                 \
  template void add_multiple<SPACE>(const SPACE&, const ComplexVector<SPACE>&, std::complex<double>,                   \
                                    const ComplexVector<SPACE>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
