// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_ENTRY_STRATEGIES_HPP
#define TESSERA_ASSEMBLY_DG_ENTRY_STRATEGIES_HPP

/// \file
/// The strategies that compute a matrix entry by entry, for tests and for comparison.

#include "assembly/dg/assembler.hpp"
#include "assembly/dg/entry_items.hpp"

namespace tessera::assembly::dg {

/// Strategy `reference`: serial loops over elements, faces, test and trial functions, as equations 2.4 and 2.5 are
/// written; the reference for testing all other strategies. On a device the form is copied to the host and the matrix
/// back.
template <class ExecutionSpace, int Dim> class Reference final : public FormAssembler<ExecutionSpace, Dim> {
public:
  using FormAssembler<ExecutionSpace, Dim>::FormAssembler;
  void symbolic(const ExecutionSpace&) override {}

private:
  void assemble(const ExecutionSpace& exec, bool with_matrix) override;
};

/// Base of the paper's two approaches: the items of the kernels.
template <class ExecutionSpace, int Dim> class EntryAssembler : public FormAssembler<ExecutionSpace, Dim> {
public:
  using Space = typename ExecutionSpace::memory_space;
  using FormAssembler<ExecutionSpace, Dim>::FormAssembler;
  void symbolic(const ExecutionSpace& exec) override {
    FormAssembler<ExecutionSpace, Dim>::symbolic(exec);
    const EntryIntegrals<Dim, Space> integrals{this->form_, true};
    simplices_ = entry_items<Integral::volume>(exec, integrals, this->form_.n_simplices());
    interior_faces_ = entry_items<Integral::interior>(exec, integrals, this->form_.faces.n_interior);
  }

protected:
  std::vector<EntryItems<Space>> simplices_;
  std::vector<EntryItems<Space>> interior_faces_;
};

/// Strategy `triplets`, approach 1 of the paper (section 3.3): a thread per simplex or face writes the entries of its
/// matrix as triplets, interleaved with those of neighbouring threads; they are sorted by row and column, and the
/// triplets of each entry are summed. Departures from the paper: the sort is stable and runs on the device, so that
/// sums have a fixed order; loads are an additional last column; the sums are written to the block matrix that all
/// strategies make.
template <class ExecutionSpace, int Dim> class Triplets final : public EntryAssembler<ExecutionSpace, Dim> {
public:
  using EntryAssembler<ExecutionSpace, Dim>::EntryAssembler;

private:
  void assemble(const ExecutionSpace& exec, bool with_matrix) override;
};

/// Strategy `atomic`, approach 2 of the paper (section 3.4): with the pattern known, a thread per simplex or face
/// computes the entries of its matrix one after the other, finds their positions by binary search and adds them
/// atomically. The order of the sums, and hence the last bits, differ from run to run. Departures from the paper: the
/// pattern comes from the graph of the elements, on the device, without a sort.
template <class ExecutionSpace, int Dim> class Atomic final : public EntryAssembler<ExecutionSpace, Dim> {
public:
  using EntryAssembler<ExecutionSpace, Dim>::EntryAssembler;

private:
  void assemble(const ExecutionSpace& exec, bool with_matrix) override;
};

} // namespace tessera::assembly::dg

#endif
