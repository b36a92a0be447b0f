// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_JOINT_ROWS_HPP
#define TESSERA_ASSEMBLY_JOINT_ROWS_HPP

/// \file
/// The coupling of joints in addition to the elements of a form, for all strategies with a matrix.

#include "assembly/assembler.hpp"
#include "fe/dofs/dof_part.hpp"
#include "physics/boundaries/joints.hpp"

#include <memory>

namespace tessera::assembly {

/// Makes an assembler that adds the coupling to matrix and right-hand side of another one, which must have an assembled
/// matrix: the same bits on every backend. `dofs`: of the whole problem; the assembler is that of `part`, whose owned
/// rows get the coupling, or of the whole. Without joints returns the other one.
template <class ExecutionSpace>
std::unique_ptr<Assembler<ExecutionSpace>>
with_joint_rows(const ExecutionSpace& exec, std::unique_ptr<Assembler<ExecutionSpace>> assembler,
                const fe::DofMap<typename ExecutionSpace::memory_space>& dofs,
                const fe::DofPart<typename ExecutionSpace::memory_space>* part, const physics::JointCoupling& joints);

} // namespace tessera::assembly

#endif
