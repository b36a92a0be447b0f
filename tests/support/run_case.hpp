// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_SUPPORT_RUN_CASE_HPP
#define TESSERA_TESTS_SUPPORT_RUN_CASE_HPP

#include "driver/driver.hpp"
#include "io/input/case_reader.hpp"

#include <string>
#include <vector>

namespace tessera::test {

inline std::string input_file(const std::string& name) {
  return TESSERA_SOURCE_DIR "/inputs/" + name + "/" + name + ".yaml";
}

/// Reads an input file with an output directory and with settings in the form of `--set`.
inline io::Case read_case(const std::string& file, const std::string& directory,
                          const std::vector<std::string>& settings = {}) {
  std::vector<io::Override> overrides;
  for (const std::string& setting : settings)
    overrides.push_back(io::parse_override(setting, "--set"));
  overrides.push_back({"output.directory", directory, "--output"});
  return io::read_case(file, overrides);
}

/// Runs an input file as the program does, without console output.
inline driver::RunSummary run_case(const std::string& file, const std::string& directory,
                                   const std::vector<std::string>& settings = {}) {
  driver::RunOptions options;
  options.quiet = true;
  return driver::run(read_case(file, directory, settings), options);
}

} // namespace tessera::test

#endif
