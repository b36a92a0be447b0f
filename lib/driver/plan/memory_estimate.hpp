// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PLAN_MEMORY_ESTIMATE_HPP
#define TESSERA_DRIVER_PLAN_MEMORY_ESTIMATE_HPP

/// \file
/// Memory of a run, estimated from the counts of its mesh before anything large is made.

#include "assembly/strategy.hpp"
#include "driver/plan/form_choice.hpp"
#include "graph/coloring_method.hpp"
#include "io/case.hpp"

#include <cstdint>
#include <string>

namespace tessera::driver {

/// Counts of a simplicial mesh. Edges and faces follow by Euler's formula for a body without holes; a hole more or less
/// changes them by one. Counts beyond 64 bits are errors of kind resource.
struct MeshCounts {
  int dimension = 2;
  std::int64_t nodes = 0;
  std::int64_t elements = 0;
  std::int64_t facets = 0; ///< of the boundary groups

  std::int64_t edges() const;
  /// Triangles of a tetrahedral mesh.
  std::int64_t faces() const;
  /// After one uniform refinement.
  MeshCounts refined() const;
  /// Counts of one of so many parts of a mesh, with the elements around it and so many layers more: an upper
  /// bound. `has_whole_groups`: and with all nodes of boundary groups (mesh::WholeGroups), whichever.
  MeshCounts of_part(int n_parts, int n_layers, bool has_whole_groups) const;
  /// A box of cells of 2 triangles or 6 tetrahedra; `what` is for errors, "case.yaml:3: mesh.box".
  static MeshCounts box(int dimension, const int* cells, const std::string& what = "mesh.box");
};

/// What the memory of a run depends on, beside its strategy.
struct MemoryRequest {
  MeshCounts mesh;     ///< as it is read or made
  int refine = 0;      ///< uniform refinements
  bool ordered = true; ///< along the Morton curve
  int order = 1;       ///< of the elements
  bool on_host = true; ///< the execution space works in the host's memory
  graph::ColoringMethod coloring = graph::ColoringMethod::node_claims;
  bool deterministic_coloring = false;
  io::Preconditioner preconditioner = io::Preconditioner::jacobi; ///< one of continuous elements
  bool cycle_in_double = false;                                   ///< multigrid.precision
  bool works_by_element = false;                                  ///< method ebe-j-pcg
  bool hands_over_matrix = false;                                 ///< method petsc: a copy on the host
  bool solves = true;                                             ///< otherwise the system is only assembled
  bool solves_for_matrix = false; ///< of capacitances or inductances, after the run's own solution
  int columns = 1;                ///< right-hand sides that are solved together for it, by strategies with a matrix
  int processes = 1;              ///< that share assembly and solver; each has mesh, space and form
  bool is_part = false; ///< `mesh` is that of a process's part, refined, beside which it has nothing of the whole
  std::int64_t n_elements_of_all = 0; ///< with parts of a mesh
  MeshCounts cut_from = {};           ///< of parts that are not made alone: the refined elements that it is cut from
  std::int64_t replicated_size = 0;   ///< unknowns of levels of multigrid that each of several processes has whole
  FormChoice form;
  bool writes_fields = false;
  bool writes_gradient = false; ///< gradients or fluxes are among the fields
  bool writes_sides = false;    ///< at the sides of nodes, with recovered fields
  /// Sides of the nodes of the mesh as it is read, beyond one for each: at interfaces.
  std::int64_t n_more_sides = 0;

  MeshCounts final_mesh() const;
  std::int64_t n_space_nodes() const;
  /// Sides of the nodes of the space: those at interfaces double (3D: are four times as many) with every refinement,
  /// and so with order 2.
  std::int64_t n_sides() const;
  /// Entries of the matrix, an upper bound (fixed nodes count as unknowns).
  std::int64_t n_matrix_entries() const;
};

/// Largest sum of arrays of a process during the run by a strategy, bytes: an upper bound that leaves out what is
/// small. Formulas in docs/design.md, beside the strategies; held against the memory ledger by a test.
double estimate_memory(const MemoryRequest& request, assembly::Strategy strategy);

/// The part of it that no strategy avoids: refinement, ordering, numbering, coefficients, output.
double estimate_problem_memory(const MemoryRequest& request);

/// Peak of making the mesh alone: refinement and ordering.
double estimate_mesh_memory(const MemoryRequest& request);

/// The same with the copy of the mesh that is written to a file.
double estimate_mesh_file_memory(const MemoryRequest& request);

/// Matrix (of strategies with one), right-hand side and two more vectors of the size of the solution, as hosts hold a
/// copy of them.
double estimate_system_memory(const MemoryRequest& request, assembly::Strategy strategy);

/// Whether the strategy's counts fit the offsets of this build (docs/guide: "does not fit 32-bit offsets").
bool fits_offsets(const MemoryRequest& request, assembly::Strategy strategy);

} // namespace tessera::driver

#endif
