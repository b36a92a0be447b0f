// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/child_process.hpp"

#include "core/error.hpp"
#include "io/byte_stream.hpp"
#include "io/signals.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

extern char** environ;

namespace tessera::io::detail {

namespace {

constexpr int first_free = 10; // above the descriptors passed to the program
constexpr int poll_milliseconds = 200;
/// s, for processes left behind by a program at its end: processes of a run end some five seconds after an error.
constexpr double longest_wait = 10.;

/// Makes a copy above the descriptors 0 to 3, so that passing one of these to the program overwrites no other.
Descriptor copy_above(int number) {
  Descriptor copy(::fcntl(number, F_DUPFD_CLOEXEC, first_free));
  TESSERA_REQUIRE_KIND(copy.number() >= 0, ErrorKind::resource,
                       "No file can be opened for another program: " << std::strerror(errno) << ".");
  return copy;
}

/// Arguments of posix_spawn, freed with the object.
class SpawnSettings {
public:
  SpawnSettings() {
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawnattr_init(&attributes);
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&files);
    ::posix_spawnattr_destroy(&attributes);
  }

  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
};

/// A started program; killed with its process group if the object is destroyed before the program has ended.
class Child {
public:
  Child(const ChildCall& call, int words) {
    const Descriptor input = call.input >= 0 ? copy_above(call.input) : Descriptor();
    const Descriptor output = call.output >= 0 ? copy_above(call.output) : Descriptor();
    const Descriptor said = copy_above(words);
    SpawnSettings settings;
    if (input.number() >= 0)
      ::posix_spawn_file_actions_adddup2(&settings.files, input.number(), STDIN_FILENO);
    else
      ::posix_spawn_file_actions_addopen(&settings.files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&settings.files, said.number(), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&settings.files, said.number(), STDERR_FILENO);
    if (output.number() >= 0)
      ::posix_spawn_file_actions_adddup2(&settings.files, output.number(), 3);
    std::vector<char*> arguments{const_cast<char*>(call.program.c_str())};
    for (const std::string& argument : call.arguments)
      arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    // No code of ours runs between fork and exec: this process may have threads that hold locks.
    const int error =
        ::posix_spawn(&pid_, call.program.c_str(), &settings.files, &settings.attributes, arguments.data(), environ);
    if (error != 0)
      pid_ = -1;
    const bool is_short = error == EAGAIN || error == ENOMEM;
    TESSERA_REQUIRE_KIND(error == 0, is_short ? ErrorKind::resource : ErrorKind::input,
                         "The program " << call.program << " cannot be started: " << std::strerror(error) << ".");
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    kill_group();
    if (pid_ > 0)
      reap();
  }

  void kill_group() const {
    if (pid_ > 0) {
      ::kill(-pid_, SIGKILL);
      ::kill(pid_, SIGKILL); // for the case that it is not yet in its group, or has left it
    }
  }

  /// Whether the program has ended; it stays a zombie, so that its process number is not reused yet.
  bool has_ended() {
    siginfo_t info;
    info.si_pid = 0;
    const int status = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT | WNOHANG);
    if (status != 0 && errno == ECHILD) { // this process ignores the end of its children, or another thread waits
      pid_ = -1;
      return true;
    }
    return status == 0 && info.si_pid == pid_;
  }

  ChildEnd reap() {
    ChildEnd end;
    int status = 0;
    struct rusage usage {};
    pid_t ended = -1;
    while (pid_ > 0 && (ended = ::wait4(pid_, &status, 0, &usage)) < 0 && errno == EINTR) {
    }
    if (ended > 0) {
      end.how = WIFSIGNALED(status) ? ChildEnd::How::signalled : ChildEnd::How::exited;
      end.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
      end.peak_bytes = 1024. * static_cast<double>(usage.ru_maxrss);
    }
    pid_ = -1;
    return end;
  }

private:
  pid_t pid_ = -1;
};

/// Reads the available bytes; returns false at the end of the stream.
bool read_words(const Descriptor& from, LastLines& lines) {
  char text[4096];
  const ssize_t n = ::read(from.number(), text, sizeof(text));
  if (n > 0)
    lines.add(text, static_cast<std::size_t>(n));
  return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

/// Removes escape sequences ("ESC [ ... letter", such as colours), control characters and repeated blanks.
std::string cleaned(const std::string& line) {
  std::string result;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\x1b') {
      while (i + 1 < line.size() && !std::isalpha(static_cast<unsigned char>(line[i])))
        ++i;
      continue;
    }
    const char c = static_cast<unsigned char>(line[i]) < 0x20 ? ' ' : line[i];
    if (c != ' ' || (!result.empty() && result.back() != ' '))
      result += c;
  }
  if (!result.empty() && result.back() == ' ')
    result.pop_back();
  return result;
}

/// Processes whose parent is this one, zombies included.
std::vector<pid_t> children() {
  std::vector<pid_t> found;
  std::error_code none; // without /proc no children are found
  for (const auto& entry : std::filesystem::directory_iterator("/proc", none)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos)
      continue;
    std::ifstream stat(entry.path() / "stat");
    std::string text;
    std::getline(stat, text); // "17 (name) S 1 ..."; a name may contain any character
    std::istringstream rest(text.substr(std::min(text.size(), text.rfind(')') + 1)));
    std::string state;
    pid_t parent = 0;
    if (rest >> state >> parent && parent == ::getpid())
      found.push_back(static_cast<pid_t>(std::stol(name)));
  }
  return found;
}

/// Waits for the end of all children, and kills those that have not ended after the time limit, s, or when another
/// signal asks this process to end.
void wait_for_children(double time_limit) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const int n_requested = n_end_requests();
  constexpr double after_kill = 2.; // s; processes that the kernel cannot end by then are given up
  double killed_at = -1.;
  for (;;) {
    const pid_t ended = ::waitpid(-1, nullptr, WNOHANG);
    if (ended > 0)
      continue;
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if ((ended < 0 && errno != EINTR) || (killed_at >= 0. && seconds > killed_at + after_kill))
      return; // none remains
    if (killed_at < 0. && (seconds > time_limit || n_end_requests() > n_requested))
      killed_at = seconds;
    if (killed_at >= 0.) // repeatedly: children of killed processes become children of this process
      for (const pid_t child : children())
        ::kill(child, SIGKILL);
    ::poll(nullptr, 0, 20);
  }
}

} // namespace

int run_in_place(const std::vector<std::string>& command, const std::string& what) {
  std::vector<char*> words;
  for (const std::string& word : command)
    words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  int ends[2] = {-1, -1}; // closed by a successful start; otherwise receives the reason
  const auto require = [&what](bool works, int reason) {
    TESSERA_REQUIRE_KIND(works, ErrorKind::resource, what << std::strerror(reason) << '.');
  };
  require(::pipe2(ends, O_CLOEXEC) == 0, errno);
  const Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  // Processes that the program leaves behind become children of this process.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t child = ::fork();
  require(child >= 0, errno);
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM); // work must not continue when this process is killed
    ::execvp(words.front(), words.data());
    const int reason = errno;
    [[maybe_unused]] const ssize_t written = ::write(ends[1], &reason, sizeof reason);
    ::_exit(static_cast<int>(ErrorKind::resource));
  }
  writing = Descriptor();
  int reason = 0;
  ssize_t n_read = -1;
  while ((n_read = ::read(ends[0], &reason, sizeof reason)) < 0 && errno == EINTR) {
  }
  if (n_read == static_cast<ssize_t>(sizeof reason)) {
    ::waitpid(child, nullptr, 0);
    require(false, reason);
  }
  const int code = wait_for_worker(child);
  wait_for_children(longest_wait);
  return code;
}

void LastLines::add(const char* text, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    const char c = text[i];
    if (c != '\n' && c != '\r') {
      if (current_.size() < max_length)
        current_ += c;
      continue;
    }
    const std::string line = cleaned(current_);
    current_.clear();
    if (line.empty())
      continue;
    lines_.push_back(line);
    if (lines_.size() > n_kept)
      lines_.pop_front();
  }
}

std::vector<std::string> LastLines::lines() const {
  std::vector<std::string> all(lines_.begin(), lines_.end());
  const std::string unfinished = cleaned(current_);
  if (!unfinished.empty())
    all.push_back(unfinished);
  return all;
}

std::string LastLines::last() const {
  const std::string unfinished = cleaned(current_);
  return !unfinished.empty() || lines_.empty() ? unfinished : lines_.back();
}

ChildEnd run_child(const ChildCall& call) {
  using Clock = std::chrono::steady_clock;
  int ends[2];
  TESSERA_REQUIRE_KIND(::pipe2(ends, O_CLOEXEC) == 0, ErrorKind::resource,
                       "No pipe can be made for another program: " << std::strerror(errno) << ".");
  const Descriptor words(ends[0]);
  Descriptor other_end(ends[1]);
  const Clock::time_point start = Clock::now();
  Child child(call, other_end.number());
  other_end.close();

  LastLines lines;
  bool is_open = true;
  const auto read_for = [&](int milliseconds) {
    struct pollfd poll {
      is_open ? words.number() : -1, POLLIN, 0
    };
    if (::poll(&poll, 1, milliseconds) > 0)
      is_open = read_words(words, lines);
  };
  bool timed_out = false;
  while (!child.has_ended()) {
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (seconds >= call.time_limit) {
      timed_out = true;
      break;
    }
    if (call.watch)
      call.watch(seconds, lines.last());
    // The pipe is closed when the program ends, so that waiting stops as soon as a short program ends.
    const double left = 1e3 * (call.time_limit - seconds) + 1.;
    read_for(is_open ? static_cast<int>(std::min<double>(poll_milliseconds, left)) : 10);
  }
  child.kill_group(); // also kills processes started by the program
  ChildEnd end = child.reap();
  if (timed_out)
    end.how = ChildEnd::How::timed_out;
  while (is_open) { // remaining output; no process is left that could write more
    struct pollfd poll {
      words.number(), POLLIN, 0
    };
    if (::poll(&poll, 1, 0) <= 0)
      break;
    is_open = read_words(words, lines);
  }
  end.lines = lines.lines();
  return end;
}

} // namespace tessera::io::detail
