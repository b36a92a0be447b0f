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
  // Position and weight 16; factors 2 (5 + 9 + 2); basis 7 and 9; A times gradient 6; products and sums 15.
  const double entry = points * (16. + 32. + 7. + 9. + 6. + 15.) + 2.;
  const double load = points * (16. + 32. + 7. + 3.) + 2.;
  CHECK(flops.volume == 2. * (9. * entry + 3. * load));
  const double face_entry = face_points * (16. + 16. + 32. + 14. + 18.) + 1.;
  const double face_load = face_points * (16. + 16. + 32. + 7. + 9.) + 1.;
  // Three sides have Dirichlet data, the last one Neumann data.
  CHECK(flops.boundary[0] == 3. * (9. * face_entry + 3. * face_load));
  CHECK(flops.boundary[1] == 0.);
  CHECK(flops.boundary[2] == 9. * face_entry + 3. * face_load);
  CHECK(flops.interior == 0.);
  CHECK(flops.interfaces == 0.);
}

TEMPLATE_LIST_TEST_CASE("Operations of an interface and of a slab are those counted by hand", "[dg]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const auto steady = host_form(exec, 2, fe::TimePolynomials::none);
  const double points = steady.n_face_points(dg::Rule{1, 1});
  CHECK(dg::count_flops(steady).interior == 9. * (2. * (97. * points + 1.) + 2. * (129. * points + 1.)));
  CHECK(dg::count_flops(steady).interfaces == points * (39. + 64. + 84. + 72.));

  const auto slab = host_form(exec, 2, fe::TimePolynomials::p);
  const double volume_points = slab.n_volume_points(dg::Rule{1, 1});
  const double start_points = slab.n_initial_points(dg::Rule{1, 1});
  CHECK(dg::count_flops(slab).volume == 4. * (16. * (101. * volume_points + 77. * start_points + 2.) +
                                              4. * (74. * volume_points + 70. * start_points + 2.)));
  CHECK(dg::count_flops(slab).interfaces == slab.n_face_points(dg::Rule{1, 1}) * (43. + 96. + 112. + 128.));
}

} // namespace tessera::test
