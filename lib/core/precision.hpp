// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_PRECISION_HPP
#define TESSERA_CORE_PRECISION_HPP

namespace tessera {

/// Storage precision of floating-point data.
enum class Precision { single_precision, double_precision };

} // namespace tessera

#endif
