# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the blocks of Python of a page, each by itself in a folder with the inputs of the capacitor: test_examples.py PAGE"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from support import SKIPPED

import tessera_fem as tf

page = pathlib.Path(sys.argv[1]).resolve()
inputs = page.parent.parent / "inputs" / "capacitor"
if re.search(r"^ *Gmsh +no", tf.info(), re.MULTILINE):
    print("skipped: this build has no Gmsh, which the examples need")
    sys.exit(SKIPPED)

blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
failed = []
for number, block in enumerate(blocks, 1):
    with tempfile.TemporaryDirectory() as folder:
        for file in inputs.glob("capacitor.*"):
            shutil.copy(file, folder)
        before = set(os.listdir(folder))
        done = subprocess.run([sys.executable, "-W", "error", "-c", block], cwd=folder, capture_output=True, text=True)
        left = set(os.listdir(folder)) - before
    lacking = re.search(r"ModuleNotFoundError: No module named '(\w+)'", done.stderr)
    if lacking and lacking[1] in ("cupy", "pandas", "pyvista", "scipy"):
        print(f"block {number}: left out, this Python has no {lacking[1]}")
    elif done.returncode != 0 or left:
        failed.append(number)
        print(f"block {number} FAILED{f', and left {left}' if left else ''}:\n{block}\n{done.stdout}{done.stderr}")
    else:
        print(f"block {number}: passed\n{done.stdout}")
print(f"{len(blocks)} blocks, failed: {failed or 'none'}")
sys.exit(1 if failed or not blocks else 0)
