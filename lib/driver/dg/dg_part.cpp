// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/dg/dg_part.hpp"

#include "assembly/dg/form_part.hpp"
#include "core/keep_alive.hpp"
#include "mesh/elements_of_part.hpp"

namespace tessera::driver {

namespace {

namespace dg = assembly::dg;

/// First unknown of the element of each own simplex, counted from the first own one.
template <int Dim, class Space> struct TellUnknowns {
  Array<const index_t*, Space> element_of;
  fe::ModalSpace<Dim, Space> space;
  index_t first_simplex;
  index_t first_element;
  Array<index_t*, Space> told;
  KOKKOS_FUNCTION void operator()(index_t k) const {
    told(k) = space.dof_offsets(element_of(first_simplex + k)) - space.dof_offsets(first_element);
  }
};

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

} // namespace

template <int Dim, class ExecutionSpace>
void cut_to_part(const ExecutionSpace& exec, const comm::Communicator& world,
                 const mesh::MeshPart<Dim, typename ExecutionSpace::memory_space>& part, index_t first_own,
                 DgProblem<Dim, ExecutionSpace>& problem) {
  using Space = typename ExecutionSpace::memory_space;
  const auto n_own = static_cast<index_t>(part.own_elements.extent(0));
  const Array<index_t*, Space> element_of = problem.mesh.element_of;
  const index_t first_element = read_entry(exec, element_of, first_own);
  const index_t end_element = read_entry(exec, element_of, first_own + n_own - 1) + 1;
  const auto form = dg::make_form_part<ExecutionSpace, Dim>(exec, problem.form, first_element, end_element);

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
  const auto rank = static_cast<std::size_t>(world.rank());
  for (std::size_t r = 0; r < n_elements.size(); ++r) {
    result.first_element += r < rank ? n_elements[r] : 0;
    result.n_elements_of_all += n_elements[r];
  }

  // A ghost is known by its first simplex.
  const auto elements = to_host(exec, form.elements);
  const auto first_simplices = to_host(exec, problem.mesh.simplex_offsets);
  const auto simplices = to_host(exec, problem.mesh.element_simplices);
  std::vector<index_t> ghosts;
  std::vector<index_t> simplices_of_ghosts;
  for (index_t e = 0; e < form.form.n_elements(); ++e)
    if (!result.own().has(e)) {
      ghosts.push_back(e);
      simplices_of_ghosts.push_back(simplices(first_simplices(elements(e))));
    }
  const auto told = make_array<Array<index_t*, Space>>(exec, "driver::first_unknowns", n_own);
  for_each("tessera::driver::tell_unknowns", exec, n_own,
           TellUnknowns<Dim, Space>{element_of, problem.form.space, first_own, first_element, told});
  const std::vector<mesh::ToldByOwner> answers =
      mesh::ask_owners<ExecutionSpace, Dim>(exec, world, part, first_own, told, simplices_of_ghosts);
  for (std::size_t i = 0; i < ghosts.size(); ++i) {
    const std::int64_t first = result.offsets[static_cast<std::size_t>(answers[i].owner)] + answers[i].value;
    TESSERA_REQUIRE(result.ghosts.empty() || first > result.ghosts.back(),
                    "Ghosts are not in the order of all unknowns.");
    for (index_t k = 0; k < dofs(ghosts[i] + 1) - dofs(ghosts[i]); ++k)
      result.ghosts.push_back(first + k);
  }

  mesh::PolytopicMesh<Dim, Space> own;
  own.simplices.coordinates = part.mesh.coordinates;
  own.simplices.elements = some_rows(exec, "mesh::elements", part.mesh.elements, first_own, n_own);
  own.simplices.regions = some_rows(exec, "mesh::regions", part.mesh.regions, first_own, n_own);
  own.simplices.region_names = part.mesh.region_names;
  own.simplices.boundary_names = part.mesh.boundary_names;
  own.element_of = make_array<Array<index_t*, Space>>(exec, "mesh::element_of", n_own);
  for_each("tessera::driver::number_elements_of_part", exec, n_own,
           NumberElements<Space>{element_of, first_own, form.first_own - first_element, own.element_of});
  keep_alive(exec, told, element_of, problem.form, problem.mesh);
  problem.mesh = own;
  problem.form = form.form;
  problem.part = result;
  problem.sizes = sizes_of<Dim, ExecutionSpace>(exec, form.form.faces, form.form.simplex_offsets, form.form.space);
  problem.sizes.is_distributed = true;
}

#define TESSERA_INSTANTIATE_DIM(SPACE, DIM)                                                                            \
  template void cut_to_part<DIM, SPACE>(const SPACE&, const comm::Communicator&,                                       \
                                        const mesh::MeshPart<DIM, typename SPACE::memory_space>&, index_t,             \
                                        DgProblem<DIM, SPACE>&);
#define TESSERA_INSTANTIATE(SPACE) TESSERA_INSTANTIATE_DIM(SPACE, 2) TESSERA_INSTANTIATE_DIM(SPACE, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
