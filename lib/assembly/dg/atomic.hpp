// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_ATOMIC_HPP
#define TESSERA_ASSEMBLY_DG_ATOMIC_HPP

#include "assembly/dg/assembler.hpp"

namespace tessera::assembly::dg {

/// Strategy `atomic`, approach 2 of the paper (section 3.4): with the pattern known, a thread per simplex or face
/// computes the entries of its matrix one after the other, finds their positions by binary search and adds them
/// atomically. The order of the sums, and hence the last bits, differ from run to run. Departures from the paper: the
/// pattern comes from the graph of the elements, on the device, without a sort.
template <class ExecutionSpace, int Dim> class Atomic final : public Assembler<ExecutionSpace> {
public:
  using Space = typename ExecutionSpace::memory_space;
  explicit Atomic(const Form<Dim, Space>& form) : form_(form) {}
  void symbolic(const ExecutionSpace& exec) override { this->prepare(exec, form_); }
  void numeric(const ExecutionSpace& exec, const TimeSlab<Space>& slab) override;
  void load(const ExecutionSpace& exec, const TimeSlab<Space>& slab) override;

private:
  void assemble(const ExecutionSpace& exec, const TimeSlab<Space>& slab, bool with_matrix);

  Form<Dim, Space> form_;
};

} // namespace tessera::assembly::dg

#endif
