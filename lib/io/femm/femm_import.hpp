// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_FEMM_FEMM_IMPORT_HPP
#define TESSERA_IO_FEMM_FEMM_IMPORT_HPP

/// \file
/// Problem files of FEMM as geometries and cases.

#include <string>
#include <vector>

namespace tessera::io {

struct FemmImport {
  std::string geometry;           ///< text of a .geo file
  std::string input;              ///< text of a case (YAML) that names it; its head lists the notes
  std::vector<std::string> notes; ///< what the file has that the case has not
};

/// The problem file `path` (.fem, .fee, .feh or .fec) as a case and its geometry `name`.geo. Throws a tessera::Error
/// (kind input) for files that cannot be read, and for problems that have no case with the same results; it lists all
/// reasons.
FemmImport import_femm(const std::string& path, const std::string& name);

} // namespace tessera::io

#endif
