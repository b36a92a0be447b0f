// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_CHECKED_COUNT_HPP
#define TESSERA_CORE_CHECKED_COUNT_HPP

/// \file
/// Arithmetic of counts that reports an overflow of 64 bits instead of wrapping around.

#include <cstdint>
#include <string>

namespace tessera {

/// Product of two counts >= 0. Throws an error of kind resource, naming `what` ("mesh.refine: elements"), if it exceeds
/// 2^63 - 1.
std::int64_t checked_product(std::int64_t a, std::int64_t b, const std::string& what);

/// Sum of two counts, with the same check.
std::int64_t checked_sum(std::int64_t a, std::int64_t b, const std::string& what);

} // namespace tessera

#endif
