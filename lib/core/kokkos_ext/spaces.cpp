// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/spaces.hpp"

#include "core/kokkos_ext/host/concurrency.hpp"
#include "core/kokkos_ext/host/one_thread.hpp"

#include <fstream>

namespace tessera {

namespace {

/// Name of the processor as reported by Linux, or "host".
std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    const std::size_t colon = line.find(": ");
    if (line.compare(0, 10, "model name") == 0 && colon != std::string::npos)
      return line.substr(colon + 2);
  }
  return "host";
}

template <class ExecutionSpace> struct DeviceName {
  static std::string get(const ExecutionSpace& exec) {
    if (!is_host_space<ExecutionSpace>)
      return ExecutionSpace::name();
    const int n_threads = concurrency(exec);
    return processor_name() + ", " + std::to_string(n_threads) + (n_threads == 1 ? " thread" : " threads");
  }
};

#if defined(KOKKOS_ENABLE_CUDA)
template <> struct DeviceName<CudaSpace> {
  static std::string get(const CudaSpace& exec) { return exec.cuda_device_prop().name; }
};
#endif

#if defined(KOKKOS_ENABLE_HIP)
template <> struct DeviceName<HipSpace> {
  static std::string get(const HipSpace& exec) { return exec.hip_device_prop().name; }
};
#endif

} // namespace

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
#if !defined(TESSERA_HAS_SERIAL_SPACE)
  names.emplace_back(serial_backend);
#endif
#define TESSERA_ADD_NAME(Space) names.emplace_back(BackendName<Space>::value);
  TESSERA_FOR_EACH_SPACE(TESSERA_ADD_NAME)
#undef TESSERA_ADD_NAME
  return names;
}

std::string kokkos_version() {
  return std::to_string(KOKKOS_VERSION / 10000) + '.' + std::to_string(KOKKOS_VERSION / 100 % 100) + '.' +
         std::to_string(KOKKOS_VERSION % 100);
}

template <class ExecutionSpace> std::string device_name(const ExecutionSpace& exec) {
  return DeviceName<ExecutionSpace>::get(exec);
}

#define TESSERA_INSTANTIATE(Space) template std::string device_name(const Space&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera
