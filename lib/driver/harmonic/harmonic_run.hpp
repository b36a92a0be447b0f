// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_HARMONIC_HARMONIC_RUN_HPP
#define TESSERA_DRIVER_HARMONIC_HARMONIC_RUN_HPP

#include "driver/discretization.hpp"
#include "driver/harmonic/harmonic_fields.hpp"
#include "driver/harmonic/harmonic_quantities.hpp"
#include "driver/harmonic/harmonic_system.hpp"
#include "driver/problem/problem.hpp"
#include "driver/solve.hpp"

#include <complex>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tessera::driver {

/// A time-harmonic problem with its solutions: all frequencies are one step. Derived classes have the equations.
/// Written fields and values at points are those of the first frequency.
template <class ExecutionSpace> class HarmonicRun : public Discretization<ExecutionSpace> {
public:
  using Space = typename ExecutionSpace::memory_space;
  using Vector = linalg::Vector<ExecutionSpace>;
  using Column = ComplexVector<ExecutionSpace>;
  using Complex = std::complex<double>;

  bool solve(Results& results) override;
  void write_fields(const io::OutputDirectory* output) override;
  void write_matrix(const io::OutputDirectory& output) override;
  void add_quantities(Results& results) const override { quantities_.add_to(results); }
  std::vector<NormError> errors(const physics::Expression&, const std::vector<physics::Expression>&) const override {
    return {};
  }

  const ProblemSummary& summary() const { return problem_->summary; }
  const HarmonicSystem<ExecutionSpace>& system() const { return *system_; }
  HarmonicSystem<ExecutionSpace>& system() { return *system_; }
  /// Right-hand sides at an angular frequency in 1/s: as many at each.
  virtual std::vector<Column> right_hand_sides(double omega) = 0;
  /// solve() calls this with each solution: its frequency, as an index of those of the problem, and values at all
  /// nodes.
  std::function<void(std::size_t frequency, const Column& nodal)> found;

protected:
  /// The solution at a frequency.
  struct State {
    double omega = 0.; ///< 1/s
    Column nodal;      ///< values at all nodes
  };

  HarmonicRun(const ExecutionSpace& exec, std::unique_ptr<Problem<ExecutionSpace>> problem, const Plan& plan,
              Context& context, Results& results);

  /// Number of frequencies that are solved together.
  virtual std::size_t n_at_once() const = 0;
  /// Called before the solution of a pack, with the angular frequency of its first column.
  virtual void set_frequency(double /*omega*/) {}
  /// Solves for these right-hand sides at the angular frequency of each: a linear system, unless overridden. Returns as
  /// many solutions at each frequency, and as many outcomes.
  virtual std::vector<solvers::CocgResult> solve_columns(const std::vector<double>& omegas,
                                                         const std::vector<Column>& b, bool keeps,
                                                         std::vector<Column>& x, Results& results);
  /// Values at all nodes, from the solutions for these right-hand sides.
  virtual Column solution_of(double omega, std::vector<Column>& x) = 0;
  /// Called after solution_of() at the first frequency: keeps what else its fields need.
  virtual void keep_state() {}
  /// Adds the quantities at the current frequency, in Hz.
  virtual void add_quantities_at(double frequency) = 0;
  /// io::Field::flux at the first frequency.
  virtual PhasorField written_flux() const = 0;

  /// Values at all nodes, from those of the unknowns and the fixed values of both parts. Fixed values are those of the
  /// input again on return.
  Column nodal_of(const Column& unknowns, const std::vector<physics::Expression>& fixed_re,
                  const std::vector<physics::Expression>& fixed_im) const;
  /// Fixed values of zero.
  std::vector<physics::Expression> zero_values() const {
    return std::vector<physics::Expression>(problem_->binding.constraints.size());
  }
  /// A column of zeros.
  Column zero_column() const;
  /// Forces are quadratic in the field: adds the time average, and the amplitude of the part with twice the frequency.
  void add_forces_at();
  /// With the quantity `regions`: adds volumes, and means of the components of fields. The flux is that of the terms
  /// of the equation, which are problems with a factor each; without terms there is none.
  void add_regions(const std::vector<std::pair<const Problem<ExecutionSpace>*, Complex>>& terms);
  /// Adds lengths, areas, integrals along lines and fluxes at the current frequency. Those that depend on coefficients
  /// (fluxes, of magnetic problems the integrals along lines) are sums over the terms of the equation, which are
  /// problems with a factor each; the others are those of the first.
  void add_paths(const std::vector<std::pair<const Problem<ExecutionSpace>*, Complex>>& terms);
  /// Adds a note, once.
  void note(const std::string& text);

  ExecutionSpace exec_;
  Context& context_;
  const io::Case& input_;
  const io::ProblemOptions& options_;
  std::unique_ptr<Problem<ExecutionSpace>> problem_;
  const std::vector<std::string>& regions_;
  std::unique_ptr<comm::Transport<ExecutionSpace>> transport_; ///< with several processes, which have the whole problem
  std::optional<Distribution<ExecutionSpace>> distribution_;
  std::optional<HarmonicSystem<ExecutionSpace>> system_;
  HarmonicQuantities quantities_;
  State now_;
  State first_;

private:
  /// Makes a model of the solutions at all frequencies, and compares it with solutions at some of them.
  void make_model(Results& results);
  /// Solves at frequencies, adds these solutions to the model, and returns its largest error before.
  double compare_model(const std::vector<std::size_t>& frequencies, Results& results);
  /// The columns at a frequency: of the model, or of a comparison.
  std::vector<Column> of_model(std::size_t frequency);
  std::vector<std::vector<Column>> solve_pack(const std::vector<std::size_t>& pack, bool is_last, Results& results);
  void add_outcome(Results& results, double frequency, const solvers::CocgResult& outcome);

  bool is_first_ = true;
  std::map<std::size_t, std::vector<Column>> compared_; ///< columns by frequency
};

/// Index of each region, for those of the mesh.
std::vector<std::size_t> positions_of(const std::vector<io::GroupName>& names, const std::vector<std::string>& regions);

/// Assembles a problem of eddy currents, or of electro-quasistatics.
template <class ExecutionSpace>
std::unique_ptr<HarmonicRun<ExecutionSpace>> make_eddy_currents(const ExecutionSpace& exec,
                                                                std::unique_ptr<Problem<ExecutionSpace>> problem,
                                                                const Plan& plan, Context& context, Results& results);
template <class ExecutionSpace>
std::unique_ptr<HarmonicRun<ExecutionSpace>>
make_electro_quasistatics(const ExecutionSpace& exec, std::unique_ptr<Problem<ExecutionSpace>> problem,
                          const Plan& plan, Context& context, Results& results);
/// That of the input's physics.
template <class ExecutionSpace>
std::unique_ptr<HarmonicRun<ExecutionSpace>> make_harmonic_run(const ExecutionSpace& exec,
                                                               std::unique_ptr<Problem<ExecutionSpace>> problem,
                                                               const Plan& plan, Context& context, Results& results);

} // namespace tessera::driver

#endif
