// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_DG_DG_FIELDS_HPP
#define TESSERA_DRIVER_DG_DG_FIELDS_HPP

#include "driver/dg/dg_solution.hpp"
#include "io/case.hpp"
#include "io/field_file.hpp"
#include "io/output_directory.hpp"

namespace tessera::driver {

/// Writes fields.vtkhdf of a run by dg: the simplices, subdivided as the input says, with values of their own at each
/// vertex, the element of each simplex as cell data, and its degree if degrees differ.
template <int Dim, class ExecutionSpace> class DgFields {
public:
  /// n_steps is 0 of a steady problem; otherwise at most so many steps follow. Where each of the processes of `world`
  /// has some of the simplices, it writes a piece of the file, and all but the first have no output directory;
  /// collective then, and so are the other functions. `element_shift` makes the numbers of the space's elements those
  /// of all.
  DgFields(const ExecutionSpace& exec, const io::Case& input, const DgSolution<Dim, ExecutionSpace>& solution,
           const io::OutputDirectory* output, int n_steps, const comm::Communicator& world = comm::alone(),
           std::int64_t element_shift = 0);

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

/// Bytes of the points of the fields of `n_simplices` simplices, and of their values, on the execution space.
double field_bytes(const io::OutputOptions& output, int dimension, double n_simplices);

} // namespace tessera::driver

#endif
