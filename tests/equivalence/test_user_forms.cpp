// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

// User-defined forms: a form with the required minimum, one with a nonsymmetric matrix, and one with unknowns at edges,
// each compared with plain loops over the elements.

#include "assembly/user_form.hpp"
#include "core/transfer/upload.hpp"
#include "fe/geometry.hpp"
#include "mesh/edges.hpp"
#include "mesh/groups.hpp"
#include "solvers/krylov/pcg.hpp"
#include "strategies.hpp"
#include "support/random_mesh.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>
#include <vector>

namespace tessera {

namespace {

using assembly::Strategy;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

/// int grad u . grad v + (b . grad u) v = int v on triangles of order 1: only the required members.
template <class MemorySpace> struct AdvectionDiffusion {
  using memory_space = MemorySpace;
  static constexpr int dimension = 2;
  static constexpr int n_nodes = 3;
  static constexpr bool is_symmetric = false;
  Array<const index_t* [3], MemorySpace> element_nodes;
  Array<const double* [2], MemorySpace> coordinates;

  KOKKOS_FUNCTION void system(index_t, const index_t (&n)[3], double (&K)[3][3], double (&f)[3]) const {
    const double b[2] = {8., -3.};
    double p[3][2];
    double g[3][2];
    for (int a = 0; a < 3; ++a)
      for (int d = 0; d < 2; ++d)
        p[a][d] = coordinates(n[a], d);
    const double area = fe::simplex_gradients(p, g);
    for (int i = 0; i < 3; ++i) {
      f[i] = area / 3.;
      for (int j = 0; j < 3; ++j)
        K[i][j] = area * (g[i][0] * g[j][0] + g[i][1] * g[j][1] + (b[0] * g[j][0] + b[1] * g[j][1]) / 3.);
    }
  }

  template <class ExecutionSpace> AdvectionDiffusion<HostMemory> to_host(const ExecutionSpace& exec) const {
    AdvectionDiffusion<HostMemory> host;
    host.element_nodes = tessera::to_host(exec, element_nodes);
    host.coordinates = tessera::to_host(exec, coordinates);
    return host;
  }
};

/// int curl u curl v + u . v = int (1, 2) . v with Whitney's edge elements on triangles. The direction of a shape
/// function is that of the element's edge.
template <class MemorySpace> struct Whitney {
  using memory_space = MemorySpace;
  static constexpr int dimension = 2;
  static constexpr int n_nodes = 3;
  static constexpr bool has_orientation = true;
  Array<const index_t* [3], MemorySpace> element_nodes; ///< edges; ~edge: the element's edge points from the
                                                        ///< higher to the lower node
  Array<const index_t* [3], MemorySpace> element_vertices;
  Array<const double* [2], MemorySpace> coordinates;

  KOKKOS_FUNCTION void system(index_t e, const index_t (&)[3], double (&K)[3][3], double (&f)[3]) const {
    using simplex = mesh::Simplex<2>;
    double p[3][2];
    double g[3][2];
    for (int a = 0; a < 3; ++a)
      for (int d = 0; d < 2; ++d)
        p[a][d] = coordinates(element_vertices(e, a), d);
    const double area = fe::simplex_gradients(p, g);
    double curl[3];
    for (int i = 0; i < 3; ++i) {
      const double* from = g[simplex::edge_begin(i)];
      const double* to = g[simplex::edge_end(i)];
      curl[i] = 2. * (from[0] * to[1] - from[1] * to[0]);
      f[i] = area / 3. * ((to[0] - from[0]) + 2. * (to[1] - from[1]));
    }
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        K[i][j] = area * curl[i] * curl[j];
        for (int q = 0; q < 3; ++q) { // midpoints of the edges
          double u[2];
          double v[2];
          value(i, q, g, u);
          value(j, q, g, v);
          K[i][j] += area / 3. * (u[0] * v[0] + u[1] * v[1]);
        }
      }
  }

  KOKKOS_FUNCTION static void value(int edge, int q, const double (&g)[3][2], double (&u)[2]) {
    using simplex = mesh::Simplex<2>;
    const int from = simplex::edge_begin(edge);
    const int to = simplex::edge_end(edge);
    const double lambda_from = from == simplex::edge_begin(q) || from == simplex::edge_end(q) ? 0.5 : 0.;
    const double lambda_to = to == simplex::edge_begin(q) || to == simplex::edge_end(q) ? 0.5 : 0.;
    for (int d = 0; d < 2; ++d)
      u[d] = lambda_from * g[to][d] - lambda_to * g[from][d];
  }

  template <class ExecutionSpace> Whitney<HostMemory> to_host(const ExecutionSpace& exec) const {
    Whitney<HostMemory> host;
    host.element_nodes = tessera::to_host(exec, element_nodes);
    host.element_vertices = tessera::to_host(exec, element_vertices);
    host.coordinates = tessera::to_host(exec, coordinates);
    return host;
  }
};

struct NoSystem {
  using memory_space = HostMemory;
  static constexpr int dimension = 2;
  static constexpr int n_nodes = 3;
  Array<const index_t* [3], HostMemory> element_nodes;
  template <class ExecutionSpace> NoSystem to_host(const ExecutionSpace&) const { return *this; }
};
/// A load that system() cannot write to.
struct WrongSystem : NoSystem {
  void system(index_t, const index_t (&)[3], double (&)[3][3], double (&)[4]) const {}
};
static_assert(assembly::is_form_v<AdvectionDiffusion<HostMemory>>);
static_assert(assembly::is_form_v<Whitney<HostMemory>>);
static_assert(!assembly::is_form_v<NoSystem>);
static_assert(!assembly::is_form_v<WrongSystem>);
static_assert(!assembly::is_form_v<int>);

} // namespace

/// All strategies that a nonsymmetric form can use.
template <class MemorySpace> struct assembly::strategies_of<AdvectionDiffusion<MemorySpace>> {
  using type = StrategyList<Strategy::reference, Strategy::atomic, Strategy::a_coo, Strategy::a_coo_compact,
                            Strategy::sorted_coo, Strategy::colored, Strategy::row_gather, Strategy::ebe_recomputed,
                            Strategy::ebe_atomic>;
};

namespace {

struct NotSymmetric {
  static constexpr bool is_symmetric = false;
};
static_assert(std::is_same_v<assembly::strategies_of<NotSymmetric>::type, assembly::FewStrategies>);
static_assert(std::is_same_v<assembly::strategies_of<NoSystem>::type, assembly::AllStrategies>);

/// The system computed by plain loops; `sign(e, a)`: sign of a local node.
struct Expected {
  index_t n;
  std::vector<double> matrix; ///< [n][n]
  std::vector<double> rhs;

  template <class HostForm, class Sign>
  Expected(const HostForm& form, const fe::DofMap<HostMemory>& dofs, const Sign& sign)
      : n(dofs.n_free), matrix(static_cast<std::size_t>(n) * n, 0.), rhs(n, 0.) {
    for (index_t s = 0; s < dofs.n_tied(); ++s)
      rhs[dofs.n_regular + s] = dofs.tied_totals(s);
    for (index_t e = 0; e < static_cast<index_t>(form.element_nodes.extent(0)); ++e) {
      index_t nodes[3];
      index_t dof[3];
      double K[3][3];
      double f[3];
      for (int a = 0; a < 3; ++a) {
        nodes[a] = form.element_nodes(e, a);
        dof[a] = dofs.node_dof(nodes[a] < 0 ? ~nodes[a] : nodes[a]);
      }
      form.system(e, nodes, K, f);
      for (int a = 0; a < 3; ++a) {
        if (dof[a] >= n)
          continue;
        rhs[dof[a]] += sign(e, a) * f[a];
        for (int b = 0; b < 3; ++b) {
          const double entry = sign(e, a) * sign(e, b) * K[a][b];
          if (dof[b] < n)
            matrix[static_cast<std::size_t>(dof[a]) * n + dof[b]] += entry;
          else
            rhs[dof[a]] -= entry * dofs.fixed_values(dof[b] - n);
        }
      }
    }
  }

  double entry(index_t i, index_t j) const { return matrix[static_cast<std::size_t>(i) * n + j]; }
};

template <class ExecutionSpace, class Form>
void check_strategy(const ExecutionSpace& exec, const Form& form,
                    const fe::DofMap<typename ExecutionSpace::memory_space>& dofs, const Expected& expected,
                    Strategy strategy) {
  assembly::AssemblyOptions options;
  options.strategy = strategy;
  INFO(test::text_of(options));
  const auto assembler = assembly::make_assembler<ExecutionSpace>(form, dofs, options);
  assembler->symbolic(exec);
  assembler->numeric(exec);
  const auto& a = assembler->system();
  CHECK(a.is_symmetric() == assembly::FormTraits<Form>::is_symmetric);

  const index_t n = expected.n;
  double largest = 0.;
  for (const double value : expected.matrix)
    largest = std::fmax(largest, std::fabs(value));
  const double tolerance = 1e-13 * largest;
  std::vector<double> x(n);
  for (index_t i = 0; i < n; ++i)
    x[i] = std::sin(3. * i + 1.);
  const auto product = make_filled<Array<double*, ExecutionSpace>>(exec, "test::product", n, 0.);
  const auto diagonal = make_filled<Array<double*, ExecutionSpace>>(exec, "test::diagonal", n, 0.);
  a.apply(exec, Array<const double*, ExecutionSpace>(test::array_of(exec, x)), product);
  a.diagonal(exec, diagonal);
  const auto host_product = to_host(exec, product);
  const auto host_diagonal = to_host(exec, diagonal);
  const auto host_rhs = to_host(exec, assembler->rhs());
  double error = 0.;
  for (index_t i = 0; i < n; ++i) {
    double sum = 0.;
    for (index_t j = 0; j < n; ++j)
      sum += expected.entry(i, j) * x[j];
    error = std::fmax(error, std::fabs(host_product(i) - sum));
    error = std::fmax(error, std::fabs(host_diagonal(i) - expected.entry(i, i)));
    error = std::fmax(error, std::fabs(host_rhs(i) - expected.rhs[i]));
  }
  CHECK(error <= 10. * tolerance);

  CHECK((assembler->matrix() != nullptr) == assembly::stores_matrix(strategy));
  if (assembler->matrix() == nullptr)
    return;
  const auto offsets = to_host(exec, assembler->matrix()->offsets);
  const auto columns = to_host(exec, assembler->matrix()->columns);
  const auto values = to_host(exec, assembler->matrix()->values);
  std::vector<double> rest = expected.matrix;
  for (index_t i = 0; i < n; ++i)
    for (offset_t k = offsets(i); k < offsets(i + 1); ++k)
      rest[static_cast<std::size_t>(i) * n + columns(k)] -= values(k);
  for (const double value : rest)
    error = std::fmax(error, std::fabs(value));
  CHECK(error <= tolerance);
}

template <class ExecutionSpace>
void check_advection(const ExecutionSpace& exec, const std::vector<fe::Constraint>& constraints,
                     const std::vector<fe::PeriodicPair>& pairs) {
  using Space = typename ExecutionSpace::memory_space;
  using Form = AdvectionDiffusion<Space>;
  const auto mesh = test::random_box<2>(exec, {7, 5}, 3);
  const auto space = fe::make_space<1>(exec, mesh);
  const auto dofs = fe::number_dofs(exec, mesh, space, constraints, fe::identify_nodes(exec, mesh, space, pairs));
  if (dofs.n_fixed() > 0)
    fill(exec, dofs.fixed_values, 1.5);
  const Form form{space.element_nodes, space.coordinates};
  const auto host_form = form.to_host(exec);
  const auto host_dofs = fe::to_host(exec, dofs);
  const Expected expected(host_form, host_dofs, [&](index_t e, int a) {
    return host_dofs.node_sign.extent(0) > 0 ? host_dofs.node_sign(host_form.element_nodes(e, a)) : 1;
  });
  for (const Strategy strategy : test::all_strategies()) {
    if (strategy == Strategy::ebe_stored ||
        (dofs.n_tied() > 0 && assembly::symmetry_use(strategy) != assembly::SymmetryUse::none)) {
      assembly::AssemblyOptions options;
      options.strategy = strategy;
      const char* message =
          strategy == Strategy::ebe_stored
              ? "Strategy 'ebe-stored' is not compiled for this form. It has reference, atomic, a-coo, "
              : "needs a symmetric form where unknowns are tied, and this one is not. Take reference, ";
      CHECK_THROWS_MATCHES(assembly::make_assembler<ExecutionSpace>(form, dofs, options), Error,
                           MessageMatches(ContainsSubstring(message)));
    } else {
      check_strategy(exec, form, dofs, expected, strategy);
    }
  }
}

} // namespace

TEMPLATE_LIST_TEST_CASE("A form that is not symmetric is assembled as it stands", "[equivalence]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const auto mesh = test::random_box<2>(exec, {7, 5}, 3);
  std::vector<fe::Constraint> constraints(2);
  constraints[0].group = mesh::find_boundary(mesh, "left");
  constraints[1].group = mesh::find_boundary(mesh, "right");
  SECTION("fixed values") { check_advection(exec, constraints, {}); }
  SECTION("tied unknowns") {
    constraints[1].is_tied = true;
    constraints[1].total = 0.7;
    check_advection(exec, constraints, {});
  }
  SECTION("antiperiodic boundaries") {
    fe::PeriodicPair pair;
    pair.group = mesh::find_boundary(mesh, "bottom");
    pair.partner = mesh::find_boundary(mesh, "top");
    pair.is_antiperiodic = true;
    check_advection(exec, {constraints[0]}, {pair});
  }
}

TEMPLATE_LIST_TEST_CASE("Conjugate gradients refuse the system of a form that is not symmetric", "[equivalence]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const auto mesh = test::random_box<2>(exec, {4, 4}, 3);
  const auto space = fe::make_space<1>(exec, mesh);
  std::vector<fe::Constraint> constraints(1);
  constraints[0].group = mesh::find_boundary(mesh, "left");
  const auto dofs = fe::number_dofs(exec, mesh, space, constraints);
  const AdvectionDiffusion<typename TestType::memory_space> form{space.element_nodes, space.coordinates};
  for (const Strategy strategy : {Strategy::row_gather, Strategy::ebe_atomic}) {
    assembly::AssemblyOptions options;
    options.strategy = strategy;
    const auto assembler = assembly::make_assembler<TestType>(form, dofs, options);
    assembler->symbolic(exec);
    assembler->numeric(exec);
    const auto x = make_filled<Array<double*, TestType>>(exec, "test::x", dofs.n_free, 0.);
    CHECK_THROWS_MATCHES(solvers::Pcg<TestType>().solve(exec, assembler->system(),
                                                        solvers::Identity<TestType>(assembler->system().size()),
                                                        assembler->rhs(), x),
                         Error, MessageMatches(ContainsSubstring("need a symmetric operator")));
  }
}

TEMPLATE_LIST_TEST_CASE("Unknowns at edges have the signs of the elements' edges", "[equivalence]",
                        test::ExecutionSpaces) {
  using Space = typename TestType::memory_space;
  const TestType exec;
  const auto mesh = test::random_box<2>(exec, {7, 5}, 11);
  const auto edges = mesh::build_edges(exec, mesh);
  const auto element_edges = to_host(exec, mesh::build_element_edges(exec, mesh, edges));
  const auto elements = to_host(exec, mesh.elements);
  const index_t n_edges = edges.n_edges();
  std::vector<index_t> entries;
  const auto sign = [&](index_t e, int a) {
    return elements(e, mesh::Simplex<2>::edge_begin(a)) < elements(e, mesh::Simplex<2>::edge_end(a)) ? 1. : -1.;
  };
  for (index_t e = 0; e < mesh.n_elements(); ++e)
    for (int a = 0; a < 3; ++a)
      entries.push_back(sign(e, a) > 0. ? element_edges(e, a) : ~element_edges(e, a));
  fe::DofMap<Space> dofs; // every fifth edge is fixed
  std::vector<index_t> edge_dof(n_edges);
  index_t n_fixed = (n_edges + 4) / 5;
  dofs.n_regular = dofs.n_free = n_edges - n_fixed;
  for (index_t k = 0; k < n_edges; ++k)
    edge_dof[k] = k % 5 == 0 ? dofs.n_free + k / 5 : k - k / 5 - 1;
  dofs.node_dof = test::array_of(exec, edge_dof);
  dofs.fixed_values = test::array_of(exec, std::vector<double>(n_fixed, -0.5));

  Whitney<Space> form;
  const Array<index_t* [3], TestType> nodes("test::element_edges", mesh.n_elements());
  Kokkos::deep_copy(exec, Array<index_t*, TestType>(nodes.data(), nodes.size()), test::array_of(exec, entries));
  exec.fence();
  form.element_nodes = nodes;
  form.element_vertices = mesh.elements;
  form.coordinates = mesh.coordinates;
  const Expected expected(form.to_host(exec), fe::to_host(exec, dofs), sign);
  for (const Strategy strategy : test::all_strategies())
    check_strategy(exec, form, dofs, expected, strategy);
}

} // namespace tessera
