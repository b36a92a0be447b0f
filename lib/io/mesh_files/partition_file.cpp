// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/mesh_files/partition_file.hpp"

#include "core/error.hpp"
#include "io/input/input_text.hpp"

#include <charconv>
#include <filesystem>
#include <fstream>

namespace tessera::io {

bool is_partition_file_name(const std::string& path) {
  std::filesystem::path name = std::filesystem::path(path).filename();
  const std::string number = name.extension().string();
  if (number.size() > 1 && number.find_first_not_of("0123456789", 1) == std::string::npos)
    name.replace_extension();
  const std::string ending = lower_case(name.extension().string());
  return ending == ".part" || ending == ".epart";
}

std::vector<index_t> read_partition_file(const std::string& path, std::size_t n_cells) {
  std::ifstream file(path);
  TESSERA_REQUIRE(file.good(), "Cannot read " << path << ": there is no such file, or it may not be read.");
  std::vector<index_t> parts;
  std::string text;
  for (std::size_t line = 1; std::getline(file, text); ++line) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string::npos || text[first] == '%' || text[first] == '#')
      continue;
    const char* const end = text.data() + text.find_last_not_of(" \t\r") + 1;
    index_t part = -1;
    const auto [at, error] = std::from_chars(text.data() + first, end, part);
    TESSERA_REQUIRE(error == std::errc() && at == end && part >= 0,
                    path << ":" << line << ": expected the number of a part, a whole number from 0 on, found '"
                         << printable(text) << "'.");
    TESSERA_REQUIRE(parts.size() < n_cells, path << ":" << line << ": a line too many; the mesh has " << n_cells
                                                 << " elements, a line for each.");
    parts.push_back(part);
  }
  TESSERA_REQUIRE(parts.size() == n_cells, path << " has " << parts.size() << " numbers, but the mesh has " << n_cells
                                                << " elements, a line for each.");
  return parts;
}

} // namespace tessera::io
