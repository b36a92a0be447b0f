// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_BINDING_OPEN_SPACE_HPP
#define TESSERA_DRIVER_PROBLEM_BINDING_OPEN_SPACE_HPP

#include "driver/problem/binding/problem_binding.hpp"

namespace tessera::driver {

/// Fraction of a radius by which nodes may deviate from the circle given in the input, in addition to the sagitta of
/// polygon sides.
constexpr double radius_tolerance = 0.01;

/// Coefficient of the Robin condition for the far field of a multipole about a centre, on a boundary in a uniform
/// medium: the solution decays like 1/R^m with m = order in 2D and order + 1 in 3D, so that D du/dn = -D m/R u. In
/// magnetostatics nu times the derivative is -nu order/R A in either case (docs/theory.md).
physics::Expression asymptotic_coefficient(const io::Boundary& boundary, const io::ProblemOptions& problem,
                                           int dimension);

/// Sets the coefficient of a ring, or ball with a hole, in which -div(D grad u) = 0 represents the space outside the
/// shell's inner radius, where the medium's coefficient is `medium`: a tensor about the shell's centre
/// (docs/theory.md).
void set_shell(const io::Shell& shell, const io::Scalar& medium, int dimension, io::Symmetry symmetry,
               physics::RegionData& region);

/// Checks shells and asymptotic boundaries against the mesh: the nodes of a shell's region must extend from its inner
/// to its outer radius, those of an asymptotic boundary must be on one circle or sphere about its centre, with the mesh
/// inside, and not only because the centre is far away. Throws one error with all violations. Adds notes if the space
/// outside an asymptotic boundary has another medium than the adjacent regions, and if currents do not add up to zero
/// in 2D, whose far field is then not that of a multipole. On a mesh of which each process of `world` has some elements
/// and their facets, collective. Returns the closed asymptotic boundaries whose far field has no net charge
/// (Problem::multipole_ends).
template <class ExecutionSpace, int Dim>
std::vector<std::string> check_open_space(const ExecutionSpace& exec, const io::Case& input,
                                          const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                                          const comm::Communicator& world, const ProblemBinding& binding,
                                          std::vector<std::string>& notes);

} // namespace tessera::driver

#endif
