// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PLAN_MEMORY_ESTIMATE_HPP
#define TESSERA_DRIVER_PLAN_MEMORY_ESTIMATE_HPP

/// \file
/// Estimates the memory of a run from the counts of its mesh, before anything large is made.

#include "assembly/strategy.hpp"
#include "driver/plan/form_choice.hpp"
#include "graph/colouring/coloring_method.hpp"
#include "io/input/case.hpp"

#include <cstdint>
#include <string>

namespace tessera::driver {

/// Counts of a simplicial mesh. Edges and faces follow from Euler's formula for a body without holes; each hole changes
/// them by one. Throws errors of kind resource for counts beyond 64 bits.
struct MeshCounts {
  int dimension = 2;
  std::int64_t nodes = 0;
  std::int64_t elements = 0;
  std::int64_t facets = 0; ///< in boundary groups

  std::int64_t edges() const;
  /// Triangles of a tetrahedral mesh.
  std::int64_t faces() const;
  /// Counts after one uniform refinement.
  MeshCounts refined() const;
  /// Counts of one of `n_parts` parts of a mesh, with the elements around it and `n_layers` further layers: an upper
  /// bound. `has_whole_groups`: including all nodes of any boundary groups (mesh::WholeGroups).
  MeshCounts of_part(int n_parts, int n_layers, bool has_whole_groups) const;
  /// A box of cells of 2 triangles or 6 tetrahedra; `what` is used in errors, "case.yaml:3: mesh.box".
  static MeshCounts box(int dimension, const int* cells, const std::string& what = "mesh.box");
};

/// Parameters, other than the strategy, that determine the memory of a run.
struct MemoryRequest {
  MeshCounts mesh;     ///< as read or made
  int refine = 0;      ///< uniform refinements
  bool ordered = true; ///< along the Morton curve
  int order = 1;       ///< of the elements
  graph::ColoringMethod coloring = graph::ColoringMethod::node_claims;
  bool deterministic_coloring = false;
  io::Preconditioner preconditioner = io::Preconditioner::jacobi; ///< for continuous elements
  bool cycle_in_double = false;                                   ///< multigrid.precision
  bool works_by_element = false;                                  ///< method ebe-j-pcg
  bool has_joints = false;                                        ///< whose rows are merged into a second matrix
  bool hands_over_matrix = false;                                 ///< method petsc: a copy on the host
  bool solves_for_matrix = false; ///< capacitances or inductances, after the run's solution
  int columns = 1;                ///< right-hand sides solved together for the matrix, by strategies with a matrix
  int phasor_terms = 2;           ///< matrices of time-harmonic problems that are assembled
  bool has_guide = false;         ///< of their levels, with products of both matrices
  int phasor_columns = 0;         ///< right-hand sides of a frequency of time-harmonic problems; 0: not time-harmonic
  int processes = 1;              ///< that share assembly and solver; each has mesh, space and form
  bool is_part = false;           ///< `mesh` is that of a process's refined part, which has nothing of the whole mesh
  std::int64_t n_elements_of_all = 0; ///< number of elements of the whole mesh, with parts
  MeshCounts cut_from = {};           ///< for parts that are not made directly: the refined elements from which the
                                      ///< part is cut
  std::int64_t replicated_size = 0;   ///< maximum number of unknowns of replicated multigrid levels
  FormChoice form;
  bool writes_fields = false;
  bool writes_gradient = false; ///< gradients or fluxes are among the fields
  bool writes_sides = false;    ///< fields are written at the sides of nodes, recovered
  bool adapts = false;          ///< the error is estimated
  MeshCounts refined_from = {}; ///< adaptive refinement: the previous mesh, whose problem exists while this one is made
  /// Number of sides of the nodes of the mesh as read, in excess of one per node: at interfaces.
  std::int64_t n_more_sides = 0;

  MeshCounts final_mesh() const;
  std::int64_t n_space_nodes() const;
  /// Number of sides of the nodes of the space: those at interfaces double (3D: quadruple) with every refinement, and
  /// likewise with order 2.
  std::int64_t n_sides() const;
  /// Upper bound of the number of matrix entries (fixed nodes count as unknowns).
  std::int64_t n_matrix_entries() const;
};

/// Largest sum of the arrays of a process during the run with a strategy, bytes: an upper bound, at most 1.35 times
/// what the run needs if its mesh is not small, with multigrid on a matrix twice (a test compares it with the memory
/// ledger).
double estimate_memory(const MemoryRequest& request, assembly::Strategy strategy);

/// The part that no strategy avoids: refinement, ordering, numbering, coefficients, output.
double estimate_problem_memory(const MemoryRequest& request);

/// Making the mesh, and the copy of it that is written to a file.
double estimate_mesh_file_memory(const MemoryRequest& request);

/// Matrix (for strategies with one), right-hand side and two more vectors of the size of the solution: the size of a
/// copy on the host.
double estimate_system_memory(const MemoryRequest& request, assembly::Strategy strategy);

/// Whether the strategy's counts fit the offsets of this build (docs/running.md: "does not fit 32-bit offsets").
bool fits_offsets(const MemoryRequest& request, assembly::Strategy strategy);

} // namespace tessera::driver

#endif
