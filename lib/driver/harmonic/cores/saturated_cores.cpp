// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/harmonic/cores/saturated_cores.hpp"

#include "driver/harmonic/harmonic_run.hpp"

namespace tessera::driver {

template <class ExecutionSpace>
SaturatedCores<ExecutionSpace>::SaturatedCores(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem,
                                               const Conduction<ExecutionSpace>& conduction,
                                               const io::ProblemOptions& options)
    : problem_(problem) {
  const std::vector<std::string>& regions = problem.summary.region_names;
  data_.curve_of_region.assign(regions.size(), -1);
  data_.amplitude_squared = options.phasors == io::Phasors::amplitude ? 1. : 2.;
  for (const io::Material& material : options.materials) {
    if (material.bh_curve.empty())
      continue;
    data_.curve_of_region[positions_of({material.region}, regions).front()] = static_cast<index_t>(data_.curves.size());
    data_.curves.push_back(material.bh_curve);
  }
  if (data_.curves.empty())
    return;
  curves_ = physics::make_bh_curves(Kokkos::DefaultHostExecutionSpace(), data_.curves);
  saturation_ = conduction.make_saturation(exec, data_);
}

/// With the fixed values of the real part that the problem has at the time; those of the imaginary part are zero.
template <class ExecutionSpace>
typename SaturatedCores<ExecutionSpace>::Nodal SaturatedCores<ExecutionSpace>::nodal_of(const ExecutionSpace& exec,
                                                                                        const Column& x) const {
  Nodal nodal;
  const auto n = static_cast<std::size_t>(problem_.n_space_nodes);
  for (std::size_t part = 0; part < 2; ++part) {
    nodal[part] = make_array<Vector>(exec, "driver::saturation_part", n);
    if (part == 1)
      start_changes(exec);
    fe::expand(exec, problem_.dofs, linalg::ConstVector<ExecutionSpace>(part == 0 ? x.re : x.im), nodal[part]);
  }
  exec.fence();
  return nodal;
}

template <class ExecutionSpace> void SaturatedCores<ExecutionSpace>::start_changes(const ExecutionSpace& exec) const {
  Excitation excitation;
  excitation.fixed_values.resize(problem_.binding.constraints.size()); // zeros
  problem_.excite(exec, excitation);
}

template <class ExecutionSpace> void SaturatedCores<ExecutionSpace>::set_rest(const ExecutionSpace& exec) {
  const auto zero = make_filled<Vector>(exec, "driver::no_field", static_cast<std::size_t>(problem_.n_space_nodes), 0.);
  saturation_->set_state(exec, {zero, zero});
}

template <class ExecutionSpace>
void SaturatedCores<ExecutionSpace>::set_state(const ExecutionSpace& exec, const Column& x) {
  saturation_->set_state(exec, nodal_of(exec, x));
  end_changes(exec);
}

template <class ExecutionSpace>
linalg::ConstVector<ExecutionSpace> SaturatedCores<ExecutionSpace>::matrix(const ExecutionSpace& exec) {
  return saturation_->matrix(exec);
}

template <class ExecutionSpace>
ComplexVector<ExecutionSpace> SaturatedCores<ExecutionSpace>::load(const ExecutionSpace& exec,
                                                                   physics::SaturationLoad kind, const Nodal& nodal,
                                                                   bool has_fixed) {
  const auto part = [&](int number) {
    const linalg::ConstVector<ExecutionSpace> load = saturation_->load(exec, kind, number, nodal);
    const auto kept = make_array<Vector>(exec, "driver::saturation_load", load.extent(0));
    copy(exec, kept, load);
    return kept;
  };
  Column result;
  result.re = part(0);
  if (has_fixed)
    start_changes(exec);
  result.im = part(1);
  if (has_fixed)
    end_changes(exec);
  return result;
}

template <class ExecutionSpace>
ComplexVector<ExecutionSpace> SaturatedCores<ExecutionSpace>::load_at(const ExecutionSpace& exec, const Column& x) {
  const Nodal nodal = nodal_of(exec, x);
  end_changes(exec);
  return load(exec, physics::SaturationLoad::strength, nodal, true);
}

template <class ExecutionSpace>
ComplexVector<ExecutionSpace> SaturatedCores<ExecutionSpace>::load_at_rest(const ExecutionSpace& exec) {
  const auto zero = make_filled<Vector>(exec, "driver::no_field", static_cast<std::size_t>(problem_.n_space_nodes), 0.);
  return load(exec, physics::SaturationLoad::none, {zero, zero}, true);
}

template <class ExecutionSpace>
ComplexVector<ExecutionSpace> SaturatedCores<ExecutionSpace>::load_of_change(const ExecutionSpace& exec,
                                                                             const Column& d) {
  return load(exec, physics::SaturationLoad::change, nodal_of(exec, d), false);
}

template <class ExecutionSpace> double SaturatedCores<ExecutionSpace>::energy(const ExecutionSpace& exec) const {
  double sum = 0.;
  if (any())
    for (const double square : saturation_->squares(exec))
      sum += 0.5 * square;
  return sum;
}

template <class ExecutionSpace>
std::vector<double> SaturatedCores<ExecutionSpace>::permeabilities(const ExecutionSpace& exec) const {
  std::vector<double> permeabilities(data_.curve_of_region.size(), 0.);
  if (any())
    permeabilities = saturation_->permeabilities(exec);
  for (double& permeability : permeabilities)
    permeability /= physics::vacuum_permeability;
  return permeabilities;
}

template <class ExecutionSpace>
void SaturatedCores<ExecutionSpace>::set_strengths(std::vector<physics::PointValue>& re,
                                                   std::vector<physics::PointValue>& im) const {
  for (std::size_t i = 0; i < re.size(); ++i) {
    if (re[i].region < 0 || !has_region(static_cast<std::size_t>(re[i].region)))
      continue;
    double square = 0.;
    for (std::size_t d = 0; d < 2; ++d)
      square += re[i].field[d] * re[i].field[d] + im[i].field[d] * im[i].field[d];
    const index_t curve = data_.curve_of_region[static_cast<std::size_t>(re[i].region)];
    const double nu = curves_.reluctivity(curve, data_.amplitude_squared * square).nu;
    for (std::size_t d = 0; d < 2; ++d) {
      re[i].flux[d] = nu * re[i].field[d];
      im[i].flux[d] = nu * im[i].field[d];
    }
  }
}

#define TESSERA_INSTANTIATE(SPACE) template class SaturatedCores<SPACE>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
