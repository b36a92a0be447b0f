// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/checks/overlaps.hpp"

#include "core/transfer/upload.hpp"
#include "mesh/point_tree.hpp"
#include "mesh/simplex.hpp"

#include <vector>

namespace tessera::mesh {

namespace {

/// Minimum barycentric coordinate of an inner point: far above the rounding errors of points on a facet, which at a
/// slit coincides with a side of a neighbour.
constexpr double depth = 1e-6;

/// Barycentric coordinates of the sample points on a facet: its centroid, and points towards the corners.
template <int Dim> constexpr int n_samples = Dim + 1;
template <int Dim> double sample_weight(int sample, int corner) {
  if (sample == Dim)
    return 1. / Dim;
  constexpr double far = Dim == 2 ? 0.85 : 0.75;
  return sample == corner ? far : (1. - far) / (Dim - 1);
}

template <int Dim, class Space> struct FindSamples {
  Array<const double* [Dim], Space> coordinates;
  Array<const index_t * [Dim + 1], Space> elements;
  PointTree<Dim, Space> tree;
  Array<const index_t*, Space> owner; // element of each sample's facet
  Array<index_t*, Space> found;       // the smallest sample inside each element, or -1
  Array<index_t*, Space> first;       // the smallest element that contains a sample

  KOKKOS_FUNCTION void operator()(index_t e) const {
    double p[Dim + 1][Dim];
    double low[Dim];
    double high[Dim];
    for (int k = 0; k <= Dim; ++k)
      for (int d = 0; d < Dim; ++d) {
        p[k][d] = coordinates(elements(e, k), d);
        low[d] = k == 0 || p[k][d] < low[d] ? p[k][d] : low[d];
        high[d] = k == 0 || p[k][d] > high[d] ? p[k][d] : high[d];
      }
    index_t smallest = -1;
    auto node = tree.begin();
    while (tree.next_leaf(node, low, high))
      for (index_t i = tree.first_point(node); i < tree.end_point(node); ++i) {
        const index_t sample = tree.numbers(i);
        if (owner(sample) != e && (smallest < 0 || sample < smallest) && is_inside(p, i))
          smallest = sample;
      }
    found(e) = smallest;
    if (smallest >= 0)
      Kokkos::atomic_fetch_min(&first(0), e);
  }

private:
  KOKKOS_FUNCTION bool is_inside(const double (&p)[Dim + 1][Dim], index_t i) const {
    const double least = depth * signed_measure(p);
    for (int corner = 0; corner <= Dim; ++corner) { // the point replaces the corner
      double q[Dim + 1][Dim];
      for (int k = 0; k <= Dim; ++k)
        for (int d = 0; d < Dim; ++d)
          q[k][d] = k == corner ? tree.points(i, d) : p[k][d];
      if (!(signed_measure(q) > least))
        return false;
    }
    return true;
  }
};

} // namespace

template <class ExecutionSpace, int Dim>
std::optional<Overlap<Dim>> find_overlap(const ExecutionSpace& exec,
                                         const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                                         const Surface<Dim>& surface) {
  using Space = typename ExecutionSpace::memory_space;
  std::vector<std::array<double, 3>> points;
  std::vector<index_t> owners;
  for (index_t f = 0; f < surface.n_facets(); ++f)
    for (int sample = 0; sample < n_samples<Dim> && surface.is_open(f) != 0; ++sample) {
      std::array<double, 3> point{};
      for (int k = 0; k < Dim; ++k)
        for (int d = 0; d < Dim; ++d)
          point[static_cast<std::size_t>(d)] += sample_weight<Dim>(sample, k) * surface.points(f, k * Dim + d);
      points.push_back(point);
      owners.push_back(surface.elements(f));
    }
  if (points.empty())
    return std::nullopt;
  checked_index(static_cast<std::int64_t>(points.size()), "points on the mesh's boundary");

  const auto tree = make_point_tree<ExecutionSpace, Dim>(exec, points);
  const auto owner = uploaded(exec, "mesh::sample_elements", owners);
  const auto found = make_array<Array<index_t*, Space>>(exec, "mesh::samples_inside", mesh.n_elements());
  const auto first = make_filled<Array<index_t*, Space>>(exec, "mesh::first_overlap", 1, mesh.n_elements());
  for_each("tessera::mesh::find_samples", exec, mesh.n_elements(),
           FindSamples<Dim, Space>{mesh.coordinates, mesh.elements, tree, owner, found, first});
  const index_t element = read_entry(exec, first, 0); // waits: the arrays may be freed
  if (element == mesh.n_elements())
    return std::nullopt;
  const index_t sample = read_entry(exec, found, element);
  Overlap<Dim> overlap;
  overlap.element = element;
  overlap.other = owners[static_cast<std::size_t>(sample)];
  for (int d = 0; d < Dim; ++d)
    overlap.place[static_cast<std::size_t>(d)] = points[static_cast<std::size_t>(sample)][static_cast<std::size_t>(d)];
  return overlap;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template std::optional<Overlap<2>> find_overlap(const Space&, const Mesh<2, Space::memory_space>&,                   \
                                                  const Surface<2>&);                                                  \
  template std::optional<Overlap<3>> find_overlap(const Space&, const Mesh<3, Space::memory_space>&, const Surface<3>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::mesh
