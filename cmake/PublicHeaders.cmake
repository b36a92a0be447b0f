# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Headers that other projects may include, as <tessera/FOLDER/FILE.hpp>. What these need beside is installed under tessera/detail
# (cmake/InstallHeaders.cmake) and may change at any time. docs/library.md shows how they are used.
set(Tessera_PUBLIC_HEADERS
    core/checksum.hpp
    core/config.hpp
    core/error.hpp
    core/index.hpp
    core/keep_alive.hpp
    core/kokkos_ext/backends.hpp
    core/kokkos_ext/runtime.hpp
    core/kokkos_ext/spaces.hpp
    core/memory.hpp
    core/parallel.hpp
    core/phase.hpp
    core/reduce.hpp
    core/timer.hpp
    core/types.hpp
    core/upload.hpp
    core/version.hpp
    graph/coloring.hpp
    graph/coloring_method.hpp
    linalg/crs_matrix.hpp
    linalg/linear_operator.hpp
    linalg/operator.hpp
    mesh/box.hpp
    mesh/checks.hpp
    mesh/groups.hpp
    mesh/mesh.hpp
    mesh/ordering.hpp
    mesh/refinement.hpp
    fe/function_space.hpp
    fe/geometry.hpp
    fe/lagrange.hpp
    fe/periodic.hpp
    fe/quadrature.hpp
    physics/bh_table.hpp
    physics/derived.hpp
    physics/diffusion_form.hpp
    physics/diffusion_problem.hpp
    physics/expression.hpp
    physics/expression_program.hpp
    physics/magnetic_form.hpp
    physics/magnetic_problem.hpp
    assembly/assembler.hpp
    assembly/own_form.hpp
    assembly/strategy.hpp
    solvers/gauss_seidel.hpp
    solvers/jacobi.hpp
    solvers/newton.hpp
    solvers/pcg.hpp
    solvers/preconditioner.hpp
    io/case.hpp
    io/case_reader.hpp
    io/field_file.hpp
    io/import_process.hpp
    io/import_request.hpp
    io/imported_mesh.hpp
    io/mesh_file.hpp
    io/mesh_source.hpp
    driver/context.hpp
    driver/driver.hpp
    driver/mesh/import.hpp
    driver/mesh/mesh_transfer.hpp
    driver/plan/plan.hpp
    driver/problem/input_values.hpp
    driver/problem/problem.hpp
    driver/problem/problem_binding.hpp
    driver/results.hpp
    driver/solve.hpp)
foreach(_header IN LISTS Tessera_PUBLIC_HEADERS)
  if(NOT EXISTS ${PROJECT_SOURCE_DIR}/lib/${_header} AND NOT EXISTS ${PROJECT_BINARY_DIR}/lib/generated/${_header})
    message(FATAL_ERROR "cmake/PublicHeaders.cmake names ${_header}, which is not there. Was it renamed?")
  endif()
endforeach()
