// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_STRATEGIES_REFERENCE_HPP
#define TESSERA_ASSEMBLY_STRATEGIES_REFERENCE_HPP

#include "assembly/crs_assembler.hpp"
#include "core/transfer/upload.hpp"

#include <map>
#include <vector>

namespace tessera::assembly {

/// A matrix as in textbooks: a map of columns per row.
struct ReferenceSystem {
  std::vector<std::map<index_t, double>> rows;
  std::vector<double> rhs;
};

/// The textbook loop: for every element, for every pair of its nodes, add. Serial, on the host; the reference for
/// testing all other strategies. Optionally without the matrix.
template <class HostForm>
ReferenceSystem assemble_reference(const HostForm& form, const fe::DofMap<HostMemory>& dofs, bool with_matrix) {
  constexpr int N = HostForm::n_nodes;
  const ElementLoop<HostForm> loop(form, dofs);
  ReferenceSystem system;
  system.rows.resize(with_matrix ? dofs.n_free : 0);
  system.rhs.assign(dofs.n_free, 0.);
  for (index_t s = 0; s < dofs.n_tied(); ++s)
    system.rhs[dofs.n_regular + s] = dofs.tied_totals(s);
  for (index_t e = 0; e < loop.n_elements(); ++e) {
    index_t n[N];
    double K[N][N];
    double f[N];
    loop.nodes(e, n);
    loop.signed_system(e, n, K, f);
    for (int a = 0; a < N; ++a) {
      const index_t row = loop.dof_of_node(n[a]);
      if (dofs.is_fixed(row))
        continue;
      system.rhs[row] += f[a];
      for (int b = 0; b < N; ++b) {
        const index_t column = loop.dof_of_node(n[b]);
        if (dofs.is_fixed(column))
          system.rhs[row] -= K[a][b] * loop.fixed_value(column);
        else if (with_matrix)
          system.rows[row][column] += K[a][b];
      }
    }
  }
  return system;
}

/// Strategy `reference`. On a device the form's data are copied to the host and the matrix back.
template <class ExecutionSpace, class Form> class Reference final : public CrsAssembler<ExecutionSpace, Form> {
  using Base = CrsAssembler<ExecutionSpace, Form>;
  using typename Base::Loop;
  using typename Base::Space;

public:
  using Base::Base;

  void symbolic(const ExecutionSpace&) override {}

  void numeric(const ExecutionSpace& exec) override {
    const ReferenceSystem system = assemble(exec, true);
    std::vector<offset_t> offsets{0};
    std::vector<index_t> columns;
    std::vector<double> values;
    for (const auto& row : system.rows) {
      for (const auto& [column, value] : row) {
        columns.push_back(column);
        values.push_back(value);
      }
      offsets.push_back(checked_offset(static_cast<std::int64_t>(columns.size()), "matrix entries"));
    }
    auto& matrix = this->matrix_;
    matrix.offsets = uploaded(exec, "assembly::row_offsets", offsets);
    matrix.columns = uploaded(exec, "assembly::columns", columns);
    this->allocate_values(exec);
    upload(exec, matrix.values, values);
  }

  void load(const ExecutionSpace& exec) override { assemble(exec, false); }

  linalg::Traffic numeric_traffic() const override {
    return {element_bytes(this->loop_) + pattern_bytes(this->matrix_) + value_bytes(this->matrix_), 0.};
  }

private:
  /// Assembles on the host and copies the right-hand side.
  ReferenceSystem assemble(const ExecutionSpace& exec, bool with_matrix) {
    ReferenceSystem system = assemble_reference(host_form(exec), fe::to_host(exec, this->dof_map_), with_matrix);
    this->allocate_rhs(exec);
    upload(exec, this->rhs_, system.rhs);
    return system;
  }

  auto host_form(const ExecutionSpace& exec) const {
    if constexpr (Loop::Traits::has_to_host)
      return this->loop_.form.to_host(exec);
    else
      return this->loop_.form;
  }
};

} // namespace tessera::assembly

#endif
