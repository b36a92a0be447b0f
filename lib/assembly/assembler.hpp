// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ASSEMBLER_HPP
#define TESSERA_ASSEMBLY_ASSEMBLER_HPP

/// \file
/// The common interface of all assembly strategies.

#include "assembly/coloring_summary.hpp"
#include "assembly/strategy.hpp"
#include "fe/dofs/dof_map.hpp"
#include "graph/colouring/coloring.hpp"
#include "linalg/crs/crs_matrix.hpp"
#include "linalg/element_level.hpp"

#include <memory>

namespace tessera::assembly {

/// An assembly strategy for a form: symbolic() once per mesh and set of constraints, then numeric() whenever
/// coefficients change. The dispatch is on the host; every kernel is compiled for its form and space.
template <class ExecutionSpace> class Assembler {
public:
  using memory_space = typename ExecutionSpace::memory_space;
  using operator_type = linalg::LinearOperator<ExecutionSpace>;
  using matrix_type = linalg::CrsMatrix<memory_space>;

  virtual ~Assembler() = default;

  /// Computes the pattern, lists or colours: everything that depends only on the mesh and the constraints.
  virtual void symbolic(const ExecutionSpace& exec) = 0;

  /// Computes the values of the matrix (or of the element matrices) and of the right-hand side. Repeatable; does not
  /// wait unless the strategy needs a count on the host.
  virtual void numeric(const ExecutionSpace& exec) = 0;

  /// Computes only the right-hand side, after symbolic(); the matrix stays unchanged. Deterministic strategies give the
  /// bits of numeric(). Fixed values and totals (fe::DofMap) and the tables of the form are arrays that the assembler
  /// shares with its creator: changes in them apply from the next numeric() or load() on.
  virtual void load(const ExecutionSpace& exec) = 0;

  /// Valid after numeric().
  virtual const operator_type& system() const = 0;
  /// The assembled matrix, or null for strategies without one.
  virtual const matrix_type* matrix() const { return nullptr; }
  /// The system on element level, or null for strategies that do not store element matrices.
  virtual const linalg::ElementLevelOperator<ExecutionSpace>* elements() const { return nullptr; }
  const linalg::Vector<ExecutionSpace>& rhs() const { return rhs_; }

  /// Minimum traffic of one symbolic() and one numeric().
  virtual linalg::Traffic symbolic_traffic() const { return {}; }
  virtual linalg::Traffic numeric_traffic() const = 0;

  const ColoringSummary& coloring() const { return coloring_; }

protected:
  linalg::Vector<ExecutionSpace> rhs_;
  ColoringSummary coloring_;
};

/// The strategy of an assembler and its options.
struct AssemblyOptions {
  Strategy strategy = Strategy::row_gather;
  graph::ColoringMethod coloring = graph::ColoringMethod::node_claims;
  bool reproducible = false; ///< use only colourings that do not depend on the order of threads
  bool keep_colors = false;  ///< copy the colour of each element into the summary
};

/// Makes a strategy for a form; instantiated for every space and form of this build (assembly/factory.cpp.in).
template <class ExecutionSpace, class Form>
std::unique_ptr<Assembler<ExecutionSpace>> make_assembler(const Form& form,
                                                          const fe::DofMap<typename ExecutionSpace::memory_space>& dofs,
                                                          const AssemblyOptions& options);

} // namespace tessera::assembly

#endif
