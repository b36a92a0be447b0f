// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/session.hpp"

#include "core/kokkos_ext/spaces.hpp"

#include <algorithm>
#include <sstream>

namespace tessera::driver {

namespace {

/// Divides the machine's processors among the processes that share them, unless a launcher has bound these.
void share_processors(const comm::Communicator& world, HostThreads& host) {
  int taken = 0;
  const std::vector<int> all = world.all_gather(host.processors);
  for (const int processors : all)
    taken += processors;
  const int online = processors_of_machine();
  if (taken > online * (world.size() / std::max(1, world.local_size())))
    host.processors = std::max(1, online / world.local_size());
}

std::string too_many_threads(const ThreadChoice& threads, int processors, int n_processes) {
  std::ostringstream text;
  text << threads.count << " threads (" << threads.reason << ')';
  if (n_processes > 1)
    text << " in each of " << n_processes << " processes";
  text << ", but " << processors << (processors == 1 ? " processor" : " processors")
       << (n_processes > 1 ? " for each process" : "")
       << ": threads wait for others that have no processor, and the run may take many times as long.";
  return text.str();
}

} // namespace

int device_of_process(const comm::Communicator& world, const std::vector<std::string>& backends) {
  const int n_devices = device_count();
  const bool on_device = std::any_of(backends.begin(), backends.end(),
                                     [](const std::string& name) { return name != "serial" && name != "openmp"; });
  TESSERA_REQUIRE(!on_device || world.local_size() <= n_devices,
                  world.local_size() << " processes were started on a machine with " << n_devices
                                     << (n_devices == 1 ? " GPU" : " GPUs") << "; start one for each.");
  return n_devices > 0 ? world.local_rank() % n_devices : -1;
}

KokkosSession::KokkosSession(const io::Case& input, const std::vector<std::string>& backends, Context& context,
                             std::optional<Runtime>* home)
    : context_(context), host_(host_threads()), runtime_(home != nullptr ? *home : own_runtime_) {
  std::vector<std::string>& notes = context.notes;
  const comm::Communicator& world = context.world;
  if (world.size() > 1) { // a single process has all processors, and the device that Kokkos chooses
    share_processors(world, host_);
    device_ = device_of_process(world, backends);
  }
  const auto has = [&](const char* name) {
    return std::find(backends.begin(), backends.end(), name) != backends.end();
  };
  if (Kokkos::is_initialized())
    return;
  if (!has("openmp")) {
    const bool only_serial = backends == std::vector<std::string>{"serial"};
    runtime_.emplace(only_serial ? 1 : host_.standard(), device_);
    return;
  }
  notes.insert(notes.end(), host_.notes.begin(), host_.notes.end());
  const ThreadChoice requested = requested_threads(input.execution, host_);
  if (requested.count > host_.processors)
    notes.push_back(too_many_threads(requested, host_.processors, world.local_size()));
  if (requested.count > 0)
    launch(requested);
}

void KokkosSession::start(const io::ImportedMesh& imported) {
  if (!Kokkos::is_initialized())
    launch(threads_by_size(context_.input, imported, host_, context_.world.size()));
}

void KokkosSession::launch(const ThreadChoice& threads) {
  runtime_.emplace(threads.count, device_);
  threads_ = threads;
  context_.console.item("threads", std::to_string(threads.count) + " (" + threads.reason + ")");
}

} // namespace tessera::driver
