// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_FE_TRANSFER_PROLONGATION_HPP
#define TESSERA_FE_TRANSFER_PROLONGATION_HPP

/// \file
/// Interpolation between the unknowns of nested meshes, for geometric multigrid.

#include "fe/dofs/ghost_numbers.hpp"
#include "fe/transfer/mean_interpolation.hpp"
#include "linalg/prolongation.hpp"

#include <memory>
#include <vector>

namespace tessera::fe {

/// The next coarser level of a space, for multigrid with a matrix-free finest level.
template <class ExecutionSpace> struct CoarserUnknowns {
  using Space = typename ExecutionSpace::memory_space;
  /// Unknowns of the coarser level: for order 2 those of the mesh's vertices, for order 1 those of the nodes of the
  /// next coarser mesh. Without constraints by node; fixed values and totals are those of a correction, zero.
  DofMap<Space> dofs;
  std::shared_ptr<const MeanInterpolation<ExecutionSpace>> interpolation; ///< null: not requested, or no coarser level
  std::vector<std::int64_t> offsets; ///< process r owns the unknowns [offsets[r], offsets[r + 1])
  OwnedUnknowns owned;               ///< owned range in `dofs`: of all unknowns, or of those of a process's part of the
                                     ///< mesh
  /// In a part of the mesh: global indices of the unknowns before and after the owned ones; -1: in no owned row.
  std::vector<std::int64_t> others;

  /// Whether there is a coarser level with unknowns.
  bool any() const { return !offsets.empty() && offsets.back() > 0; }
  /// Global index of an unknown that is not owned.
  std::int64_t number_of(std::int64_t other) const {
    if (others.empty())
      return other;
    return others[static_cast<std::size_t>(other < owned.first ? other : other - (owned.end - owned.first))];
  }
};

/// Makes the prolongations of all levels below a space, finest first, to the first level of at most `few` unknowns: for
/// order 2 those from order 1 on the same mesh, then those from the coarser meshes stored with the mesh
/// (Mesh::node_parents).
///
/// Functions of order 1 are interpolated linearly: the value at a node is the mean of its parents' values. A coarse
/// node is also a node of the fine level, and has the same unknown: fixed values stay fixed (zero in a correction), and
/// tied unknowns and those of periodic boundaries remain single unknowns, with their signs. Coarse unknowns are in the
/// order of the fine ones, tied ones last.
///
/// If `coarser` is given, it is set to the result of make_coarser_unknowns() for one process without an interpolation.
template <class ExecutionSpace, int Dim, int Order>
std::vector<linalg::Prolongation<typename ExecutionSpace::memory_space>>
make_prolongations(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                   const FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
                   const DofMap<typename ExecutionSpace::memory_space>& dofs, index_t few = 0,
                   CoarserUnknowns<ExecutionSpace>* coarser = nullptr);

/// The first of the levels of make_prolongations(), with the same numbering of unknowns, in a form that takes less
/// memory. With several processes, which own the fine unknowns according to `shares`, each has the whole dof map of the
/// level, and the interpolation of its owned unknowns: a coarse unknown has the owner that it has as a fine one. Then
/// collective. `with_interpolation`: false for the unknowns only.
template <class ExecutionSpace, int Dim, int Order>
CoarserUnknowns<ExecutionSpace>
make_coarser_unknowns(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                      const FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
                      const DofMap<typename ExecutionSpace::memory_space>& dofs,
                      const comm::Shares<ExecutionSpace>& shares = {}, bool with_interpolation = true);

/// The same if each of several processes has only its part of the mesh, with the parents of its nodes for order 1
/// (mesh::MeshPart), and a layer of elements around it. `part`: the unknowns numbered by `dofs`. Collective.
template <class ExecutionSpace, int Dim, int Order>
CoarserUnknowns<ExecutionSpace>
make_coarser_unknowns_of_part(const ExecutionSpace& exec,
                              const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                              const FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
                              const DofMap<typename ExecutionSpace::memory_space>& dofs, const PartUnknowns& part,
                              const comm::Shares<ExecutionSpace>& shares, bool with_interpolation = true);

/// make_prolongations() starting from the level whose unknowns are `coarser`.
template <class ExecutionSpace, int Dim, int Order>
std::vector<linalg::Prolongation<typename ExecutionSpace::memory_space>>
make_prolongations_below(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                         const DofMap<typename ExecutionSpace::memory_space>& coarser);

} // namespace tessera::fe

#endif
