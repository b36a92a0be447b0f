// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "physics/forms/coarser_diffusion.hpp"

#include "core/keep_alive.hpp"
#include "mesh/simplex.hpp"

namespace tessera::physics {

namespace {

/// Whether a node in the middle of two others has the same constraints as both.
template <class Space> struct SameConstraints {
  fe::DofKinds fine_kinds;
  Array<const index_t*, Space> fine;
  fe::DofKinds coarse_kinds;
  Array<const index_t*, Space> coarse;
  KOKKOS_FUNCTION bool hold(index_t node, index_t a, index_t b) const {
    const index_t dof = fine(node);
    if (fine_kinds.is_fixed(dof))
      return coarse_kinds.is_fixed(coarse(a)) && coarse_kinds.is_fixed(coarse(b));
    return !fine_kinds.is_tied(dof) || (coarse_kinds.is_tied(coarse(a)) && coarse(a) == coarse(b));
  }
};

template <int Dim, class Space> struct KeptCoordinates {
  Array<const index_t* [2], Space> parents;
  Array<const double* [Dim], Space> fine;
  Array<double* [Dim], Space> coarse;
  KOKKOS_FUNCTION void operator()(index_t node) const {
    if (parents(node, 0) == parents(node, 1) && parents(node, 0) >= 0)
      for (int d = 0; d < Dim; ++d)
        coarse(parents(node, 0), d) = fine(node, d);
  }
};

/// What any thread notes that finds a difference between the two levels.
template <class Space> struct Difference {
  Array<index_t*, Space> found; ///< [1], 0 or 1
  KOKKOS_FUNCTION void note() const { Kokkos::atomic_store(&found(0), index_t(1)); }
};

template <class ExecutionSpace>
Difference<typename ExecutionSpace::memory_space> no_difference(const ExecutionSpace& exec) {
  Difference<typename ExecutionSpace::memory_space> result;
  result.found = make_array<decltype(result.found)>(exec, "physics::found_difference", 1);
  fill(exec, result.found, 0);
  return result;
}

/// Finds a node whose position or constraints differ from the linear interpolation.
template <int Dim, class Space> struct FindOtherNode {
  SameConstraints<Space> constraints;
  Array<const index_t* [2], Space> parents;
  Array<const double* [Dim], Space> fine;
  Array<const double* [Dim], Space> coarse;
  index_t first;
  Difference<Space> difference;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const index_t node = first + i;
    const index_t a = parents(node, 0);
    const index_t b = parents(node, 1);
    if (a == b)
      return;
    double offset = 0.;
    double length = 0.;
    for (int d = 0; d < Dim; ++d) {
      const double off = fine(node, d) - 0.5 * (coarse(a, d) + coarse(b, d));
      const double along = coarse(a, d) - coarse(b, d);
      offset += off < 0. ? -off : off;
      length += along < 0. ? -along : along;
    }
    // Above the rounding of coordinates, below what would be visible in a matrix.
    if (!(offset <= 1e-9 * length) || !constraints.hold(node, a, b))
      difference.note();
  }
};

/// The regions of coarse elements; finds an element with children in several regions.
template <int Dim, class Space> struct RegionsOfChildren {
  Array<const index_t * [mesh::Children<Dim>::count], Space> children;
  Array<const group_t*, Space> fine;
  Array<group_t*, Space> coarse;
  Difference<Space> difference;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    const group_t region = fine(children(e, 0));
    coarse(e) = region;
    for (int k = 1; k < mesh::Children<Dim>::count; ++k)
      if (fine(children(e, k)) != region) {
        difference.note();
        break;
      }
  }
};

template <class Space> struct OneRegion {
  Array<const group_t*, Space> fine;
  Array<group_t*, Space> coarse;
  KOKKOS_FUNCTION void operator()(index_t e) const { coarse(e) = fine(0); }
};

/// Finds an element of order 2 with a midpoint whose constraint differs from that of its edge.
template <int Dim, class Space> struct FindOtherEdge {
  static constexpr int n_vertices = Dim + 1;
  SameConstraints<Space> constraints;
  Array<const index_t * [fe::Lagrange<Dim, 2>::n_nodes], Space> nodes;
  Array<const index_t*, Space> owned; // empty: all elements
  Difference<Space> difference;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const index_t e = owned.extent(0) > 0 ? owned(i) : i;
    bool hold = true;
    for (int k = 0; k < fe::Lagrange<Dim, 2>::n_nodes - n_vertices; ++k)
      hold = hold && constraints.hold(nodes(e, n_vertices + k), nodes(e, mesh::Simplex<Dim>::edge_begin(k)),
                                      nodes(e, mesh::Simplex<Dim>::edge_end(k)));
    if (!hold)
      difference.note();
  }
};

/// Finds an element in another region than the first one.
template <class Space> struct FindOtherRegion {
  using Item = group_t;
  Array<const group_t*, Space> regions;
  Difference<Space> difference;
  KOKKOS_FUNCTION Item read(std::int64_t e) const { return regions(e); }
  KOKKOS_FUNCTION void operator()(std::int64_t, Item region) const {
    if (region != regions(0))
      difference.note();
  }
  KOKKOS_FUNCTION void operator()(std::int64_t e) const { (*this)(e, read(e)); }
};

} // namespace

template <class ExecutionSpace, int Dim, int Order>
std::optional<UniformDiffusion<Dim, 1, typename ExecutionSpace::memory_space>> coarser_diffusion(
    const ExecutionSpace& exec, const UniformDiffusion<Dim, Order, typename ExecutionSpace::memory_space>& fine,
    const fe::DofMap<typename ExecutionSpace::memory_space>& dofs,
    const fe::DofMap<typename ExecutionSpace::memory_space>& coarser,
    const Array<const index_t * [Dim + 1], typename ExecutionSpace::memory_space>& element_nodes,
    const Array<const index_t * [mesh::Children<Dim>::count], typename ExecutionSpace::memory_space>& children,
    const Array<const index_t* [2], typename ExecutionSpace::memory_space>& parents,
    const PartOfMesh<ExecutionSpace>* part) {
  using Space = typename ExecutionSpace::memory_space;
  const SameConstraints<Space> constraints{dofs, dofs.node_dof, coarser, coarser.node_dof};
  UniformDiffusion<Dim, 1, Space> form;
  form.coefficient = fine.coefficient;
  form.source = fine.source;
  form.depth = fine.depth;
  const Difference<Space> difference = no_difference(exec);
  if constexpr (Order == 2) {
    form.element_nodes = fine.element_vertices;
    form.element_vertices = fine.element_vertices;
    form.coordinates = fine.coordinates;
    form.regions = fine.regions;
    const Array<const index_t*, Space> owned = part != nullptr ? part->owned_elements : Array<const index_t*, Space>();
    for_each("tessera::physics::find_other_edge", exec,
             part != nullptr ? static_cast<index_t>(owned.extent(0)) : fine.n_elements(),
             FindOtherEdge<Dim, Space>{constraints, fine.element_nodes, owned, difference});
  } else {
    const auto n_nodes = static_cast<index_t>(parents.extent(0));
    const auto n_elements = static_cast<index_t>(element_nodes.extent(0));
    const auto coordinates =
        make_array<Array<double* [Dim], Space>>(exec, "physics::coarser_coordinates", coarser.node_dof.extent(0));
    const auto regions = make_array<Array<group_t*, Space>>(exec, "physics::coarser_regions", n_elements);
    for_each("tessera::physics::coarser_coordinates", exec, n_nodes,
             KeptCoordinates<Dim, Space>{parents, fine.coordinates, coordinates});
    for_each("tessera::physics::find_other_node", exec, part != nullptr ? part->n_owned : n_nodes,
             FindOtherNode<Dim, Space>{constraints, parents, fine.coordinates, coordinates,
                                       part != nullptr ? part->first_owned : 0, difference});
    if (children.extent(0) > 0)
      for_each("tessera::physics::regions_of_children", exec, n_elements,
               RegionsOfChildren<Dim, Space>{children, fine.regions, regions, difference});
    else
      for_each("tessera::physics::one_region", exec, n_elements, OneRegion<Space>{fine.regions, regions});
    form.element_nodes = element_nodes;
    form.element_vertices = element_nodes;
    form.coordinates = coordinates;
    form.regions = regions;
  }
  index_t differs = read_entry(exec, difference.found, 0); // waits
  if (part != nullptr)
    differs = part->world->largest(differs);
  if (differs > 0)
    return std::nullopt;
  return form;
}

template <class ExecutionSpace>
bool has_one_region(const ExecutionSpace& exec,
                    const Array<const group_t*, typename ExecutionSpace::memory_space>& regions) {
  const auto difference = no_difference(exec);
  stream("tessera::physics::find_other_region", exec, static_cast<std::int64_t>(regions.extent(0)),
         FindOtherRegion<typename ExecutionSpace::memory_space>{regions, difference});
  return read_entry(exec, difference.found, 0) == 0; // waits
}

#define TESSERA_INSTANTIATE_CASE(SPACE, DIM, ORDER)                                                                    \
  template std::optional<UniformDiffusion<DIM, 1, SPACE::memory_space>> coarser_diffusion<SPACE, DIM, ORDER>(          \
      const SPACE&, const UniformDiffusion<DIM, ORDER, SPACE::memory_space>&, const fe::DofMap<SPACE::memory_space>&,  \
      const fe::DofMap<SPACE::memory_space>&, const Array<const index_t * [DIM + 1], SPACE::memory_space>&,            \
      const Array<const index_t * [mesh::Children<DIM>::count], SPACE::memory_space>&,                                 \
      const Array<const index_t* [2], SPACE::memory_space>&, const PartOfMesh<SPACE>*);
#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template bool has_one_region(const SPACE&, const Array<const group_t*, typename SPACE::memory_space>&);              \
  TESSERA_INSTANTIATE_CASE(SPACE, 2, 1)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 2, 2)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 3, 1)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 3, 2)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::physics
