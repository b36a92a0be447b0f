// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_FE_MODAL_AGGLOMERATES_HPP
#define TESSERA_FE_MODAL_AGGLOMERATES_HPP

/// \file
/// Discontinuous spaces on agglomerates of elements. Their polynomials are polynomials on each element, so that the
/// spaces are nested (P. F. Antonietti, P. Houston, X. Hu, M. Sarti, M. Verani, Calcolo 54, 2017).

#include "fe/modal_space.hpp"
#include "linalg/block_transfer.hpp"

namespace tessera::fe {

/// The space on the agglomerates that elements belong to, [n_elements] with numbers in [0, n_agglomerates), each of the
/// lowest degree of its elements. In time slabs elements must have one step. The boxes are those around the elements'.
template <int Dim, class ExecutionSpace>
ModalSpace<Dim, typename ExecutionSpace::memory_space>
agglomerated_space(const ExecutionSpace& exec, const ModalSpace<Dim, typename ExecutionSpace::memory_space>& space,
                   const Array<index_t*, ExecutionSpace>& agglomerate_of, index_t n_agglomerates);

/// The polynomials of such a space in the bases of the elements, by the expansion of a Legendre polynomial of a x + b
/// in Legendre polynomials: exact.
template <int Dim, class ExecutionSpace>
linalg::BlockTransfer<typename ExecutionSpace::memory_space>
make_modal_transfer(const ExecutionSpace& exec, const ModalSpace<Dim, typename ExecutionSpace::memory_space>& space,
                    const ModalSpace<Dim, typename ExecutionSpace::memory_space>& coarse,
                    const Array<index_t*, ExecutionSpace>& agglomerate_of);

} // namespace tessera::fe

#endif
