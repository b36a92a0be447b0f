// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_BENCH_BENCH_FREQUENCIES_HPP
#define TESSERA_DRIVER_BENCH_BENCH_FREQUENCIES_HPP

#include "driver/bench/bench_case.hpp"
#include "driver/context.hpp"
#include "io/mesh_files/imported_mesh.hpp"

namespace tessera::driver {

/// Times of a case at frequencies: the phases of its runs after mesh and problem; kernels of assembly and set-up; for
/// packs of one column, and of two or four if the case has several frequencies, the change of frequency, an iteration
/// and a solution from zero. Of the request it reads repetitions, copy bandwidth and whether there are iterations only.
/// `free`: bytes of memory, negative if unknown. Throws an error for the user if K or M depends on the frequency.
template <class ExecutionSpace>
TimeTable bench_frequencies(const ExecutionSpace& exec, const std::string& name, const io::ImportedMesh& imported,
                            const Context& context, const BenchRequest& request, double free);

} // namespace tessera::driver

#endif
