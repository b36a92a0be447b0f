// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_FORM_COVERABLE_HPP
#define TESSERA_ASSEMBLY_DG_FORM_COVERABLE_HPP

/// \file
/// Finds p-coverable elements (appendix A of the paper).

#include "assembly/dg/form/form.hpp"

namespace tessera::assembly::dg {

/// The paper's "similar in size": the radius of the ball is at least this fraction of the diagonal of the element's
/// bounding box.
constexpr double similar_size = 0.125;

/// Sets form.measures(e, 2) to infinity for elements that are not found to be p-coverable, which means that simplices
/// of their own size cover them and extend beyond them by a small distance at most. The test is sufficient, for every
/// p: each point of an element must see all of a ball in it of similar size. Cones from the points to the ball then
/// contain the simplices.
template <class ExecutionSpace, int Dim>
void lift_bounds_of_uncoverable(const ExecutionSpace& exec,
                                const Form<Dim, typename ExecutionSpace::memory_space>& form);

/// Number of elements whose bound is finite.
template <class ExecutionSpace, int Dim>
index_t count_coverable(const ExecutionSpace& exec, const Form<Dim, typename ExecutionSpace::memory_space>& form);

} // namespace tessera::assembly::dg

#endif
