// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_BLOCKS_STEADY_BLOCKS_IMPL_HPP
#define TESSERA_ASSEMBLY_DG_BLOCKS_STEADY_BLOCKS_IMPL_HPP

/// \file
/// Launches of the steady kernels; included by the files that instantiate them.

#include "assembly/dg/blocks/steady_interfaces.hpp"
#include "assembly/dg/blocks/steady_rows.hpp"
#include "assembly/dg/form/run_groups.hpp"

#include <type_traits>

namespace tessera::assembly::dg {

namespace detail {

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

} // namespace detail

template <class ExecutionSpace, int Dim, class Real>
void compute_steady_elements(const ExecutionSpace& exec, index_t first, index_t n, bool is_numeric,
                             const SteadyBlocks<Dim, typename ExecutionSpace::memory_space, Real>& blocks,
                             const ElementFaces<typename ExecutionSpace::memory_space>& faces,
                             const PointValues<typename ExecutionSpace::memory_space>& points,
                             const ConstArray<const offset_t*, typename ExecutionSpace::memory_space>& diagonal,
                             double* rhs) {
  detail::with_constants<Dim>(blocks.form.space.largest_degree, is_numeric, [&](auto n_functions, auto numeric) {
    constexpr int N = decltype(n_functions)::value;
    SteadyRows<Dim, N, decltype(numeric)::value, ExecutionSpace, Real> kernel{
        {{blocks}, faces, points}, diagonal, rhs, first};
    kernel.batch = N > 6 ? 8 : 4;
    detail::run_steady<N>("tessera::assembly::dg::element_rows", exec, n, kernel);
  });
}

template <class ExecutionSpace, int Dim, class Real>
void compute_steady_interfaces(
    const ExecutionSpace& exec, index_t n, bool is_numeric,
    const SteadyBlocks<Dim, typename ExecutionSpace::memory_space, Real>& blocks,
    const ConstArray<const offset_t* [2], typename ExecutionSpace::memory_space>& interfaces) {
  detail::with_constants<Dim>(blocks.form.space.largest_degree, is_numeric, [&](auto n_functions, auto numeric) {
    constexpr int N = decltype(n_functions)::value;
    // The non-numeric kernel would also serve numeric items; on hosts it is compiled for both.
    constexpr bool numeric_alone = decltype(numeric)::value && !is_host_space<ExecutionSpace>;
    SteadyInterfaces<Dim, N, numeric_alone, ExecutionSpace, Real> kernel{{{blocks}}, interfaces};
    detail::run_steady<N>("tessera::assembly::dg::interface_blocks", exec, n, kernel);
  });
}

#define TESSERA_INSTANTIATE_STEADY_BLOCKS(Space, Dim, Real)                                                            \
  template void compute_steady_elements<Space, Dim, Real>(                                                             \
      const Space&, index_t, index_t, bool, const SteadyBlocks<Dim, Space::memory_space, Real>&,                       \
      const ElementFaces<Space::memory_space>&, const PointValues<Space::memory_space>&,                               \
      const ConstArray<const offset_t*, Space::memory_space>&, double*);                                               \
  template void compute_steady_interfaces<Space, Dim, Real>(                                                           \
      const Space&, index_t, bool, const SteadyBlocks<Dim, Space::memory_space, Real>&,                                \
      const ConstArray<const offset_t* [2], Space::memory_space>&);

} // namespace tessera::assembly::dg

#endif
