# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
"""Values of fields at points: Lagrange elements of order 1 and 2 on triangles and tetrahedra, with curved sides."""

from __future__ import annotations

from typing import Any

import numpy as np

from .errors import InputError

#: ends of the edges whose nodes follow the vertices, in the order of VTK
_EDGES = {6: [(0, 1), (1, 2), (2, 0)], 10: [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]}
_PAIRS_AT_A_TIME = 1 << 22
_INSIDE = -1e-9  # smallest barycentric coordinate: rounding of points on sides


def _shape(xi: np.ndarray, n_nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Values (n, n_nodes) and derivatives (n, n_nodes, d) of the shape functions at local coordinates (n, d)."""
    n, d = xi.shape
    b = np.concatenate([1 - xi.sum(axis=1, keepdims=True), xi], axis=1)
    db = np.concatenate([-np.ones((1, d)), np.eye(d)])
    if n_nodes == d + 1:
        return b, np.broadcast_to(db, (n, d + 1, d))
    values = [b * (2 * b - 1)] + [4 * b[:, [i]] * b[:, [j]] for i, j in _EDGES[n_nodes]]
    slopes = [(4 * b - 1)[:, :, None] * db] + [4 * (b[:, [i], None] * db[j] + b[:, [j], None] * db[i])
                                               for i, j in _EDGES[n_nodes]]
    return np.concatenate(values, axis=1), np.concatenate(slopes, axis=1)


class Places:
    """The cell of each point, -1 outside of the mesh, and the values of its shape functions there."""

    def __init__(self, n_points: int, n_nodes: int) -> None:
        self.cells = np.full(n_points, -1)
        self.shape = np.zeros((n_points, n_nodes))

    def values_of(self, values: np.ndarray, cells: np.ndarray, at_points: bool, has_steps: bool) -> np.ndarray:
        """Values of a field at the points, in the shape of the field with points instead of nodes or cells."""
        if has_steps:
            return np.stack([self.values_of(step, cells, at_points, False) for step in values])
        result = np.full((len(self.cells),) + values.shape[1:], np.nan)
        inside = self.cells >= 0
        if at_points:
            result[inside] = np.einsum("pa,pa...->p...", self.shape[inside], values[cells[self.cells[inside]]])
        else:
            result[inside] = values[self.cells[inside]]
        return result


def locate(mesh_points: np.ndarray, cells: np.ndarray, points: Any) -> Places:
    """Finds the first cell that contains each point; shapes (n_nodes, 3), (n_cells, k), (n, 2 or 3)."""
    dimension = 2 if cells.shape[1] in (3, 6) else 3
    points = np.asarray(points, dtype=float)
    if points.ndim != 2 or points.shape[1] not in (2, 3) or (dimension == 3 and points.shape[1] != 3):
        raise InputError(f"points: the shape is {points.shape}; (n, {'2 or 3' if dimension == 2 else 3}) is allowed.")
    points = points[:, :dimension]
    nodes = mesh_points[:, :dimension]
    corners = nodes[cells]
    low, high = corners.min(axis=1), corners.max(axis=1)
    margin = (0.25 if cells.shape[1] > dimension + 1 else 1e-9) * (high - low).max(axis=1, keepdims=True)  # curved sides
    low, high = low - margin, high + margin
    places = Places(len(points), cells.shape[1])
    step = max(1, _PAIRS_AT_A_TIME // max(1, len(cells)))
    for first in range(0, len(points), step):
        some = points[first:first + step]
        is_near = np.ones((len(some), len(cells)), dtype=bool)
        for k in range(dimension):
            is_near &= (some[:, [k]] >= low[:, k]) & (some[:, [k]] <= high[:, k])
        which, candidates = np.nonzero(is_near)
        shape, inside = _inside(corners[candidates], some[which])
        which, candidates, shape = which[inside], candidates[inside], shape[inside]
        found, position = np.unique(which, return_index=True)
        places.cells[first + found] = candidates[position]
        places.shape[first + found] = shape[position]
    return places


def _inside(corners: np.ndarray, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shape functions at points in their cells, by Newton's method, and whether they lie inside."""
    n, n_nodes, d = corners.shape
    xi = np.full((n, d), 1 / (d + 1))
    for _ in range(1 if n_nodes == d + 1 else 20):
        shape, slopes = _shape(xi, n_nodes)
        jacobian = np.einsum("pad,pae->ped", slopes, corners)
        rest = points - np.einsum("pa,pae->pe", shape, corners)
        xi = np.clip(xi + np.linalg.solve(jacobian, rest[:, :, None])[:, :, 0], -2, 3)
    shape, _ = _shape(xi, n_nodes)
    rest = np.abs(points - np.einsum("pa,pae->pe", shape, corners)).max(axis=1, initial=0)
    size = np.abs(corners.max(axis=1) - corners.min(axis=1)).max(axis=1)
    return shape, (xi.min(axis=1) >= _INSIDE) & (1 - xi.sum(axis=1) >= _INSIDE) & (rest <= 1e-9 * size)
