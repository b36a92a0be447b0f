// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/harmonic/harmonic_fields.hpp"

#include "core/kokkos_ext/runtime.hpp"
#include "driver/evaluation/fields.hpp"

#include <array>
#include <cmath>

namespace tessera::driver {

namespace {

constexpr std::array<const char*, 2> parts{"_real", "_imaginary"};

} // namespace

template <class ExecutionSpace>
void write_harmonic_fields(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem,
                           const Conduction<ExecutionSpace>& conduction,
                           const HarmonicSolution<ExecutionSpace>& solution, const io::Case& input,
                           const io::OutputDirectory& output) {
  const io::PhysicsTraits& traits = io::traits_of(input.problem);
  const HostGrid nodes = problem.host_grid(exec);
  io::FieldFile file(&output, nodes.grid);
  const std::array<Array<const double*, ExecutionSpace>, 2> nodal{solution.re, solution.im};
  for (const auto& [field, name, unit] : listed_fields(input)) {
    if (field == io::Field::material) {
      file.write_cell_data(name, tessera::to_host(exec, problem.regions).data(), problem.summary.region_names);
    } else if (field == io::Field::solution) {
      for (std::size_t p = 0; p < 2; ++p)
        file.write_point_data(name + parts[p], tessera::to_host(exec, nodal[p]).data(), 1, unit);
    } else if (field == io::Field::gradient) {
      std::vector<double> magnitude(static_cast<std::size_t>(nodes.grid.n_elements), 0.);
      for (std::size_t p = 0; p < 2; ++p) {
        const auto values = problem.vector_field(exec, nodal[p], VectorField::element_gradient, traits.gradient_sign);
        for (std::size_t e = 0; e < magnitude.size(); ++e)
          magnitude[e] += values(e, 0) * values(e, 0) + values(e, 1) * values(e, 1);
        file.write_cell_data(name + parts[p], values.data(), 2, unit);
      }
      for (double& value : magnitude)
        value = std::sqrt(value);
      file.write_cell_data(name + "_magnitude", magnitude.data(), 1, unit);
    } else {
      const auto densities = conduction.densities(exec, solution.re, solution.im, solution.omega, solution.voltages);
      for (std::size_t p = 0; p < 2; ++p) {
        std::vector<double> values(densities.extent(0));
        for (std::size_t e = 0; e < values.size(); ++e)
          values[e] = densities(e, p);
        file.write_cell_data(name + parts[p], values.data(), 1, unit);
      }
    }
  }
  file.close();
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template void write_harmonic_fields<SPACE>(const SPACE&, const Fields<SPACE>&, const Conduction<SPACE>&,             \
                                             const HarmonicSolution<SPACE>&, const io::Case&,                          \
                                             const io::OutputDirectory&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
