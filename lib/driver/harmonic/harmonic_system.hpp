// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_HARMONIC_HARMONIC_SYSTEM_HPP
#define TESSERA_DRIVER_HARMONIC_HARMONIC_SYSTEM_HPP

#include "assembly/assembler.hpp"
#include "core/timer.hpp"
#include "driver/plan/plan.hpp"
#include "driver/problem/levels.hpp"
#include "driver/solution/distributed_unknowns.hpp"
#include "solvers/harmonic/cocg.hpp"
#include "solvers/harmonic/conductor_rows.hpp"
#include "solvers/harmonic/deflated.hpp"
#include "solvers/harmonic/shifted_multigrid.hpp"
#include "solvers/harmonic/solution_projection.hpp"
#include "solvers/results.hpp"

#include <complex>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace tessera::driver {

/// A complex vector.
template <class ExecutionSpace> struct ComplexVector { linalg::Vector<ExecutionSpace> re, im; };

/// What the coefficients of a time-harmonic problem require of its solver.
struct HarmonicTraits {
  solvers::ResidualNorm norm = solvers::ResidualNorm::euclidean;
  /// Above 0: levels are chosen by K + guide M, because K alone may be singular; at most the smallest omega (1/s).
  double guide = 0.;
  bool adds_terms = false; ///< set_terms() is called before the first solution
};

/// Operator and preconditioner of N columns, each with its own shift.
template <class ExecutionSpace, int N> struct HarmonicPack {
  solvers::ShiftedOperator<ExecutionSpace, N> a;
  solvers::ShiftedMultigrid<ExecutionSpace, N> multigrid;
  std::optional<solvers::Deflated<ExecutionSpace, N>>
      deflated; ///< refers to the others, if directions of conductors pay

  const solvers::ShiftedPreconditioner<ExecutionSpace, N>& preconditioner() const {
    if (deflated)
      return *deflated;
    return multigrid;
  }
};

/// (K + j omega M) a = b for the unknowns of a problem: of K and M by two assemblers with the same unknowns. Matrices
/// and levels serve all frequencies. Several processes have the whole problem each; vectors below are of all unknowns,
/// but the solver's rows, levels and vectors of the owned ones, unless these are so few that every process solves for
/// all of them (solvers::replicated_size()). Collective then.
template <class ExecutionSpace> class HarmonicSystem {
public:
  using Space = typename ExecutionSpace::memory_space;
  using Vector = linalg::Vector<ExecutionSpace>;
  using Column = ComplexVector<ExecutionSpace>;
  using Assembler = assembly::Assembler<ExecutionSpace>;

  /// Assembles K and M. `problem`, which has the coarser levels, its unknowns and the assemblers must outlive this
  /// object.
  HarmonicSystem(const ExecutionSpace& exec, const Levels<ExecutionSpace>& problem,
                 const DistributedUnknowns<ExecutionSpace>& unknowns, Assembler& k, Assembler& m, const Plan& plan,
                 const HarmonicTraits& traits, PhaseLog& log);

  /// A multiple of a matrix whose values are in the same places as those of K and M.
  struct Term {
    double factor;
    linalg::ConstVector<ExecutionSpace> values;
  };
  /// Replaces K and M by the assembled ones plus terms.
  void set_terms(const ExecutionSpace& exec, const std::vector<Term>& of_k, const std::vector<Term>& of_m);

  /// Replaces M by M - C G^-1 C^T for conductors of given currents.
  void set_conductors(const ExecutionSpace& exec, const std::vector<solvers::Conductor>& conductors);

  /// Solves for several right-hand sides, each at its angular frequency, four at a time; returns the outcome of each.
  /// Starts from projections onto the solutions of earlier calls with `keeps`, the last eight of which are kept, unless
  /// K or M have changed. Complete on return.
  std::vector<solvers::CocgResult> solve(const ExecutionSpace& exec, const std::vector<double>& omegas,
                                         const std::vector<Column>& b, bool keeps, std::vector<Column>& x);

  /// Begins a model of all solutions by those that the next calls of solve() with `keeps` find: start vectors are
  /// projections onto all of these, at most `most`.
  void start_model(int most) { earlier_ = solvers::SolutionProjection<ExecutionSpace>(most); }
  /// The model's solution for an angular frequency. Complete on return.
  Column from_model(const ExecutionSpace& exec, double omega, const Column& b) const;

  /// b - A x at an angular frequency. Does not wait.
  Column residual(const ExecutionSpace& exec, double omega, const Column& b, const Column& x) const;
  /// Solves A x - load(x) = b, with a load that is linear for real factors, to a residual's norm of `threshold` by
  /// flexible GMRES with the cycle for A (solvers/harmonic/flexible_gmres.hpp). Complete on return.
  solvers::SolverResult solve_real(const ExecutionSpace& exec, double omega, const Column& b,
                                   const std::function<Column(const Column& x)>& load, double threshold, Column& x);

  /// What a pack of columns is solved by. Waits. For N = 1, 2 and 4.
  template <int N>
  std::unique_ptr<HarmonicPack<ExecutionSpace, N>> make_pack(const ExecutionSpace& exec,
                                                             const solvers::Shifts<N>& shifts) const;
  const solvers::ShiftedLevels<ExecutionSpace>& levels() const { return *levels_; }
  /// Whether K and M are those of all frequencies: set_terms() is not called.
  bool serves_all_frequencies() const { return !traits_.adds_terms; }
  /// The options of a linear solution.
  solvers::CocgOptions cocg_options() const;

  /// K and M as assembled, without terms.
  const linalg::CrsMatrix<Space>& k() const { return whole_; }
  linalg::CrsMatrix<Space> m() const { return {whole_.offsets, whole_.columns, m_}; }
  /// The owned rows of K and M with terms, without conductors.
  const solvers::ShiftedMatrix<Space>& matrix() const { return matrix_; }
  std::int64_t n_matrix_entries() const { return static_cast<std::int64_t>(m_.extent(0)); }

private:
  using Shift = std::complex<double>;
  template <int N>
  void solve_pack(const ExecutionSpace& exec, const std::vector<Shift>& shifts, const std::vector<Column>& b,
                  std::size_t first, std::vector<Column>& x, std::vector<solvers::CocgResult>& results);

  /// Sets matrix_ to the owned rows of the whole matrices.
  void take_rows(const ExecutionSpace& exec, const Vector& k, const Vector& m);
  void set_up(const ExecutionSpace& exec);
  Column new_column(const ExecutionSpace& exec) const;
  /// The owned entries as a pack, and back, completed to all unknowns.
  solvers::ComplexColumns<1, Space> packed(const ExecutionSpace& exec, const Column& column) const;
  template <int N>
  Column unpacked(const ExecutionSpace& exec, const solvers::ConstComplexColumns<N, Space>& pack, int column) const;
  /// The pack for these shifts; the last one of N columns serves again.
  template <int N>
  HarmonicPack<ExecutionSpace, N>& pack_for(const ExecutionSpace& exec, const solvers::Shifts<N>& shifts);
  template <int N>
  solvers::ShiftedOperator<ExecutionSpace, N> make_operator(const ExecutionSpace& exec,
                                                            const solvers::Shifts<N>& shifts) const;

  const Levels<ExecutionSpace>& problem_;
  DistributedUnknowns<ExecutionSpace> unknowns_; ///< of the solver
  io::SolverInput options_;
  HarmonicTraits traits_;
  linalg::CrsMatrix<Space> whole_; ///< K as assembled
  Vector m_;                       ///< values of M as assembled
  Array<index_t*, Space> columns_; ///< of the owned rows, numbered owned first
  solvers::PackGhosts<ExecutionSpace> ghosts_;
  bool changes_ = false; ///< whether K or M have changed
  solvers::ShiftedMatrix<Space> matrix_;
  solvers::ShiftedRows<double, Space> rows_;
  std::shared_ptr<const solvers::ShiftedLevels<ExecutionSpace>> levels_;
  std::shared_ptr<const solvers::ConductorRows<ExecutionSpace>> conductors_;
  std::tuple<std::unique_ptr<HarmonicPack<ExecutionSpace, 1>>, std::unique_ptr<HarmonicPack<ExecutionSpace, 2>>,
             std::unique_ptr<HarmonicPack<ExecutionSpace, 4>>>
      packs_; ///< at most one
  solvers::SolutionProjection<ExecutionSpace> earlier_;
};

/// A new vector a + factor b.
template <class ExecutionSpace>
linalg::Vector<ExecutionSpace> sum_of(const ExecutionSpace& exec, const linalg::ConstVector<ExecutionSpace>& a,
                                      double factor, const linalg::ConstVector<ExecutionSpace>& b);

/// A copy of the right-hand side that an assembler has computed.
template <class ExecutionSpace>
linalg::Vector<ExecutionSpace> copy_of_load(const ExecutionSpace& exec,
                                            const assembly::Assembler<ExecutionSpace>& assembler);

/// to += factor * from, of complex vectors. Does not wait.
template <class ExecutionSpace>
void add_multiple(const ExecutionSpace& exec, const ComplexVector<ExecutionSpace>& from, std::complex<double> factor,
                  const ComplexVector<ExecutionSpace>& to);

} // namespace tessera::driver

#endif
