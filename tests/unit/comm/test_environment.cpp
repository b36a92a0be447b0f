// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "comm/communicator.hpp"
#include "core/error.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <cstdlib>

using namespace tessera;
using Catch::Matchers::ContainsSubstring;

namespace {
bool starts_without_threads = false;
} // namespace

/// Replaces MPI's function; MPI offers PMPI_Init_thread for this purpose.
extern "C" int MPI_Init_thread(int* n_arguments, char*** arguments, int required, int* provided) {
  if (!starts_without_threads)
    return PMPI_Init_thread(n_arguments, arguments, required, provided);
  *provided = MPI_THREAD_SINGLE;
  return MPI_SUCCESS;
}

TEST_CASE("An MPI that is not for programs with threads is refused", "[comm]") {
  if (comm::launched_processes() > 1)
    SKIP("they have started MPI already, or will");
  starts_without_threads = true;
  ::setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
  CHECK_THROWS_WITH(comm::Environment(), ContainsSubstring("is not for programs with threads"));
  ::unsetenv("OMPI_COMM_WORLD_SIZE");
  starts_without_threads = false;
}
