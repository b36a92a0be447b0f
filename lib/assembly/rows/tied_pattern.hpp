// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ROWS_TIED_PATTERN_HPP
#define TESSERA_ASSEMBLY_ROWS_TIED_PATTERN_HPP

#include "core/algorithms/grouped_items.hpp"
#include "core/algorithms/segmented_sums.hpp"
#include "fe/dofs/dof_map.hpp"
#include "linalg/crs/crs_matrix.hpp"

namespace tessera::assembly {

/// Plans one sum per group, over its items.
template <class ExecutionSpace>
SegmentedSums<ExecutionSpace> sums_by_group(const ExecutionSpace& exec,
                                            const GroupedItems<typename ExecutionSpace::memory_space>& items);

/// The part of tied rows (tied_rows.hpp) that is the same for all forms and elements: their entries and the positions
/// of these.
template <class ExecutionSpace> class TiedPattern {
public:
  using Space = typename ExecutionSpace::memory_space;

  bool empty() const { return size() == 0; }
  index_t size() const { return kinds_.n_tied(); }

  /// Writes the columns of every tied row, which count() found, and frees them; stores the positions of the entries
  /// between tied unknowns.
  void columns(const ExecutionSpace& exec, const linalg::CrsMatrix<Space>& matrix);

protected:
  TiedPattern() = default;
  explicit TiedPattern(const fe::DofKinds& kinds) : kinds_(kinds) {}

  /// Finds the entries from keys (row from 0, column), which may repeat and are sorted here, and writes the number of
  /// entries of every tied row to counts[n_regular ...]. Complete on return.
  void count_keys(const ExecutionSpace& exec, const Array<std::uint64_t*, Space>& keys, int column_bits,
                  const Array<offset_t*, Space>& counts);

  /// Fills A(tied, regular) from A(regular, tied).
  void copy_transposed(const ExecutionSpace& exec, const linalg::CrsMatrix<Space>& matrix) const;

  GroupedItems<Space> pairs_;
  SegmentedSums<ExecutionSpace> row_sums_;   // over the pairs of each row
  SegmentedSums<ExecutionSpace> entry_sums_; // over the pairs in the row of each entry between tied unknowns
  Array<index_t*, Space> entry_columns_;
  fe::DofKinds kinds_;

private:
  /// Entries of the tied rows, row after row, columns ascending.
  struct Pattern {
    Array<offset_t*, Space> starts; // [n_tied + 1]
    Array<index_t*, Space> rows;    // of each entry, from 0
    Array<index_t*, Space> columns;
  };
  Pattern pattern_; // between count_keys() and columns()
  std::int64_t n_entries_ = 0;
};

} // namespace tessera::assembly

#endif
