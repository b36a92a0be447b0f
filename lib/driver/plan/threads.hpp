// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PLAN_THREADS_HPP
#define TESSERA_DRIVER_PLAN_THREADS_HPP

/// \file
/// Number of threads of the backend openmp, by the size of the problem where nobody has said it.

#include "core/kokkos_ext/host_threads.hpp"
#include "io/case.hpp"
#include "io/imported_mesh.hpp"

#include <string>
#include <vector>

namespace tessera::driver {

struct ThreadChoice {
  int count = 0;      ///< 0: not chosen
  std::string reason; ///< "execution.threads", "of 8, because ..."
};

/// What execution.threads or the environment says; count 0 where they leave it to the problem's size. Throws an error
/// of kind input where execution.threads exceeds the limit of this machine's environment.
ThreadChoice requested_threads(const io::Case& input, const HostThreads& host);

/// One thread below 500 000 entries of the matrix (which an element-by-element product stands for, too), and from there
/// on one for each 125 000, at most one for each processor. With fewer entries the loops of an iteration end before
/// waiting threads have woken up. Where loops go by colour, 2.5 times as many. `imported`: of a box its dimension
/// alone. Of several processes each has its share of the entries.
ThreadChoice threads_by_size(const io::Case& input, const io::ImportedMesh& imported, const HostThreads& host,
                             int n_processes = 1);

/// The most threads that a case takes on these backends, as far as can be told before its mesh is read.
int most_threads(const io::Case& input, const std::vector<std::string>& backends, int n_processes = 1);

} // namespace tessera::driver

#endif
