// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_OWN_FORM_HPP
#define TESSERA_ASSEMBLY_OWN_FORM_HPP

/// \file
/// Strategies for a form of one's own: include this where `make_assembler<Space>(form, dofs, options)` is called with
/// it, in one .cpp file if compile time counts. For the forms of this library assembly/assembler.hpp is enough.
///
/// assembly/form.hpp says what a form needs and may have; what it lacks is said by the compiler. Every strategy is
/// compiled for a symmetric form, and for one that is not `reference`, `row-gather` and `ebe-atomic`. A specialisation
/// names others, which spares time of the compiler:
///
///     template <> struct tessera::assembly::strategies_of<MyForm> {
///       using type = StrategyList<Strategy::row_gather>;
///     };
///
/// docs/library.md has an example.

#include "assembly/factory.hpp"

#endif
