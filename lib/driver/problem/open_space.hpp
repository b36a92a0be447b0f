// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_OPEN_SPACE_HPP
#define TESSERA_DRIVER_PROBLEM_OPEN_SPACE_HPP

#include "driver/problem/problem_binding.hpp"

namespace tessera::driver {

/// Share of a radius by which nodes may miss the circle that the input tells, beside what the sides of a polygon miss.
constexpr double radius_tolerance = 0.01;

/// Robin condition for the far field of a multipole about a centre, on a boundary in a uniform medium: the solution
/// falls like 1/R^m with m = order in the plane and order + 1 in space, so that D du/dn = -D m/R u. Of magnetostatics
/// nu times the derivative is -nu order/R A in either case (docs/theory.md).
physics::Expression asymptotic_coefficient(const io::Boundary& boundary, const io::ProblemOptions& problem,
                                           int dimension);

/// Sets the coefficient of the ring, or ball with a hole, in which -div(D grad u) = 0 is that of all space outside of
/// the shell's inner radius, where the medium's coefficient is `medium`: a tensor with the shell's centre
/// (docs/theory.md).
void set_shell(const io::Shell& shell, const io::Scalar& medium, int dimension, io::Symmetry symmetry,
               physics::RegionData& region);

/// Holds shells and asymptotic boundaries against the mesh: the nodes of a shell's region must reach from its inner to
/// its outer radius, those of an asymptotic boundary lie on one circle or sphere about its centre, with the mesh
/// inside, and not for the reason alone that the centre is far away. Throws one error with all that do not. Adds notes
/// when the space outside of an asymptotic boundary has another medium than the regions next to it, and when currents
/// do not add up to zero in the plane, whose far field is then none of a multipole. Of a mesh of which each process of
/// `world` has some elements and their facets; collective then. Returns the asymptotic boundaries all around whose far
/// field has no net charge (Problem::multipole_ends).
template <class ExecutionSpace, int Dim>
std::vector<std::string> check_open_space(const ExecutionSpace& exec, const io::Case& input,
                                          const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                                          const comm::Communicator& world, const ProblemBinding& binding,
                                          std::vector<std::string>& notes);

} // namespace tessera::driver

#endif
