// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_PICTURES_REPORTS_PLOT_HPP
#define TESSERA_IO_PICTURES_REPORTS_PLOT_HPP

#include <string>
#include <vector>

namespace tessera::io::pictures {

/// A request for a picture of a run's output directory, as on the command line. Empty: not given.
struct PlotRequest {
  std::string directory;
  std::string show;      ///< a field, "mesh", "convergence", a probe, or a chart of a benchmark
  std::string path;      ///< with extension .png, .svg or .pdf; empty: <show>.png in the directory
  std::string component; ///< of a vector: "x"; of a probe: a column
  std::string phase;     ///< of a phasor, degrees: "30"; empty: its magnitude
  std::string scale;     ///< "linear", "logarithmic"
  std::string range;     ///< "0,24"
  std::string window;    ///< "0,0,0.1,0.05"
  std::string section;   ///< "z=0.01"
  bool cut_open = false;
  bool with_mesh = false;
  int n_lines = 15;
  int pixels = 1440; ///< width, fewest_pixels to most_pixels
  static constexpr int fewest_pixels = 100;
  static constexpr int most_pixels = 10000;
};

/// Makes the picture and returns the path of its file, which is written completely or not at all; of a benchmark's
/// directory all charts, unless one is chosen. Throws (kind input) for invalid requests, before anything is read if
/// possible.
std::vector<std::string> make_plot(const PlotRequest& request);

} // namespace tessera::io::pictures

#endif
