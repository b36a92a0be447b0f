// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_EVALUATION_PATHS_SHELL_NOTES_HPP
#define TESSERA_DRIVER_EVALUATION_PATHS_SHELL_NOTES_HPP

#include "io/input/case.hpp"

#include <array>
#include <map>
#include <string>
#include <vector>

namespace tessera::driver {

/// Distance of a point from the centre of a shell, m.
double radius_in(const io::Shell& shell, const std::array<double, 3>& point);

/// The shell of each region, [regions]; null: none.
std::vector<const io::Shell*> shells_by_region(const io::ProblemOptions& problem,
                                               const std::vector<std::string>& regions);

/// Sums the parts of a line or surface in shells, where lengths and areas in the mesh differ from those in the
/// represented space. At the inner radius, within the tolerance of radii, they are equal.
class PartsInShells {
public:
  PartsInShells(const io::ProblemOptions& problem, const std::vector<std::string>& regions)
      : regions_(regions), shells_(shells_by_region(problem, regions)) {}

  /// Adds a part of a given size at a point; region -1: none. Returns whether it is in a shell.
  bool add(int region, const std::array<double, 3>& point, double size);
  /// Size by shell.
  const std::map<std::string, double>& sizes() const { return sizes_; }

private:
  const std::vector<std::string>& regions_;
  std::vector<const io::Shell*> shells_;
  std::map<std::string, double> sizes_;
};

/// Explains which results of a line (or surface) in a shell refer to space, and which to the mesh. `part`: "2 of 7
/// facets".
std::string line_note(const io::Case& input, const std::string& line, const std::string& part, const std::string& shell,
                      int dimension);
std::string surface_note(const std::string& surface, const std::string& part, const std::string& shell);

/// Adds notes on probes and on regions that are shells.
void note_shells(const io::Case& input, std::vector<std::string>& notes);

} // namespace tessera::driver

#endif
