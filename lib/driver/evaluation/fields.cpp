// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/evaluation/fields.hpp"

#include "core/kokkos_ext/runtime.hpp"

namespace tessera::driver {

std::vector<ListedField> listed_fields(const io::Case& input) {
  std::vector<ListedField> fields;
  for (const io::Field field : input.output.fields)
    fields.push_back(
        {field, io::name_of(field, input.problem.physics), io::unit_of(field, io::traits_of(input.problem))});
  return fields;
}

template <class ExecutionSpace>
void NodalFields<ExecutionSpace>::begin(const io::FieldGrid& grid, const index_t* nodes,
                                        const assembly::ColoringSummary& coloring) {
  file_.emplace(output_, grid, n_steps_, *problem_.world);
  if (grid.node_numbers != nullptr)
    file_->write_point_data(io::node_numbers, grid.node_numbers);
  else if (nodes != nullptr)
    file_->write_point_data(io::node_numbers, nodes);
  for (const ListedField& field : listed_fields(input_))
    if (field.field == io::Field::material)
      file_->write_cell_data(field.name, tessera::to_host(exec_, problem_.regions).data(),
                             problem_.summary.region_names);
    else if (field.field == io::Field::colour)
      file_->write_cell_data(field.name, coloring.colors->data());
}

template <class ExecutionSpace>
void NodalFields<ExecutionSpace>::write(const Solution<ExecutionSpace>& solution, double time) {
  const bool recovered = input_.output.recovered; // everything at the sides of nodes
  const auto sides_of = [&](const Fields<ExecutionSpace>& problem, const io::Case& input, const auto& nodal) {
    const io::PhysicsTraits& traits = io::traits_of(input.problem.physics);
    return problem.host_grid(exec_, {nodal, double(traits.gradient_sign), double(traits.flux_sign)});
  };
  HostGrid grid;
  if (recovered)
    grid = sides_of(problem_, input_, solution.nodal);
  else if (!file_)
    grid = problem_.host_grid(exec_);
  if (!file_)
    begin(grid.grid, recovered ? grid.nodes.data() : nullptr, solution.report.coloring);
  grid.arrays.reset();
  if (n_steps_ > 0)
    file_->begin_step(time);
  write_all(problem_, input_, solution, grid);
  if (second_.problem != nullptr) {
    if (recovered) {
      grid = sides_of(*second_.problem, *second_.input, second_.solution->nodal);
      grid.arrays.reset();
    }
    write_all(*second_.problem, *second_.input, *second_.solution, grid);
  }
  if (n_steps_ == 0)
    close();
}

template <class ExecutionSpace>
void NodalFields<ExecutionSpace>::write_all(const Fields<ExecutionSpace>& problem, const io::Case& input,
                                            const Solution<ExecutionSpace>& solution, const HostGrid& grid) {
  const io::PhysicsTraits& traits = io::traits_of(input.problem.physics);
  const int dimension = problem.summary.dimension;
  const auto& nodal = solution.nodal;
  const bool recovered = input_.output.recovered;
  const auto values = [&](VectorField field, double sign) { return problem.vector_field(exec_, nodal, field, sign); };
  for (const auto& [kind, name, unit] : listed_fields(input)) {
    if (kind == io::Field::material || kind == io::Field::colour)
      continue;
    if (kind == io::Field::solution) {
      file_->write_point_data(name, recovered ? grid.solution.data() : tessera::to_host(exec_, nodal).data(), 1, unit);
    } else if (recovered) {
      file_->write_point_data(name, kind == io::Field::gradient ? grid.field.data() : grid.flux.data(), dimension,
                              unit);
    } else if (kind == io::Field::gradient) {
      file_->write_cell_data(name, values(VectorField::element_gradient, traits.gradient_sign).data(), dimension, unit);
      file_->write_point_data(name, values(VectorField::nodal_gradient, traits.gradient_sign).data(), dimension, unit);
    } else if (kind == io::Field::flux) {
      file_->write_cell_data(name, values(VectorField::element_flux, traits.flux_sign).data(), dimension, unit);
    }
  }
}

template <class ExecutionSpace> void NodalFields<ExecutionSpace>::close() {
  if (file_)
    file_->close();
  file_.reset();
}

#define TESSERA_INSTANTIATE(SPACE) template class NodalFields<SPACE>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
