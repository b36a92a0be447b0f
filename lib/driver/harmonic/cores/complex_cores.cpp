// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/harmonic/cores/complex_cores.hpp"

#include "driver/harmonic/cores/complex_permeability.hpp"
#include "driver/harmonic/harmonic_run.hpp"

namespace tessera::driver {

namespace {

constexpr double no_reluctivity = 1e300; // as a permeability, H/m

} // namespace

template <class ExecutionSpace>
ComplexCores<ExecutionSpace>::ComplexCores(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem,
                                           const std::vector<io::Material>& materials,
                                           const assembly::AssemblyOptions& options)
    : region_has_part_(problem.summary.region_names.size(), false),
      materials_(problem.summary.region_names.size(), nullptr) {
  for (const io::Material& material : materials) {
    if (!lags(material))
      continue;
    const std::size_t region = positions_of({material.region}, problem.summary.region_names).front();
    region_has_part_[region] = true;
    materials_[region] = &material;
    const bool is_isotropic = has_same_permeabilities(material);
    for (std::size_t d = 0; d < (is_isotropic ? 1 : 2); ++d) {
      ProblemBinding binding = without_energy(problem.binding);
      physics::RegionData& data = binding.medium().regions[region];
      data.coefficient_factor = 1.;
      if (!is_isotropic)
        data.coefficient[1 - d] = physics::Expression(no_reluctivity);
      parts_.push_back({region, d, &material, AddedMatrix<ExecutionSpace>(exec, problem, binding, options)});
    }
  }
}

template <class ExecutionSpace>
std::complex<double> ComplexCores<ExecutionSpace>::reluctivity(const io::Material& material, std::size_t direction,
                                                               double omega) {
  return 1. / (physics::vacuum_permeability * relative_permeability(material, omega)[direction]);
}

template <class ExecutionSpace>
void ComplexCores<ExecutionSpace>::add_terms(double omega, std::vector<Term>& of_k, std::vector<Term>& of_m) const {
  for (const Part& part : parts_) {
    const Complex factor = added(part, omega);
    of_k.push_back(part.matrix.times(factor.real()));
    of_m.push_back(part.matrix.times(factor.imag() / omega));
  }
}

template <class ExecutionSpace>
void ComplexCores<ExecutionSpace>::add_loads(const ExecutionSpace& exec, double omega, const Column& b) const {
  for (const Part& part : parts_)
    add_multiple<ExecutionSpace>(exec, part.matrix.fixed_load, added(part, omega), b);
}

template <class ExecutionSpace>
std::vector<double> ComplexCores<ExecutionSpace>::squares(const ExecutionSpace& exec, double omega,
                                                          const Column& nodal) const {
  std::vector<double> squares(region_has_part_.size(), 0.);
  for (const Part& part : parts_)
    squares[part.region] += omega * added(part, omega).imag() * part.matrix.square(exec, nodal);
  return squares;
}

template <class ExecutionSpace>
double ComplexCores<ExecutionSpace>::energy(const ExecutionSpace& exec, double omega, const Column& nodal) const {
  double sum = 0.;
  for (const Part& part : parts_)
    sum += 0.5 * added(part, omega).real() * part.matrix.square(exec, nodal);
  return sum;
}

template <class ExecutionSpace>
std::vector<std::pair<const Problem<ExecutionSpace>*, std::complex<double>>>
ComplexCores<ExecutionSpace>::terms(double omega) const {
  std::vector<std::pair<const Problem<ExecutionSpace>*, Complex>> terms;
  for (const Part& part : parts_)
    terms.emplace_back(part.matrix.problem.get(), added(part, omega));
  return terms;
}

template <class ExecutionSpace>
void ComplexCores<ExecutionSpace>::set_strengths(double omega, std::vector<physics::PointValue>& re,
                                                 std::vector<physics::PointValue>& im) const {
  for (std::size_t i = 0; i < re.size(); ++i) {
    const io::Material* material = re[i].region < 0 ? nullptr : materials_[static_cast<std::size_t>(re[i].region)];
    for (std::size_t d = 0; d < 2 && material != nullptr; ++d) {
      const Complex strength = reluctivity(*material, d, omega) * Complex(re[i].field[d], im[i].field[d]);
      re[i].flux[d] = strength.real();
      im[i].flux[d] = strength.imag();
    }
  }
}

#define TESSERA_INSTANTIATE(SPACE) template class ComplexCores<SPACE>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
