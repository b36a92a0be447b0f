// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/config.hpp"
#include "core/version.hpp"
#include "driver/dispatch.hpp"
#include "driver/driver.hpp"

#include <ostream>

namespace tessera::driver {

void print_info(std::ostream& out) {
  out << "Tessera " << TESSERA_VERSION_STRING << " (" << git_hash() << ")\n"
      << "  Kokkos    " << kokkos_version() << '\n'
      << "  backends  ";
  for (const std::string& name : backend_names())
    visit_backend(name, [&](const auto& exec) {
      out << (name == backend_names().front() ? "" : "            ") << name << ": " << device_name(exec) << '\n';
    });
  out << "  Gmsh      " << (TESSERA_HAVE_GMSH ? "yes" : "no (mesh files only: .vtkhdf)") << '\n'
      << "  METIS     " << (TESSERA_HAVE_METIS ? "yes" : "no") << '\n'
      << "  offsets   " << (sizeof(offset_t) == 8 ? "64" : "32") << " bits\n";
}

} // namespace tessera::driver
