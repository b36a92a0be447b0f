// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/plan/memory_estimate.hpp"

#include "assembly/rows/row_sizes.hpp"
#include "core/checked_count.hpp"
#include "fe/quadrature.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::driver {

namespace {

using assembly::Strategy;

/// Counts as floating-point numbers, with the names of docs/design.md.
struct Sizes {
  double d; // dimension
  double V; // vertices
  double T; // elements
  double F; // boundary facets
  double edges;
  double N; // nodes per element
  double n; // nodes of the space
  double Z; // matrix entries
  static constexpr double offset = sizeof(offset_t);

  explicit Sizes(const MemoryRequest& request) {
    const MeshCounts mesh = request.final_mesh();
    d = mesh.dimension;
    V = static_cast<double>(mesh.nodes);
    T = static_cast<double>(mesh.elements);
    F = static_cast<double>(mesh.facets);
    edges = static_cast<double>(mesh.edges());
    N = request.order == 1 ? d + 1. : (mesh.dimension == 2 ? 6. : 10.);
    n = static_cast<double>(request.n_space_nodes());
    Z = static_cast<double>(request.n_matrix_entries());
  }
  double matrix() const { return (12. * Z) + (offset + 8.) * n; }
  double incidence() const { return offset * (N * T + n); }
};

double mesh_bytes(const MeshCounts& mesh) {
  const double d = mesh.dimension;
  return 8. * d * static_cast<double>(mesh.nodes) + (4. * (d + 1.) + 2.) * static_cast<double>(mesh.elements) +
         (4. * d + 2.) * static_cast<double>(mesh.facets);
}

/// Incidence of the vertices with its ranks, while it is being made.
double vertex_incidence(const MeshCounts& mesh) {
  return (mesh.dimension + 1.) * (Sizes::offset + 1.) * static_cast<double>(mesh.elements) +
         Sizes::offset * static_cast<double>(mesh.nodes);
}

double edge_bytes(const MeshCounts& mesh) {
  return 4. * static_cast<double>(mesh.nodes) + 4. * static_cast<double>(mesh.edges());
}

/// Peak of a colouring in addition to the resulting permutation, per element as measured (docs/performance.md).
double coloring_bytes(const MemoryRequest& request) {
  const bool plane = request.mesh.dimension == 2;
  const double copied_vertices = request.order == 1 ? 0. : 4. * (request.mesh.dimension + 1.);
  switch (request.coloring) {
  case graph::ColoringMethod::kokkos_kernels:
    return copied_vertices + (plane ? 72. : 303.);
  case graph::ColoringMethod::node_claims:
    return copied_vertices + (request.deterministic_coloring ? (plane ? 44. : 56.) : 8.);
  default:
    return copied_vertices + (plane ? 14. : 18.);
  }
}

assembly::AssemblySizes assembly_sizes(const MemoryRequest& request, const Sizes& s) {
  const bool by_thread = request.on_host && uses_host_forms<HostMemory>;
  const double cached_columns = by_thread ? 0. : assembly::cached_columns_per_row(static_cast<int>(s.N));
  return {s.T, s.N, s.n, s.Z, Sizes::offset, coloring_bytes(request) * s.T, cached_columns, request.on_host};
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

/// Data of forms per element in addition to the mesh: values at quadrature points, facets with natural conditions.
double form_bytes_by_element(const MemoryRequest& request, const Sizes& s) {
  const FormChoice& form = request.form;
  const double n_entries = s.d + (form.has_tensors ? 0.5 * s.d * (s.d - 1.) : 0.);
  return points_of(request).volume * s.T *
             ((form.has_point_coefficients ? 8. * n_entries : 0.) + (form.has_point_sources ? 8. : 0.) +
              (form.has_point_remanence ? 8. * s.d : 0.)) +
         (form.has_natural ? 4. * (s.d + 1.) * s.T : 0.);
}

/// Total data of forms in addition to tables by region: for each facet with a condition its location and two values at
/// its points, with radiation six; an iterate.
double form_bytes(const MemoryRequest& request, const Sizes& s) {
  const FormChoice& form = request.form;
  return form_bytes_by_element(request, s) +
         (form.has_natural ? (12. + (form.has_radiation ? 48. : 16.) * points_of(request).facet) * s.F : 0.) +
         (form.has_iterate() ? 8. * s.n : 0.);
}

/// Source and sign of every node with periodic boundaries.
double periodic_bytes(const MemoryRequest& request, const Sizes& s) {
  return request.form.has_periodic ? 5. * s.n : 0.;
}

/// Original indices of nodes and elements; a part lacks those of elements if they are too large.
double original_numbers(const MemoryRequest& request, const Sizes& s) {
  if (!request.ordered)
    return 0.;
  const bool has_elements = !request.is_part || request.n_elements_of_all <= std::numeric_limits<index_t>::max();
  return 4. * s.V + (has_elements ? 4. * s.T : 0.);
}

/// Mesh, nodes of the space, dof map, coefficients: memory held from the making of the form on.
double problem_bytes(const MemoryRequest& request, const Sizes& s) {
  const double originals = original_numbers(request, s);
  const double nodes = request.order == 1 ? 0. : 4. * s.N * s.T + 8. * s.d * s.n + 4. * (s.d == 2. ? 3. : 6.) * s.F;
  return mesh_bytes(request.final_mesh()) + originals + nodes + 6. * s.n + periodic_bytes(request, s) +
         form_bytes(request, s);
}

/// For a file of the sides of nodes: sides of the elements; index, position, solution and two fields of each. They are
/// found by the incidence of the nodes; then hosts copy one array after the other for the file.
double side_bytes(const MemoryRequest& request, const Sizes& s) {
  const auto sides = static_cast<double>(request.n_sides());
  const double values = 4. * s.N * s.T + (12. + 24. * s.d) * sides;
  const double found = s.incidence() + Sizes::offset * sides + 4. * s.n + values;
  return request.on_host ? std::max({found, values + 4. * s.N * s.T, values + 8. * s.d * sides}) : found;
}

/// Adds a margin for what the formulas omit: scratch of sums, tables by region, radix counts.
double with_small_arrays(double bytes) { return 1.01 * bytes + 65536.; }

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
  const double own = static_cast<double>(nodes) / n_parts;
  const double side = dimension == 2 ? std::sqrt(own) : std::cbrt(own);
  const double wide = side + 2. * n_layers;
  const double more = dimension == 2 ? wide * wide - own : wide * wide * wide - own; // nodes in these layers
  const double around = (dimension == 2 ? 8. * wide : 12. * wide * wide) + 2. * more;
  // A side with this many facets has one node for each, or for two in 3D; their elements reach as many further nodes.
  const double of_groups = has_whole_groups ? (dimension == 2 ? 2. : 1.) * static_cast<double>(facets) : 0.;
  const double share = std::min(1., (own + around + of_groups) / static_cast<double>(nodes));
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

double estimate_mesh_memory(const MemoryRequest& request) {
  double peak = 0.;
  MeshCounts mesh = request.mesh;
  for (int level = 0; level < request.refine; ++level) {
    const MeshCounts fine = mesh.refined();
    peak = std::max({peak, mesh_bytes(mesh) + vertex_incidence(mesh) + edge_bytes(mesh),
                     mesh_bytes(mesh) + edge_bytes(mesh) + mesh_bytes(fine)});
    mesh = fine;
  }
  const double bytes = mesh_bytes(mesh);
  const auto elements = static_cast<double>(mesh.elements);
  const auto nodes = static_cast<double>(mesh.nodes);
  if (request.ordered) // sorting the elements' keys; then the old and the new mesh
    peak = std::max({peak, bytes + 24. * elements + 4. * nodes, 2. * bytes + 8. * elements + 12. * nodes});
  return std::max(peak, bytes);
}

namespace {

/// A part cut from refined elements: these with parents, or names, positions and marks of their nodes, and the part
/// before and after ordering, with temporary arrays. For multigrid also the parents in the finest mesh, and the local
/// index of each node.
double refined_part_bytes(const MemoryRequest& request) {
  const MeshCounts& all = request.cut_from;
  const auto nodes = static_cast<double>(all.nodes);
  const double names = 8. * (all.dimension + 1.) * nodes;
  const double parents = (all.dimension == 2 ? 32. / 3. : 64. / 7.) * nodes;
  const double elements = mesh_bytes(all) + 4. * static_cast<double>(all.elements);
  const double nested = request.preconditioner == io::Preconditioner::multigrid ? 16. * nodes : 0.;
  return std::max(elements + parents + (all.dimension == 2 ? 5. / 4. : 9. / 8.) * names + nested,
                  elements + names + 12. * nodes + nested + 2.5 * mesh_bytes(request.mesh));
}

} // namespace

double estimate_mesh_file_memory(const MemoryRequest& request) {
  return with_small_arrays(std::max(estimate_mesh_memory(request), 2. * mesh_bytes(request.final_mesh())));
}

double estimate_problem_memory(const MemoryRequest& request) {
  const Sizes s(request);
  double peak = estimate_mesh_memory(request);
  if (request.cut_from.elements > 0)
    peak = std::max(peak, refined_part_bytes(request));
  const MeshCounts mesh = request.final_mesh();
  const double bytes = mesh_bytes(mesh);
  const double originals = original_numbers(request, s);
  // Classes of nodes with periodic boundaries: marks, sources and signs of the nodes in addition to their classes.
  double discretization = bytes + originals + (request.form.has_periodic ? 18. + 21. : 18.) * s.n;
  if (request.order == 2) {
    const double nodes = 4. * s.N * s.T + 8. * s.d * s.n;
    const double element_edges = 4. * (s.d == 2. ? 3. : 6.) * s.T;
    peak = std::max({peak, bytes + originals + vertex_incidence(mesh) + edge_bytes(mesh),
                     bytes + originals + edge_bytes(mesh) + element_edges + nodes});
    discretization += nodes;
  }
  peak = std::max(peak, discretization);
  if (request.form.has_natural) // facets are found through the elements at their nodes
    peak = std::max(peak, problem_bytes(request, s) + vertex_incidence(mesh) + 4. * s.F);
  if (request.writes_fields) {
    // Results on the space, and on hosts their copies for the file.
    double fields = 16. * s.n;
    if (request.writes_sides)
      fields += side_bytes(request, s);
    else if (request.on_host)
      fields += 4. * s.N * s.T + 8. * s.d * s.n + originals + 8. * s.n;
    if (request.writes_gradient && !request.writes_sides) { // by element, or by node with the pairs of its mean
      const double copies = request.on_host ? 2. : 1.;
      fields +=
          std::max({copies * 8. * s.d * s.T, s.incidence() + s.N * s.T + 8. * s.d * s.n, copies * 8. * s.d * s.n});
    }
    peak = std::max(peak, problem_bytes(request, s) + fields);
  }
  return peak;
}

double estimate_system_memory(const MemoryRequest& request, Strategy strategy) {
  const Sizes s(request);
  return (assembly::stores_matrix(strategy) ? s.matrix() : 8. * s.n) + 16. * s.n;
}

namespace {

/// For multigrid the product of matrix and prolongation, prolongation, restriction and its sort, coarser levels, values
/// in single precision or twice as large, and vectors: all levels together are at most 4/3 of the finest with nested
/// meshes, and less with aggregates.
double preconditioner_bytes(const MemoryRequest& request, const Sizes& s) {
  return request.preconditioner == io::Preconditioner::multigrid ? 240. * s.n + 2.2 * s.matrix() : 0.;
}

/// The next coarser level of multigrid. For boxes, which need not be refined, the bounds of a box with half as many
/// cells in each direction.
MemoryRequest coarser_level(const MemoryRequest& request) {
  MemoryRequest coarser = request;
  coarser.order = 1;
  if (request.order == 2)
    return coarser;
  if (request.refine > 0) {
    --coarser.refine;
    return coarser;
  }
  const int n_children = request.mesh.dimension == 2 ? 4 : 8;
  coarser.mesh.nodes = request.mesh.nodes / n_children + request.mesh.facets / 8 + 1;
  coarser.mesh.elements = request.mesh.elements / n_children;
  coarser.mesh.facets = request.mesh.facets / (n_children / 2);
  return coarser;
}

/// Parents of the nodes of a mesh and of all coarser ones.
double parents_bytes(const Sizes& s) { return 8. * (s.d == 2. ? 4. / 3. : 8. / 7.) * s.V; }

/// Levels of multigrid below a matrix-free finest level: the peak while they are made, and the memory kept.
struct CoarserLevels {
  double made;
  double kept;
};

/// All matrices of all levels, and copies in the cycle's precision.
CoarserLevels levels_that_keep_all(const MemoryRequest& coarser, const Sizes& c) {
  const double in_double = coarser.cycle_in_double ? 0.6 * c.matrix() + 50. * c.n : 0.;
  return {c.matrix() + preconditioner_bytes(coarser, c), // including temporary products
          2.6 * c.matrix() + 110. * c.n + in_double};
}

/// The copies only, with about two entries in a row of the interpolation, and three vectors. A level's matrices are
/// freed when the next one has its own: the peak is the finest of these with interpolation, transpose and their
/// product.
CoarserLevels compact_levels(const MemoryRequest& coarser, const Sizes& c) {
  const double value = coarser.cycle_in_double ? 8. : 4.;
  const double all = c.d == 2. ? 4. / 3. : 8. / 7.; // all levels relative to the finest of them
  const double copies = (value + 4.) * (c.Z + 3. * c.n) + 2.3 * Sizes::offset * c.n;
  return {2.7 * c.matrix() + 65. * c.n, all * (copies + (4. * value + 4.) * c.n)};
}

/// Right-hand sides solved together: loads, and x, r, p, A p for each; with multigrid z, and the three vectors of all
/// levels in double precision, or in single precision in addition to those of its start.
double columns_bytes(const MemoryRequest& request, const Sizes& s, assembly::Strategy strategy) {
  if (request.columns == 1 || !assembly::stores_matrix(strategy))
    return 0.;
  const double by_column = request.preconditioner == io::Preconditioner::multigrid ? 112. : 40.;
  return by_column * request.columns * s.n;
}

/// Ratio of the unknowns and elements of the largest part, with its ghosts, to the mean.
constexpr double largest_part = 1.2;

/// Fraction of assembly and solver in one process.
double share_of_part(const MemoryRequest& request) {
  return request.processes == 1 || request.is_part ? 1. : largest_part / request.processes;
}

/// A part of the problem: the unknowns of all nodes; its elements with nodes and vertices, region, indices, marks and
/// the form's data, and the columns and offsets of its rows a second time, or x and y in the part's order; x with its
/// ghosts. The unknowns of all processes.
double part_bytes(const MemoryRequest& request, const Sizes& s, assembly::Strategy strategy) {
  if (request.processes == 1)
    return 0.;
  const double rows = assembly::stores_matrix(strategy) ? 4. * s.Z + Sizes::offset * s.n : 16. * s.n;
  const double vertices = request.order == 1 ? 0. : s.d + 1.; // of order 1: the nodes
  return 20. * s.n + 4. * s.T +
         share_of_part(request) *
             ((4. * (s.N + vertices) + 8.) * s.T + form_bytes_by_element(request, s) + rows + 8. * s.n) +
         (request.is_part ? 4. * s.V + 4. * s.T : 0.) + // owners of the nodes, owned elements
         // parents
         (request.is_part && request.preconditioner == io::Preconditioner::multigrid ? 12. * s.V : 0.);
}

/// Size of the replicated levels relative to a level with `n` unknowns, at most that level. In a part of a mesh, with n
/// unknowns, relative to the part, without its own share if the finest level is replicated.
double whole_fraction(const MemoryRequest& request, double n) {
  if (request.processes == 1)
    return 0.;
  const double whole = static_cast<double>(request.replicated_size) / n;
  if (!request.is_part)
    return std::min(1., whole);
  return whole < request.processes ? whole : request.processes - 1.;
}

/// Memory of multigrid in each of several processes in addition to its share: replicated small levels, and temporarily
/// parents, levels and names of the owned unknowns, with the arrays to find them.
double whole_levels_bytes(const MemoryRequest& request, const Sizes& s) {
  if (request.processes == 1 || request.preconditioner != io::Preconditioner::multigrid)
    return 0.;
  return whole_fraction(request, s.n) * preconditioner_bytes(request, s) + 40. * s.n;
}

/// Multigrid with a matrix-free finest level (solvers/multigrid/matrix_free_multigrid.hpp), with the vectors of
/// conjugate gradients, one of which multigrid borrows. First interpolation, diagonal, the elements of the coarser
/// level (of order 1: those of the coarser mesh with their children) and its assembly; then its hierarchy; then
/// vectors, and those of a start by full multigrid or of the iterations. The mesh stores its coarser meshes from the
/// beginning.
///
/// With several processes each has its share of interpolation, rows, levels and vectors. It makes dof map and elements
/// of the whole coarser level, to cut its part from them; with parts of a mesh, only those of the part. In addition
/// there are names, levels and parents of the unknowns, for the interpolations between coarser levels.
double matrix_free_multigrid_bytes(const MemoryRequest& request, const Sizes& s) {
  const MemoryRequest coarser = coarser_level(request);
  const Sizes c(coarser);
  const double share = share_of_part(request);
  const bool is_shared = request.processes > 1;
  const bool is_refined = request.order == 1;
  const double parents = is_refined ? 0. : 8. * s.n; // while the interpolation is made
  const double interpolation = share * ((8. + 2. * Sizes::offset) * s.n + Sizes::offset * c.n) + 4. * c.n;
  // marks, and the means in two further orders
  const double numbering = is_shared ? (14. + share * 16.) * s.n : 10. * s.n;
  const double elements = is_refined ? (4. * (s.d + 1.) + 8. + Sizes::offset) * c.T + 4. * s.T : 0.;
  const double children = is_refined ? (s.d == 2. ? 4. : 8.) : 1.;
  const double part = is_shared ? share * 4. * (s.d + 1. + children) * c.T + 4. * c.T + 8. * c.n : 0.;
  const assembly::AssemblyBytes rows = assembly::traits_of(Strategy::row_gather).memory(assembly_sizes(coarser, c));
  const double own_columns = is_shared ? 4. * c.Z + Sizes::offset * c.n : 0.;
  // Matrices of the elements, from which rows are summed: unless the level assembles its own elements, as of order 2
  // with closed formulas.
  const bool has_own_elements = request.form.kind == FormKind::closed && !is_refined;
  const double matrices = has_own_elements ? 0. : 4. * (s.d + 1.) * (s.d + 2.) * c.T;
  const double rows_bytes = share * std::max({rows.peak, rows.kept + matrices, rows.kept + own_columns});
  const CoarserLevels levels =
      request.form.has_iterate() ? levels_that_keep_all(coarser, c) : compact_levels(coarser, c);
  const double of_levels = share + whole_fraction(request, c.n);
  const double interpolating = parents + interpolation + numbering;
  const double assembling =
      interpolation + share * 4. * s.n + part + (is_shared ? std::max(elements, rows_bytes) : elements + rows_bytes);
  const double making = interpolation + share * 4. * s.n + of_levels * levels.made + (is_shared ? 40. * c.n : 0.);
  const double naming = request.is_part ? interpolation + 4. * s.n + c.matrix() + 64. * s.n : 0.;
  const double solving = interpolation + share * (36. * s.n + 16. * c.n) + of_levels * levels.kept;
  // Including the solution.
  return parents_bytes(s) + share * 8. * s.n + std::max({interpolating, assembling, making, naming, solving});
}

} // namespace

double estimate_memory(const MemoryRequest& request, assembly::Strategy strategy) {
  const Sizes s(request);
  const assembly::AssemblyBytes assembly = assembly::traits_of(strategy).memory(assembly_sizes(request, s));
  // Solution, inverse diagonal, r, p, A p; by element six further vectors; on devices compressed columns, if only
  // temporarily when most turn out to be too far.
  const bool tries_compressed_columns = !request.on_host && assembly::stores_matrix(strategy);
  // With B-H curves also the ends of a step at all nodes, the next iterate and a product.
  const bool is_matrix_free =
      request.preconditioner == io::Preconditioner::multigrid && !assembly::stores_matrix(strategy);
  const double conjugate_gradients = is_matrix_free ? 0. : 40. * s.n + preconditioner_bytes(request, s);
  const double beside =
      // the share of each process
      is_matrix_free ? matrix_free_multigrid_bytes(request, s) : whole_levels_bytes(request, s);
  const double solver = conjugate_gradients + (request.form.has_iterate() ? 32. * s.n : 0.) +
                        (request.solves_for_matrix ? 32. * s.n : 0.) + // two loads, unknowns and nodal values
                        columns_bytes(request, s, strategy) + (request.works_by_element ? 48. * s.N * s.T : 0.) +
                        // the copy passed to PETSc, and PETSc's
                        (request.hands_over_matrix ? 24. * s.Z + 64. * s.n : 0.) +
                        (tries_compressed_columns ? 2. * s.Z : 0.);
  const double problem = problem_bytes(request, s) + part_bytes(request, s, strategy);
  const double share = share_of_part(request);
  // ordered: old and new
  const double mesh = is_matrix_free ? (request.ordered ? 2. : 1.) * parents_bytes(s) : 0.;
  double problems = estimate_problem_memory(request);
  if (request.is_part) { // its quantities are computed by a second problem, on the owned elements, after the fields
    MemoryRequest without_fields = request;
    without_fields.writes_fields = false;
    problems = std::max(problems, 2. * estimate_problem_memory(without_fields));
  }
  return with_small_arrays(
      std::max({problems + mesh, problem + share * assembly.peak,
                problem + share * (assembly.kept + (request.solves ? solver : 0.)) + (request.solves ? beside : 0.)}));
}

bool fits_offsets(const MemoryRequest& request, assembly::Strategy strategy) {
  const Sizes s(request);
  return assembly::traits_of(strategy).largest_array(assembly_sizes(request, s)) <=
         static_cast<double>(std::numeric_limits<offset_t>::max());
}

} // namespace tessera::driver
