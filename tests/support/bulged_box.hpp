// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_SUPPORT_BULGED_BOX_HPP
#define TESSERA_TESTS_SUPPORT_BULGED_BOX_HPP

/// \file
/// A box with one curved side, whose shape elements of order 2 represent exactly.

#include "support/random_mesh.hpp"

namespace tessera::test {

/// x coordinate of the curved side, as a function of the other coordinates.
template <int Dim> double bulged_side(double bulge, const double* x) {
  double sum = 1.;
  for (int d = 1; d < Dim; ++d)
    sum += bulge * x[d] * (1. - x[d]);
  return sum;
}

/// Measure of the box.
template <int Dim> double bulged_measure(double bulge) { return 1. + (Dim - 1) * bulge / 6.; }

/// The unit box `box` stretched along x to 0 < x < bulged_side(), with the shape of that side as patches of degree 3.
template <int Dim, class ExecutionSpace>
mesh::Mesh<Dim, typename ExecutionSpace::memory_space>
bulged(const ExecutionSpace& exec, mesh::Mesh<Dim, typename ExecutionSpace::memory_space> box, double bulge) {
  using Space = typename ExecutionSpace::memory_space;
  constexpr int degree = 3;
  constexpr group_t curved_side = 1;
  const auto x = to_host(exec, box.coordinates);
  for (index_t n = 0; n < box.n_nodes(); ++n)
    x(n, 0) *= bulged_side<Dim>(bulge, &x(n, 0));
  Kokkos::deep_copy(exec, box.coordinates, x);
  const auto facets = to_host(exec, box.facets);
  const auto groups = to_host(exec, box.facet_groups);
  std::vector<index_t> nodes, patch;
  std::vector<double> points, position;
  for (index_t f = 0; f < box.n_facets(); ++f) {
    if (groups(f) != curved_side)
      continue;
    for (int j = 0; j <= (Dim == 3 ? degree : 0); ++j)
      for (int i = 0; i <= degree - j; ++i) {
        double at[3] = {0., 0., 0.};
        const double lambda[3] = {double(degree - i - j) / degree, double(i) / degree, double(j) / degree};
        for (int k = 0; k < Dim; ++k)
          for (int d = 1; d < Dim; ++d)
            at[d] += lambda[k] * x(facets(f, k), d);
        at[0] = bulged_side<Dim>(bulge, at);
        points.insert(points.end(), at, at + Dim);
      }
    patch.push_back(static_cast<index_t>(patch.size()));
    for (int k = 0; k < Dim; ++k) {
      nodes.push_back(facets(f, k));
      for (int i = 0; i < Dim; ++i)
        position.push_back(i == k ? 1. : 0.);
    }
  }
  const auto reshaped = [&](auto target, const auto& values) {
    Kokkos::deep_copy(exec,
                      Array<typename std::decay_t<decltype(values)>::value_type*, Space>(target.data(), values.size()),
                      array_of(exec, values));
  };
  auto& curved = box.curved;
  curved.degree = degree;
  curved.points = array_of(exec, points);
  curved.patch = array_of(exec, patch);
  curved.nodes = make_array<decltype(curved.nodes)>(exec, "test::curved_nodes", patch.size());
  curved.position = make_array<decltype(curved.position)>(exec, "test::curved_position", patch.size());
  reshaped(curved.nodes, nodes);
  reshaped(curved.position, position);
  exec.fence();
  return box;
}

template <int Dim, class ExecutionSpace>
mesh::Mesh<Dim, typename ExecutionSpace::memory_space>
bulged_box(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells, unsigned seed, double bulge) {
  return bulged<Dim>(exec, random_box<Dim>(exec, cells, seed), bulge);
}

} // namespace tessera::test

#endif
