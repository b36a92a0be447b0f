# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
"""Packs the wheel of a build, installs it into an empty environment without compilers, and runs there: test_wheel.py BUILD"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

from support import SKIPPED

import numpy

if sys.version_info < (3, 11):
    print("skipped: pack_wheel.py needs Python 3.11")
    sys.exit(SKIPPED)

here = pathlib.Path(__file__).resolve().parent
source = here.parent.parent
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)

    def call(*command, **options):
        # Neither the build folder nor a compiler is to be found.
        environment = {"PATH": str(folder / "environment" / "bin"), "OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"}
        done = subprocess.run([str(part) for part in command], cwd=folder, capture_output=True, text=True, env=environment, **options)
        if done.returncode != 0:
            sys.exit(f"{command} ended with {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    packed = subprocess.run([sys.executable, here.parent / "pack_wheel.py", sys.argv[1], folder / "wheel"], check=True, text=True,
                            stdout=subprocess.PIPE).stdout.strip()
    print(f"{packed}: {os.path.getsize(packed) / 1e6:.1f} MB")
    subprocess.run([sys.executable, "-m", "venv", folder / "environment"], check=True)
    python = folder / "environment" / "bin" / "python"
    start = time.time()
    call(python, "-m", "pip", "install", "--no-index", "--no-deps", packed)
    print(f"installed in {time.time() - start:.1f} s")
    # Dependencies are not downloaded for a test: numpy is that of this Python.
    site = next((folder / "environment" / "lib").glob("python*/site-packages"))
    (site / "numpy.pth").write_text(str(pathlib.Path(numpy.__file__).parent.parent) + "\n", encoding="utf-8")

    where = call(python, "-c", "import tessera_fem; print(tessera_fem.__file__)").strip()
    assert where.startswith(str(folder)), where
    out = call("tessera", "run", source / "inputs" / "mms-2d" / "mms-2d.yaml", "--output", "results")
    assert "l2" in out, out
    print(call("tessera", "info"))
    call(python, here / "test_runs.py", "Results", "Errors")
    assert (folder / "results" / "report.yaml").exists()
print("the wheel works")
