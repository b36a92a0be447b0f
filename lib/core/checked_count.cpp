// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/checked_count.hpp"

#include "core/error.hpp"

#include <limits>

namespace tessera {

namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

void require_counts(std::int64_t a, std::int64_t b, const std::string& what) {
  TESSERA_REQUIRE_KIND(a >= 0 && b >= 0, ErrorKind::resource,
                       what << ": a count of " << (a < 0 ? a : b) << " is negative: it has overflowed.");
}

} // namespace

std::int64_t checked_product(std::int64_t a, std::int64_t b, const std::string& what) {
  require_counts(a, b, what);
  TESSERA_REQUIRE_KIND(a == 0 || b <= largest / a, ErrorKind::resource,
                       what << ": " << a << " times " << b << " is more than the program can count.");
  return a * b;
}

std::int64_t checked_sum(std::int64_t a, std::int64_t b, const std::string& what) {
  require_counts(a, b, what);
  TESSERA_REQUIRE_KIND(b <= largest - a, ErrorKind::resource,
                       what << ": " << a << " and " << b << " are together more than the program can count.");
  return a + b;
}

} // namespace tessera
