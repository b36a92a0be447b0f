// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_DEVICE_RECORDED_KERNELS_HPP
#define TESSERA_CORE_KOKKOS_EXT_DEVICE_RECORDED_KERNELS_HPP

#include "core/kokkos_ext/spaces.hpp"

#include <functional>

namespace tessera {

/// A sequence of kernels that runs many times with the same arguments. If the vendor has graphs (CUDA), the second run
/// records the sequence, which is one launch from then on: short kernels follow each other without the host. Otherwise,
/// and while a tool listens to kernels, each run calls the function. Not copyable.
template <class ExecutionSpace> class RecordedKernels {
public:
  /// Queues kernels on the given instance; must neither allocate nor wait.
  using Work = std::function<void(const ExecutionSpace&)>;

  RecordedKernels() = default;
  ~RecordedKernels();
  RecordedKernels(const RecordedKernels&) = delete;
  RecordedKernels& operator=(const RecordedKernels&) = delete;

  /// Runs the kernels in the queue of `exec`. `work` must be the same each time. Does not wait.
  void run(const ExecutionSpace& exec, const Work& work);

  bool is_recorded() const { return graph_ != nullptr; }

private:
  bool has_run_ = false;
  void* graph_ = nullptr; ///< the vendor's graph
};

} // namespace tessera

#endif
