// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "core/kokkos_ext/spaces.hpp"
#include "graph/colouring/coloring.hpp"
#include "graph/colouring/node_masks.hpp"
#include "random_mesh.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace tessera::test {

namespace {

/// Limits the address space of this process to so many more bytes while the object lives.
class MemoryLimit {
public:
  explicit MemoryLimit(double bytes) {
    double pages = 0.;
    std::ifstream("/proc/self/statm") >> pages;
    getrlimit(RLIMIT_AS, &before_);
    rlimit limit = before_;
    limit.rlim_cur = static_cast<rlim_t>(pages * static_cast<double>(sysconf(_SC_PAGESIZE)) + bytes);
    setrlimit(RLIMIT_AS, &limit);
  }
  ~MemoryLimit() { setrlimit(RLIMIT_AS, &before_); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

private:
  rlimit before_;
};

/// Triangles that all share node 0, in a mesh of many more nodes.
std::vector<index_t> hub(index_t n_triangles) {
  std::vector<index_t> nodes;
  for (index_t i = 0; i < n_triangles; ++i)
    nodes.insert(nodes.end(), {0, 1 + i, 1 + (i + 1) % n_triangles});
  return nodes;
}

template <class ExecutionSpace>
std::string refusal(const ExecutionSpace& exec, graph::ColoringMethod method, bool deterministic) {
  const auto elements = array_of(exec, hub(1500));
  graph::ColoringOptions options;
  options.deterministic = deterministic;
  constexpr index_t n_nodes = 1000000; // with 1500 colours per node: at least 256 MB of masks, 16 GB of claims
  // Threads, whose start briefly needs address space, are started before the limit is set.
  graph::color_elements<ExecutionSpace>(exec, method, array_of(exec, hub(10)), 3, 11, options);
  const MemoryLimit limit(2.2e8); // less than the last masks of each method, whatever the heap retains of earlier ones
  try {
    graph::color_elements<ExecutionSpace>(exec, method, elements, 3, n_nodes, options);
  } catch (const Error& error) {
    return (error.kind() == ErrorKind::resource ? "resource: " : "other: ") + std::string(error.what());
  }
  return "";
}

} // namespace

#if !defined(__SANITIZE_ADDRESS__) // the sanitizer maps all addresses
// With the width that the hub requires, masks of all nodes would need all memory; this is reported in advance.
TEMPLATE_LIST_TEST_CASE("A node of too many elements is reported before its colours take all memory", "[graph]",
                        ExecutionSpaces) {
  if constexpr (is_host_space<TestType>) {
    const TestType exec;
    for (const auto& [method, deterministic] :
         {std::pair{graph::ColoringMethod::node_claims, false}, std::pair{graph::ColoringMethod::node_claims, true},
          std::pair{graph::ColoringMethod::ofcm, false}}) {
      const std::string text = refusal(exec, method, deterministic);
      INFO(graph::coloring_method_name(method) << (deterministic ? ", deterministic" : "") << ": " << text);
      CHECK(text.find("resource: Colouring: many elements meet at a node") == 0);
      CHECK(text.find("1000000 nodes") != std::string::npos);
      CHECK(text.find("row-gather") != std::string::npos);
    }
  }
}
#endif

TEST_CASE("Masks that fit, or memory that is not known, are no reason to refuse", "[graph]") {
  CHECK_NOTHROW(graph::detail::require_mask_memory(1000., 100, 64, 8.));
  CHECK_NOTHROW(graph::detail::require_mask_memory(-1., 2000000000, 16384, 2048.));
  CHECK_THROWS(graph::detail::require_mask_memory(1000., 100, 256, 32.));
}

} // namespace tessera::test
