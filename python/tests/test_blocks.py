# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
"""Block matrices of the discontinuous Galerkin form on given meshes."""

import logging
import os
import random
import sys
import unittest

import support  # noqa: F401  (skips without numpy)

import numpy as np
import tessera_fem as tf
from test_assembly import square


def dense(system):
    """The matrix from offsets, columns and blocks."""
    k = system.block_size
    matrix = np.zeros(system.shape)
    for row in range(system.n_elements):
        for b in range(system.offsets[row], system.offsets[row + 1]):
            column = system.columns[b]
            matrix[row * k:(row + 1) * k, column * k:(column + 1) * k] = system.values[b]
    return matrix


def solution(system):
    return np.linalg.solve(dense(system), system.rhs)


class Blocks(unittest.TestCase):

    def test_every_strategy_gives_the_matrix_of_the_reference(self):
        points, cells, sides = square(4)
        regions = (points[cells].mean(axis=1)[:, 0] > 0.5).astype(int)
        options = {"source": ["1 + x", 2.0], "advection": [[1.0, 0.5], ["y", 0]], "reaction": [1.0, "x"], "regions": regions,
                   "fixed_facets": sides, "fixed_values": "1 + y"}
        coefficients = [[2.0, 3.0], ["1 + x", 0.1, 2]]
        for degree in (1, 2, 3):
            for elements in (None, np.arange(len(cells)) % 16 // 2):  # pairs of squares
                expected = tf.assemble_dg(points, cells, coefficients, degree=degree, elements=elements, strategy="reference",
                                          backend="serial", **options)
                scale = np.abs(expected.values).max()
                for strategy, backend in (("block-rows", "openmp"), ("triplets", "openmp"), ("atomic", "openmp"), ("auto", "serial")):
                    system = tf.assemble_dg(points, cells, coefficients, degree=degree, elements=elements, strategy=strategy,
                                            backend=backend, **options)
                    np.testing.assert_array_equal(system.columns, expected.columns)
                    np.testing.assert_allclose(system.values, expected.values, atol=1e-12 * scale)
                    np.testing.assert_allclose(system.rhs, expected.rhs, atol=1e-12 * np.abs(expected.rhs).max())
                    self.assertEqual((system.values.dtype, system.columns.dtype), (np.float64, np.int32))

    def test_solutions_are_those_of_a_run(self):
        points, cells, sides = square(6)
        mesh = tf.mesh(points, {"triangle": cells, "line": sides}, groups={"line": np.ones(len(sides))}, boundaries={1: "sides"})
        case = tf.load({
            "tessera": 1,
            "mesh": {"file": mesh},
            "problem": {"physics": "advection-diffusion-reaction",
                        "materials": {"domain": {"diffusivity": "1 + x", "velocity": [3, "x"], "reaction": 2}},
                        "sources": {"domain": {"source": "1 + y"}}, "boundaries": {"sides": {"value": "y"}}},
            "discretization": {"method": "dg", "order": 1},
            "solver": {"relative_tolerance": 1e-12},
            "output": {"fields": ["value"]},
        })
        expected = case.run().probe(points[cells].mean(axis=1))["value"]
        system = tf.assemble_dg(points, cells, "1 + x", advection=[[3, "x"]], reaction=2, source="1 + y", fixed_facets=sides,
                                fixed_values="y")
        corners = system.at_vertices(solution(system))
        self.assertEqual(corners.shape, cells.shape)
        np.testing.assert_allclose(corners.mean(axis=1), expected, atol=1e-8)  # linear in the elements

    def test_polynomials_are_solutions_on_polygons_and_polyhedra(self):
        points, cells, sides = square(6)
        rows_of_three_squares = np.arange(len(cells)) % 36 // 3
        system = tf.assemble_dg(points, cells, degree=2, source=1.0, fixed_facets=sides, elements=rows_of_three_squares)
        self.assertEqual((system.n_elements, system.cell_element.max()), (12, 11))
        np.testing.assert_array_equal(system.cell_element, rows_of_three_squares)
        split = tf.assemble_dg(points, cells, elements=np.arange(len(cells)) % 2)  # parts that are not connected
        self.assertGreater(split.n_elements, 2)
        exact = points[:, 0] * (1 - points[:, 0]) / 2
        np.testing.assert_allclose(system.at_vertices(solution(system)), exact[cells], atol=1e-10)
        corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]], dtype=float)
        tetrahedra = [[0, 1, 2, 3], [1, 2, 3, 4]]
        bottom = [[0, 1, 2]]
        system = tf.assemble_dg(corners, tetrahedra, [[1, 0, 0, 2, 0, 3]], reaction=1.0, source="z", fixed_facets=bottom, degree=1)
        self.assertEqual((system.block_size, system.n_elements, len(system.values)), (4, 2, 4))
        np.testing.assert_allclose(dense(system), dense(system).T, atol=1e-13)

    def test_refill_writes_into_the_same_arrays(self):
        points, cells, sides = square(5)
        regions = (points[cells].mean(axis=1)[:, 0] > 0.5).astype(int)
        mesh = {"regions": regions, "fixed_facets": sides, "degree": 2}
        for strategy in ("block-rows", "triplets", "atomic", "reference"):
            system = tf.assemble_dg(points, cells, [1.0, "2 + x"], strategy=strategy, **mesh)
            arrays = system.offsets, system.columns, system.values, system.rhs
            for data in ({"coefficients": [3.0, "2 + x"], "source": [1.0, 2.0]}, {"coefficients": [5.0, "2 + x"], "reaction": 1.0},
                         {"coefficients": "1 + y", "advection": [[1, 0], ["x", "y"]], "fixed_values": 7.0}, {"coefficients": 2.0}):
                system.refill(**data)
                fresh = tf.assemble_dg(points, cells, strategy=strategy, **data, **mesh)
                np.testing.assert_allclose(system.values, fresh.values, atol=1e-12)
                np.testing.assert_allclose(system.rhs, fresh.rhs, atol=1e-12)
            for kept, array in zip(arrays, (system.offsets, system.columns, system.values, system.rhs)):
                self.assertIs(kept, array)
            before = system.values.copy()
            with self.assertRaisesRegex(tf.InputError, "not positive semidefinite came out in region '1'"):
                system.refill([1.0, -2.0])
            np.testing.assert_array_equal(system.values, before)
            system.refill(4.0)
            np.testing.assert_allclose(system.values, 2 * before, rtol=1e-12)

    def test_a_system_is_a_linear_operator(self):
        points, cells, sides = square(5)
        system = tf.assemble_dg(points, cells, degree=2, source=1.0, fixed_facets=sides)
        x = np.sin(np.arange(system.n_unknowns))
        np.testing.assert_allclose(system @ x, dense(system) @ x, atol=1e-12)
        try:
            from scipy.sparse.linalg import spsolve
        except ImportError:
            self.skipTest("needs SciPy for the rest")
        matrix = system.to_scipy()
        self.assertEqual(matrix.blocksize, (6, 6))
        np.testing.assert_array_equal(matrix.toarray(), dense(system))
        np.testing.assert_allclose(spsolve(matrix.tocsc(), system.rhs), solution(system), atol=1e-10)

    def test_backends_agree(self):
        points, cells, sides = square(5)
        data = {"source": "x", "advection": [[1, "y"]], "reaction": 1.0, "fixed_values": "1 + x"}
        host = tf.assemble_dg(points, cells, "1 + x", degree=2, fixed_facets=sides, **data)
        x = np.sin(np.arange(host.n_unknowns))
        for backend in tf.backends():
            system = tf.assemble_dg(points, cells, 3.0, degree=2, fixed_facets=sides, backend=backend)
            system.refill("1 + x", **data)
            np.testing.assert_allclose(system @ x, host @ x, rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(system.at_vertices(x), host.at_vertices(x), rtol=1e-12, atol=1e-12)
            if backend in ("serial", "openmp"):
                continue
            try:
                import cupy
            except ImportError:
                self.skipTest("needs CuPy for the rest")
            values, rhs = cupy.from_dlpack(system.values), cupy.from_dlpack(system.rhs)
            np.testing.assert_allclose(values.get(), host.values, rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(rhs.get(), host.rhs, rtol=1e-12, atol=1e-12)
            there = cupy.asarray(x)
            np.testing.assert_allclose(cupy.from_dlpack(system @ there).get(), host @ x, rtol=1e-12, atol=1e-12)

    def test_arrays_outlive_the_system(self):
        points, cells, sides = square(8)
        values = tf.assemble_dg(points, cells, fixed_facets=sides).values
        expected = values.copy()
        for _ in range(5):
            tf.assemble_dg(points, cells, 7.0, fixed_facets=sides)
        np.testing.assert_array_equal(values, expected)

    def test_wrong_arguments_are_clear_errors(self):
        points, cells, sides = square(3)
        for options, words in [
            ({"coefficients": [1.0, 2.0]}, "coefficients: 2 entries; one value, or one for each of 1 regions"),
            ({"coefficients": [[1.0] * 4]}, "coefficients: 4 entries for a region; 1 or 2 or 3 are possible"),
            ({"coefficients": -1.0}, "coefficients: A diffusion tensor that is not positive semidefinite"),
            ({"coefficients": np.nan}, "coefficients: not all numbers are finite"),
            ({"coefficients": None}, "coefficients: None is neither a number nor an expression"),
            ({"coefficients": "steel"}, "coefficients: .*steel"),
            ({"coefficients": "1 + t"}, "coefficients: the expression '1 . t' depends on t"),
            ({"source": "1/(x - x)"}, "coefficients: A coefficient that is not finite"),
            ({"source": 1j}, "source: 1j is neither"),
            ({"advection": [1.0, 2.0]}, "advection: 2 entries; one value"),
            ({"advection": [[1.0]]}, "advection: 1 entries for a region; 2 are possible"),
            ({"fixed_values": [1.0], "fixed_facets": sides}, "fixed_values: .1.0. is neither"),
            ({"fixed_facets": [[0, 99]]}, "numbers of points"),
            ({"degree": 9}, "degree: 9; integers from 0 to 8"),
            ({"degree": 1.5}, "degree: 1.5"),
            ({"penalty": 0}, "penalty: 0; it must be positive"),
            ({"strategy": "row-gather"}, "unknown strategy 'row-gather'"),
            ({"backend": "abacus"}, "no backend 'abacus'"),
            ({"elements": [0, 1]}, "elements: the shape"),
            ({"elements": np.full(len(cells), 99)}, "elements: numbers from 0 to 17"),
        ]:
            with self.assertRaisesRegex(tf.InputError, words):
                tf.assemble_dg(points, cells, **options)
        with self.assertRaisesRegex(tf.InputError, "points and cells: .*(inverted|negative|orient)"):
            tf.assemble_dg(points, cells[:, ::-1])
        with self.assertRaisesRegex(tf.InputError, "x: the shape"):
            tf.assemble_dg(points, cells).matvec(np.ones(3))

    def test_random_arguments_never_crash(self):
        generator = random.Random(int(os.environ.get("TESSERA_SEED", "12")))
        points, cells, sides = square(3)
        strange = [None, 3, -1, "x", np.nan, [], [[]], points, cells, sides, cells.T, np.zeros((0, 2)), np.array(5), np.array([1 + 2j]),
                   object(), [["x", 1]], [[1, 0, 1]], np.arange(len(cells)) // 2, "1/x"]
        names = ["coefficients", "source", "advection", "reaction", "regions", "fixed_facets", "fixed_values", "elements", "degree",
                 "penalty", "strategy", "backend"]
        n_good = 0
        for _ in range(int(os.environ.get("TESSERA_CASES", "400"))):
            options = {name: generator.choice(strange) for name in names if generator.random() < 0.1}
            try:
                system = tf.assemble_dg(points, cells, **options)
                self.assertTrue(np.isfinite(system.values).all())
                n_good += 1
            except (tf.Error, TypeError, ValueError):
                pass
        self.assertGreater(n_good, 100)


if __name__ == "__main__":
    logging.getLogger("tessera_fem").setLevel(logging.CRITICAL)
    unittest.main(argv=sys.argv)
