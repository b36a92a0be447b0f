// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/form/fluxes.hpp"
#include "assembly/dg/form/form_part.hpp"
#include "assembly/dg/form/joint_faces.hpp"
#include "dg_problem.hpp"
#include "spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <map>

namespace tessera::test {

namespace {

/// Lists the facets between the two regions of a mesh, in addition to those at its boundary, as boundary "joint".
template <int Dim, class ExecutionSpace>
void add_joint(const ExecutionSpace& exec, mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh) {
  using Space = typename ExecutionSpace::memory_space;
  const auto elements = to_host(exec, mesh.elements);
  const auto regions = to_host(exec, mesh.regions);
  std::map<std::vector<index_t>, group_t> region_of;
  std::vector<std::vector<index_t>> facets;
  for (index_t e = 0; e < mesh.n_elements(); ++e)
    for (int left_out = 0; left_out <= Dim; ++left_out) {
      std::vector<index_t> facet;
      for (int a = 0; a <= Dim; ++a)
        if (a != left_out)
          facet.push_back(elements(e, a));
      std::sort(facet.begin(), facet.end());
      if (!region_of.emplace(facet, regions(e)).second && region_of[facet] != regions(e))
        facets.push_back(facet);
    }
  const auto known = to_host(exec, mesh.facets);
  const auto known_groups = to_host(exec, mesh.facet_groups);
  const index_t n = mesh.n_facets();
  const auto n_all = n + static_cast<index_t>(facets.size());
  auto all = make_array<Array<index_t* [Dim], Space>>(exec, "test::facets", n_all);
  auto groups = make_array<Array<group_t*, Space>>(exec, "test::facet_groups", n_all);
  auto host_all = Kokkos::create_mirror_view(all);
  auto host_groups = Kokkos::create_mirror_view(groups);
  for (index_t f = 0; f < n_all; ++f) {
    for (int k = 0; k < Dim; ++k)
      host_all(f, k) = f < n ? known(f, k) : facets[static_cast<std::size_t>(f - n)][static_cast<std::size_t>(k)];
    host_groups(f) = f < n ? known_groups(f) : static_cast<group_t>(mesh.boundary_names.size());
  }
  Kokkos::deep_copy(exec, all, host_all);
  Kokkos::deep_copy(exec, groups, host_groups);
  exec.fence();
  mesh.facets = all;
  mesh.facet_groups = groups;
  mesh.boundary_names.emplace_back("joint");
}

constexpr double conductance = 0.7;

/// The problem in both regions, with a joint between them.
template <int Dim> physics::AdvectionDiffusionReaction with_joint(physics::AdvectionDiffusionReaction problem) {
  problem.regions.push_back(problem.regions.at(0));
  problem.joints = {{"joint", "", static_cast<group_t>(2 * Dim), conductance}};
  return problem;
}

/// A box with moved nodes, two regions, and a joint.
template <int Dim, class ExecutionSpace>
mesh::PolytopicMesh<Dim, typename ExecutionSpace::memory_space> joined_box(const ExecutionSpace& exec, index_t n_cells,
                                                                           index_t width) {
  std::array<index_t, Dim> cells;
  cells.fill(n_cells);
  auto box = random_box<Dim>(exec, cells, 5);
  divide_in_halves<Dim>(exec, box);
  add_joint<Dim>(exec, box);
  const Array<const index_t*, ExecutionSpace> parts = array_of(exec, block_parts<Dim>(exec, box, cells, width));
  return mesh::make_polytopic_mesh(exec, box, parts);
}

struct Times {
  fe::TimePolynomials polynomials = fe::TimePolynomials::none;
  bool is_transient = false;
  int steps = 1; ///< of every other element
};

template <int Dim, class ExecutionSpace>
void check_strategies(index_t cells, index_t width, int degree, int n_degrees, const Times& times = {}) {
  CAPTURE(Dim, cells, width, degree, n_degrees, static_cast<int>(times.polynomials), times.is_transient, times.steps);
  const ExecutionSpace exec;
  const auto mesh = joined_box<Dim>(exec, cells, width);
  std::vector<int> degrees;
  std::vector<int> steps;
  for (index_t e = 0; e < mesh.n_elements(); ++e) {
    degrees.push_back(degree + e % n_degrees);
    steps.push_back(e % 2 == 0 ? 1 : times.steps);
  }
  auto space = fe::make_modal_space<Dim>(exec, mesh.boxes, array_of(exec, degrees), times.polynomials,
                                         times.steps == 1 ? Array<int*, ExecutionSpace>() : array_of(exec, steps));
  space.from = 0.2;
  space.to = times.polynomials == fe::TimePolynomials::none ? 0.2 : 0.5;
  const auto form =
      dg::make_form(exec, mesh, space, with_joint<Dim>(variable_problem<Dim>(2, times.is_transient).problem));
  const auto assembled = [&](dg::Strategy strategy) {
    const auto assembler = dg::make_assembler<ExecutionSpace>(form, strategy);
    assembler->symbolic(exec);
    assembler->numeric(exec, {space.from, space.to, {}});
    return dense_system(exec, *assembler);
  };
  const auto farthest = [](const std::vector<double>& a, const std::vector<double>& b) {
    double difference = 0.;
    double scale = 0.;
    for (std::size_t i = 0; i < a.size(); ++i) {
      difference = std::max(difference, std::fabs(a[i] - b[i]));
      scale = std::max(scale, std::fabs(b[i]));
    }
    return difference / scale;
  };
  const DenseSystem reference = assembled(dg::Strategy::reference);
  for (const dg::StrategyTraits& traits : dg::strategy_table) {
    CAPTURE(traits.name);
    const DenseSystem system = assembled(traits.strategy);
    CHECK(farthest(system.matrix, reference.matrix) <= 1e-13);
    CHECK(farthest(system.rhs, reference.rhs) <= 1e-13);
  }
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Every strategy has the terms of joints", "[dg]", ExecutionSpaces) {
  using fe::TimePolynomials;
  check_strategies<2, TestType>(4, 0, 1, 1); // pair by pair
  check_strategies<2, TestType>(4, 2, 2, 1);
  check_strategies<3, TestType>(2, 0, 1, 1);
  check_strategies<2, TestType>(4, 2, 0, 3); // by moments
  check_strategies<3, TestType>(2, 1, 1, 2);
  check_strategies<2, TestType>(2, 0, 1, 1, {TimePolynomials::p});
  check_strategies<2, TestType>(2, 1, 1, 2, {TimePolynomials::p, true});
  check_strategies<2, TestType>(2, 1, 1, 1, {TimePolynomials::pq, false, 2});
}

TEMPLATE_LIST_TEST_CASE("A solution that jumps at a joint by its flux is found exactly", "[dg]", ExecutionSpaces) {
  const TestType exec;
  const auto check = [&](auto dimension, index_t width) {
    constexpr int Dim = decltype(dimension)::value;
    CAPTURE(Dim, width);
    std::array<index_t, Dim> cells;
    cells.fill(Dim == 2 ? 4 : 2); // the solution is exact on any mesh, and its matrix is dense here
    auto box = unit_box<Dim>(exec, cells);
    divide_in_halves<Dim>(exec, box);
    add_joint<Dim>(exec, box);
    const auto mesh = width == 0 ? mesh::make_polytopic_mesh(exec, box, mesh::simplicial_elements(exec, box))
                                 : joined_box<Dim>(exec, 4, width);
    // A = 2, u = x and right of the joint x + 2 / g: 2 flows to the left per area.
    ExactProblem problem;
    const auto u = physics::Expression::parse("x + 2/0.7*(x > 0.5)");
    problem.exact = {u, {physics::Expression(1.), physics::Expression(0.)}};
    problem.exact.gradient.resize(Dim);
    physics::AdvectionRegion region;
    region.diffusion = {physics::Expression(2.)};
    problem.problem.regions = {region};
    for (group_t group = 0; group < 2; ++group)
      problem.problem.boundaries.push_back({group, "side", physics::AdvectionCondition::dirichlet, u, ""});
    const auto form = make_form<TestType, Dim>(exec, mesh, 2, with_joint<Dim>(problem.problem));
    const auto assembler = dg::make_assembler<TestType>(form);
    assembler->symbolic(exec);
    assembler->numeric(exec);
    const DenseSystem system = dense_system(exec, *assembler);
    CHECK(is_positive_definite(system));
    const Array<const double*, TestType> solution = array_of(exec, solve(system));
    const auto totals = dg::joint_totals<TestType, Dim>(exec, form, solution, mesh.simplices.region_names);
    REQUIRE(totals.size() == 1);
    CHECK(totals[0].from == "left");
    CHECK(totals[0].to == "right");
    if (width > 0) { // the moved nodes make the joint oblique: only what flows is known
      CHECK(std::fabs(totals[0].flow) > 0.1);
      const auto fluxes = dg::boundary_fluxes<TestType, Dim>(exec, form, solution, 2 * Dim + 1);
      CHECK(std::fabs(fluxes[0] - totals[0].flow) <= 1e-10); // all that flows in at the left
      CHECK(std::fabs(fluxes[1] + totals[0].flow) <= 1e-10);
      return;
    }
    const dg::ErrorNorms errors = dg::error_norms(exec, form, solution, problem.exact);
    CHECK(errors.l2 <= 1e-10);
    CHECK(errors.jumps <= 1e-10);
    CHECK(std::fabs(totals[0].area - 1.) <= 1e-12);
    CHECK(std::fabs(totals[0].flow + 2.) <= 1e-10);
    CHECK(std::fabs(totals[0].mean_jump() + 2. / conductance) <= 1e-10);
    CHECK(std::fabs(totals[0].losses - 4. / conductance) <= 1e-10);
  };
  check(std::integral_constant<int, 2>(), 0);
  check(std::integral_constant<int, 2>(), 2);
  check(std::integral_constant<int, 3>(), 0);
}

TEMPLATE_LIST_TEST_CASE("Parts of a form have its joints", "[dg]", ExecutionSpaces) {
  const TestType exec;
  const auto mesh = joined_box<2>(exec, 4, 0);
  const auto whole = make_form<TestType, 2>(exec, mesh, 1, with_joint<2>(variable_problem<2>(1).problem));
  const auto count = [&](const auto& form) {
    const auto joints = to_host(exec, form.joints);
    return std::count_if(joints.data(), joints.data() + joints.extent(0),
                         [&](group_t joint) { return joint != form.no_joint; });
  };
  CHECK(count(whole) == 4);
  std::ptrdiff_t n_of_parts = 0;
  const index_t middle = whole.n_elements() / 2;
  for (const auto& [first, end] : {std::pair<index_t, index_t>(0, middle), {middle, whole.n_elements()}}) {
    const auto part = dg::make_form_part<TestType, 2>(exec, whole, first, end);
    n_of_parts += count(part.form);
    const auto copied = to_host(exec, part.form.penalty);
    fill(exec, part.form.penalty, -1.);
    dg::update_penalty(exec, part.form);
    const auto found = to_host(exec, part.form.penalty);
    const auto joints = to_host(exec, part.form.joints);
    for (std::size_t f = 0; f < joints.extent(0); ++f)
      if (joints(f) != whole.no_joint)
        CHECK((found(f) == conductance && copied(f) == conductance));
  }
  CHECK(n_of_parts >= 4);
}

} // namespace tessera::test
