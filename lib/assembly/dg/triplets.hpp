// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_TRIPLETS_HPP
#define TESSERA_ASSEMBLY_DG_TRIPLETS_HPP

#include "assembly/dg/assembler.hpp"

namespace tessera::assembly::dg {

/// Strategy `triplets`, approach 1 of the paper (section 3.3): a thread per simplex or face writes the entries of its
/// matrix as triplets, interleaved with those of neighbouring threads; they are sorted by row and column, and the
/// triplets of each entry are summed. Departures from the paper: the sort is stable and runs on the device, so that
/// sums have a fixed order; loads are an additional last column; the sums are written to the block matrix that all
/// strategies make.
template <class ExecutionSpace, int Dim> class Triplets final : public Assembler<ExecutionSpace> {
public:
  using Space = typename ExecutionSpace::memory_space;
  explicit Triplets(const Form<Dim, Space>& form) : form_(form) {}
  void symbolic(const ExecutionSpace& exec) override { this->prepare(exec, form_); }
  void numeric(const ExecutionSpace& exec, const TimeSlab<Space>& slab) override { assemble(exec, slab, true); }
  void load(const ExecutionSpace& exec, const TimeSlab<Space>& slab) override { assemble(exec, slab, false); }

private:
  void assemble(const ExecutionSpace& exec, const TimeSlab<Space>& slab, bool with_matrix);

  Form<Dim, Space> form_;
};

} // namespace tessera::assembly::dg

#endif
