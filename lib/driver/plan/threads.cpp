// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/plan/threads.hpp"

#include "core/error.hpp"
#include "driver/plan/plan.hpp"
#include "io/output/console.hpp"

namespace tessera::driver {

namespace {

/// Number of matrix entries that justify a second thread, and the increment for each further thread
/// (docs/notebook/threads.md).
constexpr double entries_for_two = 500000.;
constexpr double entries_per_thread = 125000.;
/// Factor on the entries for loops by colour: an iteration then has more loops with less work each.
constexpr double factor_by_color = 2.5;

bool goes_by_color(const io::AssemblyInput& options) {
  const assembly::StrategyTraits& traits = assembly::traits_of(options.strategy);
  return traits.uses_coloring && !traits.stores_matrix;
}

} // namespace

ThreadChoice requested_threads(const io::ExecutionOptions& options, const HostThreads& host) {
  const int given_threads = options.threads;
  TESSERA_REQUIRE(given_threads <= host.limit, "execution.threads: " << given_threads
                                                                     << " threads, but OMP_THREAD_LIMIT allows "
                                                                     << host.limit << '.');
  if (given_threads > 0)
    return {given_threads, "execution.threads"};
  if (host.requested > 0)
    return {host.requested, host.source};
  return {};
}

ThreadChoice threads_by_size(const io::Case& input, const io::ImportedMesh& imported, const HostThreads& host,
                             int n_processes) {
  const MemoryRequest size = problem_size(input, imported, false, n_processes).memory;
  const int sharing = size.is_part ? 1 : n_processes;
  const double entries =
      static_cast<double>(size.n_matrix_entries()) / sharing / (goes_by_color(input.assembly) ? factor_by_color : 1.);
  const double worth = entries < entries_for_two ? 1. : entries / entries_per_thread;
  const int available = host.standard();
  if (input.mesh.adapt.requested())
    return {available, "of " + std::to_string(available) + ", for the last meshes of mesh.adapt"};
  const int count = worth < available ? static_cast<int>(worth) : available;
  std::string reason = "of " + std::to_string(available);
  if (count < available)
    reason += std::string(", because ") + (n_processes > 1 ? "a process's part" : "the mesh") + " has only " +
              io::format_count(size.n_space_nodes() / sharing) + " nodes of order " + std::to_string(size.order);
  return {count, reason};
}

int most_threads(const io::Case& input, int n_processes) {
  if (input.execution.backend != "openmp")
    return 1;
  const HostThreads host = host_threads();
  const ThreadChoice requested = requested_threads(input.execution, host);
  if (requested.count > 0)
    return requested.count;
  if (input.mesh.source != io::MeshSource::box)
    return host.standard();
  io::ImportedMesh box;
  box.dimension = input.mesh.dimension;
  return threads_by_size(input, box, host, n_processes).count;
}

} // namespace tessera::driver
