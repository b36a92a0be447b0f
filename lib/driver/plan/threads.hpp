// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PLAN_THREADS_HPP
#define TESSERA_DRIVER_PLAN_THREADS_HPP

/// \file
/// Number of threads of the backend openmp, by the size of the problem unless specified.

#include "core/kokkos_ext/host/host_threads.hpp"
#include "io/input/case.hpp"
#include "io/mesh_files/imported_mesh.hpp"

#include <string>
#include <vector>

namespace tessera::driver {

struct ThreadChoice {
  int count = 0;      ///< 0: not chosen
  std::string reason; ///< "execution.threads", "of 8, because ..."
};

/// The number from execution.threads or the environment; count 0 if they leave it to the problem's size. Throws an
/// error of kind input if execution.threads exceeds the limit of this machine's environment.
ThreadChoice requested_threads(const io::ExecutionOptions& options, const HostThreads& host);

/// One thread below 500 000 matrix entries (element-by-element products count like a matrix), above it one for each 125
/// 000, at most one per processor. With fewer entries the loops of an iteration end before waiting threads have woken
/// up. For loops by colour, 2.5 times as many entries per thread. `imported`: of a box only its dimension. With several
/// processes each has its share of the entries.
ThreadChoice threads_by_size(const io::Case& input, const io::ImportedMesh& imported, const HostThreads& host,
                             int n_processes = 1);

/// The maximum number of threads of a case, as far as known before its mesh is read.
int most_threads(const io::Case& input, int n_processes);

} // namespace tessera::driver

#endif
