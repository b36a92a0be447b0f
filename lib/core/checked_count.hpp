// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_CHECKED_COUNT_HPP
#define TESSERA_CORE_CHECKED_COUNT_HPP

/// \file
/// Arithmetic of counts that reports an overflow of 64 bits instead of wrapping around.

#include <cstdint>
#include <string>

namespace tessera {

/// a * b of counts; both must be 0 or more. A result above 2^63 - 1 is an error of kind resource that names `what`
/// ("mesh.refine: elements").
std::int64_t checked_product(std::int64_t a, std::int64_t b, const std::string& what);

/// a + b of counts, as above.
std::int64_t checked_sum(std::int64_t a, std::int64_t b, const std::string& what);

} // namespace tessera

#endif
