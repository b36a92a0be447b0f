// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_STRATEGIES_COLORED_HPP
#define TESSERA_ASSEMBLY_STRATEGIES_COLORED_HPP

#include "assembly/elements/accumulate_elements.hpp"
#include "assembly/elements/scatter_elements.hpp"
#include "assembly/rows/row_assembler.hpp"

namespace tessera::assembly {

/// Strategy `colored`: like `atomic`, but colour by colour with plain additions; elements of one colour share no node
/// (EBE paper, section II.B). Deterministic if the colouring is. Rows of tied unknowns are summed separately.
///
/// Minimum traffic of numeric(): as for `atomic`, plus the permutation by colour.
template <class ExecutionSpace, class Form> class Colored final : public RowAssembler<ExecutionSpace, Form> {
  using Base = RowAssembler<ExecutionSpace, Form>;
  using typename Base::Loop;
  using typename Base::Space;

public:
  Colored(const Form& form, const fe::DofMap<Space>& dofs, const AssemblyOptions& options)
      : Base(form, dofs), options_(options) {}

  void symbolic(const ExecutionSpace& exec) override {
    this->make_pattern(exec);
    classes_ = color_elements(exec, this->loop_, this->dof_map_, options_, this->coloring_);
  }

  void numeric(const ExecutionSpace& exec) override {
    this->allocate_values(exec);
    fill(exec, this->matrix_.values, 0.);
    fill(exec, this->rhs_, 0.);
    for (int c = 0; c < classes_.n_colors(); ++c)
      for_each("tessera::assembly::scatter_color", exec, classes_.size(c),
               detail::ScatterElements<Loop, false, true, 1>{this->loop_, this->matrix_.offsets, this->matrix_.columns,
                                                             this->matrix_.values, this->rhs_, classes_.elements,
                                                             classes_.begin(c), classes_.begin(c) + classes_.size(c)});
    this->finish_tied_rows(exec);
  }

  void load(const ExecutionSpace& exec) override {
    this->allocate_rhs(exec);
    accumulate_elements<false, true>(exec, this->loop_, classes_, this->rhs_);
    this->tied_.loads(exec, this->loop_, this->rhs_);
  }

  linalg::Traffic symbolic_traffic() const override {
    return {element_bytes(this->loop_) + incidence_bytes(this->loop_) + pattern_bytes(this->matrix_), 0.};
  }
  linalg::Traffic numeric_traffic() const override {
    return {element_bytes(this->loop_) + this->loop_.n_elements() * 4. + pattern_bytes(this->matrix_) +
                3. * value_bytes(this->matrix_),
            0.};
  }

private:
  AssemblyOptions options_;
  ColorClasses<Space> classes_;
};

} // namespace tessera::assembly

#endif
