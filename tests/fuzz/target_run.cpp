// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/driver.hpp"
#include "io/input/case_reader.hpp"
#include "target.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace tessera::fuzz {

namespace {

/// Small cases of every physics on boxes.
const std::vector<std::string>& small_cases() {
  static const std::vector<std::string> cases{
      R"yaml(tessera: 1
mesh: {box: {cells: [4, 3], lower: [0, 0], upper: [2, 1]}, refine: 1, scale: 0.5}
problem:
  physics: electrostatics
  depth: 0.1
  materials: {domain: {relative_permittivity: [1.5, 2]}}
  sources: {domain: {charge_density: "1e-9*x"}}
  boundaries:
    left: {potential: 1}
    right: {floating: {charge: 1e-12}}
    top: {surface_charge: 1e-10}
discretization: {order: 2}
assembly: {strategy: atomic}
execution: {backend: serial}
output:
  fields: [potential, electric_field]
  quantities: [energy, charge]
  probes: {axis: {from: [0, 0.2], to: [1, 0.2], points: 5}}
)yaml",
      R"yaml(tessera: 1
mesh: {box: {cells: [5, 4], lower: [0, 0], upper: [1, 1]}}
problem:
  physics: magnetostatics
  symmetry: axisymmetric
  materials: {domain: {bh_curve: [[0, 0], [100, 0.5], [500, 1.2], [5000, 1.8], [100000, 2.2]]}}
  coils: {c: {regions: {domain: 1}, turns: 10, current: 3}}
  boundaries: {right: {vector_potential: 0}, top: {tangential_field: 2}}
assembly: {strategy: row-gather}
solver: {nonlinear: {max_iterations: 20}}
execution: {backend: serial}
output: {fields: [], quantities: [energy, coenergy, flux_linkage, inductance]}
)yaml",
      R"yaml(tessera: 1
mesh: {box: {cells: [2, 3, 2], upper: [1, 1, 1]}}
problem:
  physics: diffusion
  materials: {domain: {diffusivity: "1 + x"}}
  sources: {domain: {source: "sin(pi*x)"
  }
}
boundaries : left : {value : 0} bottom : {periodic : top} right : {
robin : {
coefficient:
  2, reference : 1
}
}
assembly: {strategy: a-coo}
solver: {preconditioner: jacobi, relative_tolerance: 1.0e-10}
execution: {backend: serial, reproducible: true}
output: {fields: [value, flux], quantities: [energy, total_flux]}
)yaml"};
  return cases;
}

class RunTarget : public Target {
public:
  std::string make(Random& random) const override {
    static const std::vector<std::string> words{"refine: 2",
                                                "order: 1",
                                                "strategy: ebe-stored",
                                                "strategy: colored",
                                                "strategy: auto",
                                                "antiperiodic",
                                                "periodic",
                                                "{potential: 0}",
                                                "{value: 1}",
                                                "none",
                                                "block-gauss-seidel",
                                                "asymptotic: {order: 1}",
                                                "-",
                                                "1e-300",
                                                "x*y",
                                                "1e200",
                                                "axisymmetric",
                                                "planar",
                                                "initial_guess: x",
                                                "absolute_tolerance: 1e3",
                                                "max_iterations: 1",
                                                "0"};
    return mutate_text(random.pick(small_cases()), words, random, 2);
  }

  /// The serial reference strategy must give the same quantities, and no quantity may be NaN.
  Outcome take(const std::string& input, const std::string& folder) const override {
    const driver::RunOptions quiet{true};
    io::Case small =
        io::read_case_text(input, folder + "/case.yaml", {{"output.directory", folder + "/a", "--output"}});
    if (!is_small(small))
      return {};
    small.execution.backend = "serial";
    const driver::RunSummary first = driver::run(small, quiet);
    if (first.exit_code != 0)
      return {};
    for (const auto& [name, value] : first.quantities)
      if (!std::isfinite(value))
        return Outcome::refuted(name + " is not finite, exit code 0");
    if (small.solver.method != io::SolverMethod::pcg || !is_moderate(small))
      return {};
    small.assembly.strategy = io::Strategy::reference;
    small.output.directory = folder + "/b";
    const driver::RunSummary second = driver::run(small, quiet);
    // Quantities are as accurate as the residual, times a factor for the condition of these small systems.
    const double tolerance = 1e-6 + 1e4 * (small.solver.relative_tolerance + small.solver.nonlinear.relative_tolerance);
    double scale = 0.;
    for (const auto& entry : second.quantities)
      scale = std::max(scale, std::fabs(entry.second));
    for (const auto& [name, value] : second.quantities) {
      const double other = first.quantities.at(name);
      if (second.exit_code == 0 &&
          !(std::fabs(value - other) <= tolerance * std::max(std::fabs(value), 1e-6 * scale))) {
        std::ostringstream text;
        text << name << " is " << other << ", by the reference " << value;
        return Outcome::refuted(text.str());
      }
    }
    return {};
  }

private:
  /// Charges are differences of terms as large as the coefficient: with an extreme coefficient, the solver's tolerance
  /// exceeds the charges that the sources of these cases cause.
  static bool is_moderate(const io::Case& input) {
    for (const io::Material& material : input.problem.materials)
      for (const io::Scalar& entry : material.coefficient.diagonal)
        if (entry.is_constant && !(entry.value < 1e6 && entry.value > 1e-6))
          return false;
    return true;
  }

  /// Excludes the millions of cells and thousands of probes that mutations create; other tests cover these.
  static bool is_small(const io::Case& input) {
    double n = std::pow(input.mesh.dimension == 2 ? 4. : 8., input.mesh.refine);
    for (int d = 0; d < input.mesh.dimension; ++d)
      n *= input.mesh.box.cells[static_cast<std::size_t>(d)];
    return input.mesh.source == io::MeshSource::box && n < 5000. && input.solver.max_iterations <= 20000;
  }
};

} // namespace

std::unique_ptr<Target> make_run_target() { return std::make_unique<RunTarget>(); }

} // namespace tessera::fuzz
