# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
"""Assembly and solution for other programs: matrices of -div(D grad u) = s on given meshes, and systems given as CRS arrays."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Optional

import numpy as np

from ._native import _core
from .errors import InputError, NumericalError

_PRECONDITIONERS = ("multigrid", "jacobi", "none")


class Solution(NamedTuple):
    """What a solver returns."""

    values: np.ndarray  #: float64; of solve() the unknowns, of System.solve() the values at all nodes
    iterations: int
    residual: float  #: ||b - A x|| / ||b||, computed at the end


def _is_on_gpu(value: Any) -> bool:
    return hasattr(value, "__dlpack_device__") and value.__dlpack_device__()[0] not in (1, 3)  # memory of hosts, plain or pinned


def _on_host(value: Any) -> Any:
    """Arrays of GPUs (CuPy, PyTorch) copied to the host, others as they are."""
    if not _is_on_gpu(value):
        return value
    return value.get() if hasattr(value, "get") else value.cpu().numpy() if hasattr(value, "cpu") else np.asarray(value)


def _as_array(name: str, value: Any) -> np.ndarray:
    try:
        return np.asarray(value)
    except ValueError as error:  # rows of different lengths
        raise InputError(f"{name}: {error}") from None


def _call(function: Any, *arguments: Any) -> Any:
    """Calls the library, which reads arrays of GPUs by DLPack."""
    try:
        return function(*arguments)
    except TypeError as error:
        if "incompatible function arguments" not in str(error):
            raise
        raise InputError("An array on a GPU cannot be read: it has no memory any more, or its library does not give it.") from error


def _texts(**texts: Any) -> None:
    for name, text in texts.items():
        if not isinstance(text, str):
            raise InputError(f"{name}: {text!r} is no text.")


def _array(name: str, value: Any, kind: str, shape: tuple[Optional[int], ...], dtype: Any) -> Any:
    """A contiguous array of a type; `kind` is "floating" or "integer", None in the shape any extent. Arrays of GPUs stay there,
    and are not searched for numbers that are not finite."""
    if _is_on_gpu(value):
        found = str(value.dtype).rpartition(".")[2]
        if found != np.dtype(dtype).name:
            raise InputError(f"{name}: the dtype is {found}; on a GPU {np.dtype(dtype).name} is needed.")
        if len(value.shape) != len(shape) or any(n is not None and n != m for n, m in zip(shape, value.shape)):
            raise InputError(f"{name}: the shape is {tuple(value.shape)}; {shape} is needed.")
        return value
    array = _as_array(name, value)
    allowed = np.issubdtype(array.dtype, np.integer) or (kind == "floating" and np.issubdtype(array.dtype, np.floating))
    if not allowed:
        raise InputError(f"{name}: the dtype is {array.dtype}; {kind} numbers are needed.")
    if array.ndim != len(shape) or any(n is not None and n != m for n, m in zip(shape, array.shape)):
        wanted = ", ".join("n" if n is None else str(n) for n in shape)
        raise InputError(f"{name}: the shape is {array.shape}; ({wanted}{',' if len(shape) == 1 else ''}) is needed.")
    if kind == "integer" and array.size > 0 and (array.min() < np.iinfo(dtype).min or array.max() > np.iinfo(dtype).max):
        raise InputError(f"{name}: numbers from {array.min()} to {array.max()} do not fit {np.dtype(dtype).name}.")
    if kind == "floating" and not np.isfinite(array).all():
        raise InputError(f"{name}: not all numbers are finite.")
    return np.ascontiguousarray(array, dtype)


def _solver(preconditioner: str, tolerance: float, max_iterations: int) -> tuple[str, float, int]:
    if preconditioner not in _PRECONDITIONERS:
        raise InputError(f"preconditioner: unknown name {preconditioner!r}; allowed: {', '.join(_PRECONDITIONERS)}.")
    return preconditioner, float(tolerance), int(max_iterations)


def _solution(result: tuple[np.ndarray, int, float, bool, str]) -> Solution:
    values, iterations, residual, converged, message = result
    if not converged:
        raise NumericalError(message)
    return Solution(values, iterations, residual)


class System:
    """An assembled system K u = f. Its arrays are those of the assembly, without copies: numpy on hosts, objects with the
    protocol of DLPack on GPUs (``cupy.from_dlpack(system.values)``). refill() writes into the same arrays.

    offsets: int32 (int64 in builds with 64-bit offsets), shape (n_unknowns + 1,).
    columns: int32, shape (n_entries,), ascending in each row. values: float64, shape (n_entries,).
    rhs: float64, shape (n_unknowns,), with the effect of fixed values.
    node_unknown: int32, shape (n_nodes,): the unknown of each node; numbers from n_unknowns on are fixed nodes. Nodes are the
        points, and for order 2 then the edges.
    """

    def __init__(self, native: _core.System, points: np.ndarray, cells: np.ndarray, n_regions: int, order: int) -> None:
        self._native = native
        self._mesh = points, cells, n_regions, order
        arrays = native.arrays()
        self.offsets, self.columns, self.values = arrays["offsets"], arrays["columns"], arrays["values"]
        self.rhs, self.node_unknown = arrays["rhs"], arrays["node_unknown"]
        self.n_unknowns: int = arrays["n_unknowns"]

    @property
    def backend(self) -> str:
        """Backend in whose memory the arrays are."""
        return self._native.backend

    def refill(self, coefficients: Any = 1.0, source: Any = 0.0, fixed_values: Any = 0.0) -> None:
        """Computes values and rhs again for other data, in the shapes of assemble(). A number or data by region cannot
        become data by element, or the reverse. Arrays on the GPU of the backend (CuPy, PyTorch) are read there."""
        _call(self._native.refill, *_data(coefficients, source, fixed_values, *self._mesh))

    @property
    def shape(self) -> tuple[int, int]:
        """(n_unknowns, n_unknowns). With dtype and matvec() the system is a linear operator of SciPy (``aslinearoperator``)."""
        return self.n_unknowns, self.n_unknowns

    @property
    def dtype(self) -> np.dtype:
        """float64."""
        return np.dtype(np.float64)

    def matvec(self, x: Any) -> Any:
        """The product of the matrix with x, shape (n_unknowns,), computed on the backend; on a GPU if x is there."""
        if np.shape(x) == (self.n_unknowns, 1):  # which SciPy allows
            x = x.reshape(-1)
        return _call(self._native.multiply, _array("x", x, "floating", (self.n_unknowns,), np.float64))

    __matmul__ = matvec

    def to_scipy(self) -> Any:
        """The matrix as scipy.sparse.csr_matrix on the same memory (hosts)."""
        from scipy.sparse import csr_matrix
        n = self.n_unknowns
        return csr_matrix((self.values, self.columns, self.offsets), shape=(n, n), copy=False)

    def solve(self, b: Any = None, preconditioner: str = "multigrid", tolerance: float = 1e-10,
              max_iterations: int = 10000) -> Solution:
        """Solves by conjugate gradients on the backend; returns the values at all nodes, fixed ones included.

        b: right-hand side, shape (n_unknowns,); None: rhs. With b on a GPU the values are there, too, as an object with the
        protocol of DLPack. Raises NumericalError if it does not converge.
        """
        rhs = None if b is None else _array("b", b, "floating", (self.n_unknowns,), np.float64)
        return _solution(_call(self._native.solve, rhs, *_solver(preconditioner, tolerance, max_iterations)))


def _is_text(given: Any) -> bool:
    return isinstance(given, str) or (isinstance(given, (list, tuple)) and any(isinstance(entry, str) for entry in given))


def _at_points(name: str, given: Any, points: np.ndarray, cells: np.ndarray, order: int, n_values: int) -> np.ndarray:
    """Values at the quadrature points of an expression, of one for each direction, of a number, or of numbers by cell."""
    if isinstance(given, str):
        try:
            return _core.values_at_quadrature(given, points, cells, order)
        except InputError as error:
            raise InputError(f"{name}: {error}") from None
    if _is_text(given):
        return np.column_stack([_at_points(name, entry, points, cells, order, n_values) for entry in given])
    values = _as_array(name, _on_host(given))
    if values.ndim == 0:
        return np.full(n_values, values)
    if len(values) != len(cells):
        raise InputError(f"{name}: {len(values)} rows; next to an expression a number or {len(cells)} (cells) are possible.")
    return np.repeat(values, n_values // len(cells), axis=0)


def _number_or_array(name: str, value: Any) -> Any:
    """A float if it is one real number, else an array. What is a number already costs next to nothing."""
    if isinstance(value, float) or _is_on_gpu(value):
        return value
    array = _as_array(name, value)
    return float(array) if array.ndim == 0 and array.dtype.kind in "iuf" else array


def _rows(name: str, value: Any, shape: tuple[int, ...]) -> Any:
    """Numbers of a shape, from one number or from an array."""
    if not isinstance(value, float):
        return _array(name, value, "floating", shape, np.float64)
    if not math.isfinite(value):
        raise InputError(f"{name}: not all numbers are finite.")
    return np.full(shape, value)


def _data(coefficients: Any, source: Any, fixed_values: Any, points: np.ndarray, cells: np.ndarray, n_regions: int,
          order: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of coefficients and of sources, as many of both: by region, by element, or at the points of a quadrature."""
    n_points, dimension = points.shape
    n_cells = len(cells)
    if _is_text(coefficients) or _is_text(source):
        n_cells = len(_core.values_at_quadrature("0", points, cells, order))
        coefficients = _at_points("coefficients", coefficients, points, cells, order, n_cells)
        source = _at_points("source", source, points, cells, order, n_cells)
    given, load, values = (_number_or_array(name, value) for name, value in (("coefficients", coefficients), ("source", source),
                                                                              ("fixed_values", fixed_values)))
    lengths = {array.shape[0] for array in (given, load) if not isinstance(array, float) and array.ndim > 0}
    if not lengths <= {n_regions, n_cells}:
        raise InputError(f"coefficients and source: {sorted(lengths)} rows; a number, {n_regions} (regions) or {n_cells} "
                         "(cells) are possible.")
    n_rows = n_cells if lengths == {n_cells} and n_cells != n_regions else n_regions
    if len(lengths) > 1:
        raise InputError("coefficients and source: both by region, or both by cell.")
    if not isinstance(given, float) and given.ndim == 1:
        if _is_on_gpu(given):
            given = given[:, None].repeat(1, dimension) if hasattr(given, "cpu") else given[:, None].repeat(dimension, 1)
        else:
            given = np.broadcast_to(given[:, None], (n_rows, dimension))
    if not isinstance(values, float) and order > 1:
        raise InputError("fixed_values: with order 2 a number is needed.")
    return (_rows("coefficients", given, (n_rows, dimension)), _rows("source", load, (n_rows,)),
            _rows("fixed_values", values, (1,) if isinstance(values, float) else (n_points,)))


def _mesh(points: Any, cells: Any, regions: Any, fixed_facets: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, int, np.ndarray]:
    """Points, cells, region of each, number of regions, and fixed facets, on the host."""
    points, cells, regions, fixed_facets = (_on_host(given) for given in (points, cells, regions, fixed_facets))
    points = _as_array("points", points)
    if points.ndim != 2 or points.shape[1] not in (2, 3):
        raise InputError(f"points: the shape is {points.shape}; (n, 2) or (n, 3) is needed.")
    dimension = points.shape[1]
    points = _array("points", points, "floating", (None, dimension), np.float64)
    cells = _array("cells", cells, "integer", (None, dimension + 1), np.int32)
    if len(points) == 0 or len(cells) == 0:
        raise InputError("points and cells: there are none.")
    region = _array("regions", np.zeros(len(cells), np.uint16) if regions is None else regions, "integer", (len(cells),), np.uint16)
    facets = _array("fixed_facets", np.empty((0, dimension), np.int32) if fixed_facets is None else fixed_facets, "integer",
                    (None, dimension), np.int32)
    if cells.min() < 0 or cells.max() >= len(points) or (facets.size and (facets.min() < 0 or facets.max() >= len(points))):
        raise InputError(f"cells and fixed_facets: numbers of points from 0 to {len(points) - 1} are possible.")
    return points, cells, region, int(region.max()) + 1, facets


def assemble(points: Any, cells: Any, coefficients: Any = 1.0, *, source: Any = 0.0, regions: Any = None,
             fixed_facets: Any = None, fixed_values: Any = 0.0, strategy: str = "row-gather", order: int = 1,
             backend: str = "openmp") -> System:
    """Assembles -div(D grad u) = s with D grad u . n = 0 on the boundary except at fixed nodes.

    points: coordinates, shape (n_points, 2 or 3). cells: triangles or tetrahedra, integers of shape (n_cells, 3 or 4), with
        positive area or volume.
    coefficients: D, a number, shape (n_regions,) or (n_cells,), or with one column per direction; or an expression of x, y and z as
        in inputs ("1 + x^2"), or one for each direction.
    source: s, a number, or of shape (n_regions,) or (n_cells,), or an expression.
    regions: number of the region of each cell, shape (n_cells,), from 0; None: one region. By region and with numbers
        element matrices have closed formulas; by cell they are integrated by quadrature, also exactly.
    fixed_facets: boundary edges or triangles whose nodes have given values, shape (n_facets, 2 or 3).
    fixed_values: a number, or values at all points, shape (n_points,), of which those at fixed nodes are used.
    Arrays may be on a GPU (CuPy, PyTorch): those of the mesh are copied to the host once; coefficients, source and fixed values
        of type float64 on the GPU of the backend are read there.
    strategy: one of docs/strategies.md that stores a matrix. order: 1 or 2. backend: see tessera_fem.backends().

    Integrals have no unit of their own: K has that of D times that of points to the power dimension - 2.
    """
    points, cells, region, n_regions, facets = _mesh(points, cells, regions, fixed_facets)
    if order not in (1, 2):
        raise InputError(f"order: {order!r}; 1 and 2 are possible.")
    mesh = points, cells, n_regions, order
    data = _data(coefficients, source, fixed_values, *mesh)
    _texts(strategy=strategy, backend=backend)
    return System(_call(_core.assemble, points, cells, region, n_regions, facets, *data, strategy, order, backend), *mesh)


def solve(A: Any, b: Any, preconditioner: str = "multigrid", tolerance: float = 1e-10, max_iterations: int = 10000,
          backend: str = "openmp") -> Solution:
    """Solves A x = b for a symmetric positive definite matrix by conjugate gradients.

    A: a sparse matrix of scipy or cupyx.scipy (any format), or a tuple (offsets, columns, values) with ascending columns. It is checked
        for symmetry. b: shape (n,). preconditioner: "multigrid" (algebraic), "jacobi" or "none".
    Arrays are not copied where the backend can read them: those of numpy on hosts, those on its GPU with backend="cuda"
    (CuPy, PyTorch; int32 offsets and columns, float64 values). With b on a GPU the values are there, too, as an object with the
    protocol of DLPack. A System of assemble() is solved by its method solve().
    Raises NumericalError if the iterations do not converge.
    """
    if hasattr(A, "tocsr"):
        A = A.tocsr()
        if A.shape[0] != A.shape[1]:
            raise InputError(f"A: the shape is {A.shape}; a square matrix is needed.")
        if not A.has_sorted_indices:
            A = A.copy()
            A.sort_indices()
        A = A.indptr, A.indices, A.data
    if not isinstance(A, (tuple, list)) or len(A) != 3:
        raise InputError("A: a sparse matrix of scipy, or a tuple (offsets, columns, values), is needed.")
    offset_type = np.int64 if _core.offset_bytes == 8 else np.int32
    offsets = _array("A: offsets", A[0], "integer", (None,), offset_type)
    columns = _array("A: columns", A[1], "integer", (None,), np.int32)
    values = _array("A: values", A[2], "floating", (len(columns),), np.float64)
    if len(offsets) < 2:
        raise InputError("A: it has no rows.")
    rhs = _array("b", b, "floating", (len(offsets) - 1,), np.float64)
    _texts(backend=backend)
    settings = _solver(preconditioner, tolerance, max_iterations)
    return _solution(_call(_core.solve_matrix, offsets, columns, values, rhs, *settings, backend))
