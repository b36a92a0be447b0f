// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/config.hpp"
#include "core/version.hpp"
#include "driver/driver.hpp"
#include "driver/visit.hpp"
#include "graph/partition/metis.hpp"
#include "io/geometry/import_process.hpp"
#include "io/pictures/canvas.hpp"
#include "solvers/external/petsc.hpp"

#include <ostream>

namespace tessera::driver {

namespace {

/// "yes (4.8.4)", or the reason why geometries cannot be read.
std::string describe_gmsh() {
  if (!TESSERA_HAVE_GMSH)
    return "no (mesh files only: .vtkhdf)";
  try {
    return "yes (" + io::gmsh_version() + ")";
  } catch (const Error& error) {
    return std::string("no: ") + error.what();
  }
}

} // namespace

void print_info(std::ostream& out) {
  out << "Tessera " << TESSERA_VERSION_STRING << " (" << git_hash() << ")\n"
      << "  Kokkos    " << kokkos_version() << '\n'
      << "  backends  ";
  for (const std::string& name : backend_names())
    visit_backend(name, [&](const auto& exec) {
      out << (name == backend_names().front() ? "" : "            ") << name << ": " << device_name(exec) << '\n';
    });
  const std::string metis = graph::metis_version();
  const std::string petsc = solvers::petsc_version();
  const std::string cairo = io::pictures::cairo_version();
  out << "  Gmsh      " << describe_gmsh() << '\n'
      << "  METIS     " << (metis.empty() ? "no" : "yes (" + metis + ")") << '\n'
      << "  Cairo     " << (cairo.empty() ? "no" : "yes (" + cairo + ")") << '\n'
      << "  MPI       " << (comm::mpi_version().empty() ? "no" : "yes (" + comm::mpi_version() + ")") << '\n'
      << "  PETSc     " << (petsc.empty() ? "no" : "yes (" + petsc + ")") << '\n'
      << "  offsets   " << (sizeof(offset_t) == 8 ? "64" : "32") << " bits\n";
}

} // namespace tessera::driver
