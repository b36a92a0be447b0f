// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_SINGLE_PRECISION_HPP
#define TESSERA_ASSEMBLY_DG_SINGLE_PRECISION_HPP

namespace tessera::assembly::dg {

/// Whether this build has matrices in single precision, of the strategies that have them (StrategyTraits). They gain
/// little on hosts and take as long to compile as those in double precision: builds for GPUs have them, and those in
/// which hosts test the kernels of GPUs.
bool has_single_precision();

} // namespace tessera::assembly::dg

#endif
