// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/dg/given_parts.hpp"

#include "io/mesh_files/partition_file.hpp"

#include <algorithm>

namespace tessera::driver {

GivenParts given_parts(const io::MeshOptions& options, const io::ImportedMesh& imported, std::size_t n_simplices) {
  const std::vector<index_t>& of_file = imported.cell_data; // cells, if there is a partition file
  std::vector<index_t> number_of = of_file;
  if (of_file.empty())
    for (std::size_t s = 0; s < n_simplices; ++s)
      number_of.push_back(static_cast<index_t>(s));
  if (options.agglomerate.is_partition_file) {
    const std::size_t n_cells =
        of_file.empty() ? n_simplices : static_cast<std::size_t>(*std::max_element(of_file.begin(), of_file.end())) + 1;
    try {
      const std::vector<index_t> read = io::read_partition_file(options.agglomerate.from, n_cells);
      for (index_t& number : number_of)
        number = read[static_cast<std::size_t>(number)];
    } catch (const Error& error) {
      throw Error(error.kind(), options.agglomerate_where.text() + ": " + error.what());
    }
  }
  std::vector<index_t> numbers = number_of;
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  GivenParts parts;
  for (const index_t number : number_of)
    parts.part_of.push_back(
        static_cast<index_t>(std::lower_bound(numbers.begin(), numbers.end(), number) - numbers.begin()));
  parts.n_parts = static_cast<index_t>(numbers.size());
  if (options.agglomerate.is_partition_file)
    parts.n_empty = numbers.back() + 1 - parts.n_parts;
  return parts;
}

} // namespace tessera::driver
