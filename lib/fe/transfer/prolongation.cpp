// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "fe/transfer/prolongation.hpp"

#include "core/algorithms/queued_scans.hpp"
#include "core/algorithms/scan.hpp"
#include "core/assert.hpp"
#include "core/error.hpp"
#include "core/keep_alive.hpp"
#include "core/tagged_loop.hpp"
#include "core/transfer/upload.hpp"
#include "fe/midpoints.hpp"
#include "linalg/interpolation_row.hpp"

#include <algorithm>
#include <utility>

namespace tessera::fe {

namespace {

/// Unknowns of the nodes of a level.
template <class Space> struct LevelDofs : DofKinds {
  Array<const index_t*, Space> node_dof;
  Array<const signed char*, Space> node_sign; ///< empty: all 1
  KOKKOS_FUNCTION double sign(index_t node) const { return node_sign.extent(0) > 0 ? node_sign(node) : 1.; }
};

/// Whether a node is also on the coarser level. In a part of a mesh some nodes have no parents, -1.
template <class Parents> KOKKOS_FUNCTION bool is_kept(const Parents& parents, index_t node) {
  return parents(node, 0) == parents(node, 1) && parents(node, 0) >= 0;
}

/// The steps from a level to the next coarser one.
template <class Space> struct Coarsener {
  LevelDofs<Space> fine;
  Array<const index_t* [2], Space> parents;
  Array<index_t*, Space> kept;       // fine node of each coarse node
  Array<index_t*, Space> first_node; // lowest node of each fine unknown
  Array<index_t*, Space> numbers;    // by fine unknown: 1 if a coarse node has it; after the scan the coarse index
  Array<index_t*, Space> coarse_dof; // by coarse node; n_coarse(): fixed
  Array<signed char*, Space> coarse_sign;
  Array<offset_t*, Space> offsets;
  Array<index_t*, Space> columns;
  Array<double*, Space> values;
  Array<index_t*, Space> means; // columns of the means of a MeanInterpolation
  Array<signed char*, Space> signs;
  // With several processes: which means this process needs, after the scan the number of those before; then its owned
  // fine and coarse unknowns.
  Array<index_t*, Space> needed; // empty: all
  index_t first = 0;
  index_t end = 0;
  index_t first_coarse = 0;
  index_t end_coarse = 0;
  Array<std::int64_t*, Space> others; // fine unknowns that are needed but not owned

  struct Keep {};
  struct FirstNodes {};
  struct Mark {};
  struct Number {};
  struct Count {};
  struct Fill {};
  struct Need {};
  struct Means {};

  /// Valid after the scan of the marks.
  KOKKOS_FUNCTION index_t n_coarse() const { return numbers(fine.n_free); }

  /// Also clears first nodes and marks: the number of items is at least the numbers of nodes and of unknowns.
  KOKKOS_FUNCTION void operator()(Keep, index_t node) const {
    const auto n_nodes = static_cast<index_t>(parents.extent(0));
    if (node < n_nodes && is_kept(parents, node))
      kept(parents(node, 0)) = node;
    if (node < static_cast<index_t>(first_node.extent(0)))
      first_node(node) = n_nodes;
    if (node <= fine.n_free)
      numbers(node) = 0;
  }
  KOKKOS_FUNCTION void operator()(FirstNodes, index_t node) const {
    if (fine.is_regular(fine.node_dof(node)))
      Kokkos::atomic_fetch_min(&first_node(fine.node_dof(node)), node);
  }
  KOKKOS_FUNCTION void operator()(Mark, index_t node) const {
    const index_t dof = fine.node_dof(kept(node));
    if (fine.is_free(dof))
      numbers(dof) = 1; // all nodes that share it write the same value
  }
  KOKKOS_FUNCTION void operator()(Number, index_t node) const {
    const index_t dof = fine.node_dof(kept(node));
    coarse_dof(node) = fine.is_free(dof) ? numbers(dof) : n_coarse();
    if (coarse_sign.extent(0) > 0)
      coarse_sign(node) = fine.node_sign(kept(node));
  }

  KOKKOS_FUNCTION linalg::InterpolationRow row(index_t dof) const {
    linalg::InterpolationRow row;
    if (fine.is_tied(dof)) {
      if (numbers(dof + 1) > numbers(dof))
        row.add(numbers(dof), 1.);
      return row;
    }
    const index_t node = first_node(dof);
    for (int k = 0; k < 2; ++k) {
      const index_t parent = parents(node, k);
      const index_t column = coarse_dof(parent);
      if (column == n_coarse())
        continue;
      const double sign = fine.sign(node) * (coarse_sign.extent(0) > 0 ? coarse_sign(parent) : 1.);
      row.add(column, 0.5 * sign);
    }
    return row;
  }
  KOKKOS_FUNCTION index_t mean_column(index_t dof, int k) const {
    if (!fine.is_tied(dof)) {
      const index_t parent = parents(first_node(dof), k);
      return parent < 0 ? n_coarse() : coarse_dof(parent);
    }
    return numbers(dof + 1) > numbers(dof) ? numbers(dof) : n_coarse();
  }
  KOKKOS_FUNCTION bool is_owned(index_t dof) const { return dof >= first && dof < end; }
  KOKKOS_FUNCTION void operator()(Need, index_t dof) const {
    bool is_needed = is_owned(dof);
    for (int k = 0; k < 2; ++k)
      is_needed = is_needed || (mean_column(dof, k) >= first_coarse && mean_column(dof, k) < end_coarse);
    needed(dof) = is_needed ? 1 : 0;
  }
  KOKKOS_FUNCTION void operator()(Means, index_t dof) const {
    const bool all = needed.extent(0) == 0;
    if (!all && needed(dof + 1) == needed(dof))
      return;
    const index_t position = all ? dof : needed(dof);
    for (int k = 0; k < 2; ++k) {
      means(std::int64_t(2) * position + k) = mean_column(dof, k);
      if (signs.extent(0) > 0)
        signs(std::int64_t(2) * position + k) =
            fine.is_tied(dof)
                ? 1
                : static_cast<signed char>(fine.node_sign(first_node(dof)) * coarse_sign(parents(first_node(dof), k)));
    }
    if (!all && !is_owned(dof))
      others(position - (dof < first ? 0 : end - first)) = dof;
  }
  /// Number of columns of row(); before the scan of the marks, so that columns are compared as fine unknowns.
  KOKKOS_FUNCTION void operator()(Count, index_t dof) const {
    if (fine.is_tied(dof)) {
      offsets(dof) = numbers(dof);
      return;
    }
    const index_t node = first_node(dof);
    const index_t a = fine.node_dof(kept(parents(node, 0)));
    const index_t b = fine.node_dof(kept(parents(node, 1)));
    offsets(dof) = (fine.is_free(a) ? 1 : 0) + (fine.is_free(b) && a != b ? 1 : 0);
  }
  KOKKOS_FUNCTION void operator()(Fill, index_t dof) const { row(dof).write(*this, offsets(dof)); }
};

template <class Space> struct CountKept {
  Array<const index_t* [2], Space> parents;
  KOKKOS_FUNCTION void operator()(index_t node, index_t& count) const { count += is_kept(parents, node) ? 1 : 0; }
};

/// Number of the nodes of coarser mesh `number + 1`. Waits if that is the coarsest.
template <class ExecutionSpace, class NodeParents>
index_t count_coarse_nodes(const ExecutionSpace& exec, const std::vector<NodeParents>& node_parents,
                           std::size_t number) {
  if (number + 1 < node_parents.size())
    return static_cast<index_t>(node_parents[number + 1].extent(0));
  index_t n_coarse_nodes = 0;
  Kokkos::parallel_reduce("tessera::fe::count_coarse_nodes",
                          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(
                              exec, 0, static_cast<index_t>(node_parents[number].extent(0))),
                          CountKept<typename ExecutionSpace::memory_space>{node_parents[number]},
                          n_coarse_nodes); // waits
  return n_coarse_nodes;
}

/// Marks the unknowns whose nodes are the parents; these are the coarser level's. `with_first_nodes`: also what an
/// interpolation to that level needs.
template <class ExecutionSpace>
Coarsener<typename ExecutionSpace::memory_space>
mark_coarser(const ExecutionSpace& exec, const Array<const index_t* [2], ExecutionSpace>& parents,
             index_t n_coarse_nodes, const LevelDofs<typename ExecutionSpace::memory_space>& level,
             bool with_first_nodes) {
  using Space = typename ExecutionSpace::memory_space;
  using Work = Coarsener<Space>;
  const auto n_nodes = static_cast<index_t>(parents.extent(0));
  Work work;
  work.fine = level;
  work.parents = parents;
  work.kept = make_array<Array<index_t*, Space>>(exec, "fe::coarse_nodes", n_coarse_nodes);
  work.numbers = make_array<Array<index_t*, Space>>(exec, "fe::coarse_numbers", level.n_free + 1);
  work.coarse_dof = make_array<Array<index_t*, Space>>(exec, "fe::coarse_dof", n_coarse_nodes);
  if (level.node_sign.extent(0) > 0)
    work.coarse_sign = make_array<Array<signed char*, Space>>(exec, "fe::coarse_sign", n_coarse_nodes);
  if (with_first_nodes)
    work.first_node = make_array<Array<index_t*, Space>>(exec, "fe::first_nodes", level.n_regular);
  for_each_tagged<typename Work::Keep>("tessera::fe::keep_nodes", exec, std::max(n_nodes, level.n_free + 1), work);
  if (with_first_nodes)
    for_each_tagged<typename Work::FirstNodes>("tessera::fe::first_nodes", exec, n_nodes, work);
  for_each_tagged<typename Work::Mark>("tessera::fe::mark_coarse_unknowns", exec, n_coarse_nodes, work);
  return work;
}

/// The level whose `n_free` unknowns were numbered.
template <class ExecutionSpace, class Work>
LevelDofs<typename ExecutionSpace::memory_space> coarser_level(const ExecutionSpace& exec, const Work& work,
                                                               index_t n_free) {
  LevelDofs<typename ExecutionSpace::memory_space> level;
  level.n_free = n_free;
  // before the tied ones
  level.n_regular = work.fine.n_tied() > 0 ? read_entry(exec, work.numbers, work.fine.n_regular) : n_free;
  level.node_dof = work.coarse_dof;
  level.node_sign = work.coarse_sign;
  return level;
}

/// Makes the prolongation to a level from the next coarser one, and replaces the level by the coarser one. Reads from
/// the device once; the second object returned must be kept until the queue is done.
///
/// Traffic with n nodes and unknowns of the level and 2^-Dim n of the coarser one: parents 24 n, unknowns 8 n, first
/// nodes 16 n, marks and numbers 16 n, offsets 12 n, and the prolongation's entries, plus the data gathered at the
/// parents.
template <class ExecutionSpace>
std::pair<linalg::Prolongation<typename ExecutionSpace::memory_space>, Coarsener<typename ExecutionSpace::memory_space>>
coarsen(const ExecutionSpace& exec, const Array<const index_t* [2], ExecutionSpace>& parents, index_t n_coarse_nodes,
        LevelDofs<typename ExecutionSpace::memory_space>& level) {
  using Space = typename ExecutionSpace::memory_space;
  using Work = Coarsener<Space>;
  Work work = mark_coarser<ExecutionSpace>(exec, parents, n_coarse_nodes, level, true);
  QueuedScans<2, ExecutionSpace> scans(exec, "fe::prolongation_offsets", level.n_free);
  work.offsets = scans.offsets();
  for_each_tagged<typename Work::Count>("tessera::fe::count_prolongation", exec, level.n_free, work);
  scans.add(exec, work.numbers, level.n_free);
  scans.add(exec, work.offsets, level.n_free);
  for_each_tagged<typename Work::Number>("tessera::fe::coarse_unknowns", exec, n_coarse_nodes, work);
  const auto [n_coarse, n_entries] = scans.totals(exec);
  work.columns = make_array<Array<index_t*, Space>>(exec, "fe::prolongation_columns",
                                                    checked_offset(n_entries, "entries of a prolongation"));
  work.values = make_array<Array<double*, Space>>(exec, "fe::prolongation_values", n_entries);
  for_each_tagged<typename Work::Fill>("tessera::fe::fill_prolongation", exec, level.n_free, work);
  level = coarser_level(exec, work, static_cast<index_t>(n_coarse));
  linalg::Prolongation<Space> prolongation;
  prolongation.matrix.offsets = work.offsets;
  prolongation.matrix.columns = work.columns;
  prolongation.matrix.values = work.values;
  prolongation.n_coarse = level.n_free;
  return {prolongation, work};
}

/// Nodes of a coarser level from which other nodes take their values (DofMap::node_source).
template <class Space> struct CoarseSources {
  Array<const index_t*, Space> source;
  Array<const index_t* [2], Space> parents;
  Array<const index_t*, Space> kept;
  Array<index_t*, Space> coarse_source;
  KOKKOS_FUNCTION void operator()(index_t node) const {
    const index_t from = source(kept(node));
    coarse_source(node) = from < 0 ? ~parents(~from, 0) : parents(from, 0);
  }
};

/// Distribution of the unknowns over the processes, after numbering: a coarse unknown has the owner that it has as a
/// fine one.
template <class ExecutionSpace>
Means<ExecutionSpace> share_unknowns(const ExecutionSpace& exec, Coarsener<typename ExecutionSpace::memory_space>& work,
                                     const comm::Shares<ExecutionSpace>& shares, index_t n_coarse,
                                     const PartUnknowns* part) {
  Means<ExecutionSpace> means;
  means.fine = shares;
  if (shares.offsets.empty())
    means.fine.offsets = {0, work.fine.n_free};
  const auto number_of = [&](std::int64_t unknown) { // each read waits
    return unknown == 0 ? 0 : unknown == work.fine.n_free ? n_coarse : read_entry(exec, work.numbers, unknown);
  };
  const comm::Communicator& world = *shares.group.world;
  const auto rank = static_cast<std::size_t>(world.rank());
  work.first = part != nullptr ? part->owned.first : static_cast<index_t>(means.fine.offsets[rank]);
  work.end = part != nullptr ? part->owned.end : static_cast<index_t>(means.fine.offsets[rank + 1]);
  work.first_coarse = number_of(work.first);
  work.end_coarse = number_of(work.end);
  if (part == nullptr) {
    for (const std::int64_t offset : means.fine.offsets)
      means.coarse_offsets.push_back(number_of(offset));
    return means;
  }
  means.coarse_offsets = world.offsets_of(work.end_coarse - work.first_coarse);
  return means;
}

/// Global indices of a part's coarse unknowns.
template <class Space> struct NumberAmongAll {
  Array<const index_t*, Space> coarse; // by fine unknown: number of the part's coarse ones before it
  index_t first;                       // first owned fine unknown
  index_t n_owned;
  index_t shift;                         // from the part's owned coarse indices to global ones
  Array<index_t*, Space> of_fine;        // coarse index of owned fine unknowns, then of those received; -1: not coarse
  Array<const index_t*, Space> unknowns; // the fine unknowns received
  Array<index_t*, Space> result;

  struct Own {};
  struct Place {};

  KOKKOS_FUNCTION bool is_coarse(index_t dof) const { return coarse(dof + 1) > coarse(dof); }
  KOKKOS_FUNCTION void operator()(Own, index_t i) const {
    of_fine(i) = is_coarse(first + i) ? coarse(first + i) + shift : -1;
  }
  KOKKOS_FUNCTION void operator()(Place, index_t i) const {
    const index_t dof = i < n_owned ? first + i : unknowns(i - n_owned);
    if (is_coarse(dof))
      result(coarse(dof)) = of_fine(i);
  }
};

/// Exchanges them: the owners send the coarse indices of fine unknowns. Collective.
template <class ExecutionSpace>
Array<index_t*, typename ExecutionSpace::memory_space>
number_among_all(const ExecutionSpace& exec, const Coarsener<typename ExecutionSpace::memory_space>& work,
                 const PartUnknowns& part, const Means<ExecutionSpace>& means) {
  using Numbers = Array<index_t*, typename ExecutionSpace::memory_space>;
  using Numbering = NumberAmongAll<typename ExecutionSpace::memory_space>;
  std::vector<std::int64_t> known;
  std::vector<index_t> unknowns;
  for (std::size_t i = 0; i < part.others.size(); ++i)
    if (part.others[i] >= 0) {
      known.push_back(part.others[i]);
      unknowns.push_back(part.unknown(i));
    }
  const auto fine = comm::make_layout(exec, means.fine.group, means.fine.offsets, known);
  const auto rank = static_cast<std::size_t>(means.fine.group.world->rank());
  const Numbering numbering{
      work.numbers,
      work.first,
      work.end - work.first,
      static_cast<index_t>(means.coarse_offsets[rank]) - work.first_coarse,
      make_array<Numbers>(exec, "fe::coarse_of_fine", fine.size()),
      uploaded(exec, "fe::unknowns_of_others", unknowns),
      make_filled<Numbers>(exec, "fe::numbers_among_all", read_entry(exec, work.numbers, work.fine.n_free), -1)};
  for_each_tagged<typename Numbering::Own>("tessera::fe::number_owned_coarse", exec, numbering.n_owned, numbering);
  fine.update(exec, numbering.of_fine);
  for_each_tagged<typename Numbering::Place>("tessera::fe::place_coarse", exec, fine.size(), numbering);
  keep_alive(exec, numbering, fine);
  return numbering.result;
}

/// Converts the part's column indices to global ones, of which there are n_all.
template <class Space> struct RenumberColumns {
  Array<const index_t*, Space> numbers;
  index_t n_all;
  Array<index_t*, Space> columns;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const index_t column = columns(k);
    columns(k) = column < static_cast<index_t>(numbers.extent(0)) ? numbers(column) : n_all;
  }
};

/// Adds the means that a process needs.
template <class ExecutionSpace>
void fill_means(const ExecutionSpace& exec, Coarsener<typename ExecutionSpace::memory_space>& work,
                Means<ExecutionSpace>& means) {
  using Work = Coarsener<typename ExecutionSpace::memory_space>;
  const index_t n_fine = work.fine.n_free;
  std::int64_t n_means = n_fine;
  if (work.end - work.first < n_fine) {
    work.needed = make_array<decltype(work.needed)>(exec, "fe::needed_means", n_fine + 1);
    for_each_tagged<typename Work::Need>("tessera::fe::mark_needed_means", exec, n_fine, work);
    n_means = counts_to_offsets(exec, work.needed, n_fine, "means of a part");
    work.others = make_array<decltype(work.others)>(exec, "fe::unknowns_of_others", n_means - (work.end - work.first));
  }
  work.means = make_array<decltype(work.means)>(exec, "fe::mean_columns", 2 * n_means);
  if (work.fine.node_sign.extent(0) > 0)
    work.signs = make_array<decltype(work.signs)>(exec, "fe::mean_signs", 2 * n_means);
  for_each_tagged<typename Work::Means>("tessera::fe::fill_means", exec, n_fine, work);
  means.columns = work.means;
  means.signs = work.signs;
  const auto others = tessera::to_host(exec, work.others);
  means.others.assign(others.data(), others.data() + others.extent(0));
}

/// Converts the means of a part to global indices; returns the kinds of all coarse unknowns.
template <class ExecutionSpace>
DofKinds renumber_means(const ExecutionSpace& exec, const Coarsener<typename ExecutionSpace::memory_space>& work,
                        const PartUnknowns& part, const Array<index_t*, typename ExecutionSpace::memory_space>& numbers,
                        index_t n_regular, Means<ExecutionSpace>& means) {
  using Space = typename ExecutionSpace::memory_space;
  const auto n_all = static_cast<index_t>(means.coarse_offsets.back());
  for_each<std::int64_t>("tessera::fe::renumber_columns", exec, static_cast<std::int64_t>(work.means.extent(0)),
                         RenumberColumns<Space>{numbers, n_all, work.means});
  for (std::int64_t& unknown : means.others) {
    unknown = part.others[part.position(unknown)];
    TESSERA_ASSERT(unknown >= 0);
  }
  const auto rank = static_cast<std::size_t>(means.fine.group.world->rank());
  const index_t n_owned_tied = std::max(work.end_coarse - std::max(n_regular, work.first_coarse), index_t(0));
  DofKinds all;
  all.n_free = n_all;
  all.n_regular = n_owned_tied > 0 ? static_cast<index_t>(means.coarse_offsets[rank + 1]) - n_owned_tied : n_all;
  return all;
}

/// The dof map of a level whose unknowns were numbered, for a form on it: fixed values and totals are zero.
template <class ExecutionSpace, class Space = typename ExecutionSpace::memory_space>
DofMap<Space> dofs_of(const ExecutionSpace& exec, const Coarsener<Space>& work, const LevelDofs<Space>& level,
                      const Array<index_t*, Space>& node_source) {
  DofMap<Space> dofs;
  static_cast<DofKinds&>(dofs) = level;
  dofs.node_dof = work.coarse_dof;
  dofs.node_sign = work.coarse_sign;
  dofs.fixed_values = make_filled<Array<double*, Space>>(exec, "fe::fixed_values", 1, 0.);
  dofs.tied_totals = make_filled<Array<double*, Space>>(exec, "fe::tied_totals", level.n_tied(), 0.);
  if (node_source.extent(0) > 0) {
    dofs.node_source = make_array<Array<index_t*, Space>>(exec, "fe::node_source", work.kept.extent(0));
    for_each("tessera::fe::coarse_sources", exec, work.kept.extent(0),
             CoarseSources<Space>{node_source, work.parents, work.kept, dofs.node_source});
  }
  return dofs;
}

/// Like coarsen(), with the means of a MeanInterpolation instead of the prolongation, and with dofs_of(). `part`: for
/// parts of a mesh, else null.
template <class ExecutionSpace>
CoarserUnknowns<ExecutionSpace>
coarsen_by_means(const ExecutionSpace& exec, const Array<const index_t* [2], ExecutionSpace>& parents,
                 index_t n_coarse_nodes, const Array<index_t*, typename ExecutionSpace::memory_space>& node_source,
                 LevelDofs<typename ExecutionSpace::memory_space>& level, const comm::Shares<ExecutionSpace>& shares,
                 bool with_interpolation, const PartUnknowns* part = nullptr) {
  using Space = typename ExecutionSpace::memory_space;
  using Work = Coarsener<Space>;
  Work work = mark_coarser<ExecutionSpace>(exec, parents, n_coarse_nodes, level, with_interpolation);
  const auto n_coarse =
      static_cast<index_t>(counts_to_offsets(exec, work.numbers, level.n_free, "unknowns of a coarser level"));
  for_each_tagged<typename Work::Number>("tessera::fe::coarse_unknowns", exec, n_coarse_nodes, work);
  Means<ExecutionSpace> means = share_unknowns(exec, work, shares, n_coarse, part);
  if (with_interpolation)
    fill_means(exec, work, means);
  CoarserUnknowns<ExecutionSpace> coarser;
  coarser.offsets = means.coarse_offsets;
  coarser.owned = {work.first_coarse, work.end_coarse};
  level = coarser_level(exec, work, n_coarse);
  DofKinds all = level;
  if (part != nullptr) {
    const Array<index_t*, Space> numbers = number_among_all(exec, work, *part, means);
    if (with_interpolation)
      all = renumber_means(exec, work, *part, numbers, level.n_regular, means);
    for (const auto& range : {std::make_pair(index_t(0), coarser.owned.first), // owned unknowns, by far the most, stay
                              std::make_pair(coarser.owned.end, level.n_free)}) {
      const auto on_host = tessera::to_host(exec, Kokkos::subview(numbers, range));
      coarser.others.insert(coarser.others.end(), on_host.data(), on_host.data() + on_host.extent(0));
    }
  }
  coarser.dofs = dofs_of(exec, work, level, node_source);
  if (with_interpolation && coarser.any())
    coarser.interpolation = std::make_shared<MeanInterpolation<ExecutionSpace>>(exec, means, all);
  keep_alive(exec, work);
  return coarser;
}

/// Prolongations between the levels of nested meshes, from `level` on, which has the nodes of mesh `number`, to the
/// first level of at most `few` unknowns. In addition to one read per level it waits at the end. `first(work, level)`
/// is called for the first one.
template <class ExecutionSpace, class Mesh, class First>
std::vector<linalg::Prolongation<typename ExecutionSpace::memory_space>>
prolongations_below(const ExecutionSpace& exec, const Mesh& mesh, std::size_t number,
                    LevelDofs<typename ExecutionSpace::memory_space> level, index_t few, const First& first) {
  using Space = typename ExecutionSpace::memory_space;
  std::vector<linalg::Prolongation<Space>> prolongations;
  Coarsener<Space> in_use; // until the next level's read
  for (; number < mesh.node_parents.size() && level.n_free > few; ++number) {
    auto [prolongation, work] = coarsen<ExecutionSpace>(exec, mesh.node_parents[number],
                                                        count_coarse_nodes(exec, mesh.node_parents, number), level);
    if (prolongations.empty())
      first(work, level);
    prolongations.push_back(prolongation);
    in_use = work;
  }
  keep_alive(exec, in_use);
  if (!prolongations.empty() && level.n_free == 0)
    prolongations.pop_back();
  return prolongations;
}

template <class Space> LevelDofs<Space> level_of(const DofMap<Space>& dofs) {
  LevelDofs<Space> level;
  static_cast<DofKinds&>(level) = dofs;
  level.node_dof = dofs.node_dof;
  level.node_sign = dofs.node_sign;
  return level;
}

} // namespace

template <class ExecutionSpace, int Dim, int Order>
std::vector<linalg::Prolongation<typename ExecutionSpace::memory_space>>
make_prolongations(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                   const FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
                   const DofMap<typename ExecutionSpace::memory_space>& dofs, index_t few,
                   CoarserUnknowns<ExecutionSpace>* coarser) {
  using Space = typename ExecutionSpace::memory_space;
  auto level = level_of(dofs);
  const auto keep = [&](const Coarsener<Space>& work, const LevelDofs<Space>& next) {
    if (coarser != nullptr)
      *coarser = {dofs_of(exec, work, next, dofs.node_source), nullptr, {0, next.n_free}, {0, next.n_free}, {}};
  };
  if constexpr (Order == 2) {
    std::vector<linalg::Prolongation<Space>> prolongations;
    const auto parents = parents_of_midpoints<ExecutionSpace, Dim>(exec, space);
    auto [prolongation, work] = coarsen<ExecutionSpace>(exec, parents, mesh.n_nodes(), level);
    keep(work, level);
    prolongations.push_back(prolongation);
    keep_alive(exec, parents, work);
    if (level.n_free == 0)
      return {};
    for (auto& below : prolongations_below(exec, mesh, 0, level, few, [](const auto&, const auto&) {}))
      prolongations.push_back(std::move(below));
    return prolongations;
  } else {
    return prolongations_below(exec, mesh, 0, level, few, keep);
  }
}

template <class ExecutionSpace, int Dim, int Order>
CoarserUnknowns<ExecutionSpace>
make_coarser_unknowns(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                      const FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
                      const DofMap<typename ExecutionSpace::memory_space>& dofs,
                      const comm::Shares<ExecutionSpace>& shares, bool with_interpolation) {
  auto level = level_of(dofs);
  CoarserUnknowns<ExecutionSpace> coarser;
  if constexpr (Order == 2) {
    const auto parents = parents_of_midpoints<ExecutionSpace, Dim>(exec, space);
    coarser = coarsen_by_means<ExecutionSpace>(exec, parents, mesh.n_nodes(), dofs.node_source, level, shares,
                                               with_interpolation);
    keep_alive(exec, parents);
  } else if (!mesh.node_parents.empty()) {
    coarser = coarsen_by_means<ExecutionSpace>(exec, mesh.node_parents.front(),
                                               count_coarse_nodes(exec, mesh.node_parents, 0), dofs.node_source, level,
                                               shares, with_interpolation);
  }
  return coarser;
}

template <class ExecutionSpace, int Dim, int Order>
CoarserUnknowns<ExecutionSpace>
make_coarser_unknowns_of_part(const ExecutionSpace& exec,
                              const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                              const FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
                              const DofMap<typename ExecutionSpace::memory_space>& dofs, const PartUnknowns& part,
                              const comm::Shares<ExecutionSpace>& shares, bool with_interpolation) {
  using Space = typename ExecutionSpace::memory_space;
  if (Order == 1 && mesh.node_parents.empty())
    return {};
  auto level = level_of(dofs);
  Array<const index_t* [2], Space> parents;
  index_t n_coarse_nodes = mesh.n_nodes();
  if constexpr (Order == 2) {
    parents = parents_of_midpoints<ExecutionSpace, Dim>(exec, space);
  } else {
    parents = mesh.node_parents.front();
    n_coarse_nodes = count_coarse_nodes(exec, mesh.node_parents, 0);
  }
  auto coarser = coarsen_by_means<ExecutionSpace>(exec, parents, n_coarse_nodes, dofs.node_source, level, shares,
                                                  with_interpolation, &part);
  keep_alive(exec, parents);
  return coarser;
}

template <class ExecutionSpace, int Dim, int Order>
std::vector<linalg::Prolongation<typename ExecutionSpace::memory_space>>
make_prolongations_below(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                         const DofMap<typename ExecutionSpace::memory_space>& coarser) {
  return prolongations_below(exec, mesh, Order == 2 ? 0 : 1, level_of(coarser), 0, [](const auto&, const auto&) {});
}

#define TESSERA_INSTANTIATE_CASE(SPACE, DIM, ORDER)                                                                    \
  template std::vector<linalg::Prolongation<typename SPACE::memory_space>> make_prolongations<SPACE, DIM, ORDER>(      \
      const SPACE&, const mesh::Mesh<DIM, typename SPACE::memory_space>&,                                              \
      const FunctionSpace<DIM, ORDER, typename SPACE::memory_space>&, const DofMap<typename SPACE::memory_space>&,     \
      index_t, CoarserUnknowns<SPACE>*);                                                                               \
  template std::vector<linalg::Prolongation<typename SPACE::memory_space>>                                             \
  make_prolongations_below<SPACE, DIM, ORDER>(const SPACE&, const mesh::Mesh<DIM, typename SPACE::memory_space>&,      \
                                              const DofMap<typename SPACE::memory_space>&);                            \
  template CoarserUnknowns<SPACE> make_coarser_unknowns<SPACE, DIM, ORDER>(                                            \
      const SPACE&, const mesh::Mesh<DIM, typename SPACE::memory_space>&,                                              \
      const FunctionSpace<DIM, ORDER, typename SPACE::memory_space>&, const DofMap<typename SPACE::memory_space>&,     \
      const comm::Shares<SPACE>&, bool);                                                                               \
  template CoarserUnknowns<SPACE> make_coarser_unknowns_of_part<SPACE, DIM, ORDER>(                                    \
      const SPACE&, const mesh::Mesh<DIM, typename SPACE::memory_space>&,                                              \
      const FunctionSpace<DIM, ORDER, typename SPACE::memory_space>&, const DofMap<typename SPACE::memory_space>&,     \
      const PartUnknowns&, const comm::Shares<SPACE>&, bool);
#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  TESSERA_INSTANTIATE_CASE(SPACE, 2, 1)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 2, 2)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 3, 1)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 3, 2)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::fe
