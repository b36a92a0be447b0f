// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/nested_unknowns.hpp"

#include "core/algorithms/lower_bound.hpp"
#include "core/algorithms/scan.hpp"
#include "core/error.hpp"
#include "core/keep_alive.hpp"
#include "core/tagged_loop.hpp"
#include "linalg/interpolation_row.hpp"

#include <utility>

namespace tessera::linalg {

namespace {

/// The steps from a level to the next coarser one. Arrays "of columns" hold the owned unknowns, then the ghosts.
template <class Space> struct Step {
  NestedUnknowns<Space> fine;
  Array<index_t*, Space> positions; // [n + 1], 1 if the unknown is on the coarser level; after the scan, its index
                                    // among the owned coarse unknowns
  Array<index_t*, Space> ids;       // of columns
  Array<index_t*, Space> coarse;    // of columns: global coarse index, -1 if not on the coarser level
  index_t first_coarse = 0;
  index_t n_columns = 0;
  CrsMatrix<Space> rows;
  NestedUnknowns<Space> coarser;

  struct Mark {};
  struct Number {};
  struct Count {};
  struct Fill {};
  struct Keep {};

  KOKKOS_FUNCTION bool is_coarse(index_t i) const { return fine.n_coarser(i) > 0; }
  KOKKOS_FUNCTION void operator()(Mark, index_t i) const { positions(i) = is_coarse(i) ? 1 : 0; }
  KOKKOS_FUNCTION void operator()(Number, index_t i) const {
    ids(i) = fine.ids(i);
    coarse(i) = is_coarse(i) ? first_coarse + positions(i) : -1;
    if (fine.numbers.extent(0) > 0) // an unknown that is not on the coarser level keeps -1 on all coarser levels
      fine.numbers(fine.ids(i) - fine.first_id) = coarse(i);
  }

  /// Position of an identifier (finest-level index) in [first, end) of the columns; `end` if it is not there.
  KOKKOS_FUNCTION index_t find(index_t id, index_t first, index_t end) const {
    const index_t position = lower_bound(ids, first, end, id);
    return position < end && ids(position) == id ? position : end;
  }
  /// Global coarse index of a parent, -1 if it is not on the coarser level.
  KOKKOS_FUNCTION index_t coarse_number(index_t id) const {
    const index_t owned = id - fine.first_id;
    if (owned >= 0 && owned < static_cast<index_t>(fine.numbers.extent(0)))
      return fine.numbers(owned);
    const auto n = static_cast<index_t>(fine.ids.extent(0));
    index_t position = fine.numbers.extent(0) > 0 ? n : find(id, 0, n);
    if (position == n)
      position = find(id, n, n_columns);
    return position == n_columns ? -1 : coarse(position);
  }

  KOKKOS_FUNCTION InterpolationRow row(index_t i) const {
    InterpolationRow row;
    if (is_coarse(i)) {
      row.add(coarse(i), 1.);
      return row;
    }
    for (int k = 0; k < 2; ++k) {
      const index_t parent = fine.parents(std::int64_t(2) * i + k);
      const index_t id = parent < 0 ? ~parent : parent;
      const index_t column = id == fine.n_finest ? -1 : coarse_number(id);
      if (column >= 0)
        row.add(column, parent < 0 ? -0.5 : 0.5);
    }
    return row;
  }
  KOKKOS_FUNCTION void operator()(Count, index_t i) const { rows.offsets(i) = row(i).n; }
  KOKKOS_FUNCTION void operator()(Fill, index_t i) const { row(i).write(rows, rows.offsets(i)); }
  KOKKOS_FUNCTION void operator()(Keep, index_t i) const {
    if (!is_coarse(i))
      return;
    const index_t position = positions(i);
    coarser.ids(position) = fine.ids(i);
    coarser.n_coarser(position) = fine.n_coarser(i) - 1;
    for (int k = 0; k < 2; ++k)
      coarser.parents(std::int64_t(2) * position + k) = fine.parents(std::int64_t(2) * i + k);
  }
};

template <class ExecutionSpace>
NestedUnknowns<typename ExecutionSpace::memory_space>
with_arrays(const ExecutionSpace& exec, const NestedUnknowns<typename ExecutionSpace::memory_space>& like,
            std::int64_t n) {
  using Numbers = Array<index_t*, typename ExecutionSpace::memory_space>;
  auto result = like;
  result.ids = make_array<Numbers>(exec, "linalg::ids_of_unknowns", n);
  result.n_coarser = make_array<Numbers>(exec, "linalg::coarser_levels", n);
  result.parents = make_array<Numbers>(exec, "linalg::parents_of_unknowns", 2 * n);
  return result;
}

template <class Space> struct Place {
  Array<const index_t*, Space> owned;
  std::int64_t first;
  Array<index_t*, Space> all;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { all(first + i) = owned(i); }
};

} // namespace

template <class ExecutionSpace>
InterpolationRows<ExecutionSpace> coarsen(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
                                          const comm::Layout<ExecutionSpace>& columns,
                                          NestedUnknowns<typename ExecutionSpace::memory_space>& unknowns) {
  using Space = typename ExecutionSpace::memory_space;
  using Work = Step<Space>;
  using Numbers = Array<index_t*, Space>;
  const index_t n = unknowns.n_unknowns();
  TESSERA_ASSERT(unknowns.n_levels > 0 && n == columns.n_owned);
  Work work;
  work.fine = unknowns;
  work.n_columns = columns.size();
  work.positions = make_array<Numbers>(exec, "linalg::coarse_positions", n + 1);
  for_each_tagged<typename Work::Mark>("tessera::linalg::mark_coarse", exec, n, work);
  const std::int64_t n_coarse = counts_to_offsets(exec, work.positions, n, "unknowns of a coarser level");
  InterpolationRows<ExecutionSpace> result;
  result.coarse_offsets = group.world->offsets_of(n_coarse);
  work.first_coarse = static_cast<index_t>(result.coarse_offsets[static_cast<std::size_t>(group.world->rank())]);
  work.ids = make_array<Numbers>(exec, "linalg::ids_of_columns", work.n_columns);
  work.coarse = make_array<Numbers>(exec, "linalg::coarse_numbers", work.n_columns);
  for_each_tagged<typename Work::Number>("tessera::linalg::number_coarse", exec, n, work);
  columns.update(exec, work.ids);
  columns.update(exec, work.coarse);
  work.rows.offsets = make_array<decltype(work.rows.offsets)>(exec, "linalg::interpolation_offsets", n + 1);
  for_each_tagged<typename Work::Count>("tessera::linalg::count_interpolation", exec, n, work);
  const std::int64_t n_entries = counts_to_offsets(exec, work.rows.offsets, n, "entries of an interpolation");
  work.rows.columns = make_array<decltype(work.rows.columns)>(exec, "linalg::interpolation_columns", n_entries);
  work.rows.values = make_array<decltype(work.rows.values)>(exec, "linalg::interpolation_values", n_entries);
  for_each_tagged<typename Work::Fill>("tessera::linalg::fill_interpolation", exec, n, work);
  work.coarser = with_arrays(exec, unknowns, n_coarse);
  --work.coarser.n_levels;
  for_each_tagged<typename Work::Keep>("tessera::linalg::keep_coarse", exec, n, work);
  result.matrix = work.rows;
  unknowns = work.coarser;
  keep_alive(exec, work);
  return result;
}

template <class ExecutionSpace>
NestedUnknowns<typename ExecutionSpace::memory_space>
gathered(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
         const std::vector<std::int64_t>& offsets, const NestedUnknowns<typename ExecutionSpace::memory_space>& owned) {
  const std::int64_t first = offsets[static_cast<std::size_t>(group.world->rank())];
  auto all = with_arrays(exec, owned, offsets.back());
  const auto gather = [&](const auto& from, const auto& to, std::int64_t n_each) {
    for_each<std::int64_t>("tessera::linalg::place_owned", exec, static_cast<std::int64_t>(from.extent(0)),
                           Place<typename ExecutionSpace::memory_space>{from, n_each * first, to});
    group.all_gather_parts(exec, to.data(), offsets, static_cast<std::size_t>(n_each) * sizeof(index_t));
  };
  gather(owned.ids, all.ids, 1);
  gather(owned.n_coarser, all.n_coarser, 1);
  gather(owned.parents, all.parents, 2);
  all.numbers = {}; // few unknowns with widely spread identifiers
  all.first_id = 0;
  keep_alive(exec, owned);
  return all;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template InterpolationRows<Space> coarsen(const Space&, const comm::ProcessGroup<Space>&,                            \
                                            const comm::Layout<Space>&, NestedUnknowns<Space::memory_space>&);         \
  template NestedUnknowns<Space::memory_space> gathered(const Space&, const comm::ProcessGroup<Space>&,                \
                                                        const std::vector<std::int64_t>&,                              \
                                                        const NestedUnknowns<Space::memory_space>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::linalg
