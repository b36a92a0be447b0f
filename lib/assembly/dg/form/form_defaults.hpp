// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_FORM_FORM_DEFAULTS_HPP
#define TESSERA_ASSEMBLY_DG_FORM_FORM_DEFAULTS_HPP

/// \file
/// Defaults of the form that are shared by the input and the library.

namespace tessera::assembly::dg {

/// C_sigma of the interior penalty; see docs/theory.md for the condition of coercivity.
constexpr double default_penalty_constant = 5.;

} // namespace tessera::assembly::dg

#endif
