// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_FORM_FACE_TERMS_HPP
#define TESSERA_ASSEMBLY_DG_FORM_FACE_TERMS_HPP

/// \file
/// The face terms of equations 2.4 and 2.5, seen from one element at one quadrature point. With the test function v,
/// its flux s = n . A grad v, the trial function w and its flux r, every term of the element's row is
///   alpha v w + beta v r + gamma s w,
/// and the load is value v + flux s; n is the element's outward normal. docs/theory.md lists the terms.

#include "assembly/dg/form/form.hpp"

namespace tessera::assembly::dg {

template <int Dim> struct FaceTerms {
  double alpha = 0.;
  double beta = 0.;
  double gamma = 0.;
  double load_value = 0.;
  double load_flux = 0.;
  double flux[Dim];       ///< A n of the element: s = flux . grad v
  double other_flux[Dim]; ///< A n of the other element, for the same n
};

namespace detail {
/// Sets flux = A n of element e at a point of its face, evaluated within e; its outward normal is `sign` times n.
/// Returns n . A n.
template <int Dim, class Space>
KOKKOS_INLINE_FUNCTION double normal_flux(const Form<Dim, Space>& form, index_t e, const double (&x)[Dim + 1],
                                          const double (&n)[Dim], double sign, double (&flux)[Dim], double& trace) {
  using Coefficients = physics::AdvectionCoefficients<Dim, Space>;
  double inside[Dim + 1];
  for (int d = 0; d <= Dim; ++d)
    inside[d] = x[d];
  form.move_inside(e, n, sign, inside);
  double A[Coefficients::n_diffusion];
  form.coefficients.diffusion(form.regions(e), inside, A);
  Coefficients::multiply(A, n, flux);
  trace = Coefficients::trace(A);
  double sum = 0.;
  for (int d = 0; d < Dim; ++d)
    sum += n[d] * flux[d];
  return sum;
}

/// b . n of element e, as above.
template <int Dim, class Space>
KOKKOS_INLINE_FUNCTION double normal_advection(const Form<Dim, Space>& form, index_t e, const double (&x)[Dim + 1],
                                               const double (&n)[Dim], double sign) {
  double inside[Dim + 1];
  for (int d = 0; d <= Dim; ++d)
    inside[d] = x[d];
  form.move_inside(e, n, sign, inside);
  double b[Dim];
  form.coefficients.advection(form.regions(e), inside, b);
  double sum = 0.;
  for (int d = 0; d < Dim; ++d)
    sum += n[d] * b[d];
  return sum;
}
} // namespace detail

/// Terms of element e with itself at a point of an interior face with the element `other`; the terms between e's test
/// and other's trial functions are -alpha, beta and -gamma with other's flux. Each element upwinds by b of its side.
template <int Dim, class Space>
KOKKOS_INLINE_FUNCTION FaceTerms<Dim> interior_terms(const Form<Dim, Space>& form, index_t face, index_t e,
                                                     index_t other, const double (&x)[Dim + 1],
                                                     const double (&n)[Dim]) {
  FaceTerms<Dim> terms;
  double trace;
  detail::normal_flux(form, e, x, n, 1., terms.flux, trace);
  detail::normal_flux(form, other, x, n, -1., terms.other_flux, trace);
  const double bn = detail::normal_advection(form, e, x, n, 1.);
  terms.alpha = form.penalty(face) - (bn < 0. ? bn : 0.);
  terms.beta = -form.flux_weight(face);
  terms.gamma = terms.beta;
  return terms;
}

/// Terms at a point of a boundary face of element e. The part of the boundary is determined at each point, as in the
/// integrals of the form: A and b may change along a face.
template <int Dim, class Space>
KOKKOS_INLINE_FUNCTION FaceTerms<Dim> boundary_terms(const Form<Dim, Space>& form, index_t face, index_t e,
                                                     const double (&x)[Dim + 1], const double (&n)[Dim]) {
  using physics::AdvectionCondition;
  using physics::BoundaryPart;
  FaceTerms<Dim> terms;
  double trace;
  const group_t group = form.boundary_group(face);
  const AdvectionCondition condition = form.coefficients.condition(group);
  const double an = detail::normal_flux(form, e, x, n, 1., terms.flux, trace);
  const double bn = detail::normal_advection(form, e, x, n, 1.);
  const BoundaryPart part = physics::boundary_part(condition, an, trace, bn);
  const double g = form.coefficients.boundary_value(group, x);
  if (part == BoundaryPart::dirichlet) {
    terms.alpha = form.penalty(face) - (bn < 0. ? bn : 0.);
    terms.beta = -1.;
    terms.gamma = -1.;
    terms.load_value = terms.alpha * g;
    terms.load_flux = -g;
  } else if (part == BoundaryPart::inflow) {
    terms.alpha = -bn;
    terms.load_value = condition == AdvectionCondition::dirichlet ? -bn * g : 0.;
  } else if (part == BoundaryPart::neumann) {
    terms.load_value = condition == AdvectionCondition::neumann ? g : 0.;
  }
  return terms;
}

} // namespace tessera::assembly::dg

#endif
