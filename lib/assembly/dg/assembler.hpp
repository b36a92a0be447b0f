// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_ASSEMBLER_HPP
#define TESSERA_ASSEMBLY_DG_ASSEMBLER_HPP

/// \file
/// The common interface of the strategies that assemble the discontinuous Galerkin form. A new strategy needs its files
/// in this folder, an enumerator and a row in strategy.hpp, and a line in assembler.cpp.

#include "assembly/dg/blocks/block_entries.hpp"
#include "assembly/dg/blocks/block_pattern.hpp"
#include "assembly/dg/form/form.hpp"
#include "assembly/dg/strategy.hpp"

#include <memory>

namespace tessera::assembly::dg {

/// An assembly strategy for a dG form: symbolic() once per mesh and space, then numeric() or load() whenever the
/// coefficients change. Kernels are compiled per dimension and space; degrees are chosen at run time.
template <class ExecutionSpace> class Assembler {
public:
  using memory_space = typename ExecutionSpace::memory_space;
  using matrix_type = linalg::BlockCrsMatrix<memory_space>;

  virtual ~Assembler() = default;
  /// Computes everything that depends only on mesh and space: the pattern, and the matrix's memory.
  virtual void symbolic(const ExecutionSpace& exec) = 0;
  /// Computes the values of the matrix and of the right-hand side, in a time slab or at a time. Repeatable.
  virtual void numeric(const ExecutionSpace& exec, const TimeSlab<memory_space>& slab = {}) = 0;
  /// Computes only the right-hand side, after symbolic(), with the bits of numeric() if the strategy is deterministic.
  virtual void load(const ExecutionSpace& exec, const TimeSlab<memory_space>& slab = {}) = 0;

  const matrix_type& matrix() const { return matrix_; }
  const Array<double*, memory_space>& rhs() const { return rhs_; }

protected:
  /// Makes the pattern and allocates values and right-hand side.
  template <int Dim>
  BlockPattern<memory_space> prepare(const ExecutionSpace& exec, const Form<Dim, memory_space>& form,
                                     Precision precision = Precision::double_precision) {
    BlockPattern<memory_space> pattern;
    matrix_ = make_block_pattern(exec, form.faces, form.space, pattern);
    const std::int64_t n_values = matrix_.block_size > 0
                                      ? std::int64_t(matrix_.n_blocks()) * matrix_.block_size * matrix_.block_size
                                      : read_entry(exec, matrix_.value_offsets, matrix_.n_blocks());
    if (precision == Precision::single_precision)
      matrix_.single_values = make_array<Array<float*, memory_space>>(exec, "assembly::dg::values", n_values);
    else
      matrix_.values = make_array<Array<double*, memory_space>>(exec, "assembly::dg::values", n_values);
    rhs_ = make_array<Array<double*, memory_space>>(exec, "assembly::dg::rhs", form.space.n_dofs);
    return pattern;
  }
  /// Where the values of the matrix are stored.
  BlockValues block_values() const {
    return matrix_.is_single() ? BlockValues{matrix_.single_values.data(), true}
                               : BlockValues{matrix_.values.data(), false};
  }

  matrix_type matrix_;
  Array<double*, memory_space> rhs_;
};

/// Base of the strategies: one function computes matrix and right-hand side.
template <class ExecutionSpace, int Dim> class FormAssembler : public Assembler<ExecutionSpace> {
public:
  using Space = typename ExecutionSpace::memory_space;
  explicit FormAssembler(const Form<Dim, Space>& form) : form_(form) {}
  void symbolic(const ExecutionSpace& exec) override { this->prepare(exec, form_); }
  void numeric(const ExecutionSpace& exec, const TimeSlab<Space>& slab) final {
    form_.set_slab(slab);
    assemble(exec, true);
  }
  void load(const ExecutionSpace& exec, const TimeSlab<Space>& slab) final {
    form_.set_slab(slab);
    assemble(exec, false);
  }

protected:
  virtual void assemble(const ExecutionSpace& exec, bool with_matrix) = 0;

  Form<Dim, Space> form_;
};

/// Makes a strategy for a form. Throws for a precision that the strategy does not have.
template <class ExecutionSpace, int Dim>
std::unique_ptr<Assembler<ExecutionSpace>> make_assembler(const Form<Dim, typename ExecutionSpace::memory_space>& form,
                                                          Strategy strategy = Strategy::automatic,
                                                          Precision precision = Precision::double_precision);

} // namespace tessera::assembly::dg

#endif
