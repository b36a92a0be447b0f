// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ROWS_ROW_SIZES_HPP
#define TESSERA_ASSEMBLY_ROWS_ROW_SIZES_HPP

/// \file
/// Sizes of loops over rows, by the number of nodes of an element (3, 6: triangles; 4, 10: tetrahedra).

#include "linalg/pattern/column_cache.hpp"

namespace tessera::assembly {

/// Number of columns that a row rarely exceeds; longer rows are built in several windows.
template <int NNodes> constexpr int row_capacity = NNodes == 3 ? 16 : (NNodes == 6 || NNodes == 4 ? 32 : 96);

/// Accumulator in which the threads of a team build the columns of a row. Rows rarely exceed the capacity: structured
/// meshes have 7 (triangles), 15 (tetrahedra), 19 and 65 (order 2) columns.
template <int NNodes>
using team_accumulator_t = std::conditional_t<NNodes == 10, linalg::ScratchAccumulator<72>,
                                              linalg::RegisterAccumulator<NNodes == 3 ? 12 : 24>>;

/// Rows, and threads, of a team on a device: fewer if rows are long.
template <int NNodes> constexpr int rows_per_team = NNodes == 10 ? 32 : 64;

/// Rows that a loop's body processes at a time: on hosts one, by a single thread.
template <class Loop> constexpr int rows_at_a_time = Loop::on_host ? 1 : rows_per_team<Loop::n_nodes>;

} // namespace tessera::assembly

#endif
