// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_BINDING_INPUT_VALUES_HPP
#define TESSERA_DRIVER_PROBLEM_BINDING_INPUT_VALUES_HPP

/// \file
/// Looks up names and evaluates values of the input.

#include "io/input/case.hpp"
#include "io/input/map_reader.hpp"
#include "physics/expressions/expression.hpp"

#include <string>
#include <vector>

namespace tessera::driver {

/// Index of `name` among the names; -1 if it is not there.
int find_name(const std::vector<std::string>& names, const std::string& name);

/// Index of a region named in the input; -1, with an error, if the mesh lacks it. `what` ("a material is given for")
/// begins the message, `why` ends it.
int region_of(const io::GroupName& name, const std::vector<std::string>& regions, const char* what,
              io::InputErrors& errors, const std::string& why = "");

/// Expression of an input value; the reader has parsed it already, unless it was composed of others.
physics::Expression to_expression(const io::Scalar& scalar);
/// Parses a text that contains the text of `value`. Errors state the place of the value: together with the surrounding
/// text it may exceed a limit of expressions that it respects by itself.
physics::Expression parse_around(const io::Scalar& value, const std::string& text);

} // namespace tessera::driver

#endif
