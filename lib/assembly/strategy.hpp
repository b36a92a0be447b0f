// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_STRATEGY_HPP
#define TESSERA_ASSEMBLY_STRATEGY_HPP

/// \file
/// The strategies that turn element matrices into a linear system, and one table of their properties. A new strategy
/// needs its file in strategies/, an enumerator and a row here, a line in factory.hpp, and its entry in docs/design.md.

#include "core/index.hpp"

#include <algorithm>
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

/// Counts that determine the memory of a strategy, as floating-point numbers.
struct AssemblySizes {
  double elements;
  double element_nodes; ///< nodes of an element
  double nodes;         ///< of the space: an upper bound of the number of unknowns
  double entries;       ///< of the matrix

  double pairs() const { return element_nodes * elements; } ///< of elements and nodes
  double element_entries() const { return element_nodes * pairs(); }
  double triplets() const { return element_entries() + pairs(); } ///< entries of element matrices and loads
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
  double (*largest_array)(const AssemblySizes&); ///< number of entries of the largest array indexed by offsets
  /// Bytes at the peak (assembly or product, on the backend that needs most), in addition to mesh, space and form: per
  /// node, per pair of an element and one of its nodes, per entry of an element matrix, per matrix entry, of which
  /// compressed columns (linalg/crs/compressed_columns.hpp) take two.
  double by_node, by_pair, by_element_entry, by_entry;

  double bytes(const AssemblySizes& s) const {
    return by_node * s.nodes + by_pair * s.pairs() + by_element_entry * s.element_entries() + by_entry * s.entries;
  }
};

namespace detail {
inline double matrix_entries(const AssemblySizes& s) { return std::max(s.entries, s.pairs()); }
inline double element_entries(const AssemblySizes& s) { return std::max(s.element_entries(), matrix_entries(s)); }
inline double triplets(const AssemblySizes& s) { return std::max(s.triplets(), matrix_entries(s)); }
inline double no_array(const AssemblySizes&) { return 0.; }

constexpr double offset = sizeof(offset_t);
} // namespace detail

/// All strategies, in the order of their enumerators and of lists in messages. The bytes are tested from above on all
/// kinds of elements (tests/unit/driver/test_memory_estimate.cpp), except those of `reference`, whose maps Kokkos does
/// not count.
constexpr StrategyTraits strategy_table[] = {
    //                  matrix deterministic colours symmetry, largest array, bytes
    {Strategy::automatic, "auto", true, true, false, SymmetryUse::tied_rows, detail::matrix_entries,
     8. + 2. * detail::offset, detail::offset, 1.34, 14.},
    {Strategy::reference, "reference", true, true, false, SymmetryUse::none, detail::matrix_entries, 96., 0., 0., 90.},
    {Strategy::atomic, "atomic", true, false, false, SymmetryUse::none, detail::matrix_entries, 8. + detail::offset,
     detail::offset - 3.8, 0., 14.},
    {Strategy::a_coo, "a-coo", true, true, false, SymmetryUse::none, detail::element_entries, 8. + 2. * detail::offset,
     8., 12. + detail::offset, 14.},
    {Strategy::a_coo_compact, "a-coo-compact", true, true, false, SymmetryUse::tied_rows, detail::matrix_entries,
     8. + 2. * detail::offset, detail::offset, 0., 14.},
    {Strategy::sorted_coo, "sorted-coo", true, true, false, SymmetryUse::none, detail::triplets,
     8. + 2. * detail::offset, 16. + 2. * detail::offset, 16. + 2. * detail::offset, 14. + detail::offset},
    {Strategy::colored, "colored", true, true, true, SymmetryUse::tied_rows, detail::matrix_entries,
     8. + detail::offset, detail::offset - 2.6, 0., 14.},
    {Strategy::row_gather, "row-gather", true, true, false, SymmetryUse::tied_rows, detail::matrix_entries,
     8. + 2. * detail::offset, detail::offset, 1.34, 14.},
    {Strategy::ebe_stored, "ebe-stored", false, true, true, SymmetryUse::element_matrices, detail::no_array, 8., 9.34,
     4., 0.},
    {Strategy::ebe_recomputed, "ebe-recomputed", false, true, true, SymmetryUse::none, detail::no_array, 8., 1.34, 0.,
     0.},
    {Strategy::ebe_atomic, "ebe-atomic", false, false, false, SymmetryUse::none, detail::no_array, 8., 0., 0., 0.},
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
