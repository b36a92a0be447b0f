// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_KERNELS_GAUSS_SEIDEL_HPP
#define TESSERA_CORE_KOKKOS_EXT_KERNELS_GAUSS_SEIDEL_HPP

/// \file
/// Symmetric Gauss-Seidel of Kokkos Kernels; includes its headers in one .cpp file only.

#include "core/types.hpp"

#include <memory>

namespace tessera {

/// One forward and one backward sweep from zero, all rows of a colour at once: M^-1 is symmetric positive definite if
/// the matrix is. Runs on the space's default instance; each call waits for it and for `exec`.
///
/// The order of rows follows from a colouring that Kokkos Kernels computes with speculation: with several threads it,
/// and so the result, may differ from run to run.
template <class ExecutionSpace> class KernelsGaussSeidel {
public:
  /// Shares the arrays of a square CRS matrix with a symmetric pattern, columns ascending. Set-up is complete on
  /// return.
  KernelsGaussSeidel(const ExecutionSpace& exec, const Array<const offset_t*, ExecutionSpace>& offsets,
                     const Array<const index_t*, ExecutionSpace>& columns,
                     const Array<const double*, ExecutionSpace>& values);
  KernelsGaussSeidel(const KernelsGaussSeidel&) = delete;
  KernelsGaussSeidel& operator=(const KernelsGaussSeidel&) = delete;
  ~KernelsGaussSeidel();

  /// z = M^-1 r.
  void apply(const ExecutionSpace& exec, const Array<const double*, ExecutionSpace>& r,
             const Array<double*, ExecutionSpace>& z);

private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

} // namespace tessera

#endif
