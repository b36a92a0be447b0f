// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_FORM_JOINT_FACES_HPP
#define TESSERA_ASSEMBLY_DG_FORM_JOINT_FACES_HPP

/// \file
/// The faces of joints, at which the form has the integral of g [u] [v] in place of averages and penalty.

#include "assembly/dg/form/form.hpp"

namespace tessera::assembly::dg {

/// Sets Form::joints and Form::conductances. Joints lie between regions.
template <class ExecutionSpace, int Dim>
void set_joints(const ExecutionSpace& exec, const mesh::PolytopicMesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                const std::vector<physics::Joint>& joints, Form<Dim, typename ExecutionSpace::memory_space>& form);

/// What passes each joint of the form for the function u, [n_dofs]; in a time slab the mean over it.
template <class ExecutionSpace, int Dim>
std::vector<physics::JointTotals>
joint_totals(const ExecutionSpace& exec, const Form<Dim, typename ExecutionSpace::memory_space>& form,
             const Array<const double*, ExecutionSpace>& u, const std::vector<std::string>& region_names);

} // namespace tessera::assembly::dg

#endif
