// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_DG_DG_RUN_HPP
#define TESSERA_DRIVER_DG_DG_RUN_HPP

#include "driver/context.hpp"
#include "driver/results.hpp"
#include "io/imported_mesh.hpp"
#include "io/output_directory.hpp"

namespace tessera::driver {

/// The case by discontinuous elements on polygons or polyhedra: mesh, agglomeration, assembly, solver, fields and
/// probes, then verification. What goes wrong after the fields are written is told by `Results::failures`.
/// One of several processes has an output directory, others null. Returns the estimate of its memory in bytes.
template <class ExecutionSpace>
double run_dg(const ExecutionSpace& exec, const io::ImportedMesh& imported, const io::OutputDirectory* output,
              Context& context, Results& results);

} // namespace tessera::driver

#endif
