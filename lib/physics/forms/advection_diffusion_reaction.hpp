// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FORMS_ADVECTION_DIFFUSION_REACTION_HPP
#define TESSERA_PHYSICS_FORMS_ADVECTION_DIFFUSION_REACTION_HPP

/// \file
/// Data of -div(A grad u) + b . grad u + c u = f with a symmetric, positive semidefinite tensor A (Dong, Georgoulis,
/// Kappas, GPU-accelerated discontinuous Galerkin methods on polytopic meshes, equations 2.1 and 2.2), and their values
/// in kernels.

#include "core/types.hpp"
#include "physics/expressions/expression_program.hpp"
#include "physics/forms/joint.hpp"

#include <string>
#include <vector>

namespace tessera::physics {

/// Coefficients of one region as expressions of x, y, z and t.
struct AdvectionRegion {
  /// Empty (zero), one entry (scalar), Dim entries (diagonal) or Dim (Dim + 1) / 2 entries: the upper triangle of A,
  /// row by row.
  std::vector<Expression> diffusion;
  std::vector<Expression> advection; ///< Dim entries of b; empty: zero
  Expression reaction;               ///< c
  Expression source;                 ///< f
  std::string where;                 ///< place in the input, for messages; may be empty
  Expression initial{};              ///< u at the initial time
};

enum class AdvectionCondition {
  natural,   ///< n . A grad u = 0; the default for groups without data
  dirichlet, ///< u = value where n . A n > 0 or b . n < 0
  neumann    ///< n . A grad u = value where n . A n > 0
};

/// Condition on a boundary group.
struct AdvectionBoundary {
  group_t group = 0;
  std::string name; ///< for messages
  AdvectionCondition condition = AdvectionCondition::natural;
  Expression value;
  std::string where; ///< place in the input, for messages; may be empty
};

struct AdvectionDiffusionReaction {
  std::vector<AdvectionRegion> regions; ///< in the order of the mesh's regions
  std::vector<AdvectionBoundary> boundaries;
  std::vector<Joint> joints;

  /// True if the form is symmetric: no advection.
  bool is_symmetric() const;
  /// True if A, b or c depend on time.
  bool has_transient_operator() const;
};

/// Parts of the boundary (section 2.1 of the paper).
enum class BoundaryPart { dirichlet, neumann, inflow, outflow };

/// Part of the boundary to which a point belongs, given n . A n, the trace of A, and b . n with the unit normal n. n .
/// A n counts as zero if it is within rounding relative to the trace: on a facet without normal diffusion the computed
/// normal is never exact.
KOKKOS_INLINE_FUNCTION BoundaryPart boundary_part(AdvectionCondition condition, double normal_diffusion, double trace,
                                                  double normal_advection) {
  if (normal_diffusion > 1e-13 * trace)
    return condition == AdvectionCondition::dirichlet ? BoundaryPart::dirichlet : BoundaryPart::neumann;
  return normal_advection < 0. ? BoundaryPart::inflow : BoundaryPart::outflow;
}

/// Condition of a boundary group, and the program of its value (-1: zero).
struct BoundProgram {
  AdvectionCondition condition;
  int program;
  bool is_transient; ///< the value depends on t
};

/// Coefficients in a memory space, for kernels: numbers are read, expressions evaluated. Points are (x, t).
template <int Dim, class MemorySpace> struct AdvectionCoefficients {
  using memory_space = MemorySpace;
  /// Coefficients of a region: the upper triangle of A row by row, b, c, f, followed by u at the initial time.
  static constexpr int n_diffusion = Dim * (Dim + 1) / 2;
  static constexpr int advection_slot = n_diffusion;
  static constexpr int reaction_slot = advection_slot + Dim;
  static constexpr int source_slot = reaction_slot + 1;
  static constexpr int n_slots = source_slot + 1;
  static constexpr int initial_slot = n_slots;
  static constexpr int n_stored = n_slots + 1;

  Array<const char*, MemorySpace> memory;             ///< owner of the four arrays
  Array<const double*, MemorySpace> constants;        ///< [n_regions * n_stored]
  Array<const int*, MemorySpace> programs;            ///< [n_regions * n_stored]; -1: a constant
  Array<const int*, MemorySpace> transient;           ///< [n_regions * n_stored]; 1: depends on t
  Array<const BoundProgram*, MemorySpace> conditions; ///< [n_groups + 1], the last entry is for facets without a group
  ExpressionProgram<MemorySpace> program;
  bool has_advection = true; ///< false: b is zero everywhere
  bool is_transient = false; ///< A, b or c of a region depends on t

  KOKKOS_FUNCTION double value(group_t region, int slot, const double (&x)[Dim + 1]) const {
    const int p = programs(region * n_stored + slot);
    return p < 0 ? constants(region * n_stored + slot) : run(p, x);
  }
  /// Computes, for a coefficient that is an expression, the values at x that at_time() needs at any time.
  KOKKOS_FUNCTION void keep(group_t region, int slot, const double (&x)[Dim + 1], double* kept) const {
    program.keep(programs(region * n_stored + slot), x[0], x[1], Dim == 3 ? x[2] : 0., kept);
  }
  KOKKOS_FUNCTION double at_time(group_t region, int slot, const double (&x)[Dim + 1], const double* kept) const {
    return program.at_time(programs(region * n_stored + slot), x[0], x[1], Dim == 3 ? x[2] : 0., x[Dim], kept);
  }
  KOKKOS_FUNCTION void diffusion(group_t region, const double (&x)[Dim + 1], double (&A)[n_diffusion]) const {
    for (int k = 0; k < n_diffusion; ++k)
      A[k] = value(region, k, x);
  }
  /// Whether A is constant in a region.
  KOKKOS_FUNCTION bool has_constant_diffusion(group_t region) const {
    bool found = true;
    for (int k = 0; k < n_diffusion; ++k)
      found = found && programs(region * n_stored + k) < 0;
    return found;
  }
  KOKKOS_FUNCTION void advection(group_t region, const double (&x)[Dim + 1], double (&b)[Dim]) const {
    for (int d = 0; d < Dim; ++d)
      b[d] = has_advection ? value(region, advection_slot + d, x) : 0.;
  }
  KOKKOS_FUNCTION bool is_transient_at(group_t region, int slot) const { return transient(region * n_stored + slot); }
  /// True if A or b, which are needed at faces, depend on time in a region.
  KOKKOS_FUNCTION bool has_transient_faces(group_t region) const {
    bool found = false;
    for (int slot = 0; is_transient && slot < reaction_slot; ++slot)
      found = found || is_transient_at(region, slot);
    return found;
  }
  /// True if g_D or g_N of a boundary group depends on time.
  KOKKOS_FUNCTION bool has_transient_value(group_t group) const { return conditions(position(group)).is_transient; }
  /// Condition on a boundary group, or on faces without a group.
  KOKKOS_FUNCTION AdvectionCondition condition(group_t group) const { return conditions(position(group)).condition; }
  /// g_D or g_N.
  KOKKOS_FUNCTION double boundary_value(group_t group, const double (&x)[Dim + 1]) const {
    const int p = conditions(position(group)).program;
    return p < 0 ? 0. : run(p, x);
  }

  /// result = A v.
  KOKKOS_FUNCTION static void multiply(const double (&A)[n_diffusion], const double* v, double (&result)[Dim]) {
    if constexpr (Dim == 2) {
      result[0] = A[0] * v[0] + A[1] * v[1];
      result[1] = A[1] * v[0] + A[2] * v[1];
    } else {
      result[0] = A[0] * v[0] + A[1] * v[1] + A[2] * v[2];
      result[1] = A[1] * v[0] + A[3] * v[1] + A[4] * v[2];
      result[2] = A[2] * v[0] + A[4] * v[1] + A[5] * v[2];
    }
  }
  KOKKOS_FUNCTION static double trace(const double (&A)[n_diffusion]) {
    return Dim == 2 ? A[0] + A[2] : A[0] + A[3] + A[n_diffusion - 1];
  }

private:
  KOKKOS_FUNCTION int position(group_t group) const {
    const int n_groups = static_cast<int>(conditions.extent(0)) - 1;
    return group < n_groups ? group : n_groups;
  }
  KOKKOS_FUNCTION double run(int p, const double (&x)[Dim + 1]) const {
    return program(p, x[0], x[1], Dim == 3 ? x[2] : 0., x[Dim]);
  }
};

/// Copies the data to a memory space, for a mesh with as many regions, and boundary groups 0 .. n_groups - 1; complete
/// on return. Throws for tensors and vectors of the wrong size, a group that is not in the mesh or has two conditions,
/// and numbers that are not finite.
template <int Dim, class ExecutionSpace>
AdvectionCoefficients<Dim, typename ExecutionSpace::memory_space>
make_coefficients(const ExecutionSpace& exec, const AdvectionDiffusionReaction& problem, int n_groups);

/// Copy of coefficients on the host.
template <class ExecutionSpace, int Dim>
AdvectionCoefficients<Dim, HostMemory>
host_coefficients(const ExecutionSpace& exec,
                  const AdvectionCoefficients<Dim, typename ExecutionSpace::memory_space>& from);

} // namespace tessera::physics

#endif
