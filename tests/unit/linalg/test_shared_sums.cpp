// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/transfer/upload.hpp"
#include "linalg/distributed/shared_sums.hpp"
#include "support/matrices.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

namespace tessera::test {

namespace {

struct TwoTerms {
  const double* x;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[2]) const {
    term[0] = x[i];
    term[1] = x[i] * x[i];
  }
};

struct Scale {
  double* sums;
  KOKKOS_FUNCTION void operator()() const { sums[1] *= 2.; }
};

/// The sums that each process gets. First all ranks compute their values, then each combines those of all.
template <class ExecutionSpace>
std::vector<std::vector<double>> sums_of_processes(const std::vector<double>& x,
                                                   const std::vector<std::int64_t>& offsets) {
  const ExecutionSpace exec;
  const auto n_processes = static_cast<int>(offsets.size()) - 1;
  std::vector<double> gathered;
  std::vector<std::vector<double>> results;
  for (const bool is_last : {false, true})
    for (int rank = 0; rank < n_processes; ++rank) {
      const auto shared = linalg::make_shared_sums(exec, rank, offsets);
      const auto& range = shared.ranges[static_cast<std::size_t>(rank)];
      const auto owned = uploaded(exec, "test", std::vector<double>(x.begin() + range.first, x.begin() + range.end));
      const auto result = make_filled<Array<double*, ExecutionSpace>>(exec, "test", 2, 0.);
      const auto gather = [&](int n_sums) {
        REQUIRE(n_sums == 2);
        if (is_last) {
          upload(exec, Kokkos::subview(shared.values, std::make_pair(std::size_t(0), gathered.size())), gathered);
          return;
        }
        const auto values = to_host(exec, shared.values);
        gathered.insert(gathered.end(), values.data() + 2 * range.position,
                        values.data() + 2 * (range.position + range.n_values()));
      };
      linalg::shared_sums<2>("test::sums", exec, TwoTerms{owned.data()}, shared, gather, result.data(),
                             Scale{result.data()});
      if (is_last)
        results.push_back(values_of(exec, result));
    }
  return results;
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Sums of several processes have the bits of one", "[linalg][device]", ExecutionSpaces) {
  const TestType exec;
  const std::vector<std::vector<std::int64_t>> cuts = {
      {0, 10},                           // one block, one process
      {0, 3, 4, 10},                     // one block shared by three
      {0, 2048, 4096},                   // cut between blocks
      {0, 2047, 2049, 4000, 4096, 9000}, // blocks of two and three processes
      {0, 5000, 20001},                  // a short last block
      {0, 1, 20000, 20001},              // single unknowns
      {0, 2500000, 2500001, 5000000}};   // more blocks than a block has items
  for (const std::vector<std::int64_t>& offsets : cuts) {
    const auto x = random_vector(static_cast<index_t>(offsets.back()), 5);
    const auto all = uploaded(exec, "test", x);
    const ReduceWorkspace<TestType> workspace(exec, offsets.back(), 2);
    const auto expected = make_array<Array<double*, TestType>>(exec, "test", 2);
    ordered_sums<2>("test::sums", exec, offsets.back(), TwoTerms{all.data()}, workspace, expected.data(),
                    Scale{expected.data()});
    CAPTURE(offsets);
    for (const std::vector<double>& sums : sums_of_processes<TestType>(x, offsets))
      CHECK(sums == values_of(exec, expected));
  }
}

} // namespace tessera::test
