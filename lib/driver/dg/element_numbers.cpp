// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/dg/element_numbers.hpp"

#include "core/error.hpp"
#include "core/kokkos_ext/spaces.hpp"
#include "core/transfer/upload.hpp"
#include "driver/problem/binding/input_values.hpp"
#include "fe/modal/modal_space.hpp"
#include "physics/expressions/expression_program.hpp"

namespace tessera::driver {

namespace {

template <class Space> struct NumbersOfRegions {
  Array<const group_t*, Space> regions;
  Array<const int*, Space> of_region;
  Array<int*, Space> numbers;
  KOKKOS_FUNCTION void operator()(index_t e) const { numbers(e) = of_region(regions(e)); }
};

template <int Dim, class Space> struct EvaluateNumbers {
  Array<const double* [2][Dim], Space> boxes;
  physics::ExpressionProgram<Space> program;
  Array<double*, Space> values;
  KOKKOS_FUNCTION double centre(index_t e, int d) const { return 0.5 * (boxes(e, 0, d) + boxes(e, 1, d)); }
  KOKKOS_FUNCTION void operator()(index_t e) const {
    values(e) = program(0, centre(e, 0), centre(e, 1), Dim == 3 ? centre(e, Dim - 1) : 0., 0.);
  }
};

/// Allowed numbers.
struct Allowed {
  const char* what;
  int smallest;
  int largest;
  bool are_powers; ///< powers of two: other numbers are raised to the next one
};

/// Rounds the numbers, and finds the first element whose number is out of range.
template <class Space> struct RoundNumbers {
  Array<const double*, Space> values;
  Array<int*, Space> numbers;
  Array<index_t*, Space> first_wrong; // [1]
  Allowed allowed;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    const double rounded = math::floor(values(e) + 0.5);
    const bool in_range = rounded >= allowed.smallest && rounded <= allowed.largest; // no number is not
    int number = in_range ? static_cast<int>(rounded) : allowed.smallest;
    if (allowed.are_powers) {
      int power = 1;
      while (power < number)
        power *= 2;
      number = power;
    }
    numbers(e) = number;
    if (!in_range)
      Kokkos::atomic_fetch_min(&first_wrong(0), e);
  }
};

template <int Dim, class ExecutionSpace>
Array<int*, ExecutionSpace> element_numbers(const ExecutionSpace& exec, const io::ElementNumbersInput& input,
                                            const mesh::PolytopicMesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                                            const Allowed& allowed) {
  using Space = typename ExecutionSpace::memory_space;
  const index_t n = mesh.n_elements();
  const auto numbers = make_array<Array<int*, ExecutionSpace>>(exec, "driver::element_numbers", n);
  if (!input.expression) {
    std::vector<int> of_region(mesh.simplices.region_names.size(), input.number);
    for (const io::RegionNumber& entry : input.regions)
      of_region.at(static_cast<std::size_t>(find_name(mesh.simplices.region_names, entry.region.name))) = entry.number;
    const auto table = uploaded(exec, "driver::numbers_of_regions", of_region);
    for_each("tessera::driver::numbers_of_regions", exec, n, NumbersOfRegions<Space>{mesh.regions, table, numbers});
    exec.fence(); // the table may be freed
    return numbers;
  }
  const EvaluateNumbers<Dim, Space> evaluate{
      mesh.boxes, physics::make_program(exec, {to_expression(*input.expression)}),
      make_array<Array<double*, ExecutionSpace>>(exec, "driver::number_values", n)};
  const RoundNumbers<Space> round{evaluate.values, numbers,
                                  make_filled<Array<index_t*, ExecutionSpace>>(exec, "driver::first_wrong", 1, n),
                                  allowed};
  for_each("tessera::driver::evaluate_numbers", exec, n, evaluate);
  for_each("tessera::driver::round_numbers", exec, n, round);
  const index_t wrong = read_entry(exec, round.first_wrong, 0);
  if (wrong < n) {
    const auto box = tessera::to_host(
        exec, Kokkos::subview(mesh.boxes, std::make_pair(wrong, wrong + 1), Kokkos::ALL(), Kokkos::ALL()));
    std::string centre;
    for (int d = 0; d < Dim; ++d)
      centre += (d == 0 ? "(" : ", ") + io::number_text(0.5 * (box(0, 0, d) + box(0, 1, d)));
    TESSERA_REQUIRE(false, input.where.text() << ": " << allowed.what << " must lie between " << allowed.smallest
                                              << " and " << allowed.largest << ", but is "
                                              << io::number_text(read_entry(exec, round.values, wrong))
                                              << " in the element around " << centre << ").");
  }
  return numbers;
}

} // namespace

template <int Dim, class ExecutionSpace>
Array<int*, ExecutionSpace>
element_degrees(const ExecutionSpace& exec, const io::DiscretizationOptions& input,
                const mesh::PolytopicMesh<Dim, typename ExecutionSpace::memory_space>& mesh) {
  return element_numbers<Dim>(exec, input.order, mesh, {"the degree", 0, io::largest_dg_order(Dim), false});
}

template <int Dim, class ExecutionSpace>
Array<int*, ExecutionSpace> element_steps(const ExecutionSpace& exec, const io::DiscretizationOptions& input,
                                          const mesh::PolytopicMesh<Dim, typename ExecutionSpace::memory_space>& mesh) {
  static_assert(io::largest_local_steps == fe::max_local_steps, "The input allows what the elements have.");
  return element_numbers<Dim>(exec, input.local_steps, mesh, {"the number of steps", 1, io::largest_local_steps, true});
}

#define TESSERA_INSTANTIATE_DIM(SPACE, DIM)                                                                            \
  template Array<int*, SPACE> element_degrees<DIM, SPACE>(const SPACE&, const io::DiscretizationOptions&,              \
                                                          const mesh::PolytopicMesh<DIM, SPACE::memory_space>&);       \
  template Array<int*, SPACE> element_steps<DIM, SPACE>(const SPACE&, const io::DiscretizationOptions&,                \
                                                        const mesh::PolytopicMesh<DIM, SPACE::memory_space>&);
#define TESSERA_INSTANTIATE(SPACE) TESSERA_INSTANTIATE_DIM(SPACE, 2) TESSERA_INSTANTIATE_DIM(SPACE, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
