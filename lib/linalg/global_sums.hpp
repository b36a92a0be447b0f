// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_GLOBAL_SUMS_HPP
#define TESSERA_LINALG_GLOBAL_SUMS_HPP

/// \file
/// Completes local sums over unknowns or elements to global sums.

#include "linalg/distributed/shared_sums.hpp"

#include <type_traits>

namespace tessera::linalg {

/// Turns sums over the unknowns or elements of this device into global sums. The base class is for one device, where
/// they are equal.
template <class ExecutionSpace> class GlobalSums {
public:
  virtual ~GlobalSums() = default;

  /// Whether complete() does anything. Sums that need no completion may be used by the kernel that makes them.
  virtual bool is_distributed() const { return false; }

  /// Replaces the `n` local sums at `sums`, in the space's memory, by global ones. Does not wait.
  virtual void complete(const ExecutionSpace&, double* sums, int n) const {
    static_cast<void>(sums);
    static_cast<void>(n);
  }

  /// Memory of sums that have the bits of a single device, whatever the number of devices; null: complete() adds the
  /// devices' sums.
  virtual const SharedSums<ExecutionSpace>* shared() const { return nullptr; }
  /// Completes the values of all devices in that memory, for `n` sums. Does not wait.
  virtual void gather(const ExecutionSpace&, int n) const { static_cast<void>(n); }

  /// The largest of the devices' local values.
  virtual double largest(double local) const { return local; }

  /// The sums of one device.
  static const GlobalSums& local() {
    static const GlobalSums instance{};
    return instance;
  }
};

namespace detail {

template <class Finish> struct FinishSums {
  Finish finish;
  KOKKOS_FUNCTION void operator()(int) const { finish(); }
};

} // namespace detail

/// ordered_sums() (core/algorithms/reduce.hpp) over the unknowns of all devices: `finish()` sees the global sums. On
/// one device it is called by the kernel that makes them, otherwise by a separate kernel after GlobalSums::complete().
template <int N, SumKernels Kernels = SumKernels::fastest, class ExecutionSpace, class Functor,
          class Finish = tessera::detail::NoFinish>
void global_sums(const char* label, const ExecutionSpace& exec, std::int64_t n, const Functor& functor,
                 const ReduceWorkspace<ExecutionSpace>& workspace, double* result,
                 const GlobalSums<ExecutionSpace>& sums, const Finish& finish = Finish()) {
  if (!sums.is_distributed())
    return ordered_sums<N, Kernels>(label, exec, n, functor, workspace, result, finish);
  if (const SharedSums<ExecutionSpace>* shared = sums.shared())
    return shared_sums<N, Kernels>(
        label, exec, functor, *shared, [&](int n_sums) { sums.gather(exec, n_sums); }, result, finish);
  ordered_sums<N, Kernels>(label, exec, n, functor, workspace, result);
  sums.complete(exec, result, N);
  if constexpr (!std::is_same<Finish, tessera::detail::NoFinish>::value)
    for_each("tessera::linalg::finish_sums", exec, 1, detail::FinishSums<Finish>{finish});
}

/// Returns a global sum to the host; allocates its own workspace: for set-up and evaluation, not for loops.
template <class ExecutionSpace, class Functor>
double global_sum(const char* label, const ExecutionSpace& exec, std::int64_t n, const Functor& functor,
                  const GlobalSums<ExecutionSpace>& sums = GlobalSums<ExecutionSpace>::local()) {
  const ReduceWorkspace<ExecutionSpace> workspace(exec, n, 1);
  const auto result = make_array<Array<double*, ExecutionSpace>>(exec, "linalg::global_sum", 1);
  global_sums<1, SumKernels::few>(label, exec, n, functor, workspace, result.data(), sums);
  return read_entry(exec, result, 0);
}

} // namespace tessera::linalg

#endif
