// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PYTHON_ARRAYS_HPP
#define TESSERA_PYTHON_ARRAYS_HPP

/// \file
/// Arrays of the caller for kernels, and arrays of the library for the caller.

#include "convert.hpp"
#include "core/parallel.hpp"

#include <nanobind/ndarray.h>

#include <memory>
#include <utility>
#include <vector>

namespace tessera::python {

template <class T, int Rank> using HostArray = nb::ndarray<const T, nb::ndim<Rank>, nb::c_contig, nb::device::cpu>;
/// Numbers of the caller in the memory of the host or of a GPU.
template <class T> using Given = nb::ndarray<const T, nb::c_contig>;

template <class Numbers> auto vector_of(const Numbers& array) {
  return std::vector<std::remove_const_t<typename Numbers::Scalar>>(array.data(), array.data() + array.size());
}

#if defined(KOKKOS_ENABLE_HIP)
using GpuOfBuild = nb::device::rocm;
#else
using GpuOfBuild = nb::device::cuda;
#endif

inline bool is_on_host(int device_type) { return device_type == nb::device::cpu::value; }

template <class ExecutionSpace>
constexpr bool runs_on_host = Kokkos::SpaceAccessibility<HostMemory, typename ExecutionSpace::memory_space>::accessible;

/// The given numbers where kernels of the backend read them: the caller's memory, or a copy on the device.
template <class ExecutionSpace, class T>
Array<T*, ExecutionSpace> on_backend(const ExecutionSpace& exec, const char* name, const Given<T>& given) {
  using Host = Kokkos::View<const T*, HostMemory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  TESSERA_REQUIRE(given.size() == 0 || given.data() != nullptr, name << ": the array has no memory any more.");
  TESSERA_REQUIRE(is_on_host(given.device_type()) || given.device_type() == GpuOfBuild::value,
                  name << ": the array is on a device of another kind (type " << given.device_type() << " of DLPack).");
  if (is_on_host(given.device_type()) == runs_on_host<ExecutionSpace>) {
    TESSERA_REQUIRE(runs_on_host<ExecutionSpace> || given.device_id() == Kokkos::device_id(),
                    name << ": the array is on GPU " << given.device_id() << ", but the backend works on GPU "
                         << Kokkos::device_id() << '.');
    return Array<T*, ExecutionSpace>(const_cast<T*>(given.data()), given.size());
  }
  TESSERA_REQUIRE(!runs_on_host<ExecutionSpace>, name << ": the array is on a GPU, but the backend is of the host.");
  const auto copied = make_array<Array<T*, ExecutionSpace>>(exec, "python::given", given.size());
  copy(exec, copied, Host(given.data(), given.size()));
  exec.fence(); // the caller may change the array
  return copied;
}

/// An array of numpy on an array of a host, without a copy; of a device an object with DLPack's protocol, which gives
/// any number of libraries the same memory. Without `shape` it has one index; `strides` in entries, empty: row-major.
template <class View>
nb::object shared_array(const View& view, std::vector<std::size_t> shape = {},
                        const std::vector<std::int64_t>& strides = {}) {
  using T = typename View::non_const_value_type;
  constexpr bool on_host = Kokkos::SpaceAccessibility<HostMemory, typename View::memory_space>::accessible;
  auto kept = std::make_unique<View>(view);
  const nb::capsule capsule(kept.get(), [](void* p) noexcept { DeleteUnlessEnding()(static_cast<View*>(p)); });
  static_cast<void>(kept.release());
  if (shape.empty())
    shape = {view.extent(0)};
  const std::int64_t* const steps = strides.empty() ? nullptr : strides.data();
  T* const data = const_cast<T*>(view.data());
  if constexpr (on_host)
    return nb::cast(nb::ndarray<nb::numpy, T>(data, shape.size(), shape.data(), capsule, steps));
  else
    return nb::cast(nb::ndarray<nb::array_api, T>(data, shape.size(), shape.data(), capsule, steps, nb::dtype<T>(),
                                                  GpuOfBuild::value, Kokkos::device_id()));
}

/// Values for the caller: on the device, or on the host.
template <class ExecutionSpace>
nb::object values_for(const ExecutionSpace& exec, const Array<double*, ExecutionSpace>& values, bool on_device) {
  exec.fence();
  require_interpreter();
  const nb::gil_scoped_acquire lock;
  return on_device ? shared_array(values) : shared_array(to_host(exec, values));
}

} // namespace tessera::python

#endif
