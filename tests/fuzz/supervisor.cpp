// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "supervisor.hpp"

#include "core/error.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <new>
#include <thread>

namespace tessera::fuzz {

namespace {

/// Shared memory of parent and child.
struct Progress {
  std::atomic<std::uint64_t> next{0}; ///< number of the current input
  std::atomic<std::uint64_t> accepted{0};
  std::atomic<std::uint64_t> refused{0};
  std::atomic<std::uint64_t> refuted{0};
  char text[2000] = {}; ///< message of an unexpected exception
};

constexpr int exit_after_exception = 99;

void keep(const Series& series, const std::string& name, std::uint64_t number, const std::string& input) {
  if (!series.save_to.empty())
    write_file(series.save_to + "/" + name + "-" + std::to_string(series.seed) + "-" + std::to_string(number), input);
}

/// Works through the inputs from `progress.next` on; never returns.
[[noreturn]] void child(const Target& target, const std::string& name, const Series& series, Progress& progress,
                        const std::string& folder) {
#if !defined(__SANITIZE_ADDRESS__) // the sanitizer maps the whole address space
  const rlimit memory{std::size_t(4) << 30, std::size_t(4) << 30};
  setrlimit(RLIMIT_AS, &memory);
#endif
  const rlimit core{0, 0};
  setrlimit(RLIMIT_CORE, &core);
  const int null = open("/dev/null", O_WRONLY); // the program's output is discarded
  dup2(null, STDOUT_FILENO);
  for (std::uint64_t number = progress.next; number < series.first + series.n_runs; progress.next = ++number) {
    Random random(series.seed, number);
    const std::string input = target.make(random);
    try {
      const Outcome outcome = target.take(input, folder);
      if (outcome.kind == Outcome::Kind::refuted) {
        std::fprintf(stderr, "%s %llu: REFUTED: %s\n", name.c_str(), static_cast<unsigned long long>(number),
                     outcome.text.c_str());
        keep(series, name, number, input);
        ++progress.refuted;
      } else {
        ++(outcome.kind == Outcome::Kind::accepted ? progress.accepted : progress.refused);
      }
    } catch (const Error& error) {
      if (error.what()[0] == '\0') {
        std::fprintf(stderr, "%s %llu: REFUTED: an error without text\n", name.c_str(),
                     static_cast<unsigned long long>(number));
        ++progress.refuted;
      } else {
        ++progress.refused;
      }
    } catch (const std::bad_alloc&) {
      std::snprintf(progress.text, sizeof(progress.text), "out of memory for an input of %zu bytes", input.size());
      _exit(exit_after_exception);
    } catch (const std::exception& error) {
      std::snprintf(progress.text, sizeof(progress.text), "unexpected exception: %s", error.what());
      _exit(exit_after_exception);
    } catch (...) {
      std::snprintf(progress.text, sizeof(progress.text), "an exception without text");
      _exit(exit_after_exception);
    }
  }
  _exit(0);
}

std::string how_it_ended(int status, const Progress& progress) {
  if (WIFSIGNALED(status))
    return std::string("signal ") + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")";
  if (WEXITSTATUS(status) == exit_after_exception)
    return progress.text;
  return "ended the process with exit code " + std::to_string(WEXITSTATUS(status));
}

} // namespace

Counts run_series(const Target& target, const std::string& name, const Series& series) {
  void* const page = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  TESSERA_REQUIRE_KIND(page != MAP_FAILED, ErrorKind::resource, "No shared memory for the progress of the series.");
  Progress& progress = *new (page) Progress;
  progress.next = series.first;
  Counts counts;
  const std::uint64_t end = series.first + series.n_runs;
  using Clock = std::chrono::steady_clock;
  while (progress.next < end) {
    std::string folder = (std::filesystem::temp_directory_path() / "tessera-fuzz-XXXXXX").string();
    TESSERA_REQUIRE_KIND(mkdtemp(folder.data()) != nullptr, ErrorKind::resource, "Cannot make the folder " << folder);
    std::fflush(nullptr);
    const pid_t process = fork();
    TESSERA_REQUIRE_KIND(process >= 0, ErrorKind::resource, "Cannot start a process for the series.");
    if (process == 0) {
      setpgid(0, 0);
      child(target, name, series, progress, folder);
    }
    int status = 0;
    std::uint64_t number = progress.next;
    auto since = Clock::now();
    bool hung = false;
    while (waitpid(process, &status, WNOHANG) == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      const std::uint64_t now = progress.next;
      if (now != number) {
        number = now;
        since = Clock::now();
      } else if (std::chrono::duration<double>(Clock::now() - since).count() > series.limit) {
        hung = true;
        kill(-process, SIGKILL); // and the processes that it started
        kill(process, SIGKILL);
        waitpid(process, &status, 0);
        break;
      }
    }
    std::filesystem::remove_all(folder);
    number = progress.next;
    if (number >= end)
      break;
    std::fprintf(stderr, "%s %llu: %s\n", name.c_str(), static_cast<unsigned long long>(number),
                 hung ? "HANG" : ("CRASH: " + how_it_ended(status, progress)).c_str());
    Random random(series.seed, number);
    keep(series, name, number, target.make(random));
    ++(hung ? counts.hung : counts.crashed);
    progress.next = number + 1;
  }
  counts.accepted = progress.accepted;
  counts.refused = progress.refused;
  counts.refuted = progress.refuted;
  munmap(page, sizeof(Progress));
  return counts;
}

} // namespace tessera::fuzz
