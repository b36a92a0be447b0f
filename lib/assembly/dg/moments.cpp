// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/moments.hpp"

#include "core/kokkos_ext/spaces.hpp"
#include "core/upload.hpp"

namespace tessera::assembly::dg {

template <int Dim, class ExecutionSpace>
MomentTables<Dim, typename ExecutionSpace::memory_space>
make_moment_tables(const ExecutionSpace& exec,
                   const fe::ModalSpace<Dim, typename ExecutionSpace::memory_space>& space) {
  using Space = typename ExecutionSpace::memory_space;
  MomentTables<Dim, Space> tables;
  const int degree = space.largest_degree;
  tables.products = fe::make_legendre_products(exec, degree);
  tables.basis = space.indices;
  tables.n_degrees = 2 * degree + 1;
  const auto table = fe::modal_indices<Dim>(2 * degree, space.time);
  const auto n = static_cast<std::size_t>(tables.n_degrees);
  std::size_t n_places = space.time == fe::TimePolynomials::none ? 1 : n;
  for (int d = 0; d < Dim; ++d)
    n_places *= n;
  std::vector<int> places(n_places, 0); // 0: of degrees that no product has
  std::vector<int> entries;
  for (std::size_t m = 0; m < table.size(); ++m) {
    std::size_t place = 0;
    for (int d = Dim; d >= 0; --d)
      place = place * n + static_cast<std::size_t>(table[m][d]);
    places[place] = static_cast<int>(m);
    entries.insert(entries.end(), table[m].begin(), table[m].end());
  }
  Array<int * [Dim + 1], Space> indices(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tessera::assembly::dg::moment_indices"), table.size());
  upload(exec, indices, entries);
  tables.indices = indices;
  tables.places = uploaded(exec, "assembly::dg::moment_places", places);
  return tables;
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template MomentTables<Dim, Space::memory_space> make_moment_tables(const Space&,                                     \
                                                                     const fe::ModalSpace<Dim, Space::memory_space>&);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_DIM(Space, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::assembly::dg
