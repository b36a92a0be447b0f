// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "driver/plan/strategy_choice.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>

using namespace tessera;
using assembly::Strategy;
using driver::Workload;

namespace {

Workload workload(bool on_gpu, int dimension, int order, double n_products) {
  Workload work;
  work.on_gpu = on_gpu;
  work.dimension = dimension;
  work.order = order;
  work.unknowns = 10000000;
  work.n_products = n_products;
  return work;
}

bool any_strategy(Strategy) { return true; }

/// A case that fits into memory with every strategy.
struct Case {
  const char* name;
  int dimension;
  int order;
  std::int64_t unknowns;
  bool needs_quadrature;
  double n_assemblies;
  double n_products;
  Strategy on_host;
  Strategy on_gpu;
};

Strategy chosen(const Case& entry, bool on_gpu) {
  Workload work;
  work.on_gpu = on_gpu;
  work.dimension = entry.dimension;
  work.order = entry.order;
  work.unknowns = entry.unknowns;
  work.needs_quadrature = entry.needs_quadrature;
  work.n_assemblies = entry.n_assemblies;
  work.n_products = entry.n_products;
  return driver::choose_strategy(work, any_strategy).strategy;
}

} // namespace

// The choices of a performance model with the measurements of the benchmark: all are within a fifth of the minimum
// time.
TEST_CASE("The choices on the cases of the benchmark and of inputs/", "[driver]") {
  constexpr Strategy rows = Strategy::row_gather;
  const Case cases[] = {
      {"tri-p1-500", 2, 1, 251001, false, 1., 932., rows, rows},
      {"tri-p1-1000", 2, 1, 1002001, false, 1., 1862., rows, rows},
      {"tri-p1-2000", 2, 1, 4004001, false, 1., 3722., rows, rows},
      {"tri-p1-3000", 2, 1, 9006001, false, 1., 5582., rows, rows},
      {"tri-p1-5000", 2, 1, 25010001, false, 1., 9302., rows, rows},
      {"tri-p2-1000", 2, 2, 4004001, false, 1., 4102., rows, Strategy::ebe_atomic},
      {"tet-p1-64", 3, 1, 274625, false, 1., 162., Strategy::a_coo_compact, rows},
      {"tet-p1-128", 3, 1, 2146689, false, 1., 321., rows, rows},
      {"tet-p1-203", 3, 1, 8489664, false, 1., 508., rows, rows},
      {"tet-p2-64", 3, 2, 2146689, false, 1., 353., rows, rows},
      {"antiperiodic-pole-full", 2, 1, 2400, true, 8., 1093., rows, rows},
      {"antiperiodic-pole", 2, 1, 620, true, 8., 556., rows, rows},
      {"capacitor", 2, 1, 11215, false, 1., 246., rows, rows},
      {"capacitor-p2", 2, 2, 11423, false, 1., 274., rows, rows},
      {"coax", 2, 1, 3200, false, 1., 145., rows, rows},
      {"coax-axisymmetric", 2, 2, 1132, true, 1., 95., Strategy::ebe_stored, rows},
      {"coax-inductance", 2, 1, 8070, true, 1., 230., rows, rows},
      {"coloring: solenoid-4k", 2, 1, 2263, true, 1., 88., rows, rows},
      {"coloring: transformer-171k", 2, 1, 86247, true, 1., 546., rows, rows},
      {"dielectric-layers", 2, 1, 2123, false, 1., 129., rows, rows},
      {"floating-conductor", 2, 1, 4736, false, 1., 176., rows, rows},
      {"magnet-in-air", 2, 1, 4411, true, 1., 170., rows, rows},
      {"magnet-sphere", 2, 1, 1841, true, 1., 110., rows, rows},
      {"mms-2d", 2, 1, 1089, true, 1., 92., rows, rows},
      {"mms-3d", 3, 1, 2197, true, 1., 49., rows, rows},
      {"saturated-core", 2, 2, 629, true, 8., 617., rows, rows},
      {"solenoid", 2, 2, 8215, true, 1., 232., rows, rows},
      {"sphere-3d", 3, 2, 28238, false, 1., 104., rows, rows},
      {"transformer", 2, 1, 5475, true, 1., 172., rows, rows},
      {"transformer-saturated", 2, 1, 5475, true, 8., 1652., rows, rows},
  };
  for (const Case& entry : cases) {
    CAPTURE(entry.name);
    CHECK(chosen(entry, false) == entry.on_host);
    CHECK(chosen(entry, true) == entry.on_gpu);
  }
}

TEST_CASE("Predicted iterations are those of the bench within 5 %", "[driver]") {
  CHECK(std::fabs(driver::predicted_iterations(2, 1, 998001, 1e-8, 1.) / 1851. - 1.) <= 0.05);
  CHECK(std::fabs(driver::predicted_iterations(2, 1, 24990001, 1e-8, 1.) / 9423. - 1.) <= 0.05);
  CHECK(std::fabs(driver::predicted_iterations(3, 1, 2048383, 1e-8, 1.) / 316. - 1.) <= 0.05);
  CHECK(driver::predicted_iterations(2, 1, 998001, 1e-4, 1.) < driver::predicted_iterations(2, 1, 998001, 1e-8, 1.));
}

TEST_CASE("Many products want a matrix, a few do not pay for one", "[driver]") {
  for (const bool on_gpu : {true, false})
    for (const int dimension : {2, 3})
      for (const int order : {1, 2})
        for (const bool needs_quadrature : {true, false}) {
          CAPTURE(on_gpu, dimension, order, needs_quadrature);
          Workload work = workload(on_gpu, dimension, order, 2.);
          work.needs_quadrature = needs_quadrature;
          const auto few = driver::choose_strategy(work, any_strategy);
          CHECK(!assembly::stores_matrix(few.strategy));
          CHECK(few.reason.find("about 2 products expected") == 0);
          const double enough = driver::products_for_matrix(work);
          if (std::isinf(enough)) {
            CHECK(few.reason.find("row-gather pays for none here") != std::string::npos);
            continue;
          }
          work.n_products = enough;
          CHECK(driver::choose_strategy(work, any_strategy).strategy == Strategy::row_gather);
          work.n_products = 0.99 * enough;
          CHECK(driver::choose_strategy(work, any_strategy).strategy != Strategy::row_gather);
        }
}

TEST_CASE("Repeated assembly wants the fastest numeric phase", "[driver]") {
  Workload work = workload(false, 2, 1, 2.);
  // the pattern is expensive
  CHECK(driver::choose_strategy(work, assembly::stores_matrix).strategy != Strategy::row_gather);
  work.n_assemblies = 100.;
  CHECK(driver::choose_strategy(work, assembly::stores_matrix).strategy == Strategy::row_gather);
}

TEST_CASE("What is not usable is not taken, and the reason says so", "[driver]") {
  const Workload work = workload(true, 2, 1, 3000.);
  const auto matrix_free = [](Strategy strategy) { return !assembly::stores_matrix(strategy); };
  const auto choice = driver::choose_strategy(work, matrix_free);
  CHECK(choice.strategy == Strategy::ebe_atomic);
  CHECK(choice.reason == "about 3000 products expected, row-gather pays from about 14; row-gather does not fit or "
                         "cannot do this case");
  CHECK(driver::choose_strategy(workload(false, 2, 1, 3000.), matrix_free).strategy == Strategy::ebe_stored);
  CHECK_THROWS_AS(driver::choose_strategy(work, [](Strategy) { return false; }), Error);
}

TEST_CASE("Where a matrix does not fit, the next one that is tried takes less memory", "[driver]") {
  const auto after = [](const std::vector<Strategy>& unusable) {
    return driver::choose_strategy(workload(true, 2, 1, 3000.),
                                   [&](Strategy strategy) {
                                     return std::find(unusable.begin(), unusable.end(), strategy) == unusable.end();
                                   })
        .strategy;
  };
  CHECK(after({Strategy::row_gather}) == Strategy::a_coo_compact);
  CHECK(after({Strategy::row_gather, Strategy::a_coo_compact}) == Strategy::colored);
  CHECK(after({Strategy::row_gather, Strategy::a_coo_compact, Strategy::colored}) == Strategy::atomic);
}
