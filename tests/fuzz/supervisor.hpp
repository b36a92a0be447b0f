// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_FUZZ_SUPERVISOR_HPP
#define TESSERA_TESTS_FUZZ_SUPERVISOR_HPP

/// \file
/// Runs a target with many inputs in child processes, so that a crash or a hang ends one input and not the series.

#include "target.hpp"

#include <cstdint>
#include <string>

namespace tessera::fuzz {

struct Series {
  std::uint64_t first = 0; ///< number of the first input
  std::uint64_t n_runs = 1000;
  std::uint64_t seed = 1;
  double limit = 20.;  ///< time limit per input in seconds
  std::string save_to; ///< folder for failing inputs; empty: not saved
};

struct Counts {
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;
  std::uint64_t refuted = 0;
  std::uint64_t crashed = 0; ///< a signal, or an exception other than tessera::Error
  std::uint64_t hung = 0;
  bool clean() const { return refuted + crashed + hung == 0; }
};

/// Prints every failure as it occurs, with the number that reproduces its input.
Counts run_series(const Target& target, const std::string& name, const Series& series);

} // namespace tessera::fuzz

#endif
