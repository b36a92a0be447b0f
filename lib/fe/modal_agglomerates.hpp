// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_FE_MODAL_AGGLOMERATES_HPP
#define TESSERA_FE_MODAL_AGGLOMERATES_HPP

/// \file
/// Discontinuous spaces on agglomerates of elements. Their polynomials are polynomials on each element, so that the
/// spaces are nested (P. F. Antonietti, P. Houston, X. Hu, M. Sarti, M. Verani, Calcolo 54, 2017).

#include "fe/modal_space.hpp"
#include "linalg/block_transfer.hpp"
#include "linalg/own_and_ghosts.hpp"

namespace tessera::fe {

/// The space on agglomerates, each of the lowest degree of its elements, with the boxes around these. In time slabs
/// elements must have one step. `children`: the elements of each own agglomerate, in the pattern of its rows. Of
/// several processes each has its own agglomerates and ghosts; collective.
template <int Dim, class ExecutionSpace>
ModalSpace<Dim, typename ExecutionSpace::memory_space>
agglomerated_space(const ExecutionSpace& exec, const ModalSpace<Dim, typename ExecutionSpace::memory_space>& space,
                   const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& children,
                   const linalg::OwnAndGhosts<ExecutionSpace>& agglomerates,
                   const comm::Communicator& world = comm::alone());

/// The same space on own elements, from `first_own` on in the given one, and behind them ghosts, whose boxes and
/// degrees their owners tell. Collective.
template <int Dim, class ExecutionSpace>
ModalSpace<Dim, typename ExecutionSpace::memory_space>
space_with_ghosts(const ExecutionSpace& exec, const ModalSpace<Dim, typename ExecutionSpace::memory_space>& space,
                  index_t first_own, const linalg::OwnAndGhosts<ExecutionSpace>& elements,
                  const comm::Communicator& world);

/// The space on the elements of all processes, which have [offsets[r], offsets[r + 1]), from that on own ones.
/// Collective.
template <int Dim, class ExecutionSpace>
ModalSpace<Dim, typename ExecutionSpace::memory_space>
gathered_space(const ExecutionSpace& exec, const ModalSpace<Dim, typename ExecutionSpace::memory_space>& space,
               const linalg::Shares<ExecutionSpace>& shares);

/// The polynomials of an agglomerated space in the bases of the elements, by the expansion of a Legendre polynomial of
/// a x + b in Legendre polynomials: exact. `agglomerate_of`: of each element, own ones first.
template <int Dim, class ExecutionSpace>
linalg::BlockTransfer<typename ExecutionSpace::memory_space>
make_modal_transfer(const ExecutionSpace& exec, const ModalSpace<Dim, typename ExecutionSpace::memory_space>& space,
                    const ModalSpace<Dim, typename ExecutionSpace::memory_space>& coarse,
                    const Array<index_t*, ExecutionSpace>& agglomerate_of, index_t n_own,
                    const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& children);

} // namespace tessera::fe

#endif
