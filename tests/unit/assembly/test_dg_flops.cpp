// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/flops.hpp"
#include "dg_problem.hpp"
#include "spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

namespace tessera::test {

namespace {

/// A row of squares of two triangles each, degree 1; coefficients depend on time.
template <class ExecutionSpace>
dg::Form<2, HostMemory> host_form(const ExecutionSpace& exec, index_t n_squares, fe::TimePolynomials time) {
  const auto mesh = polytopic_box<2>(exec, {n_squares, 1}, 1);
  auto space = fe::make_modal_space<2>(exec, mesh.boxes, 1, time);
  space.to = time == fe::TimePolynomials::none ? 0. : 0.5;
  return dg::to_host(exec, dg::make_form(exec, mesh, space, variable_problem<2>(2, true).problem));
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Operations of kernels are those counted by hand on one element", "[dg]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const auto form = host_form(exec, 1, fe::TimePolynomials::none);
  const double points = form.n_volume_points(dg::Rule{1, 1});
  const double face_points = form.n_face_points(dg::Rule{1, 1});
  const dg::Flops flops = dg::count_flops(form);
  // Position 12; functions 2 (2 (2) + 3); start and weight 4; time: coordinate 3, factors 2 and 2, sums 26.
  CHECK(flops.volume == 2. * 9. * points * (12. + 14. + 4. + 33.));
  // Kernels of boundary faces have degree 8. Positions 2 (8); functions 2 (2 (30) + 3); weight 2; time: coordinates and
  // factors 2 (3 + 16), fluxes 6, sums 11. Three sides have Dirichlet data, the last one Neumann data.
  const double face = 9. * face_points * (16. + 126. + 2. + 55.);
  CHECK(flops.boundary[0] == 3. * face);
  CHECK(flops.boundary[1] == 0.);
  CHECK(flops.boundary[2] == face);
  CHECK(flops.interior == 0.);
  CHECK(flops.interfaces == 0.);
}

TEMPLATE_LIST_TEST_CASE("Operations of an interface and of a slab are those counted by hand", "[dg]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const auto steady = host_form(exec, 2, fe::TimePolynomials::none);
  const double points = steady.n_face_points(dg::Rule{1, 1});
  // Positions 2 (8); functions 2 (2 (2) + 3); weight 2; time: coordinates and factors 2 (3 + 2), fluxes 6, sums 11.
  CHECK(dg::count_flops(steady).interior == 4. * 9. * points * (16. + 14. + 2. + 27.));
  CHECK(dg::count_flops(steady).interfaces == points * (39. + 64. + 84. + 72.));

  const auto slab = host_form(exec, 2, fe::TimePolynomials::p);
  const double n_times = slab.n_times_of_step(dg::Rule{1, 1});
  CHECK(dg::count_flops(slab).volume ==
        4. * 16. * slab.n_initial_points(dg::Rule{1, 1}) * (12. + 14. + 4. + n_times * 33.));
  CHECK(dg::count_flops(slab).interfaces == slab.n_face_points(dg::Rule{1, 1}) * (43. + 96. + 112. + 128.));
}

TEMPLATE_LIST_TEST_CASE("Traffic of the paper's kernels is that counted by hand", "[dg]", test::ExecutionSpaces) {
  const TestType exec;
  // Nodes 16 each, elements 40, triangles 16. An entry is read and written by `atomic`; a triplet has 24 bytes.
  const auto one = host_form(exec, 1, fe::TimePolynomials::none);
  CHECK(dg::atomic_traffic(one, 8.).volume == 4. * 16. + 40. + 2. * 16. + 9. * 16.);
  CHECK(dg::atomic_traffic(one, 8.).interior == 4. * 16. + 40.);
  CHECK(dg::triplet_traffic(one, 8.).volume == 4. * 16. + 40. + 2. * 16. + 2. * 9. * 24.);
  // One interior face of 24 bytes, with both diagonal blocks and two between the elements.
  const auto two = host_form(exec, 2, fe::TimePolynomials::none);
  CHECK(dg::atomic_traffic(two, 4.).interior == 6. * 16. + 2. * 40. + 24. + 4. * 9. * 8.);
  CHECK(dg::triplet_traffic(two, 4.).interior == 6. * 16. + 2. * 40. + 24. + 4. * 9. * 20.);
}

} // namespace tessera::test
