# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# compare, bench, the plan of a run and the help of the command line.
tessera_add_cli_test("a box with more nodes than can be counted is refused in a dry run" CODE 3 SAYS "mesh.box: nodes: .*more than" ARGS run
                     ${plates} --dry-run --set "mesh.box.cells=[3000000, 3000000, 3000000]")
tessera_add_cli_test("a limit of memory refuses a run" CODE 3 SAYS "needs about .*execution.memory_limit allows 1.0 MiB" ARGS run ${plates} --output
                     limit-run --set "mesh.box.cells=[200, 200]" --set execution.memory_limit=0.001 --strategy row-gather)
tessera_add_cli_test("a limit of memory refuses a mesh" CODE 3 SAYS "This mesh needs about .*execution.memory_limit" ARGS mesh ${plates} -o
                     limit.vtkhdf --set "mesh.box.cells=[200, 200]" --set execution.memory_limit=0.001)
