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

/// Base of the paper's two approaches: the items of the kernels. `Number` is the precision of the matrix and of its
/// entries while they are computed.
template <class ExecutionSpace, int Dim, class Number>
class EntryAssembler : public FormAssembler<ExecutionSpace, Dim> {
public:
  using Space = typename ExecutionSpace::memory_space;
  using FormAssembler<ExecutionSpace, Dim>::FormAssembler;
  void symbolic(const ExecutionSpace& exec) override {
    constexpr bool is_double = std::is_same_v<Number, double>;
    this->prepare(exec, this->form_, is_double ? Precision::double_precision : Precision::single_precision);
    rules_ = entry_rules<Number>(exec, this->form_);
    const EntryIntegrals<Dim, Space> integrals{this->form_, true};
    simplices_ = entry_items<Integral::volume>(exec, integrals, this->form_.n_simplices());
    interior_faces_ = entry_items<Integral::interior>(exec, integrals, this->form_.faces.n_interior);
  }

protected:
  EntryIntegrals<Dim, Space, Number> integrals(bool with_matrix) const { return {this->form_, with_matrix, rules_}; }
  /// The values of the matrix.
  const Array<Number*, Space>& values() const {
    if constexpr (std::is_same_v<Number, double>)
      return this->matrix_.values;
    else
      return this->matrix_.single_values;
  }

  EntryRules<Dim, Number, Space> rules_;
  std::vector<EntryItems<Space>> simplices_;
  std::vector<EntryItems<Space>> interior_faces_;
};

/// Strategy `triplets`, approach 1 of the paper (section 3.3): a thread per simplex or face writes the entries of its
/// matrix as triplets, interleaved with those of neighbouring threads; they are sorted by row and column, and the
/// triplets of each entry are summed, which gives the matrix in compressed rows with a pattern of its own. Departures
/// from the paper: row and column are one number, the key of the sort; the sort is stable and runs on the device, so
/// that sums have a fixed order; loads are an additional last column; the rows are copied to the block matrix that all
/// strategies make.
template <class ExecutionSpace, int Dim, class Number>
class Triplets final : public EntryAssembler<ExecutionSpace, Dim, Number> {
public:
  using EntryAssembler<ExecutionSpace, Dim, Number>::EntryAssembler;

private:
  void assemble(const ExecutionSpace& exec, bool with_matrix) override;
};

/// Strategy `atomic`, approach 2 of the paper (section 3.4): with the pattern known, a thread per simplex or face
/// computes the entries of its matrix one after the other, finds their positions by binary search and adds them
/// atomically. The order of the sums, and hence the last bits, differ from run to run. Departures from the paper: the
/// pattern comes from the graph of the elements, on the device, without a sort.
template <class ExecutionSpace, int Dim, class Number>
class Atomic final : public EntryAssembler<ExecutionSpace, Dim, Number> {
public:
  using EntryAssembler<ExecutionSpace, Dim, Number>::EntryAssembler;

private:
  void assemble(const ExecutionSpace& exec, bool with_matrix) override;
};

} // namespace tessera::assembly::dg

#endif
