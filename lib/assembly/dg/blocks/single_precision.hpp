// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_BLOCKS_SINGLE_PRECISION_HPP
#define TESSERA_ASSEMBLY_DG_BLOCKS_SINGLE_PRECISION_HPP

namespace tessera::assembly::dg {

/// Whether this build has matrices in single precision, for strategies that support them (StrategyTraits). They gain
/// little on hosts and take as long to compile as those in double precision: GPU builds have them, and builds in which
/// hosts test the GPU kernels.
bool has_single_precision();

} // namespace tessera::assembly::dg

#endif
