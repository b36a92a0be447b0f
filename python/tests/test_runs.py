# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
"""Cases and runs: results, errors, threads, Ctrl-C, memory."""

import gc
import logging
import os
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

from support import EPSILON_0, PLATES

import numpy as np
import tessera_fem as tf


def plates(**values):
    """The case with other values of keys, whose dots are double underscores."""
    return tf.load(PLATES).with_values({key.replace("__", "."): value for key, value in values.items()})


class Results(unittest.TestCase):

    def test_quantities_have_value_and_unit(self):
        run = plates().run()
        capacitance = run.quantities["capacitance"]
        # The exact solution is linear, so that only the solver's tolerance and rounding are left.
        self.assertAlmostEqual(capacitance / (3 * EPSILON_0), 1, delta=1e-8)
        self.assertEqual(capacitance.unit, "F")
        self.assertEqual(capacitance.value, float(capacitance))
        self.assertIsNone(capacitance.error_estimate)
        self.assertAlmostEqual(run.quantities["energy"], 0.5 * capacitance * 2**2, delta=1e-8 * capacitance)
        self.assertEqual(pickle.loads(pickle.dumps(capacitance)).unit, "F")
        self.assertTrue(run.converged)
        self.assertEqual(run.report["mesh"]["elements"], 128)

    def test_quantities_have_estimated_errors(self):
        case = plates(mesh={"box": {"cells": [8, 4], "upper": [1, 1]}},
                      problem__materials={"domain": {"relative_permittivity": "2 + sin(3*x)"}}, output__errors=True)
        run = case.run()
        capacitance = run.quantities["capacitance"]
        entry = run.report["quantities"]["capacitance"]
        self.assertEqual(capacitance.error_estimate, entry["estimated_error"] / entry["value"])
        self.assertTrue(1e-5 < capacitance.error_estimate < 0.05)
        finer = case.with_values({"mesh.refine": 3, "output.errors": False}).run().quantities["capacitance"]
        self.assertIsNone(finer.error_estimate)
        self.assertLess(abs(capacitance / finer - 1), capacitance.error_estimate)

    def test_fields_are_on_the_device_of_the_backend(self):
        devices = [backend for backend in tf.backends() if backend not in ("serial", "openmp")]
        for backend in ("serial", "openmp", *devices):
            run = plates().run(backend=backend)
            self.assertEqual(set(run.device_fields), set(run.fields))
            for name, expected in run.fields.items():
                array = run.device_fields[name]
                self.assertIs(array, run.device_fields[name])
                self.assertEqual(array.__dlpack_device__()[0], 2 if backend in devices else 1)
                if backend not in devices:
                    np.testing.assert_array_equal(array, expected)
                else:
                    try:
                        import cupy
                        np.testing.assert_array_equal(cupy.from_dlpack(array).get(), expected)
                    except ImportError:
                        self.skipTest("needs CuPy for the rest")
            with self.assertRaisesRegex(KeyError, "temperature"):
                run.device_fields["temperature"]
            run.close()
            with self.assertRaisesRegex(tf.InputError, "closed"):
                run.device_fields["potential"]

    def test_fields_are_arrays_of_the_run_without_copies(self):
        run = plates().run()
        self.assertEqual(run.mesh.points.shape, (81, 3))
        self.assertEqual(run.mesh.cells.shape, (128, 3))
        self.assertEqual(run.mesh.cells.dtype, np.int64)
        self.assertEqual(set(run.fields), {"potential", "electric_field", "material"})
        potential = run.fields["potential"]
        self.assertEqual((potential.dtype, potential.shape), (np.float64, (81,)))
        np.testing.assert_allclose(potential, 2 * run.mesh.points[:, 0], atol=1e-8)
        field = run.cell_fields["electric_field"]
        self.assertEqual(field.shape, (128, 3))
        np.testing.assert_allclose(field, np.tile([-2, 0, 0], (128, 1)), atol=1e-7)
        self.assertEqual(run.fields.unit("electric_field"), "V/m")
        self.assertEqual(run.fields["potential"].ctypes.data, potential.ctypes.data)
        self.assertEqual(run.regions, ["domain"])
        self.assertTrue((run.fields["material"] == 0).all())
        with self.assertRaisesRegex(KeyError, "output.fields"):
            run.fields["temperature"]

    def test_arrays_outlive_their_run_and_a_closed_run_refuses(self):
        run = plates().run()
        potential = run.fields["potential"]
        expected = potential.copy()
        run.close()
        run.close()
        with self.assertRaisesRegex(tf.InputError, "closed"):
            run.fields["potential"]
        with self.assertRaisesRegex(tf.InputError, "closed"):
            run.mesh
        del run
        gc.collect()
        plates(problem__boundaries__right__potential=5).run()
        np.testing.assert_array_equal(potential, expected)

    def test_probes_interpolate_exactly(self):
        for order in (1, 2):
            run = plates(discretization__order=order).run()
            points = np.random.default_rng(7).random((50, 2))
            values = run.probe(np.vstack([points, [[2., 2.]]]))
            np.testing.assert_allclose(values["potential"][:-1], 2 * points[:, 0], atol=1e-8)
            self.assertEqual(values["electric_field"].shape, (51, 3))
            self.assertTrue(np.isnan(values["potential"][-1]))
        with self.assertRaisesRegex(tf.InputError, r"\(n, 2 or 3\)"):
            run.probe([0.5, 0.5])

    def test_probes_in_curved_space_agree_with_those_of_the_program(self):
        case = tf.load({
            "tessera": 1,
            "mesh": {"box": {"cells": [3, 3, 3]}},
            "problem": {
                "physics": "diffusion",
                "materials": {"domain": {"diffusivity": "1 + x"}},
                "sources": {"domain": {"source": 1}},
                "boundaries": {"left": {"value": 0}, "right": {"value": 1}},
            },
            "discretization": {"order": 2},
            "output": {"fields": ["value"], "probes": {"line": {"from": [0.1, 0.2, 0.3], "to": [0.9, 0.7, 0.6], "points": 9}}},
        })
        run = case.run()
        table = run.tables["line"]
        points = np.column_stack([table[name] for name in "xyz"])
        np.testing.assert_allclose(run.probe(points)["value"], table["value"], rtol=1e-12)
        self.assertEqual(table.units["x"], "m")

    def test_steps_of_time_are_the_first_index(self):
        case = tf.load({
            "tessera": 1,
            "mesh": {"box": {"cells": [4, 4]}, "agglomerate": {"elements": 8}},
            "problem": {
                "physics": "advection-diffusion-reaction",
                "time": {"from": 0, "to": 1, "steps": 3},
                "initial": 1,
                "materials": {"domain": {"diffusivity": 1, "reaction": 1}},
                "boundaries": {"left": {"value": 0}},
            },
            "discretization": {"method": "dg", "order": 1},
            "output": {"fields": ["value"], "quantities": ["mean"]},
        })
        run = case.run()
        np.testing.assert_allclose(run.times, [1 / 3, 2 / 3, 1])
        self.assertEqual(run.fields["value"].shape, (3, len(run.mesh.points)))
        self.assertEqual(run.probe([[0.5, 0.5]])["value"].shape, (3, 1))
        history = run.tables["quantities"]
        np.testing.assert_allclose(history["t"], run.times)
        self.assertEqual(history["mean"][-1], run.quantities["mean"])

    def test_files_are_written_only_if_asked_for(self):
        with tempfile.TemporaryDirectory() as folder:
            before = set(os.listdir())
            run = plates().run(output=os.path.join(folder, "out"))
            self.assertTrue({"report.yaml", "fields.vtkhdf"} <= set(os.listdir(run.directory)))
            self.assertEqual(run.fields["potential"].shape, (81,))
            self.assertIsNone(plates(output__directory=os.path.join(folder, "other")).run().directory)
            self.assertEqual(os.listdir(folder), ["out"])
            self.assertEqual(set(os.listdir()), before)

    def test_scipy_reads_and_solves_the_written_system(self):
        try:
            from scipy.io import mmread
            from scipy.sparse.linalg import spsolve
        except ImportError:
            self.skipTest("needs SciPy")
        with tempfile.TemporaryDirectory() as folder:
            run = plates(output__matrix="A.mtx", solver__relative_tolerance=1e-12).run(output=folder)
            matrix = mmread(os.path.join(folder, "A.mtx")).tocsc()
            solution = spsolve(matrix, mmread(os.path.join(folder, "A_rhs.mtx"))[:, 0])
            x = run.mesh.points[:, 0]
            free = run.fields["potential"][(x > 1e-9) & (x < x.max() - 1e-9)]
            np.testing.assert_allclose(np.sort(solution), np.sort(free), atol=1e-9)

    def test_a_case_can_be_read_changed_and_copied(self):
        case = plates()
        self.assertEqual(case["mesh.box.cells"], [8, 8])
        other = case.with_values({"mesh.box.cells": np.array([4, 4]), "problem.materials.domain.relative_permittivity": "2 + 1"})
        self.assertEqual(other.run().report["mesh"]["elements"], 32)
        self.assertEqual(case["mesh.box.cells"], [8, 8])
        del other["problem.depth"]
        self.assertNotIn("problem.depth", other)
        self.assertEqual(other.get("problem.depth", "none"), "none")
        with self.assertRaises(KeyError):
            del other["problem.depth"]
        self.assertEqual(case.resolved()["discretization"]["method"], "cg")
        self.assertEqual(case.to_dict()["title"], "Plates")

    def test_pictures_are_drawn_of_runs_without_files(self):
        if re.search(r"^ *Cairo +no", tf.info(), re.MULTILINE):
            self.skipTest("this build has no Cairo")
        run = plates(discretization__order=2).run()
        picture = run.plot("potential", window=[0, 0, 0.5, 0.5], range=[0, 1], pixels=400)
        self.assertTrue(picture._repr_png_().startswith(b"\x89PNG"))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "field.svg")
            self.assertIn("<svg", run.plot("electric_field", path, component="x", mesh=True)._repr_svg_())
            self.assertEqual(os.listdir(folder), ["field.svg"])
        with self.assertRaisesRegex(tf.InputError, "temperature"):
            run.plot("temperature")
        with self.assertRaisesRegex(tf.InputError, "100 to 10000 pixels wide, not -1"):
            run.plot("potential", pixels=-1)
        run.close()
        with self.assertRaisesRegex(tf.InputError, "closed"):
            run.plot("potential")

    def test_sweeps_are_lists_of_runs(self):
        sweep = tf.sweep(plates(), {"problem.materials.domain.relative_permittivity": [1, 2],
                                    "problem.boundaries.right.potential": np.linspace(1, 3, 3)})
        table = sweep.table()
        self.assertEqual(len(sweep), 6)
        np.testing.assert_allclose(table["capacitance"], EPSILON_0 * np.array([1, 1, 1, 2, 2, 2]), rtol=1e-8)
        self.assertEqual(table["problem.boundaries.right.potential"], [1, 2, 3, 1, 2, 3])
        failing = tf.sweep([plates(), plates(solver={"max_iterations": 1, "preconditioner": "jacobi"})])
        self.assertEqual([error is None for error in failing.errors], [True, False])
        self.assertEqual([run is None for run in failing.runs], [False, True])


class Errors(unittest.TestCase):

    def test_input_errors_have_file_line_and_key(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "case.yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write("tessera: 1\nmesh: {box: {cells: [4, 4]}}\nproblem:\n  physics: electrostatics\n"
                           "  boundaries: {left: {potential: 0}}\n  materials:\n    domain: {relative_permittivty: 1}\n")
            case = tf.load(path)
            with self.assertRaises(tf.InputError) as caught:
                case.run()
        self.assertEqual((caught.exception.file, caught.exception.line), (path, 7))
        self.assertEqual(caught.exception.key, "problem.materials.domain")
        self.assertTrue(any("did you mean" in problem.text for problem in caught.exception.problems))

    def test_errors_of_dicts_have_the_key(self):
        with self.assertRaises(tf.InputError) as caught:
            plates(solver__relative_tolerance=-1).check()
        self.assertEqual(caught.exception.key, "solver.relative_tolerance")
        self.assertIsNone(caught.exception.file)
        self.assertIsInstance(caught.exception, ValueError)

    def test_no_solution_is_a_numerical_error_with_the_run(self):
        case = plates(solver={"max_iterations": 1, "preconditioner": "jacobi"})
        with self.assertRaises(tf.NumericalError) as caught:
            case.run()
        self.assertFalse(caught.exception.run.converged)
        self.assertIn("NOT CONVERGED", repr(caught.exception.run))
        self.assertIn("No usable solution", caught.exception.run._repr_html_())
        self.assertFalse(case.run(check=False).converged)

    def test_missing_files_and_damaged_yaml_are_input_errors(self):
        with self.assertRaisesRegex(tf.InputError, "does not exist"):
            tf.load("no-such-case.yaml")
        with self.assertRaisesRegex(tf.InputError, "mesh.file|no-such"):
            tf.load({"tessera": 1, "mesh": {"file": "no-such.vtkhdf"}, "problem": PLATES["problem"]}).run()

    def test_a_title_may_look_like_a_number(self):
        self.assertIn("<h4>5</h4>", plates(title=5).run()._repr_html_())

    def test_wrong_types_are_refused_with_their_key(self):
        case = plates()
        with self.assertRaisesRegex(tf.InputError, "problem.depth: a value of the type 'object'"):
            case["problem.depth"] = object()
        with self.assertRaisesRegex(tf.InputError, "not finite"):
            case["problem.depth"] = float("nan")
        with self.assertRaisesRegex(tf.InputError, "keys must be texts"):
            case["problem.materials"] = {1: 2}
        with self.assertRaises(TypeError):
            case["problem.depth"] = None
        recursive = []
        recursive.append(recursive)
        with self.assertRaisesRegex(tf.InputError, "too deep"):
            case["problem.depth"] = recursive
        with self.assertRaisesRegex(tf.InputError, "execution.backend"):
            case.run(backend="abacus")
        with self.assertRaises(TypeError):
            case.run(backend=7)
        with self.assertRaises(TypeError):
            tf.load(7)

    def test_exceptions_of_the_progress_function_end_the_run(self):
        def stop(text):
            raise ZeroDivisionError(text)
        with self.assertRaises(ZeroDivisionError):
            plates().run(progress=stop)
        plates().run()


class Process(unittest.TestCase):

    def test_lines_go_to_logging_and_progress_to_its_function(self):
        seen = []
        with self.assertLogs("tessera_fem", logging.INFO) as logs:
            plates().run(progress=seen.append)
        self.assertTrue(any("capacitance" in line for line in logs.output))
        self.assertTrue(any(text.startswith("solver") for text in seen))

    def test_runs_in_threads_give_the_same_numbers(self):
        expected = plates(mesh__box__cells=[40, 40]).run().fields["potential"]
        results = [None] * 6

        def work(i):
            results[i] = plates(mesh__box__cells=[40, 40]).run().fields["potential"]

        threads = [threading.Thread(target=work, args=(i,)) for i in range(len(results))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for result in results:
            np.testing.assert_array_equal(result, expected)

    def test_other_threads_continue_during_a_run(self):
        counted = 0
        done = threading.Event()

        def work():
            try:
                plates(mesh__box__cells=[300, 300]).run()
            finally:
                done.set()

        thread = threading.Thread(target=work)
        thread.start()
        while not done.wait(0.001):
            counted += 1
        thread.join()
        self.assertGreater(counted, 5)

    def test_ctrl_c_ends_a_run(self):
        case = plates(mesh__box__cells=[400, 400], solver={"preconditioner": "jacobi", "relative_tolerance": 1e-12})
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            for _ in range(100):
                case.run()
        timer.join()
        self.assertTrue(plates().run().converged)

    def test_threads_are_started_once(self):
        plates().run()
        with self.assertRaisesRegex(tf.InputError, "cannot be changed"):
            tf.start(threads=1000)
        notes = plates(execution__threads=1).run().notes
        if tf._core.started_threads() > 1:
            self.assertTrue(any("execution.threads" in note for note in notes))
        self.assertIn("Kokkos", tf.info())
        self.assertIn("serial", tf.backends())

    def test_memory_does_not_grow_over_many_runs(self):
        def resident():
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        n_runs = int(os.environ.get("TESSERA_RUNS", "60"))
        case = plates(mesh__box__cells=[60, 60])
        for _ in range(n_runs // 3):
            case.run()
        gc.collect()
        before = resident()
        for _ in range(n_runs):
            case.run().fields["potential"]
        gc.collect()
        # A run has about 2 MB of arrays: if one in ten stayed, it would be more than this.
        self.assertLess(resident() - before, 0.1 * 2e6 * n_runs)


class Exit(unittest.TestCase):
    """Kokkos ends with the interpreter: before the runtimes of devices, and while objects of Python have its memory."""

    SETUP = """
import atexit, os, sys, threading, time
last = [] # functions that are called after those of the library
atexit.register(lambda: [function() for function in last])
import numpy as np
import tessera_fem as tf
points, cells = np.array([[0., 0], [1, 0], [1, 1], [0, 1]]), [[0, 1, 2], [0, 2, 3]]
system = tf.assemble(points, cells, fixed_facets=[[0, 1]], backend=BACKEND)
values = system.values
case = tf.load(PLATES)
def forever():
    large = case.with_values({"mesh.box.cells": [60, 60]})
    while True:
        large.run(); tf.assemble(points, cells, backend=BACKEND).refill(2.0)
"""

    def check(self, lines, backend="openmp", code=0, out=""):
        setup = self.SETUP.replace("PLATES", repr(PLATES)).replace("BACKEND", repr(backend))
        done = subprocess.run([sys.executable, "-W", "ignore::DeprecationWarning", "-c", setup + lines], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (code, out, ""))

    def test_objects_may_live_until_the_end(self):
        for backend in tf.backends():
            self.check("run = case.run(); field = run.fields['potential']", backend)
            self.check("sys.kept = [system, values, case.run()]; system.refill(3.0)", backend)
            self.check("cycle = [system, values]; cycle.append(cycle); sys.exit(3)", backend, 3)
        self.check("del system, values")

    def test_arrays_can_be_read_and_dropped_by_the_last_functions(self):
        self.check("""
class Last:
    def __init__(self): self.values = values
    def __del__(self): print(self.values[0]); del self.values
dropped_later = Last()
def drop():
    global system, values
    print(values[0]); del system, values
last.append(drop)
""", out="1.0\n1.0\n")

    def test_threads_may_run_at_the_end(self):
        for _ in range(4):
            self.check("for _ in range(3): threading.Thread(target=forever, daemon=True).start()\ntime.sleep(0.2)")
        self.check("t = threading.Thread(target=case.run); t.start()")

    @unittest.skipIf("cuda" in tf.backends(), "a device's context does not outlive fork(): children must end by os._exit()")
    def test_processes_can_be_forked(self):
        self.check("pid = os.fork()\nif pid == 0: sys.exit(4)\nprint(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))", out="4\n")

    def test_calls_after_the_end_are_errors(self):
        self.check("""
def after():
    for call in (system.refill, case.run, tf.info):
        try: call()
        except tf.InputError as error: print(error)
last.append(after)
""", out=3 * "Python exits, and the library has ended.\n")


if __name__ == "__main__":
    logging.getLogger("tessera_fem").setLevel(logging.CRITICAL)
    unittest.main(argv=sys.argv)
