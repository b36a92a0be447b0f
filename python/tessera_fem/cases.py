# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
"""Cases: inputs whose keys can be read, changed and run."""

from __future__ import annotations

import itertools
import logging
import os
import sys
from typing import Any, Callable, Iterable, Iterator, Mapping, Optional, Union

from ._native import _core
from .errors import Error, NumericalError, ResourceError
from .meshes import CellMesh
from .runs import Run

log = logging.getLogger("tessera_fem")

Progress = Union[bool, Callable[[str], None]]


class Case:
    """An input: the keys of docs/input-reference.md, by their paths.

    ``case["mesh.parameters.gap"] = 0.5e-3`` sets a key, ``del case[...]`` removes it. Values are numbers (SI units, as in
    the YAML), texts, expressions as texts ("0.0254/32", "sin(pi*x)"), lists, dicts and numpy arrays. Nothing is checked
    before check() or run().
    """

    def __init__(self, native: _core.Case, kept: Iterable[CellMesh] = ()) -> None:
        self._native = native
        self._kept = list(kept)  # meshes in memory that keys refer to

    def __getitem__(self, path: str) -> Any:
        """The value of a key as the input gives it; KeyError if it does not. resolved() also has the defaults."""
        return self._native.get(path)

    def __setitem__(self, path: str, value: Any) -> None:
        if value is None:
            raise TypeError(f"{path}: None is no value; 'del case[path]' removes a key.")
        self._native.set(path, value)
        self._kept += _meshes_in(value)

    def __delitem__(self, path: str) -> None:
        self._native.get(path)
        self._native.remove(path)

    def __contains__(self, path: str) -> bool:
        try:
            self._native.get(path)
        except KeyError:
            return False
        return True

    def get(self, path: str, default: Any = None) -> Any:
        """The value of a key, or ``default``."""
        return self._native.get(path) if path in self else default

    def copy(self) -> Case:
        """An independent copy."""
        return Case(_core.Case(self._native), self._kept)

    def with_values(self, values: Mapping[str, Any]) -> Case:
        """A copy with other values of some keys."""
        other = self.copy()
        for path, value in values.items():
            other[path] = value
        return other

    def to_dict(self) -> dict[str, Any]:
        """All keys as given."""
        return self._native.to_dict()

    def resolved(self) -> dict[str, Any]:
        """All keys with their defaults, as in resolved.yaml. Raises InputError if the input is wrong."""
        return self._native.resolved()

    def check(self) -> None:
        """Raises InputError, with every problem of the input, if it is wrong."""
        self._native.check()

    def run(self, backend: Optional[str] = None, output: Union[None, bool, str, os.PathLike[str]] = None,
            progress: Progress = False, check: bool = True) -> Run:
        """Runs the case and returns its results.

        backend: "openmp", "cuda", ...; None: execution.backend.
        output: folder for the files that the program writes; True: output.directory; None: no files are written.
        progress: True shows phases and iterations on standard error; a function receives them as texts, at most ten
            times a second. Lines of the program go to the logger "tessera_fem" with the level INFO.
        check: raise NumericalError (or ResourceError) if there is no usable solution. With False look at ``converged``.

        Other threads of Python continue meanwhile. Ctrl-C ends the run at the next phase or at an iteration.
        """
        folder: Optional[str] = None
        if isinstance(output, bool):
            folder = self.resolved()["output"]["directory"] if output else None
        elif output is not None:
            folder = os.fspath(output)
        show = _Terminal() if progress is True else progress or None
        try:
            native = _core.run(self._native, backend, folder, _log_line, show)
        finally:
            if isinstance(show, _Terminal):
                show.end()
        run = Run(native)
        for note in run.notes:
            log.warning("%s", note)
        if check and native.exit_code != 0:
            kind = ResourceError if native.exit_code == ResourceError.exit_code else NumericalError
            raise kind(native.message, run)
        return run

    def __repr__(self) -> str:
        return f"<tessera_fem.Case {self.get('title', '')!r}>"


def _meshes_in(value: Any) -> list[CellMesh]:
    if isinstance(value, Mapping):
        return [mesh for entry in value.values() for mesh in _meshes_in(entry)]
    return [value] if isinstance(value, CellMesh) else []


class _Terminal:
    """A line on standard error that is drawn again and again."""

    def __call__(self, text: str) -> None:
        sys.stderr.write("\r\x1b[K" + text[:79])
        sys.stderr.flush()

    def end(self) -> None:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


def _log_line(text: str) -> None:
    if not text.startswith("note: "):  # these are logged as warnings
        log.info("%s", text)


def load(source: Union[str, os.PathLike[str], Mapping[str, Any]], folder: Union[str, os.PathLike[str]] = ".") -> Case:
    """A case from a YAML file, or from a dict with the same keys, whose paths of files refer to ``folder``.

    Raises InputError if the file cannot be read or is no YAML.
    """
    if isinstance(source, Mapping):
        return Case(_core.case_of_dict(dict(source), os.fspath(folder)), _meshes_in(source))
    return Case(_core.read_case(os.fspath(source)))


class Sweep:
    """The runs of a sweep, in order. ``values`` has the varied keys of each; ``errors`` what ended those without results.
    """

    def __init__(self, keys: list[str]) -> None:
        self.keys = keys
        self.values: list[dict[str, Any]] = []
        self.runs: list[Optional[Run]] = []
        self.errors: list[Optional[Error]] = []

    def __len__(self) -> int:
        return len(self.runs)

    def __iter__(self) -> Iterator[Optional[Run]]:
        return iter(self.runs)

    def __getitem__(self, index: int) -> Optional[Run]:
        return self.runs[index]

    def table(self) -> dict[str, list[Any]]:
        """Columns: the varied keys, every quantity (None where a run lacks it), iterations, seconds, and the error."""
        names = list(dict.fromkeys(name for run in self.runs if run is not None for name in run.quantities))
        rows = list(zip(self.values, self.runs, self.errors))
        columns: dict[str, list[Any]] = {key: [values[key] for values, _, _ in rows] for key in self.keys}
        for name in names:
            columns[name] = [None if run is None or name not in run.quantities else float(run.quantities[name])
                             for _, run, _ in rows]
        columns["iterations"] = [None if run is None else run.iterations for _, run, _ in rows]
        columns["seconds"] = [None if run is None else run.seconds for _, run, _ in rows]
        columns["error"] = [None if error is None else str(error) for _, _, error in rows]
        return columns

    def to_pandas(self) -> Any:
        """table() as pandas.DataFrame."""
        import pandas
        return pandas.DataFrame(self.table())


def sweep(case: Union[Case, Iterable[Case]], values: Optional[Mapping[str, Iterable[Any]]] = None, *,
          raises: bool = False, **options: Any) -> Sweep:
    """Runs a case for all combinations of values of some keys (the last key varies fastest), or each of several cases.

    A failing run does not end the others unless ``raises``. Further options are those of Case.run().
    """
    keys = list(values or {})
    if isinstance(case, Case):
        lists = [list(values[key]) for key in keys] if values else []
        points = [dict(zip(keys, point)) for point in itertools.product(*lists)]
        cases = [case.with_values(point) for point in points]
    elif values:
        raise TypeError("sweep: either a case with values of its keys, or a list of cases.")
    else:
        cases = list(case)
        points = [{} for _ in cases]
    result = Sweep(keys)
    for point, one in zip(points, cases):
        run, error = None, None
        try:
            run = one.run(**options)
        except Error as problem:
            if raises:
                raise
            error = problem
            log.error("%s: %s", ", ".join(f"{key} = {value}" for key, value in point.items()) or "a case", problem)
        result.values.append(point)
        result.runs.append(run)
        result.errors.append(error)
    return result
