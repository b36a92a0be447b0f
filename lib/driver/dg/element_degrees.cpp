// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/dg/element_degrees.hpp"

#include "core/error.hpp"
#include "core/kokkos_ext/spaces.hpp"
#include "core/upload.hpp"
#include "driver/problem/input_values.hpp"
#include "physics/expression_program.hpp"

namespace tessera::driver {

namespace {

template <class Space> struct DegreesOfRegions {
  Array<const group_t*, Space> regions;
  Array<const int*, Space> of_region;
  Array<int*, Space> degrees;
  KOKKOS_FUNCTION void operator()(index_t e) const { degrees(e) = of_region(regions(e)); }
};

template <int Dim, class Space> struct EvaluateDegrees {
  Array<const double* [2][Dim], Space> boxes;
  physics::ExpressionProgram<Space> program;
  Array<double*, Space> values;
  KOKKOS_FUNCTION double centre(index_t e, int d) const { return 0.5 * (boxes(e, 0, d) + boxes(e, 1, d)); }
  KOKKOS_FUNCTION void operator()(index_t e) const {
    values(e) = program(0, centre(e, 0), centre(e, 1), Dim == 3 ? centre(e, Dim - 1) : 0., 0.);
  }
};

/// Rounds, and finds the first element whose degree is out of range.
template <class Space> struct RoundDegrees {
  Array<const double*, Space> values;
  Array<int*, Space> degrees;
  Array<index_t*, Space> first_wrong; // [1]
  int largest;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    const double degree = math::floor(values(e) + 0.5);
    const bool in_range = degree >= 0. && degree <= largest; // no number is not
    degrees(e) = in_range ? static_cast<int>(degree) : 0;
    if (!in_range)
      Kokkos::atomic_fetch_min(&first_wrong(0), e);
  }
};

} // namespace

template <int Dim, class ExecutionSpace>
Array<int*, ExecutionSpace>
element_degrees(const ExecutionSpace& exec, const io::DiscretizationOptions& input,
                const mesh::PolytopicMesh<Dim, typename ExecutionSpace::memory_space>& mesh) {
  using Space = typename ExecutionSpace::memory_space;
  const index_t n = mesh.n_elements();
  const auto degrees = make_filled<Array<int*, ExecutionSpace>>(exec, "driver::degrees", n, input.order);
  if (!input.order_expression) {
    std::vector<int> of_region(mesh.simplices.region_names.size(), input.order);
    for (const io::RegionOrder& entry : input.region_orders)
      of_region.at(static_cast<std::size_t>(find_name(mesh.simplices.region_names, entry.region.name))) = entry.order;
    const auto table = uploaded(exec, "driver::degrees_of_regions", of_region);
    for_each("tessera::driver::degrees_of_regions", exec, n, DegreesOfRegions<Space>{mesh.regions, table, degrees});
    exec.fence(); // the table may go
    return degrees;
  }
  const EvaluateDegrees<Dim, Space> evaluate{
      mesh.boxes, physics::make_program(exec, {to_expression(*input.order_expression)}),
      make_array<Array<double*, ExecutionSpace>>(exec, "driver::degree_values", n)};
  const RoundDegrees<Space> round{
      evaluate.values, degrees, make_filled<Array<index_t*, ExecutionSpace>>(exec, "driver::first_wrong_degree", 1, n),
      io::largest_dg_order(Dim)};
  for_each("tessera::driver::evaluate_degrees", exec, n, evaluate);
  for_each("tessera::driver::round_degrees", exec, n, round);
  const index_t wrong = read_entry(exec, round.first_wrong, 0);
  if (wrong < n) {
    const auto box = tessera::to_host(
        exec, Kokkos::subview(mesh.boxes, std::make_pair(wrong, wrong + 1), Kokkos::ALL(), Kokkos::ALL()));
    std::string centre;
    for (int d = 0; d < Dim; ++d)
      centre += (d == 0 ? "(" : ", ") + io::number_text(0.5 * (box(0, 0, d) + box(0, 1, d)));
    TESSERA_REQUIRE(false, input.order_where.text()
                               << ": the degree must lie between 0 and " << round.largest << ", but is "
                               << io::number_text(read_entry(exec, round.values, wrong)) << " in the element around "
                               << centre << ").");
  }
  return degrees;
}

#define TESSERA_INSTANTIATE_DIM(SPACE, DIM)                                                                            \
  template Array<int*, SPACE> element_degrees<DIM, SPACE>(const SPACE&, const io::DiscretizationOptions&,              \
                                                          const mesh::PolytopicMesh<DIM, SPACE::memory_space>&);
#define TESSERA_INSTANTIATE(SPACE) TESSERA_INSTANTIATE_DIM(SPACE, 2) TESSERA_INSTANTIATE_DIM(SPACE, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
