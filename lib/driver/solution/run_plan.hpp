// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_SOLUTION_RUN_PLAN_HPP
#define TESSERA_DRIVER_SOLUTION_RUN_PLAN_HPP

#include "driver/context.hpp"
#include "driver/plan/plan.hpp"
#include "driver/problem/binding/problem_binding.hpp"
#include "io/mesh_files/imported_mesh.hpp"

namespace tessera::driver {

struct KeptRun;

/// The plan of a run, which is printed and checked, with its memory reserved on a device. `kept`: as in
/// make_discretization().
template <class ExecutionSpace>
Plan make_run_plan(const ExecutionSpace& exec, const io::ImportedMesh& imported, const ProblemBinding& binding,
                   const KeptRun* kept, Context& context);

} // namespace tessera::driver

#endif
