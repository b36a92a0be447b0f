// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_COARSER_STORED_ROWS_HPP
#define TESSERA_ASSEMBLY_COARSER_STORED_ROWS_HPP

/// \file
/// Rows of the coarser level from its element matrices, which any form can compute: compiled once for all forms.

#include "assembly/coarser/coarser_system.hpp"

#include <functional>

namespace tessera::assembly {

/// Packed lower triangles of the matrices of elements of order 1, row by row.
template <int Dim, class MemorySpace> using PackedMatrices = Array<double * [(Dim + 1) * (Dim + 2) / 2], MemorySpace>;

/// Computes the matrices of all elements of the coarser level.
template <class ExecutionSpace, int Dim>
using ComputeMatrices =
    std::function<void(const ExecutionSpace&, const PackedMatrices<Dim, typename ExecutionSpace::memory_space>&)>;

/// Makes the assembler by rows of symmetric element matrices with zero loads. It computes the matrices in each
/// numeric() and load(), and frees them afterwards.
template <class ExecutionSpace, int Dim>
std::unique_ptr<Assembler<ExecutionSpace>>
make_stored_rows(const CoarserLevel<Dim, typename ExecutionSpace::memory_space>& level,
                 ComputeMatrices<ExecutionSpace, Dim> compute);

} // namespace tessera::assembly

#endif
