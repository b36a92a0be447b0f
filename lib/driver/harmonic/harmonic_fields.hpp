// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_HARMONIC_HARMONIC_FIELDS_HPP
#define TESSERA_DRIVER_HARMONIC_HARMONIC_FIELDS_HPP

#include "driver/problem/fields.hpp"
#include "io/output/output_directory.hpp"

#include <array>
#include <functional>
#include <vector>

namespace tessera::driver {

/// Real and imaginary part of a field of elements, [n_elements][n_components].
struct PhasorField {
  int n_components = 0;
  std::array<std::vector<double>, 2> parts;
};

/// Writes fields.vtkhdf: each field as real and imaginary part, those of elements also as the square root of the sum of
/// squares of all components of both. `nodal`: both parts of the solution at all nodes; `flux` computes
/// io::Field::flux. Nothing is written without a directory, which one of several processes has.
template <class ExecutionSpace>
void write_harmonic_fields(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem,
                           const std::array<Array<const double*, ExecutionSpace>, 2>& nodal,
                           const std::function<PhasorField()>& flux, const io::Case& input,
                           const io::OutputDirectory* output);

} // namespace tessera::driver

#endif
