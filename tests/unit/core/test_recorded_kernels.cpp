// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/device/kernel_times.hpp"
#include "core/kokkos_ext/device/recorded_kernels.hpp"
#include "core/parallel.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace tessera;

namespace {

struct AddTo {
  const int* from;
  int* to;
  KOKKOS_FUNCTION void operator()(index_t) const { *to += *from; }
};

} // namespace

TEMPLATE_LIST_TEST_CASE("Recorded kernels run in their order each time, on what their arrays hold then",
                        "[core][device]", test::ExecutionSpaces) {
  const TestType exec;
  const auto a = make_filled<Array<int*, TestType>>(exec, "test", 1, 1);
  const auto b = make_filled<Array<int*, TestType>>(exec, "test", 1, 1);
  RecordedKernels<TestType> kernels;
  int n_calls = 0;
  const auto work = [&](const TestType& queue) {
    ++n_calls;
    for_each("tessera::test::add", queue, 1, AddTo{a.data(), b.data()});
    for_each("tessera::test::add", queue, 1, AddTo{b.data(), a.data()});
  };
  int x = 1;
  int y = 1;
  for (int run = 0; run < 6; ++run) {
    if (run == 4) {
      fill(exec, a, 5);
      x = 5;
    }
    y += x;
    x += y;
    kernels.run(exec, work);
    REQUIRE(read_entry(exec, a, 0) == x);
    REQUIRE(read_entry(exec, b, 0) == y);
  }
  // Hosts do not record: all six runs called the function.
  REQUIRE(n_calls == (kernels.is_recorded() ? 2 : 6));
#if defined(TESSERA_CUDA_FORMS)
  REQUIRE(kernels.is_recorded() == std::is_same_v<TestType, CudaSpace>);
#endif
  const KernelTimes times; // listens to each kernel
  kernels.run(exec, work);
  REQUIRE(times.times().at(0).calls == 2);
}
