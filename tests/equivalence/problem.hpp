// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_EQUIVALENCE_PROBLEM_HPP
#define TESSERA_TESTS_EQUIVALENCE_PROBLEM_HPP

/// \file
/// A problem on a mesh and its expected linear system.

#include "assembly/assembler.hpp"
#include "fe/dofs/dof_part.hpp"
#include "mesh/mesh.hpp"
#include "physics/forms/magnetic_problem.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tessera::test {

/// A diffusion problem with its constraints, independent of the mesh.
struct Setup {
  std::string name;
  std::vector<fe::Constraint> constraints;
  std::vector<physics::Expression> fixed_values; ///< one per constraint
  physics::DiffusionProblem problem;
  std::vector<fe::PeriodicPair> periodic;
  fe::Numbering numbering = fe::Numbering::by_nodes;

  /// True if the uniform form can be used: it supports no signs.
  bool is_uniform() const {
    for (const fe::PeriodicPair& pair : periodic)
      if (pair.is_antiperiodic)
        return false;
    return problem.is_uniform();
  }
};

/// A magnetostatic problem, linearised at an expression for A.
struct MagneticSetup {
  std::string name;
  std::vector<fe::Constraint> constraints;
  std::vector<physics::Expression> fixed_values;
  physics::MagneticProblem problem;
  physics::Expression iterate;
  std::vector<fe::PeriodicPair> periodic;
  fe::Numbering numbering = fe::Numbering::by_nodes;
};

/// The linear system computed by plain loops over the elements and pairs of their nodes, and the magnitudes by which
/// rounding errors are scaled.
struct Oracle {
  std::vector<std::map<index_t, double>> rows;
  std::vector<double> rhs;
  std::vector<double> row_sum;  ///< sums of the entries' absolute values
  std::vector<double> load_sum; ///< sums of the absolute values of all contributions to an entry of rhs
  std::vector<double> solution; ///< by Cholesky factorization
};

/// A problem on one execution space: the same type for every order and form.
template <class ExecutionSpace> struct Problem {
  std::function<std::unique_ptr<assembly::Assembler<ExecutionSpace>>(const assembly::AssemblyOptions&)> make_assembler;
  using Part = fe::DofPart<typename ExecutionSpace::memory_space>;
  std::function<std::unique_ptr<assembly::Assembler<ExecutionSpace>>(const Part&, const assembly::AssemblyOptions&)>
      make_part_assembler;
  fe::DofMap<typename ExecutionSpace::memory_space> dofs;
  fe::ElementTable<typename ExecutionSpace::memory_space> element_table; ///< table of arrays that make_assembler holds
  Oracle oracle;
  index_t n_regular = 0;
  index_t n_free = 0;
  /// The fixed values of the dof map that the assemblers share.
  Array<double*, ExecutionSpace> fixed_values;
  Array<double*, ExecutionSpace> tied_totals;
};

enum class FormKind { uniform, general };

/// Instantiated in problem.cpp. The uniform form supports only uniform problems.
template <class ExecutionSpace, int Dim, int Order>
Problem<ExecutionSpace> make_problem(const ExecutionSpace& exec,
                                     const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                                     const Setup& setup, FormKind kind);

/// Chooses the form that the data require.
template <class ExecutionSpace, int Dim, int Order>
Problem<ExecutionSpace> make_problem(const ExecutionSpace& exec,
                                     const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                                     const Setup& setup) {
  return make_problem<ExecutionSpace, Dim, Order>(
      exec, mesh, setup,
      setup.is_uniform() && (Order == 1 || mesh.curved.n_facets() == 0) ? FormKind::uniform : FormKind::general);
}

/// One Newton system of a magnetostatic problem. Instantiated in problem.cpp.
template <class ExecutionSpace, int Dim, int Order>
Problem<ExecutionSpace> make_problem(const ExecutionSpace& exec,
                                     const mesh::Mesh<2, typename ExecutionSpace::memory_space>& mesh,
                                     const MagneticSetup& setup);

} // namespace tessera::test

#endif
