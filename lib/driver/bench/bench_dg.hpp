// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_BENCH_BENCH_DG_HPP
#define TESSERA_DRIVER_BENCH_BENCH_DG_HPP

#include "assembly/dg/strategy.hpp"
#include "driver/bench/time_table.hpp"
#include "driver/context.hpp"
#include "io/mesh_files/imported_mesh.hpp"

namespace tessera::driver {

/// Times of a dg case, in its first time step if it is time-dependent: elements and faces, then for each strategy the
/// pattern, the assembly, each of its kernels, the load alone, and the product with the matrix.
template <class ExecutionSpace>
TimeTable bench_dg(const ExecutionSpace& exec, const std::string& name, const io::ImportedMesh& imported,
                   Context& context, const std::vector<assembly::dg::Strategy>& strategies, int repetitions,
                   double copy_bandwidth);

} // namespace tessera::driver

#endif
