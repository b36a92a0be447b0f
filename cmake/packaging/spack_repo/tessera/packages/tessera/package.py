# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
"""Spack recipe that builds this checkout (Spack 1.0 or newer).

    spack repo add cmake/packaging/spack_repo/tessera
    spack dev-build tessera@main                        # or tessera@main +cuda cuda_arch=90
"""

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Tessera(CMakePackage, CudaPackage):
    """Finite elements for electro- and magnetostatics, current flow, heat and advection-diffusion-reaction, on CPUs and
    GPUs, with a choice of assembly. A YAML file and a Gmsh geometry go in; fields and quantities come out."""

    license("BSD-3-Clause")

    # No download: `spack dev-build` or `spack develop` gives the sources.
    version("main")

    variant("program", default=True, description="Build the program tessera; without it the library alone")
    variant("gmsh", default=True, description="Mesh geometries with Gmsh")
    variant("cairo", default=True, description="Draw pictures and reports")
    variant("metis", default=False, description="Agglomerate meshes with METIS, too")
    variant("mpi", default=False, description="Runs of several processes")
    variant("petsc", default=False, when="+mpi", description="PETSc as an external engine")
    variant("int64", default=False, description="64-bit offsets into matrices and graphs")
    variant("native", default=False, description="Compile with -march=native, beside Spack's own target")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")

    depends_on("kokkos@4.5:4 +serial +openmp")
    depends_on("kokkos-kernels@4.5:4 +serial +openmp")
    depends_on("yaml-cpp")
    depends_on("hdf5 ~mpi", when="~mpi")
    depends_on("hdf5", when="+mpi")
    depends_on("cli11@2:", when="+program", type="build")
    depends_on("gmsh@4.8: +opencascade ~fltk", when="+gmsh")
    depends_on("cairo@1.14: +png +svg +pdf", when="+cairo")
    depends_on("metis@5:", when="+metis")
    depends_on("mpi", when="+mpi")
    depends_on("petsc@3.16: +mpi +double ~complex", when="+petsc")

    with when("+cuda"):
        conflicts("cuda_arch=none", msg="Name the architecture, for example cuda_arch=90.")
        for arch in CudaPackage.cuda_arch_values:
            depends_on(f"kokkos +cuda +cuda_lambda +cuda_constexpr +wrapper cuda_arch={arch}", when=f"cuda_arch={arch}")
            depends_on(f"kokkos-kernels +cuda cuda_arch={arch}", when=f"cuda_arch={arch}")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define("Tessera_ENABLE_TESTS", False),
            self.define_from_variant("Tessera_ENABLE_PROGRAM", "program"),
            self.define_from_variant("Tessera_ENABLE_GMSH", "gmsh"),
            self.define_from_variant("Tessera_ENABLE_CAIRO", "cairo"),
            self.define_from_variant("Tessera_ENABLE_METIS", "metis"),
            self.define_from_variant("Tessera_ENABLE_MPI", "mpi"),
            self.define("Tessera_ENABLE_NCCL", False),
            self.define("Tessera_ENABLE_PYTHON", False),  # pip installs the Python module, see docs/python.md
            self.define("Tessera_ENABLE_PETSC", self.spec.satisfies("+petsc")),
            self.define_from_variant("Tessera_ENABLE_64BIT_OFFSETS", "int64"),
            self.define_from_variant("Tessera_ENABLE_NATIVE", "native"),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CXX_COMPILER", self.spec["kokkos"].kokkos_cxx))
        return args
