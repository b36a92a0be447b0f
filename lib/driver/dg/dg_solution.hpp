// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_DG_DG_SOLUTION_HPP
#define TESSERA_DRIVER_DG_DG_SOLUTION_HPP

#include "comm/communicator.hpp"
#include "fe/modal/modal_space.hpp"
#include "mesh/polytopes/polytopic_mesh.hpp"
#include "physics/fields/point_values.hpp"

#include <array>
#include <vector>

namespace tessera::driver {

/// A function of a discontinuous space, [n_dofs], with its mesh.
template <int Dim, class ExecutionSpace> struct DgSolution {
  using Space = typename ExecutionSpace::memory_space;
  mesh::PolytopicMesh<Dim, Space> mesh;
  fe::ModalSpace<Dim, Space> space;
  Array<const double*, ExecutionSpace> coefficients;
};

/// Value and gradient at points at the end of the slab, without flux and region; NaN outside the mesh. At common points
/// of elements the one with the smallest simplex is used. Collective if the processes of `world` have the solution on
/// some of the simplices each.
template <int Dim, class ExecutionSpace>
std::vector<physics::PointValue> values_at(const ExecutionSpace& exec, const DgSolution<Dim, ExecutionSpace>& solution,
                                           const std::vector<std::array<double, 3>>& points,
                                           const comm::Communicator& world = comm::alone());

/// A simplex whose edges are split into n equal parts: n^Dim smaller simplices with the same orientation (H. W. Kuhn,
/// Some combinatorial lemmas in topology, 1960). For n = 1 the points are its vertices.
template <int Dim> struct SubdividedSimplex {
  explicit SubdividedSimplex(int n);
  std::vector<std::array<double, Dim + 1>> points; ///< barycentric coordinates
  std::vector<std::array<int, Dim + 1>> cells;     ///< indices of their points
};

/// The points of every simplex after subdivision, not shared between simplices: values jump between elements.
template <int Dim, class ExecutionSpace> struct FieldPoints {
  Array<double* [Dim], ExecutionSpace> points; ///< [n_simplices * points per simplex]
  Array<index_t*, ExecutionSpace> elements;
};
template <int Dim, class ExecutionSpace>
FieldPoints<Dim, ExecutionSpace>
make_field_points(const ExecutionSpace& exec,
                  const mesh::PolytopicMesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                  const SubdividedSimplex<Dim>& subdivided);

} // namespace tessera::driver

#endif
