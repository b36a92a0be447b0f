// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/form/form_part.hpp"
#include "core/transfer/upload.hpp"
#include "dg_problem.hpp"
#include "mesh/edges.hpp"
#include "mesh/parts/box_part.hpp"
#include "mesh/parts/elements_of_part.hpp"
#include "spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>

namespace tessera::test {

namespace {

/// Polytopes of degrees from one to the highest; with time, in a slab of one or two steps each, after a slab with a
/// solution.
template <class ExecutionSpace, int Dim>
dg::Form<Dim, typename ExecutionSpace::memory_space> form_of(const ExecutionSpace& exec, index_t n_cells, index_t width,
                                                             bool in_time, int highest_degree = 4) {
  std::array<index_t, Dim> cells;
  cells.fill(n_cells);
  const auto mesh = polytopic_box<Dim>(exec, cells, width);
  std::vector<int> degrees;
  std::vector<int> steps;
  for (index_t e = 0; e < mesh.n_elements(); ++e) {
    // the extremes of partitions differ
    degrees.push_back(2 * e < mesh.n_elements() ? 1 + e % 2 : 1 + e % highest_degree);
    steps.push_back(1 + e % 2);
  }
  auto space = fe::make_modal_space<Dim>(exec, mesh.boxes, array_of(exec, degrees),
                                         in_time ? fe::TimePolynomials::p : fe::TimePolynomials::none,
                                         in_time ? array_of(exec, steps) : Array<int*, ExecutionSpace>());
  space.from = 0.2;
  space.to = in_time ? 0.5 : 0.2;
  return dg::make_form(exec, mesh, space, variable_problem<Dim>(2, in_time).problem);
}

template <class ExecutionSpace, int Dim>
DenseSystem assembled(const ExecutionSpace& exec, const dg::Form<Dim, typename ExecutionSpace::memory_space>& form,
                      dg::Strategy strategy, const Array<const double*, ExecutionSpace>& previous) {
  const auto assembler = dg::make_assembler<ExecutionSpace>(form, strategy);
  assembler->symbolic(exec);
  assembler->numeric(exec, {form.space.from, form.space.to, previous});
  return dense_system(exec, *assembler);
}

/// Compares the owned rows of a partition's system with the rows of the whole system; `in_whole(e)`: the element's
/// global number.
template <class Space, int Dim, class ElementOf>
void check_rows(const DenseSystem& local, const dg::FormPart<Dim, Space>& part, const ElementOf& in_whole,
                const DenseSystem& expected, const std::vector<index_t>& dofs, double tolerance) {
  double largest = 0.;
  for (const double value : expected.matrix)
    largest = std::max(largest, std::fabs(value));
  const auto local_dofs = to_host(typename Space::execution_space(), part.form.space.dof_offsets);
  std::vector<index_t> number; // global number of each unknown
  for (index_t e = 0; e < part.form.n_elements(); ++e)
    for (index_t i = local_dofs(e); i < local_dofs(e + 1); ++i)
      number.push_back(dofs[static_cast<std::size_t>(in_whole(e))] + i - local_dofs(e));
  const auto n = static_cast<std::size_t>(local.n);
  const auto n_whole = static_cast<std::size_t>(expected.n);
  double difference = 0.;
  std::int64_t n_entries = 0;
  for (index_t i = local_dofs(part.first_owned); i < local_dofs(part.first_owned + part.n_owned); ++i) {
    const auto owned = static_cast<std::size_t>(i);
    const auto row = static_cast<std::size_t>(number[owned]);
    difference = std::max(difference, std::fabs(local.rhs[owned] - expected.rhs[row]) / largest);
    for (std::size_t j = 0; j < n; ++j) {
      const double value = local.matrix[owned * n + j];
      n_entries += value != 0. ? 1 : 0;
      difference =
          std::max(difference,
                   std::fabs(value - expected.matrix[row * n_whole + static_cast<std::size_t>(number[j])]) / largest);
    }
    for (std::size_t j = 0; j < n_whole; ++j)
      n_entries -= expected.matrix[row * n_whole + j] != 0. ? 1 : 0;
  }
  CHECK(n_entries == 0); // all columns of the row were found
  CHECK(difference <= tolerance);
}

/// A partition has the same penalties as the whole, and can recompute them, as for each time step, from its data.
template <class ExecutionSpace, int Dim>
void check_penalty(const ExecutionSpace& exec, const dg::Form<Dim, typename ExecutionSpace::memory_space>& part) {
  const auto copied = to_host(exec, part.penalty);
  fill(exec, part.penalty, -1.);
  dg::update_penalty(exec, part);
  const auto found = to_host(exec, part.penalty);
  bool are_equal = true;
  for (std::size_t f = 0; f < found.extent(0); ++f)
    are_equal = are_equal && copied(f) == found(f);
  CHECK(are_equal);
}

template <class ExecutionSpace, int Dim>
void check_parts(index_t cells, index_t width, bool in_time, int n_parts, dg::Strategy strategy, double tolerance,
                 int highest_degree = 4) {
  CAPTURE(Dim, cells, width, in_time, n_parts, static_cast<int>(strategy));
  const ExecutionSpace exec;
  const auto whole = form_of<ExecutionSpace, Dim>(exec, cells, width, in_time, highest_degree);
  std::vector<double> coefficients;
  for (index_t i = 0; i < whole.space.n_dofs; ++i)
    coefficients.push_back(1. + (i % 7) / 7.);
  const Array<const double*, ExecutionSpace> previous = array_of(exec, coefficients);
  const DenseSystem expected = assembled<ExecutionSpace, Dim>(exec, whole, strategy, previous);
  const std::vector<index_t> cuts = dg::cut_elements<ExecutionSpace, Dim>(exec, whole, n_parts);
  REQUIRE(cuts.front() == 0);
  REQUIRE(cuts.back() == whole.n_elements());
  const auto dofs_on_host = to_host(exec, whole.space.dof_offsets);
  const std::vector<index_t> dofs(dofs_on_host.data(), dofs_on_host.data() + dofs_on_host.extent(0));
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
    REQUIRE(cuts[k] < cuts[k + 1]);
    const auto part = dg::make_form_part<ExecutionSpace, Dim>(exec, whole, cuts[k], cuts[k + 1]);
    REQUIRE(part.n_owned == cuts[k + 1] - cuts[k]);
    CHECK((part.n_ghosts() > 0) == (n_parts > 1));
    check_penalty<ExecutionSpace, Dim>(exec, part.form);
    const auto local_previous =
        make_array<Array<double*, ExecutionSpace>>(exec, "test", static_cast<std::int64_t>(part.form.space.n_dofs));
    dg::restrict_to_part<ExecutionSpace, Dim>(exec, whole, part, previous, local_previous);
    const DenseSystem local = assembled<ExecutionSpace, Dim>(exec, part.form, strategy, local_previous);
    const auto elements = to_host(exec, part.elements);
    check_rows(
        local, part, [&](index_t e) { return elements(e); }, expected, dofs, tolerance);
  }
}

/// Simplices of a box with degrees that grow across it, in the order of a partitioned mesh; of the whole box, or of
/// partition `rank` of `n_parts` with its owned elements.
template <class ExecutionSpace, int Dim> struct BoxSimplices {
  using Space = typename ExecutionSpace::memory_space;
  mesh::MeshPart<Dim, Space> part;
  dg::Form<Dim, Space> form;
  index_t first_owned = 0;
  index_t n_owned = 0;
  std::vector<index_t> originals;

  BoxSimplices(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells, bool in_time, int rank, int n_parts,
               const dg::Form<Dim, Space>* whole) {
    std::array<double, Dim> lower{};
    std::array<double, Dim> upper;
    upper.fill(1.);
    part = mesh::make_box_part<Dim>(exec, cells, lower, upper, rank, n_parts, 1);
    first_owned = mesh::sort_by_lowest_nodes<ExecutionSpace, Dim>(exec, part);
    n_owned = static_cast<index_t>(part.owned_elements.extent(0));
    const auto original = to_host(exec, part.mesh.original_element);
    originals.assign(original.data(), original.data() + original.extent(0));
    const Array<const index_t*, ExecutionSpace> element_of =
        mesh::simplicial_elements<ExecutionSpace, Dim>(exec, part.mesh);
    const auto polytopes = mesh::make_polytopic_mesh<ExecutionSpace, Dim>(exec, part.mesh, element_of);
    const auto boxes = to_host(exec, polytopes.boxes);
    std::vector<int> degrees;
    std::vector<int> steps;
    for (index_t e = 0; e < polytopes.n_elements(); ++e) {
      degrees.push_back(1 + static_cast<int>(2.5 * boxes(e, 0, 0)));
      steps.push_back(boxes(e, 0, 1) > 0.6 ? 2 : 1);
    }
    auto space = fe::make_modal_space<Dim>(exec, polytopes.boxes, array_of(exec, degrees),
                                           in_time ? fe::TimePolynomials::p : fe::TimePolynomials::none,
                                           in_time ? array_of(exec, steps) : Array<int*, ExecutionSpace>());
    if (whole != nullptr) { // like fe::share_extremes()
      space.indices = whole->space.indices;
      space.smallest_degree = whole->space.smallest_degree;
      space.largest_degree = whole->space.largest_degree;
      space.smallest_steps = whole->space.smallest_steps;
      space.largest_steps = whole->space.largest_steps;
      space.largest_size = whole->space.largest_size;
      space.is_uniform = whole->space.is_uniform;
    }
    space.from = 0.2;
    space.to = in_time ? 0.5 : 0.2;
    form = dg::make_form(exec, polytopes, space, variable_problem<Dim>(2, in_time).problem);
  }
};

template <class ExecutionSpace, int Dim>
void check_parts_of_box(const std::array<index_t, Dim>& cells, bool in_time, int n_parts) {
  CAPTURE(Dim, in_time, n_parts);
  using Space = typename ExecutionSpace::memory_space;
  const ExecutionSpace exec;
  const BoxSimplices<ExecutionSpace, Dim> whole(exec, cells, in_time, 0, 1, nullptr);
  const auto coefficient = [](index_t original, index_t i) { return 1. + ((original + i) % 7) / 7.; };
  const auto coefficients = [&](const dg::Form<Dim, Space>& form, const auto& original_of) {
    const auto dofs = to_host(exec, form.space.dof_offsets);
    std::vector<double> values;
    for (index_t e = 0; e < form.n_elements(); ++e)
      for (index_t i = 0; i < dofs(e + 1) - dofs(e); ++i)
        values.push_back(coefficient(original_of(e), i));
    return Array<const double*, ExecutionSpace>(array_of(exec, values));
  };
  const auto previous =
      coefficients(whole.form, [&](index_t e) { return whole.originals[static_cast<std::size_t>(e)]; });
  const DenseSystem expected = assembled<ExecutionSpace, Dim>(exec, whole.form, dg::Strategy::block_rows, previous);
  const auto dofs_on_host = to_host(exec, whole.form.space.dof_offsets);
  const std::vector<index_t> dofs(dofs_on_host.data(), dofs_on_host.data() + dofs_on_host.extent(0));
  std::vector<index_t> number_of(whole.originals.size()); // global number, by the number in the box
  for (std::size_t e = 0; e < whole.originals.size(); ++e)
    number_of[static_cast<std::size_t>(whole.originals[e])] = static_cast<index_t>(e);
  index_t next = 0; // owned elements of partitions are numbered consecutively
  for (int rank = 0; rank < n_parts; ++rank) {
    CAPTURE(rank);
    const BoxSimplices<ExecutionSpace, Dim> local(exec, cells, in_time, rank, n_parts, &whole.form);
    for (index_t e = 0; e < local.n_owned; ++e)
      REQUIRE(local.originals[static_cast<std::size_t>(local.first_owned + e)] ==
              whole.originals[static_cast<std::size_t>(next++)]);
    const auto part =
        dg::make_form_part<ExecutionSpace, Dim>(exec, local.form, local.first_owned, local.first_owned + local.n_owned);
    CHECK(part.n_ghosts() > 0);
    const auto elements = to_host(exec, part.elements);
    const auto original_of = [&](index_t e) { return local.originals[static_cast<std::size_t>(elements(e))]; };
    const DenseSystem system =
        assembled<ExecutionSpace, Dim>(exec, part.form, dg::Strategy::block_rows, coefficients(part.form, original_of));
    check_rows(
        system, part, [&](index_t e) { return number_of[static_cast<std::size_t>(original_of(e))]; }, expected, dofs,
        0.);
  }
  CHECK(next == whole.form.n_elements());
}

/// Like above with elements of three simplices each. Partitions have only some simplices of ghost elements; the
/// bounding boxes and measures of these are those of the whole elements, sent by their owners.
template <class ExecutionSpace, int Dim> void check_joined_parts(const std::array<index_t, Dim>& cells, int n_parts) {
  CAPTURE(Dim, n_parts);
  const ExecutionSpace exec;
  const physics::AdvectionDiffusionReaction problem = variable_problem<Dim>(2).problem;
  std::vector<index_t> element_of; // by the simplex's number in the box
  std::vector<index_t> first_element{0};
  for (int rank = 0; rank < n_parts; ++rank) {
    const BoxSimplices<ExecutionSpace, Dim> local(exec, cells, false, rank, n_parts, nullptr);
    element_of.resize(static_cast<std::size_t>(local.part.n_elements_of_all));
    for (index_t k = 0; k < local.n_owned; ++k)
      element_of[static_cast<std::size_t>(local.originals[static_cast<std::size_t>(local.first_owned + k)])] =
          first_element.back() + k / 3;
    first_element.push_back(first_element.back() + (local.n_owned + 2) / 3);
  }
  const auto elements_of = [&](const BoxSimplices<ExecutionSpace, Dim>& simplices) {
    std::vector<index_t> list;
    for (const index_t original : simplices.originals)
      list.push_back(element_of[static_cast<std::size_t>(original)]);
    return list;
  };
  const BoxSimplices<ExecutionSpace, Dim> all(exec, cells, false, 0, 1, nullptr);
  const Array<const index_t*, ExecutionSpace> elements_of_all = array_of(exec, elements_of(all));
  const auto mesh = mesh::make_polytopic_mesh<ExecutionSpace, Dim>(exec, all.part.mesh, elements_of_all);
  const auto whole = make_form<ExecutionSpace, Dim>(exec, mesh, 2, problem);
  const DenseSystem expected = assembled<ExecutionSpace, Dim>(exec, whole, dg::Strategy::block_rows, {});
  const auto dofs_on_host = to_host(exec, whole.space.dof_offsets);
  const std::vector<index_t> dofs(dofs_on_host.data(), dofs_on_host.data() + dofs_on_host.extent(0));
  const auto boxes = to_host(exec, mesh.boxes);
  const auto measures = to_host(exec, whole.measures);
  for (int rank = 0; rank < n_parts; ++rank) {
    CAPTURE(rank);
    const BoxSimplices<ExecutionSpace, Dim> local(exec, cells, false, rank, n_parts, nullptr);
    const std::vector<index_t> of_simplices = elements_of(local);
    std::vector<index_t> present = of_simplices;
    std::sort(present.begin(), present.end());
    present.erase(std::unique(present.begin(), present.end()), present.end());
    const auto place_of = [&](index_t e) {
      return static_cast<index_t>(std::lower_bound(present.begin(), present.end(), e) - present.begin());
    };
    std::vector<index_t> numbers;
    for (const index_t e : of_simplices)
      numbers.push_back(place_of(e));
    std::vector<double> known_boxes;
    std::vector<double> known_measures;
    for (const index_t e : present) {
      for (int side = 0; side < 2; ++side)
        for (int d = 0; d < Dim; ++d)
          known_boxes.push_back(boxes(e, side, d));
      for (int i = 0; i < 3; ++i)
        known_measures.push_back(measures(e, i));
    }
    const auto incidence = mesh::build_node_incidence(exec, local.part.mesh);
    const mesh::ElementNumbers<ExecutionSpace> kept{array_of(exec, numbers), static_cast<index_t>(present.size())};
    const auto polytopes = mesh::make_polytopic_mesh(exec, local.part.mesh, incidence,
                                                     mesh::build_dual_graph(exec, local.part.mesh, incidence), kept);
    upload(exec, polytopes.boxes, known_boxes);
    const auto form = make_form<ExecutionSpace, Dim>(exec, polytopes, 2, problem);
    upload(exec, form.measures, known_measures);
    dg::update_penalty(exec, form);
    const auto part =
        dg::make_form_part<ExecutionSpace, Dim>(exec, form, place_of(first_element[static_cast<std::size_t>(rank)]),
                                                place_of(first_element[static_cast<std::size_t>(rank) + 1] - 1) + 1);
    REQUIRE(part.n_owned ==
            first_element[static_cast<std::size_t>(rank) + 1] - first_element[static_cast<std::size_t>(rank)]);
    const auto elements = to_host(exec, part.elements);
    check_rows(
        assembled<ExecutionSpace, Dim>(exec, part.form, dg::Strategy::block_rows, {}), part,
        [&](index_t e) { return present[static_cast<std::size_t>(elements(e))]; }, expected, dofs, 0.);
  }
}

} // namespace

TEMPLATE_LIST_TEST_CASE("The rows of parts have the bits of the whole", "[dg]", ExecutionSpaces) {
  for (const int n_parts : {1, 2, 5})
    check_parts<TestType, 2>(6, 2, false, n_parts, dg::Strategy::block_rows, 0.);
  check_parts<TestType, 2>(5, 2, true, 3, dg::Strategy::block_rows, 0.);
  check_parts<TestType, 2>(4, 0, false, 3, dg::Strategy::block_rows, 0.);
  check_parts<TestType, 3>(3, 2, false, 3, dg::Strategy::block_rows, 0.);
  // Sums of some thousand terms in a different order. (The reference computes penalties independently, from all faces
  // of an element, which the ghosts of a partition do not have.)
  for (const dg::Strategy strategy : {dg::Strategy::triplets, dg::Strategy::atomic})
    check_parts<TestType, 2>(4, 2, true, 3, strategy, 1e-13, 2); // high degrees are slow
}

TEMPLATE_LIST_TEST_CASE("The rows of forms on parts of a mesh have the bits of those of the whole", "[dg]",
                        ExecutionSpaces) {
  for (const int n_parts : {2, 5})
    check_parts_of_box<TestType, 2>({6, 5}, false, n_parts);
  check_parts_of_box<TestType, 2>({4, 3}, true, 3);
  check_parts_of_box<TestType, 3>({3, 2, 3}, false, 3);
  check_joined_parts<TestType, 2>({6, 5}, 3);
  check_joined_parts<TestType, 3>({3, 2, 3}, 2);
}

TEMPLATE_LIST_TEST_CASE("Parts have about the same work, and an element at least", "[dg]", ExecutionSpaces) {
  const TestType exec;
  const auto form = form_of<TestType, 2>(exec, 6, 2, false);
  const index_t n = form.n_elements();
  const std::vector<index_t> each = dg::cut_elements<TestType, 2>(exec, form, n);
  for (index_t e = 0; e <= n; ++e)
    CHECK(each[static_cast<std::size_t>(e)] == e);
  CHECK_THROWS_WITH((dg::cut_elements<TestType, 2>(exec, form, n + 1)),
                    Catch::Matchers::ContainsSubstring("processes are more than the mesh has elements"));

  std::array<index_t, 2> cells{40, 40};
  const auto mesh = polytopic_box<2>(exec, cells, 0);
  std::vector<int> degrees(static_cast<std::size_t>(mesh.n_elements()), 1);
  std::fill(degrees.begin(), degrees.begin() + mesh.n_elements() / 2, 4); // the first half has more work
  const auto uneven = dg::make_form(exec, mesh, fe::make_modal_space<2>(exec, mesh.boxes, array_of(exec, degrees)),
                                    variable_problem<2>(2).problem);
  const std::vector<index_t> cuts = dg::cut_elements<TestType, 2>(exec, uneven, 2);
  CHECK(cuts[1] > mesh.n_elements() / 5);
  CHECK(cuts[1] < mesh.n_elements() * 2 / 5);
}

} // namespace tessera::test
