// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/plan/memory_estimate.hpp"

#include "core/checked_count.hpp"
#include "fe/quadrature.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::driver {

namespace {

using assembly::Strategy;

constexpr double offset = sizeof(offset_t);

/// Counts as floating-point numbers.
struct Sizes {
  double d; // dimension
  double V; // vertices
  double T; // elements
  double F; // boundary facets
  double N; // nodes per element
  double n; // nodes of the space
  double Z; // matrix entries

  explicit Sizes(const MemoryRequest& request) {
    const MeshCounts mesh = request.final_mesh();
    d = mesh.dimension;
    V = static_cast<double>(mesh.nodes);
    T = static_cast<double>(mesh.elements);
    F = static_cast<double>(mesh.facets);
    N = request.order == 1 ? d + 1. : (mesh.dimension == 2 ? 6. : 10.);
    n = static_cast<double>(request.n_space_nodes());
    Z = static_cast<double>(request.n_matrix_entries());
  }
  assembly::AssemblySizes of_assembly() const { return {T, N, n, Z}; }
};

double mesh_bytes(const MeshCounts& mesh) {
  const double d = mesh.dimension;
  return 8. * d * static_cast<double>(mesh.nodes) + (4. * (d + 1.) + 2.) * static_cast<double>(mesh.elements) +
         (4. * d + 2.) * static_cast<double>(mesh.facets);
}

bool uses_multigrid(const MemoryRequest& request) { return request.preconditioner == io::Preconditioner::multigrid; }

/// Parents of the nodes of a mesh and of all coarser ones.
double parents_bytes(const MemoryRequest& request, const Sizes& s) { return uses_multigrid(request) ? 11. * s.V : 0.; }

/// Bytes of a colouring per element, while it is made.
double coloring_bytes(const MemoryRequest& request) {
  const bool plane = request.mesh.dimension == 2;
  if (request.coloring == graph::ColoringMethod::kokkos_kernels)
    return plane ? 84. : 320.;
  return request.deterministic_coloring ? (plane ? 56. : 72.) : (plane ? 26. : 34.);
}

/// Quadrature points of an element and of a facet.
struct Points {
  double volume;
  double facet;
};

template <int Dim, int Order> Points points_of() {
  return {static_cast<double>(fe::FormQuadrature<Dim, Order>::n_points),
          static_cast<double>(fe::FacetQuadrature<Dim>::n_points)};
}

Points points_of(const MemoryRequest& request) {
  if (request.mesh.dimension == 2)
    return request.order == 1 ? points_of<2, 1>() : points_of<2, 2>();
  return request.order == 1 ? points_of<3, 1>() : points_of<3, 2>();
}

/// Data of forms in addition to the mesh and tables by region: values at quadrature points, facets with natural
/// conditions and their values, an iterate; earlier values in steps of time, and the elements at each node.
double form_bytes(const MemoryRequest& request, const Sizes& s) {
  const FormChoice& form = request.form;
  const double by_point = (form.has_point_coefficients ? 8. * (form.has_tensors ? 0.5 * s.d * (s.d + 1.) : s.d) : 0.) +
                          (form.has_point_sources ? 8. : 0.) + (form.has_point_capacity ? 8. : 0.) +
                          (form.has_point_remanence ? 8. * s.d : 0.) + (form.has_temperature ? 8. * (s.d + 2.) : 0.);
  const double by_facet = form.has_natural ? 16. + (form.has_radiation ? 48. : 16.) * points_of(request).facet : 0.;
  return (points_of(request).volume * by_point + (form.has_natural ? 4. * (s.d + 1.) : 0.)) * s.T + by_facet * s.F +
         (form.has_iterate() ? 8. * s.n : 0.) + (form.has_storage ? 88. * s.n + offset * (s.N * s.T + s.n) : 0.);
}

/// Mesh with original numbers, nodes of the space, dof map, coefficients: memory held from the making of the form on.
double problem_bytes(const MemoryRequest& request, const Sizes& s) {
  const double nodes = request.order == 1 ? 0. : 4. * s.N * s.T + 8. * s.d * s.n + 4. * (s.d == 2. ? 3. : 6.) * s.F;
  // A part lacks the original numbers of its elements if they are too large.
  const bool has_elements = !request.is_part || request.n_elements_of_all <= std::numeric_limits<index_t>::max();
  const double originals = request.ordered ? 4. * s.V + (has_elements ? 4. * s.T : 0.) : 0.;
  return mesh_bytes(request.final_mesh()) + parents_bytes(request, s) + originals + nodes +
         (request.form.has_periodic ? 11. : 6.) * s.n + form_bytes(request, s);
}

/// Results on the space, and copies of hosts for the file. Of the sides of nodes: sides of the elements; index,
/// position, solution and two fields of each, and the incidence by which they are found. Gradients are by element, or
/// by node with the pairs of its mean.
double output_bytes(const MemoryRequest& request, const Sizes& s) {
  const auto sides = static_cast<double>(request.n_sides());
  if (request.writes_sides)
    return 16. * s.n + (4. + offset) * s.N * s.T + (4. + offset) * s.n + (12. + offset + 24. * s.d) * sides;
  const double gradient = std::max(16. * s.d * s.T, (offset + 1.) * s.N * s.T + (offset + 8. * s.d) * s.n);
  // The grid is freed before the fields are computed.
  return (28. + 8. * s.d) * s.n +
         std::max(4. * (s.N + 1.) * s.T, request.writes_gradient ? std::max(gradient, 16. * s.d * s.n) : 0.);
}

/// Adds head room for what the table and formulas omit: scratch of sums, tables by region, radix counts.
double with_head_room(double bytes) { return 1.01 * bytes + 65536.; }

} // namespace

std::int64_t MeshCounts::edges() const {
  const std::int64_t sum = checked_sum(nodes, elements, "edges of the mesh");
  return (dimension == 2 ? sum : checked_sum(sum, facets / 2, "edges of the mesh")) - 1;
}

std::int64_t MeshCounts::faces() const {
  return checked_sum(checked_product(2, elements, "faces of the mesh"), facets / 2, "faces of the mesh");
}

MeshCounts MeshCounts::refined() const {
  return {dimension, checked_sum(nodes, edges(), "mesh.refine: nodes"),
          checked_product(elements, dimension == 2 ? 4 : 8, "mesh.refine: elements"),
          checked_product(facets, dimension == 2 ? 2 : 4, "mesh.refine: facets")};
}

MeshCounts MeshCounts::box(int dimension, const int* cells, const std::string& what) {
  MeshCounts mesh{dimension, 1, dimension == 2 ? 2 : 6, 0};
  for (int d = 0; d < dimension; ++d) {
    mesh.nodes = checked_product(mesh.nodes, static_cast<std::int64_t>(cells[d]) + 1, what + ": nodes");
    mesh.elements = checked_product(mesh.elements, cells[d], what + ": elements");
  }
  const std::int64_t n_cells = mesh.elements / (dimension == 2 ? 2 : 6);
  for (int d = 0; d < dimension; ++d)
    mesh.facets = checked_sum(
        mesh.facets, checked_product(dimension == 2 ? 2 : 4, n_cells / cells[d], what + ": facets"), what + ": facets");
  return mesh;
}

MeshCounts MeshCounts::of_part(int n_parts, int n_layers, bool has_whole_groups) const {
  // Parts along the curve may have twice the surface of a cube with the same number of nodes, with one layer of
  // elements around them.
  const double owned = static_cast<double>(nodes) / n_parts;
  const double side = dimension == 2 ? std::sqrt(owned) : std::cbrt(owned);
  const double wide = side + 2. * n_layers;
  const double more = dimension == 2 ? wide * wide - owned : wide * wide * wide - owned; // nodes in these layers
  const double around = (dimension == 2 ? 8. * wide : 12. * wide * wide) + 2. * more;
  // A side with this many facets has one node for each, or for two in 3D; their elements reach as many further nodes.
  const double of_groups = has_whole_groups ? (dimension == 2 ? 2. : 1.) * static_cast<double>(facets) : 0.;
  const double share = std::min(1., (owned + around + of_groups) / static_cast<double>(nodes));
  const auto of = [&](std::int64_t n) { return static_cast<std::int64_t>(share * static_cast<double>(n)) + 1; };
  return {dimension, of(nodes), of(elements), has_whole_groups ? facets : std::min(facets, 2 * of(facets))};
}

MeshCounts MemoryRequest::final_mesh() const {
  MeshCounts fine = mesh;
  for (int level = 0; level < refine; ++level)
    fine = fine.refined();
  return fine;
}

std::int64_t MemoryRequest::n_space_nodes() const {
  const MeshCounts fine = final_mesh();
  return order == 1 ? fine.nodes : checked_sum(fine.nodes, fine.edges(), "nodes of order 2");
}

std::int64_t MemoryRequest::n_sides() const {
  const char* const what = "sides of nodes";
  std::int64_t more = n_more_sides;
  for (int level = order == 1 ? 1 : 0; level <= refine; ++level)
    more = checked_product(mesh.dimension == 2 ? 2 : 4, more, what);
  return checked_sum(n_space_nodes(), more, what);
}

// Each unordered pair of nodes that share an element gives two entries. Pairs by the smallest simplex that contains
// both: order 1: an edge one; order 2: an edge three, a triangle six more, a tetrahedron three more.
std::int64_t MemoryRequest::n_matrix_entries() const {
  const char* const what = "matrix entries";
  const MeshCounts fine = final_mesh();
  std::int64_t pairs = fine.edges();
  if (order == 2) {
    const std::int64_t by_element = checked_product(fine.dimension == 2 ? 6 : 3, fine.elements, what);
    const std::int64_t by_face = fine.dimension == 2 ? 0 : checked_product(6, fine.faces(), what);
    pairs = checked_sum(checked_product(3, pairs, what), checked_sum(by_element, by_face, what), what);
  }
  return checked_sum(n_space_nodes(), checked_product(2, pairs, what), what);
}

namespace {

/// Peak of making the mesh: of the last refinement, which has the coarser mesh with its edges, and of ordering, which
/// has the old and the new mesh and sorts keys.
double making_bytes(const MemoryRequest& request, const Sizes& s) {
  const double refined = (request.refine > 0 ? 1.5 : 1.) * mesh_bytes(request.final_mesh());
  const double ordered = 2. * mesh_bytes(request.final_mesh()) + 8. * s.T + 12. * s.V + parents_bytes(request, s);
  return (request.ordered ? std::max(refined, ordered) : refined) + parents_bytes(request, s);
}

/// A part cut from refined elements: these with parents, or names, positions and marks of their nodes, and the part
/// before and after ordering, with temporary arrays. For multigrid also the parents in the finest mesh, and the local
/// index of each node.
double refined_part_bytes(const MemoryRequest& request) {
  const MeshCounts& all = request.cut_from;
  const auto nodes = static_cast<double>(all.nodes);
  const double names = 8. * (all.dimension + 1.) * nodes;
  const double elements = mesh_bytes(all) + 4. * static_cast<double>(all.elements);
  return elements + names + (uses_multigrid(request) ? 16. * nodes : 0.) +
         std::max(11. * nodes + 0.25 * names, 12. * nodes + 2.5 * mesh_bytes(request.mesh));
}

/// Peak until the form exists, or the results are written.
double problem_peak(const MemoryRequest& request, const Sizes& s) {
  double temporary = (request.form.has_periodic ? 28. : 12.) * s.n; // classes, marks, sources and signs of nodes
  if (request.order == 2)                                           // edges of the mesh and of the elements
    temporary += 4. * s.n + (s.d == 2. ? 12. : 24.) * s.T;
  if (request.form.has_natural) // facets are found by the incidence of the vertices, which has ranks while it is made
    temporary = std::max(temporary, (s.d + 1.) * (offset + 1.) * s.T + offset * s.V + 4. * s.F);
  if (request.writes_fields)
    temporary = std::max(temporary, output_bytes(request, s));
  const double cut = request.cut_from.elements > 0 ? refined_part_bytes(request) : 0.;
  return std::max({making_bytes(request, s), cut, problem_bytes(request, s) + temporary});
}

/// The problem on the previous mesh of adaptive refinement, with its solution and its error, and the parents of the new
/// nodes before and after ordering, with the start on them.
double previous_bytes(const MemoryRequest& request) {
  if (request.refined_from.elements == 0)
    return 0.;
  MemoryRequest previous = request;
  previous.mesh = request.refined_from;
  const Sizes s(previous);
  return problem_bytes(previous, s) + 16. * s.n + 9. * s.T + 24. * static_cast<double>(request.n_space_nodes());
}

/// Bytes of multigrid per unknown without a matrix of the finest level, in addition to four offsets, measured on meshes
/// of triangles and tetrahedra of order 1 and 2: interpolation, coarser levels, vectors of all levels and of conjugate
/// gradients. With B-H curves the levels keep their matrices.
struct MatrixFreeBytes {
  double linear;
  double nonlinear;
};
constexpr MatrixFreeBytes matrix_free_table[2][2] = {{{99., 169.}, {99., 169.}}, {{156., 184.}, {94., 144.}}};

/// Solution, inverse diagonal, r, p, A p; with multigrid with a matrix also prolongations and restrictions, their
/// products with matrices, and copies in the cycle's precision: all levels together are at most 4/3 of the finest with
/// nested meshes, and less with aggregates.
double solver_bytes(const MemoryRequest& request, const Sizes& s, Strategy strategy) {
  if (!uses_multigrid(request))
    return 40. * s.n;
  if (assembly::stores_matrix(strategy))
    return (40. + 240. + 2.2 * (8. + offset)) * s.n + 2.2 * 12. * s.Z;
  const MatrixFreeBytes& bytes = matrix_free_table[request.mesh.dimension - 2][request.order - 1];
  return ((request.form.has_iterate() ? bytes.nonlinear : bytes.linear) + 4. * offset +
          (request.cycle_in_double ? 15. : 0.)) *
         s.n;
}

/// What a time-harmonic problem adds: further terms, which are assembled as the problem is and have a second array of
/// values on all levels, right-hand sides and solutions, a pack of up to four of them with the vectors of COCG and of
/// the levels.
double phasor_bytes(const MemoryRequest& request, const Sizes& s) {
  if (request.phasor_columns == 0)
    return 0.;
  const double in_pack = request.phasor_columns > 2 ? 4. : request.phasor_columns;
  return (request.phasor_terms - 1) * assembly::traits_of(Strategy::row_gather).bytes(s.of_assembly()) +
         1.4 * 4. * s.Z + (request.has_guide ? 16. * s.Z : 0.) + (request.phasor_terms > 2 ? 24. * s.Z : 0.) +
         (32. * request.phasor_columns + 160. * in_pack) * s.n;
}

/// What single solutions add: the ends of a step, the next iterate and a product with Newton's method, and further
/// vectors of BiCGStab where its matrix is not symmetric; two loads, unknowns and nodal values for a matrix of
/// capacitances, and x, r, p, A p and vectors of the levels of each right-hand side; the sum of the
/// matrix and the rows of joints; vectors by element; the copy passed to PETSc, and PETSc's.
double further_bytes(const MemoryRequest& request, const Sizes& s, Strategy strategy) {
  const int columns = assembly::stores_matrix(strategy) && request.columns > 1 ? request.columns : 0;
  return ((request.form.has_iterate() ? 32. : 0.) + (request.form.has_temperature ? 32. : 0.) +
          (request.solves_for_matrix ? 32. : 0.) + (uses_multigrid(request) ? 112. : 40.) * columns) *
             s.n +
         (request.has_joints ? 12. * s.Z + (offset + 4.) * s.n : 0.) +
         (request.works_by_element ? 48. * s.N * s.T : 0.) + (request.hands_over_matrix ? 24. * s.Z + 64. * s.n : 0.);
}

/// Ratio of the unknowns and elements of the largest part, with its ghosts, to the mean.
constexpr double largest_part = 1.2;

/// Fraction of assembly and solver in one process. Of a time-harmonic problem each process has the whole matrices, of
/// which the solver takes its rows.
double share_of_part(const MemoryRequest& request) {
  const bool has_all = request.is_part || request.phasor_columns > 0;
  return request.processes == 1 || has_all ? 1. : largest_part / request.processes;
}

/// In each of several processes, in addition to its share: the unknowns of all nodes, owners, and the process's
/// elements with nodes, vertices, indices and the form's data; the columns and offsets of its rows a second time, or x
/// and y in the part's order; with multigrid replicated small levels, and temporarily parents, levels and identifiers
/// of the unknowns.
double part_bytes(const MemoryRequest& request, const Sizes& s, Strategy strategy) {
  if (request.processes == 1)
    return 0.;
  const bool has_matrix = assembly::stores_matrix(strategy);
  const double vertices = request.order == 1 ? 0. : s.d + 1.; // of order 1: the nodes
  const double share = share_of_part(request);
  const double elements = (4. * (s.N + vertices) + 8.) * s.T + form_bytes(request, s);
  const double rows = has_matrix ? 4. * s.Z + (offset + 8.) * s.n : 24. * s.n;
  const double part =
      (request.is_part ? 24. : 20.) * s.n + (request.is_part ? 8. : 4.) * s.T + share * (elements + rows);
  if (!uses_multigrid(request))
    return part;
  // Unknowns of the finest level with a matrix; relative to a part's share, which the replicated levels have already.
  const double level = has_matrix ? s.n : s.n / (request.order == 2 || s.d == 2. ? 4. : 8.);
  const double whole = static_cast<double>(request.replicated_size) / level;
  const double replicated = !request.is_part            ? std::min(1., whole)
                            : whole < request.processes ? whole
                                                        : request.processes - 1.;
  return part + replicated * solver_bytes(request, s, strategy) + 40. * s.n;
}

} // namespace

double estimate_mesh_file_memory(const MemoryRequest& request) {
  return with_head_room(std::max(making_bytes(request, Sizes(request)), 2. * mesh_bytes(request.final_mesh())));
}

double estimate_problem_memory(const MemoryRequest& request) { return problem_peak(request, Sizes(request)); }

double estimate_system_memory(const MemoryRequest& request, Strategy strategy) {
  const Sizes s(request);
  return (assembly::stores_matrix(strategy) ? 12. * s.Z + (offset + 8.) * s.n : 8. * s.n) + 16. * s.n;
}

double estimate_memory(const MemoryRequest& request, assembly::Strategy strategy) {
  const Sizes s(request);
  const assembly::StrategyTraits& traits = assembly::traits_of(strategy);
  const double share = share_of_part(request);
  const double coloring = traits.uses_coloring ? coloring_bytes(request) * s.T : 0.;
  const double system = traits.bytes(s.of_assembly()) + solver_bytes(request, s, strategy) +
                        further_bytes(request, s, strategy) + phasor_bytes(request, s);
  double problems = problem_peak(request, s) + previous_bytes(request);
  if (request.adapts) // recovered gradients, or residuals with the neighbours of the elements: as measured
    problems = std::max(problems, problem_bytes(request, s) + (request.order == 1 ? 140. : 300.) * s.T);
  if (request.is_part) { // its quantities are computed by a second problem, on the owned elements, after the fields
    MemoryRequest without_fields = request;
    without_fields.writes_fields = false;
    problems = std::max(problems, 2. * problem_peak(without_fields, s));
  }
  return with_head_room(std::max(problems, problem_bytes(request, s) + part_bytes(request, s, strategy) +
                                               share * std::max(coloring, system)));
}

bool fits_offsets(const MemoryRequest& request, assembly::Strategy strategy) {
  return assembly::traits_of(strategy).largest_array(Sizes(request).of_assembly()) <=
         static_cast<double>(std::numeric_limits<offset_t>::max());
}

} // namespace tessera::driver
