// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/dg/dg_solution.hpp"

#include "core/kokkos_ext/spaces.hpp"
#include "core/upload.hpp"
#include "physics/derived.hpp"

namespace tessera::driver {

namespace {

/// Element of each point from the simplex it lies in; -1 outside.
template <class Space> struct ElementsOfPoints {
  Array<const index_t*, Space> element_of;
  Array<index_t*, Space> places; ///< simplices, then elements
  KOKKOS_FUNCTION void operator()(index_t i) const {
    places(i) = places(i) < static_cast<index_t>(element_of.extent(0)) ? element_of(places(i)) : -1;
  }
};

template <int Dim, class Space> struct CopyCorners {
  mesh::Mesh<Dim, Space> simplices;
  Array<const index_t*, Space> element_of;
  Array<double* [Dim], Space> points;
  Array<index_t*, Space> elements;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    for (int k = 0; k <= Dim; ++k) {
      const index_t i = e * (Dim + 1) + k;
      elements(i) = element_of(e);
      for (int d = 0; d < Dim; ++d)
        points(i, d) = simplices.coordinates(simplices.elements(e, k), d);
    }
  }
};

} // namespace

template <int Dim, class ExecutionSpace>
std::vector<std::array<double, 4>> values_at(const ExecutionSpace& exec,
                                             const DgSolution<Dim, ExecutionSpace>& solution,
                                             const std::vector<std::array<double, 3>>& points, double scale) {
  using Space = typename ExecutionSpace::memory_space;
  const auto& mesh = solution.mesh;
  const physics::LagrangeElements<Dim, 1, Space> simplices{mesh.simplices.elements, mesh.simplices.coordinates};
  const auto places = physics::detail::locate_points(exec, simplices, points);
  for_each("tessera::driver::elements_of_points", exec, static_cast<index_t>(points.size()),
           ElementsOfPoints<Space>{mesh.element_of, places});
  std::vector<double> flat;
  for (const std::array<double, 3>& point : points)
    flat.insert(flat.end(), point.begin(), point.begin() + Dim);
  const auto positions = make_array<Array<double* [Dim], ExecutionSpace>>(exec, "driver::probe_points", points.size());
  upload(exec, positions, flat);
  const auto rows = tessera::to_host(
      exec, fe::values_at<Dim>(exec, solution.space, solution.coefficients, positions, places, solution.space.to));
  std::vector<std::array<double, 4>> result(points.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    for (int k = 0; k <= Dim; ++k)
      result[i][k] = (k == 0 ? 1. : scale) * rows(i, k);
  return result;
}

template <int Dim, class ExecutionSpace>
Corners<Dim, ExecutionSpace> make_corners(const ExecutionSpace& exec,
                                          const mesh::PolytopicMesh<Dim, typename ExecutionSpace::memory_space>& mesh) {
  using Space = typename ExecutionSpace::memory_space;
  const auto& simplices = mesh.simplices;
  const index_t n =
      checked_index(static_cast<std::int64_t>(simplices.n_elements()) * (Dim + 1), "points of the fields");
  Corners<Dim, ExecutionSpace> corners;
  corners.points = make_array<Array<double* [Dim], ExecutionSpace>>(exec, "driver::corners", n);
  corners.elements = make_array<Array<index_t*, ExecutionSpace>>(exec, "driver::corner_elements", n);
  for_each("tessera::driver::copy_corners", exec, simplices.n_elements(),
           CopyCorners<Dim, Space>{simplices, mesh.element_of, corners.points, corners.elements});
  return corners;
}

#define TESSERA_INSTANTIATE_DIM(SPACE, DIM)                                                                            \
  template std::vector<std::array<double, 4>> values_at<DIM, SPACE>(                                                   \
      const SPACE&, const DgSolution<DIM, SPACE>&, const std::vector<std::array<double, 3>>&, double);                 \
  template Corners<DIM, SPACE> make_corners<DIM, SPACE>(const SPACE&,                                                  \
                                                        const mesh::PolytopicMesh<DIM, SPACE::memory_space>&);
#define TESSERA_INSTANTIATE(SPACE) TESSERA_INSTANTIATE_DIM(SPACE, 2) TESSERA_INSTANTIATE_DIM(SPACE, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
