// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_UNIT_DRIVER_LEVELS_OF_PROBLEMS_HPP
#define TESSERA_TESTS_UNIT_DRIVER_LEVELS_OF_PROBLEMS_HPP

/// \file
/// Problems on meshes with known coarser meshes.

#include "driver/mesh/import.hpp"
#include "driver/plan/plan.hpp"
#include "driver/problem/problem.hpp"
#include "io/input/case_reader.hpp"
#include "support/matrices.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tessera::test {

/// A problem with its matrix on the whole mesh.
template <class ExecutionSpace> struct ProblemModel {
  using Space = typename ExecutionSpace::memory_space;

  explicit ProblemModel(const std::string& text, const comm::Communicator& world = comm::alone())
      : input(io::read_case_text(text, "case.yaml")), console(true), context{input, console, log, notes, world} {
    const io::ImportedMesh imported = driver::import_mesh(input, context);
    const auto size = driver::problem_size(input, imported, !is_host_space<ExecutionSpace>);
    problem = driver::make_problem(exec, imported, driver::bind_problem(input, imported),
                                   driver::make_plan(input, size, -1.).form, mesh::CoarserMeshes::elements, context);
    if (!problem->is_linear())
      problem->linearize_at_rest(exec);
    assembler = problem->make_assembler({assembly::Strategy::row_gather});
    assembler->symbolic(exec);
    assembler->numeric(exec);
  }

  /// The matrix of the coarser level, assembled from its elements.
  linalg::CrsMatrix<Space> from_elements(const fe::CoarserUnknowns<ExecutionSpace>& unknowns) {
    coarser = problem->make_coarser_assembler(exec, unknowns);
    coarser->symbolic(exec);
    coarser->numeric(exec);
    return *coarser->matrix();
  }

  ExecutionSpace exec;
  io::Case input;
  io::Console console;
  PhaseLog log;
  std::vector<std::string> notes;
  driver::Context context;
  std::unique_ptr<driver::Problem<ExecutionSpace>> problem;
  std::unique_ptr<assembly::Assembler<ExecutionSpace>> assembler;
  std::unique_ptr<assembly::Assembler<ExecutionSpace>> coarser;
};

template <class ExecutionSpace>
test::Rows rows_of(const ExecutionSpace& exec, const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& matrix) {
  const auto offsets = to_host(exec, matrix.offsets);
  const auto columns = to_host(exec, matrix.columns);
  const auto values = to_host(exec, matrix.values);
  test::Rows rows(static_cast<std::size_t>(matrix.n_rows()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (offset_t k = offsets(i); k < offsets(i + 1); ++k)
      rows[i][columns(k)] = values(k);
  return rows;
}

inline const std::string plane = "tessera: 1\nmesh: {box: {cells: [7, 5], lower: [1, 0], upper: [2, 1]}, refine: 2}\n";
inline const std::string space = "tessera: 1\nmesh: {box: {cells: [3, 2, 2]}, refine: 1}\n";

struct Sample {
  const char* name;
  std::string text;
};

/// Every form and every kind of unknown.
inline std::vector<Sample> samples() {
  const std::string electric = "problem:\n  physics: electrostatics\n";
  const std::string plates = "  boundaries: {left: {potential: 0}, right: {potential: 1}}\n";
  const std::string material = "  materials: {domain: {relative_permittivity: 2}}\n";
  return {
      {"plates", plane + electric + material + plates},
      {"axisymmetric, floating", plane + electric + "  symmetry: axisymmetric\n" + material +
                                     "  boundaries: {left: {potential: 0}, right: {floating: {charge: 1}}, top: "
                                     "{potential: 1}}\n"},
      {"varying, anisotropic",
       plane + electric + "  materials: {domain: {relative_permittivity: [1 + x, 5]}}\n" + plates},
      {"Robin", plane + "problem:\n  physics: heat\n  materials: {domain: {thermal_conductivity: 3}}\n"
                        "  boundaries: {left: {temperature: 0}, right: {convection: {coefficient: 7, ambient: 1}}}\n"},
      {"antiperiodic", plane + "problem:\n  physics: magnetostatics\n"
                               "  materials: {domain: {bh_curve: [[0, 0], [100, 0.5], [1000, 1.2]]}}\n"
                               "  sources: {domain: {current_density: 10}}\n"
                               "  boundaries: {left: {vector_potential: 0}, top: {antiperiodic: bottom}}\n"},
      {"cube", space + electric + material + "  boundaries: {left: {potential: 0}, top: {floating: {charge: 1}}}\n"},
      {"cube, varying", space + electric + "  materials: {domain: {relative_permittivity: 1 + x*y}}\n" + plates},
      {"box that is halved",
       "tessera: 1\nmesh: {box: {cells: [8, 4, 4]}, ordering: none}\n" + electric + material + plates},
  };
}

} // namespace tessera::test

#endif
