// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/dg/dg_part.hpp"

#include "assembly/dg/form_part.hpp"
#include "core/keep_alive.hpp"
#include "core/upload.hpp"

#include <algorithm>

namespace tessera::driver {

namespace {

namespace dg = assembly::dg;

/// Elements of own simplices, as the part of the form numbers them.
template <class Space> struct NumberElements {
  Array<const index_t*, Space> element_of;
  index_t first_simplex;
  index_t shift;
  Array<index_t*, Space> numbers;
  KOKKOS_FUNCTION void operator()(index_t k) const { numbers(k) = element_of(first_simplex + k) + shift; }
};

template <class ExecutionSpace, class Rows>
Rows some_rows(const ExecutionSpace& exec, const char* label, const Rows& rows, index_t first, index_t n) {
  const Rows some = make_array<Rows>(exec, label, n);
  const auto range = std::make_pair(first, first + n);
  if constexpr (Rows::rank == 1)
    copy(exec, some, Kokkos::subview(rows, range));
  else
    copy(exec, some, Kokkos::subview(rows, range, Kokkos::ALL()));
  return some;
}

/// Replaces the rows of others' elements in an array, [n_elements][...], by those that the owners have.
template <class ExecutionSpace, class Rows>
void take_rows_of_owners(const ExecutionSpace& exec, const comm::Communicator& world,
                         const mesh::PolytopesOfPart<ExecutionSpace>& polytopes, const Rows& rows) {
  const std::size_t width = rows.size() / std::max<std::size_t>(rows.extent(0), 1);
  const auto host = to_host(exec, rows);
  std::vector<double> all(host.data(), host.data() + host.size());
  const auto at = [&](index_t e) { return all.begin() + static_cast<std::ptrdiff_t>(e * width); };
  const std::vector<double> own(at(polytopes.first_own), at(polytopes.first_own + polytopes.n_own));
  const std::vector<double> others = mesh::ask_rows(world, polytopes.others, own, width);
  std::copy(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(polytopes.first_own * width), all.begin());
  std::copy(others.begin() + static_cast<std::ptrdiff_t>(polytopes.first_own * width), others.end(),
            at(polytopes.first_own + polytopes.n_own));
  upload(exec, rows, all);
}

} // namespace

template <int Dim, class ExecutionSpace>
mesh::Mesh<Dim, typename ExecutionSpace::memory_space>
own_simplices(const ExecutionSpace& exec, const mesh::MeshPart<Dim, typename ExecutionSpace::memory_space>& part,
              index_t first_own) {
  const auto n_own = static_cast<index_t>(part.own_elements.extent(0));
  mesh::Mesh<Dim, typename ExecutionSpace::memory_space> own;
  own.coordinates = part.mesh.coordinates;
  own.elements = some_rows(exec, "mesh::elements", part.mesh.elements, first_own, n_own);
  own.regions = some_rows(exec, "mesh::regions", part.mesh.regions, first_own, n_own);
  own.region_names = part.mesh.region_names;
  own.boundary_names = part.mesh.boundary_names;
  return own;
}

template <int Dim, class ExecutionSpace>
void take_boxes_of_owners(const ExecutionSpace& exec, const comm::Communicator& world,
                          const mesh::PolytopesOfPart<ExecutionSpace>& polytopes,
                          const mesh::PolytopicMesh<Dim, typename ExecutionSpace::memory_space>& mesh) {
  take_rows_of_owners(exec, world, polytopes, mesh.boxes);
}

template <int Dim, class ExecutionSpace>
void take_measures_of_owners(const ExecutionSpace& exec, const comm::Communicator& world,
                             const mesh::PolytopesOfPart<ExecutionSpace>& polytopes,
                             const dg::Form<Dim, typename ExecutionSpace::memory_space>& form) {
  if (form.measures.extent(0) > 0)
    take_rows_of_owners(exec, world, polytopes, form.measures);
}

template <int Dim, class ExecutionSpace>
void cut_to_part(const ExecutionSpace& exec, const comm::Communicator& world,
                 const mesh::MeshPart<Dim, typename ExecutionSpace::memory_space>& part, index_t first_own,
                 const mesh::PolytopesOfPart<ExecutionSpace>& polytopes, DgProblem<Dim, ExecutionSpace>& problem) {
  using Space = typename ExecutionSpace::memory_space;
  const auto form = dg::make_form_part<ExecutionSpace, Dim>(exec, problem.form, polytopes.first_own,
                                                            polytopes.first_own + polytopes.n_own);
  DgPart result;
  result.first_own = form.first_own;
  result.n_own = form.n_own;
  result.n_nodes_of_all = part.n_nodes_of_all;
  result.n_facets_of_all = part.n_facets_of_all;
  const auto dofs = to_host(exec, form.form.space.dof_offsets);
  const index_t first_unknown = dofs(form.first_own);
  result.offsets.push_back(0);
  for (const index_t n : world.all_gather(dofs(form.first_own + form.n_own) - first_unknown))
    result.offsets.push_back(result.offsets.back() + n);
  const std::vector<index_t> n_elements = world.all_gather(form.n_own);
  for (std::size_t r = 0; r < n_elements.size(); ++r) {
    result.first_element += static_cast<int>(r) < world.rank() ? n_elements[r] : 0;
    result.n_elements_of_all += n_elements[r];
  }

  std::vector<double> first_unknowns; // of own elements, counted from the first: what others ask for
  for (index_t e = result.first_own; e < result.own().end; ++e)
    first_unknowns.push_back(dofs(e) - first_unknown);
  const auto elements = to_host(exec, form.elements);
  std::vector<index_t> ghosts;
  std::vector<mesh::ToldByOwner> owners;
  for (index_t e = 0; e < form.form.n_elements(); ++e)
    if (!result.own().has(e)) {
      ghosts.push_back(e);
      owners.push_back(polytopes.others[polytopes.place_of(elements(e))]);
    }
  const std::vector<double> answers = mesh::ask_rows(world, owners, first_unknowns, 1);
  for (std::size_t i = 0; i < ghosts.size(); ++i) {
    const std::int64_t first =
        result.offsets[static_cast<std::size_t>(owners[i].owner)] + static_cast<std::int64_t>(answers[i]);
    TESSERA_REQUIRE(result.ghosts.empty() || first > result.ghosts.back(),
                    "Ghosts are not in the order of all unknowns.");
    for (index_t k = 0; k < dofs(ghosts[i] + 1) - dofs(ghosts[i]); ++k)
      result.ghosts.push_back(first + k);
  }

  mesh::PolytopicMesh<Dim, Space> own;
  own.simplices = own_simplices<Dim, ExecutionSpace>(exec, part, first_own);
  own.element_of = make_array<Array<index_t*, Space>>(exec, "mesh::element_of", own.simplices.n_elements());
  for_each(
      "tessera::driver::number_elements_of_part", exec, own.simplices.n_elements(),
      NumberElements<Space>{problem.mesh.element_of, first_own, form.first_own - polytopes.first_own, own.element_of});
  keep_alive(exec, problem.form, problem.mesh);
  problem.mesh = own;
  problem.form = form.form;
  problem.part = result;
  problem.sizes = sizes_of<Dim, ExecutionSpace>(exec, form.form.faces, form.form.simplex_offsets, form.form.space);
  problem.sizes.is_distributed = true;
}

#define TESSERA_INSTANTIATE_DIM(SPACE, DIM)                                                                            \
  template mesh::Mesh<DIM, typename SPACE::memory_space> own_simplices<DIM, SPACE>(                                    \
      const SPACE&, const mesh::MeshPart<DIM, typename SPACE::memory_space>&, index_t);                                \
  template void take_boxes_of_owners<DIM, SPACE>(const SPACE&, const comm::Communicator&,                              \
                                                 const mesh::PolytopesOfPart<SPACE>&,                                  \
                                                 const mesh::PolytopicMesh<DIM, typename SPACE::memory_space>&);       \
  template void take_measures_of_owners<DIM, SPACE>(const SPACE&, const comm::Communicator&,                           \
                                                    const mesh::PolytopesOfPart<SPACE>&,                               \
                                                    const dg::Form<DIM, typename SPACE::memory_space>&);               \
  template void cut_to_part<DIM, SPACE>(const SPACE&, const comm::Communicator&,                                       \
                                        const mesh::MeshPart<DIM, typename SPACE::memory_space>&, index_t,             \
                                        const mesh::PolytopesOfPart<SPACE>&, DgProblem<DIM, SPACE>&);
#define TESSERA_INSTANTIATE(SPACE) TESSERA_INSTANTIATE_DIM(SPACE, 2) TESSERA_INSTANTIATE_DIM(SPACE, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
