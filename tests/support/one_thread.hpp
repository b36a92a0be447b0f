// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_SUPPORT_ONE_THREAD_HPP
#define TESSERA_TESTS_SUPPORT_ONE_THREAD_HPP

#include "core/kokkos_ext/host/one_thread.hpp"

#include <optional>
#include <type_traits>
#include <utility>

namespace tessera::test {

/// The result of `work(exec)` on one host thread, to compare with several threads and devices.
template <class Work> auto on_one_thread(const Work& work) {
  std::optional<std::invoke_result_t<const Work&, const OneThreadSpace&>> result;
  tessera::on_one_thread([&](const OneThreadSpace& exec) { result.emplace(work(exec)); });
  return std::move(*result);
}

} // namespace tessera::test

#endif
