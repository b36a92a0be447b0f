// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/dg/dg_solution.hpp"

#include "core/kokkos_ext/spaces.hpp"
#include "core/transfer/upload.hpp"
#include "driver/problem/part_values.hpp"
#include "physics/fields/derived.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace tessera::driver {

namespace {

/// Element of each point, from the simplex that contains it; -1 outside.
template <class Space> struct ElementsOfPoints {
  Array<const index_t*, Space> element_of;
  Array<index_t*, Space> located; ///< simplices, then elements
  KOKKOS_FUNCTION void operator()(index_t i) const {
    located(i) = located(i) < static_cast<index_t>(element_of.extent(0)) ? element_of(located(i)) : -1;
  }
};

template <int Dim, class Space> struct SetFieldPoints {
  mesh::Mesh<Dim, Space> simplices;
  Array<const index_t*, Space> element_of;
  Array<const double*, Space> barycentric; ///< [points per simplex][Dim + 1]
  Array<double* [Dim], Space> points;
  Array<index_t*, Space> elements;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const auto n = static_cast<index_t>(barycentric.extent(0) / (Dim + 1));
    const index_t s = i / n;
    elements(i) = element_of(s);
    for (int d = 0; d < Dim; ++d) {
      double x = 0.;
      for (int k = 0; k <= Dim; ++k)
        x += barycentric((i % n) * (Dim + 1) + k) * simplices.coordinates(simplices.elements(s, k), d);
      points(i, d) = x;
    }
  }
};

} // namespace

template <int Dim, class ExecutionSpace>
std::vector<physics::PointValue> values_at(const ExecutionSpace& exec, const DgSolution<Dim, ExecutionSpace>& solution,
                                           const std::vector<std::array<double, 3>>& points,
                                           const comm::Communicator& world) {
  using Space = typename ExecutionSpace::memory_space;
  const auto& mesh = solution.mesh;
  const physics::LagrangeElements<Dim, 1, Space> simplices{mesh.simplices.elements, mesh.simplices.coordinates, {}};
  const auto located = physics::detail::locate_points(exec, simplices, points);
  for_each("tessera::driver::elements_of_points", exec, static_cast<index_t>(points.size()),
           ElementsOfPoints<Space>{mesh.element_of, located});
  std::vector<double> flat;
  for (const std::array<double, 3>& point : points)
    flat.insert(flat.end(), point.begin(), point.begin() + Dim);
  const auto positions = make_array<Array<double* [Dim], ExecutionSpace>>(exec, "driver::probe_points", points.size());
  upload(exec, positions, flat);
  const auto rows = tessera::to_host(
      exec, fe::values_at<Dim>(exec, solution.space, solution.coefficients, positions, located, solution.space.to));
  std::vector<physics::PointValue> result(points.size());
  std::vector<bool> is_inside(points.size());
  const auto elements = tessera::to_host(exec, located);
  for (std::size_t i = 0; i < points.size(); ++i) {
    result[i].value = rows(i, 0);
    for (int d = 0; d < Dim; ++d)
      result[i].field[static_cast<std::size_t>(d)] = rows(i, 1 + d);
    is_inside[i] = elements(i) >= 0;
    result[i].region = 0; // marks the point as found
  }
  result = of_all_parts(world, std::move(result), is_inside);
  for (physics::PointValue& value : result)
    value.region = -1;
  return result;
}

// The points are the lattice points n >= y_1 >= ... >= y_Dim >= 0. Each cube of the lattice is split into the simplices
// along its paths from the lowest to the highest corner, one step in each direction; those inside the large simplex are
// used.
template <int Dim> SubdividedSimplex<Dim>::SubdividedSimplex(int n) {
  using Lattice = std::array<int, Dim>;
  std::map<Lattice, int> numbers;
  const auto is_inside = [n](const Lattice& y) {
    return y[0] <= n && y[Dim - 1] >= 0 && std::is_sorted(y.rbegin(), y.rend());
  };
  const auto for_each_lattice_point = [&](const auto& work) {
    Lattice y{};
    while (y[0] <= n) {
      if (is_inside(y))
        work(y);
      int d = Dim - 1;
      while (d > 0 && y[d] == n)
        y[d--] = 0;
      ++y[d];
    }
  };
  for_each_lattice_point([&](const Lattice& y) {
    numbers.emplace(y, static_cast<int>(points.size()));
    std::array<double, Dim + 1> barycentric{};
    for (int k = 0; k <= Dim; ++k)
      barycentric[k] = static_cast<double>((k == 0 ? n : y[k - 1]) - (k == Dim ? 0 : y[k])) / n;
    points.push_back(barycentric);
  });
  for_each_lattice_point([&](const Lattice& corner) {
    std::array<int, Dim> path;
    std::iota(path.begin(), path.end(), 0);
    do {
      std::array<int, Dim + 1> cell{numbers.at(corner)};
      Lattice y = corner;
      bool inside = true;
      int n_inversions = 0;
      for (int k = 0; k < Dim && inside; ++k) {
        ++y[path[k]];
        inside = is_inside(y);
        cell[k + 1] = inside ? numbers.at(y) : 0;
        for (int l = 0; l < k; ++l)
          n_inversions += path[l] > path[k] ? 1 : 0;
      }
      if (n_inversions % 2 == 1)
        std::swap(cell[Dim - 1], cell[Dim]);
      if (inside)
        cells.push_back(cell);
    } while (std::next_permutation(path.begin(), path.end()));
  });
}

template <int Dim, class ExecutionSpace>
FieldPoints<Dim, ExecutionSpace>
make_field_points(const ExecutionSpace& exec,
                  const mesh::PolytopicMesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                  const SubdividedSimplex<Dim>& subdivided) {
  using Space = typename ExecutionSpace::memory_space;
  const auto& simplices = mesh.simplices;
  const auto n_simplices = static_cast<std::int64_t>(simplices.n_elements());
  checked_index(n_simplices * static_cast<std::int64_t>(subdivided.cells.size()), "output.subdivisions: cells");
  const index_t n = checked_index(n_simplices * static_cast<std::int64_t>(subdivided.points.size()),
                                  "output.subdivisions: points of the fields");
  std::vector<double> barycentric;
  for (const auto& point : subdivided.points)
    barycentric.insert(barycentric.end(), point.begin(), point.end());
  FieldPoints<Dim, ExecutionSpace> result;
  result.points = make_array<Array<double* [Dim], ExecutionSpace>>(exec, "driver::field_points", n);
  result.elements = make_array<Array<index_t*, ExecutionSpace>>(exec, "driver::field_point_elements", n);
  const auto table = uploaded(exec, "driver::barycentric_points", barycentric);
  for_each("tessera::driver::place_field_points", exec, n,
           SetFieldPoints<Dim, Space>{simplices, mesh.element_of, table, result.points, result.elements});
  exec.fence(); // the table may be freed
  return result;
}

#define TESSERA_INSTANTIATE_DIM(SPACE, DIM)                                                                            \
  template std::vector<physics::PointValue> values_at<DIM, SPACE>(const SPACE&, const DgSolution<DIM, SPACE>&,         \
                                                                  const std::vector<std::array<double, 3>>&,           \
                                                                  const comm::Communicator&);                          \
  template FieldPoints<DIM, SPACE> make_field_points<DIM, SPACE>(                                                      \
      const SPACE&, const mesh::PolytopicMesh<DIM, SPACE::memory_space>&, const SubdividedSimplex<DIM>&);
#define TESSERA_INSTANTIATE(SPACE) TESSERA_INSTANTIATE_DIM(SPACE, 2) TESSERA_INSTANTIATE_DIM(SPACE, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
template struct SubdividedSimplex<2>;
template struct SubdividedSimplex<3>;

} // namespace tessera::driver
