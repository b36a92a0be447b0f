// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PLAN_FORM_CHOICE_HPP
#define TESSERA_DRIVER_PLAN_FORM_CHOICE_HPP

/// \file
/// Which form of element matrices a problem has. Decided here alone: a run makes the form that its plan, and with it
/// the memory estimate and `assembly.strategy: auto`, counted on.

#include "io/case.hpp"

namespace tessera::driver {

enum class FormKind {
  closed,     ///< physics::UniformDiffusion: closed formulas, constant data by region
  quadrature, ///< physics::GeneralDiffusion
  magnetic    ///< physics::Magnetostatics, by quadrature as well
};

/// The form and the data that it holds.
struct FormChoice {
  FormKind kind = FormKind::closed;
  bool has_point_coefficients = false; ///< coefficients that vary inside of a region
  bool has_tensors = false;            ///< coefficients with entries off the diagonal
  bool has_point_sources = false;
  bool has_point_remanence = false; ///< magnets whose direction varies
  bool has_natural = false;         ///< flux, robin, radiation or asymptotic boundaries
  bool has_radiation = false;       ///< some of them
  bool has_bh_curve = false;
  bool has_periodic = false;
  bool has_curved_elements = false; ///< of order 2 along curved boundaries; closed formulas know straight ones only

  bool has_iterate() const { return has_radiation || has_bh_curve; }
  bool needs_quadrature() const { return kind != FormKind::closed; }
};

FormChoice choose_form(const io::ProblemOptions& problem, bool has_curved_elements);

} // namespace tessera::driver

#endif
