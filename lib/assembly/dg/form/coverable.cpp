// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/form/coverable.hpp"

namespace tessera::assembly::dg {

namespace {

/// Sets bounds to infinity unless the element is star-shaped with respect to a ball. All points of a ball see all
/// points of a polytope if the ball lies on the inner side of the planes of all of its faces. Its centre, in the
/// intersection of half-spaces, is found by the relaxation method (T. S. Motzkin, I. J. Schoenberg, Canad. J. Math. 6,
/// 1954): it moves to the plane that it is farthest behind, and beyond, until it is behind none. Traffic: the faces of
/// each element, some ten times.
template <int Dim, class Space> struct LiftBounds {
  Form<Dim, Space> form;
  double infinity;

  /// The plane that a centre is farthest behind.
  struct Farthest {
    double distance;
    double normal[Dim];
  };

  KOKKOS_FUNCTION void look(const double (&centre)[Dim], double radius, index_t first, index_t end, double side,
                            Farthest& farthest) const {
    for (index_t f = first; f < end; ++f) {
      double normal[Dim];
      form.face_normal(f, normal);
      double distance = radius;
      for (int d = 0; d < Dim; ++d)
        distance -= side * normal[d] * (form.coordinates(form.faces.nodes(f, 0), d) - centre[d]);
      if (distance > farthest.distance) {
        farthest.distance = distance;
        for (int d = 0; d < Dim; ++d)
          farthest.normal[d] = side * normal[d];
      }
    }
  }

  KOKKOS_FUNCTION bool sees_ball(index_t e) const {
    constexpr int n_moves = 200; // of cubes and the like it takes none, and some ten for an L
    constexpr double overshoot = 1.5;
    const auto& faces = form.faces;
    double diagonal = 0.;
    double centre[Dim];
    for (int d = 0; d < Dim; ++d) {
      const double width = form.space.boxes(e, 1, d) - form.space.boxes(e, 0, d);
      diagonal += width * width;
      centre[d] = form.space.boxes(e, 0, d) + 0.5 * width;
    }
    const double radius = similar_size * math::sqrt(diagonal);
    for (int move = 0; move < n_moves; ++move) {
      Farthest farthest{1e-12 * radius, {}};
      const double within = farthest.distance;
      look(centre, radius, faces.n_interior + faces.boundary_offsets(e),
           faces.n_interior + faces.boundary_offsets(e + 1), 1., farthest);
      for (index_t k = faces.neighbour_offsets(e); k < faces.neighbour_offsets(e + 1); ++k) {
        const index_t interface = faces.neighbour_interfaces(k);
        look(centre, radius, faces.interface_faces(interface), faces.interface_faces(interface + 1),
             faces.interface_elements(interface, 0) == e ? 1. : -1., farthest);
      }
      if (farthest.distance <= within)
        return true;
      for (int d = 0; d < Dim; ++d)
        centre[d] -= overshoot * farthest.distance * farthest.normal[d];
    }
    return false;
  }

  KOKKOS_FUNCTION void operator()(index_t e) const {
    if (!sees_ball(e))
      form.measures(e, 2) = infinity;
  }
};

template <class Space> struct CountFinite {
  Array<const double* [3], Space> measures;
  double infinity;
  KOKKOS_FUNCTION void operator()(index_t e, index_t& n) const { n += measures(e, 2) < infinity ? 1 : 0; }
};

} // namespace

template <class ExecutionSpace, int Dim>
void lift_bounds_of_uncoverable(const ExecutionSpace& exec,
                                const Form<Dim, typename ExecutionSpace::memory_space>& form) {
  for_each("tessera::assembly::dg::lift_bounds", exec, form.n_elements(),
           LiftBounds<Dim, typename ExecutionSpace::memory_space>{form, std::numeric_limits<double>::infinity()});
}

template <class ExecutionSpace, int Dim>
index_t count_coverable(const ExecutionSpace& exec, const Form<Dim, typename ExecutionSpace::memory_space>& form) {
  index_t n = 0;
  Kokkos::parallel_reduce(
      "tessera::assembly::dg::count_coverable",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, form.n_elements()),
      CountFinite<typename ExecutionSpace::memory_space>{form.measures, std::numeric_limits<double>::infinity()},
      n); // waits
  return n;
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template void lift_bounds_of_uncoverable(const Space&, const Form<Dim, Space::memory_space>&);                       \
  template index_t count_coverable(const Space&, const Form<Dim, Space::memory_space>&);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_DIM(Space, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::assembly::dg
