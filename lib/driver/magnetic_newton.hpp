// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_MAGNETIC_NEWTON_HPP
#define TESSERA_DRIVER_MAGNETIC_NEWTON_HPP

/// \file
/// Magnetostatics with B-H curves, as Newton's method sees it: any assembly strategy, repeated at every iterate.

#include "driver/linear_solver.hpp"
#include "physics/magnetic_problem.hpp"
#include "solvers/newton.hpp"

#include <cmath>
#include <functional>
#include <memory>

namespace tessera::driver {

/// The pattern, lists or colours of the assembler must be there (symbolic()); all arrays are allocated once.
template <class ExecutionSpace, class Form>
class MagneticSystem final : public solvers::NonlinearSystem<ExecutionSpace> {
public:
  using Base = solvers::NonlinearSystem<ExecutionSpace>;
  using typename Base::const_vector_type;
  using typename Base::operator_type;
  using typename Base::vector_type;
  using Space = typename ExecutionSpace::memory_space;
  using Assembler = assembly::Assembler<ExecutionSpace>;
  /// Runs a piece of work as a phase of that name.
  using Runner = std::function<void(const std::string& phase, const std::function<void()>& work)>;
  using MakePreconditioner =
      std::function<std::unique_ptr<solvers::Preconditioner<ExecutionSpace>>(const ExecutionSpace&)>;

  MagneticSystem(const ExecutionSpace& exec, const Form& form, const fe::DofMap<Space>& dofs, Assembler& assembler,
                 MakePreconditioner make_preconditioner, io::SolverMethod method, solvers::PcgOptions options,
                 Runner runner)
      : form_(form), dofs_(dofs), assembler_(assembler), make_preconditioner_(std::move(make_preconditioner)),
        method_(method), options_(std::move(options)), runner_(std::move(runner)),
        from_(make_array<vector_type>(exec, "driver::newton_from", form.iterate.extent(0))),
        to_(make_array<vector_type>(exec, "driver::newton_to", form.iterate.extent(0))),
        slope_(make_array<vector_type>(exec, "driver::newton_slope", 1)), workspace_(exec, form.n_elements(), 1) {}

  void linearize_at_rest(const ExecutionSpace& exec) override {
    runner_("assembly: numeric", [&] {
      fill(exec, form_.iterate, 0.);
      assembler_.numeric(exec);
    });
  }
  void linearize(const ExecutionSpace& exec, const const_vector_type& x) override {
    runner_("assembly: numeric", [&] {
      fe::expand(exec, dofs_, x, form_.iterate);
      assembler_.numeric(exec);
    });
  }
  const operator_type& system() const override { return assembler_.system(); }
  const_vector_type rhs() const override { return assembler_.rhs(); }

  solvers::PcgResult solve(const ExecutionSpace& exec, double threshold, const vector_type& x) override {
    std::unique_ptr<solvers::Preconditioner<ExecutionSpace>> preconditioner;
    runner_("solver: set-up", [&] { preconditioner = make_preconditioner_(exec); });
    options_.relative_tolerance = 0.;
    options_.absolute_tolerance = threshold;
    options_.largest_residual = INFINITY; // far from the solution a rough one does
    solvers::PcgResult result;
    runner_("solver: pcg", [&] { result = solve_system(exec, method_, options_, assembler_, *preconditioner, x); });
    options_.look_for_constant_null_space = false; // once is enough
    return result;
  }

  void set_line(const ExecutionSpace& exec, const const_vector_type& x, const const_vector_type& target) override {
    runner_("solver: line search", [&] {
      fe::expand(exec, dofs_, x, from_);
      fe::expand(exec, dofs_, target, to_);
    });
  }
  double slope(const ExecutionSpace& exec, double s) override {
    double value = 0.;
    runner_("solver: line search", [&] {
      value =
          physics::energy_slope(exec, form_, const_vector_type(from_), const_vector_type(to_), s, workspace_, slope_);
    });
    return value;
  }

private:
  const Form& form_;
  const fe::DofMap<Space>& dofs_;
  Assembler& assembler_;
  MakePreconditioner make_preconditioner_;
  io::SolverMethod method_;
  solvers::PcgOptions options_;
  Runner runner_;
  vector_type from_; // at all nodes, like to_
  vector_type to_;
  vector_type slope_; // one entry
  ReduceWorkspace<ExecutionSpace> workspace_;
};

/// Newton's options of the input.
inline solvers::NewtonOptions newton_options(const io::SolverOptions& options) {
  solvers::NewtonOptions newton;
  newton.relative_tolerance = options.nonlinear.relative_tolerance;
  newton.max_iterations = options.nonlinear.max_iterations;
  newton.line_search = options.nonlinear.line_search;
  newton.linear_tolerance = options.relative_tolerance;
  return newton;
}

} // namespace tessera::driver

#endif
