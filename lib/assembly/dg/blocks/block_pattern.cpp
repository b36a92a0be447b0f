// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/blocks/block_pattern.hpp"

#include "core/algorithms/scan.hpp"

namespace tessera::assembly::dg {

namespace {

/// Writes a row's first block, its columns, and the value offsets of its blocks or, if blocks differ in size, their
/// sizes. Traffic per block: 12 bytes read, 8 + 2 sizeof(offset_t) written.
template <class Space> struct WriteRow {
  Array<const index_t*, Space> neighbour_offsets;
  Array<const index_t*, Space> neighbour_interfaces;
  Array<const index_t* [2], Space> interface_elements;
  Array<const index_t*, Space> dof_offsets;
  index_t n_elements;
  offset_t n_block_entries; // 0: not the same for all blocks
  Array<offset_t*, Space> row_offsets;
  Array<index_t*, Space> columns;
  Array<offset_t*, Space> value_offsets; // sizes until the scan, if they differ
  BlockPattern<Space> pattern;

  KOKKOS_FUNCTION void write(offset_t block, index_t e, index_t column) const {
    columns(block) = column;
    value_offsets(block) =
        n_block_entries > 0 ? block * n_block_entries
                            : (dof_offsets(e + 1) - dof_offsets(e)) * (dof_offsets(column + 1) - dof_offsets(column));
  }
  KOKKOS_FUNCTION void operator()(index_t e) const {
    offset_t block = static_cast<offset_t>(e) + neighbour_offsets(e); // rows have a block for each neighbour and the
                                                                      // diagonal
    row_offsets(e) = block;
    if (e == n_elements) {
      if (n_block_entries > 0)
        value_offsets(block) = block * n_block_entries;
      return;
    }
    bool before_diagonal = true;
    for (index_t n = neighbour_offsets(e); n <= neighbour_offsets(e + 1); ++n) {
      const bool at_end = n == neighbour_offsets(e + 1);
      const index_t interface = at_end ? -1 : neighbour_interfaces(n);
      const bool is_first = !at_end && interface_elements(interface, 0) == e;
      if (before_diagonal && (at_end || is_first)) { // the remaining neighbours have larger numbers
        pattern.diagonal(e) = block;
        write(block++, e, e);
        before_diagonal = false;
      }
      if (at_end)
        continue;
      pattern.interfaces(interface, is_first ? 0 : 1) = block;
      write(block++, e, interface_elements(interface, is_first ? 1 : 0));
    }
  }
};

} // namespace

template <class ExecutionSpace, int Dim>
linalg::BlockCrsMatrix<typename ExecutionSpace::memory_space>
make_block_pattern(const ExecutionSpace& exec, const mesh::Faces<Dim, typename ExecutionSpace::memory_space>& faces,
                   const fe::ModalSpace<Dim, typename ExecutionSpace::memory_space>& space,
                   BlockPattern<typename ExecutionSpace::memory_space>& pattern) {
  using Space = typename ExecutionSpace::memory_space;
  const index_t n = space.n_elements();
  linalg::BlockCrsMatrix<Space> matrix;
  matrix.dof_offsets = make_array<Array<index_t*, Space>>(exec, "assembly::dg::dof_offsets", n + 1);
  Kokkos::deep_copy(exec, matrix.dof_offsets, space.dof_offsets);
  matrix.n_unknowns = space.n_dofs;
  matrix.largest_block = n > 0 ? space.largest_size : 0;
  matrix.block_size = space.is_uniform ? matrix.largest_block : 0;

  const std::int64_t n_blocks =
      checked_offset(n + static_cast<std::int64_t>(faces.neighbour_interfaces.extent(0)), "matrix blocks");
  const auto n_block_entries = static_cast<offset_t>(matrix.block_size) * matrix.block_size;
  if (n_block_entries > 0)
    checked_offset(n_blocks * n_block_entries, "matrix entries");
  matrix.row_offsets = make_array<Array<offset_t*, Space>>(exec, "assembly::dg::row_offsets", n + 1);
  matrix.columns = make_array<Array<index_t*, Space>>(exec, "assembly::dg::columns", n_blocks);
  matrix.value_offsets = make_array<Array<offset_t*, Space>>(exec, "assembly::dg::value_offsets", n_blocks + 1);
  pattern.diagonal = make_array<Array<offset_t*, Space>>(exec, "assembly::dg::diagonal_blocks", n);
  pattern.interfaces =
      make_array<Array<offset_t* [2], Space>>(exec, "assembly::dg::interface_blocks", faces.n_interfaces());
  for_each("tessera::assembly::dg::write_pattern", exec, std::int64_t(n) + 1,
           WriteRow<Space>{faces.neighbour_offsets, faces.neighbour_interfaces, faces.interface_elements,
                           space.dof_offsets, n, n_block_entries, matrix.row_offsets, matrix.columns,
                           matrix.value_offsets, pattern});
  if (n_block_entries == 0)
    counts_to_offsets(exec, matrix.value_offsets, n_blocks, "matrix entries");
  return matrix;
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template linalg::BlockCrsMatrix<Space::memory_space> make_block_pattern(                                             \
      const Space&, const mesh::Faces<Dim, Space::memory_space>&, const fe::ModalSpace<Dim, Space::memory_space>&,     \
      BlockPattern<Space::memory_space>&);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_DIM(Space, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::assembly::dg
