# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
"""Matrices on given meshes, and systems given as CRS arrays."""

import os
import random
import sys
import unittest

import support  # noqa: F401  (skips without numpy)

import numpy as np
import tessera_fem as tf


def square(n):
    """Points and triangles of the unit square, and the edges of its left and right side."""
    x, y = np.meshgrid(np.linspace(0, 1, n + 1), np.linspace(0, 1, n + 1))
    points = np.column_stack([x.ravel(), y.ravel()])
    first = (np.arange(n)[:, None] * (n + 1) + np.arange(n)).ravel()
    cells = np.vstack([np.column_stack([first, first + 1, first + n + 2]), np.column_stack([first, first + n + 2, first + n + 1])])
    row = np.arange(n) * (n + 1)
    sides = np.vstack([np.column_stack([row, row + n + 1]), np.column_stack([row + n, row + 2 * n + 1])])
    return points, cells, sides


def dense(system):
    n = system.n_unknowns
    matrix = np.zeros((n, n))
    rows = np.repeat(np.arange(n), np.diff(system.offsets))
    matrix[rows, system.columns] = system.values
    return matrix


def stiffness(points, cells, coefficient):
    """The same matrix for all points by the textbook's formula: gradients of barycentric coordinates."""
    matrix = np.zeros((len(points), len(points)))
    for cell, d in zip(cells, np.broadcast_to(coefficient, len(cells))):
        edges = np.vstack([np.ones(3), points[cell].T])
        gradients = np.linalg.inv(edges)[:, 1:]
        matrix[np.ix_(cell, cell)] += d * abs(np.linalg.det(edges)) / 2 * gradients @ gradients.T
    return matrix


class DeadArray:
    """Says that it is on a GPU, and gives no memory."""

    def __init__(self, n):
        self.shape, self.ndim, self.dtype = (n,), 1, np.dtype(np.float64)

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, **_):
        raise BufferError("freed")


class Assembly(unittest.TestCase):

    def test_every_strategy_gives_the_textbooks_matrix(self):
        points, cells, _ = square(5)
        by_cell = 1 + np.random.default_rng(1).random(len(cells))
        for strategy in ("row-gather", "atomic", "colored", "sorted-coo", "a-coo", "a-coo-compact", "reference", "auto"):
            for backend in ("openmp", "serial"):
                for coefficient in (2.0, by_cell):
                    system = tf.assemble(points, cells, coefficient, strategy=strategy, backend=backend)
                    np.testing.assert_allclose(dense(system), stiffness(points, cells, coefficient), atol=1e-13)
                    self.assertEqual((system.values.dtype, system.columns.dtype), (np.float64, np.int32))

    def test_libraries_share_the_memory_of_a_device(self):
        devices = [backend for backend in tf.backends() if backend not in ("serial", "openmp")]
        try:
            import cupy as library
        except ImportError:
            try:
                import torch as library
            except ImportError:
                library = None
        if not devices or library is None:
            self.skipTest("needs a backend of a device, and CuPy or PyTorch")

        def address(array):
            return array.data.ptr if hasattr(array.data, "ptr") else array.data_ptr()

        def on_device(array):
            return library.asarray(array) if hasattr(library, "cuda") and hasattr(library, "ndarray") else library.tensor(array).cuda()

        points, cells, sides = square(6)
        options = {"fixed_facets": sides, "fixed_values": points[:, 0]}
        for backend in devices:
            system = tf.assemble(points, cells, 2.0, **options, backend=backend)
            host = tf.assemble(points, cells, 3.0, **options)
            values = library.from_dlpack(system.values)
            self.assertEqual(address(values), address(library.from_dlpack(system.values)))
            self.assertEqual(system.n_unknowns, host.n_unknowns)
            system.refill(3.0, fixed_values=points[:, 0])
            np.testing.assert_array_equal(np.array(values.tolist()), host.values)  # the same sums
            np.testing.assert_array_equal(np.array(library.from_dlpack(system.columns).tolist()), host.columns)
            np.testing.assert_allclose(system.solve().values, host.solve().values, rtol=1e-9)
            kept, points_there, cells_there = system, on_device(points), on_device(cells)
            del system
            np.testing.assert_array_equal(np.array(values.tolist()), host.values)  # the array keeps the memory

            # Data on the device: by cell and at points, right-hand sides, matrices.
            by_cell = 1 + np.arange(len(cells)) / 7
            for given in (by_cell, np.column_stack([by_cell, 2 * by_cell])):
                host = tf.assemble(points, cells, given, source=by_cell, **options)
                system = tf.assemble(points_there, cells_there, on_device(np.ones_like(given)), fixed_facets=on_device(sides),
                                     fixed_values=on_device(points[:, 1]), backend=backend)
                values = library.from_dlpack(system.values)
                system.refill(on_device(given), on_device(by_cell), on_device(points[:, 0]))
                np.testing.assert_array_equal(np.array(values.tolist()), host.values)
                np.testing.assert_array_equal(np.array(library.from_dlpack(system.rhs).tolist()), host.rhs)
                crs = [library.from_dlpack(array) for array in (system.offsets, system.columns, system.values)]
                rhs = library.from_dlpack(system.rhs)
                expected = tf.solve((host.offsets, host.columns, host.values), host.rhs).values
                for solution in (tf.solve(crs, rhs, backend=backend).values, kept.solve(rhs).values):
                    there = library.from_dlpack(solution)
                    self.assertEqual(there.__dlpack_device__()[0], values.__dlpack_device__()[0])
                    if len(there) == len(expected):
                        np.testing.assert_allclose(np.array(there.tolist()), expected, rtol=1e-8)
            with self.assertRaisesRegex(tf.InputError, "A: offsets: the array is on a GPU, but the backend is of the host"):
                tf.solve(crs, rhs)
            with self.assertRaisesRegex(tf.InputError, "dtype is float32; on a GPU float64"):
                system.refill(on_device(by_cell.astype(np.float32)))
            with self.assertRaisesRegex(tf.InputError, "rows, but the system has"):
                system.refill(on_device(np.ones(1)))
            crs[2][1] += 1
            with self.assertRaisesRegex(tf.InputError, "not symmetric; the entries"):
                tf.solve(crs, rhs, backend=backend)

    def test_expressions_are_integrated_by_quadrature(self):
        points, cells, sides = square(5)
        middle = points[cells].mean(axis=1)
        system = tf.assemble(points, cells, "1 + x + 2*y")  # linear: the mean is the value in the middle
        np.testing.assert_allclose(dense(system), stiffness(points, cells, 1 + middle[:, 0] + 2 * middle[:, 1]), atol=1e-13)
        system.refill(["2", "2"], source="x")
        np.testing.assert_allclose(dense(system), stiffness(points, cells, 2.0), atol=1e-13)
        self.assertAlmostEqual(system.rhs.sum(), 0.5, delta=1e-14)
        system.refill(2 + middle[:, 0], source=1.0)
        np.testing.assert_allclose(dense(system), stiffness(points, cells, 2 + middle[:, 0]), atol=1e-13)
        for wrong, message in (("1 + t", "coefficients: the expression '1 . t' depends on t"), ("1/(x - x)", "coefficients: .*in cell 0"),
                               ("1 +", "coefficients: "), (["x", "y", "x"], "shape")):
            with self.assertRaisesRegex(tf.InputError, message):
                tf.assemble(points, cells, wrong)
        with self.assertRaisesRegex(tf.InputError, "source: 3 rows; next to an expression"):
            tf.assemble(points, cells, "x", source=[1.0, 2.0, 3.0])

    def test_a_system_is_a_linear_operator(self):
        points, cells, sides = square(6)
        for backend in ("openmp", "serial"):
            system = tf.assemble(points, cells, 2.0, fixed_facets=sides, backend=backend)
            x = np.sin(np.arange(system.n_unknowns))
            np.testing.assert_allclose(system @ x, dense(system) @ x, atol=1e-13)
            with self.assertRaisesRegex(tf.InputError, "x: the shape is"):
                system.matvec(x[1:])
        try:
            from scipy.sparse.linalg import aslinearoperator, cg
        except ImportError:
            self.skipTest("needs SciPy for the rest")
        solution, status = cg(aslinearoperator(system), system.rhs + 1)
        self.assertEqual(status, 0)
        np.testing.assert_allclose(dense(system) @ solution, system.rhs + 1, atol=1e-3)

    def test_refill_writes_into_the_same_arrays(self):
        points, cells, sides = square(6)
        regions = (points[cells].mean(axis=1)[:, 0] > 0.5).astype(int)
        for rows in (regions, None):
            data = [np.array([1.0, 3.0])[regions] if rows is None else np.array([1.0, 3.0])]
            data.append(2.5 * data[0])
            system = tf.assemble(points, cells, data[0], regions=rows, fixed_facets=sides, fixed_values=points[:, 0])
            values, rhs, before = system.values, system.rhs, system.values.copy()
            system.refill(data[1], source=1.0)
            self.assertIs(system.values, values)
            np.testing.assert_allclose(values, 2.5 * before, rtol=1e-14)
            fresh = tf.assemble(points, cells, data[1], regions=rows, fixed_facets=sides, source=1.0)
            np.testing.assert_array_equal(values, fresh.values)
            np.testing.assert_array_equal(rhs, fresh.rhs)
            with self.assertRaisesRegex(tf.InputError, "cannot change" if rows is not None else "rows"):
                system.refill(np.ones(len(cells)) if rows is not None else np.ones(5))

    def test_fixed_values_and_directions(self):
        points, cells, sides = square(8)
        for order in (1, 2):
            system = tf.assemble(points, cells, [[2.0, 5.0]], source=2.0, fixed_facets=sides, order=order)
            solution = system.solve()
            # -2 u'' = 2: u = x (1 - x) / 2, which elements of order 1 have at the nodes of this mesh
            self.assertLess(np.abs(solution.values[:len(points)] - points[:, 0] * (1 - points[:, 0]) / 2).max(), 1e-9)
        system = tf.assemble(points, cells, fixed_facets=sides, fixed_values=3 * points[:, 0])
        np.testing.assert_allclose(system.solve(preconditioner="jacobi").values, 3 * points[:, 0], atol=1e-9)

    def test_tetrahedra(self):
        points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
        system = tf.assemble(points, [[0, 1, 2, 3]])
        expected = np.array([[3, -1, -1, -1], [-1, 1, 0, 0], [-1, 0, 1, 0], [-1, 0, 0, 1]]) / 6
        np.testing.assert_allclose(dense(system), expected, atol=1e-15)

    def test_arrays_outlive_the_system(self):
        points, cells, _ = square(20)
        values = tf.assemble(points, cells).values
        expected = values.copy()
        for _ in range(10):
            tf.assemble(points, cells, 7.0)
        np.testing.assert_array_equal(values, expected)

    def test_wrong_arguments_are_clear_errors(self):
        points, cells, sides = square(3)
        for arguments, words in [
            ((points[:, 0], cells), "points: the shape"),
            ((points, cells.astype(float)), "cells: the dtype is float64; integer"),
            ((points, cells[:, :2]), r"cells: the shape is \(18, 2\); \(n, 3\)"),
            ((points, cells + 100), "numbers of points from 0 to 15"),
            ((points, cells[:, ::-1]), "points and cells: .*(inverted|negative|orient)"),
            ((points, cells, np.ones(5)), "coefficients and source: .5. rows"),
            ((points, cells, "steel"), "coefficients: .*steel"),
            ((points, cells, [None]), "coefficients: the dtype"),
            ((points, cells, np.nan), "not all numbers are finite"),
            ((np.full_like(points, np.inf), cells), "points: not all numbers are finite"),
            ((points, np.empty((0, 3), int)), "there are none"),
        ]:
            with self.assertRaisesRegex(tf.InputError, words):
                tf.assemble(*arguments)
        for options, words in [
            ({"order": 3}, "order: 3"),
            ({"strategy": 3}, "strategy: 3 is no text"),
            ({"backend": None}, "backend: None is no text"),
            ({"coefficients": [[1, 2], [3]]}, "coefficients: .*inhomogeneous"),
            ({"source": DeadArray(len(cells))}, "cannot be read"),
            ({"strategy": "ebe-stored"}, "has no matrix"),
            ({"strategy": "magic"}, "unknown strategy 'magic'"),
            ({"backend": "abacus"}, "no backend 'abacus'"),
            ({"fixed_facets": sides, "fixed_values": np.ones(3)}, "fixed_values: the shape"),
            ({"fixed_facets": [[0, 99]]}, "numbers of points"),
            ({"fixed_facets": [[0, 15]]}, "points and cells: "),
            ({"regions": np.full(len(cells), 70000)}, "do not fit uint16"),
            ({"order": 2, "fixed_values": np.ones(16)}, "with order 2 a number"),
        ]:
            with self.assertRaisesRegex(tf.InputError, words):
                tf.assemble(points, cells, **options)


class Solvers(unittest.TestCase):

    @staticmethod
    def laplacian(n):
        """Five-point stencil on n by n points."""
        index = np.arange(n * n).reshape(n, n)
        pairs = np.vstack([np.column_stack([index[:, :-1].ravel(), index[:, 1:].ravel()]),
                           np.column_stack([index[:-1].ravel(), index[1:].ravel()])])
        rows = np.concatenate([index.ravel(), pairs[:, 0], pairs[:, 1]])
        columns = np.concatenate([index.ravel(), pairs[:, 1], pairs[:, 0]])
        values = np.concatenate([np.full(n * n, 4.0), np.full(2 * len(pairs), -1.0)])
        order = np.lexsort((columns, rows))
        return np.concatenate([[0], np.cumsum(np.bincount(rows))]), columns[order], values[order]

    def test_solves_any_symmetric_matrix(self):
        offsets, columns, values = self.laplacian(60)
        x = np.random.default_rng(3).random(len(offsets) - 1)
        b = np.add.reduceat(values * x[columns], offsets[:-1])
        iterations = {}
        for preconditioner in ("multigrid", "jacobi", "none"):
            solution = tf.solve((offsets, columns, values), b, preconditioner)
            # The condition number is 1500: it times the tolerance 1e-10 and the norm of b bounds the error by 1e-5.
            np.testing.assert_allclose(solution.values, x, atol=1e-6)
            self.assertLess(solution.residual, 1e-9)
            iterations[preconditioner] = solution.iterations
        self.assertLess(iterations["multigrid"], iterations["jacobi"] / 2)
        try:
            from scipy.sparse import coo_matrix, csr_matrix
        except ImportError:
            return
        matrix = csr_matrix((values, columns, offsets))
        np.testing.assert_allclose(tf.solve(coo_matrix(matrix), b).values, x, atol=1e-6)

    def test_wrong_systems_are_refused(self):
        good = self.laplacian(4)
        b = np.ones(16)
        damaged = good[2].copy()
        damaged[1] = 5
        for matrix, words in [
            ((good[0], good[1], damaged), "not symmetric"),
            ((good[0], good[1][::-1].copy(), good[2]), "not ascending"),
            ((good[0] + 1, good[1], good[2]), "do not belong together"),
            ((good[0], good[1] + 20, good[2]), "below 16"),
            ((good[0], good[1], good[2][:-1]), "values: the shape"),
            ((good[0].astype(float), good[1], good[2]), "offsets: the dtype"),
            ((good[0], good[1], good[2].astype(complex)), "values: the dtype"),
            ((good[0], good[1], good[2] * np.nan), "finite"),
            (np.eye(16), "A: a sparse matrix"),
        ]:
            with self.assertRaisesRegex(tf.InputError, words):
                tf.solve(matrix, b)
        with self.assertRaisesRegex(tf.InputError, "b: the shape"):
            tf.solve(good, np.ones(15))
        with self.assertRaisesRegex(tf.InputError, "unknown name 'ilu'"):
            tf.solve(good, b, "ilu")
        with self.assertRaises(tf.NumericalError):
            tf.solve(good, b, "none", max_iterations=1)
        with self.assertRaises(tf.NumericalError):
            tf.solve((good[0], good[1], -good[2]), b, "none")

    def test_random_arguments_never_crash(self):
        generator = random.Random(int(os.environ.get("TESSERA_SEED", "11")))
        points, cells, sides = square(3)
        strange = [None, 3, -1, "x", np.nan, [], [[]], points, cells, sides, cells.astype(np.uint8), points.astype(np.float32),
                   points[:, ::-1], cells.T, np.zeros((0, 2)), np.zeros((2, 2, 2)), np.array(5), np.array([1 + 2j]), object()]
        names = ["coefficients", "source", "regions", "fixed_facets", "fixed_values", "strategy", "order", "backend"]
        n_good = 0
        for _ in range(int(os.environ.get("TESSERA_CASES", "1500"))):
            arguments = [generator.choice(strange + 6 * [points]), generator.choice(strange + 6 * [cells])]
            options = {name: generator.choice(strange) for name in names if generator.random() < 0.1}
            try:
                system = tf.assemble(*arguments, **options)
                self.assertTrue(np.isfinite(system.values).all())
                n_good += 1
            except (tf.Error, TypeError, ValueError):
                pass
        self.assertGreater(n_good, 20)


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
