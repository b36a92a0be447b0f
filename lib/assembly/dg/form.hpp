// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_FORM_HPP
#define TESSERA_ASSEMBLY_DG_FORM_HPP

/// \file
/// All that the interior-penalty discontinuous Galerkin form is computed from (Dong, Georgoulis, Kappas,
/// GPU-accelerated discontinuous Galerkin methods on polytopic meshes, equations 2.4 and 2.5): mesh, space, quadrature,
/// coefficients and penalty. docs/theory.md derives the form.

#include "core/kokkos_ext/math.hpp"
#include "fe/geometry.hpp"
#include "fe/modal_space.hpp"
#include "fe/simplex_quadrature.hpp"
#include "mesh/polytopic_mesh.hpp"
#include "physics/advection_diffusion_reaction.hpp"

namespace tessera::assembly::dg {

/// How the penalty's factor min(|K| / sup |K^F|, C_cov) is bounded (appendix A of the paper). K^F is the simplex of the
/// mesh behind the face; docs/theory.md says what the choices are good for.
enum class Covering {
  /// C_cov = max(p^(2 (d - 1)), |surface of K| / ((d + 1) |F|)): elements are taken to be p-coverable, but the penalty
  /// is no smaller than p = 1 needs on elements with any number of faces.
  surface,
  p_coverable, ///< C_cov = p^(2 (d - 1)), for elements of few faces
  simplices    ///< C_cov is infinite: coercive on every mesh, but a large penalty on agglomerates of many simplices
};

struct FormOptions {
  /// Quadrature is exact for polynomials of degree 2 p plus this.
  int extra_degree = 0;
  double penalty_constant = 5.; ///< C_sigma; docs/theory.md: what coercivity needs
  Covering covering = Covering::surface;
};

/// Kernels take it by value. Quadrature rules are numbered by the degree p that they serve.
template <int Dim, class MemorySpace> struct Form {
  using memory_space = MemorySpace;
  static constexpr int dimension = Dim;

  ConstArray<const double* [Dim], MemorySpace> coordinates;
  ConstArray<const index_t * [Dim + 1], MemorySpace> simplices; ///< nodes, [n_simplices][Dim + 1]
  ConstArray<const index_t*, MemorySpace> element_of;
  ConstArray<const index_t*, MemorySpace> simplex_offsets;
  ConstArray<const index_t*, MemorySpace> element_simplices;
  ConstArray<const group_t*, MemorySpace> regions; ///< of the elements
  mesh::Faces<Dim, MemorySpace> faces;
  fe::ModalSpace<Dim, MemorySpace> space;
  fe::SimplexRules<Dim + 1, MemorySpace> volume_rules; ///< by the element's degree
  fe::SimplexRules<Dim, MemorySpace> face_rules;       ///< by the larger degree of both sides
  physics::TransportCoefficients<Dim, MemorySpace> coefficients;
  ConstArray<const double*, MemorySpace> penalty; ///< sigma, 1 / m times the unit of A, [n_faces]
  FormOptions options;

  index_t n_elements() const { return space.n_elements(); }
  index_t n_simplices() const { return static_cast<index_t>(element_of.extent(0)); }

  /// Element on a side of a face: 0 is the one that the normal points out of; -1 beyond the boundary.
  KOKKOS_FUNCTION index_t element(index_t face, int side) const {
    const index_t simplex = faces.simplices(face, side);
    return simplex < 0 ? -1 : element_of(simplex);
  }
  /// Rule of a face: the larger degree of its elements.
  KOKKOS_FUNCTION int face_rule(index_t face) const {
    const int p = space.degrees(element(face, 0));
    const index_t other = element(face, 1);
    return other < 0 || space.degrees(other) < p ? p : space.degrees(other);
  }
  KOKKOS_FUNCTION group_t boundary_group(index_t face) const { return faces.groups(face - faces.n_interior); }

  KOKKOS_FUNCTION double simplex_measure(index_t simplex) const {
    double p[Dim + 1][Dim];
    double normals[Dim + 1][Dim];
    for (int k = 0; k <= Dim; ++k)
      for (int d = 0; d < Dim; ++d)
        p[k][d] = coordinates(simplices(simplex, k), d);
    const double det = fe::simplex_normals(p, normals);
    return (det < 0. ? -det : det) / (Dim == 2 ? 2. : 6.);
  }
  /// Measure of a face, and its unit normal out of the first element.
  KOKKOS_FUNCTION double face_normal(index_t face, double (&normal)[Dim]) const {
    double edge[Dim - 1][Dim];
    for (int k = 0; k < Dim - 1; ++k)
      for (int d = 0; d < Dim; ++d)
        edge[k][d] = coordinates(faces.nodes(face, k + 1), d) - coordinates(faces.nodes(face, 0), d);
    if constexpr (Dim == 2) {
      normal[0] = edge[0][1];
      normal[1] = -edge[0][0];
    } else {
      for (int d = 0; d < 3; ++d)
        normal[d] = edge[0][(d + 1) % 3] * edge[1][(d + 2) % 3] - edge[0][(d + 2) % 3] * edge[1][(d + 1) % 3];
    }
    double square = 0.;
    for (int d = 0; d < Dim; ++d)
      square += normal[d] * normal[d];
    const double length = math::sqrt(square);
    for (int d = 0; d < Dim; ++d)
      normal[d] /= length;
    return Dim == 2 ? length : 0.5 * length;
  }
  /// Position of point q of all rules in a simplex.
  KOKKOS_FUNCTION void volume_point(index_t simplex, int q, double (&x)[Dim]) const {
    for (int d = 0; d < Dim; ++d) {
      x[d] = 0.;
      for (int k = 0; k <= Dim; ++k)
        x[d] += volume_rules.points(q, k) * coordinates(simplices(simplex, k), d);
    }
  }
  KOKKOS_FUNCTION void face_point(index_t face, int q, double (&x)[Dim]) const {
    for (int d = 0; d < Dim; ++d) {
      x[d] = 0.;
      for (int k = 0; k < Dim; ++k)
        x[d] += face_rules.points(q, k) * coordinates(faces.nodes(face, k), d);
    }
  }
};

/// Makes the form and computes the penalty of every face. The mesh's arrays are shared, and must stay; the degrees are
/// those of the space. Refuses data whose regions do not fit the mesh's.
template <class ExecutionSpace, int Dim>
Form<Dim, typename ExecutionSpace::memory_space>
make_form(const ExecutionSpace& exec, const mesh::PolytopicMesh<Dim, typename ExecutionSpace::memory_space>& mesh,
          const fe::ModalSpace<Dim, typename ExecutionSpace::memory_space>& space,
          const physics::AdvectionDiffusionReaction& problem, const FormOptions& options = {});

/// Copy of a form on the host.
template <class ExecutionSpace, int Dim>
Form<Dim, HostMemory> to_host(const ExecutionSpace& exec, const Form<Dim, typename ExecutionSpace::memory_space>& form);

} // namespace tessera::assembly::dg

#endif
