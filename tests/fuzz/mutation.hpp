// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_FUZZ_MUTATION_HPP
#define TESSERA_TESTS_FUZZ_MUTATION_HPP

/// \file
/// Damaged inputs, made from valid ones: the same seed and number give the same input on every machine.

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tessera::fuzz {

class Random {
public:
  Random(std::uint64_t seed, std::uint64_t number) : engine_(seed * 0x9e3779b97f4a7c15u + number) {}

  /// 0 .. n - 1.
  std::size_t below(std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(engine_() % n); }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <class T> const T& pick(const std::vector<T>& items) { return items[below(items.size())]; }
  std::uint64_t bits() { return engine_(); }

private:
  std::mt19937_64 engine_; // the standard specifies its numbers, unlike those of distributions
};

/// Changes one to `n_most` places of a text: characters, lines, numbers; inserts words of `dictionary`.
std::string mutate_text(std::string text, const std::vector<std::string>& dictionary, Random& random,
                        std::size_t n_most = 4);

/// Changes one to four places of a file of bytes: bits, bytes, integers of 2, 4 or 8 bytes, blocks, its length.
std::string mutate_bytes(std::string bytes, Random& random);

/// An integer that programs often handle wrongly: extremes, zeros, powers of two and their neighbours.
std::int64_t odd_integer(Random& random);
std::string odd_number(Random& random);

} // namespace tessera::fuzz

#endif
