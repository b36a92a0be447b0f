// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/compressed_columns.hpp"

#include "core/reduce.hpp"

namespace tessera::linalg {

namespace {

/// Encodes the columns of a row and counts those that are far.
struct EncodeRow {
  const offset_t* offsets;
  const index_t* columns;
  std::uint16_t* codes;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&n_far)[1]) const {
    int n = 0;
    for (offset_t k = offsets[i]; k < offsets[i + 1]; ++k) {
      const index_t code = CompressedColumns::code(static_cast<index_t>(i), columns[k]);
      codes[k] = static_cast<std::uint16_t>(code);
      n += code == CompressedColumns::far ? 1 : 0;
    }
    n_far[0] = n;
  }
};

} // namespace

// Traffic with n rows and m entries: offsets 4 n and columns 4 m read, codes 2 m written: half of a product's.
template <class ExecutionSpace>
Array<std::uint16_t*, ExecutionSpace>
make_compressed_columns(const ExecutionSpace& exec, const CrsMatrix<typename ExecutionSpace::memory_space>& a) {
  auto codes =
      make_array<Array<std::uint16_t*, ExecutionSpace>>(exec, "linalg::compressed_columns", a.columns.extent(0));
  const double n_far = ordered_sum("tessera::linalg::make_compressed_columns", exec, a.n_rows(),
                                   EncodeRow{a.offsets.data(), a.columns.data(), codes.data()});
  if (n_far > max_share_of_far * static_cast<double>(a.n_entries()))
    return {};
  return codes;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template Array<std::uint16_t*, Space> make_compressed_columns(const Space&, const CrsMatrix<Space::memory_space>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::linalg
