// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_USER_FORM_HPP
#define TESSERA_ASSEMBLY_USER_FORM_HPP

/// \file
/// Strategies for a user-defined form: include this file where `make_assembler<Space>(form, dofs, options)` is called
/// with it, in one .cpp file to limit compile time. For the forms of this library assembly/assembler.hpp suffices.
///
/// assembly/form.hpp describes the required and optional members of a form; missing ones are reported by the compiler.
/// For a symmetric form every strategy is compiled, for a nonsymmetric one `reference`, `row-gather` and `ebe-atomic`.
/// A specialisation selects other strategies, which saves compile time:
///
///     template <> struct tessera::assembly::strategies_of<MyForm> {
///       using type = StrategyList<Strategy::row_gather>;
///     };
///
/// docs/library.md has an example.

#include "assembly/factory.hpp"

#endif
