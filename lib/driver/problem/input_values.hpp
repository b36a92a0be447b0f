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

/// Expression of an input value; the reader has parsed it already, unless it has made it of others.
physics::Expression to_expression(const io::Scalar& scalar);
/// Parses a text that holds the text of `value`. Errors name the place of the value: with what stands around it, it may
/// exceed a limit of expressions that it keeps by itself.
physics::Expression parse_around(const io::Scalar& value, const std::string& text);

} // namespace tessera::driver

#endif
