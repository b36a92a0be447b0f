// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_DEVICE_GRAPH_COLOR_HPP
#define TESSERA_CORE_KOKKOS_EXT_DEVICE_GRAPH_COLOR_HPP

/// \file
/// Graph colouring of Kokkos Kernels; its headers are included in one .cpp file only.

#include "core/parallel.hpp"

namespace tessera {

/// Colours the vertices of a symmetric graph in compressed rows so that neighbours differ; colors[v] counts from 1.
/// Kokkos Kernels runs on the space's default instance: the call waits for `exec` first and is complete on return. With
/// several threads the colours may differ from run to run.
template <class ExecutionSpace>
void color_graph(const ExecutionSpace& exec, const Array<offset_t*, ExecutionSpace>& offsets,
                 const Array<index_t*, ExecutionSpace>& neighbors, const Array<index_t*, ExecutionSpace>& colors);

} // namespace tessera

#endif
