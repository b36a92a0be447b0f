// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_HOST_ONE_THREAD_HPP
#define TESSERA_CORE_KOKKOS_EXT_HOST_ONE_THREAD_HPP

/// \file
/// The backend `serial`: one thread of the host, whatever the number of threads that Kokkos was started with.

#include "core/kokkos_ext/backend_name.hpp"
#include "core/kokkos_ext/spaces.hpp"

#include <functional>
#include <tuple>

namespace tessera {

/// Execution space of the backend `serial`: Kokkos::Serial in a build for it, else Kokkos::OpenMP.
using OneThreadSpace = std::tuple_element_t<0, ExecutionSpaces>;

/// Calls `work` with an instance of one thread, whose concurrency() is 1. Until it returns, backend_name() of this
/// space is "serial". Exceptions of `work` are passed on. Must be called outside parallel loops; nested calls from
/// `work` are allowed.
void on_one_thread(const std::function<void(const OneThreadSpace&)>& work);

} // namespace tessera

#endif
