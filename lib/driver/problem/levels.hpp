// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_LEVELS_HPP
#define TESSERA_DRIVER_PROBLEM_LEVELS_HPP

#include "assembly/assembler.hpp"
#include "driver/problem/problem_data.hpp"
#include "fe/transfer/prolongation.hpp"
#include "linalg/nested_unknowns.hpp"

#include <memory>
#include <vector>

namespace tessera::driver {

/// Coarser levels of a problem, for multigrid.
template <class ExecutionSpace> class Levels : public virtual ProblemData<ExecutionSpace> {
public:
  using typename ProblemData<ExecutionSpace>::Space;
  using Coarser = fe::CoarserUnknowns<ExecutionSpace>;

  /// The next coarser level, if there is any. `shares`: distribution of the unknowns over several processes
  /// (fe::make_coarser_unknowns, or that of a part).
  virtual Coarser coarser_unknowns(const ExecutionSpace& exec, const comm::Shares<ExecutionSpace>& shares = {},
                                   bool with_interpolation = true) const = 0;
  /// Interpolations from the unknowns of coarser meshes, finest first, to the first level with at most `few` unknowns;
  /// none without coarser meshes. `from`, for the whole mesh: those below coarser_unknowns(), down to the last.
  /// `coarser` is set to coarser_unknowns() of one process, without an interpolation.
  virtual std::vector<linalg::Prolongation<Space>> prolongations(const ExecutionSpace& exec,
                                                                 const Coarser* from = nullptr, index_t few = 0,
                                                                 Coarser* coarser = nullptr) const = 0;
  /// The same levels with several processes, which have the whole mesh or a part each: the data of this process's owned
  /// unknowns (fe/transfer/nested_unknowns.hpp). Collective.
  virtual linalg::NestedUnknowns<Space> nested_unknowns(const ExecutionSpace& exec,
                                                        const comm::Shares<ExecutionSpace>& shares,
                                                        const Coarser* from = nullptr) const = 0;
  /// Assembler of the Galerkin matrix of that level, from its own elements if these give that matrix
  /// (physics::coarser_diffusion), else from the elements of this problem (assembly::make_coarser_assembler); with
  /// `owned_only` null instead of the latter. With `part` that of the level's owned rows, whose part it sets;
  /// collective with parts of a mesh.
  virtual std::unique_ptr<assembly::Assembler<ExecutionSpace>>
  make_coarser_assembler(const ExecutionSpace& exec, const Coarser& coarser, bool owned_only = false,
                         fe::DofPart<Space>* part = nullptr) const = 0;
  /// Upper bound of the eigenvalues of D^-1 A, where D is the diagonal of A: with several processes the maximum of
  /// their results, each for one of `n_pieces` pieces of the elements, or for the owned ones of its part of a mesh.
  virtual double bound_eigenvalues(const ExecutionSpace& exec, int piece = 0, int n_pieces = 1) const = 0;
};

} // namespace tessera::driver

#endif
