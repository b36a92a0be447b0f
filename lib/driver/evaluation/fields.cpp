// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/evaluation/fields.hpp"

#include "core/kokkos_ext/runtime.hpp"

namespace tessera::driver {

namespace {

/// Writes a file of the fields requested by the input, with `nodes` as the indices of its points, or those of the grid
/// if null. `write_field(file, field)` writes all fields except the material, which belongs to elements only.
template <class ExecutionSpace, class WriteField>
void write_file(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem, const io::Case& input,
                const io::OutputDirectory* output, const io::FieldGrid& grid, const index_t* nodes,
                const WriteField& write_field) {
  io::FieldFile file(output, grid, 0, *problem.world);
  if (grid.node_numbers != nullptr)
    file.write_point_data(io::node_numbers, grid.node_numbers);
  else if (nodes != nullptr)
    file.write_point_data(io::node_numbers, nodes);
  for (const ListedField& field : listed_fields(input))
    if (field.field == io::Field::material)
      file.write_cell_data(field.name, tessera::to_host(exec, problem.regions).data(), problem.summary.region_names);
    else
      write_field(file, field);
  file.close();
}

} // namespace

std::vector<ListedField> listed_fields(const io::Case& input) {
  std::vector<ListedField> fields;
  for (const io::Field field : input.output.fields)
    fields.push_back(
        {field, io::name_of(field, input.problem.physics), io::unit_of(field, io::traits_of(input.problem))});
  return fields;
}

template <class ExecutionSpace>
void write_fields(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem, const io::Case& input,
                  const Solution<ExecutionSpace>& solution, const io::OutputDirectory* output) {
  const io::PhysicsTraits& traits = io::traits_of(input.problem.physics);
  const int dimension = problem.summary.dimension;
  const auto& nodal = solution.nodal;
  if (input.output.recovered) { // everything at the sides of nodes
    const HostGrid sides = problem.host_grid(exec, {nodal, double(traits.gradient_sign), double(traits.flux_sign)});
    write_file(exec, problem, input, output, sides.grid, sides.nodes.data(),
               [&](io::FieldFile& file, const ListedField& field) {
                 if (field.field == io::Field::solution)
                   file.write_point_data(field.name, sides.solution.data(), 1, field.unit);
                 else
                   file.write_point_data(field.name,
                                         field.field == io::Field::gradient ? sides.field.data() : sides.flux.data(),
                                         dimension, field.unit);
               });
    return;
  }
  const HostGrid nodes = problem.host_grid(exec);
  const auto values = [&](VectorField field, double sign) { return problem.vector_field(exec, nodal, field, sign); };
  write_file(exec, problem, input, output, nodes.grid, nullptr, [&](io::FieldFile& file, const ListedField& field) {
    const auto& [kind, name, unit] = field;
    if (kind == io::Field::solution) {
      file.write_point_data(name, tessera::to_host(exec, nodal).data(), 1, unit);
    } else if (kind == io::Field::gradient) {
      file.write_cell_data(name, values(VectorField::element_gradient, traits.gradient_sign).data(), dimension, unit);
      file.write_point_data(name, values(VectorField::nodal_gradient, traits.gradient_sign).data(), dimension, unit);
    } else {
      file.write_cell_data(name, values(VectorField::element_flux, traits.flux_sign).data(), dimension, unit);
    }
  });
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template void write_fields<SPACE>(const SPACE&, const Fields<SPACE>&, const io::Case&, const Solution<SPACE>&,       \
                                    const io::OutputDirectory*);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
