# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
"""Packs a wheel from what a build folder holds, without compiling, or makes one self-contained:

    pack_wheel.py BUILD_FOLDER OUTPUT_FOLDER            packs
    pack_wheel.py --repair WHEEL OUTPUT_FOLDER          adds the libraries that it needs, except Gmsh; needs auditwheel and patchelf

The build decides what the wheel can do and where it runs: one with Tessera_ENABLE_NATIVE=ON is for this processor, and one with CUDA is
named for the version of its runtime, tessera_fem-cu13. Prints the path.
"""

from __future__ import annotations

import base64
import hashlib
import pathlib
import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

source = pathlib.Path(__file__).resolve().parent.parent
#: from tessera_fem/_native to lib/ of the environment, where PyPI's Gmsh has its library
gmsh_folder = "$ORIGIN/../../../.."


def write_wheel(path: pathlib.Path, files: dict[str, bytes], programs: set[str]) -> None:
    """Writes files by name, with their list; `programs` are those that can be executed."""
    info = next(name for name in files if name.endswith(".dist-info/WHEEL"))[:-len("WHEEL")]
    files.pop(info + "RECORD", None)
    record = "".join(f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}\n"
                     for name, data in files.items())
    files[info + "RECORD"] = (record + f"{info}RECORD,,\n").encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if name in programs else 0o100644) << 16
            archive.writestr(entry, data)
    print(path)


def distribution(name: str, cache: str) -> str:
    """The name of the wheel of a build; `cache` is the text of its CMakeCache.txt."""
    compiler = re.search(r"^CUDAToolkit_NVCC_EXECUTABLE:FILEPATH=(.*nvcc)$", cache, re.MULTILINE)
    if compiler is None:
        return name
    version = subprocess.run([compiler[1], "--version"], check=True, capture_output=True, text=True).stdout
    return f"{name}_cu{re.search(r'release ([0-9]+)', version)[1]}"


def pack(build: pathlib.Path, output: pathlib.Path) -> None:
    """Packs the component `python` of a build and the sources of Python."""
    try:
        import tomllib
    except ImportError:
        sys.exit("pack_wheel.py: packing needs Python 3.11 or newer.")
    project = tomllib.loads((source / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    version = re.search(r"^CMAKE_PROJECT_VERSION:STATIC=(.*)$", cache, re.MULTILINE)[1]
    name = distribution(project["name"], cache)
    with tempfile.TemporaryDirectory() as folder:
        stage = pathlib.Path(folder)
        subprocess.run(["cmake", "--install", build, "--component", "python", "--prefix", stage, "--strip"], check=True,
                       stdout=subprocess.DEVNULL)
        files = {path.relative_to(stage).as_posix(): path.read_bytes() for path in sorted(stage.rglob("*")) if path.is_file()}
    programs = set(files)
    module = next(file for file in files if "/_core." in file)
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    tag = ("cp312-abi3-" if ".abi3." in module else f"{python}-{python}-") + re.sub(r"[-.]", "_", sysconfig.get_platform())
    for package in ("tessera_fem", "tessera_program"):
        for path in sorted((source / "python" / package).rglob("*")):
            if path.suffix in (".py", ".pyi") or path.name == "py.typed":
                files[path.relative_to(source / "python").as_posix()] = path.read_bytes()
    metadata = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", f"Summary: {project['description']}",
                f"License: {project['license']}", f"Requires-Python: {project['requires-python']}"]
    metadata += [f"Requires-Dist: {dependency}" for dependency in project["dependencies"]]
    scripts = [f"{script} = {function}" for script, function in project["scripts"].items()]
    wheel = ["Wheel-Version: 1.0", "Generator: tessera", "Root-Is-Purelib: false", f"Tag: {tag}"]
    info = f"{name}-{version}.dist-info/"
    for file, lines in (("METADATA", metadata), ("WHEEL", wheel), ("entry_points.txt", ["[console_scripts]", *scripts])):
        files[info + file] = ("\n".join(lines) + "\n").encode()
    files[info + "LICENSE"] = (source / "LICENSE").read_bytes()
    write_wheel(output / f"{name}-{version}-{tag}.whl", files, programs)


def repair(wheel: pathlib.Path, output: pathlib.Path) -> None:
    """Adds libraries, except Gmsh and CUDA's driver, by auditwheel, which drops the path to Gmsh, and restores that."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([sys.executable, "-m", "auditwheel", "repair", "--exclude", "libgmsh.so*", "--exclude", "libcuda.so.1", "-w", folder, wheel], check=True)
        repaired = next(folder.glob("*.whl"))
        with zipfile.ZipFile(repaired) as archive:
            programs = {entry.filename for entry in archive.infolist() if entry.external_attr >> 16 & 0o100}
            files = {entry.filename: archive.read(entry) for entry in archive.infolist() if not entry.is_dir()}
        reader = next((file for file in files if file.endswith("/tessera-import-gmsh")), None)
        if reader is not None:
            path = folder / "tessera-import-gmsh"
            path.write_bytes(files[reader])
            subprocess.run(["patchelf", "--add-rpath", gmsh_folder, path], check=True)
            files[reader] = path.read_bytes()
        write_wheel(output / repaired.name, files, programs)


def main() -> None:
    arguments = [argument for argument in sys.argv[1:] if argument != "--repair"]
    if len(arguments) != 2:
        sys.exit(__doc__)
    (repair if "--repair" in sys.argv else pack)(pathlib.Path(arguments[0]).resolve(), pathlib.Path(arguments[1]).resolve())


main()
