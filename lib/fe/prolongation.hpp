// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_FE_PROLONGATION_HPP
#define TESSERA_FE_PROLONGATION_HPP

/// \file
/// Interpolation between the unknowns of nested meshes, for geometric multigrid.

#include "fe/ghost_numbers.hpp"
#include "fe/mean_interpolation.hpp"
#include "linalg/prolongation.hpp"

#include <memory>
#include <vector>

namespace tessera::fe {

/// The next coarser level of a space, for multigrid without a matrix of the finest level.
template <class ExecutionSpace> struct CoarserUnknowns {
  using Space = typename ExecutionSpace::memory_space;
  /// Unknowns of the coarser level: for order 2 of the mesh's vertices, for order 1 of the nodes of the next coarser
  /// mesh. Without constraints by node; fixed values and totals are those of a correction, zero.
  DofMap<Space> dofs;
  std::shared_ptr<const MeanInterpolation<ExecutionSpace>> interpolation; ///< null: not asked for, or no level
  std::vector<std::int64_t> offsets; ///< process r has the unknowns [offsets[r], offsets[r + 1]) of its own
  OwnUnknowns own;                   ///< in `dofs`: of all unknowns, or of those of a process's part of the mesh
  /// In such a part: numbers among all of the unknowns below and behind the own ones; -1: one that no own row has.
  std::vector<std::int64_t> others;

  /// Whether there is a coarser level with unknowns.
  bool any() const { return !offsets.empty() && offsets.back() > 0; }
  /// Number among all of an unknown that is not own.
  std::int64_t number_of(std::int64_t other) const {
    if (others.empty())
      return other;
    return others[static_cast<std::size_t>(other < own.first ? other : other - (own.end - own.first))];
  }
};

/// Makes the prolongations of all levels below a space, finest first, to the first level of at most `few` unknowns: for
/// order 2 those from order 1 on the same mesh, then those from the coarser meshes that the mesh knows
/// (Mesh::node_parents).
///
/// Functions of order 1 are interpolated linearly: a node takes the mean of its parents' values. A coarse node is a
/// node of the fine level, too, and has that node's unknown: fixed values stay fixed (zero in a correction), tied
/// unknowns and those of periodic boundaries stay one, with their signs. The coarse unknowns are in the order of the
/// fine ones, tied ones last.
///
/// Where `coarser` is given, it gets what make_coarser_unknowns() makes for one process without an interpolation.
template <class ExecutionSpace, int Dim, int Order>
std::vector<linalg::Prolongation<typename ExecutionSpace::memory_space>>
make_prolongations(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                   const FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
                   const DofMap<typename ExecutionSpace::memory_space>& dofs, index_t few = 0,
                   CoarserUnknowns<ExecutionSpace>* coarser = nullptr);

/// The first of the levels of make_prolongations(), with the same numbers of unknowns, in a form that takes less
/// memory. Of several processes, whose fine unknowns `shares` has, each has the whole dof map of the level, and the
/// interpolation of its unknowns: a coarse unknown is its own where it is so as a fine one. Collective then.
/// `with_interpolation`: else the unknowns alone.
template <class ExecutionSpace, int Dim, int Order>
CoarserUnknowns<ExecutionSpace>
make_coarser_unknowns(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                      const FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
                      const DofMap<typename ExecutionSpace::memory_space>& dofs,
                      const linalg::Shares<ExecutionSpace>& shares = {}, bool with_interpolation = true);

/// The same where each of several processes has its part of the mesh alone, with the parents of its nodes for order 1
/// (mesh::MeshPart), and a layer of elements around it. `part`: what `dofs` numbers. Collective.
template <class ExecutionSpace, int Dim, int Order>
CoarserUnknowns<ExecutionSpace>
make_coarser_unknowns_of_part(const ExecutionSpace& exec,
                              const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                              const FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
                              const DofMap<typename ExecutionSpace::memory_space>& dofs, const PartUnknowns& part,
                              const linalg::Shares<ExecutionSpace>& shares, bool with_interpolation = true);

/// make_prolongations() from that level on, whose unknowns are `coarser`.
template <class ExecutionSpace, int Dim, int Order>
std::vector<linalg::Prolongation<typename ExecutionSpace::memory_space>>
make_prolongations_below(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                         const DofMap<typename ExecutionSpace::memory_space>& coarser);

} // namespace tessera::fe

#endif
