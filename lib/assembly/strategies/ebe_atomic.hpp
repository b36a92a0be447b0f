// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_STRATEGIES_EBE_ATOMIC_HPP
#define TESSERA_ASSEMBLY_STRATEGIES_EBE_ATOMIC_HPP

#include "assembly/elements/recomputed_operator.hpp"

namespace tessera::assembly {

/// Strategy `ebe-atomic`: every product recomputes the element matrices and adds atomically; no colours.
template <class ExecutionSpace, class Form> using EbeAtomic = RecomputedElements<ExecutionSpace, Form, true>;

} // namespace tessera::assembly

#endif
