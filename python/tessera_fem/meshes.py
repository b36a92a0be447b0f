# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
"""Meshes of other programs, from arrays in memory."""

from __future__ import annotations

import os
import tempfile
import weakref
from typing import Any, Iterable, Mapping, Optional, Union

import numpy as np

from ._native import _core
from .assembly import _on_host
from .errors import InputError

#: VTK's number and dimension of the types of cells, named as by meshio
_TYPES = {
    "vertex": (1, 0), "line": (3, 1), "triangle": (5, 2), "polygon": (7, 2), "quad": (9, 2), "tetra": (10, 3), "hexahedron": (12, 3),
    "wedge": (13, 3), "pyramid": (14, 3), "line3": (21, 1), "triangle6": (22, 2), "quad8": (23, 2), "tetra10": (24, 3),
    "hexahedron20": (25, 3), "wedge15": (26, 3), "pyramid13": (27, 3), "quad9": (28, 2), "hexahedron27": (29, 3), "wedge18": (32, 3),
    "triangle7": (34, 2), "pyramid14": (37, 3)
}
_MESHIO_GROUPS = ("gmsh:physical", "region", "medit:ref", "cell_tags")
#: Gmsh's numbers of types, and where VTK has another order of nodes
_GMSH_TYPES = {1: "line", 2: "triangle", 3: "quad", 4: "tetra", 5: "hexahedron", 6: "wedge", 7: "pyramid", 8: "line3", 9: "triangle6",
               11: "tetra10"}
_GMSH_ORDERS = {11: [0, 1, 2, 3, 4, 5, 6, 7, 9, 8]}


class CellMesh(os.PathLike):
    """A mesh for ``case["mesh"] = {"file": mesh}``, kept in memory as a file of the system's memory until it is dropped; a case
    that has it keeps it. Made by mesh()."""

    def __init__(self, points: np.ndarray, blocks: list[tuple[str, Any, np.ndarray]], regions: Mapping[int, str],
                 boundaries: Mapping[int, str]) -> None:
        types, lengths, nodes, numbers = [], [], [], []
        for kind, cells, groups in blocks:
            rows = [np.asarray(cell) for cell in cells] if kind == "polygon" and not isinstance(cells, np.ndarray) else None
            lengths.append([len(row) for row in rows] if rows is not None else np.full(len(cells), np.shape(cells)[1]))
            nodes.append(np.concatenate(rows) if rows else np.ravel(cells))
            types.append(np.full(len(cells), _TYPES[kind][0], np.uint8))
            numbers.append(groups)
        memory = "/dev/shm"  # files there are memory, on Linux
        folder = memory if os.access(memory, os.W_OK) else None
        descriptor, self._path = tempfile.mkstemp(prefix="tessera-mesh-", suffix=".vtkhdf", dir=folder)
        os.close(descriptor)
        weakref.finalize(self, os.unlink, self._path)
        offsets = np.concatenate([[0], np.cumsum(np.concatenate(lengths))]).astype(np.int64)
        _core.write_cells(self._path, points, np.concatenate(types), offsets, np.concatenate(nodes).astype(np.int64),
                          np.concatenate(numbers), sorted(regions.items()), sorted(boundaries.items()))

    def __fspath__(self) -> str:
        return self._path


def _names(what: str, names: Optional[Mapping[int, str]]) -> dict[int, str]:
    try:
        result = {} if names is None else {int(number): str(name) for number, name in names.items()}
    except (AttributeError, TypeError, ValueError):
        raise InputError(f"{what}: a dict of names by numbers is needed.") from None
    if len(set(result.values())) < len(result) or "" in result.values():
        raise InputError(f"{what}: two numbers have one name, or one has none: {result}.")
    return result


def _points(points: Any) -> np.ndarray:
    array = np.asarray(_on_host(points))
    if array.ndim != 2 or array.shape[1] not in (2, 3) or not np.issubdtype(array.dtype, np.number) or len(array) == 0:
        raise InputError(f"points: the shape is {array.shape} and the dtype {array.dtype}; numbers of shape (n, 2) or (n, 3) are needed.")
    if not np.isfinite(array).all():
        raise InputError("points: not all numbers are finite.")
    space = np.zeros((len(array), 3))
    space[:, :array.shape[1]] = array
    return space


def _block(kind: str, cells: Any, groups: Any, n_points: int) -> tuple[str, Any, np.ndarray]:
    if kind not in _TYPES:
        raise InputError(f"cells: unknown type {kind!r}; allowed: {', '.join(_TYPES)}.")
    given = _on_host(cells)
    if kind == "polygon" and not hasattr(given, "shape"):
        try:
            given = [np.asarray(cell) for cell in given]
        except TypeError:
            raise InputError("cells: 'polygon' needs a list of lists of points.") from None
        if any(cell.ndim != 1 or len(cell) < 3 for cell in given):
            raise InputError("cells: each polygon is a list of at least three points.")
        flat = np.concatenate(given) if given else np.empty(0, int)
    else:
        given = flat = np.asarray(given)
        if given.ndim != 2:
            raise InputError(f"cells: the shape of {kind!r} is {given.shape}; (n_cells, n_nodes) is needed.")
    if flat.size and not np.issubdtype(flat.dtype, np.integer):
        raise InputError(f"cells: the dtype of {kind!r} is {flat.dtype}; integers are needed.")
    if flat.size and (flat.min() < 0 or flat.max() >= n_points):
        raise InputError(f"cells: {kind!r} has points from {flat.min()} to {flat.max()}; there are {n_points}.")
    try:
        numbers = np.full(len(given), np.nan) if groups is None else np.asarray(_on_host(groups), np.float64)
    except (TypeError, ValueError):
        raise InputError(f"groups: numbers are needed for {kind!r}.") from None
    if numbers.shape != (len(given),):
        raise InputError(f"groups: the shape of {kind!r} is {numbers.shape}; ({len(given)},) is needed.")
    return kind, given, numbers


def _from_meshio(source: Any) -> tuple[Any, list, dict, dict]:
    data = next((source.cell_data[name] for name in _MESHIO_GROUPS if name in source.cell_data), [None] * len(source.cells))
    blocks = [(block.type, block.data, groups) for block, groups in zip(source.cells, data) if block.type in _TYPES]
    top = max((_TYPES[kind][1] for kind, _, _ in blocks), default=2)
    names: tuple[dict[int, str], dict[int, str]] = ({}, {})
    for name, value in source.field_data.items():
        if len(np.ravel(value)) == 2 and top - int(value[1]) in (0, 1):
            names[top - int(value[1])][int(value[0])] = name
    return source.points, blocks, *names


def _from_pyvista(source: Any) -> tuple[Any, list, dict, dict]:
    grid = source.cast_to_unstructured_grid()
    groups = next((np.asarray(grid.cell_data[name]) for name in _MESHIO_GROUPS if name in grid.cell_data), None)
    kind_of = {number: kind for kind, (number, _) in _TYPES.items()}
    starts = np.asarray(grid.cell_offsets if hasattr(grid, "cell_offsets") else grid.offset)  # of older versions
    nodes = np.asarray(grid.cell_connectivity)
    blocks = []
    for number in np.unique(grid.celltypes):
        if int(number) not in kind_of:
            raise InputError(f"cells: VTK's type {number} is not supported; {sorted(kind_of)} are.")
        of_type = np.flatnonzero(grid.celltypes == number)
        rows = [nodes[starts[i]:starts[i + 1]] for i in of_type]
        blocks.append((kind_of[int(number)], rows if number == 7 else np.array(rows), None if groups is None else groups[of_type]))
    return grid.points, blocks, {}, {}


def _from_gmsh(gmsh: Any) -> tuple[Any, list, dict, dict]:
    tags, coordinates, _ = gmsh.model.mesh.getNodes()
    place = np.full(int(tags.max()) + 1 if len(tags) else 1, -1)
    place[tags.astype(int)] = np.arange(len(tags))
    model = gmsh.model
    top = max((dim for dim, tag in model.getEntities() if len(model.mesh.getElements(dim, tag)[0])), default=0)
    if top < 2:
        raise InputError("mesh: the current model of Gmsh has no triangles or tetrahedra; gmsh.model.mesh.generate() makes them.")
    blocks, names = [], ({}, {})
    for below in (0, 1):
        dim = top - below
        for _, tag in model.getEntities(dim):
            groups = model.getPhysicalGroupsForEntity(dim, tag)
            if len(groups) == 0 and (below == 1 or model.getPhysicalGroups(dim)):
                continue  # as in Gmsh's files
            if len(groups) > 1:
                raise InputError(f"mesh: the entity {tag} of dimension {dim} is in {len(groups)} physical groups; one is possible.")
            if len(groups) and model.getPhysicalName(dim, groups[0]):
                names[below][int(groups[0])] = model.getPhysicalName(dim, groups[0])
            for kind, of_kind, nodes in zip(*model.mesh.getElements(dim, tag)):
                _, _, _, n_nodes, _, n_vertices = model.mesh.getElementProperties(kind)
                rows = place[nodes.astype(int).reshape(len(of_kind), n_nodes)]
                rows = rows[:, _GMSH_ORDERS[kind]] if kind in _GMSH_ORDERS else rows
                if kind not in _GMSH_TYPES:  # of a higher order: the vertices
                    kind = {(1, 2): 1, (2, 3): 2, (2, 4): 3, (3, 4): 4, (3, 8): 5, (3, 6): 6, (3, 5): 7}[dim, n_vertices]
                    rows = rows[:, :n_vertices]
                blocks.append((_GMSH_TYPES[kind], rows, np.full(len(rows), groups[0] if len(groups) else np.nan)))
    return coordinates.reshape(-1, 3), blocks, *names


def mesh(source: Any, cells: Union[None, Mapping[str, Any], Iterable[tuple[str, Any]]] = None, *,
         groups: Union[None, Mapping[str, Any], Iterable[Any]] = None, regions: Optional[Mapping[int, str]] = None,
         boundaries: Optional[Mapping[int, str]] = None) -> CellMesh:
    """A mesh in memory, for ``case["mesh"] = {"file": mesh}``.

    source: points, shape (n_points, 2 or 3) in the unit of ``mesh.scale`` (m by default), with ``cells``; or a mesh of meshio or
        PyVista; or the module gmsh, of which the current model is taken.
    cells: arrays of shape (n_cells, n_nodes) by the names that meshio has for types ("triangle", "quad", "tetra", "line", ..., also
        of order 2), as a dict or as pairs; of "polygon" also lists of different lengths. Nodes are in VTK's order. The cells of the
        highest dimension are the elements, those of one dimension less the boundaries.
    groups: numbers of the regions and boundaries of the cells, arrays of shape (n_cells,) in the same form. None: the region
        "domain" and the boundary "boundary"; of meshio and PyVista the cell data "gmsh:physical" or "region".
    regions, boundaries: names of the numbers; without a name a group is named by its digits. Of meshio and Gmsh: their names.

    What VTKHDF files of other programs may have is possible here, and is converted in the same way (docs/modelling.md).
    """
    if hasattr(source, "model") and hasattr(source, "initialize"):
        points, blocks, of_regions, of_boundaries = _from_gmsh(source)
    elif hasattr(source, "cast_to_unstructured_grid"):
        points, blocks, of_regions, of_boundaries = _from_pyvista(source)
    elif hasattr(source, "field_data") and hasattr(source, "cells"):
        points, blocks, of_regions, of_boundaries = _from_meshio(source)
    else:
        if cells is None:
            raise InputError("mesh: points need cells; or give a mesh of meshio or PyVista, or the module gmsh.")
        try:
            pairs = [(str(kind), of_kind) for kind, of_kind in (cells.items() if isinstance(cells, Mapping) else cells)]
        except (TypeError, ValueError):
            raise InputError("cells: a dict of arrays by type, or pairs of a type and an array, are needed.") from None
        if groups is None:
            numbers = [None] * len(pairs)
        elif isinstance(groups, Mapping):
            others = [kind for kind in groups if kind not in dict(pairs)]
            if others:
                raise InputError(f"groups: {others} are no types of these cells.")
            numbers = [groups.get(kind) for kind, _ in pairs]
        elif isinstance(groups, (list, tuple)) and len(groups) == len(pairs):
            numbers = list(groups)
        else:
            raise InputError(f"groups: a dict of arrays by type, or a list of {len(pairs)}, as many as cells has, is needed.")
        points, blocks, of_regions, of_boundaries = source, [(*pair, number) for pair, number in zip(pairs, numbers)], {}, {}
    space = _points(points)
    checked = [_block(kind, of_kind, number, len(space)) for kind, of_kind, number in blocks]
    if not any(len(of_kind) > 0 and _TYPES[kind][1] >= 2 for kind, of_kind, _ in checked):
        raise InputError("cells: there are no triangles, tetrahedra or other cells of two or three dimensions.")
    return CellMesh(space, [block for block in checked if len(block[1]) > 0], {**of_regions, **_names("regions", regions)},
                    {**of_boundaries, **_names("boundaries", boundaries)})
