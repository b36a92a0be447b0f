// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_STRATEGY_HPP
#define TESSERA_ASSEMBLY_STRATEGY_HPP

/// \file
/// The strategies that turn element matrices into a linear system, and one table of their properties. A new strategy
/// needs its file in strategies/, an enumerator and a row here, a line in factory.hpp, and its entry in docs/design.md.

#include <algorithm>
#include <cmath>
#include <string>

namespace tessera::assembly {

/// How the system is assembled: what is stored, and which threads add to it.
enum class Strategy {
  automatic,      ///< The driver chooses.
  reference,      ///< Stores a CRS matrix; one thread of the host adds into a map per row, devices get a copy.
  atomic,         ///< Stores a CRS matrix; a thread per element adds atomically where the backend is.
  a_coo,          ///< Stores a CRS matrix; while assembling, on the backend, every entry in a linked list of its row.
  a_coo_compact,  ///< Stores a CRS matrix and a linked list of the elements at each row; a thread or team per row.
  sorted_coo,     ///< Stores a CRS matrix and the sorted order of all triplets; the backend sorts and sums them.
  colored,        ///< Stores a CRS matrix and colours; a thread per element adds, one colour after the other.
  row_gather,     ///< Stores a CRS matrix, the elements at each row and local column indices; a thread or team per row.
  ebe_stored,     ///< Stores packed element matrices and colours on the backend, no global matrix.
  ebe_recomputed, ///< Stores colours alone; the backend recomputes element matrices in every product.
  ebe_atomic      ///< Stores nothing; the backend recomputes element matrices in every product and adds atomically.
};

/// Sizes that determine the memory of a strategy: counts as floating-point numbers, with the names of docs/design.md.
struct AssemblySizes {
  double elements;
  double element_nodes;  ///< nodes of an element
  double nodes;          ///< of the space: an upper bound of the number of unknowns
  double entries;        ///< of the matrix
  double offset_bytes;   ///< sizeof(offset_t)
  double coloring_bytes; ///< peak of the colouring in addition to the resulting permutation
  double cached_columns; ///< per row, cached by teams while the pattern is made; 0: rows are made by single threads
  bool on_host;          ///< the backend uses host memory

  double matrix() const { return 12. * entries + (offset_bytes + 8.) * nodes; }
  double pattern() const { return 4. * entries + offset_bytes * nodes; }
  double pairs() const { return element_nodes * elements; } ///< of elements and nodes
  double element_entries() const { return element_nodes * pairs(); }
  double triplets() const { return (element_nodes + 1.) * pairs(); } ///< entries of element matrices and loads
  double incidence() const { return offset_bytes * (pairs() + nodes); }
  double incidence_with_ranks() const { return incidence() + pairs(); } ///< while it is being made
  double pattern_with_cache() const { return incidence() + pattern() + 4. * cached_columns * nodes; }
  double permutation() const { return 4. * elements; }
  bool rows_by_team() const { return cached_columns > 0.; }
  /// Teams store four local column indices in a word, single threads a byte for each.
  double local_indices() const {
    return rows_by_team() ? 4. * std::ceil(element_nodes / 4.) * pairs() : element_entries();
  }
};

/// Memory in bytes, in addition to mesh, dof map and form.
struct AssemblyBytes {
  double peak; ///< of assembly
  double kept; ///< during the solve
};

/// Where a strategy relies on a symmetric matrix.
enum class SymmetryUse {
  none,            ///< Serves every form.
  tied_rows,       ///< Copies entries of the rows of tied unknowns from their columns.
  element_matrices ///< Keeps a triangle of each element matrix.
};

/// Properties of a strategy, for all code that names, chooses or checks strategies.
struct StrategyTraits {
  Strategy strategy;
  const char* name; ///< as the input spells it
  bool stores_matrix;
  /// Gives the same bits in every run and for any number of threads (coloured strategies with a deterministic
  /// colouring).
  bool is_deterministic;
  bool uses_coloring;
  SymmetryUse symmetry;
  AssemblyBytes (*memory)(const AssemblySizes&);
  double (*largest_array)(const AssemblySizes&); ///< number of entries of the largest array indexed by offsets
};

namespace detail {
inline AssemblyBytes matrix_alone(const AssemblySizes& s) {
  return {0., s.matrix() + (s.on_host ? 0. : s.matrix())}; // the host's data are a second copy
}
inline AssemblyBytes pattern_of_rows(const AssemblySizes& s) {
  return {std::max(s.incidence_with_ranks(), s.pattern_with_cache()), s.matrix()};
}
inline AssemblyBytes lists_of_entries(const AssemblySizes& s) {
  return {s.matrix() + (s.offset_bytes + 12.) * s.element_entries() + 8. * s.pairs() + s.offset_bytes * s.nodes,
          s.matrix()};
}
inline AssemblyBytes lists_of_elements(const AssemblySizes& s) {
  return {s.pattern_with_cache(), s.matrix() + s.incidence()};
}
inline AssemblyBytes sorted_triplets(const AssemblySizes& s) {
  const double starts = s.offset_bytes * (s.entries + s.nodes);
  const double sorted = (s.offset_bytes + 8.) * s.triplets(); // keys and indices
  return {std::max(2. * sorted, s.matrix() + sorted + 8. * s.triplets()) + starts, s.matrix() + sorted + starts};
}
inline AssemblyBytes pattern_and_colors(const AssemblySizes& s) {
  return {std::max(s.coloring_bytes, s.permutation() + pattern_of_rows(s).peak), s.matrix() + s.permutation()};
}
inline AssemblyBytes incidence_and_indices(const AssemblySizes& s) {
  return {std::max(s.incidence_with_ranks(), !s.rows_by_team() ? 0. : s.pattern_with_cache() + s.local_indices()),
          s.matrix() + s.incidence() + s.local_indices()};
}
inline AssemblyBytes element_matrices(const AssemblySizes& s) {
  return {s.coloring_bytes, 4. * s.triplets() + 4. * s.pairs() + s.permutation() + 8. * s.nodes};
}
inline AssemblyBytes colors_alone(const AssemblySizes& s) { return {s.coloring_bytes, s.permutation() + 8. * s.nodes}; }
inline AssemblyBytes load_alone(const AssemblySizes& s) { return {0., 8. * s.nodes}; }

inline double matrix_entries(const AssemblySizes& s) { return std::max(s.entries, s.pairs()); }
inline double element_entries(const AssemblySizes& s) { return std::max(s.element_entries(), matrix_entries(s)); }
inline double triplets(const AssemblySizes& s) { return std::max(s.triplets(), matrix_entries(s)); }
inline double no_array(const AssemblySizes&) { return 0.; }
} // namespace detail

/// All strategies, in the order of their enumerators and of lists in messages.
constexpr StrategyTraits strategy_table[] = {
    //                                    matrix deterministic colours symmetry
    {Strategy::automatic, "auto", true, true, false, SymmetryUse::tied_rows, detail::matrix_alone,
     detail::matrix_entries},
    {Strategy::reference, "reference", true, true, false, SymmetryUse::none, detail::matrix_alone,
     detail::matrix_entries},
    {Strategy::atomic, "atomic", true, false, false, SymmetryUse::none, detail::pattern_of_rows,
     detail::matrix_entries},
    {Strategy::a_coo, "a-coo", true, true, false, SymmetryUse::none, detail::lists_of_entries, detail::element_entries},
    {Strategy::a_coo_compact, "a-coo-compact", true, true, false, SymmetryUse::tied_rows, detail::lists_of_elements,
     detail::matrix_entries},
    {Strategy::sorted_coo, "sorted-coo", true, true, false, SymmetryUse::none, detail::sorted_triplets,
     detail::triplets},
    {Strategy::colored, "colored", true, true, true, SymmetryUse::tied_rows, detail::pattern_and_colors,
     detail::matrix_entries},
    {Strategy::row_gather, "row-gather", true, true, false, SymmetryUse::tied_rows, detail::incidence_and_indices,
     detail::matrix_entries},
    {Strategy::ebe_stored, "ebe-stored", false, true, true, SymmetryUse::element_matrices, detail::element_matrices,
     detail::no_array},
    {Strategy::ebe_recomputed, "ebe-recomputed", false, true, true, SymmetryUse::none, detail::colors_alone,
     detail::no_array},
    {Strategy::ebe_atomic, "ebe-atomic", false, false, false, SymmetryUse::none, detail::load_alone, detail::no_array},
};

/// Row of the table of a strategy.
constexpr const StrategyTraits& traits_of(Strategy strategy) { return strategy_table[static_cast<int>(strategy)]; }

namespace detail {
constexpr bool table_follows_enumerators() {
  int n = 0;
  for (const StrategyTraits& traits : strategy_table)
    if (traits.strategy != static_cast<Strategy>(n++))
      return false;
  return n == static_cast<int>(Strategy::ebe_atomic) + 1;
}
static_assert(table_follows_enumerators(), "strategy_table has one row for each Strategy, in the same order.");
} // namespace detail

/// Single entries of that row.
constexpr bool stores_matrix(Strategy strategy) { return traits_of(strategy).stores_matrix; }
constexpr bool is_deterministic(Strategy strategy) { return traits_of(strategy).is_deterministic; }
constexpr SymmetryUse symmetry_use(Strategy strategy) { return traits_of(strategy).symmetry; }
constexpr bool uses_coloring(Strategy strategy) { return traits_of(strategy).uses_coloring; }

/// "a, b or c": the strategies for which `passes` is true, for messages.
template <class Passes> std::string strategy_names(const Passes& passes) {
  std::string text;
  int left = 0;
  for (const StrategyTraits& traits : strategy_table)
    left += traits.strategy != Strategy::automatic && passes(traits.strategy) ? 1 : 0;
  for (const StrategyTraits& traits : strategy_table)
    if (traits.strategy != Strategy::automatic && passes(traits.strategy)) {
      text += traits.name + std::string(left > 2 ? ", " : left == 2 ? " or " : "");
      --left;
    }
  return text;
}

} // namespace tessera::assembly

#endif
