// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PLAN_PARTS_CHECK_HPP
#define TESSERA_DRIVER_PLAN_PARTS_CHECK_HPP

#include "driver/plan/form_choice.hpp"
#include "io/input/case.hpp"

#include <string>

namespace tessera::driver {

/// What in a case is incompatible with execution.mesh: parts, as the end of a sentence; "" if nothing.
std::string why_not_in_parts(const io::Case& input);

/// Whether nodes of boundaries may share unknowns with any others: floating, periodic and antiperiodic boundaries.
bool has_shared_unknowns(const io::ProblemOptions& options);

/// Number of layers of elements, or of a box's cells, in each process's part of the mesh beyond its elements at owned
/// nodes, for values that depend on surrounding elements: 1 for values at shared nodes that are those of one of several
/// elements; 5 elements or 3 cells for recovered values. `with_coarser_elements`: at least 1, which includes all
/// children of the next coarser mesh's elements at owned nodes (each has a midpoint of their edges there).
int layers_around_part(const io::Case& input, bool with_coarser_elements);

/// Whether multigrid may make its second level from the elements of the next coarser mesh: of order 1, with strategies
/// without a matrix, or if the elements' matrices may be those of the level (driver::second_level). Below order 2 it
/// uses the same elements.
bool takes_coarser_elements(const io::Case& input, io::Preconditioner preconditioner, FormKind form, bool has_matrix);

} // namespace tessera::driver

#endif
