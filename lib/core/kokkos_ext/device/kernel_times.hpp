// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_DEVICE_KERNEL_TIMES_HPP
#define TESSERA_CORE_KOKKOS_EXT_DEVICE_KERNEL_TIMES_HPP

/// \file
/// Times of individual kernels, through the hooks of Kokkos Tools.

#include <string>
#include <vector>

namespace tessera {

struct KernelTime {
  std::string label;
  double seconds = 0.; ///< sum of all calls
  int calls = 0;
  int registers = 0; ///< of 32 bits, of a thread; 0: not known, as for kernels that Kokkos launches
  double occupancy =
      0.; ///< threads that fit on a multiprocessor by their registers, as a share of its most; 0: not known
};

/// Measures each parallel_for, parallel_reduce and parallel_scan of this process while it exists, by waiting for the
/// device before and after, so that kernels do not overlap. Loaded tools are not called meanwhile. At most one exists
/// at a time.
class KernelTimes {
public:
  KernelTimes();
  KernelTimes(const KernelTimes&) = delete;
  KernelTimes& operator=(const KernelTimes&) = delete;
  ~KernelTimes();

  /// By label, in the order of their first calls.
  std::vector<KernelTime> times() const;
};

namespace detail {
/// Whether KernelTimes, or a loaded tool, is called at kernels. Kokkos' profileLibraryLoaded() is also true if only
/// allocations are observed, as core/memory.hpp does in every run.
bool listens_to_kernels();
/// Adds the resources of the kernel that ended last to its times, if they are measured.
void note_kernel_resources(int registers, double occupancy);
} // namespace detail

} // namespace tessera

#endif
