// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Damaged inputs by the thousand: tessera_fuzz KIND[,KIND...]|all [--runs N] [--seconds S] [--seed S] [--first I]
// [--save FOLDER]
//                                 tessera_fuzz KIND --replay I [--seed S]     in this process, for a debugger
//
// Exit code 1 when an input crashed the code, hung, or was taken though the check refutes it.

#include "core/kokkos_ext/runtime.hpp"
#include "supervisor.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace tessera::fuzz {

std::vector<std::string> target_names() {
  return {"case", "table", "expression", "drawing", "grid", "own", "msh", "run"};
}

std::unique_ptr<Target> make_target(const std::string& name) {
  if (name == "case")
    return make_case_target();
  if (name == "table")
    return make_table_target();
  if (name == "expression")
    return make_expression_target();
  if (name == "drawing")
    return make_drawing_target();
  if (name == "grid")
    return make_grid_target();
  if (name == "own")
    return make_own_mesh_target();
  if (name == "msh")
    return make_msh_target();
  if (name == "run")
    return make_run_target();
  throw std::invalid_argument("unknown kind '" + name +
                              "'; allowed: case, table, expression, grid, own, msh, run, all");
}

namespace {

int replay(const Target& target, const Series& series, std::uint64_t number) {
  Random random(series.seed, number);
  const std::string folder = (std::filesystem::temp_directory_path() / "tessera-fuzz-replay").string();
  std::filesystem::create_directories(folder);
  const std::string input = target.make(random);
  std::printf("%s\n----\n", input.c_str());
  std::fflush(stdout);
  try {
    const Outcome outcome = target.take(input, folder);
    std::printf("%s%s\n", outcome.kind == Outcome::Kind::refuted ? "refuted: " : "accepted", outcome.text.c_str());
    return outcome.kind == Outcome::Kind::refuted ? 1 : 0;
  } catch (const std::exception& error) {
    std::printf("refused: %s\n", error.what());
  }
  return 0;
}

int run(int argc, char* argv[]) {
  if (argc < 2)
    throw std::invalid_argument("a kind is missing: case, table, expression, grid, own, msh, run or all");
  std::vector<std::string> names;
  Series series;
  double seconds = 0.;
  long long replayed = -1;
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string option = argv[i], value = argv[i + 1];
    if (option == "--runs")
      series.n_runs = std::stoull(value);
    else if (option == "--seconds")
      seconds = std::stod(value);
    else if (option == "--seed")
      series.seed = std::stoull(value);
    else if (option == "--first")
      series.first = std::stoull(value);
    else if (option == "--save")
      series.save_to = value;
    else if (option == "--replay")
      replayed = std::stoll(value);
    else
      throw std::invalid_argument("unknown option " + option);
  }
  const std::string kinds = argv[1];
  if (kinds == "all")
    names = target_names();
  else
    for (std::size_t begin = 0; begin <= kinds.size();) {
      const std::size_t end = std::min(kinds.find(',', begin), kinds.size());
      names.push_back(kinds.substr(begin, end - begin));
      begin = end + 1;
    }
  if (replayed >= 0)
    return replay(*make_target(names[0]), series, static_cast<std::uint64_t>(replayed));
  if (!series.save_to.empty())
    std::filesystem::create_directories(series.save_to);

  bool clean = true;
  for (const std::string& name : names) {
    const std::unique_ptr<Target> target = make_target(name);
    const auto start = std::chrono::steady_clock::now();
    const auto elapsed = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    Counts counts;
    Series part = series;
    do { // with --seconds: one series after the other until the time is up
      const Counts more = run_series(*target, name, part);
      counts.accepted += more.accepted;
      counts.refused += more.refused;
      counts.refuted += more.refuted;
      counts.crashed += more.crashed;
      counts.hung += more.hung;
      part.first += part.n_runs;
    } while (elapsed() < seconds);
    std::printf(
        "%-10s seed %llu: %llu runs in %.1f s: %llu accepted, %llu refused, %llu refuted, %llu crashed, %llu hung\n",
        name.c_str(), static_cast<unsigned long long>(series.seed),
        static_cast<unsigned long long>(part.first - series.first), elapsed(),
        static_cast<unsigned long long>(counts.accepted), static_cast<unsigned long long>(counts.refused),
        static_cast<unsigned long long>(counts.refuted), static_cast<unsigned long long>(counts.crashed),
        static_cast<unsigned long long>(counts.hung));
    std::fflush(stdout);
    clean = clean && counts.clean();
  }
  return clean ? 0 : 1;
}

} // namespace

} // namespace tessera::fuzz

int main(int argc, char* argv[]) {
  setenv("OMP_NUM_THREADS", "1", 1); // a forked child has no other threads
  try {
    tessera::own_process();
    const tessera::Runtime runtime(1);
    return tessera::fuzz::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tessera_fuzz: error: %s\n", error.what());
    return 1;
  }
}
