# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
"""Assembly of the interior-penalty discontinuous Galerkin form for other programs: block matrices on given meshes."""

from __future__ import annotations

import math
from typing import Any, Optional

import numpy as np

from ._native import _core
from .assembly import _array, _call, _mesh, _on_host, _texts
from .errors import InputError

_MAX_DEGREE = {2: 8, 3: 6}


def _text(name: str, value: Any) -> str:
    """An expression, or a number as one."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise InputError(f"{name}: {value!r} is neither a number nor an expression.")
    number = float(value)
    if not math.isfinite(number):
        raise InputError(f"{name}: not all numbers are finite.")
    return repr(number)


def _rows(name: str, given: Any, n_regions: int) -> list[Any]:
    """The data of each region: `given` itself for all, or an entry for each."""
    given = _on_host(given)
    given = given.tolist() if hasattr(given, "tolist") else given
    if not isinstance(given, (list, tuple)):
        return [given] * n_regions
    if len(given) != n_regions:
        raise InputError(f"{name}: {len(given)} entries; one value, or one for each of {n_regions} regions, is needed.")
    return list(given)


def _entries(name: str, given: Any, lengths: tuple[int, ...]) -> list[str]:
    entries = list(given) if isinstance(given, (list, tuple)) else [given]
    if len(entries) not in lengths:
        raise InputError(f"{name}: {len(entries)} entries for a region; {' or '.join(map(str, lengths))} are possible.")
    return [_text(name, entry) for entry in entries]


def _data(coefficients: Any, source: Any, advection: Any, reaction: Any, n_regions: int,
          dimension: int) -> list[tuple[list[str], list[str], str, str]]:
    tensors = (1, dimension, dimension * (dimension + 1) // 2)
    diffusion = [_entries("coefficients", row, tensors) for row in _rows("coefficients", coefficients, n_regions)]
    none: list[str] = []
    transport = [none] * n_regions if advection is None else [
        _entries("advection", row, (dimension,)) for row in _rows("advection", advection, n_regions)]
    reactions, sources = ([_text(name, row) for row in _rows(name, given, n_regions)]
                          for name, given in (("reaction", reaction), ("source", source)))
    return list(zip(diffusion, transport, reactions, sources))


class BlockSystem:
    """An assembled system K x = f of dense blocks, one for each element and for each pair of neighbours. Its arrays are those of
    the assembly, without copies: numpy on hosts, objects with the protocol of DLPack on GPUs. refill() writes into the same
    arrays.

    offsets: int32 (int64 in builds with 64-bit offsets), shape (n_elements + 1,): blocks of each row.
    columns: int32, shape (n_blocks,): element of each block, ascending in each row.
    values: float64, shape (n_blocks, block_size, block_size): values[b, i, j] is in row i and column j of block b. Blocks are
        stored column by column, which the strides say.
    rhs: float64, shape (n_unknowns,): element e has the unknowns from e * block_size on, which multiply products of Legendre
        polynomials on its bounding box (docs/theory.md); at_vertices() gives values.
    cell_element: int32, shape (n_cells,): the element of each cell.
    """

    def __init__(self, native: _core.BlockSystem, n_regions: int, dimension: int, degree: int) -> None:
        self._native = native
        self._sizes = n_regions, dimension
        arrays = native.arrays()
        self.offsets, self.columns, self.values = arrays["offsets"], arrays["columns"], arrays["values"]
        self.rhs, self.cell_element = arrays["rhs"], arrays["cell_element"]
        self.n_unknowns: int = arrays["n_unknowns"]
        self.block_size: int = arrays["block_size"]
        self.degree = degree

    @property
    def backend(self) -> str:
        """Backend in whose memory the arrays are."""
        return self._native.backend

    @property
    def n_elements(self) -> int:
        """Number of elements, and of block rows."""
        return self.n_unknowns // self.block_size

    @property
    def shape(self) -> tuple[int, int]:
        """(n_unknowns, n_unknowns). With dtype and matvec() the system is a linear operator of SciPy (``aslinearoperator``)."""
        return self.n_unknowns, self.n_unknowns

    @property
    def dtype(self) -> np.dtype:
        """float64."""
        return np.dtype(np.float64)

    def refill(self, coefficients: Any = 1.0, *, source: Any = 0.0, advection: Any = None, reaction: Any = 0.0,
               fixed_values: Any = 0.0) -> None:
        """Computes values and rhs again for other data, in the forms of assemble_dg(). Other numbers of regions cost the numeric
        phase; other expressions, and other fixed values, also the symbolic one, and memory for a second matrix."""
        data = _data(coefficients, source, advection, reaction, *self._sizes)
        self._native.refill(data, _text("fixed_values", fixed_values))

    def matvec(self, x: Any) -> Any:
        """The product of the matrix with x, shape (n_unknowns,), computed on the backend; on a GPU if x is there."""
        if np.shape(x) == (self.n_unknowns, 1):  # which SciPy allows
            x = x.reshape(-1)
        return _call(self._native.multiply, _array("x", x, "floating", (self.n_unknowns,), np.float64))

    __matmul__ = matvec

    def at_vertices(self, x: Any) -> Any:
        """Values of the function with the unknowns x at the vertices of each cell, shape (n_cells, 3 or 4), where x is (of a GPU
        with the shape (n_cells * 3 or 4,))."""
        values = _call(self._native.at_vertices, _array("x", x, "floating", (self.n_unknowns,), np.float64))
        return values.reshape(-1, self._sizes[1] + 1) if isinstance(values, np.ndarray) else values

    def to_scipy(self) -> Any:
        """The matrix as scipy.sparse.bsr_array (hosts), whose blocks are copies, stored row by row."""
        from scipy.sparse import bsr_array
        return bsr_array((np.ascontiguousarray(self.values), self.columns, self.offsets), shape=self.shape)


def assemble_dg(points: Any, cells: Any, coefficients: Any = 1.0, *, source: Any = 0.0, advection: Any = None, reaction: Any = 0.0,
                regions: Any = None, fixed_facets: Any = None, fixed_values: Any = 0.0, elements: Any = None, degree: int = 1,
                penalty: Optional[float] = None, strategy: str = "block-rows", backend: str = "openmp") -> BlockSystem:
    """Assembles -div(A grad u) + b . grad u + c u = s by discontinuous elements with interior penalties (docs/theory.md), with
    A grad u . n = 0 on the boundary except at fixed facets, where u is given weakly.

    points, cells, regions, fixed_facets: as in assemble().
    coefficients: A; source: s; reaction: c. Each is a number or an expression of x, y and z as in inputs ("1 + x^2"), or a list with
        an entry for each region. Such an entry of A may be a list: one number or expression per direction, or the upper triangle
        of a symmetric tensor, row by row.
    advection: b, a list with an entry for each region, which has one number or expression per direction; None: zero.
    fixed_values: a number or an expression.
    elements: number of the element of each cell, shape (n_cells,): polygons or polyhedra of cells. Parts that are not connected or
        in several regions are split (``cell_element`` of the system says how); None: each cell is an element.
    degree: of the polynomials, up to 8 for triangles and 6 for tetrahedra. penalty: the constant C of the penalties; None: 5.
    strategy: "block-rows", "triplets", "atomic" or "reference" (docs/strategies.md). backend: see tessera_fem.backends().
    """
    points, cells, region, n_regions, facets = _mesh(points, cells, regions, fixed_facets)
    dimension = points.shape[1]
    if isinstance(degree, bool) or not isinstance(degree, (int, np.integer)) or not 0 <= degree <= _MAX_DEGREE[dimension]:
        raise InputError(f"degree: {degree!r}; integers from 0 to {_MAX_DEGREE[dimension]} are possible.")
    constant = float(_core.dg_penalty if penalty is None else penalty)
    if not 0 < constant < math.inf:
        raise InputError(f"penalty: {penalty!r}; it must be positive.")
    if elements is not None:
        elements = _array("elements", _on_host(elements), "integer", (len(cells),), np.int32)
        if elements.min() < 0 or elements.max() >= len(cells):
            raise InputError(f"elements: numbers from 0 to {len(cells) - 1} are possible.")
    data = _data(coefficients, source, advection, reaction, n_regions, dimension)
    _texts(strategy=strategy, backend=backend)
    native = _core.assemble_dg(points, cells, region, facets, elements, data, _text("fixed_values", fixed_values), strategy,
                               int(degree), constant, backend)
    return BlockSystem(native, n_regions, dimension, int(degree))
