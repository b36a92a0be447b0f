// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_COMPARE_RUN_ARRAYS_HPP
#define TESSERA_DRIVER_COMPARE_RUN_ARRAYS_HPP

/// \file
/// Common parts of the runs of a comparison: the vector of the product, and arrays on the host.

#include "core/parallel.hpp"
#include "linalg/operator.hpp"

#include <vector>

namespace tessera::driver {

/// A pseudo-random vector, the same on every backend.
template <class Space> struct FillTestVector {
  Array<double*, Space> x;
  double size = 1.;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const std::uint32_t hash = static_cast<std::uint32_t>(i) * 2654435761u;
    x(i) = size * (static_cast<double>(hash >> 8) / 16777216. - 0.5);
  }
};

template <class ExecutionSpace> linalg::Vector<ExecutionSpace> make_test_vector(const ExecutionSpace& exec, index_t n) {
  const auto x = make_array<linalg::Vector<ExecutionSpace>>(exec, "driver::test_vector", n);
  for_each("tessera::driver::fill_test_vector", exec, n, FillTestVector<typename ExecutionSpace::memory_space>{x});
  return x;
}

template <class ExecutionSpace, class ArrayType>
std::vector<typename ArrayType::non_const_value_type> to_vector(const ExecutionSpace& exec, const ArrayType& array) {
  const auto host = tessera::to_host(exec, array);
  return {host.data(), host.data() + host.extent(0)};
}

} // namespace tessera::driver

#endif
