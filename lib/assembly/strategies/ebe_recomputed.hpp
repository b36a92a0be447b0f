// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_STRATEGIES_EBE_RECOMPUTED_HPP
#define TESSERA_ASSEMBLY_STRATEGIES_EBE_RECOMPUTED_HPP

#include "assembly/elements/recomputed_operator.hpp"

namespace tessera::assembly {

/// Strategy `ebe-recomputed` (EbE-v2 of the A-FEM paper): every product recomputes the element matrices, colour by
/// colour.
template <class ExecutionSpace, class Form> using EbeRecomputed = RecomputedElements<ExecutionSpace, Form, false>;

} // namespace tessera::assembly

#endif
