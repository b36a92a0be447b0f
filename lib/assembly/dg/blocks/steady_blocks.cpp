// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/blocks/steady_blocks.hpp"

#include "assembly/dg/blocks/steady_interfaces.hpp"
#include "assembly/dg/blocks/steady_rows.hpp"
#include "assembly/dg/form/run_groups.hpp"

#include <type_traits>

namespace tessera::assembly::dg {

namespace {

/// Calls a functor with the number of spatial polynomials, and whether items are numeric, as constants.
template <int Dim, int Degree = 1, class Body> void with_constants(int degree, bool is_numeric, const Body& body) {
  if (degree == Degree) {
    const std::integral_constant<int, fe::modal_size(Dim, Degree)> n_functions;
    is_numeric ? body(n_functions, std::true_type()) : body(n_functions, std::false_type());
  } else if constexpr (Degree < max_steady_degree<Dim>) {
    with_constants<Dim, Degree + 1>(degree, is_numeric, body);
  }
}

/// Launches a kernel for n items with as many threads per group as there are columns.
template <int N, class ExecutionSpace, class Kernel>
void run_steady(const char* label, const ExecutionSpace& exec, index_t n, Kernel& kernel) {
  constexpr int width = N > 16 ? 32 : N > 8 ? 16 : N > 4 ? 8 : 4;
  kernel.find_sizes();
  run_groups<N <= 6 ? 10 : N <= 15 ? 8 : 6>(label, exec, n, width, kernel);
}

} // namespace

template <class ExecutionSpace, int Dim>
void compute_steady_elements(const ExecutionSpace& exec, index_t n, bool is_numeric,
                             const BlockKernel<Dim, ExecutionSpace>& inputs) {
  with_constants<Dim>(inputs.form.space.largest_degree, is_numeric, [&](auto n_functions, auto numeric) {
    constexpr int N = decltype(n_functions)::value;
    SteadyRows<Dim, N, decltype(numeric)::value, ExecutionSpace> kernel{{{{inputs}}}};
    kernel.batch = N > 6 ? 8 : 4;
    run_steady<N>("tessera::assembly::dg::element_rows", exec, n, kernel);
  });
}

template <class ExecutionSpace, int Dim>
void compute_steady_interfaces(const ExecutionSpace& exec, index_t n, bool is_numeric,
                               const BlockKernel<Dim, ExecutionSpace>& inputs) {
  with_constants<Dim>(inputs.form.space.largest_degree, is_numeric, [&](auto n_functions, auto numeric) {
    constexpr int N = decltype(n_functions)::value;
    // The non-numeric kernel would also serve numeric items; on hosts it is compiled for both.
    constexpr bool numeric_alone = decltype(numeric)::value && !is_host_space<ExecutionSpace>;
    SteadyInterfaces<Dim, N, numeric_alone, ExecutionSpace> kernel{{{{inputs}}}};
    run_steady<N>("tessera::assembly::dg::interface_blocks", exec, n, kernel);
  });
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template void compute_steady_elements(const Space&, index_t, bool, const BlockKernel<Dim, Space>&);                  \
  template void compute_steady_interfaces(const Space&, index_t, bool, const BlockKernel<Dim, Space>&);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_DIM(Space, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::assembly::dg
