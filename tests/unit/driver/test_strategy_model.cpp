// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "driver/strategy_model.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>

using namespace tessera;
using assembly::Strategy;
using driver::Workload;

namespace {

bool any_strategy(Strategy) { return true; }

double same_bytes(Strategy) { return 1.; }

Workload workload(bool on_gpu, int dimension, int order, std::int64_t elements, double n_assemblies,
                  double n_products) {
  Workload work;
  work.on_gpu = on_gpu;
  work.dimension = dimension;
  work.order = order;
  work.elements = elements;
  work.unknowns = elements / (dimension == 2 ? 2 : 6);
  work.n_assemblies = n_assemblies;
  work.n_products = n_products;
  return work;
}

double seconds_of(const Workload& work, Strategy strategy) {
  for (const driver::Prediction& prediction : driver::predict_times(work))
    if (prediction.strategy == strategy)
      return prediction.seconds;
  return -1.;
}

} // namespace

TEST_CASE("Predicted times are those of the bench where it was measured", "[driver]") {
  // tri-p1-5000 on the H200: row-gather 7.26 + 1.52 ms; a product of 0.617 ms with its vectors makes an iteration
  // (measured: 1.059).
  const double row_gather = seconds_of(workload(true, 2, 1, 50000000, 1., 0.), Strategy::row_gather);
  CHECK(std::fabs(row_gather - 8.78e-3) <= 1e-6);
  const double product = seconds_of(workload(true, 2, 1, 50000000, 1., 1.), Strategy::row_gather) - row_gather;
  CHECK(std::fabs(product - 1.059e-3) <= 0.07e-3);
  Workload four_threads = workload(false, 3, 2, 1572864, 1., 0.);
  four_threads.threads = 4;
  CHECK(std::fabs(seconds_of(four_threads, Strategy::ebe_stored) - 0.5 * 592.5e-3) <= 1e-3);
}

TEST_CASE("Predicted iterations are those of the bench within 5 %", "[driver]") {
  CHECK(std::fabs(driver::predicted_iterations(2, 1, 998001, 1e-8, 1.) / 1851. - 1.) <= 0.05);
  CHECK(std::fabs(driver::predicted_iterations(2, 1, 24990001, 1e-8, 1.) / 9423. - 1.) <= 0.05);
  CHECK(std::fabs(driver::predicted_iterations(3, 1, 2048383, 1e-8, 1.) / 316. - 1.) <= 0.05);
  CHECK(driver::predicted_iterations(2, 1, 998001, 1e-4, 1.) < driver::predicted_iterations(2, 1, 998001, 1e-8, 1.));
}

TEST_CASE("Many products want a matrix", "[driver]") {
  for (const bool on_gpu : {true, false})
    for (const int dimension : {2, 3})
      CHECK(driver::choose_strategy(workload(on_gpu, dimension, 1, 10000000, 1., 5000.), any_strategy, same_bytes)
                .strategy == Strategy::row_gather);
}

TEST_CASE("A few products do not pay for a matrix", "[driver]") {
  for (const bool on_gpu : {true, false})
    for (const int dimension : {2, 3})
      for (const int order : {1, 2}) {
        const auto choice =
            driver::choose_strategy(workload(on_gpu, dimension, order, 10000000, 1., 2.), any_strategy, same_bytes);
        INFO((on_gpu ? "GPU, " : "host, ") << dimension << "D, order " << order << ": " << choice.reason);
        CHECK(!assembly::stores_matrix(choice.strategy));
      }
}

TEST_CASE("Repeated assembly wants the fastest numeric phase", "[driver]") {
  const Workload once = workload(false, 2, 1, 1000000, 1., 0.);
  const Workload often = workload(false, 2, 1, 1000000, 100., 0.);
  const auto with_matrix = [](Strategy strategy) { return assembly::stores_matrix(strategy); };
  CHECK(driver::choose_strategy(often, with_matrix, same_bytes).strategy == Strategy::row_gather);
  CHECK(driver::choose_strategy(once, with_matrix, same_bytes).strategy != Strategy::row_gather); // its pattern is dear
}

TEST_CASE("What is not allowed is not taken, and the reason names the next ones", "[driver]") {
  const Workload work = workload(true, 2, 1, 10000000, 1., 3000.);
  const auto matrix_free = [](Strategy strategy) { return !assembly::stores_matrix(strategy); };
  const auto choice = driver::choose_strategy(work, matrix_free, same_bytes);
  CHECK(choice.strategy == Strategy::ebe_atomic);
  CHECK(choice.reason.find("ebe-stored") != std::string::npos);
  CHECK(choice.reason.find("tri-p1-5000") != std::string::npos);
  CHECK(choice.reason.find("row-gather") == std::string::npos);
  CHECK_THROWS_AS(driver::choose_strategy(
                      work, [](Strategy) { return false; }, same_bytes),
                  Error);
}

TEST_CASE("Sums without a fixed order must be a tenth faster", "[driver]") {
  // ebe-atomic against ebe-stored on the host, where one is cheap to set up and the other to apply.
  const auto two = [](Strategy strategy) {
    return strategy == Strategy::ebe_atomic || strategy == Strategy::ebe_stored;
  };
  int n_kept = 0;
  for (int n = 1; n < 200; ++n) {
    const Workload work = workload(false, 3, 2, 1000000, 1., n / 20.);
    const bool atomic_is_faster = seconds_of(work, Strategy::ebe_atomic) < seconds_of(work, Strategy::ebe_stored);
    const bool takes_atomic = driver::choose_strategy(work, two, same_bytes).strategy == Strategy::ebe_atomic;
    CHECK((!takes_atomic || atomic_is_faster));
    n_kept += atomic_is_faster && !takes_atomic ? 1 : 0;
  }
  CHECK(n_kept > 0);
}

// On hosts row-gather's pattern takes longer than all of a-coo; the more products follow, the less that matters.
TEST_CASE("A gain below a fifth does not pay for another strategy than row-gather", "[driver]") {
  const auto two = [](Strategy strategy) { return strategy == Strategy::a_coo || strategy == Strategy::row_gather; };
  const auto bytes = [](Strategy strategy) { return strategy == Strategy::a_coo ? 2e9 : 1e9; };
  int n_kept = 0;
  int n_left = 0;
  for (int n = 1; n < 200; ++n) {
    const Workload work = workload(false, 2, 1, 1000000, 1., n);
    const double ratio = seconds_of(work, Strategy::row_gather) / seconds_of(work, Strategy::a_coo);
    const auto choice = driver::choose_strategy(work, two, bytes);
    CHECK(choice.strategy == (ratio <= 1.2 ? Strategy::row_gather : Strategy::a_coo));
    n_kept += ratio > 1.05 && choice.strategy == Strategy::row_gather ? 1 : 0;
    n_left += choice.strategy == Strategy::a_coo ? 1 : 0;
  }
  CHECK(n_kept > 0);
  CHECK(n_left > 0);
}

TEST_CASE("Without row-gather the least memory decides among times within a fifth", "[driver]") {
  const auto two = [](Strategy strategy) { return strategy == Strategy::a_coo || strategy == Strategy::a_coo_compact; };
  const Workload work = workload(false, 2, 1, 1000000, 1., 1000.); // products dominate: almost the same times
  REQUIRE(std::fabs(seconds_of(work, Strategy::a_coo) / seconds_of(work, Strategy::a_coo_compact) - 1.) < 0.1);
  for (const Strategy small : {Strategy::a_coo, Strategy::a_coo_compact}) {
    const auto bytes = [&](Strategy strategy) { return strategy == small ? 1e9 : 2e9; };
    CHECK(driver::choose_strategy(work, two, bytes).strategy == small);
  }
}
