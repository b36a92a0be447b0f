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
  static constexpr double boundary_terms = flux + 2. * dot + Dim; ///< trace and its product with the tolerance

  /// Values and derivatives of the polynomials of degree p in some directions: the map to the box, 9 per degree of the
  /// recurrence, and the scaling of the derivatives.
  static double factors(int directions, int p) { return directions * (5. + 9. * p + (p + 1.)); }
  /// Value and N derivatives of a basis function.
  static constexpr double basis(int n_derivatives) { return Dim + 1. + n_derivatives * Dim; }
};

template <int Dim> class FlopCounter {
public:
  explicit FlopCounter(const Form<Dim, HostMemory>& form)
      : form_(form), n_directions_(form.is_slab() ? Dim + 1 : Dim) {}

  double simplex(index_t simplex) const {
    const index_t e = form_.element_of(simplex);
    const int p = form_.space.degrees(e);
    const double n = form_.space.size(e);
    const double at_start = Point::position + Point::factors(n_directions_, p);
    const double at_point = at_start + Point::set_time;
    const double of_entry = at_point + Point::basis(Dim) + Point::basis(Dim + 1) + Point::flux + 2. * Point::dot + 7.;
    const double of_load = at_point + Point::basis(Dim) + 3.;
    const double points = form_.n_volume_points(form_.element_rule(e));
    const double start_points = form_.n_initial_points(form_.element_rule(e));
    return n * n * (points * of_entry + start_points * (at_start + 2. * Point::basis(Dim) + 3.) + 2.) +
           n * (points * of_load + start_points * (at_start + Point::basis(Dim) + 3.) + 2.);
  }

  double interior_face(index_t face) const {
    const double points = form_.n_face_points(form_.face_rule(face));
    double sum = 0.;
    for (int row = 0; row < 2; ++row)
      for (int column = 0; column < 2; ++column) {
        const index_t e = form_.element(face, row);
        const index_t other = form_.element(face, column);
        const double of_other = row == column ? 0. : Point::factors(n_directions_, form_.space.degrees(other));
        const double at_point = face_entry(e, Point::interior_terms) + of_other;
        sum += static_cast<double>(form_.space.size(e)) * form_.space.size(other) * (points * at_point + 1.);
      }
    return sum;
  }

  double boundary_face(index_t face) const {
    const index_t e = form_.element(face, 0);
    const double points = form_.n_face_points(form_.face_rule(face));
    const double n = form_.space.size(e);
    const double of_load = Point::position + Point::set_time + Point::boundary_terms +
                           Point::factors(n_directions_, form_.space.degrees(e)) + Point::basis(Dim) + Point::dot + 5.;
    return n * n * (points * face_entry(e, Point::boundary_terms) + 1.) + n * (points * of_load + 1.);
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

  double face_entry(index_t e, double terms) const {
    return Point::position + Point::set_time + terms + Point::factors(n_directions_, form_.space.degrees(e)) +
           2. * Point::basis(Dim) + 2. * Point::dot + 10.;
  }

  const Form<Dim, HostMemory>& form_;
  int n_directions_;
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

template Flops count_flops(const Form<2, HostMemory>&);
template Flops count_flops(const Form<3, HostMemory>&);

} // namespace tessera::assembly::dg
