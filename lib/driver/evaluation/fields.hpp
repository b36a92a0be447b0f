// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_EVALUATION_FIELDS_HPP
#define TESSERA_DRIVER_EVALUATION_FIELDS_HPP

#include "driver/solve.hpp"
#include "io/output/output_directory.hpp"

namespace tessera::driver {

/// A field of the file, as the input lists it.
struct ListedField {
  io::Field field;
  std::string name;
  std::string unit;
};
std::vector<ListedField> listed_fields(const io::Case& input);

/// Writes the fields requested by the input to fields.vtkhdf: on the nodes and elements or, if recovered, at the sides
/// of nodes. With parts of the mesh collective; each process writes a piece with its owned elements, and `output` is
/// null except on rank 0.
template <class ExecutionSpace>
void write_fields(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem, const io::Case& input,
                  const Solution<ExecutionSpace>& solution, const io::OutputDirectory* output);

} // namespace tessera::driver

#endif
