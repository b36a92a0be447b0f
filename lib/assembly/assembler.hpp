// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ASSEMBLER_HPP
#define TESSERA_ASSEMBLY_ASSEMBLER_HPP

/// \file
/// The one interface of all assembly strategies.

#include "assembly/coloring_summary.hpp"
#include "assembly/strategy.hpp"
#include "fe/dof_map.hpp"
#include "graph/coloring.hpp"
#include "linalg/crs_matrix.hpp"
#include "linalg/element_level.hpp"

#include <memory>

namespace tessera::assembly {

/// A strategy at work: symbolic() once per mesh and set of constraints, then numeric() as often as coefficients change.
/// The dispatch is on the host; every kernel is compiled for its form and space.
template <class ExecutionSpace> class Assembler {
public:
  using memory_space = typename ExecutionSpace::memory_space;
  using operator_type = linalg::LinearOperator<ExecutionSpace>;
  using matrix_type = linalg::CrsMatrix<memory_space>;

  virtual ~Assembler() = default;

  /// Pattern, lists or colours: all that depends on the mesh and the constraints alone.
  virtual void symbolic(const ExecutionSpace& exec) = 0;

  /// Values of the matrix (or of the element matrices) and of the right-hand side. Repeatable; nothing waits unless the
  /// strategy needs a count on the host.
  virtual void numeric(const ExecutionSpace& exec) = 0;

  /// The right-hand side alone, after symbolic(); the matrix stays as it is. Deterministic strategies give the bits
  /// that numeric() gives. Fixed values and totals (fe::DofMap) and the tables of the form are arrays that the
  /// assembler shares with its maker: what has changed in them applies from the next numeric() or load() on.
  virtual void load(const ExecutionSpace& exec) = 0;

  /// Valid after numeric().
  virtual const operator_type& system() const = 0;
  /// The assembled matrix, or null for strategies that have none.
  virtual const matrix_type* matrix() const { return nullptr; }
  /// The system on element level, or null for strategies that keep no element matrices.
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

/// How an assembler works: by which strategy, and with which colouring.
struct AssemblyOptions {
  Strategy strategy = Strategy::row_gather;
  graph::ColoringMethod coloring = graph::ColoringMethod::node_claims;
  bool reproducible = false; ///< only results that do not depend on the order of threads (colouring)
};

/// Makes a strategy for a form; instantiated for every space and form of this build (assembly/factory.cpp.in).
template <class ExecutionSpace, class Form>
std::unique_ptr<Assembler<ExecutionSpace>> make_assembler(const Form& form,
                                                          const fe::DofMap<typename ExecutionSpace::memory_space>& dofs,
                                                          const AssemblyOptions& options);

} // namespace tessera::assembly

#endif
