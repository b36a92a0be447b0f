// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

// Matrix-free multigrid distributed over several processes, with the whole mesh on each or with a partition, compared
// bit for bit with multigrid on one process, which each process computes as well. The test cases are hidden: a launcher
// runs them (CMakeLists.txt). The rows of row-gather represent the operator, since their products do not depend on the
// number of processes.

#include "comm/communicator.hpp"
#include "core/error.hpp"
#include "driver/solution/linear_solver.hpp"
#include "driver/solution/matrix_free_levels.hpp"
#include "levels_of_problems.hpp"
#include "linalg/distributed/row_exchange.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace tessera;
using Catch::Matchers::ContainsSubstring;

namespace {

using Space = Kokkos::DefaultHostExecutionSpace;

const comm::Communicator& world() {
  static const comm::Environment environment;
  return environment.world();
}

std::vector<double> piece(const std::vector<double>& all, std::int64_t begin, std::int64_t end) {
  return std::vector<double>(all.begin() + begin, all.begin() + end);
}

/// Partitions are intervals of the space-filling curve.
std::vector<test::Sample> samples(bool in_parts) {
  std::vector<test::Sample> all = test::samples();
  const std::string unordered = ", ordering: none";
  for (test::Sample& sample : all)
    if (const std::size_t place = sample.text.find(unordered); in_parts && place != std::string::npos)
      sample.text.erase(place, unordered.size());
  return all;
}

/// Distributed down to levels of about fifty unknowns.
io::SolverInput solver_options() {
  io::SolverInput options;
  options.multigrid.replicated_size = options.multigrid.largest_direct = options.multigrid.coarsest_size = 50;
  return options;
}

/// A problem on one process and on all processes, each with the whole mesh or with a partition.
struct Shared {
  test::ProblemModel<Space> one;
  std::unique_ptr<test::ProblemModel<Space>> on_part;
  std::unique_ptr<comm::Transport<Space>> transport;
  driver::Distribution<Space> of_one;
  driver::Distribution<Space> distribution;
  std::unique_ptr<assembly::Assembler<Space>> rows;

  Shared(const std::string& text, bool in_parts)
      : one(text, world()),
        on_part(in_parts ? std::make_unique<test::ProblemModel<Space>>(text + "execution: {mesh: parts}\n", world())
                         : nullptr),
        transport(comm::make_transport(one.exec, world())), of_one(*one.problem),
        distribution(one.exec, world(), *transport, problem(), true),
        rows(distribution.make_assembler({assembly::Strategy::row_gather})) {
    // Not a Catch2 macro: in a constructor it keeps cudafe++ busy forever.
    TESSERA_REQUIRE(problem().part.has_value() == in_parts, "no part of the mesh");
    rows->symbolic(one.exec);
    rows->numeric(one.exec);
  }

  /// The problem as this process has it.
  const driver::Problem<Space>& problem() const { return on_part ? *on_part->problem : *one.problem; }

  std::int64_t first() const { return offset(0); }
  std::int64_t end() const { return offset(1); }
  std::int64_t offset(int r) const {
    return distribution.unknowns().offsets()[static_cast<std::size_t>(world().rank() + r)];
  }
  comm::Shares<Space> shares() const { return distribution.unknowns().shares(); }
};

using Multigrid = solvers::MatrixFreeMultigrid<Space>;

/// Whether `work(multigrid, r, z)` gives the same z on one process and on all.
template <class Levels, class Work>
bool has_same_bits(const Shared& shared, const Levels& of_one, const Levels& of_all, const Work& work) {
  const std::vector<double> r = test::random_vector(shared.one.problem->dofs.n_free, 3);
  const auto run = [&](const Levels& multigrid, const std::vector<double>& values) {
    const auto z =
        test::vector_on(shared.one.exec, std::vector<double>(values.size(), 1e30)); // the initial values do not matter
    work(multigrid, test::vector_on(shared.one.exec, values), z);
    return test::values_of(shared.one.exec, z);
  };
  const auto whole = run(of_one, r);
  return run(of_all, piece(r, shared.first(), shared.end())) == piece(whole, shared.first(), shared.end());
}

} // namespace

TEST_CASE("Levels of several processes have the bits of one", "[.][processes]") {
  REQUIRE(world().size() > 1);
  const bool in_parts = GENERATE(false, true);
  for (const test::Sample& sample : samples(in_parts))
    for (const char* order : {"1", "2"}) {
      INFO(sample.name << ", order " << order << (in_parts ? ", parts" : "") << ", process " << world().rank() << " of "
                       << world().size());
      const Shared shared(sample.text + "discretization: {order: " + order + "}\n", in_parts);
      const Space& exec = shared.one.exec;
      const auto& problem = *shared.one.problem;
      const auto of_one = problem.coarser_unknowns(exec);
      const auto of_all = shared.problem().coarser_unknowns(exec, shared.shares());
      REQUIRE(of_all.interpolation);
      if (!in_parts)
        CHECK(of_all.dofs.n_free == of_one.dofs.n_free);
      REQUIRE(of_all.offsets.size() == static_cast<std::size_t>(world().size()) + 1);
      CHECK(of_all.offsets.back() == of_one.dofs.n_free);
      const std::int64_t first = of_all.offsets[static_cast<std::size_t>(world().rank())];
      const std::int64_t end = of_all.offsets[static_cast<std::size_t>(world().rank()) + 1];
      CHECK(of_all.interpolation->n_rows() == shared.end() - shared.first());
      CHECK(of_all.interpolation->n_cols() == end - first);

      const auto x = test::random_vector(of_one.dofs.n_free, 1);
      const auto r = test::random_vector(problem.dofs.n_free, 2);
      const auto owned_x = piece(x, first, end);
      const auto owned_r = piece(r, shared.first(), shared.end());
      const auto y = test::vector_on(exec, r);
      const auto owned_y = test::vector_on(exec, owned_r);
      for (const bool adds : {true, false}) {
        const auto interpolate = [&](const auto& p, const std::vector<double>& from, const auto& to) {
          const auto vector = test::vector_on(exec, from);
          if (adds)
            p.add(exec, vector, to);
          else
            p.apply(exec, vector, to);
        };
        interpolate(*of_one.interpolation, x, y);
        interpolate(*of_all.interpolation, owned_x, owned_y);
        CHECK(test::values_of(exec, owned_y) == piece(test::values_of(exec, y), shared.first(), shared.end()));
      }
      const auto c = test::vector_on(exec, x);
      const auto owned_c = test::vector_on(exec, owned_x);
      of_one.interpolation->apply_transpose(exec, test::vector_on(exec, r), c);
      of_all.interpolation->apply_transpose(exec, test::vector_on(exec, owned_r), owned_c);
      CHECK(test::values_of(exec, owned_c) == piece(test::values_of(exec, c), first, end));

      const auto whole = driver::CoarserRows<Space>(problem, of_one, {}).make(exec);
      auto owned = driver::CoarserRows<Space>(shared.problem(), of_all, shared.shares().group).make(exec);
      owned.a = linalg::with_global_columns(exec, owned.columns, owned.a);
      const test::Rows all_rows = test::rows_of(exec, whole.a);
      CHECK(test::rows_of(exec, owned.a) == test::Rows(all_rows.begin() + first, all_rows.begin() + end));

      CHECK(world().largest(shared.problem().bound_eigenvalues(exec, world().rank(), world().size())) ==
            problem.bound_eigenvalues(exec));
    }
}

TEST_CASE("Cycles of several processes without a matrix of the finest level have the bits of one", "[.][processes]") {
  REQUIRE(world().size() > 1);
  const bool in_parts = GENERATE(false, true);
  for (const test::Sample& sample : samples(in_parts))
    for (const char* order : {"1", "2"})
      for (const auto precision : {Precision::single_precision, Precision::double_precision})
        for (const bool is_small : {false, true}) {
          INFO(sample.name << ", order " << order << (in_parts ? ", parts" : "") << ", precision "
                           << static_cast<int>(precision) << (is_small ? ", whole levels" : "") << ", process "
                           << world().rank() << " of " << world().size());
          Shared shared(sample.text + "discretization: {order: " + order + "}\n", in_parts);
          const Space& exec = shared.one.exec;
          io::SolverInput options = is_small ? io::SolverInput() : solver_options();
          options.multigrid.precision = precision;
          options.multigrid.cycle = is_small ? solvers::MultigridCycle::W : solvers::MultigridCycle::full;
          const auto& problem = *shared.one.problem;
          const auto of_one = driver::make_matrix_free_multigrid(exec, options, problem, *shared.one.assembler,
                                                                 shared.of_one.unknowns());
          const auto of_all = driver::make_matrix_free_multigrid(exec, options, shared.problem(), *shared.rows,
                                                                 shared.distribution.unknowns());
          const auto levels = of_all->levels();
          REQUIRE(levels.size() == of_one->levels().size());
          for (std::size_t l = 0; l < levels.size(); ++l) {
            CHECK(levels[l].n_unknowns == of_one->levels()[l].n_unknowns);
            CHECK(levels[l].n_entries == of_one->levels()[l].n_entries);
          }
          const auto cycle = [&](const Multigrid& m, const auto& r, const auto& z) { m.apply(exec, r, z); };
          CHECK(has_same_bits(shared, *of_one, *of_all, cycle));
          const auto start = [&](const Multigrid& m, const auto& r, const auto& z) { m.start(exec, r, z); };
          CHECK(of_all->has_start() == !is_small);
          CHECK(has_same_bits(shared, *of_one, *of_all, start));

          // New values of a nonlinear problem; otherwise the same values again.
          if (!problem.is_linear()) {
            test::ProblemModel<Space>& one = shared.one;
            const physics::Expression values = physics::Expression::parse("0.01*sin(30*x) + 0.02*cos(70*y)");
            for (const driver::Problem<Space>* each : {&problem, &shared.problem()}) {
              each->interpolate(exec, values, each->iterate(), "");
              each->linearize(exec);
            }
            one.assembler->numeric(exec);
            shared.rows->numeric(exec);
          }
          of_one->renew(exec);
          of_all->renew(exec);
          CHECK(has_same_bits(shared, *of_one, *of_all, cycle));
        }
}

TEST_CASE("Cycles of several processes from an assembled matrix have the bits of one", "[.][processes]") {
  REQUIRE(world().size() > 1);
  const bool in_parts = GENERATE(false, true);
  for (const test::Sample& sample : samples(in_parts))
    for (const char* order : {"1", "2"})
      for (const bool is_whole : {false, true}) {
        INFO(sample.name << ", order " << order << (in_parts ? ", parts" : "") << (is_whole ? ", whole levels" : "")
                         << ", process " << world().rank() << " of " << world().size());
        Shared shared(sample.text + "discretization: {order: " + order + "}\n", in_parts);
        const Space& exec = shared.one.exec;
        io::SolverInput options = is_whole ? io::SolverInput() : solver_options();
        options.preconditioner = io::Preconditioner::multigrid;
        const auto one = shared.one.problem->make_assembler({assembly::Strategy::row_gather});
        one->symbolic(exec);
        one->numeric(exec);
        const auto of_one = driver::make_preconditioner<Space>(exec, options, *shared.one.problem, *one, shared.of_one);
        const auto of_all =
            driver::make_preconditioner<Space>(exec, options, shared.problem(), *shared.rows, shared.distribution);
        const auto levels_of_one = driver::levels_of<Space>(of_one.get());
        const auto levels = driver::levels_of<Space>(of_all.get());
        REQUIRE(levels.size() == levels_of_one.size());
        for (std::size_t l = 0; l < levels.size(); ++l) {
          CHECK(levels[l].n_unknowns == levels_of_one[l].n_unknowns);
          CHECK(levels[l].n_entries == levels_of_one[l].n_entries);
          CHECK(levels[l].is_geometric == levels_of_one[l].is_geometric);
        }
        CHECK(has_same_bits(shared, *of_one, *of_all,
                            [&](const auto& m, const auto& r, const auto& z) { m.apply(exec, r, z); }));
      }
}

TEST_CASE("A process may be without rows of a distributed level", "[.][processes]") {
  REQUIRE(world().size() > 1);
  for (const char* cells : {"[4, 6]", "[6, 4]", "[8, 4]"}) { // the coarser mesh has 2, 2 and 3 unknowns
    INFO(cells << ", process " << world().rank() << " of " << world().size());
    const Shared shared(
        std::string("tessera: 1\nmesh: {box: {cells: ") + cells +
            "}}\nproblem:\n  physics: electrostatics\n  materials: {domain: {relative_permittivity: 1 + "
            "1e6*x*x}}\n  boundaries: {left: {potential: 0}, right: {potential: 1}, bottom: "
            "{potential: 0}, top: {potential: 1}}\n",
        false);
    io::SolverInput options;
    options.multigrid.replicated_size = options.multigrid.largest_direct = options.multigrid.coarsest_size = 1;
    const auto of_one = driver::make_matrix_free_multigrid(shared.one.exec, options, *shared.one.problem,
                                                           *shared.one.assembler, shared.of_one.unknowns());
    const auto of_all = driver::make_matrix_free_multigrid(shared.one.exec, options, shared.problem(), *shared.rows,
                                                           shared.distribution.unknowns());
    CHECK(has_same_bits(shared, *of_one, *of_all,
                        [&](const Multigrid& m, const auto& r, const auto& z) { m.apply(shared.one.exec, r, z); }));
  }
}

TEST_CASE("Every process reports a diagonal that is not positive", "[.][processes]") {
  REQUIRE(world().size() > 1);
  const test::Sample sample = test::samples().front();
  Shared shared(sample.text, false);
  const auto* owned = shared.distribution.owned_rows(*shared.rows);
  REQUIRE(owned != nullptr);
  const auto last = static_cast<std::int64_t>(shared.one.problem->dofs.n_free) - 1;
  if (world().rank() == world().size() - 1)
    for (offset_t k = owned->offsets(owned->n_rows() - 1); k < owned->offsets(owned->n_rows()); ++k)
      owned->values(k) = -1.;
  try {
    driver::make_matrix_free_multigrid(shared.one.exec, solver_options(), *shared.one.problem, *shared.rows,
                                       shared.distribution.unknowns());
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.exit_code() == 2);
    CHECK_THAT(error.what(), ContainsSubstring("multigrid: the diagonal entry of unknown " + std::to_string(last)));
  }
}
