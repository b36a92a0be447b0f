// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_FE_MODAL_MODAL_AGGLOMERATES_HPP
#define TESSERA_FE_MODAL_MODAL_AGGLOMERATES_HPP

/// \file
/// Discontinuous spaces on agglomerates of elements. Their polynomials are polynomials on each element, so that the
/// spaces are nested (P. F. Antonietti, P. Houston, X. Hu, M. Sarti, M. Verani, Calcolo 54, 2017).

#include "comm/layout.hpp"
#include "fe/modal/modal_space.hpp"
#include "linalg/blocks/block_transfer.hpp"
#include "linalg/crs/crs_matrix.hpp"

namespace tessera::fe {

/// The space on agglomerates, each with the lowest degree and the bounding box of its elements. In time slabs elements
/// must have one step. `children`: the elements of each owned agglomerate, as a pattern whose rows are agglomerates.
/// With several processes each has its owned agglomerates and ghosts; collective.
template <int Dim, class ExecutionSpace>
ModalSpace<Dim, typename ExecutionSpace::memory_space>
agglomerated_space(const ExecutionSpace& exec, const ModalSpace<Dim, typename ExecutionSpace::memory_space>& space,
                   const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& children,
                   const comm::Layout<ExecutionSpace>& agglomerates, const comm::Communicator& world = comm::alone());

/// The same space on the owned elements, which start at `first_owned` in the given space, followed by ghosts, whose
/// boxes and degrees their owners send. Collective.
template <int Dim, class ExecutionSpace>
ModalSpace<Dim, typename ExecutionSpace::memory_space>
space_with_ghosts(const ExecutionSpace& exec, const ModalSpace<Dim, typename ExecutionSpace::memory_space>& space,
                  index_t first_owned, const comm::Layout<ExecutionSpace>& elements, const comm::Communicator& world);

/// The space on the elements of all processes, of which r owns [offsets[r], offsets[r + 1]), from the space on the
/// owned ones. Collective.
template <int Dim, class ExecutionSpace>
ModalSpace<Dim, typename ExecutionSpace::memory_space>
gathered_space(const ExecutionSpace& exec, const ModalSpace<Dim, typename ExecutionSpace::memory_space>& space,
               const comm::Shares<ExecutionSpace>& shares);

/// The polynomials of an agglomerated space in the bases of the elements, by the exact expansion of Legendre
/// polynomials of a x + b in Legendre polynomials. `agglomerate_of`: agglomerate of each element, owned ones first.
template <int Dim, class ExecutionSpace>
linalg::BlockTransfer<typename ExecutionSpace::memory_space>
make_modal_transfer(const ExecutionSpace& exec, const ModalSpace<Dim, typename ExecutionSpace::memory_space>& space,
                    const ModalSpace<Dim, typename ExecutionSpace::memory_space>& coarse,
                    const Array<index_t*, ExecutionSpace>& agglomerate_of, index_t n_owned,
                    const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& children);

} // namespace tessera::fe

#endif
