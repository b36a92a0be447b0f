// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/dg/dg_part.hpp"

#include "assembly/dg/form/form_part.hpp"
#include "core/algorithms/scan.hpp"
#include "core/keep_alive.hpp"
#include "core/transfer/rows_on_host.hpp"
#include "core/transfer/upload.hpp"
#include "mesh/ordering.hpp"
#include "mesh/parts/curve_cuts.hpp"

#include <algorithm>
#include <numeric>

namespace tessera::driver {

namespace {

namespace dg = assembly::dg;

/// Elements of owned simplices, as numbered in the form's part.
template <class Space> struct NumberElements {
  Array<const index_t*, Space> element_of;
  index_t first_simplex;
  index_t shift;
  Array<index_t*, Space> numbers;
  KOKKOS_FUNCTION void operator()(index_t k) const { numbers(k) = element_of(first_simplex + k) + shift; }
};

/// Positions of owned simplices on the curve, at their lowest nodes, and their work, an equal share of that of their
/// element.
template <int Dim, class Space> struct PlaceOwned {
  Array<const index_t * [Dim + 1], Space> simplices;
  index_t first_simplex;
  Array<const std::uint64_t*, Space> node_positions;
  Array<const index_t*, Space> element_of;
  index_t first_element;
  Array<const index_t*, Space> simplex_offsets;
  Array<const std::int64_t*, Space> work_of_elements;
  Array<std::uint64_t*, Space> positions;
  Array<std::int64_t*, Space> work;
  KOKKOS_FUNCTION void operator()(index_t k) const {
    index_t lowest = simplices(first_simplex + k, 0);
    for (int a = 1; a <= Dim; ++a)
      lowest = simplices(first_simplex + k, a) < lowest ? simplices(first_simplex + k, a) : lowest;
    positions(k) = node_positions(lowest);
    const index_t e = first_element + element_of(k);
    work(k) = work_of_elements(e) / (simplex_offsets(e + 1) - simplex_offsets(e));
  }
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

std::vector<index_t> shifted(std::vector<index_t> items, index_t by) {
  for (index_t& item : items)
    item += by;
  return items;
}

/// Replaces the rows of other processes' elements in an array, [n_elements][...], by those of the owners.
template <class ExecutionSpace, class Rows>
void take_rows_of_owners(const ExecutionSpace& exec, const comm::Communicator& world,
                         const mesh::PolytopesOfPart<ExecutionSpace>& polytopes, const Rows& rows) {
  const std::size_t width = rows.size() / std::max<std::size_t>(rows.extent(0), 1);
  const std::vector<double> others =
      mesh::request_rows(world, polytopes.others, width, [&](const std::vector<index_t>& requested) {
        const auto host = rows_on_host(exec, rows, shifted(requested, polytopes.first_owned));
        return std::vector<double>(host.data(), host.data() + host.size());
      });
  const Array<double*, ExecutionSpace> flat(rows.data(), rows.size());
  const std::size_t n_below = static_cast<std::size_t>(polytopes.first_owned) * width;
  const std::size_t after = n_below + static_cast<std::size_t>(polytopes.n_owned) * width;
  const auto middle = others.begin() + static_cast<std::ptrdiff_t>(n_below);
  upload(exec, Kokkos::subview(flat, std::make_pair(std::size_t(0), n_below)),
         std::vector<double>(others.begin(), middle));
  upload(exec, Kokkos::subview(flat, std::make_pair(after, flat.size())), std::vector<double>(middle, others.end()));
}

/// Entries [first, end) of an array on the host.
template <class ExecutionSpace, class Numbers>
std::vector<index_t> range_on_host(const ExecutionSpace& exec, const Numbers& array, index_t first, index_t end) {
  const auto host = to_host(exec, Kokkos::subview(array, std::make_pair(first, end)));
  return std::vector<index_t>(host.data(), host.data() + host.extent(0));
}

} // namespace

template <int Dim, class ExecutionSpace>
mesh::Mesh<Dim, typename ExecutionSpace::memory_space>
owned_simplices(const ExecutionSpace& exec, const mesh::MeshPart<Dim, typename ExecutionSpace::memory_space>& part,
                index_t first_owned) {
  const auto n_owned = static_cast<index_t>(part.owned_elements.extent(0));
  mesh::Mesh<Dim, typename ExecutionSpace::memory_space> owned;
  owned.coordinates = part.mesh.coordinates;
  owned.elements = some_rows(exec, "mesh::elements", part.mesh.elements, first_owned, n_owned);
  owned.regions = some_rows(exec, "mesh::regions", part.mesh.regions, first_owned, n_owned);
  owned.region_names = part.mesh.region_names;
  owned.boundary_names = part.mesh.boundary_names;
  return owned;
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
  if (form.measures.extent(0) == 0)
    return;
  take_rows_of_owners(exec, world, polytopes, form.measures);
  dg::update_penalty(exec, form);
}

template <int Dim, class ExecutionSpace>
std::vector<std::uint64_t> better_cuts(const ExecutionSpace& exec, const comm::Communicator& world,
                                       const mesh::MeshPart<Dim, typename ExecutionSpace::memory_space>& part,
                                       index_t first_owned,
                                       const Array<const index_t*, ExecutionSpace>& owned_element_of,
                                       const mesh::PolytopesOfPart<ExecutionSpace>& polytopes,
                                       const dg::Form<Dim, typename ExecutionSpace::memory_space>& form) {
  using Space = typename ExecutionSpace::memory_space;
  if (form.space.smallest_degree == form.space.largest_degree &&
      form.space.smallest_steps == form.space.largest_steps) // over all processes
    return {};
  constexpr int n_bits = Dim * mesh::curve_bits<Dim>;
  const auto n_owned = static_cast<std::int64_t>(part.owned_elements.extent(0));
  const auto positions = make_array<Array<std::uint64_t*, Space>>(exec, "driver::positions_of_simplices", n_owned);
  const auto work = make_array<Array<std::int64_t*, Space>>(exec, "driver::work_of_simplices", n_owned + 1);
  const auto of_nodes = mesh::node_positions<ExecutionSpace, Dim>(exec, part.mesh, part.curve);
  const auto of_elements = dg::element_work<ExecutionSpace, Dim>(exec, form);
  for_each("tessera::driver::place_owned_simplices", exec, n_owned,
           PlaceOwned<Dim, Space>{part.mesh.elements, first_owned, of_nodes, owned_element_of, polytopes.first_owned,
                                  form.simplex_offsets, of_elements, positions, work});
  const std::int64_t owned = counts_to_offsets(exec, work, n_owned, "work of a part");
  std::vector<std::int64_t> present = world.all_gather(owned);
  const std::int64_t largest = *std::max_element(present.begin(), present.end());
  const double mean = std::accumulate(present.begin(), present.end(), 0.) / world.size();
  constexpr double uneven = 1.1; // a part with at most this multiple of the mean work is not worth making the mesh
                                 // again
  if (static_cast<double>(largest) <= uneven * mean)
    return {};
  const mesh::ItemsOnCurve<ExecutionSpace> items{positions, work};
  const std::vector<std::uint64_t> cuts = mesh::cut_curve(exec, world, items, n_bits);
  const std::vector<std::int64_t> before = mesh::work_before(exec, world, items, cuts);
  const std::vector<std::int64_t> n_before = mesh::work_before<ExecutionSpace>(exec, world, {positions, {}}, cuts);
  for (std::size_t r = 0; r + 1 < cuts.size(); ++r)
    if (n_before[r] == n_before[r + 1] || before[r + 1] - before[r] >= largest) // no elements, or no gain
      return {};
  return cuts;
}

template <int Dim, class ExecutionSpace>
void cut_to_part(const ExecutionSpace& exec, const comm::Communicator& world,
                 const mesh::MeshPart<Dim, typename ExecutionSpace::memory_space>& part, index_t first_owned,
                 const mesh::PolytopesOfPart<ExecutionSpace>& polytopes, DgProblem<Dim, ExecutionSpace>& problem) {
  using Space = typename ExecutionSpace::memory_space;
  const auto form = dg::make_form_part<ExecutionSpace, Dim>(exec, problem.form, polytopes.first_owned,
                                                            polytopes.first_owned + polytopes.n_owned);
  DgPart result;
  result.first_owned = form.first_owned;
  result.n_owned = form.n_owned;
  result.n_nodes_of_all = part.n_nodes_of_all;
  result.n_facets_of_all = part.n_facets_of_all;
  const auto& dofs = form.form.space.dof_offsets;
  const index_t first_unknown = read_entry(exec, dofs, form.first_owned);
  result.offsets = world.offsets_of(read_entry(exec, dofs, form.first_owned + form.n_owned) - first_unknown);
  const std::vector<index_t> n_elements = world.all_gather(form.n_owned);
  for (std::size_t r = 0; r < n_elements.size(); ++r) {
    result.first_element += static_cast<int>(r) < world.rank() ? n_elements[r] : 0;
    result.n_elements_of_all += n_elements[r];
  }

  // Elements of other processes come before and after the owned ones.
  std::vector<index_t> n_unknowns;
  std::vector<mesh::OwnerAnswer> owners;
  for (const auto& [first, end] : {std::make_pair(index_t(0), form.first_owned),
                                   std::make_pair(form.first_owned + form.n_owned, form.form.n_elements())}) {
    for (const index_t e : range_on_host(exec, form.elements, first, end))
      owners.push_back(polytopes.others[polytopes.place_of(e)]);
    const std::vector<index_t> offsets = range_on_host(exec, dofs, first, end + 1);
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
      n_unknowns.push_back(offsets[i + 1] - offsets[i]);
  }
  const std::vector<double> answers = mesh::request_rows(world, owners, 1, [&](const std::vector<index_t>& requested) {
    std::vector<double> first_unknowns; // counted from the first owned one
    const auto unknowns = rows_on_host(exec, dofs, shifted(requested, form.first_owned));
    for (std::size_t i = 0; i < unknowns.extent(0); ++i)
      first_unknowns.push_back(unknowns(i) - first_unknown);
    return first_unknowns;
  });
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const std::int64_t first =
        result.offsets[static_cast<std::size_t>(owners[i].owner)] + static_cast<std::int64_t>(answers[i]);
    TESSERA_REQUIRE(result.ghosts.empty() || first > result.ghosts.back(),
                    "Ghosts are not in the order of all unknowns.");
    for (index_t k = 0; k < n_unknowns[i]; ++k)
      result.ghosts.push_back(first + k);
  }

  mesh::PolytopicMesh<Dim, Space> owned;
  owned.simplices = owned_simplices<Dim, ExecutionSpace>(exec, part, first_owned);
  owned.element_of = make_array<Array<index_t*, Space>>(exec, "mesh::element_of", owned.simplices.n_elements());
  for_each("tessera::driver::number_elements_of_part", exec, owned.simplices.n_elements(),
           NumberElements<Space>{problem.mesh.element_of, first_owned, form.first_owned - polytopes.first_owned,
                                 owned.element_of});
  keep_alive(exec, problem.form, problem.mesh);
  problem.mesh = owned;
  problem.form = form.form;
  problem.part = result;
  problem.sizes = sizes_of<Dim, ExecutionSpace>(exec, form.form.faces, form.form.simplex_offsets, form.form.space);
  problem.sizes.face_values =
      count_face_values<Dim, ExecutionSpace>(form.form.faces, form.form.space, problem.advection);
  problem.sizes.n_processes = world.size();
}

#define TESSERA_INSTANTIATE_DIM(SPACE, DIM)                                                                            \
  template mesh::Mesh<DIM, typename SPACE::memory_space> owned_simplices<DIM, SPACE>(                                  \
      const SPACE&, const mesh::MeshPart<DIM, typename SPACE::memory_space>&, index_t);                                \
  template void take_boxes_of_owners<DIM, SPACE>(const SPACE&, const comm::Communicator&,                              \
                                                 const mesh::PolytopesOfPart<SPACE>&,                                  \
                                                 const mesh::PolytopicMesh<DIM, typename SPACE::memory_space>&);       \
  template void take_measures_of_owners<DIM, SPACE>(const SPACE&, const comm::Communicator&,                           \
                                                    const mesh::PolytopesOfPart<SPACE>&,                               \
                                                    const dg::Form<DIM, typename SPACE::memory_space>&);               \
  template std::vector<std::uint64_t> better_cuts<DIM, SPACE>(                                                         \
      const SPACE&, const comm::Communicator&, const mesh::MeshPart<DIM, typename SPACE::memory_space>&, index_t,      \
      const Array<const index_t*, SPACE>&, const mesh::PolytopesOfPart<SPACE>&,                                        \
      const dg::Form<DIM, typename SPACE::memory_space>&);                                                             \
  template void cut_to_part<DIM, SPACE>(const SPACE&, const comm::Communicator&,                                       \
                                        const mesh::MeshPart<DIM, typename SPACE::memory_space>&, index_t,             \
                                        const mesh::PolytopesOfPart<SPACE>&, DgProblem<DIM, SPACE>&);
#define TESSERA_INSTANTIATE(SPACE) TESSERA_INSTANTIATE_DIM(SPACE, 2) TESSERA_INSTANTIATE_DIM(SPACE, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
