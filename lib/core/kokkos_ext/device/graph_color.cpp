// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/device/graph_color.hpp"

#include "core/kokkos_ext/host/concurrency.hpp"

#include <KokkosGraph_Distance1Color.hpp>
#include <KokkosKernels_Handle.hpp>

#include <algorithm>

namespace tessera {

template <class ExecutionSpace>
void color_graph(const ExecutionSpace& exec, const Array<offset_t*, ExecutionSpace>& offsets,
                 const Array<index_t*, ExecutionSpace>& neighbors, const Array<index_t*, ExecutionSpace>& colors) {
  using Space = typename ExecutionSpace::memory_space;
  using Handle =
      KokkosKernels::Experimental::KokkosKernelsHandle<offset_t, index_t, double, ExecutionSpace, Space, Space>;
  using HandleColors = typename Handle::GraphColoringHandleType::color_view_t;
  // The default of Kokkos Kernels on GPUs, edge-based colouring, is much slower than vertex-based colouring
  // (docs/notebook/colouring.md). The serial algorithm assigns the smallest free colour vertex by vertex: the same
  // colours in every run.
  const KokkosGraph::ColoringAlgorithm algorithm =
      is_host_space<ExecutionSpace> && concurrency(exec) == 1 ? KokkosGraph::COLORING_SERIAL : KokkosGraph::COLORING_VB;
  const index_t n = static_cast<index_t>(colors.extent(0));
  if (n == 0)
    return;
  // Vertices that still conflict after 200 rounds, as at a node of hundreds of elements, are coloured on the host with
  // a table of one entry for each vertex, which Kokkos Kernels 4.5 indexes by colours from 1 on and does not
  // initialize: where all vertices are neighbours it writes past its end. Vertices without neighbours make room.
  const index_t n_padded = n + std::min<index_t>(n, 1024);
  Kokkos::View<offset_t*, typename HandleColors::array_layout, Space> rows(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "graph::padded_offsets"), n_padded + 1);
  Kokkos::deep_copy(exec, Kokkos::subview(rows, Kokkos::pair<index_t, index_t>(0, n + 1)), offsets);
  Kokkos::deep_copy(exec, Kokkos::subview(rows, Kokkos::pair<index_t, index_t>(n + 1, n_padded + 1)),
                    static_cast<offset_t>(neighbors.extent(0)));
  exec.fence();
  Handle handle;
  handle.create_graph_coloring_handle(algorithm);
  Kokkos::View<const index_t*, typename HandleColors::array_layout, Space> entries(neighbors.data(),
                                                                                   neighbors.extent(0));
  KokkosGraph::Experimental::graph_color(&handle, n_padded, n_padded, rows, entries);
  ExecutionSpace().fence();
  const HandleColors result = handle.get_graph_coloring_handle()->get_vertex_colors();
  Kokkos::deep_copy(exec, colors, Kokkos::subview(result, Kokkos::pair<index_t, index_t>(0, n)));
  exec.fence();
  handle.destroy_graph_coloring_handle();
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template void color_graph<Space>(const Space&, const Array<offset_t*, Space>&, const Array<index_t*, Space>&,        \
                                   const Array<index_t*, Space>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera
