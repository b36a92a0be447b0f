// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_INPUT_VALUES_HPP
#define TESSERA_DRIVER_PROBLEM_INPUT_VALUES_HPP

/// \file
/// Names and values of the input, looked up and evaluated.

#include "io/case.hpp"
#include "io/map_reader.hpp"
#include "physics/expression.hpp"

#include <string>
#include <vector>

namespace tessera::driver {

/// Place of `name` among the names; -1 when it is not there.
int find_name(const std::vector<std::string>& names, const std::string& name);

/// Number of a region that the input names; -1 and an error when the mesh lacks it. `what` ("a material is given for")
/// begins the message, `why` ends it.
int region_of(const io::GroupName& name, const std::vector<std::string>& regions, const char* what,
              io::InputErrors& errors, const std::string& why = "");

/// Expression of an input value; the reader has parsed it already.
physics::Expression to_expression(const io::Scalar& scalar);

} // namespace tessera::driver

#endif
