# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
"""spack_recipe.py SOURCE: the recipe for Spack and CMake agree, in options, variants and least versions.

Spack itself is not needed: the recipe is executed with stand-ins for what it takes from Spack, which note what it says.
"""

import itertools
import pathlib
import re
import sys
import types

source = pathlib.Path(sys.argv[1])
recipe = source / "cmake/packaging/spack_repo/tessera/packages/tessera/package.py"
errors = []


def require(is_true, text):
    if not is_true:
        errors.append(text)


class Noted:
    variants, depends, versions, licenses = [], [], [], []


class When:
    def __init__(self, condition):
        self.condition = condition

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        return False


class Spec:
    def __init__(self, enabled):
        self.enabled = enabled

    def satisfies(self, condition):
        name = condition[1:]
        require(condition[0] in "+~" and name in known, f"cmake_args asks for the unknown variant {condition}")
        return (name in self.enabled) == (condition[0] == "+")

    def __getitem__(self, name):
        require(any(re.match(rf"{name}\b", text) for text, _ in Noted.depends), f"'{name}' is no dependency")
        return types.SimpleNamespace(kokkos_cxx="/kokkos/bin/nvcc_wrapper")


class CMakePackage:
    def define(self, name, value):
        return name, value

    def define_from_variant(self, name, variant):
        require(variant in known, f"{name} comes from the unknown variant {variant}")
        return name, variant in self.spec.enabled


class CudaPackage:
    cuda_arch_values = ("80", "90")


directives = {
    "license": lambda name: Noted.licenses.append(name),
    "version": lambda name, **_: Noted.versions.append(name),
    "variant": lambda name, default, description, when="": Noted.variants.append((name, when)),
    "depends_on": lambda text, when="", type="": Noted.depends.append((text, when)),
    "conflicts": lambda text, msg="", when="": None,
    "when": When,
    "generator": lambda name: None,
}
spack = types.ModuleType("spack.package")
spack.__dict__.update(directives)
for name, module in {
    "spack": types.ModuleType("spack"),
    "spack.package": spack,
    "spack_repo": types.ModuleType("spack_repo"),
    "spack_repo.builtin": types.ModuleType("spack_repo.builtin"),
    "spack_repo.builtin.build_systems": types.ModuleType("spack_repo.builtin.build_systems"),
    "spack_repo.builtin.build_systems.cmake": types.SimpleNamespace(CMakePackage=CMakePackage),
    "spack_repo.builtin.build_systems.cuda": types.SimpleNamespace(CudaPackage=CudaPackage),
}.items():
    sys.modules[name] = module
spack.__dict__["__all__"] = list(directives)
namespace = {"__name__": "package"}
exec(compile(recipe.read_text(), str(recipe), "exec"), namespace)

known = {name for name, _ in Noted.variants} | {"cuda"}
cmake = (source / "CMakeLists.txt").read_text() + (source / "cmake/TesseraDependencies.cmake").read_text()
options = set(re.findall(r"(?:option\(|set\()(Tessera_ENABLE_\w+)", cmake))

# Every option that the recipe sets is one of CMake's, whatever the variants are; every part that CMake would look for
# by itself is decided.
seen = set()
for enabled in itertools.product([False, True], repeat=len(known)):
    package = namespace["Tessera"]()
    package.spec = Spec({name for name, on in zip(sorted(known), enabled) if on})
    for name, value in package.cmake_args():
        seen.add(name)
        require(name in options or name == "CMAKE_CXX_COMPILER", f"CMake has no option {name}")
automatic = set(re.findall(r"set\((Tessera_ENABLE_\w+) AUTO CACHE", cmake))
for name in sorted(automatic - seen):
    errors.append(f"the recipe leaves {name} to what is installed")

# Least versions.
project = re.search(r"project\(\s*Tessera\s+VERSION (\S+)", cmake).group(1)
least = {"cmake": re.search(r"cmake_minimum_required\(VERSION (\S+)\)", cmake).group(1)}
floor = re.search(r"Tessera_KOKKOS_FLOOR (\S+?)\)", cmake)
for name in ("kokkos", "kokkos-kernels"):
    least[name] = floor.group(1) if floor else ""
for package, version in re.findall(r"find_package\((METIS|Cairo|PETSc) (\S+?)\)", cmake):
    least[package.lower()] = version
for name, version in least.items():
    said = [re.match(rf"{name}@([0-9.]+):", text) for text, _ in Noted.depends]
    said = [found.group(1) for found in said if found]
    require(said == [version], f"{name}: CMake needs {version}, the recipe says {said}")
for version in Noted.versions:
    require(version in ("main", project), f"the recipe has the version {version}, CMake {project}")
require(Noted.licenses == ["BSD-3-Clause"], f"the license is {Noted.licenses}")

for error in errors:
    print(f"spack recipe: {error}")
print("spack recipe: agrees with CMake" if not errors else "spack recipe: DIFFERS")
sys.exit(1 if errors else 0)
