// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/available_memory.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <unistd.h>

using namespace tessera;

namespace {

/// A machine with 4000 KiB available and no limits yet.
struct Machine {
  test::TemporaryFolder folder;
  MemorySources sources;

  Machine() {
    sources.meminfo = folder.write("meminfo", "MemTotal:  8000 kB\nMemFree: 1000 kB\nMemAvailable:   4000 kB\n");
    sources.own_groups = folder.file("own_groups");
    sources.groups = folder.file("groups");
    sources.own_pages = folder.write("statm", "10 5 2 1 0 3 0\n");
    sources.address_space = 1e18;
  }
  void set_own_groups(const std::string& text) const { folder.write("own_groups", text); }
  /// Writes one file of the control group with this path.
  void write(const std::string& group, const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(folder.file("groups" + group));
    folder.write("groups" + group + "/" + name, text);
  }
  double available() const { return available_host_memory(sources); }
};

} // namespace

TEST_CASE("Without limits, what the system calls available is", "[core]") {
  Machine machine;
  CHECK(machine.available() == 4000. * 1024.);
  machine.set_own_groups("0::/\n");
  CHECK(machine.available() == 4000. * 1024.);
  machine.sources.meminfo = machine.folder.file("no-such-file");
  machine.sources.address_space.reset(); // no limit in a usual shell
  CHECK((machine.available() < 0. || machine.available() > 1e6));
}

TEST_CASE("Limits of control groups count, those above as well", "[core]") {
  const Machine machine;
  machine.set_own_groups("0::/service/job\n");
  machine.write("/service/job", "memory.max", "max\n");
  machine.write("/service/job", "memory.current", "500000\n");
  CHECK(machine.available() == 4000. * 1024.);
  machine.write("/service/job", "memory.max", "3000000\n");
  CHECK(machine.available() == 2500000.);
  machine.write("/service", "memory.max", "2000000\n");
  machine.write("/service", "memory.current", "800000\n");
  CHECK(machine.available() == 1200000.);
  machine.write("/", "memory.max", "1000000\n");
  machine.write("/", "memory.current", "900000\n");
  CHECK(machine.available() == 100000.);
  machine.write("/", "memory.current", "1100000\n"); // a limit that was lowered
  CHECK(machine.available() == 0.);
}

TEST_CASE("Pages of files in a control group are still available", "[core]") {
  const Machine machine;
  machine.set_own_groups("0::/job\n");
  machine.write("/job", "memory.max", "3000000\n");
  machine.write("/job", "memory.current", "2900000\n");
  machine.write("/job", "memory.stat", "anon 100000\nfile 2600000\ninactive_file 2000000\nactive_file 600000\n");
  CHECK(machine.available() == 2700000.);
}

TEST_CASE("Limits of control groups of version 1 count", "[core]") {
  const Machine machine;
  machine.set_own_groups("12:cpu,cpuacct:/elsewhere\n7:memory:/docker/42\n0::/docker/42\n");
  machine.write("/memory/docker/42", "memory.limit_in_bytes", "2000000\n");
  machine.write("/memory/docker/42", "memory.usage_in_bytes", "500000\n");
  machine.write("/memory/docker/42", "memory.stat", "cache 1\ntotal_inactive_file 100000\ntotal_active_file 50000\n");
  CHECK(machine.available() == 1650000.);
  machine.write("/memory/docker/42", "memory.limit_in_bytes", "9223372036854771712\n"); // no limit
  CHECK(machine.available() == 4000. * 1024.);
}

// A container sees its group as the root, but may get the host's path.
TEST_CASE("A control group whose path is not mounted counts by the root", "[core]") {
  const Machine machine;
  machine.set_own_groups("7:memory:/docker/42\n");
  machine.write("/memory", "memory.limit_in_bytes", "700000\n");
  machine.write("/memory", "memory.usage_in_bytes", "100000\n");
  CHECK(machine.available() == 600000.);
}

TEST_CASE("The limit of the address space counts less what is mapped", "[core]") {
  Machine machine;
  const double mapped = 10. * static_cast<double>(sysconf(_SC_PAGESIZE));
  machine.sources.address_space = mapped + 123456.;
  CHECK(machine.available() == 123456.);
  machine.sources.address_space = 0.5 * mapped;
  CHECK(machine.available() == 0.);
}

TEST_CASE("This machine has memory", "[core]") { CHECK(available_host_memory() > 0.); }
