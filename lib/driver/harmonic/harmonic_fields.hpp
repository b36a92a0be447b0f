// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_HARMONIC_HARMONIC_FIELDS_HPP
#define TESSERA_DRIVER_HARMONIC_HARMONIC_FIELDS_HPP

#include "driver/harmonic/conduction.hpp"
#include "driver/problem/fields.hpp"
#include "io/input/case.hpp"
#include "io/output/output_directory.hpp"

namespace tessera::driver {

/// The vector potential at all nodes, Wb/m, and the voltage of each region, V.
template <class ExecutionSpace> struct HarmonicSolution {
  Array<const double*, ExecutionSpace> re, im;
  double omega = 0.; ///< 1/s
  std::vector<physics::PhasorValue> voltages;
};

/// Writes the fields of the input: of each the real and the imaginary part, of the flux density also the magnitude.
template <class ExecutionSpace>
void write_harmonic_fields(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem,
                           const Conduction<ExecutionSpace>& conduction,
                           const HarmonicSolution<ExecutionSpace>& solution, const io::Case& input,
                           const io::OutputDirectory& output);

} // namespace tessera::driver

#endif
