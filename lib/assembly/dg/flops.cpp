// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/flops.hpp"

#include "assembly/dg/form/entry_integrals.hpp"

#include <algorithm>

namespace tessera::assembly::dg {

namespace {

/// Operations at a quadrature point. Names are those of the functions whose operations are counted.
template <int Dim> struct PointFlops {
  static constexpr double position = 2. * Dim * (Dim + 1);
  static constexpr double set_time = 4.; ///< including the product of both weights
  static constexpr double dot = 2. * Dim;
  static constexpr double flux = Dim * (2. * Dim - 1.); ///< A times a vector
  static constexpr double interior_terms = 2. * flux + dot + 1.;

  /// Values and derivatives of the polynomials of degree p in some directions: the map to the box, 9 per degree of the
  /// recurrence, and the scaling of the derivatives.
  static double factors(int directions, int p) { return directions * (5. + 9. * p + (p + 1.)); }
};

/// Operations of the two approaches (entry_integrals.hpp) at a quadrature point, with kernels of degree p.
template <int Dim> struct EntryFlops {
  int p;
  double factor() const { return 2. * p; }
  double factor_with_derivative() const { return 2. * p + 2. * (p - 1); }
  double in_space() const { return Dim * factor_with_derivative() + (Dim == 2 ? 3. : 7.); }
  static double point(int n_vertices) { return 2. * Dim * n_vertices; }
  /// A point in space of a simplex, and one of its times.
  double volume_point() const { return point(Dim + 1) + 2. * in_space() + 4.; }
  double volume_time() const {
    const double factors = 3. + factor() + factor_with_derivative();
    return factors + 5. + Dim * (1. + 2. + (2. * Dim - 1.) + 2.) - 1. + 4. + 2.;
  }
  double face_point() const { return 2. * point(Dim) + 2. * in_space() + 2.; }
  double face_time() const { return 2. * (3. + factor()) + 2. * (2. * Dim - 1.) + 3. + 4. + 4.; }
};

template <int Dim> class FlopCounter {
public:
  explicit FlopCounter(const Form<Dim, HostMemory>& form) : form_(form) {}

  double simplex(index_t simplex) const {
    const index_t e = form_.element_of(simplex);
    const Rule rule = form_.element_rule(e);
    const EntryFlops<Dim> flops{kernel_of<Dim>(rule.degree)};
    const double of_point = flops.volume_point() + form_.n_times_of_step(rule) * flops.volume_time();
    const double entries = double(form_.space.size(e)) * form_.space.step_size(e); // those of a step
    return entries * form_.n_points_in_space(rule) * of_point;
  }

  double interior_face(index_t face) const {
    double sum = 0.;
    for (int row = 0; row < 2; ++row)
      for (int column = 0; column < 2; ++column)
        sum += face_entries(face, form_.element(face, row), form_.element(face, column),
                            kernel_of<Dim>(form_.face_rule(face).degree));
    return sum;
  }

  double boundary_face(index_t face) const {
    const index_t e = form_.element(face, 0);
    return face_entries(face, e, e, fe::max_modal_degree<Dim>);
  }

  /// As computed by InterfaceBlocks.
  double interface(index_t interface) const {
    const index_t elements[2] = {form_.faces.interface_elements(interface, 0),
                                 form_.faces.interface_elements(interface, 1)};
    const auto& coefficients = form_.coefficients;
    const bool in_space = !form_.is_slab() || !coefficients.is_transient ||
                          !(coefficients.has_transient_faces(form_.regions(elements[0])) ||
                            coefficients.has_transient_faces(form_.regions(elements[1])));
    const Rule rule = form_.face_rule(elements[0], elements[1]);
    double n[2];
    double at_point = Point::position + (in_space ? 0. : Point::set_time) + Point::interior_terms + Point::dot + 6.;
    for (int side = 0; side < 2; ++side) {
      const int p = form_.space.degrees(elements[side]);
      n[side] = in_space ? fe::modal_size(Dim, p) : form_.space.size(elements[side]);
      at_point += Point::factors(in_space ? Dim : Dim + 1, p) + n[side] * (Dim + Dim * (Dim + 2.) + 4.);
    }
    const double n_faces = form_.faces.interface_faces(interface + 1) - form_.faces.interface_faces(interface);
    const int per_face = in_space ? form_.n_face_points_in_space(rule) : form_.n_face_points(rule);
    return n_faces * per_face * (at_point + 8. * n[0] * n[1]);
  }

private:
  using Point = PointFlops<Dim>;

  double face_entries(index_t face, index_t e, index_t other, int kernel) const {
    const Rule rule = form_.face_rule(face);
    const EntryFlops<Dim> flops{kernel};
    // Each time belongs to a step of both elements.
    const double points = form_.n_face_points_in_space(rule) * flops.face_point();
    const double times = form_.n_face_points(rule) * flops.face_time();
    return double(form_.space.step_size(e)) * form_.space.step_size(other) * (points * rule.n_steps + times);
  }

  const Form<Dim, HostMemory>& form_;
};

} // namespace

template <int Dim> Flops count_flops(const Form<Dim, HostMemory>& form) {
  const FlopCounter<Dim> counter(form);
  const EntryIntegrals<Dim, HostMemory> integrals{form, true};
  Flops flops;
  for (index_t simplex = 0; simplex < form.n_simplices(); ++simplex)
    flops.volume += counter.simplex(simplex);
  for (index_t face = 0; face < form.faces.n_interior; ++face)
    flops.interior += counter.interior_face(face);
  for (index_t face = form.faces.n_interior; face < form.faces.n_faces(); ++face)
    flops.boundary[static_cast<int>(integrals.kind_of(face))] += counter.boundary_face(face);
  for (index_t interface = 0; interface < form.faces.n_interfaces(); ++interface)
    flops.interfaces += counter.interface(interface);
  return flops;
}

namespace {

/// What the kernels read: nodes and element of each simplex or face (and its penalty), nodes, boxes, degrees and dofs.
template <int Dim> EntryTraffic mesh_traffic(const Form<Dim, HostMemory>& form) {
  const double points = 8. * Dim * static_cast<double>(form.coordinates.extent(0));
  const double elements = (16. * Dim + 8.) * form.n_elements();
  return {points + elements + 4. * (Dim + 2.) * form.n_simplices(),
          points + elements + (4. * Dim + 16.) * form.faces.n_interior};
}

} // namespace

template <int Dim> EntryTraffic atomic_traffic(const Form<Dim, HostMemory>& form, double value_bytes) {
  const auto& faces = form.faces;
  double of_elements = 0., with_neighbours = 0., between = 0.;
  for (index_t e = 0; e < form.n_elements(); ++e) {
    const double n = form.space.size(e);
    of_elements += n * n;
    with_neighbours += faces.neighbour_offsets(e + 1) > faces.neighbour_offsets(e) ? n * n : 0.;
  }
  for (index_t interface = 0; interface < faces.n_interfaces(); ++interface)
    between += 2. * form.space.size(faces.interface_elements(interface, 0)) *
               form.space.size(faces.interface_elements(interface, 1));
  EntryTraffic traffic = mesh_traffic(form);
  traffic.volume += 2. * value_bytes * of_elements;
  traffic.interior += 2. * value_bytes * (with_neighbours + between);
  return traffic;
}

template <int Dim> EntryTraffic triplet_traffic(const Form<Dim, HostMemory>& form, double value_bytes) {
  const double slots = double(form.space.largest_size) * form.space.largest_size;
  EntryTraffic traffic = mesh_traffic(form);
  traffic.volume += (16. + value_bytes) * slots * form.n_simplices();
  traffic.interior += (16. + value_bytes) * 4. * slots * form.faces.n_interior;
  return traffic;
}

#define TESSERA_INSTANTIATE(Dim)                                                                                       \
  template Flops count_flops(const Form<Dim, HostMemory>&);                                                            \
  template EntryTraffic atomic_traffic(const Form<Dim, HostMemory>&, double);                                          \
  template EntryTraffic triplet_traffic(const Form<Dim, HostMemory>&, double);
TESSERA_INSTANTIATE(2)
TESSERA_INSTANTIATE(3)
#undef TESSERA_INSTANTIATE

} // namespace tessera::assembly::dg
