// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_DG_DG_SOLUTION_HPP
#define TESSERA_DRIVER_DG_DG_SOLUTION_HPP

#include "fe/modal_space.hpp"
#include "mesh/polytopic_mesh.hpp"

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

/// Value and `scale` times the gradient at points, a row each, at the end of the slab; NaN outside of the mesh. At
/// common points of elements that of the one with the smallest simplex.
template <int Dim, class ExecutionSpace>
std::vector<std::array<double, 4>> values_at(const ExecutionSpace& exec,
                                             const DgSolution<Dim, ExecutionSpace>& solution,
                                             const std::vector<std::array<double, 3>>& points, double scale);

/// The vertices of every simplex, each with its own: values jump between elements.
template <int Dim, class ExecutionSpace> struct Corners {
  Array<double* [Dim], ExecutionSpace> points; ///< [n_simplices * (Dim + 1)]
  Array<index_t*, ExecutionSpace> elements;
};
template <int Dim, class ExecutionSpace>
Corners<Dim, ExecutionSpace> make_corners(const ExecutionSpace& exec,
                                          const mesh::PolytopicMesh<Dim, typename ExecutionSpace::memory_space>& mesh);

} // namespace tessera::driver

#endif
