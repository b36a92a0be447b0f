// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_BITS_HPP
#define TESSERA_CORE_KOKKOS_EXT_BITS_HPP

/// \file
/// Bit operations, and atomic operations that are plain on single-threaded spaces.

#include "core/kokkos_ext/spaces.hpp"

namespace tessera {

/// Position of the lowest set bit of a word that is not zero.
KOKKOS_INLINE_FUNCTION int lowest_bit(std::uint64_t word) { return Kokkos::Experimental::countr_zero_builtin(word); }

/// Reads a word that other threads may be changing.
template <class Word> KOKKOS_INLINE_FUNCTION Word load_shared(const Word* word) {
  return *static_cast<const volatile Word*>(word);
}

/// Sets bits of a word and returns the old word; atomic if the space has threads.
template <class ExecutionSpace, class Word> KOKKOS_INLINE_FUNCTION Word fetch_or(Word* word, Word bits) {
  if constexpr (is_serial_space<ExecutionSpace>) {
    const Word old = *word;
    *word = old | bits;
    return old;
  } else {
    return Kokkos::atomic_fetch_or(word, bits);
  }
}

/// Like fetch_or, but clears all other bits: the word is combined by AND with `bits`.
template <class ExecutionSpace, class Word> KOKKOS_INLINE_FUNCTION Word fetch_and(Word* word, Word bits) {
  if constexpr (is_serial_space<ExecutionSpace>) {
    const Word old = *word;
    *word = old & bits;
    return old;
  } else {
    return Kokkos::atomic_fetch_and(word, bits);
  }
}

/// Adds to a number and returns the old value; atomic if the space has threads.
template <class ExecutionSpace, class T> KOKKOS_INLINE_FUNCTION T fetch_add(T* number, T increment) {
  if constexpr (is_serial_space<ExecutionSpace>) {
    const T old = *number;
    *number = old + increment;
    return old;
  } else {
    return Kokkos::atomic_fetch_add(number, increment);
  }
}

} // namespace tessera

#endif
