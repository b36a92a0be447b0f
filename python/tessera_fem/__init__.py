# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tessera from Python: runs of cases with results as arrays (docs/python.md).

>>> import tessera_fem as tf
>>> case = tf.load("capacitor.yaml")
>>> case["mesh.parameters.gap"] = 0.5e-3
>>> run = case.run()
>>> run.quantities["capacitance"]
"""

from __future__ import annotations

from ._native import _core
from .assembly import Solution, System, assemble, solve
from .blocks import BlockSystem, assemble_dg
from .cases import Case, Sweep, load, sweep
from .errors import Error, InputError, NumericalError, Problem, ResourceError
from .meshes import CellMesh, mesh
from .runs import DeviceFields, Fields, Mesh, Picture, Quantity, Run, Table

__version__: str = _core.version


def start(threads: int = 0, device: int = -1) -> None:
    """Starts the threads of the host, and the GPU if the build has one; otherwise the first run does so.

    threads: number of threads; 0: OMP_NUM_THREADS, else one per processor. device: number of the GPU; -1: the first.
    Both stay as they are until the process ends: another number later is an InputError.
    """
    running = _core.started_threads()
    if running > 0 and threads not in (0, running):
        raise InputError(f"start: this process runs with {running} threads, which cannot be changed to {threads}.")
    _core.start(threads, device)


def backends() -> list[str]:
    """Backends of this build: "serial", "openmp", "cuda", ..."""
    return _core.backends()


def info() -> str:
    """Versions, devices and options of this build, as ``tessera info`` prints them."""
    return _core.info()


__all__ = [
    "BlockSystem", "Case", "CellMesh", "DeviceFields", "Error", "Fields", "InputError", "Mesh", "NumericalError", "Picture", "Problem",
    "Quantity", "ResourceError", "Run",
    "Solution", "Sweep", "System", "Table", "assemble", "assemble_dg", "backends", "info", "load", "mesh", "solve", "start", "sweep"
]
