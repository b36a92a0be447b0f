// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PLAN_PARTS_CHECK_HPP
#define TESSERA_DRIVER_PLAN_PARTS_CHECK_HPP

#include "driver/plan/form_choice.hpp"
#include "io/case.hpp"

#include <string>

namespace tessera::driver {

/// What of a case does not go with execution.mesh: parts, as the end of a sentence; "" if nothing.
std::string why_not_in_parts(const io::Case& input);

/// Whether nodes of boundaries share unknowns with others, wherever these are: floating, periodic and antiperiodic
/// ones.
bool has_shared_unknowns(const io::Case& input);

/// Layers of elements, or of a box's cells, that each process's part of the mesh has beyond its elements at own nodes,
/// for values that come from the elements around others: 1 where those at shared nodes are one of several; 5 elements
/// or 3 cells where they are recovered. `with_coarser_elements`: at least 1, which has all children of the next coarser
/// mesh's elements at own nodes (each has a midpoint of their edges there).
int layers_around_part(const io::Case& input, bool with_coarser_elements);

/// Whether multigrid may make its second level from the elements of the next coarser mesh: of order 1, by strategies
/// without a matrix, or where the elements' own matrices may be those of the level (driver::second_level). Below order
/// 2 it takes the same elements.
bool takes_coarser_elements(const io::Case& input, io::Preconditioner preconditioner, FormKind form, bool has_matrix);

} // namespace tessera::driver

#endif
