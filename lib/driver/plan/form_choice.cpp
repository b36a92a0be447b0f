// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/plan/form_choice.hpp"

#include "io/input/temperature.hpp"

namespace tessera::driver {

FormChoice choose_form(const io::ProblemOptions& problem, bool has_curved_elements) {
  FormChoice form;
  form.has_curved_elements = has_curved_elements;
  form.has_storage = problem.time.requested();
  form.has_temperature = io::depends_on_temperature(problem);
  if (form.has_temperature) {
    form.has_point_coefficients = true;
    form.has_point_capacity = form.has_storage;
  }
  bool has_signs = false;
  for (const io::Material& material : problem.materials) {
    for (const io::Scalar& entry : material.coefficient.diagonal)
      form.has_point_coefficients = form.has_point_coefficients || !entry.is_constant;
    for (const io::Scalar& entry : material.coefficient.off_diagonal) {
      form.has_tensors = true;
      form.has_point_coefficients = form.has_point_coefficients || !entry.is_constant;
    }
    for (const io::Scalar& factor : material.capacity)
      form.has_point_capacity = form.has_point_capacity || (form.has_storage && !factor.is_constant);
    form.has_point_remanence =
        form.has_point_remanence || (material.magnet && !material.magnet->has_constant_direction());
    if (material.shell && !io::has_vector_potential(problem.physics)) // a varying tensor
      form.has_tensors = form.has_point_coefficients = true;
    form.has_bh_curve = form.has_bh_curve || !material.bh_curve.empty();
  }
  form.has_point_sources = problem.coupling == io::Coupling::losses_heat;
  for (const io::Source& source : problem.sources)
    form.has_point_sources = form.has_point_sources || !source.density.is_constant;
  for (const io::Boundary& boundary : problem.boundaries)
    switch (boundary.kind) {
    case io::BoundaryKind::flux:
    case io::BoundaryKind::robin:
    case io::BoundaryKind::asymptotic:
    case io::BoundaryKind::radiation:
      form.has_natural = true;
      form.has_radiation = form.has_radiation || boundary.kind == io::BoundaryKind::radiation;
      break;
    case io::BoundaryKind::antiperiodic:
      has_signs = true; // closed formulas do not support signs of nodes
      form.has_periodic = true;
      break;
    case io::BoundaryKind::periodic:
      form.has_periodic = true;
      break;
    case io::BoundaryKind::value:
    case io::BoundaryKind::floating:
    case io::BoundaryKind::joint: // added to the matrix of any form
      break;
    }
  if (io::has_vector_potential(problem.physics))
    form.kind = FormKind::magnetic;
  else if (form.has_temperature)
    form.kind = FormKind::thermal;
  else if (form.has_point_coefficients || form.has_tensors || form.has_point_sources || form.has_natural || has_signs ||
           form.has_storage || has_curved_elements || problem.symmetry == io::Symmetry::axisymmetric)
    form.kind = FormKind::quadrature;
  return form;
}

} // namespace tessera::driver
