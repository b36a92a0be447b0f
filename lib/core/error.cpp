// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"

#include <iomanip>
#include <limits>

namespace tessera {

namespace detail {
void throw_error(ErrorKind kind, const std::string& message) { throw Error(kind, message); }
} // namespace detail

namespace {

// Counts result from sums and products of counts: a negative count has overflowed.
void refuse_negative(std::int64_t count, const char* what) {
  TESSERA_REQUIRE_KIND(count >= 0, ErrorKind::resource,
                       what << ": a count of " << count << " is negative: it has overflowed. Use a coarser mesh.");
}

} // namespace

offset_t checked_offset(std::int64_t count, const char* what) {
  refuse_negative(count, what);
  TESSERA_REQUIRE_KIND(count <= static_cast<std::int64_t>(std::numeric_limits<offset_t>::max()), ErrorKind::resource,
                       what << ": a count of " << count
                            << " does not fit 32-bit offsets. Configure with -DTessera_ENABLE_64BIT_OFFSETS=ON, or use "
                               "a matrix-free strategy (ebe-atomic, ebe-recomputed), or a coarser mesh.");
  return static_cast<offset_t>(count);
}

index_t checked_index(std::int64_t count, const char* what) {
  refuse_negative(count, what);
  TESSERA_REQUIRE_KIND(count <= static_cast<std::int64_t>(std::numeric_limits<index_t>::max()), ErrorKind::resource,
                       what << ": a count of " << count << " does not fit 32-bit numbers of nodes and elements.");
  return static_cast<index_t>(count);
}

std::string format_bytes(double bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  while (bytes >= 1024. && unit < 4) {
    bytes /= 1024.;
    ++unit;
  }
  std::ostringstream text;
  text << std::fixed << std::setprecision(unit == 0 ? 0 : 1) << bytes << ' ' << units[unit];
  return text.str();
}

} // namespace tessera
