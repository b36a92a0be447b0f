// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_FORM_FORM_DEFAULTS_HPP
#define TESSERA_ASSEMBLY_DG_FORM_FORM_DEFAULTS_HPP

/// \file
/// Choices and defaults of the form that are shared by the input and the library.

namespace tessera::assembly::dg {

/// C_sigma of the interior penalty; see docs/theory.md for the condition of coercivity.
constexpr double default_penalty_constant = 5.;

/// How the penalty's factor min(|K| / sup |K^F|, C_cov) is bounded (appendix A of the paper). K^F is the simplex of the
/// mesh at the face; docs/theory.md discusses the choices.
enum class Covering {
  /// C_cov = max(p^(2 (d - 1)), |surface of K| / ((d + 1) |F|)): elements are assumed to be p-coverable, but the
  /// penalty is at least what p = 1 needs on elements with any number of faces.
  surface,
  /// C_cov = p^(2 (d - 1)) on elements that are found to be p-coverable (form/coverable.hpp), infinite on others.
  p_coverable,
  simplices ///< C_cov is infinite: coercive on every mesh, but a large penalty on agglomerates of many simplices
};

/// Quadrature is exact for polynomials of degree 2 p plus at most this.
constexpr int largest_extra_degree = 8;

} // namespace tessera::assembly::dg

#endif
