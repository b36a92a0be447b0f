// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_BLOCK_ROWS_HPP
#define TESSERA_ASSEMBLY_DG_BLOCK_ROWS_HPP

#include "assembly/dg/assembler.hpp"
#include "assembly/dg/moments.hpp"

namespace tessera::assembly::dg {

/// Strategy `block-rows`: a team per element makes its block row and load alone, so that nothing is atomic. Volume
/// terms come from moments (moments.hpp); then the team goes interface by interface through the quadrature points of
/// its faces, in a fixed order: basis functions at a batch of points are kept in scratch memory, and each entry of a
/// block is a sum of their products in the order of the points. On a host a thread is a team of one. Same bits on every
/// backend.
template <class ExecutionSpace, int Dim> class BlockRows final : public Assembler<ExecutionSpace> {
public:
  using Space = typename ExecutionSpace::memory_space;
  explicit BlockRows(const Form<Dim, Space>& form) : form_(form) {}
  void symbolic(const ExecutionSpace& exec) override;
  void numeric(const ExecutionSpace& exec, const TimeSlab<Space>& slab) override { assemble(exec, slab, true); }
  void load(const ExecutionSpace& exec, const TimeSlab<Space>& slab) override { assemble(exec, slab, false); }

private:
  void assemble(const ExecutionSpace& exec, const TimeSlab<Space>& slab, bool with_matrix);

  Form<Dim, Space> form_;
  BlockPattern<Space> pattern_;
  MomentTables<Dim, Space> tables_;
};

} // namespace tessera::assembly::dg

#endif
