// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_EVALUATION_SYSTEM_FILES_HPP
#define TESSERA_DRIVER_EVALUATION_SYSTEM_FILES_HPP

#include "io/input/case.hpp"
#include "io/output/output_directory.hpp"
#include "linalg/blocks/block_crs_matrix.hpp"
#include "linalg/crs/crs_matrix.hpp"

namespace tessera::driver {

/// Writes an assembled system to output.matrix and the right-hand side to the file next to it (io/output/
/// matrix_market.hpp); of symmetric matrices the lower triangle.
template <class ExecutionSpace>
void write_system(const ExecutionSpace& exec, const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& matrix,
                  bool is_symmetric, const linalg::ConstVector<ExecutionSpace>& rhs, const io::Case& input,
                  const io::OutputDirectory& output);
/// The same with the scalar rows of a block matrix.
template <class ExecutionSpace>
void write_system(const ExecutionSpace& exec,
                  const linalg::BlockCrsMatrix<typename ExecutionSpace::memory_space>& matrix, bool is_symmetric,
                  const linalg::ConstVector<ExecutionSpace>& rhs, const io::Case& input,
                  const io::OutputDirectory& output);

/// Writes K + j omega M, which is symmetric, and a complex right-hand side; `m`: the values of M on the pattern of K.
template <class ExecutionSpace>
void write_system(const ExecutionSpace& exec, const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& k,
                  const linalg::ConstVector<ExecutionSpace>& m, double omega,
                  const linalg::ConstVector<ExecutionSpace>& rhs_re, const linalg::ConstVector<ExecutionSpace>& rhs_im,
                  const io::Case& input, const io::OutputDirectory& output);

} // namespace tessera::driver

#endif
