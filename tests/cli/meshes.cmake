# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
tessera_add_cli_test("a mesh file of an ending that cannot be read back is refused before any work" CODE 1
                     SAYS "'made.vtu' does not end in .vtkhdf, .hdf or .h5" ARGS mesh ${plates} -o made.vtu)
tessera_add_cli_test("a mesh is written to a name that ends in h5" CODE 0 SAYS "Wrote made.h5" ARGS mesh ${plates} -o made.h5)
