// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_DG_DG_RUN_HPP
#define TESSERA_DRIVER_DG_DG_RUN_HPP

#include "driver/context.hpp"
#include "driver/results.hpp"
#include "io/mesh_files/imported_mesh.hpp"
#include "io/output/output_directory.hpp"

namespace tessera::driver {

/// Runs a case with discontinuous elements on polygons or polyhedra: mesh, agglomeration, assembly, solver, fields and
/// probes, then verification. Errors after the fields are written are reported in `Results::failures`. One of several
/// processes has an output directory, for others it is null. Returns the estimated memory in bytes.
template <class ExecutionSpace>
double run_dg(const ExecutionSpace& exec, const io::ImportedMesh& imported, const io::OutputDirectory* output,
              Context& context, Results& results);

} // namespace tessera::driver

#endif
