// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_STRATEGY_HPP
#define TESSERA_ASSEMBLY_DG_STRATEGY_HPP

/// \file
/// Strategies to assemble the discontinuous Galerkin form, and the table of their properties.

#include "core/precision.hpp"

namespace tessera::assembly::dg {

enum class Strategy {
  automatic,  ///< block_rows
  reference,  ///< Loops of one host thread, as equations 2.4 and 2.5 are written.
  block_rows, ///< A team per element computes the blocks of its row, one after the other.
  triplets,   ///< A thread per simplex or face writes triplets, which are sorted and summed: the paper's approach 1.
  atomic      ///< A thread per simplex or face adds to the matrix atomically: the paper's approach 2.
};

/// Sizes that determine the memory of a strategy, counts as floating-point numbers.
struct AssemblySizes {
  double elements;
  double interfaces;
  double unknowns;
  double entries;          ///< of the matrix
  double triplets;         ///< entries of the matrices and loads of all simplices and faces
  double offset_bytes;     ///< sizeof(offset_t)
  double value_bytes = 8.; ///< of an entry

  double blocks() const { return elements + 2. * interfaces; }
  double matrix() const {
    return value_bytes * entries + (4. + offset_bytes) * blocks() + (4. + offset_bytes) * elements + 8. * unknowns;
  }
  double positions() const { return offset_bytes * blocks(); } ///< of diagonal and interface blocks
};

struct StrategyTraits {
  Strategy strategy;
  const char* name; ///< as the input spells it
  /// Gives the same bits in every run, for any number of threads, on every backend.
  bool is_deterministic;
  bool has_single_precision;                       ///< can make a matrix in single precision
  double (*temporary_bytes)(const AssemblySizes&); ///< while assembling, in addition to matrix and right-hand side
};

namespace detail {
inline double no_bytes(const AssemblySizes&) { return 0.; }
inline double position_bytes(const AssemblySizes& s) { return s.positions(); }
/// Indices of elements and interfaces by the kernels that compute them (ItemLists), three of each.
inline double block_row_bytes(const AssemblySizes& s) { return s.positions() + 12. * (s.elements + s.interfaces); }
/// Keys, indices and the sort's second copy of both, and the values; afterwards, without the copies, the entries before
/// each triplet and compressed rows.
inline double triplet_bytes(const AssemblySizes& s) {
  const double rows = s.offset_bytes * (s.triplets + s.unknowns) + (4. + s.value_bytes) * s.entries;
  return s.positions() + (16. + s.value_bytes) * s.triplets + (rows > 16. * s.triplets ? rows : 16. * s.triplets);
}
} // namespace detail

/// All strategies, in the order of their enumerators and of lists in messages.
constexpr StrategyTraits strategy_table[] = {
    {Strategy::automatic, "auto", true, true, detail::block_row_bytes},
    {Strategy::reference, "reference", true, false, detail::no_bytes},
    {Strategy::block_rows, "block-rows", true, true, detail::block_row_bytes},
    {Strategy::triplets, "triplets", true, true, detail::triplet_bytes},
    {Strategy::atomic, "atomic", false, true, detail::position_bytes},
};

constexpr const StrategyTraits& traits_of(Strategy strategy) { return strategy_table[static_cast<int>(strategy)]; }

/// The strategy used if the input does not choose one.
constexpr Strategy resolved(Strategy strategy) {
  return strategy == Strategy::automatic ? Strategy::block_rows : strategy;
}

static_assert(traits_of(Strategy::atomic).strategy == Strategy::atomic &&
                  traits_of(Strategy::triplets).strategy == Strategy::triplets &&
                  traits_of(Strategy::block_rows).strategy == Strategy::block_rows &&
                  traits_of(Strategy::reference).strategy == Strategy::reference,
              "strategy_table has one row for each Strategy, in the same order.");

} // namespace tessera::assembly::dg

#endif
