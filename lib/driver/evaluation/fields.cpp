// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/evaluation/fields.hpp"

#include "core/kokkos_ext/runtime.hpp"

namespace tessera::driver {

namespace {

/// Writes a file of the fields requested by the input, with `nodes` as the indices of its points, or those of the grid
/// if null. `write_field(file, field, name)` writes all fields except the material, which belongs to elements only.
template <class ExecutionSpace, class WriteField>
void write_file(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem, const io::Case& input,
                const io::OutputDirectory* output, const io::FieldGrid& grid, const index_t* nodes,
                const WriteField& write_field) {
  const io::Physics physics = input.problem.physics;
  io::FieldFile file(output != nullptr ? output->file("fields.vtkhdf") : "", grid, 0, *problem.world);
  if (output != nullptr)
    file.write_run_id(output->run_id());
  if (grid.node_numbers != nullptr)
    file.write_point_data(io::node_numbers, grid.node_numbers);
  else if (nodes != nullptr)
    file.write_point_data(io::node_numbers, nodes);
  for (const io::Field field : input.output.fields) {
    const std::string name = io::name_of(field, physics);
    if (field == io::Field::material) {
      file.write_cell_data(name, tessera::to_host(exec, problem.regions).data());
      file.write_names(name, problem.summary.region_names);
    } else {
      write_field(file, field, name);
    }
    file.write_unit(name, io::unit_of(field, io::traits_of(input.problem)));
  }
  file.close();
}

/// Writes the solution at nodes, and fields as elements have them.
template <class ExecutionSpace>
void write_on_nodes(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem, const io::Case& input,
                    const typename Problem<ExecutionSpace>::ConstVector& nodal, const io::OutputDirectory* output) {
  const io::PhysicsTraits& traits = io::traits_of(input.problem.physics);
  const int dimension = problem.summary.dimension;
  problem.with_grid(exec, [&](const io::FieldGrid& grid) {
    const auto write_field = [&](io::FieldFile& file, io::Field field, const std::string& name) {
      if (field == io::Field::solution) {
        file.write_point_data(name, tessera::to_host(exec, nodal).data());
      } else if (field == io::Field::gradient) {
        file.write_cell_data(name, problem.element_gradients(exec, nodal, traits.gradient_sign).data(), dimension);
        file.write_point_data(name, problem.nodal_gradients(exec, nodal, traits.gradient_sign).data(), dimension);
      } else {
        file.write_cell_data(name, problem.element_fluxes(exec, nodal, traits.flux_sign).data(), dimension);
      }
    };
    write_file(exec, problem, input, output, grid, nullptr, write_field);
  });
}

/// Writes everything at the sides of nodes, with recovered fields.
template <class ExecutionSpace>
void write_on_sides(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem, const io::Case& input,
                    const typename Problem<ExecutionSpace>::ConstVector& nodal, const io::OutputDirectory* output) {
  const io::PhysicsTraits& traits = io::traits_of(input.problem.physics);
  const int dimension = problem.summary.dimension;
  problem.with_side_grid(
      exec, nodal, traits.gradient_sign, traits.flux_sign, [&](const io::FieldGrid& grid, const SideValues& values) {
        const auto write_field = [&](io::FieldFile& file, io::Field field, const std::string& name) {
          if (field == io::Field::solution)
            file.write_point_data(name, values.solution.data());
          else
            file.write_point_data(name, field == io::Field::gradient ? values.field.data() : values.flux.data(),
                                  dimension);
        };
        write_file(exec, problem, input, output, grid, values.nodes.data(), write_field);
      });
}

} // namespace

template <class ExecutionSpace>
void write_fields(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem, const io::Case& input,
                  const Solution<ExecutionSpace>& solution, const io::OutputDirectory* output) {
  if (input.output.recovered)
    write_on_sides<ExecutionSpace>(exec, problem, input, solution.nodal, output);
  else
    write_on_nodes<ExecutionSpace>(exec, problem, input, solution.nodal, output);
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template void write_fields<SPACE>(const SPACE&, const Problem<SPACE>&, const io::Case&, const Solution<SPACE>&,      \
                                    const io::OutputDirectory*);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
