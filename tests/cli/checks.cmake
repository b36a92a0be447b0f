# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Errors in a case are reported before the work starts, with their position; errors in a run end it with code 2.

tessera_add_cli_test("a capacitance without two conductors is reported by a dry run" CODE 1
                     SAYS "--set: output.quantities.0.: a capacitance is between two conductors, but 3" ARGS run ${plates}
                     --dry-run --set "output.quantities=[capacitance]" --set "problem.boundaries.top={potential: 0}")
tessera_add_cli_test("a quantity to verify that is not listed is reported by a dry run" CODE 1
                     SAYS "verification.quantities.energy: the run has no quantity 'energy'" ARGS run ${plates} --dry-run
                     --set "verification.quantities.energy={value: 1}")
tessera_add_cli_test("groups that a box lacks are reported by a dry run, all of them" CODE 1
                     SAYS "materials.iron: a material is given for 'iron'.*boundaries.lefft: the mesh has no physical group" ARGS
                     run ${plates} --dry-run --set "problem.materials.iron={relative_permittivity: 1}" --set
                     "problem.boundaries.lefft={potential: 1}")
tessera_add_cli_test("compare checks the quantities of its case" CODE 1 SAYS "a capacitance is between two" ARGS compare
                     ${plates} --set "output.quantities=[capacitance]" --set "problem.boundaries.top={potential: 0}")
tessera_add_cli_test("a dry run reports quantities that do not mean what they are called" CODE 0
                     SAYS "# Note: capacitance: the charge depends .*charge density of 'domain'" ARGS run
                     ${plates} --dry-run --set "output.quantities=[capacitance]" --set "problem.boundaries.left.potential=1"
                     --set "problem.sources.domain={charge_density: 1e-9}")
tessera_add_cli_test("a strategy that does not suit a reproducible case is reported by a dry run of a geometry" CODE 1
                     SAYS "execution.reproducible: strategy 'atomic'" ARGS run
                     ${PROJECT_SOURCE_DIR}/inputs/coax/coax.yaml --dry-run --strategy atomic --set execution.reproducible=true)
tessera_add_cli_test("a tolerance that asks for no solution is refused" CODE 1 SAYS "between 0 and 0.001, but is 1" ARGS run
                     ${plates} --set solver.relative_tolerance=1)
tessera_add_cli_test("an absolute tolerance that is met without a solution ends with code 2" CODE 2
                     SAYS "the true residual is 1 times the right-hand side" ARGS run ${plates} --output loose --set
                     solver.absolute_tolerance=1)
tessera_add_cli_test("a quantity that is missed ends with code 2" CODE 2 SAYS "energy differs from the expected" ARGS run
                     ${plates} --output missed --set "output.quantities=[energy]" --set
                     "verification.quantities.energy={value: 1e-12, tolerance: 1e-3}")
tessera_add_cli_test("an exact solution that is no number ends with code 2" CODE 2 SAYS "error.l2 +nan.*The error of l2 is nan"
                     ARGS run ${plates} --output no-number --set "verification.exact=sqrt(x - 2)")
tessera_add_cli_test("an energy beyond the range of numbers ends with code 2" CODE 2
                     SAYS "energy +inf J.*The quantity energy is inf" ARGS run ${plates} --output overflow --set
                     "output.quantities=[energy]" --set problem.boundaries.left.potential=1e200)
tessera_add_cli_test("small potentials suit multigrid in single precision, whose levels are reported" CODE 0
                     SAYS "PCG: converged in .*multigrid +4 levels, 3 of them coarsened geometrically, of 1.?599 to 24 .*residuals times 0.0[0-9] per iteration" ARGS run
                     ${plates} --output small --set problem.boundaries.left.potential=1e-60 --set "mesh.box.cells=[40, 40]"
                     --set solver.preconditioner=multigrid)
tessera_add_cli_test("multigrid is a method of its own, whose factor is reported" CODE 0
                     SAYS "multigrid: converged in .*residuals times 0.[01][0-9]* per iteration.*solver: multigrid" ARGS run
                     ${plates} --output alone --set "mesh.box.cells=[40, 40]" --set solver.method=multigrid)
tessera_add_cli_test("multigrid that does not converge by itself ends with code 2 and says what to try" CODE 2
                     SAYS "multigrid: the residual does not fall: .*Use method pcg" ARGS run
                     ${plates} --output stalled --set "mesh.box={cells: [64, 64], upper: [1, 0.001]}" --set solver.method=multigrid)
tessera_add_cli_test("potentials whose squares vanish have a solution" CODE 0 SAYS "PCG: converged in .*in units of" ARGS run
                     ${plates} --output underflow --set problem.boundaries.left.potential=1e-153)

# tessera mesh --list
tessera_add_cli_test("groups of a mesh are listed" CODE 0 SAYS "domain +800 +1 +.0, 1. x .0, 1. +none.*right +20 +1 +.1, 1. x .0, 1. +domain" ARGS mesh ${plates}
                     --list)
if(Tessera_HAVE_GMSH)
  tessera_add_cli_test("surfaces and curves of a geometry are listed with their numbers, in a group or not" CODE 0
                       SAYS "surface +name +in group.* 1 +- +domain .*curve +name.* 1 +- +bottom .* 2 +- +- .*10 more, of higher numbers, are left out" ARGS mesh
                       ${CMAKE_CURRENT_SOURCE_DIR}/many-curves.geo --list)
endif()
tessera_add_cli_test("a mesh is either written or listed" CODE 1 SAYS "give either -o FILE, to write the mesh, or --list" ARGS mesh ${plates})
tessera_add_cli_test("a list of groups needs no problem, but a right mesh" CODE 1 SAYS "mesh.boxx: unknown key 'boxx'" ARGS mesh ${plates} --list --set
                     "mesh.boxx=1" --set problem=)
tessera_add_cli_test("groups of a geometry that is missing are not listed" CODE 1 SAYS "the file 'missing.step' does not exist" ARGS mesh missing.step --list)
tessera_add_cli_test("a unit that is unknown is refused" CODE 1 SAYS "mesh.units: unknown unit 'mn'; did you mean" ARGS mesh missing.geo --list --set
                     mesh.units=mn)
tessera_add_cli_test("units and scale exclude each other" CODE 1 SAYS "cannot be combined with scale" ARGS mesh missing.geo --list --set mesh.units=mm --set mesh.scale=2)
