// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_EVALUATION_FIELDS_HPP
#define TESSERA_DRIVER_EVALUATION_FIELDS_HPP

#include "driver/solve.hpp"
#include "io/output_directory.hpp"

namespace tessera::driver {

/// Writes the fields that the input asks for to fields.vtkhdf: on the nodes and elements, or recovered, at the sides of
/// nodes. Of parts collective, with a piece of each process's own elements; `output` is that of the first process, null
/// in others.
template <class ExecutionSpace>
void write_fields(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem, const io::Case& input,
                  const Solution<ExecutionSpace>& solution, const io::OutputDirectory* output);

} // namespace tessera::driver

#endif
