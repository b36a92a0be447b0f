// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_CHANGED_LOAD_HPP
#define TESSERA_ASSEMBLY_CHANGED_LOAD_HPP

#include "assembly/assembler.hpp"

#include <memory>
#include <utility>

namespace tessera::assembly {

/// Base of assemblers that change the right-hand side of another one and have its matrix.
template <class ExecutionSpace> class WithChangedLoad : public Assembler<ExecutionSpace> {
public:
  using typename Assembler<ExecutionSpace>::matrix_type;
  using typename Assembler<ExecutionSpace>::operator_type;

  void symbolic(const ExecutionSpace& exec) final {
    assembler_->symbolic(exec);
    this->coloring_ = assembler_->coloring();
  }
  void numeric(const ExecutionSpace& exec) final {
    assembler_->numeric(exec);
    take_load(exec);
  }
  void load(const ExecutionSpace& exec) final {
    assembler_->load(exec);
    take_load(exec);
  }
  const operator_type& system() const final { return assembler_->system(); }
  const matrix_type* matrix() const final { return assembler_->matrix(); }
  const linalg::ElementLevelOperator<ExecutionSpace>* elements() const final { return assembler_->elements(); }
  linalg::Traffic symbolic_traffic() const final { return assembler_->symbolic_traffic(); }
  linalg::Traffic numeric_traffic() const final { return assembler_->numeric_traffic(); }

protected:
  explicit WithChangedLoad(std::unique_ptr<Assembler<ExecutionSpace>> assembler) : assembler_(std::move(assembler)) {}

private:
  /// Changes rhs_, the right-hand side of the other assembler.
  virtual void change_load(const ExecutionSpace& exec) = 0;

  void take_load(const ExecutionSpace& exec) {
    this->rhs_ = assembler_->rhs();
    change_load(exec);
  }

  std::unique_ptr<Assembler<ExecutionSpace>> assembler_;
};

} // namespace tessera::assembly

#endif
