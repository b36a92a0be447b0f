// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

// Program that reads or generates a mesh. The solver starts it with a request on standard input and an open file for
// the mesh at descriptor 3 (lib/io/geometry/import_process.hpp); its output is shown to the user only if it ends
// without an answer.

#include "core/config.hpp"
#include "core/error.hpp"
#include "importer.hpp"
#include "io/mesh_files/mesh_handover.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <new>
#include <string>

namespace {

using namespace tessera;

constexpr int request_file = STDIN_FILENO;
constexpr int mesh_file = 3;
constexpr int exit_protocol = 70; // EX_SOFTWARE in sysexits.h

io::ImportRequest request; // global, since the handler below names its file

[[noreturn]] void give_up(ErrorKind kind, const std::string& message) {
  try {
    io::hand_over_failure(mesh_file, kind, message);
  } catch (const std::exception& error) {
    std::cout << message << '\n' << error.what() << std::endl;
    ::_exit(exit_protocol);
  }
  ::_exit(0); // without destructors and exit handlers, which may fail for the same reason
}

/// Ends this process and all processes that it started, because the solver has ended or given up.
extern "C" void end_group(int) {
  if (::getpgrp() == ::getpid())
    ::kill(0, SIGKILL);
  ::_exit(128 + SIGTERM);
}

/// Called by `new` when the limit is reached. Libraries may swallow the exception that would follow.
void out_of_memory() {
  std::set_new_handler(nullptr);
  struct rlimit limit {};
  ::getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = limit.rlim_max; // for the message
  ::setrlimit(RLIMIT_AS, &limit);
  give_up(ErrorKind::resource,
          "Reading " + request.path + " takes more memory than it may" +
              (request.memory_limit > 0. ? ": " + format_bytes(request.memory_limit) + " (mesh.memory_limit)." : "."));
}

/// Bytes of address space that this process already uses.
double address_space() {
  std::ifstream file("/proc/self/statm");
  double pages = 0.;
  file >> pages;
  return pages * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

void limit_memory(double bytes) {
#if defined(__SANITIZE_ADDRESS__)
  (void)bytes; // the sanitizer reserves terabytes of address space
#else
  ::mallopt(M_ARENA_MAX, 2); // an arena per thread would exhaust the limit without being used
  struct rlimit limit {};
  if (bytes <= 0. || ::getrlimit(RLIMIT_AS, &limit) != 0)
    return;
  const double wanted = bytes + address_space();
  if (wanted < 9e18 && (limit.rlim_cur == RLIM_INFINITY || wanted < static_cast<double>(limit.rlim_cur))) {
    limit.rlim_cur = static_cast<rlim_t>(wanted);
    ::setrlimit(RLIMIT_AS, &limit);
  }
#endif
}

int read_for(int parent) {
  std::signal(SIGTERM, end_group);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) // the parent ended before the signal was set
    return exit_protocol;
  ::fcntl(mesh_file, F_SETFD, FD_CLOEXEC); // not inherited by the commands of a geometry
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    request = io::read_request(request_file);
  } catch (const std::exception& error) {
    std::cout << error.what() << std::endl;
    return exit_protocol;
  }
  limit_memory(request.memory_limit);
  std::set_new_handler(out_of_memory);
  try {
    io::hand_over(mesh_file, importer::read(request));
  } catch (const Error& error) {
    give_up(error.kind(), error.what());
  } catch (const std::bad_alloc&) { // the size exceeds any memory, so the handler was not called
    give_up(ErrorKind::resource, "Reading " + request.path + " takes more memory than there is.");
  } catch (const std::exception& error) {
    give_up(ErrorKind::input, "Cannot read " + request.path + ": " + error.what());
  } catch (...) {
    give_up(ErrorKind::input, "Cannot read " + request.path + ": the library that reads it gives no reason.");
  }
  std::fflush(stdout);
  ::_exit(0);
}

} // namespace

int main(int argc, char* argv[]) {
  const std::string option = argc > 1 ? argv[1] : "";
  if (option == "--version") {
    std::cout << "Tessera " << TESSERA_VERSION_STRING << '\n' << importer::library_version() << std::endl;
    return 0;
  }
  if (option == "--child" && argc == 3)
    return read_for(std::atoi(argv[2]));
  std::cout << "This program reads meshes for tessera, which starts it itself; see tessera --help.\n";
  return option == "--help" ? 0 : 1;
}
