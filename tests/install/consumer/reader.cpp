// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include <tessera/core/error.hpp>
#include <tessera/io/geometry/import_process.hpp>

#include <cstdio>

/// Reads a mesh file by the library in a program that is not installed next to tessera-import.
int main(int, char* argv[]) {
  try {
    tessera::io::ImportRequest request;
    request.path = argv[1];
    const tessera::io::ImportedMesh mesh = tessera::io::run_import(request);
    std::printf("%zu elements, read by %s\n", mesh.n_elements(), tessera::io::import_program().c_str());
    return 0;
  } catch (const tessera::Error& error) {
    std::printf("%s\n", error.what());
    return error.exit_code();
  }
}
