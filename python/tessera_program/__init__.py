# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
"""The command ``tessera`` of the wheel: becomes the program, without importing tessera_fem and numpy."""

import importlib.util
import os
import sys


def main() -> None:
    spec = importlib.util.find_spec("tessera_fem")
    if spec is None or spec.origin is None:
        sys.exit("tessera: error: the package tessera_fem is not installed in this Python.")
    program = os.path.join(os.path.dirname(spec.origin), "_native", "tessera")
    os.execv(program, ["tessera", *sys.argv[1:]])
