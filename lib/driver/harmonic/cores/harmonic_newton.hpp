// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_HARMONIC_CORES_HARMONIC_NEWTON_HPP
#define TESSERA_DRIVER_HARMONIC_CORES_HARMONIC_NEWTON_HPP

#include "driver/harmonic/cores/saturated_cores.hpp"

#include <functional>

namespace tessera::driver {

/// Newton's method for a time-harmonic field with saturated iron, and for the currents and voltages that drive it where
/// these follow from linear equations with it, as in a circuit. The residual is that of complex equations, its
/// derivative is linear for real factors only: linear systems are solved by flexible GMRES with real inner products,
/// preconditioned by the cycle of the system, as accurately as the step can use (S. C. Eisenstat, H. F. Walker, SIAM J.
/// Sci. Comput. 17, 1996, choice 2). A step d is shortened if Re(d^H r) is far below 0 at its end, with the
/// residual r: it falls along the step, as the equations are monotone, and vanishes where the energy is least if
/// nothing conducts. What drives the field is eliminated: each step solves for two responses to each of them, as a
/// change is linear for real factors only, and the linear equations hold after each step.
template <class ExecutionSpace> class HarmonicNewton {
public:
  using Column = ComplexVector<ExecutionSpace>;
  using Vector = linalg::Vector<ExecutionSpace>;
  using Complex = std::complex<double>;
  /// Values of the drives for fields x[0] and the sum of Re v_k x[1 + 2 k] + Im v_k x[2 + 2 k] over the drives k. May
  /// change the problem's excitation.
  using Drives = std::function<std::vector<Complex>(const std::vector<Column>& x)>;

  /// `set_matrix` makes `system` that of the cores' state. All arguments must outlive this object.
  HarmonicNewton(HarmonicSystem<ExecutionSpace>& system, SaturatedCores<ExecutionSpace>& cores,
                 const std::function<void()>& set_matrix, const io::SolverInput& options, PhaseLog& log)
      : system_(system), cores_(cores), set_matrix_(set_matrix), options_(options), log_(log) {}

  /// Solves at an angular frequency. `b`: the right-hand sides of the sources and of 1 of each drive. `last`: without
  /// drives the start if it is not empty and better than rest; then the solution, which is the cores' state, and with
  /// drives `x`, its parts for them, at the last step. Complete on return.
  solvers::NewtonResult solve(const ExecutionSpace& exec, double omega, const std::vector<Column>& b,
                              const Drives& drives, Column& last, std::vector<Column>& x);

private:
  /// A field and what drives it.
  struct State {
    Column x;
    std::vector<Complex> drives;
  };

  /// The sources and what the drives add.
  Column right_hand_side(const ExecutionSpace& exec, const std::vector<Column>& b,
                         const std::vector<Complex>& drives) const;
  /// r = b - A x + T x - H(x); returns its norm.
  double residual(const ExecutionSpace& exec, double omega, const std::vector<Column>& b, const State& state,
                  Column& r);
  /// The change for the residual r with this norm. `threshold`: for the residual's norm of the linear system.
  State change(const ExecutionSpace& exec, double omega, const std::vector<Column>& b, const Drives& drives,
               const State& state, const Column& r, double norm, double threshold, solvers::NewtonResult& result);
  /// Adds the step d to the state, or with `searches` a part of it; returns its length.
  double advance(const ExecutionSpace& exec, double omega, const std::vector<Column>& b, const State& d, bool searches,
                 State& state, Column& r, double& norm, solvers::NewtonResult& result);

  /// The norm of the effect of the unknowns' last bits on the residual.
  double rounding(const ExecutionSpace& exec, double omega, const Column& x);

  HarmonicSystem<ExecutionSpace>& system_;
  SaturatedCores<ExecutionSpace>& cores_;
  const std::function<void()>& set_matrix_;
  const io::SolverInput& options_;
  PhaseLog& log_;
  std::vector<Column> responses_; // to 1 and to j of each drive at the last state
};

} // namespace tessera::driver

#endif
