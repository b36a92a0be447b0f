# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Work that must grow with the size of the problem, not with its square: these tests take seconds; if every element were tested for
# every point, they would exceed the time limit.
tessera_add_cli_test(
  "many points of a probe in a large mesh take seconds" CODE 0 SAYS "output: probes" ARGS run ${plates} --output many-points --set
  "mesh.box.cells=[500, 500]" --set "problem.materials.domain.relative_permittivity=1" --set
  "problem.boundaries.left.potential=1" --set "solver.initial_guess=1 - x" --set
  "output.probes={cut: {from: [0.1, 0.2], to: [0.9, 0.7], points: 250000}}")
