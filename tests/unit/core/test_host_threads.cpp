// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "core/kokkos_ext/host/host_threads.hpp"

#include <Kokkos_Core.hpp>

#include <catch2/catch_test_macros.hpp>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

#include <cstdlib>
#include <optional>
#include <string>

using namespace tessera;

#if defined(KOKKOS_ENABLE_OPENMP)

namespace {

/// Sets an environment variable while the object lives.
class Variable {
public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* text = std::getenv(name))
      previous_ = text;
    value == nullptr ? unsetenv(name) : setenv(name, value, 1);
  }
  ~Variable() { previous_ ? setenv(name_, previous_->c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

private:
  const char* name_;
  std::optional<std::string> previous_;
};

HostThreads with_variable(const char* value) {
  const Variable kokkos("KOKKOS_NUM_THREADS", nullptr);
  const Variable openmp("OMP_NUM_THREADS", value);
  return host_threads();
}

} // namespace

TEST_CASE("The environment's threads are the first number of a list", "[core][threads]") {
  CHECK(with_variable("3").requested == 3);
  CHECK(with_variable(" 4 , 2").requested == 4);
  CHECK(with_variable("4,2").source == "OMP_NUM_THREADS");
  CHECK(with_variable(nullptr).requested == 0);
  CHECK(with_variable(nullptr).standard() >= 1);
  const Variable kokkos("KOKKOS_NUM_THREADS", "5");
  const Variable openmp("OMP_NUM_THREADS", "2");
  CHECK(host_threads().requested == 5);
}

TEST_CASE("Anything but a number of threads is ignored with a note", "[core][threads]") {
  for (const char* text : {"", "many", "0", "-2", "4,", ",4", "4,x", "2.5", "0x4"}) {
    INFO(text);
    const HostThreads threads = with_variable(text);
    CHECK(threads.requested == 0);
    CHECK(threads.notes.size() == 1);
  }
}

TEST_CASE("More threads than Kokkos has room for are never started", "[core][threads]") {
  for (const char* text : {"513", "4096", "99999999999999999999"}) {
    const HostThreads threads = with_variable(text);
    CHECK(threads.requested == threads.limit);
    CHECK(threads.limit <= max_host_threads());
    CHECK(threads.notes.size() == (threads.limit == max_host_threads() ? 1 : 0));
  }
  try {
    prepare_host_threads(max_host_threads() + 1);
    FAIL("not refused");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::input);
  }
}

TEST_CASE("Threads that the system does not make are an error of resources", "[core][threads]") {
  for (const char* size : {"1000000G", "1000000000M", " 1000000 g "}) {
    INFO(size);
    const Variable stack("OMP_STACKSIZE", size);
    try {
      prepare_host_threads(2);
      FAIL("not refused");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::resource);
      CHECK(std::string(error.what()).find("does not make 2 threads") != std::string::npos);
    }
  }
}

#endif
