// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/session.hpp"

#include "core/kokkos_ext/spaces.hpp"

#include <algorithm>

namespace tessera::driver {

KokkosSession::KokkosSession(const io::Case& input, const std::vector<std::string>& backends, Context& context)
    : context_(context), host_(host_threads()) {
  std::vector<std::string>& notes = context.notes;
  const auto has = [&](const char* name) {
    return std::find(backends.begin(), backends.end(), name) != backends.end();
  };
  if (!has("openmp") && input.execution.threads > 0)
    notes.push_back("execution.threads: " + std::to_string(input.execution.threads) +
                    " has no effect; it is for the backend openmp.");
  if (Kokkos::is_initialized())
    return;
  if (!has("openmp")) {
    const bool only_serial = backends == std::vector<std::string>{"serial"};
    runtime_.emplace(only_serial ? 1 : host_.standard());
    return;
  }
  notes.insert(notes.end(), host_.notes.begin(), host_.notes.end());
  const ThreadChoice requested = requested_threads(input, host_);
  if (requested.count > 0)
    launch(requested);
}

void KokkosSession::start(const io::ImportedMesh& imported) {
  if (!Kokkos::is_initialized())
    launch(threads_by_size(context_.input, imported, host_));
}

void KokkosSession::launch(const ThreadChoice& threads) {
  runtime_.emplace(threads.count);
  threads_ = threads;
  context_.console.item("threads", std::to_string(threads.count) + " (" + threads.reason + ")");
}

} // namespace tessera::driver
