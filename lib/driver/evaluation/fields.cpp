// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/evaluation/fields.hpp"

#include "core/kokkos_ext/runtime.hpp"

namespace tessera::driver {

template <class ExecutionSpace>
void write_fields(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem, const io::Case& input,
                  const Solution<ExecutionSpace>& solution, const io::OutputDirectory& output) {
  const io::Physics physics = input.problem.physics;
  const int dimension = problem.summary.dimension;
  const auto& nodal = solution.nodal;
  const io::PhysicsTraits& traits = io::traits_of(physics);
  problem.with_grid(exec, [&](const io::FieldGrid& grid) {
    io::FieldFile file(output.file("fields.vtkhdf"), grid);
    file.write_run_id(output.run_id());
    for (const io::Field field : input.output.fields) {
      const std::string name = io::name_of(field, physics);
      switch (field) {
      case io::Field::solution:
        file.write_point_data(name, tessera::to_host(exec, nodal).data());
        break;
      case io::Field::gradient:
        file.write_cell_data(name, problem.element_gradients(exec, nodal, traits.gradient_sign).data(), dimension);
        file.write_point_data(name, problem.nodal_gradients(exec, nodal, traits.gradient_sign).data(), dimension);
        break;
      case io::Field::flux:
        file.write_cell_data(name, problem.element_fluxes(exec, nodal, traits.flux_sign).data(), dimension);
        break;
      case io::Field::material:
        file.write_cell_data(name, tessera::to_host(exec, problem.regions).data());
        file.write_names(name, problem.summary.region_names);
        break;
      }
      file.write_unit(name, io::unit_of(field, physics));
    }
    file.close();
  });
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template void write_fields<SPACE>(const SPACE&, const Problem<SPACE>&, const io::Case&, const Solution<SPACE>&,      \
                                    const io::OutputDirectory&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
