// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/dg/dg_fields.hpp"

#include "core/kokkos_ext/spaces.hpp"

#include <algorithm>
#include <numeric>

namespace tessera::driver {

namespace {

/// Begins the file: its cells are the simplices, with vertices of their own.
template <int Dim, class ExecutionSpace>
io::FieldFile begin_file(const ExecutionSpace& exec, const Corners<Dim, ExecutionSpace>& corners,
                         const DgSolution<Dim, ExecutionSpace>& solution, const std::string& path, int n_steps) {
  const auto points = tessera::to_host(exec, corners.points);
  const auto n = static_cast<index_t>(points.extent(0));
  std::vector<index_t> nodes(static_cast<std::size_t>(n));
  std::iota(nodes.begin(), nodes.end(), 0);
  const auto original = tessera::to_host(exec, solution.mesh.simplices.original_element);
  io::FieldGrid grid;
  grid.dimension = Dim;
  grid.n_vertices = n;
  grid.n_nodes = n;
  grid.n_elements = solution.mesh.simplices.n_elements();
  grid.coordinates = points.data();
  grid.element_nodes = nodes.data();
  grid.original_element = original.extent(0) > 0 ? original.data() : nullptr;
  return io::FieldFile(path, grid, n_steps);
}

} // namespace

template <int Dim, class ExecutionSpace>
DgFields<Dim, ExecutionSpace>::DgFields(const ExecutionSpace& exec, const io::Case& input,
                                        const DgSolution<Dim, ExecutionSpace>& solution,
                                        const io::OutputDirectory& output, int n_steps)
    : input_(input), corners_(make_corners<Dim, ExecutionSpace>(exec, solution.mesh)),
      file_(begin_file(exec, corners_, solution, output.file("fields.vtkhdf"), n_steps)), has_steps_(n_steps > 0) {
  file_.write_run_id(output.run_id());
  const auto& fields = input.output.fields;
  if (std::find(fields.begin(), fields.end(), io::Field::material) != fields.end())
    file_.write_cell_data(io::name_of(io::Field::material, input.problem.physics),
                          tessera::to_host(exec, solution.mesh.simplices.regions).data());
  const auto element_of = tessera::to_host(exec, solution.mesh.element_of);
  const std::vector<double> elements(element_of.data(), element_of.data() + element_of.extent(0));
  file_.write_cell_data("element", elements.data());
  if (!solution.space.is_uniform) {
    const auto degrees = tessera::to_host(exec, solution.space.degrees);
    std::vector<double> of_simplices;
    for (std::size_t s = 0; s < element_of.extent(0); ++s)
      of_simplices.push_back(degrees(element_of(s)));
    file_.write_cell_data("degree", of_simplices.data());
  }
}

template <int Dim, class ExecutionSpace>
void DgFields<Dim, ExecutionSpace>::write(const ExecutionSpace& exec, const DgSolution<Dim, ExecutionSpace>& solution) {
  const double time = solution.space.to;
  if (has_steps_)
    file_.begin_step(time);
  const auto rows = tessera::to_host(
      exec, fe::values_at<Dim>(exec, solution.space, solution.coefficients, corners_.points, corners_.elements, time));
  const auto n = static_cast<index_t>(rows.extent(0));
  const bool is_electric = input_.problem.physics == io::Physics::electrostatics;
  for (const io::Field field : input_.output.fields) {
    if (field == io::Field::material)
      continue;
    const int first = field == io::Field::solution ? 0 : 1;
    const int count = field == io::Field::solution ? 1 : Dim;
    std::vector<double> values(static_cast<std::size_t>(n) * count);
    for (index_t i = 0; i < n; ++i)
      for (int k = 0; k < count; ++k)
        values[static_cast<std::size_t>(i) * count + k] = (first > 0 && is_electric ? -1. : 1.) * rows(i, first + k);
    file_.write_point_data(io::name_of(field, input_.problem.physics), values.data(), count);
  }
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template class DgFields<2, SPACE>;                                                                                   \
  template class DgFields<3, SPACE>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
