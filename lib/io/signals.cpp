// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/signals.hpp"

#include "core/error.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace tessera::io {

namespace {

// Names for the signal handler, in plain memory that never moves. A slot's name is complete before it is marked used.
constexpr int n_slots = 64;
constexpr std::size_t max_path = 4096;
struct Slot {
  std::atomic<int> state{0}; // 0 free, 1 being written, 2 names a file
  char path[max_path];
};
Slot slots[n_slots];

std::atomic<bool> postpones{false};
std::atomic<int> postponed{0}; // number of the signal
std::atomic<bool> reports_end{true};

struct EndingSignal {
  int number;
  const char* message; // null: the sender sees that the program ended
};
constexpr EndingSignal ending_signals[] = {
    {SIGINT, nullptr},
    {SIGHUP, nullptr},
    {SIGPIPE, nullptr},
    {SIGTERM, "tessera: ended by SIGTERM.\n"},
    {SIGQUIT, "tessera: ended by SIGQUIT.\n"},
    {SIGALRM, "tessera: ended by SIGALRM.\n"},
    {SIGVTALRM, "tessera: ended by SIGVTALRM.\n"},
    {SIGPROF, "tessera: ended by SIGPROF.\n"},
    {SIGUSR1, "tessera: ended by SIGUSR1.\n"},
    {SIGUSR2, "tessera: ended by SIGUSR2.\n"},
    {SIGXCPU, "tessera: error: the limit on processor time is used up (SIGXCPU; see ulimit -t).\n"}};

void remove_named_files() {
  for (Slot& slot : slots)
    if (slot.state.load() == 2)
      ::unlink(slot.path);
}

void write_message(const char* message) {
  // A failure of this write cannot be handled.
  [[maybe_unused]] const ssize_t n_written = ::write(STDERR_FILENO, message, std::strlen(message));
}

extern "C" void end_by_signal(int number) {
  int none = 0;
  if ((number == SIGINT || number == SIGTERM) && postpones.load() && postponed.compare_exchange_strong(none, number)) {
    write_message("tessera: ends after this time step; a second signal ends at once.\n");
    return;
  }
  remove_named_files();
  for (const EndingSignal& signal : ending_signals)
    if (signal.number == number && signal.message != nullptr && reports_end.load())
      write_message(signal.message);
  ::_exit(128 + number);
}

std::atomic<int> worker{0};           // process number of the child that does the work; 0: it has ended
std::atomic<int> signal_of_worker{0}; // number of the first signal that asked this process to end
std::atomic<int> n_end_signals{0};    // number of such signals

extern "C" void end_worker(int number, siginfo_t* info, void*) {
  int none = 0;
  signal_of_worker.compare_exchange_strong(none, number);
  ++n_end_signals;
  if (worker.load() > 0 && info->si_code != SI_KERNEL) // a terminal also sends its signals to the child, for which the
                                                       // forwarded one would be a second
    ::kill(worker.load(), number);
}

/// For std::abort: the default action follows when the handler returns.
extern "C" void remove_files_before_abort(int) { remove_named_files(); }

void handle(int number, void (*handler)(int)) {
  struct sigaction action;
  if (::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN)
    return;
  std::memset(&action, 0, sizeof(action));
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART; // a postponed signal does not interrupt writing
  sigfillset(&action.sa_mask);
  ::sigaction(number, &action, nullptr);
}

} // namespace

RemovedBySignals::RemovedBySignals(const std::string& path) : slot_(0) {
  TESSERA_REQUIRE(path.size() < max_path, "The path '" << path << "' is too long.");
  for (; slot_ < n_slots; ++slot_) {
    int expected = 0;
    if (!slots[slot_].state.compare_exchange_strong(expected, 1))
      continue;
    std::memcpy(slots[slot_].path, path.c_str(), path.size() + 1);
    slots[slot_].state.store(2);
    return;
  }
  TESSERA_REQUIRE(false, "More than " << n_slots << " output files are open at once.");
}

RemovedBySignals::~RemovedBySignals() { slots[slot_].state.store(0); }

PostponedSignals::PostponedSignals() {
  postponed.store(0);
  postpones.store(true);
}

PostponedSignals::~PostponedSignals() { postpones.store(false); }

int PostponedSignals::received() const { return postponed.load(); }

std::string signal_name(int number) { return number == SIGINT ? "SIGINT" : "SIGTERM"; }

void install_signal_handlers(bool reports) {
  reports_end.store(reports);
  for (const EndingSignal& signal : ending_signals)
    handle(signal.number, end_by_signal);
  handle(SIGABRT, remove_files_before_abort);
  std::signal(SIGXFSZ, SIG_IGN);
}

int wait_for_worker(int child) {
  worker.store(child);
  for (const EndingSignal& signal : ending_signals) {
    struct sigaction action;
    if (::sigaction(signal.number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN)
      continue;
    std::memset(&action, 0, sizeof(action));
    action.sa_sigaction = end_worker;
    action.sa_flags = SA_RESTART | SA_SIGINFO;
    sigfillset(&action.sa_mask);
    ::sigaction(signal.number, &action, nullptr);
  }
  // Its process number is not reused until its status is taken, so that no signal reaches another process.
  siginfo_t info;
  while (::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  worker.store(0);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const int number =
      signal_of_worker.load() != 0 ? signal_of_worker.load() : (WIFSIGNALED(status) ? WTERMSIG(status) : 0);
  for (const EndingSignal& signal : ending_signals)
    if (signal.number == number && signal.message != nullptr)
      write_message(signal.message);
  return number != 0 ? 128 + number : WEXITSTATUS(status);
}

int n_end_requests() { return n_end_signals.load(); }

void reserve_standard_descriptors() {
  // Opened read-only, so that writing to a closed stream is an error instead of being lost silently. The system uses
  // the lowest free descriptor, which is the one that was found closed.
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
      ::open("/dev/null", O_RDONLY);
}

} // namespace tessera::io
