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

/// Square root of the sum of squares in each element.
std::vector<double> magnitudes(const PhasorField& field) {
  const auto n = static_cast<std::size_t>(field.n_components);
  std::vector<double> squares(field.parts[0].size() / n, 0.);
  for (const std::vector<double>& part : field.parts)
    for (std::size_t i = 0; i < part.size(); ++i)
      squares[i / n] += part[i] * part[i];
  for (double& square : squares)
    square = std::sqrt(square);
  return squares;
}

} // namespace

template <class ExecutionSpace>
void write_harmonic_fields(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem,
                           const std::array<Array<const double*, ExecutionSpace>, 2>& nodal,
                           const std::function<PhasorField()>& flux, const io::Case& input,
                           const io::OutputDirectory* output) {
  if (output == nullptr)
    return;
  const io::PhysicsTraits& traits = io::traits_of(input.problem);
  const HostGrid nodes = problem.host_grid(exec);
  io::FieldFile file(output, nodes.grid);
  for (const auto& [field, name, unit] : listed_fields(input)) {
    if (field == io::Field::material) {
      file.write_cell_data(name, tessera::to_host(exec, problem.regions).data(), problem.summary.region_names);
      continue;
    }
    if (field == io::Field::solution) {
      for (std::size_t p = 0; p < 2; ++p)
        file.write_point_data(name + parts[p], tessera::to_host(exec, nodal[p]).data(), 1, unit);
      continue;
    }
    PhasorField values;
    if (field == io::Field::flux) {
      values = flux();
    } else {
      values.n_components = problem.summary.dimension;
      for (std::size_t p = 0; p < 2; ++p) {
        const auto part = problem.vector_field(exec, nodal[p], VectorField::element_gradient, traits.gradient_sign);
        values.parts[p].assign(part.data(), part.data() + part.size());
      }
    }
    for (std::size_t p = 0; p < 2; ++p)
      file.write_cell_data(name + parts[p], values.parts[p].data(), values.n_components, unit);
    file.write_cell_data(name + "_magnitude", magnitudes(values).data(), 1, unit);
  }
  file.close();
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template void write_harmonic_fields<SPACE>(                                                                          \
      const SPACE&, const Fields<SPACE>&, const std::array<Array<const double*, SPACE>, 2>&,                           \
      const std::function<PhasorField()>&, const io::Case&, const io::OutputDirectory*);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
