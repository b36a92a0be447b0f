# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the tests share: ctest reports the exit code 77 as skipped."""

import sys

SKIPPED = 77

try:
    import numpy  # noqa: F401
except ImportError:
    print("skipped: this Python has no numpy")
    sys.exit(SKIPPED)

#: a plane capacitor without fringe field: 1 m by 1 m, 2 V across, one material
PLATES = {
    "tessera": 1,
    "title": "Plates",
    "mesh": {"box": {"cells": [8, 8], "lower": [0, 0], "upper": [1, 1]}},
    "problem": {
        "physics": "electrostatics",
        "depth": 1.0,
        "materials": {"domain": {"relative_permittivity": 3.0}},
        "boundaries": {"left": {"potential": 0}, "right": {"potential": 2}},
    },
    "output": {"fields": ["potential", "electric_field", "material"], "quantities": ["energy", "charge", "capacitance"]},
}
EPSILON_0 = 8.8541878128e-12  # F/m
