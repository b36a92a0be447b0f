// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/host/host_threads.hpp"

#include "core/error.hpp"
#include "core/kokkos_ext/spaces.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <limits>
#include <optional>

#if defined(KOKKOS_ENABLE_OPENMP)
#include <omp.h>
#include <pthread.h>

#include <condition_variable>
#include <cstring>
#include <mutex>
#endif

namespace tessera {

// OpenMPTraits::MAX_THREAD_COUNT of Kokkos: the length of a fixed array, which Kokkos does not check against the number
// of threads.
int max_host_threads() { return 512; }

int processors_of_machine() { return static_cast<int>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN))); }

int HostThreads::standard() const { return requested > 0 ? requested : std::min(processors, limit); }

namespace {

/// Kokkos refuses to start with a number other than this variable's, which host_threads() has already considered.
void forget_kokkos_variable() { unsetenv("KOKKOS_NUM_THREADS"); }

} // namespace

#if defined(KOKKOS_ENABLE_OPENMP)

namespace {

/// First number of a list "4" or "4,2"; nothing if the text is not a list of positive numbers.
std::optional<int> parse_thread_list(const std::string& text) {
  std::optional<int> first;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string item = text.substr(begin, end - begin);
    item.erase(std::remove_if(item.begin(), item.end(), [](unsigned char c) { return std::isspace(c) != 0; }),
               item.end());
    if (item.empty() || !std::all_of(item.begin(), item.end(), [](unsigned char c) { return std::isdigit(c) != 0; }))
      return {};
    const double number = std::strtod(item.c_str(), nullptr);
    if (number < 1.)
      return {};
    if (!first)
      first = static_cast<int>(std::min(number, static_cast<double>(std::numeric_limits<int>::max())));
    begin = end + 1;
  }
  return first;
}

/// Bytes of a thread's stack by OMP_STACKSIZE or GOMP_STACKSIZE: a number of KiB, or with the suffix B, K, M or G of
/// that unit.
std::optional<std::size_t> stack_bytes() {
  for (const char* name : {"OMP_STACKSIZE", "GOMP_STACKSIZE"}) {
    const char* text = std::getenv(name);
    if (text == nullptr)
      continue;
    char* end = nullptr;
    const double number = std::strtod(text, &end);
    while (std::isspace(static_cast<unsigned char>(*end)) != 0)
      ++end;
    const char unit = *end == '\0' ? 'K' : static_cast<char>(std::toupper(static_cast<unsigned char>(*end)));
    const std::string units = "BKMG";
    const std::size_t power = units.find(unit);
    if (end == text || power == std::string::npos || !(number > 0.))
      continue;
    double bytes = number;
    for (std::size_t i = 0; i < power; ++i)
      bytes *= 1024.;
    return static_cast<std::size_t>(
        std::min(bytes, 0.5 * static_cast<double>(std::numeric_limits<std::size_t>::max())));
  }
  return {};
}

/// Barrier at which threads wait until they may end.
struct Gate {
  std::mutex mutex;
  std::condition_variable opened;
  bool open = false;
};

void* wait_at(void* argument) {
  Gate& gate = *static_cast<Gate*>(argument);
  std::unique_lock<std::mutex> lock(gate.mutex);
  gate.opened.wait(lock, [&] { return gate.open; });
  return nullptr;
}

/// Creates `count` simultaneous threads and ends them; returns the system's error number, or 0.
int try_threads(int count) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (const auto bytes = stack_bytes())
    pthread_attr_setstacksize(&attributes, *bytes); // like OpenMP, keep the default if the system refuses the size
  Gate gate;
  std::vector<pthread_t> threads;
  int error = 0;
  for (int i = 0; i < count && error == 0; ++i) {
    pthread_t thread;
    error = pthread_create(&thread, &attributes, wait_at, &gate);
    if (error == 0)
      threads.push_back(thread);
  }
  {
    const std::lock_guard<std::mutex> lock(gate.mutex);
    gate.open = true;
  }
  gate.opened.notify_all();
  for (const pthread_t thread : threads)
    pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  return error;
}

/// Number of threads of a parallel region that requests `count`.
int region_size(int count) {
  int size = 1;
#pragma omp parallel num_threads(count)
  {
#pragma omp single
    size = omp_get_num_threads();
  }
  return size;
}

} // namespace

HostThreads host_threads() {
  HostThreads threads;
  threads.limit = std::min(max_host_threads(), omp_get_thread_limit());
  threads.processors = omp_get_num_procs();
  for (const char* name : {"KOKKOS_NUM_THREADS", "OMP_NUM_THREADS"}) {
    const char* text = std::getenv(name);
    if (text == nullptr || threads.requested > 0)
      continue;
    const std::optional<int> number = parse_thread_list(text);
    if (!number) {
      threads.notes.push_back(std::string(name) + ": '" + text + "' is not a number of threads and is ignored.");
      continue;
    }
    threads.source = name;
    threads.requested = std::min(*number, threads.limit);
    if (*number > max_host_threads() && threads.limit == max_host_threads())
      threads.notes.push_back(std::string(name) + ": " + text + " threads, of which " + std::to_string(threads.limit) +
                              " are used: Kokkos " + kokkos_version() + " has room for no more.");
  }
  return threads;
}

void prepare_host_threads(int count) {
  const int limit = omp_get_thread_limit();
  TESSERA_REQUIRE(count <= max_host_threads(),
                  count << " threads: Kokkos " << kokkos_version() << " has room for " << max_host_threads() << '.');
  TESSERA_REQUIRE(count <= limit, count << " threads, but OMP_THREAD_LIMIT allows " << limit << '.');
  const int error = try_threads(count - 1); // the main thread is one of them
  TESSERA_REQUIRE_KIND(error == 0, ErrorKind::resource,
                       "The system does not make " << count << " threads (" << std::strerror(error)
                                                   << "). Fewer --threads, a smaller OMP_STACKSIZE, or a higher limit "
                                                      "of processes (ulimit -u) or memory (ulimit -v) may help.");
  forget_kokkos_variable();
  omp_set_dynamic(0);
  omp_set_max_active_levels(std::max(1, omp_get_max_active_levels()));
  omp_set_num_threads(count);
  const int made = region_size(count);
  TESSERA_REQUIRE_KIND(made == count, ErrorKind::resource,
                       "OpenMP makes " << made << " of " << count << " threads. Its variables (OMP_...) may say why.");
}

#else

HostThreads host_threads() { return {}; }

void prepare_host_threads(int) { forget_kokkos_variable(); }

#endif

} // namespace tessera
