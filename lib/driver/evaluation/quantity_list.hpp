// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_EVALUATION_QUANTITY_LIST_HPP
#define TESSERA_DRIVER_EVALUATION_QUANTITY_LIST_HPP

#include "driver/results.hpp"
#include "io/case.hpp"

namespace tessera::driver {

/// Whether the input asks for a quantity.
bool wants(const io::Case& input, io::Quantity quantity);

/// Adds a quantity, with a failure if it is no finite number and a note if it is tiny.
void add_quantity(Results& results, const std::string& name, double value, const std::string& unit);

} // namespace tessera::driver

#endif
