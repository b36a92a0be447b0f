// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/advice/checks.hpp"

#include "driver/mesh/box_groups.hpp"
#include "driver/plan/plan.hpp"
#include "io/input/output_check.hpp"

namespace tessera::driver {

namespace {

struct Check {
  Known needs;
  void (*run)(const Facts& facts, Notes& notes);
};

/// Where nothing else is said, in the order in which users see the notes. What the reader of the input checks is in
/// io/input/sections, what needs the names of groups in problem/binding, loose parts are a phase of their own.
const Check checks[] = {
    {Known::input, [](const Facts& facts, Notes&) { check_processes(facts.input, facts.n_processes); }},
    {Known::input,
     [](const Facts& facts, Notes&) {
       if (facts.writes)
         io::check_outputs(facts.input, io::run_outputs(facts.input));
     }},
    {Known::input, [](const Facts& facts, Notes&) { check_reproducible(facts.input); }},
    {Known::input, [](const Facts& facts,
                      Notes& notes) { notes.insert(notes.end(), facts.input.notes.begin(), facts.input.notes.end()); }},
    {Known::input, quantity_notes},
    {Known::input,
     [](const Facts& facts, Notes& notes) { note_idle_threads(facts.input, {facts.input.execution.backend}, notes); }},
    {Known::mesh, [](const Facts& facts, Notes&) { check_processes(facts.input, *facts.mesh, facts.n_processes); }},
    {Known::binding, check_touching_conductors},
    {Known::binding,
     [](const Facts& facts, Notes& notes) {
       if (facts.input.mesh.source != io::MeshSource::box)
         return axis_notes(facts, notes);
       const io::ImportedMesh cell = box_of_one_cell(facts.input.mesh);
       Facts of_cell = facts;
       of_cell.mesh = &cell;
       axis_notes(of_cell, notes);
     }},
    {Known::binding, linear_shell_notes},
    {Known::binding, gap_notes},
    {Known::plan, plan_notes},
};

} // namespace

void run_checks(Known known, const Facts& facts, Notes& notes) {
  for (const Check& check : checks)
    if (check.needs == known)
      check.run(facts, notes);
}

} // namespace tessera::driver
