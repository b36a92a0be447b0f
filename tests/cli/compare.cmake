# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# compare, bench, the plan of a run and the help of the command line.
tessera_add_cli_test("a box with more nodes than can be counted is refused in a dry run" CODE 3 SAYS "mesh.box: nodes: .*more than" ARGS run
                     ${plates} --dry-run --set "mesh.box.cells=[3000000, 3000000, 3000000]")
