// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_RECORDED_KERNELS_HPP
#define TESSERA_CORE_KOKKOS_EXT_RECORDED_KERNELS_HPP

#include "core/kokkos_ext/spaces.hpp"

#include <functional>

namespace tessera {

/// A sequence of kernels that runs many times with the same arguments. Where the vendor has graphs (CUDA) the second
/// run records it, and from then on it is one launch: short kernels follow each other without the host. Elsewhere, and
/// while a tool listens to kernels, each run calls the function. Not copyable.
template <class ExecutionSpace> class RecordedKernels {
public:
  /// Queues kernels on the instance that it is given; allocates nothing and does not wait.
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
  void* graph_ = nullptr; ///< the vendor's
};

} // namespace tessera

#endif
