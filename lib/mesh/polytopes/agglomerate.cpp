// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/polytopes/agglomerate.hpp"

#include "core/algorithms/reduce.hpp"
#include "core/algorithms/sort.hpp"
#include "core/keep_alive.hpp"
#include "core/tagged_loop.hpp"
#include "core/transfer/upload.hpp"
#include "graph/components.hpp"
#include "graph/partition/metis.hpp"
#include "graph/partition/partition.hpp"
#include "mesh/checks/check_elements.hpp"
#include "mesh/ordering.hpp"
#include "mesh/parts/element_numbers.hpp"
#include "mesh/polytopes/hilbert_curve.hpp"
#include "mesh/simplex.hpp"

#include <cmath>
#include <numeric>

namespace tessera::mesh {

namespace {

constexpr int n_leaf_rounds = 4;

/// The larger the parts, the farther their boundaries have to move; twice as many rounds make cuts half a percent
/// shorter (docs/notebook/dg.md).
int n_balancing_rounds(index_t n_simplices, std::int64_t n_parts) { return 8 + 2 * bits_for(n_simplices / n_parts); }

/// Centroids as integers, and their order on the curve.
template <int Dim, class Space> struct Centroids {
  MortonCurve<Dim> cube;
  Array<const double* [Dim], Space> coordinates;
  Array<const index_t * [Dim + 1], Space> elements;
  Array<index_t* [Dim], Space> points;
  Array<std::uint64_t*, Space> keys;
  Array<index_t*, Space> order;

  KOKKOS_FUNCTION static std::int64_t cell(double x) {
    constexpr double last = (std::int64_t(1) << graph::point_bits) - 1;
    return static_cast<std::int64_t>(x > 0. ? (x < last ? x : last) : 0.);
  }
  KOKKOS_FUNCTION void operator()(index_t s) const {
    constexpr double finer = std::int64_t(1) << (graph::point_bits - curve_bits<Dim>);
    std::uint32_t on_curve[Dim];
    for (int d = 0; d < Dim; ++d) {
      std::int64_t sum = 0;
      for (int a = 0; a <= Dim; ++a)
        sum += cell((coordinates(elements(s, a), d) - cube.lower[d]) * (cube.scale * finer));
      points(s, d) = static_cast<index_t>(sum / (Dim + 1));
      on_curve[d] = static_cast<std::uint32_t>(points(s, d)) >> (graph::point_bits - curve_bits<Dim>);
    }
    keys(s) = hilbert_position<Dim, curve_bits<Dim>>(on_curve);
    order(s) = s;
  }
};

/// Cuts the simplices of each piece of a region, in their order on the curve, into runs of equal length.
template <class Space> struct Runs {
  Array<const index_t*, Space> piece_of;      // by simplex
  Array<const index_t*, Space> order;         // simplices by piece, along the curve
  Array<const index_t*, Space> first_simplex; // index in `order`, by piece, [n_pieces + 1]
  Array<const index_t*, Space> first_part;    // by piece, [n_pieces + 1]
  Array<index_t*, Space> part;
  Array<graph::PartTarget*, Space> targets;
  index_t n_pieces;

  struct Simplices {};
  struct Targets {};
  KOKKOS_FUNCTION void operator()(Simplices, index_t i) const {
    const index_t piece = piece_of(order(i));
    const std::int64_t n_parts = first_part(piece + 1) - first_part(piece);
    const index_t n_simplices = first_simplex(piece + 1) - first_simplex(piece);
    part(order(i)) = first_part(piece) + static_cast<index_t>((i - first_simplex(piece)) * n_parts / n_simplices);
  }
  KOKKOS_FUNCTION void operator()(Targets, index_t p) const {
    index_t piece = 0;
    index_t end = n_pieces;
    while (end - piece > 1) {
      const index_t middle = piece + (end - piece) / 2;
      if (first_part(middle) > p)
        end = middle;
      else
        piece = middle;
    }
    targets(p) =
        graph::part_target(first_simplex(piece + 1) - first_simplex(piece), first_part(piece + 1) - first_part(piece));
  }
};

template <class Space> struct PieceKeys {
  Array<const index_t*, Space> piece_of;
  Array<const index_t*, Space> order;
  Array<std::uint32_t*, Space> keys;
  KOKKOS_FUNCTION void operator()(index_t i) const { keys(i) = static_cast<std::uint32_t>(piece_of(order(i))); }
};

template <class Space> struct CountSimplices {
  Array<const index_t*, Space> piece_of;
  Array<index_t*, Space> size;
  KOKKOS_FUNCTION void operator()(index_t s) const { Kokkos::atomic_fetch_add(&size(piece_of(s)), index_t(1)); }
};

template <class Space> struct ExtremeSizes {
  using Reducer = Kokkos::MinMax<index_t>;
  Array<const index_t*, Space> size;
  KOKKOS_FUNCTION void operator()(index_t p, typename Reducer::value_type& extremes) const {
    extremes.min_val = size(p) < extremes.min_val ? size(p) : extremes.min_val;
    extremes.max_val = size(p) > extremes.max_val ? size(p) : extremes.max_val;
  }
};

template <int Dim, class Space> struct CountCut {
  DualGraph<Dim, Space> dual;
  Array<const index_t*, Space> element_of;
  KOKKOS_FUNCTION void operator()(index_t s, std::int64_t& n) const {
    for (int f = 0; f <= Dim; ++f) {
      const index_t neighbour = dual.neighbour(s, f);
      n += neighbour > s && element_of(neighbour) != element_of(s) ? 1 : 0;
    }
  }
};

template <int Dim, class Space> struct Measures {
  Array<const double* [Dim], Space> coordinates;
  Array<const index_t * [Dim + 1], Space> elements;
  KOKKOS_FUNCTION void operator()(std::int64_t s, double (&term)[1]) const {
    double p[Dim + 1][Dim];
    for (int a = 0; a <= Dim; ++a)
      for (int d = 0; d < Dim; ++d)
        p[a][d] = coordinates(elements(s, a), d);
    term[0] = signed_measure(p);
  }
};

/// Connected pieces of parts, numbered by their first simplex; waits.
template <class ExecutionSpace, int Width>
ElementNumbers<ExecutionSpace>
find_pieces_of_parts(const ExecutionSpace& exec,
                     const graph::Neighbours<Width, typename ExecutionSpace::memory_space>& neighbours,
                     const Array<const index_t*, ExecutionSpace>& parts) {
  using Numbers = Array<index_t*, ExecutionSpace>;
  const index_t n = neighbours.n_vertices();
  const auto parents = make_array<Numbers>(exec, "mesh::piece_parents", n);
  const auto root = make_array<Numbers>(exec, "mesh::piece_roots", n);
  graph::find_components(exec, neighbours, parts, parents, root);
  return number_elements(exec, Array<const index_t*, ExecutionSpace>(root)); // waits: the other arrays may be freed
}

/// Connected pieces of regions.
template <class ExecutionSpace, int Width>
ElementNumbers<ExecutionSpace>
find_pieces(const ExecutionSpace& exec,
            const graph::Neighbours<Width, typename ExecutionSpace::memory_space>& neighbours) {
  const auto same = make_filled<Array<index_t*, ExecutionSpace>>(exec, "mesh::one_part", neighbours.n_vertices(), 0);
  return find_pieces_of_parts<ExecutionSpace, Width>(exec, neighbours, same);
}

/// Number of simplices of each element.
template <class ExecutionSpace>
Array<index_t*, ExecutionSpace> sizes_of(const ExecutionSpace& exec, const ElementNumbers<ExecutionSpace>& numbers) {
  const auto size = make_filled<Array<index_t*, ExecutionSpace>>(exec, "mesh::piece_sizes", numbers.n_elements, 0);
  for_each("tessera::mesh::piece_sizes", exec, static_cast<index_t>(numbers.element_of.extent(0)),
           CountSimplices<typename ExecutionSpace::memory_space>{numbers.element_of, size});
  return size;
}

template <class ExecutionSpace>
std::vector<index_t> sizes_of_pieces(const ExecutionSpace& exec, const ElementNumbers<ExecutionSpace>& pieces) {
  if (pieces.n_elements == 1)
    return {static_cast<index_t>(pieces.element_of.extent(0))};
  const auto on_host = to_host(exec, sizes_of(exec, pieces));
  return {on_host.data(), on_host.data() + pieces.n_elements};
}

std::vector<index_t> offsets_of(const std::vector<index_t>& counts) {
  std::vector<index_t> offsets(counts.size() + 1, 0);
  std::partial_sum(counts.begin(), counts.end(), offsets.begin() + 1);
  return offsets;
}

/// Parts of equal size, with their targets, along a Hilbert curve through each piece.
template <class ExecutionSpace, int Dim>
graph::Partition<Dim, typename ExecutionSpace::memory_space>
cut_mesh_curve(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
               const ElementNumbers<ExecutionSpace>& pieces, index_t n_elements) {
  using Space = typename ExecutionSpace::memory_space;
  using Cut = Runs<Space>;
  const index_t n = mesh.n_elements();
  Centroids<Dim, Space> centroids{curve_through(bounds_of(exec, mesh)), mesh.coordinates, mesh.elements, {}, {}, {}};
  centroids.points = make_array<decltype(centroids.points)>(exec, "mesh::centroids", n);
  centroids.keys = make_array<Array<std::uint64_t*, Space>>(exec, "mesh::curve_keys", n);
  centroids.order = make_array<Array<index_t*, Space>>(exec, "mesh::curve_order", n);
  for_each("tessera::mesh::centroids", exec, n, centroids);
  sort_by_key(exec, centroids.keys, centroids.order, n, Dim * curve_bits<Dim>);
  if (pieces.n_elements > 1) {
    const auto keys = make_array<Array<std::uint32_t*, Space>>(exec, "mesh::piece_keys", n);
    for_each("tessera::mesh::piece_keys", exec, n, PieceKeys<Space>{pieces.element_of, centroids.order, keys});
    sort_by_key(exec, keys, centroids.order, n, bits_for(pieces.n_elements));
    keep_alive(exec, keys);
  }
  const std::vector<index_t> sizes = sizes_of_pieces(exec, pieces);
  const std::vector<index_t> first_part = offsets_of(graph::apportion_parts(sizes, n_elements));
  const index_t n_parts = first_part.back();

  graph::Partition<Dim, Space> parts;
  parts.points = centroids.points;
  parts.part = make_array<Array<index_t*, Space>>(exec, "mesh::parts", n);
  parts.size = make_array<Array<index_t*, Space>>(exec, "mesh::part_sizes", n_parts);
  Cut cut{pieces.element_of,
          centroids.order,
          uploaded(exec, "mesh::first_simplices", offsets_of(sizes)),
          uploaded(exec, "mesh::first_parts", first_part),
          parts.part,
          make_array<Array<graph::PartTarget*, Space>>(exec, "mesh::part_targets", n_parts),
          pieces.n_elements};
  parts.targets = cut.targets;
  for_each_tagged<typename Cut::Simplices>("tessera::mesh::cut_mesh_curve", exec, n, cut);
  for_each_tagged<typename Cut::Targets>("tessera::mesh::part_targets", exec, n_parts, cut);
  keep_alive(exec, centroids, cut);
  return parts;
}

/// Part of each simplex by METIS: every piece gets the same number of parts as on the curve, numbered piece by piece.
template <class ExecutionSpace, int Width>
std::vector<index_t> parts_by_metis(const ExecutionSpace& exec,
                                    const graph::Neighbours<Width, typename ExecutionSpace::memory_space>& neighbours,
                                    const ElementNumbers<ExecutionSpace>& pieces, index_t n_elements) {
  const auto table = to_host(exec, neighbours.table);
  const auto piece_of = to_host(exec, pieces.element_of);
  const index_t n = neighbours.n_vertices();
  const std::vector<index_t> sizes = sizes_of_pieces(exec, pieces);
  const std::vector<index_t> first_simplex = offsets_of(sizes);
  const std::vector<index_t> first_part = offsets_of(graph::apportion_parts(sizes, n_elements));
  std::vector<index_t> simplices(static_cast<std::size_t>(n)); // by piece
  std::vector<index_t> position(static_cast<std::size_t>(n));  // of each simplex within its piece
  std::vector<index_t> n_placed(sizes.size(), 0);
  for (index_t s = 0; s < n; ++s) {
    position[s] = n_placed[piece_of(s)]++;
    simplices[first_simplex[piece_of(s)] + position[s]] = s;
  }
  std::vector<index_t> part(static_cast<std::size_t>(n));
  for (std::size_t piece = 0; piece < sizes.size(); ++piece) {
    std::vector<index_t> offsets{0};
    std::vector<index_t> others;
    for (index_t i = first_simplex[piece]; i < first_simplex[piece + 1]; ++i) {
      for (int k = 0; k < Width; ++k)
        if (table(simplices[i], k) >= 0)
          others.push_back(position[table(simplices[i], k)]);
      offsets.push_back(checked_index(static_cast<std::int64_t>(others.size()), "neighbours for METIS"));
    }
    const std::vector<index_t> found = graph::metis_parts(offsets, others, first_part[piece + 1] - first_part[piece]);
    for (std::size_t i = 0; i < found.size(); ++i)
      part[simplices[first_simplex[piece] + i]] = first_part[piece] + found[i];
  }
  return part;
}

template <class ExecutionSpace, int Dim>
void summarize(const ExecutionSpace& exec, const DualGraph<Dim, typename ExecutionSpace::memory_space>& dual,
               const Array<index_t*, ExecutionSpace>& size, Agglomeration<ExecutionSpace>& result) {
  using Space = typename ExecutionSpace::memory_space;
  using Extremes = ExtremeSizes<Space>;
  using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>;
  const index_t n = dual.n_elements();
  typename Extremes::Reducer::value_type extremes{};
  Kokkos::parallel_reduce("tessera::mesh::extreme_elements", Policy(exec, 0, result.n_elements), Extremes{size},
                          typename Extremes::Reducer(extremes)); // waits
  result.smallest = extremes.min_val;
  result.largest = extremes.max_val;
  Kokkos::parallel_reduce("tessera::mesh::count_cut", Policy(exec, 0, n), CountCut<Dim, Space>{dual, result.element_of},
                          result.n_cut);
  exec.fence();
  result.mean = static_cast<double>(n) / result.n_elements;
}

} // namespace

template <class ExecutionSpace, int Dim>
Agglomeration<ExecutionSpace> agglomerate(const ExecutionSpace& exec,
                                          const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                                          const DualGraph<Dim, typename ExecutionSpace::memory_space>& dual,
                                          std::int64_t n_elements, AgglomerationMethod method) {
  TESSERA_REQUIRE(n_elements >= 1 && n_elements <= mesh.n_elements(),
                  "The mesh cannot be agglomerated into " << n_elements << " elements: their number must be from 1 to "
                                                          << mesh.n_elements() << ", that of its simplices.");
  const auto neighbours = neighbours_in_region(exec, mesh, dual);
  const auto pieces = find_pieces<ExecutionSpace, Dim + 1>(exec, neighbours);
  auto parts = cut_mesh_curve(exec, mesh, pieces, static_cast<index_t>(n_elements));
  parts.neighbours = neighbours;
  Agglomeration<ExecutionSpace> result;
  if (method == AgglomerationMethod::metis) {
    upload(exec, parts.part, parts_by_metis(exec, neighbours, pieces, static_cast<index_t>(n_elements)));
    const ElementFaults faults = check_elements<ExecutionSpace, Dim>(exec, mesh, dual, parts.part, parts.n_parts());
    result.n_empty = faults.n_empty;
    result.n_disconnected = faults.n_disconnected;
  } else {
    graph::balance_parts(exec, parts, n_balancing_rounds(mesh.n_elements(), parts.n_parts()));
  }
  graph::connect_parts(exec, parts);
  if (method == AgglomerationMethod::device)
    graph::move_leaves(exec, parts, n_leaf_rounds);
  const auto numbers = number_elements(exec, Array<const index_t*, ExecutionSpace>(parts.part));
  result.element_of = numbers.element_of;
  result.n_elements = numbers.n_elements;
  result.n_pieces = pieces.n_elements;
  summarize(exec, dual, result.n_empty > 0 ? sizes_of(exec, numbers) : parts.size, result);
  return result;
}

template <class ExecutionSpace, int Dim>
Agglomeration<ExecutionSpace> agglomerate(const ExecutionSpace& exec,
                                          const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                                          std::int64_t n_elements, AgglomerationMethod method) {
  const auto dual = build_dual_graph(exec, mesh);
  return agglomerate(exec, mesh, dual, n_elements, method); // waits: the graph may be freed
}

template <class ExecutionSpace, int Dim>
Agglomeration<ExecutionSpace> agglomerate_parts(const ExecutionSpace& exec,
                                                const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                                                const DualGraph<Dim, typename ExecutionSpace::memory_space>& dual,
                                                const Array<const index_t*, ExecutionSpace>& parts, index_t n_parts) {
  const auto neighbours = neighbours_in_region(exec, mesh, dual);
  const auto pieces = find_pieces_of_parts<ExecutionSpace, Dim + 1>(exec, neighbours, parts);
  Agglomeration<ExecutionSpace> result;
  result.element_of = pieces.element_of;
  result.n_elements = pieces.n_elements;
  if (result.n_elements > n_parts) {
    const ElementFaults faults = check_elements<ExecutionSpace, Dim>(exec, mesh, dual, parts, n_parts);
    result.n_disconnected = faults.n_disconnected + faults.n_mixed;
  }
  summarize(exec, dual, sizes_of(exec, pieces), result);
  return result;
}

template <class ExecutionSpace, int Dim>
std::int64_t elements_of_mean_size(const ExecutionSpace& exec,
                                   const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh, double mean_size) {
  TESSERA_REQUIRE(mean_size > 0. && std::isfinite(mean_size),
                  "The mean size of elements must be positive, not " << mean_size << " m.");
  const double measure =
      ordered_sum("tessera::mesh::measure", exec, mesh.n_elements(),
                  Measures<Dim, typename ExecutionSpace::memory_space>{mesh.coordinates, mesh.elements});
  double n = measure;
  for (int d = 0; d < Dim; ++d)
    n /= mean_size;
  TESSERA_REQUIRE(n < mesh.n_elements() + 0.5, "Elements with a mean size of "
                                                   << mean_size << " m would be " << std::ceil(n)
                                                   << ", more than the mesh has simplices (" << mesh.n_elements()
                                                   << ").");
  return n < 1. ? 1 : std::llround(n);
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template Agglomeration<Space> agglomerate(const Space&, const Mesh<Dim, Space::memory_space>&,                       \
                                            const DualGraph<Dim, Space::memory_space>&, std::int64_t,                  \
                                            AgglomerationMethod);                                                      \
  template Agglomeration<Space> agglomerate(const Space&, const Mesh<Dim, Space::memory_space>&, std::int64_t,         \
                                            AgglomerationMethod);                                                      \
  template Agglomeration<Space> agglomerate_parts(const Space&, const Mesh<Dim, Space::memory_space>&,                 \
                                                  const DualGraph<Dim, Space::memory_space>&,                          \
                                                  const Array<const index_t*, Space>&, index_t);                       \
  template std::int64_t elements_of_mean_size(const Space&, const Mesh<Dim, Space::memory_space>&, double);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_DIM(Space, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::mesh
