// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_HARMONIC_HARMONIC_SYSTEM_HPP
#define TESSERA_DRIVER_HARMONIC_HARMONIC_SYSTEM_HPP

#include "driver/harmonic/conduction.hpp"
#include "driver/plan/plan.hpp"
#include "driver/problem/problem.hpp"
#include "solvers/harmonic/cocg.hpp"
#include "solvers/harmonic/shifted_multigrid.hpp"

#include <complex>
#include <memory>
#include <vector>

namespace tessera::driver {

/// A complex vector.
template <class ExecutionSpace> struct ComplexVector { linalg::Vector<ExecutionSpace> re, im; };

/// (K + j omega M) a = b for the unknowns of a magnetic problem: K is the matrix of magnetostatics, M that of
/// conduction (docs/theory.md, "Eddy currents"). Matrices and levels serve all frequencies.
template <class ExecutionSpace> class HarmonicSystem {
public:
  using Space = typename ExecutionSpace::memory_space;
  using Vector = linalg::Vector<ExecutionSpace>;
  using Column = ComplexVector<ExecutionSpace>;

  /// Assembles K and M. `problem` and `conduction` must outlive this object.
  HarmonicSystem(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem,
                 Conduction<ExecutionSpace>& conduction, const Plan& plan, PhaseLog& log);

  /// Right-hand side of magnetostatics for the currents of the input, and that of conduction without voltages, which is
  /// minus M times the fixed values: as assembled with the matrices.
  const Vector& first_load() const { return first_load_; }
  const Vector& fixed_load() const { return fixed_load_; }
  /// Right-hand side of magnetostatics for currents of the coils in A, with the problem's other sources and the fixed
  /// values.
  Vector load(const ExecutionSpace& exec, const std::vector<double>& currents) const;
  /// Right-hand side of conduction for voltages of the regions in V.
  Vector conduction_load(const ExecutionSpace& exec, const std::vector<double>& voltages) const;

  /// Solves for several right-hand sides, each at its angular frequency, from zero, four at a time; returns the outcome
  /// of each. Complete on return.
  std::vector<solvers::CocgResult> solve(const ExecutionSpace& exec, const std::vector<double>& omegas,
                                         const std::vector<Column>& b, std::vector<Column>& x);

  std::int64_t n_matrix_entries() const { return static_cast<std::int64_t>(matrix_.m.extent(0)); }

private:
  template <int N>
  void solve_pack(const ExecutionSpace& exec, const std::vector<double>& omegas, const std::vector<Column>& b,
                  std::size_t first, std::vector<Column>& x, std::vector<solvers::CocgResult>& results);

  const Problem<ExecutionSpace>& problem_;
  Conduction<ExecutionSpace>& conduction_;
  io::SolverInput options_;
  std::unique_ptr<assembly::Assembler<ExecutionSpace>> assembler_;
  Vector first_load_;
  Vector fixed_load_;
  solvers::ShiftedMatrix<Space> matrix_;
  solvers::ShiftedRows<double, Space> rows_;
  std::shared_ptr<const solvers::ShiftedLevels<ExecutionSpace>> levels_;
};

} // namespace tessera::driver

#endif
