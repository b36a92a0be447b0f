// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_REFERENCE_HPP
#define TESSERA_ASSEMBLY_DG_REFERENCE_HPP

#include "assembly/dg/assembler.hpp"

namespace tessera::assembly::dg {

/// Strategy `reference`: serial loops over elements, faces, test and trial functions, as equations 2.4 and 2.5 are
/// written; the reference for testing all other strategies. On a device the form is copied to the host and the matrix
/// back.
template <class ExecutionSpace, int Dim> class Reference final : public Assembler<ExecutionSpace> {
public:
  using Space = typename ExecutionSpace::memory_space;
  explicit Reference(const Form<Dim, Space>& form) : form_(form) {}
  void symbolic(const ExecutionSpace&) override {}
  void numeric(const ExecutionSpace& exec, const TimeSlab<Space>& slab) override;
  void load(const ExecutionSpace& exec, const TimeSlab<Space>& slab) override;

private:
  Form<Dim, Space> form_;
};

} // namespace tessera::assembly::dg

#endif
