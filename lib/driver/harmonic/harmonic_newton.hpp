// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_HARMONIC_HARMONIC_NEWTON_HPP
#define TESSERA_DRIVER_HARMONIC_HARMONIC_NEWTON_HPP

#include "driver/harmonic/saturated_cores.hpp"

#include <functional>

namespace tessera::driver {

/// Newton's method for a time-harmonic field with saturated iron. The residual is that of complex equations, its
/// derivative is linear for real factors only: linear systems are solved by flexible GMRES with real inner products,
/// preconditioned by the cycle of the system, as accurately as the step can use (S. C. Eisenstat, H. F. Walker, SIAM J.
/// Sci. Comput. 17, 1996, choice 2). A step d is shortened if Re(d^H r) is far below 0 at its end, with the
/// residual r: it falls along the step, as the equations are monotone, and vanishes where the energy is least if
/// nothing conducts.
template <class ExecutionSpace> class HarmonicNewton {
public:
  using Column = ComplexVector<ExecutionSpace>;
  using Vector = linalg::Vector<ExecutionSpace>;

  /// `set_matrix` makes `system` that of the cores' state. All arguments must outlive this object.
  HarmonicNewton(HarmonicSystem<ExecutionSpace>& system, SaturatedCores<ExecutionSpace>& cores,
                 const std::function<void()>& set_matrix, const io::SolverInput& options, PhaseLog& log)
      : system_(system), cores_(cores), set_matrix_(set_matrix), options_(options), log_(log) {}

  /// Solves for the right-hand side b at an angular frequency. `x`: the start if it is not empty and better than rest,
  /// then the solution, which is the cores' state. Complete on return.
  solvers::NewtonResult solve(const ExecutionSpace& exec, double omega, const Column& b, Column& x);

private:
  /// r = b - A x + T x - H(x); returns its norm.
  double residual(const ExecutionSpace& exec, double omega, const Column& b, const Column& x, Column& r);
  /// Adds the step d, or a part of it, to x; returns its length.
  double advance(const ExecutionSpace& exec, double omega, const Column& b, const Column& d, Column& x, Column& r,
                 double& norm, solvers::NewtonResult& result);

  /// The norm of the effect of the unknowns' last bits on the residual.
  double rounding(const ExecutionSpace& exec, double omega, const Column& x);

  HarmonicSystem<ExecutionSpace>& system_;
  SaturatedCores<ExecutionSpace>& cores_;
  const std::function<void()>& set_matrix_;
  const io::SolverInput& options_;
  PhaseLog& log_;
};

} // namespace tessera::driver

#endif
