// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_STRATEGIES_EBE_STORED_HPP
#define TESSERA_ASSEMBLY_STRATEGIES_EBE_STORED_HPP

#include "assembly/elements/recomputed_operator.hpp"

#include <memory>

namespace tessera::assembly {

/// Strategies `ebe-recomputed` (EbE-v2 of the A-FEM paper: matrices recomputed in every application, by colours) and
/// `ebe-atomic` (the same without colours).
template <class ExecutionSpace, class Form, bool Atomic>
class RecomputedElements final : public Assembler<ExecutionSpace> {
  using Space = typename ExecutionSpace::memory_space;
  using Operator = RecomputedOperator<ExecutionSpace, Form, Atomic>;
  using typename Assembler<ExecutionSpace>::operator_type;

public:
  RecomputedElements(const Form& form, const fe::DofMap<Space>& dofs, const AssemblyOptions& options)
      : loop_(form, dofs), dof_map_(dofs), options_(options) {}

  void symbolic(const ExecutionSpace& exec) override {
    ColorClasses<Space> classes = Atomic ? ColorClasses<Space>::one_class(loop_.n_elements())
                                         : color_elements(exec, loop_.form, dof_map_, options_, this->coloring_);
    operator_ =
        std::make_unique<Operator>(loop_, std::move(classes), SharedRows<ExecutionSpace, Form>(exec, loop_, dof_map_));
    this->rhs_ = make_array<linalg::Vector<ExecutionSpace>>(exec, "assembly::rhs", loop_.n_free);
  }

  void numeric(const ExecutionSpace& exec) override { operator_->loads(exec, this->rhs_); }
  const operator_type& system() const override { return *operator_; }
  linalg::Traffic numeric_traffic() const override {
    return {element_bytes(loop_) + (Atomic ? 0. : 4. * loop_.n_elements()) + 8. * loop_.n_free, 0.};
  }

private:
  ElementLoop<Form> loop_;
  fe::DofMap<Space> dof_map_;
  AssemblyOptions options_;
  std::unique_ptr<Operator> operator_;
};

/// Strategy `ebe-stored` (EbE-v1 of the A-FEM paper; EBE-J-PCG): element matrices evaluated once and kept.
template <class ExecutionSpace, class Form> class StoredElements final : public Assembler<ExecutionSpace> {
  using Space = typename ExecutionSpace::memory_space;
  using Operator = StoredOperator<ExecutionSpace, Form>;
  using typename Assembler<ExecutionSpace>::operator_type;

public:
  StoredElements(const Form& form, const fe::DofMap<Space>& dofs, const AssemblyOptions& options)
      : loop_(form, dofs), dof_map_(dofs), options_(options) {}

  void symbolic(const ExecutionSpace& exec) override {
    operator_ = nullptr;
    ColorClasses<Space> classes = color_elements(exec, loop_.form, dof_map_, options_, this->coloring_);
    operator_ = std::make_unique<Operator>(exec, loop_, std::move(classes),
                                           SharedRows<ExecutionSpace, Form>(exec, loop_, dof_map_));
    this->rhs_ = make_array<linalg::Vector<ExecutionSpace>>(exec, "assembly::rhs", loop_.n_free);
  }

  void numeric(const ExecutionSpace& exec) override { operator_->evaluate(exec, this->rhs_); }
  const operator_type& system() const override { return *operator_; }
  const linalg::ElementLevelOperator<ExecutionSpace>* elements() const override { return operator_.get(); }
  linalg::Traffic numeric_traffic() const override { return {element_bytes(loop_) + operator_->traffic().bytes, 0.}; }

private:
  ElementLoop<Form> loop_;
  fe::DofMap<Space> dof_map_;
  AssemblyOptions options_;
  std::unique_ptr<Operator> operator_;
};

} // namespace tessera::assembly

#endif
