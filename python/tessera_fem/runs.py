# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
"""Results of runs: quantities with units, fields as arrays, tables, the report."""

from __future__ import annotations

import html
import os
import tempfile
from collections.abc import Mapping
from typing import Any, Iterator, Optional, Sequence, Union

import numpy as np

from . import interpolation
from ._native import _core
from .errors import InputError


class Quantity(float):
    """A number of the results; a float with

    unit: "F"; "1" if it has none.
    at: place of an extreme in m, shape (dimension,), or None.
    error_estimate: estimated relative error of the discretization, or None if the run has no estimate. With output.errors
        that of the quantity; otherwise only energies of adaptive runs have one: the square of the estimated error of the
        field in the energy norm.
    error: relative error where the input has the exact value (verification), or None.
    """

    unit: str
    at: Optional[np.ndarray]
    error_estimate: Optional[float]
    error: Optional[float]

    def __new__(cls, value: float, unit: str = "1", at: Optional[Sequence[float]] = None,
                error_estimate: Optional[float] = None, error: Optional[float] = None) -> Quantity:
        self = super().__new__(cls, value)
        self.unit = unit
        self.at = None if at is None else np.asarray(at, dtype=float)
        self.error_estimate = error_estimate
        self.error = error
        return self

    @property
    def value(self) -> float:
        """The number alone."""
        return float(self)

    def __reduce__(self) -> Any:
        return Quantity, (float(self), self.unit, self.at, self.error_estimate, self.error)

    def __repr__(self) -> str:
        return f"{float(self):.10g}" + ("" if self.unit == "1" else f" {self.unit}")

    __str__ = __repr__


class Fields(Mapping):
    """Fields by name, as numpy arrays on the memory of the run, without copies.

    Shapes: (n,) for scalars, (n, 3) for vectors, whose third component is 0 in the plane; n is the number of points of
    the mesh (``points``) or of its cells (``cells``). In time-dependent problems point fields have the steps as first
    index. ``fields[name]`` is the field at points if it is there, else in cells.
    """

    def __init__(self, native: _core.Run, groups: Sequence[str]) -> None:
        self._native = native
        self._groups = groups

    def _full_name(self, name: str) -> str:
        names = self._native.array_names()
        for group in self._groups:
            if group + name in names:
                return group + name
        raise KeyError(f"{name}; the run has {', '.join(self) or 'none'} (output.fields)")

    def __getitem__(self, name: str) -> np.ndarray:
        return self._native.array(self._full_name(name))

    def __iter__(self) -> Iterator[str]:
        names = self._native.array_names()
        return iter(dict.fromkeys(n[len(g):] for g in self._groups for n in names if n.startswith(g)))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def unit(self, name: str) -> str:
        """Unit of a field, "V/m"; "1" if it has none."""
        return self._native.unit(self._full_name(name)) or "1"


class DeviceFields(Fields):
    """The fields in the memory of the GPU of the run's backend, as objects with the protocol of DLPack
    (``cupy.from_dlpack(run.device_fields["potential"])``): copied there when first asked for, and kept by the run until it is
    closed. After runs on hosts these are the arrays of ``fields``."""

    def __init__(self, native: _core.Run, groups: Sequence[str]) -> None:
        super().__init__(native, groups)
        self._copies: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        full = self._full_name(name)
        if full not in self._copies:
            self._copies[full] = self._native.device_array(full)
        return self._copies[full]


class Mesh:
    """The mesh of the fields, in the numbering of the user's mesh; nodes of edges (order 2) follow the vertices.

    points: float64, shape (n_points, 3), in m.
    cells: int64, shape (n_cells, 3, 6, 4 or 10): nodes of each triangle or tetrahedron, in the order of VTK.
    """

    def __init__(self, native: _core.Run) -> None:
        if "Points" not in native.array_names():
            raise InputError("output.fields: the run has no fields, and so no mesh of them.")
        self.points: np.ndarray = native.array("Points")
        self.cells: np.ndarray = native.array("Connectivity")

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return 2 if self.cells.shape[1] in (3, 6) else 3

    @property
    def vtk_cell_type(self) -> int:
        """VTK's number of the type of all cells."""
        return {3: 5, 6: 22, 4: 10, 10: 24}[self.cells.shape[1]]


class Table(Mapping):
    """Columns of a table by name: numpy arrays of shape (n_rows,), or lists of texts. ``units`` has their units."""

    def __init__(self, columns: Sequence[tuple[str, str, Any]]) -> None:
        self._columns = {name: values for name, _, values in columns}
        self.units: dict[str, str] = {name: unit for name, unit, _ in columns}

    def __getitem__(self, name: str) -> Any:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def to_pandas(self) -> Any:
        """The table as pandas.DataFrame."""
        import pandas
        return pandas.DataFrame(dict(self._columns))


class Picture:
    """A picture in memory: ``data`` in ``format`` ("png", "svg", "pdf"), which notebooks show."""

    def __init__(self, data: bytes, format: str) -> None:
        self.data = data
        self.format = format

    def _repr_png_(self) -> Optional[bytes]:
        return self.data if self.format == "png" else None

    def _repr_svg_(self) -> Optional[str]:
        return self.data.decode("utf-8") if self.format == "svg" else None


class Run:
    """The results of a run. Arrays stay valid after the run is dropped or closed; their memory is freed with the last of
    them."""

    def __init__(self, native: _core.Run) -> None:
        self._native = native
        self._device_fields: Optional[DeviceFields] = None
        #: everything that report.yaml says (docs/report.md)
        self.report: dict[str, Any] = native.report()
        #: numbers by name, "capacitance", "charge.high"; of a time-dependent problem those of the last step
        self.quantities: dict[str, Quantity] = self._quantities()

    def _quantities(self) -> dict[str, Quantity]:
        rounds = self.report.get("adaptation") or []
        errors = self.report.get("errors") or {}
        of_field = rounds[-1].get("estimated_error") if rounds else None

        def estimate(name: str, entry: Mapping) -> Optional[float]:
            if "estimated_error" in entry:
                error, size = entry["estimated_error"], abs(entry["value"])
                return error / size if size > 0 else (0.0 if error == 0 else float("inf"))
            return of_field**2 if of_field is not None and name == "energy" else None

        return {name: Quantity(entry["value"], entry.get("unit") or "1", entry.get("at"), estimate(name, entry),
                               errors.get(name))
                for name, entry in (self.report.get("quantities") or {}).items()}

    @property
    def converged(self) -> bool:
        """Whether the results are a solution; see ``message`` otherwise."""
        return self._native.exit_code == 0

    @property
    def exit_code(self) -> int:
        """What the program would return: 0, or 2 without a usable solution, or 3."""
        return self._native.exit_code

    @property
    def message(self) -> str:
        """The reason for another exit code than 0."""
        return self._native.message

    @property
    def notes(self) -> list[str]:
        """What was dropped, changed or is doubtful."""
        return self.report.get("notes") or []

    @property
    def iterations(self) -> int:
        """Of the solver, in all linear systems."""
        return self._native.iterations

    @property
    def residual(self) -> float:
        """Relative residual of the last linear system; of Newton's method in nonlinear problems."""
        return self._native.residual

    @property
    def seconds(self) -> float:
        """Sum of all phases."""
        return self.report["total_seconds"]

    @property
    def errors(self) -> dict[str, float]:
        """Errors of ``verification``, relative if the exact value is known: "l2", "h1", "capacitance"."""
        return self.report.get("errors") or {}

    @property
    def directory(self) -> Optional[str]:
        """Folder of the files; None: none were written."""
        return self._native.directory or None

    @property
    def fields(self) -> Fields:
        """Fields at points, or in cells where a field is not at points."""
        return Fields(self._native, ["PointData/", "CellData/"])

    @property
    def device_fields(self) -> DeviceFields:
        """The fields on the GPU of the backend."""
        if self._device_fields is None:
            self._device_fields = DeviceFields(self._native, ["PointData/", "CellData/"])
        return self._device_fields

    @property
    def point_fields(self) -> Fields:
        """Fields at points alone."""
        return Fields(self._native, ["PointData/"])

    @property
    def cell_fields(self) -> Fields:
        """Fields in cells alone, constant in each."""
        return Fields(self._native, ["CellData/"])

    @property
    def mesh(self) -> Mesh:
        """Points and cells of the fields."""
        return Mesh(self._native)

    @property
    def regions(self) -> list[str]:
        """Names of the regions: ``fields["material"]`` counts them from 0."""
        return self.report["mesh"]["regions"]

    @property
    def times(self) -> np.ndarray:
        """Times of the fields in s, shape (n_steps,); empty if the problem does not depend on time."""
        return np.asarray(self._native.times)

    @property
    def tables(self) -> dict[str, Table]:
        """Probes of the input by name, and "quantities" of time-dependent problems, with a row per step."""
        return {name.removesuffix(".csv"): Table(self._native.table(name)) for name in self._native.table_names()}

    def probe(self, points: Any, fields: Optional[Sequence[str]] = None) -> dict[str, np.ndarray]:
        """Fields at points by interpolation in the mesh of the fields (with ``dg`` in its subdivided elements).

        points: shape (n, 2 or 3), in m. fields: names; None: all. Returns arrays of shape (n,), (n, 3), or with the steps
        as first index; NaN outside of the mesh. In an element, the result of order 1 or 2 is exact for fields at points;
        fields in cells are those of the cell.
        """
        mesh = self.mesh
        where = interpolation.locate(mesh.points, mesh.cells, points)
        result = {}
        for name in fields if fields is not None else self.fields:
            at_points = name in self.point_fields
            values = (self.point_fields if at_points else self.cell_fields)[name]
            has_steps = at_points and len(self.times) > 0
            result[name] = where.values_of(values, mesh.cells, at_points, has_steps)
        return result

    def to_pyvista(self) -> Any:
        """A pyvista.UnstructuredGrid with all fields; of time-dependent problems those of the last step."""
        import pyvista
        mesh = self.mesh
        n_nodes = mesh.cells.shape[1]
        cells = np.hstack([np.full((len(mesh.cells), 1), n_nodes), mesh.cells]).ravel()
        grid = pyvista.UnstructuredGrid(cells, np.full(len(mesh.cells), mesh.vtk_cell_type, np.uint8), mesh.points)
        for name, values in self.point_fields.items():
            grid.point_data[name] = values[-1] if len(self.times) > 0 else values
        for name, values in self.cell_fields.items():
            grid.cell_data[name] = values
        return grid

    def plot(self, show: str, file: Union[None, str, os.PathLike[str]] = None, *, component: str = "", scale: str = "",
             range: Optional[Sequence[float]] = None, window: Optional[Sequence[float]] = None, section: str = "",
             mesh: bool = False, pixels: int = 1440) -> Picture:
        """A picture of a field, or of "mesh", as ``tessera plot`` draws it; a notebook shows it.

        file: also writes it, as .png, .svg or .pdf. component: "x" of a vector. scale: "linear" or "logarithmic".
        range: limits of the colours. window: x0, y0, x1, y1 in m. section: "z=0.01", a cut of a body. mesh: with edges.
        pixels: width, 100 to 10000.
        For views that can be turned see to_pyvista().
        """
        def text(numbers: Optional[Sequence[float]]) -> str:
            return "" if numbers is None else ",".join(repr(float(number)) for number in numbers)

        with tempfile.TemporaryDirectory() as folder:
            self._native.write(folder)
            path = os.path.join(folder, "picture.png") if file is None else os.fspath(file)
            _core.plot(folder, show, path, component, scale, text(range), text(window), section, mesh, pixels)
            with open(path, "rb") as stream:
                return Picture(stream.read(), os.path.splitext(path)[1][1:].lower())

    def close(self) -> None:
        """Frees fields and tables, except those of which arrays are in use; further requests raise InputError."""
        self._device_fields = None
        self._native.close()

    def __repr__(self) -> str:
        lines = [f"<tessera_fem.Run {self.report.get('title', '')!r}{'' if self.converged else ', NOT CONVERGED'}"]
        return "\n".join(lines + [f"  {name:24} {value}" for name, value in self.quantities.items()]) + ">"

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{html.escape(name)}</td><td>{float(value):.10g}</td><td>{html.escape(value.unit)}</td></tr>"
                       for name, value in self.quantities.items())
        failure = "" if self.converged else f"<p><b>No usable solution:</b> {html.escape(self.message)}</p>"
        notes = "".join(f"<li>{html.escape(note)}</li>" for note in self.notes)
        return f"<h4>{html.escape(str(self.report.get('title', '')))}</h4>{failure}<table>{rows}</table><ul>{notes}</ul>"
