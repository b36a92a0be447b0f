// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_COMPARE_FIELD_DIFFERENCES_HPP
#define TESSERA_DRIVER_COMPARE_FIELD_DIFFERENCES_HPP

#include "driver/compare/result_differences.hpp"

#include <string>

namespace tessera::driver::detail {

/// Adds the differences between two files of fields (fields.vtkhdf): fields node by node and element by element, for
/// all steps, if the meshes are the same, otherwise the reason why they are not compared. Reads some megabytes at a
/// time; of files in pieces, whose elements have another order, the mesh and one step of a field.
void add_field_differences(const std::string& first, const std::string& second, ResultDifferences& found);

} // namespace tessera::driver::detail

#endif
