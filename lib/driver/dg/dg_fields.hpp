// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_DG_DG_FIELDS_HPP
#define TESSERA_DRIVER_DG_DG_FIELDS_HPP

#include "driver/dg/dg_solution.hpp"
#include "io/input/case.hpp"
#include "io/output/field_file.hpp"
#include "io/output/output_directory.hpp"

namespace tessera::driver {

/// Writes fields.vtkhdf of a dg run: the simplices, subdivided according to the input, with separate values at each
/// vertex, the element of each simplex as cell data, and its degree if degrees differ.
template <int Dim, class ExecutionSpace> class DgFields {
public:
  /// n_steps is 0 for a steady problem; otherwise at most this many steps follow. If each process of `world` has some
  /// of the simplices, each writes a piece of the file, and only rank 0 has an output directory; this and the other
  /// functions are then collective. `element_shift` converts the space's element indices to global ones.
  DgFields(const ExecutionSpace& exec, const io::Case& input, const DgSolution<Dim, ExecutionSpace>& solution,
           const std::vector<std::string>& region_names, const io::OutputDirectory* output, int n_steps,
           const comm::Communicator& world = comm::alone(), std::int64_t element_shift = 0);

  /// Writes the fields at the end of the slab of the solution's space, as the next step.
  void write(const ExecutionSpace& exec, const DgSolution<Dim, ExecutionSpace>& solution);
  /// Completes the file.
  void close() { file_.close(); }

private:
  const io::Case& input_;
  const SubdividedSimplex<Dim> subdivided_;
  FieldPoints<Dim, ExecutionSpace> points_;
  io::FieldFile file_;
  bool has_steps_;
};

/// Bytes, on the execution space, of the points of the fields of `n_simplices` simplices and of their values.
double field_bytes(const io::OutputOptions& output, int dimension, double n_simplices);

} // namespace tessera::driver

#endif
