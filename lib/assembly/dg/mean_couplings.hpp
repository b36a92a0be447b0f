// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_MEAN_COUPLINGS_HPP
#define TESSERA_ASSEMBLY_DG_MEAN_COUPLINGS_HPP

#include "fe/modal_space.hpp"
#include "linalg/block_crs_matrix.hpp"
#include "linalg/crs_matrix.hpp"

namespace tessera::assembly::dg {

/// Makes a matrix of the elements' constants for preconditioners, [n_elements]^2, from a symmetric matrix of blocks in
/// a space without polynomials in time: symmetric, off the diagonal not positive, its rows not negative in sum.
///
/// The constants' own entries (P^T A P) hold the penalty, which is many times stiffer than diffusion: smooth functions,
/// whose jumps vanish, have small energies only with their higher polynomials. So neighbours i and j are coupled by the
/// flux between them instead, as by finite volumes: with the centres c of their bounding boxes, d = c_j - c_i, and the
/// outward normal n of i, by (int A n) . d / |d|^2. The integral over their interface is that of the symmetric interior
/// penalty form (theory.md, discontinuous elements): with a_ij(v, w) its term of v in j and w in i,
///   int A n = a_ij(1, x - c_i) - a_ij(x - c_j, 1) + a_ij(1, 1) (c_i - c_j).
/// Sums of rows (of Dirichlet and Robin conditions and of reaction) are those of P^T A P.
template <class ExecutionSpace, int Dim>
linalg::CrsMatrix<typename ExecutionSpace::memory_space>
mean_couplings(const ExecutionSpace& exec, const linalg::BlockCrsMatrix<typename ExecutionSpace::memory_space>& a,
               const fe::ModalSpace<Dim, typename ExecutionSpace::memory_space>& space);

} // namespace tessera::assembly::dg

#endif
