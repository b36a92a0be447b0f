// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_EQUATIONS_HPP
#define TESSERA_DRIVER_PROBLEM_EQUATIONS_HPP

#include "assembly/assembler.hpp"
#include "driver/context.hpp"
#include "driver/problem/carried_values.hpp"
#include "driver/problem/problem_data.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tessera::driver {

template <class ExecutionSpace> class Conduction;

/// Data other than the form that may change between solves of one problem. What is empty is that of the binding.
struct Excitation {
  std::vector<physics::Expression> fixed_values; ///< one per constraint; those of floating ones are not used
  std::vector<double> currents;                  ///< of the coils, A
  physics::Expression initial_guess;
  std::string initial_guess_where; ///< place in the input, for errors
};

/// Balance of the equations at a solution (docs/theory.md, "Rounding of flows"), of a connected part of the mesh
/// (ConnectedParts).
struct Balance {
  double residual = 0.; ///< inflow into the nodes of no boundary minus the sources there: 0 for an exact solution
  double size = 0.;     ///< sum of the magnitudes of all flows between elements
  std::vector<double> rounding; ///< by boundary: effect of the solution's rounding on its total
  std::vector<double> totals;   ///< by boundary: what flows through it into this part; empty: the mesh is one part
  std::vector<double> natural;  ///< by natural condition, likewise
  std::vector<group_t> regions; ///< of this part's elements, likewise
};

/// The equations of a problem: assemblers, data that change between solves, residuals. `nodal` are values at all nodes
/// of the space.
template <class ExecutionSpace> class Equations : public virtual ProblemData<ExecutionSpace> {
public:
  using typename ProblemData<ExecutionSpace>::Space;
  using typename ProblemData<ExecutionSpace>::Vector;
  using typename ProblemData<ExecutionSpace>::ConstVector;

  /// `part`: the assembler is that of a part's elements, for its unknowns; it shares the form's data of nodes, regions
  /// and facets. Null: of all.
  virtual std::unique_ptr<assembly::Assembler<ExecutionSpace>>
  make_assembler(const assembly::AssemblyOptions& options, const fe::DofPart<Space>* part = nullptr) const = 0;

  /// Conduction in the regions of a magnetic problem; `conductivity` of each, S/m
  /// (driver/harmonic/circuits/conduction.hpp).
  virtual std::unique_ptr<Conduction<ExecutionSpace>>
  make_conduction(const ExecutionSpace& exec, const std::vector<double>& conductivity) const = 0;

  /// Switches to another binding of the same mesh with constraints on the same groups, whose data apply from the next
  /// numeric() of an assembler on; `form_is_same`: only fixed values and currents of coils differ, and the next load()
  /// suffices. Returns false, doing nothing, if the problem must be made again.
  virtual bool renew(const ExecutionSpace& exec, const ProblemBinding& binding, FormKind form, bool form_is_same,
                     Context& context) = 0;
  /// Sets fixed values and currents for the next right-hand side of an assembler.
  virtual void excite(const ExecutionSpace& exec, const Excitation& excitation) const = 0;
  /// `where` is used in the error for a value that is not finite.
  virtual void interpolate(const ExecutionSpace& exec, const physics::Expression& expression, const Vector& nodal,
                           const std::string& where) const = 0;

  /// Good conductors that carry values of boundaries into the domain; found at the first call. None for magnetic
  /// problems. Collective.
  virtual const CarriedValues<ExecutionSpace>& carried_values(const ExecutionSpace& exec) const = 0;
  /// Replaces them, for a problem that is one of the terms of an equation.
  virtual void set_carried_values(const CarriedValues<ExecutionSpace>& carried) = 0;
  /// f - K u at all unknowns, [n_free], by differences of u (physics::residual_rows): accurate even if the product with
  /// the matrix is dominated by the rounding of large entries. In a part valid at owned unknowns. Collective.
  virtual Vector residual(const ExecutionSpace& exec, const ConstVector& nodal) const = 0;
  /// Of each connected part of the mesh. Collective.
  virtual std::vector<Balance> balances(const ExecutionSpace& exec, const ConstVector& nodal) const = 0;

  /// Of problems with storage (physics::DiffusionProblem::has_storage): sets fixed values, sources and conditions to
  /// those of an instant, s.
  virtual void set_time(const ExecutionSpace& exec, double t) = 0;
  /// Their storage: its rate, [1], 1/s, and the values at all nodes from which changes are counted. The caller may
  /// change both: for residuals at once, for matrices from the next numeric() of an assembler on.
  struct Storage {
    Vector rate;
    Vector earlier;
  };
  virtual Storage storage() const = 0;
  /// Where capacities depend on the solution: counts what is stored from a weighted sum of the heat at earlier nodal
  /// values (physics::ThermalMaterials::count_from). Returns false elsewhere, where Storage::earlier is that sum.
  virtual bool count_from(const ExecutionSpace& exec, const std::vector<std::pair<double, ConstVector>>& values) = 0;

  /// Of problems that take losses (physics::DiffusionProblem::takes_losses): adds those of current flow on the same
  /// mesh, linearised at the temperatures, to the sources.
  virtual void take_losses(const ExecutionSpace& exec, const Equations& current,
                           const ConstVector& potential) const = 0;

  /// Values at all nodes that linearize() uses; empty for linear problems.
  virtual Vector iterate() const = 0;
  virtual void linearize(const ExecutionSpace& exec) const = 0;
  /// Linearises at zero field, or at the temperature of the surroundings.
  virtual void linearize_at_rest(const ExecutionSpace& exec) const = 0;
  /// Of materials that depend on temperature, at the last linearisation: throws if a coefficient is not positive there.
  /// Collective.
  virtual void check_materials(const ExecutionSpace& exec) const = 0;
  /// Notes on temperatures beyond tables, at all calls of check_materials(). Collective.
  virtual std::vector<std::string> material_notes() const = 0;
  /// dW/ds of the energy whose minimum is the solution, on the line from + s (to - from); call linearize() afterwards.
  /// `sums`: element_sums().
  virtual double energy_slope(const ExecutionSpace& exec, const ConstVector& from, const ConstVector& to, double s,
                              const linalg::ElementSums<ExecutionSpace>& sums) const = 0;
};

} // namespace tessera::driver

#endif
