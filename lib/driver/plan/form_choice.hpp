// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PLAN_FORM_CHOICE_HPP
#define TESSERA_DRIVER_PLAN_FORM_CHOICE_HPP

/// \file
/// Which form of element matrices a problem uses. This is the only place that decides: a run makes the form assumed by
/// its plan, the memory estimate and `assembly.strategy: auto`.

#include "io/input/case.hpp"

namespace tessera::driver {

enum class FormKind {
  closed,     ///< physics::UniformDiffusion: closed formulas, constant data by region
  quadrature, ///< physics::GeneralDiffusion
  thermal,    ///< physics::ThermalDiffusion, also by quadrature
  magnetic    ///< physics::Magnetostatics, also by quadrature
};

/// The form and the kinds of its data.
struct FormChoice {
  FormKind kind = FormKind::closed;
  bool has_point_coefficients = false; ///< coefficients that vary within a region
  bool has_tensors = false;            ///< coefficients with off-diagonal entries
  bool has_point_sources = false;
  bool has_point_remanence = false; ///< magnets with varying direction
  bool has_natural = false;         ///< flux, robin, radiation or asymptotic boundaries
  bool has_radiation = false;       ///< at least one radiation boundary
  bool has_bh_curve = false;
  bool has_temperature = false; ///< materials that depend on it
  bool has_periodic = false;
  bool has_storage = false;         ///< of time-dependent problems
  bool has_point_capacity = false;  ///< capacities that vary within a region
  bool has_curved_elements = false; ///< of order 2 along curved boundaries; closed formulas are for straight elements
                                    ///< only

  bool has_iterate() const { return has_radiation || has_bh_curve || has_temperature; }
  bool needs_quadrature() const { return kind != FormKind::closed; }
};

FormChoice choose_form(const io::ProblemOptions& problem, bool has_curved_elements);

} // namespace tessera::driver

#endif
