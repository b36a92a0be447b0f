// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/dg/dg_fields.hpp"

#include "core/kokkos_ext/spaces.hpp"
#include "driver/evaluation/fields.hpp"

namespace tessera::driver {

namespace {

/// Begins the file: its cells are the subdivided simplices, which have separate points.
template <int Dim, class ExecutionSpace>
io::FieldFile begin_file(const ExecutionSpace& exec, const FieldPoints<Dim, ExecutionSpace>& field_points,
                         const SubdividedSimplex<Dim>& subdivided, const DgSolution<Dim, ExecutionSpace>& solution,
                         const io::OutputDirectory* output, int n_steps, const comm::Communicator& world) {
  const auto points = tessera::to_host(exec, field_points.points);
  const auto& simplices = solution.mesh.simplices;
  const auto original_simplex = tessera::to_host(exec, simplices.original_element);
  const auto n_points = static_cast<index_t>(subdivided.points.size());
  const auto n_cells = static_cast<index_t>(subdivided.cells.size());
  std::vector<index_t> nodes;
  std::vector<index_t> original;
  for (index_t s = 0; s < simplices.n_elements(); ++s)
    for (index_t c = 0; c < n_cells; ++c) {
      for (const int point : subdivided.cells[static_cast<std::size_t>(c)])
        nodes.push_back(s * n_points + point);
      if (original_simplex.extent(0) > 0)
        original.push_back(original_simplex(s) * n_cells + c);
    }
  io::FieldGrid grid;
  grid.dimension = Dim;
  grid.n_vertices = static_cast<index_t>(points.extent(0));
  grid.n_nodes = grid.n_vertices;
  grid.n_elements = simplices.n_elements() * n_cells;
  grid.coordinates = points.data();
  grid.element_nodes = nodes.data();
  grid.original_element = original.empty() ? nullptr : original.data();
  return io::FieldFile(output, grid, n_steps, world);
}

} // namespace

template <int Dim, class ExecutionSpace>
DgFields<Dim, ExecutionSpace>::DgFields(const ExecutionSpace& exec, const io::Case& input,
                                        const DgSolution<Dim, ExecutionSpace>& solution,
                                        const std::vector<std::string>& region_names, const io::OutputDirectory* output,
                                        int n_steps, const comm::Communicator& world, std::int64_t element_shift)
    : input_(input), subdivided_(input.output.subdivisions),
      points_(make_field_points(exec, solution.mesh, subdivided_)),
      file_(begin_file(exec, points_, subdivided_, solution, output, n_steps, world)), has_steps_(n_steps > 0) {
  const auto element_of = tessera::to_host(exec, solution.mesh.element_of);
  const auto of_cells = [&](const auto& of_simplex) {
    std::vector<std::decay_t<decltype(of_simplex(0))>> values;
    for (std::size_t s = 0; s < element_of.extent(0); ++s)
      values.insert(values.end(), subdivided_.cells.size(), of_simplex(s));
    return values;
  };
  for (const ListedField& field : listed_fields(input))
    if (field.field == io::Field::material) {
      const auto regions = tessera::to_host(exec, solution.mesh.simplices.regions);
      file_.write_cell_data(field.name, of_cells([&](std::size_t s) { return regions(s); }).data(), region_names);
    }
  file_.write_cell_data(io::element_numbers, of_cells([&](std::size_t s) {
                                               return static_cast<double>(element_of(s) + element_shift);
                                             }).data());
  if (solution.space.largest_steps > 1) {
    const auto steps = tessera::to_host(exec, solution.space.local_steps);
    file_.write_cell_data("local_steps",
                          of_cells([&](std::size_t s) { return static_cast<double>(steps(element_of(s))); }).data());
  }
  if (solution.space.smallest_degree < solution.space.largest_degree) {
    const auto degrees = tessera::to_host(exec, solution.space.degrees);
    file_.write_cell_data("degree",
                          of_cells([&](std::size_t s) { return static_cast<double>(degrees(element_of(s))); }).data());
  }
}

template <int Dim, class ExecutionSpace>
void DgFields<Dim, ExecutionSpace>::write(const ExecutionSpace& exec, const DgSolution<Dim, ExecutionSpace>& solution) {
  const double time = solution.space.to;
  if (has_steps_)
    file_.begin_step(time);
  const auto rows = tessera::to_host(
      exec, fe::values_at<Dim>(exec, solution.space, solution.coefficients, points_.points, points_.elements, time));
  const auto n = static_cast<index_t>(rows.extent(0));
  const double sign = io::traits_of(input_.problem.physics).gradient_sign;
  for (const auto& [field, name, unit] : listed_fields(input_)) {
    if (field == io::Field::material)
      continue;
    const int first = field == io::Field::solution ? 0 : 1;
    const int count = field == io::Field::solution ? 1 : Dim;
    std::vector<double> values(static_cast<std::size_t>(n) * count);
    for (index_t i = 0; i < n; ++i)
      for (int k = 0; k < count; ++k)
        values[static_cast<std::size_t>(i) * count + k] = (first > 0 ? sign : 1.) * rows(i, first + k);
    file_.write_point_data(name, values.data(), count, unit);
  }
}

double field_bytes(const io::OutputOptions& output, int dimension, double n_simplices) {
  // equal to the number of polynomials of that degree
  const double n_points = fe::modal_size(dimension, output.subdivisions);
  return n_simplices * n_points * (sizeof(double) * (2. * dimension + 1.) + sizeof(index_t));
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template class DgFields<2, SPACE>;                                                                                   \
  template class DgFields<3, SPACE>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
