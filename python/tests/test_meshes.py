# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
"""Meshes from arrays and of other programs."""

import gc
import logging
import os
import types
import unittest

from support import EPSILON_0, PLATES

import numpy as np
import tessera_fem as tf


def plates(mesh, **boundaries):
    """The plane capacitor on a mesh whose regions are "near" and "far", in series: 3 and 1 times EPSILON_0."""
    case = tf.load({**PLATES, "mesh": {"file": mesh}})
    case["problem.materials"] = {"near": {"relative_permittivity": 3.0}, "far": {"relative_permittivity": 1.0}}
    if boundaries:
        case["problem.boundaries"] = boundaries
    return case


#: two regions of 0.5 m in series
EXACT = EPSILON_0 / (0.5 / 3 + 0.5)


def grid(n):
    """Points of the unit square and its quadrilaterals, and the lines of the left and the right side."""
    x, y = np.meshgrid(np.linspace(0, 1, n + 1), np.linspace(0, 1, n + 1))
    first = (np.arange(n)[:, None] * (n + 1) + np.arange(n)).ravel()
    quads = np.column_stack([first, first + 1, first + n + 2, first + n + 1])
    row = np.arange(n) * (n + 1)
    lines = np.vstack([np.column_stack([row, row + n + 1]), np.column_stack([row + n, row + 2 * n + 1])])
    return np.column_stack([x.ravel(), y.ravel()]), quads, lines


class Meshes(unittest.TestCase):

    def setUp(self):
        self.points, self.quads, self.lines = grid(4)
        self.triangles = np.vstack([self.quads[:, :3], self.quads[:, [0, 2, 3]]])
        self.sides = np.repeat([7, 8], 4)
        self.names = {"regions": {1: "near", 2: "far"}, "boundaries": {7: "left", 8: "right"}}

    def regions(self, cells):
        return 1 + (self.points[cells].mean(axis=1)[:, 0] > 0.5)

    def check(self, mesh, elements=32):
        run = plates(mesh).run()
        self.assertAlmostEqual(run.quantities["capacitance"] / EXACT, 1, delta=1e-8)
        self.assertEqual(run.report["mesh"]["elements"], elements)
        return run

    def test_arrays_of_points_and_cells(self):
        for points in (self.points, np.column_stack([self.points, np.zeros(len(self.points))]), self.points.astype(np.float32)):
            mesh = tf.mesh(points, {"triangle": self.triangles, "line": self.lines},
                           groups={"triangle": self.regions(self.triangles), "line": self.sides}, **self.names)
            run = self.check(mesh)
        self.assertEqual(run.mesh.cells.shape, (32, 3))
        pairs = [("triangle", self.triangles[:16]), ("line", self.lines), ("triangle", self.triangles[16:])]
        numbers = [self.regions(self.triangles[:16]), self.sides, self.regions(self.triangles[16:])]
        self.check(tf.mesh(self.points, pairs, groups=numbers, **self.names))

    def test_cells_of_other_shapes_and_polygons(self):
        groups = {"quad": self.regions(self.quads), "line": self.sides}
        self.check(tf.mesh(self.points, {"quad": self.quads, "line": self.lines}, groups=groups, **self.names))
        polygons = [list(quad) for quad in self.quads[:-2]] + [[*self.quads[-2][:2], *self.quads[-1][1:3], *self.quads[-2][2:]]]
        numbers = [*self.regions(self.quads[:-2]), 2]
        mesh = tf.mesh(self.points, {"polygon": polygons, "line": self.lines}, groups={"polygon": numbers, "line": self.sides},
                       **self.names)
        case = plates(mesh)
        case["mesh.agglomerate"] = {"from": "cells"}
        case["discretization"] = {"method": "dg", "order": 1}
        case["output"] = {"fields": [], "quantities": ["energy"]}
        self.assertAlmostEqual(case.run().quantities["energy"] / (0.5 * EXACT * 4), 1, delta=1e-7)

    def test_tetrahedra_without_groups(self):
        points = np.vstack([np.zeros(3), np.eye(3), np.ones(3)])
        mesh = tf.mesh(points, {"tetra": [[0, 1, 2, 3], [1, 2, 3, 4]], "triangle": [[0, 1, 2], [4, 3, 2]]})
        case = tf.load({"tessera": 1, "mesh": {"file": mesh}, "problem": {
            "physics": "diffusion", "materials": {"domain": {"diffusivity": 1}}, "sources": {"domain": {"source": 1}},
            "boundaries": {"boundary": {"value": 0}}}, "output": {"fields": ["value"]}})
        with self.assertRaises(tf.InputError):  # every node is on the boundary: no unknowns
            case.run()
        case["problem.boundaries"] = {"boundary": {"robin": {"coefficient": 1, "reference": 2}}}
        del case["problem.sources"]
        np.testing.assert_allclose(case.run().fields["value"], 2, rtol=1e-8)

    def test_meshes_of_meshio_and_pyvista(self):
        cells = [types.SimpleNamespace(type="line", data=self.lines), types.SimpleNamespace(type="triangle", data=self.triangles)]
        of_meshio = types.SimpleNamespace(
            points=self.points, cells=cells, cell_data={"gmsh:physical": [self.sides, self.regions(self.triangles)]},
            field_data={"near": np.array([1, 2]), "far": np.array([2, 2]), "left": np.array([7, 1]), "right": np.array([8, 1])})
        run = self.check(tf.mesh(of_meshio))
        try:
            import pyvista
        except ImportError:
            self.skipTest("needs PyVista for the rest")
        whole = pyvista.UnstructuredGrid({pyvista.CellType.TRIANGLE: self.triangles, pyvista.CellType.LINE: self.lines}, run.mesh.points)
        whole.cell_data["region"] = np.concatenate([self.regions(self.triangles), self.sides])
        self.check(tf.mesh(whole, **self.names))

    def test_the_current_model_of_gmsh(self):
        try:
            import gmsh
            gmsh.initialize()
        except (ImportError, OSError):
            self.skipTest("needs Gmsh's Python module")
        try:
            gmsh.option.setNumber("General.Terminal", 0)

            def group(dim, tags, name):
                gmsh.model.setPhysicalName(dim, gmsh.model.addPhysicalGroup(dim, tags), name)

            near, far = (gmsh.model.occ.addRectangle(x, 0, 0, 0.5, 1) for x in (0, 0.5))
            gmsh.model.occ.fragment([(2, near)], [(2, far)])
            gmsh.model.occ.synchronize()
            for name, box in {"left": (0, 0), "right": (1, 1)}.items():
                curves = gmsh.model.getEntitiesInBoundingBox(box[0] - 0.01, -0.01, -0.01, box[1] + 0.01, 1.01, 0.01, 1)
                group(1, [tag for _, tag in curves], name)
            group(2, [near], "near")
            group(2, [far], "far")
            gmsh.option.setNumber("Mesh.MeshSizeMax", 0.2)
            with self.assertRaisesRegex(tf.InputError, "no triangles or tetrahedra"):
                tf.mesh(gmsh)
            gmsh.model.mesh.generate(2)
            for order in (1, 2):
                gmsh.model.mesh.setOrder(order)
                run = plates(tf.mesh(gmsh)).run()
                self.assertAlmostEqual(run.quantities["capacitance"] / EXACT, 1, delta=1e-8)
        finally:
            gmsh.finalize()

    def test_wrong_arrays_are_named(self):
        cells = {"triangle": self.triangles}
        wrong = [
            ("shape is", self.points[:, :1], cells, {}), ("not all numbers are finite", self.points * np.nan, cells, {}),
            ("unknown type 'square'", self.points, {"square": self.quads}, {}),
            ("points from 0 to 24; there are 20", self.points[:20], cells, {}),
            ("dtype of 'triangle' is float64", self.points, {"triangle": self.triangles * 1.0}, {}),
            ("shape of 'triangle'", self.points, cells, {"groups": {"triangle": np.ones(3)}}),
            ("are no types of these cells", self.points, cells, {"groups": {"line": np.ones(3)}}),
            ("a list of 1, as many", self.points, cells, {"groups": [np.ones(32), np.ones(2)]}),
            ("dict of arrays by type, or pairs", self.points, 3, {}), ("dict of names by numbers", self.points, cells, {"regions": ["a"]}),
            ("at least three points", self.points, {"polygon": [[0, 1]]}, {}),
            ("there are no triangles", self.points, {"line": self.lines}, {}),
            ("two numbers have one name", self.points, cells, {"regions": {1: "a", 2: "a"}}), ("points need cells", self.points, None, {}),
        ]
        for message, points, given, options in wrong:
            with self.assertRaisesRegex(tf.InputError, message):
                tf.mesh(points, given, **options)
        flat = self.points * [1, 0]
        with self.assertRaises(tf.InputError):  # triangles without area, found before the run
            plates(tf.mesh(flat, cells)).run()

    def test_memory_is_freed_with_the_last_case(self):
        mesh = tf.mesh(self.points, {"triangle": self.triangles, "line": self.lines},
                       groups={"triangle": self.regions(self.triangles), "line": self.sides}, **self.names)
        path = os.fspath(mesh)
        case = plates(mesh)
        other = case.with_values({"problem.materials.far.relative_permittivity": 2.0})
        del mesh, case
        gc.collect()
        self.assertTrue(other.run().converged)
        del other
        gc.collect()
        self.assertFalse(os.path.exists(path))


if __name__ == "__main__":
    logging.getLogger("tessera_fem").setLevel(logging.CRITICAL)
    unittest.main()
