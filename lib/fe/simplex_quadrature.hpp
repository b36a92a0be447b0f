// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_FE_SIMPLEX_QUADRATURE_HPP
#define TESSERA_FE_SIMPLEX_QUADRATURE_HPP

/// \file
/// Quadrature on segments, triangles and tetrahedra of a degree chosen at run time: interior points in barycentric
/// coordinates, positive weights with sum 1. Uses the symmetric rules of fe/quadrature.hpp if they reach the degree,
/// otherwise products of Gauss-Jacobi rules on the collapsed square or cube (A. H. Stroud, Approximate Calculation of
/// Multiple Integrals, 1971, section 2.4).

#include "core/types.hpp"

#include <vector>

namespace tessera::fe {

/// Points and weights of the Gauss rule of n points on [0, 1] for the weight (1 - x)^alpha; the weights add up to 1.
struct GaussRule {
  std::vector<double> points;
  std::vector<double> weights;
};
GaussRule make_gauss_rule(int n_points, int alpha);

struct SimplexRule {
  int n_vertices = 0;          ///< number of barycentric coordinates of a point
  std::vector<double> points;  ///< [n_points][n_vertices]
  std::vector<double> weights; ///< [n_points]
  int n_points() const { return static_cast<int>(weights.size()); }
};

/// Makes a rule that is exact for polynomials of total degree up to `degree` on a simplex of dimension 1, 2 or 3.
SimplexRule make_simplex_rule(int dimension, int degree);

/// Several rules on simplices with `NVertices` vertices, in a memory space. Rule r has the points [offsets(r),
/// offsets(r + 1)).
template <int NVertices, class MemorySpace> struct SimplexRules {
  Array<const char*, MemorySpace> memory; ///< owner of the arrays
  Array<const double* [NVertices], MemorySpace> points;
  Array<const double*, MemorySpace> weights;
  Array<const int*, MemorySpace> offsets; ///< [n_rules + 1]
  int largest = 0;                        ///< largest number of points of a rule
};

/// Makes the rules of the given degrees.
template <int NVertices, class ExecutionSpace>
SimplexRules<NVertices, typename ExecutionSpace::memory_space> make_simplex_rules(const ExecutionSpace& exec,
                                                                                  const std::vector<int>& degrees);

/// Copy of rules on the host.
template <class ExecutionSpace, int NVertices>
SimplexRules<NVertices, HostMemory>
to_host(const ExecutionSpace& exec, const SimplexRules<NVertices, typename ExecutionSpace::memory_space>& rules);

} // namespace tessera::fe

#endif
