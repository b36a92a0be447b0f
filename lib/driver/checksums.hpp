// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_CHECKSUMS_HPP
#define TESSERA_DRIVER_CHECKSUMS_HPP

/// \file
/// Checksums of reproducible runs, in the form used in the report.

#include "core/checksum.hpp"

#include <cstdio>
#include <string>

namespace tessera::driver {

inline std::string hexadecimal(std::uint64_t number) {
  char text[19];
  std::snprintf(text, sizeof text, "0x%016llx", static_cast<unsigned long long>(number));
  return text;
}

/// Checksum of an array.
template <class ExecutionSpace, class ArrayType>
std::string checksum_text(const ExecutionSpace& exec, const ArrayType& array) {
  return hexadecimal(checksum(exec, array));
}

/// Checksum of a matrix: of its row offsets, columns, and values.
template <class ExecutionSpace, class Offsets, class Columns, class Values>
std::string matrix_checksum(const ExecutionSpace& exec, const Offsets& offsets, const Columns& columns,
                            const Values& values) {
  return hexadecimal(mix_bits(checksum(exec, offsets) ^ (checksum(exec, columns) + checksum(exec, values))));
}

} // namespace tessera::driver

#endif
