// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/curved_facets.hpp"

#include "core/algorithms/scan.hpp"
#include "core/keep_alive.hpp"
#include "mesh/edges.hpp"
#include "mesh/refine/bisected_simplex.hpp"
#include "mesh/refine/children.hpp"

#include <limits>

namespace tessera::mesh {

namespace {

constexpr index_t no_owner = std::numeric_limits<index_t>::max();

/// Edges of a facet, in the order of a triangle's: edge k joins the vertices k and k + 1.
template <int Dim> constexpr int n_facet_edges = Dim == 2 ? 1 : 3;

/// Lagrange polynomial of one barycentric coordinate: 1 at m / degree, 0 at 0, 1 / degree .. (m - 1) / degree.
KOKKOS_INLINE_FUNCTION double lattice_factor(int degree, int m, double lambda) {
  double value = 1.;
  for (int s = 0; s < m; ++s)
    value *= (degree * lambda - s) / (s + 1);
  return value;
}

KOKKOS_INLINE_FUNCTION void evaluate_patch(const double* points, int degree, const double (&lambda)[2],
                                           double (&x)[2]) {
  x[0] = x[1] = 0.;
  for (int i = 0; i <= degree; ++i) {
    const double weight = lattice_factor(degree, degree - i, lambda[0]) * lattice_factor(degree, i, lambda[1]);
    for (int d = 0; d < 2; ++d)
      x[d] += weight * points[2 * i + d];
  }
}

KOKKOS_INLINE_FUNCTION void evaluate_patch(const double* points, int degree, const double (&lambda)[3],
                                           double (&x)[3]) {
  x[0] = x[1] = x[2] = 0.;
  int point = 0;
  for (int j = 0; j <= degree; ++j)
    for (int i = 0; i <= degree - j; ++i, ++point) {
      const double weight = lattice_factor(degree, degree - i - j, lambda[0]) * lattice_factor(degree, i, lambda[1]) *
                            lattice_factor(degree, j, lambda[2]);
      for (int d = 0; d < 3; ++d)
        x[d] += weight * points[3 * point + d];
    }
}

/// Claims each edge for its first pair facet * n_facet_edges + edge.
template <int Dim, class Space> struct ClaimEdges {
  Array<const index_t* [Dim], Space> nodes;
  Edges<Space> edges;
  Array<index_t*, Space> owner;
  KOKKOS_FUNCTION void operator()(index_t facet) const {
    for (int k = 0; k < n_facet_edges<Dim>; ++k) {
      const index_t edge = edges.edge_number(nodes(facet, k), nodes(facet, (k + 1) % Dim));
      if (edge >= 0)
        Kokkos::atomic_fetch_min(&owner(edge), facet * n_facet_edges<Dim> + k);
    }
  }
};

template <int Dim, class Space> struct PlaceMidpoints {
  Array<const index_t* [Dim], Space> nodes;
  Array<const index_t*, Space> patch;
  Array<const double * [Dim * Dim], Space> position;
  Array<const double*, Space> points;
  int degree;
  int n_points;
  EdgeMidpoints<Space> midpoints;
  Array<const index_t*, Space> owner;
  Array<double* [Dim], Space> coordinates;
  KOKKOS_FUNCTION void operator()(index_t facet) const {
    for (int k = 0; k < n_facet_edges<Dim>; ++k) {
      const int l = (k + 1) % Dim;
      const index_t edge = midpoints.edges.edge_number(nodes(facet, k), nodes(facet, l));
      const index_t middle = midpoints.node(edge);
      if (middle < 0 || owner(edge) != facet * n_facet_edges<Dim> + k)
        continue;
      double lambda[Dim];
      for (int i = 0; i < Dim; ++i)
        lambda[i] = 0.5 * (position(facet, k * Dim + i) + position(facet, l * Dim + i));
      double x[Dim];
      evaluate_patch(points.data() + static_cast<std::int64_t>(patch(facet)) * n_points * Dim, degree, lambda, x);
      for (int d = 0; d < Dim; ++d)
        coordinates(middle, d) = x[d];
    }
  }
};

/// Cuts facets in the same way as refine_uniform() cuts those of groups.
template <int Dim, class Space> struct CutFacets {
  static constexpr int n_children = Dim == 2 ? 2 : 4;
  Array<const index_t* [Dim], Space> nodes;
  Array<const index_t*, Space> patch;
  Array<const double * [Dim * Dim], Space> position;
  EdgeMidpoints<Space> midpoints;
  Array<index_t* [Dim], Space> new_nodes;
  Array<index_t*, Space> new_patch;
  Array<double * [Dim * Dim], Space> new_position;
  KOKKOS_FUNCTION void operator()(index_t facet) const {
    constexpr int n_local = Dim + n_facet_edges<Dim>;
    index_t local[n_local];
    double lambda[n_local][Dim];
    for (int a = 0; a < Dim; ++a) {
      local[a] = nodes(facet, a);
      for (int i = 0; i < Dim; ++i)
        lambda[a][i] = position(facet, a * Dim + i);
    }
    for (int k = 0; k < n_facet_edges<Dim>; ++k) {
      const int l = (k + 1) % Dim;
      local[Dim + k] = midpoints.node(midpoints.edges.edge_number(local[k], local[l]));
      for (int i = 0; i < Dim; ++i)
        lambda[Dim + k][i] = 0.5 * (lambda[k][i] + lambda[l][i]);
    }
    for (int child = 0; child < n_children; ++child) {
      const std::int64_t to = static_cast<std::int64_t>(facet) * n_children + child;
      new_patch(to) = patch(facet);
      for (int a = 0; a < Dim; ++a) {
        const int from = facet_child_node<Dim>(child, a);
        new_nodes(to, a) = local[from];
        for (int i = 0; i < Dim; ++i)
          new_position(to, a * Dim + i) = lambda[from][i];
      }
    }
  }
};

/// Parts of facets, cut in the same way as bisect_marked() cuts those of groups.
template <int Dim, class Space>
KOKKOS_INLINE_FUNCTION Parts<Dim> parts_of_facet(const EdgeMidpoints<Space>& midpoints, const index_t (&own)[Dim],
                                                 index_t (&edge)[SimplexEdges<Dim>::count]) {
  find_edges<Dim>(midpoints.edges, own, edge);
  return parts_of<Dim>(midpoints, edge);
}

template <int Dim, class Space> struct CountFacetParts {
  EdgeMidpoints<Space> midpoints;
  Array<const index_t* [Dim], Space> nodes;
  Array<index_t*, Space> counts;
  KOKKOS_FUNCTION void operator()(index_t facet) const {
    index_t own[Dim];
    index_t edge[SimplexEdges<Dim>::count];
    for (int a = 0; a < Dim; ++a)
      own[a] = nodes(facet, a);
    counts(facet) = parts_of_facet<Dim>(midpoints, own, edge).count;
  }
};

template <int Dim, class Space> struct WriteFacetParts {
  EdgeMidpoints<Space> midpoints;
  Array<const index_t* [Dim], Space> nodes;
  Array<const index_t*, Space> patch;
  Array<const double * [Dim * Dim], Space> position;
  Array<const index_t*, Space> offsets;
  Array<index_t* [Dim], Space> new_nodes;
  Array<index_t*, Space> new_patch;
  Array<double * [Dim * Dim], Space> new_position;
  KOKKOS_FUNCTION void operator()(index_t facet) const {
    index_t own[Dim];
    index_t edge[SimplexEdges<Dim>::count];
    for (int a = 0; a < Dim; ++a)
      own[a] = nodes(facet, a);
    const Parts<Dim> parts = parts_of_facet<Dim>(midpoints, own, edge);
    for (int part = 0; part < parts.count; ++part) {
      const index_t to = offsets(facet) + part;
      new_patch(to) = patch(facet);
      for (int a = 0; a < Dim; ++a) {
        const int point = parts.point[part][a];
        const int k = point - Dim;
        const int begin = k < 0 ? point : SimplexEdges<Dim>::begin(k);
        const int end = k < 0 ? point : SimplexEdges<Dim>::end(k);
        new_nodes(to, a) = k < 0 ? own[point] : midpoints.node(edge[k]);
        for (int i = 0; i < Dim; ++i)
          new_position(to, a * Dim + i) = 0.5 * (position(facet, begin * Dim + i) + position(facet, end * Dim + i));
      }
    }
  }
};

/// Row (j) of a lattice point, and its index in the row (i).
KOKKOS_INLINE_FUNCTION void lattice_place(int degree, int point, int& i, int& j) {
  j = 0;
  while (point > degree - j) {
    point -= degree - j + 1;
    ++j;
  }
  i = point;
}

template <int Dim, class Space> struct EvaluateLattice {
  Array<const index_t*, Space> patch;
  Array<const double * [Dim * Dim], Space> position;
  Array<const double*, Space> points;
  int degree;
  int n_points;
  Array<double*, Space> lattice;
  KOKKOS_FUNCTION void operator()(index_t facet) const {
    for (int point = 0; point < n_points; ++point) {
      int i;
      int j;
      lattice_place(degree, point, i, j);
      const double own[3] = {static_cast<double>(degree - i - j) / degree, static_cast<double>(i) / degree,
                             static_cast<double>(j) / degree};
      double lambda[Dim];
      for (int k = 0; k < Dim; ++k) {
        lambda[k] = 0.;
        for (int a = 0; a < Dim; ++a)
          lambda[k] += own[a] * position(facet, a * Dim + k);
      }
      double x[Dim];
      const std::int64_t width = static_cast<std::int64_t>(n_points) * Dim;
      evaluate_patch(points.data() + patch(facet) * width, degree, lambda, x);
      for (int d = 0; d < Dim; ++d)
        lattice(facet * width + point * Dim + d) = x[d];
    }
  }
};

template <int Dim, class Space> struct RenumberCurved {
  Array<const index_t*, Space> new_number;
  Array<const index_t* [Dim], Space> from;
  Array<index_t* [Dim], Space> to;
  KOKKOS_FUNCTION void operator()(index_t facet) const {
    for (int a = 0; a < Dim; ++a)
      to(facet, a) = new_number(from(facet, a));
  }
};

/// Allocates facets on the patches of others.
template <class ExecutionSpace, int Dim, class Space>
CurvedFacets<Dim, Space> with_patches_of(const ExecutionSpace& exec, const CurvedFacets<Dim, Space>& curved,
                                         std::int64_t n) {
  CurvedFacets<Dim, Space> facets;
  facets.degree = curved.degree;
  facets.points = curved.points;
  facets.nodes = make_array<decltype(facets.nodes)>(exec, "mesh::curved_nodes", n);
  facets.patch = make_array<decltype(facets.patch)>(exec, "mesh::curved_patch", n);
  facets.position = make_array<decltype(facets.position)>(exec, "mesh::curved_position", n);
  return facets;
}

} // namespace

template <class ExecutionSpace, int Dim>
void place_midpoints(const ExecutionSpace& exec, const CurvedFacets<Dim, typename ExecutionSpace::memory_space>& curved,
                     const EdgeMidpoints<typename ExecutionSpace::memory_space>& midpoints,
                     const Array<double* [Dim], ExecutionSpace>& coordinates) {
  using Space = typename ExecutionSpace::memory_space;
  if (curved.n_facets() == 0)
    return;
  checked_index(static_cast<std::int64_t>(curved.n_facets()) * n_facet_edges<Dim>, "edges of curved facets");
  const auto owner = make_filled<Array<index_t*, Space>>(exec, "mesh::edge_owner", midpoints.edges.n_edges(), no_owner);
  for_each("tessera::mesh::claim_edges", exec, curved.n_facets(),
           ClaimEdges<Dim, Space>{curved.nodes, midpoints.edges, owner});
  for_each("tessera::mesh::place_midpoints", exec, curved.n_facets(),
           PlaceMidpoints<Dim, Space>{curved.nodes, curved.patch, curved.position, curved.points, curved.degree,
                                      CurvedFacets<Dim, Space>::n_points(curved.degree), midpoints, owner,
                                      coordinates});
  keep_alive(exec, owner);
}

template <class ExecutionSpace, int Dim>
CurvedFacets<Dim, typename ExecutionSpace::memory_space>
refine_curved(const ExecutionSpace& exec, const CurvedFacets<Dim, typename ExecutionSpace::memory_space>& curved,
              const EdgeMidpoints<typename ExecutionSpace::memory_space>& midpoints) {
  using Space = typename ExecutionSpace::memory_space;
  CurvedFacets<Dim, Space> fine;
  if (curved.n_facets() == 0)
    return fine;
  const std::int64_t n =
      checked_index(static_cast<std::int64_t>(curved.n_facets()) * CutFacets<Dim, Space>::n_children, "curved facets");
  fine = with_patches_of(exec, curved, n);
  for_each("tessera::mesh::cut_curved_facets", exec, curved.n_facets(),
           CutFacets<Dim, Space>{curved.nodes, curved.patch, curved.position, midpoints, fine.nodes, fine.patch,
                                 fine.position});
  return fine;
}

template <class ExecutionSpace, int Dim>
CurvedFacets<Dim, typename ExecutionSpace::memory_space>
cut_curved(const ExecutionSpace& exec, const CurvedFacets<Dim, typename ExecutionSpace::memory_space>& curved,
           const EdgeMidpoints<typename ExecutionSpace::memory_space>& midpoints) {
  using Space = typename ExecutionSpace::memory_space;
  CurvedFacets<Dim, Space> fine;
  if (curved.n_facets() == 0)
    return fine;
  const auto offsets =
      make_array<Array<index_t*, Space>>(exec, "mesh::parts", static_cast<std::int64_t>(curved.n_facets()) + 1);
  for_each("tessera::mesh::count_curved_parts", exec, curved.n_facets(),
           CountFacetParts<Dim, Space>{midpoints, curved.nodes, offsets});
  const auto n = static_cast<std::int64_t>(counts_to_offsets(exec, offsets, curved.n_facets(), "curved facets"));
  fine = with_patches_of(exec, curved, n);
  for_each("tessera::mesh::write_curved_parts", exec, curved.n_facets(),
           WriteFacetParts<Dim, Space>{midpoints, curved.nodes, curved.patch, curved.position, offsets, fine.nodes,
                                       fine.patch, fine.position});
  keep_alive(exec, offsets);
  return fine;
}

template <class ExecutionSpace, int Dim>
CurvedFacets<Dim, typename ExecutionSpace::memory_space>
renumber_curved(const ExecutionSpace& exec, const CurvedFacets<Dim, typename ExecutionSpace::memory_space>& curved,
                const Array<const index_t*, ExecutionSpace>& new_number) {
  using Space = typename ExecutionSpace::memory_space;
  CurvedFacets<Dim, Space> renumbered = curved;
  if (curved.n_facets() == 0)
    return renumbered;
  renumbered.nodes = make_array<decltype(renumbered.nodes)>(exec, "mesh::curved_nodes", curved.n_facets());
  for_each("tessera::mesh::renumber_curved", exec, curved.n_facets(),
           RenumberCurved<Dim, Space>{new_number, curved.nodes, renumbered.nodes});
  return renumbered;
}

template <class ExecutionSpace, int Dim>
Array<double*, typename ExecutionSpace::memory_space>
curved_lattice(const ExecutionSpace& exec, const CurvedFacets<Dim, typename ExecutionSpace::memory_space>& curved) {
  using Space = typename ExecutionSpace::memory_space;
  const int n_points = CurvedFacets<Dim, Space>::n_points(curved.degree);
  const auto lattice = make_array<Array<double*, Space>>(exec, "mesh::curved_lattice",
                                                         static_cast<std::int64_t>(curved.n_facets()) * n_points * Dim);
  for_each("tessera::mesh::curved_lattice", exec, curved.n_facets(),
           EvaluateLattice<Dim, Space>{curved.patch, curved.position, curved.points, curved.degree, n_points, lattice});
  return lattice;
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template void place_midpoints(const Space&, const CurvedFacets<Dim, Space::memory_space>&,                           \
                                const EdgeMidpoints<Space::memory_space>&, const Array<double* [Dim], Space>&);        \
  template CurvedFacets<Dim, Space::memory_space> refine_curved(                                                       \
      const Space&, const CurvedFacets<Dim, Space::memory_space>&, const EdgeMidpoints<Space::memory_space>&);         \
  template CurvedFacets<Dim, Space::memory_space> cut_curved(                                                          \
      const Space&, const CurvedFacets<Dim, Space::memory_space>&, const EdgeMidpoints<Space::memory_space>&);         \
  template CurvedFacets<Dim, Space::memory_space> renumber_curved(                                                     \
      const Space&, const CurvedFacets<Dim, Space::memory_space>&, const Array<const index_t*, Space>&);               \
  template Array<double*, Space::memory_space> curved_lattice(const Space&,                                            \
                                                              const CurvedFacets<Dim, Space::memory_space>&);
#define TESSERA_INSTANTIATE(Space) TESSERA_INSTANTIATE_DIM(Space, 2) TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::mesh
