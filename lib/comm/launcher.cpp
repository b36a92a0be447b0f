// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "comm/launcher.hpp"

#include "comm/communicator.hpp"
#include "core/error.hpp"

#include <cstdlib>

namespace tessera::comm {

std::vector<std::string> launcher_command(int n, const std::string& option) {
  TESSERA_REQUIRE(!mpi_version().empty(), option << ": this build has no MPI, which " << n
                                                 << " processes need (docs/running.md, Several GPUs).");
  for (const char* variable : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                               "OMPI_MCA_rmaps_base_oversubscribe", "OMPI_MCA_orte_execute_quiet"})
    ::setenv(variable, "1", 0);
  ::setenv("OMPI_MCA_hwloc_base_binding_policy", "none", 0);
  return {"mpirun", "-np", std::to_string(n)};
}

} // namespace tessera::comm
