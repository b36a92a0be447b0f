// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_STRATEGIES_REFERENCE_HPP
#define TESSERA_ASSEMBLY_STRATEGIES_REFERENCE_HPP

#include "assembly/crs_assembler.hpp"

#include <map>
#include <vector>

namespace tessera::assembly {

/// A matrix as the textbook has it: a map of columns per row.
struct ReferenceSystem {
  std::vector<std::map<index_t, double>> rows;
  std::vector<double> rhs;
};

/// The textbook loop: for every element, for every pair of its nodes, add. Serial, on the host; what every other
/// strategy is held against.
template <class HostForm> ReferenceSystem assemble_reference(const HostForm& form, const fe::DofMap<HostMemory>& dofs) {
  constexpr int N = HostForm::n_nodes;
  ReferenceSystem system;
  system.rows.resize(dofs.n_free);
  system.rhs.assign(dofs.n_free, 0.);
  for (index_t s = 0; s < dofs.n_tied(); ++s)
    system.rhs[dofs.n_regular + s] = dofs.tied_totals(s);
  for (index_t e = 0; e < form.n_elements(); ++e) {
    index_t n[N];
    double K[N][N];
    double f[N];
    form.nodes(e, n);
    form.system(e, n, K, f);
    for (int a = 0; a < N; ++a) {
      const index_t row = dofs.node_dof(n[a]);
      if (row >= dofs.n_free)
        continue;
      system.rhs[row] += f[a];
      for (int b = 0; b < N; ++b) {
        const index_t column = dofs.node_dof(n[b]);
        if (column < dofs.n_free)
          system.rows[row][column] += K[a][b];
        else
          system.rhs[row] -= K[a][b] * dofs.fixed_values(column - dofs.n_free);
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
    const auto form = this->loop_.form.to_host(exec);
    const fe::DofMap<HostMemory> dofs = fe::to_host(exec, this->dof_map_);
    const ReferenceSystem system = assemble_reference(form, dofs);

    std::int64_t n_entries = 0;
    for (const auto& row : system.rows)
      n_entries += static_cast<std::int64_t>(row.size());
    auto& matrix = this->matrix_;
    matrix.offsets = make_array<Array<offset_t*, Space>>(exec, "assembly::row_offsets", dofs.n_free + 1);
    matrix.columns =
        make_array<Array<index_t*, Space>>(exec, "assembly::columns", checked_offset(n_entries, "matrix entries"));
    this->allocate_values(exec);
    auto offsets = Kokkos::create_mirror_view(matrix.offsets);
    auto columns = Kokkos::create_mirror_view(matrix.columns);
    auto values = Kokkos::create_mirror_view(matrix.values);
    auto rhs = Kokkos::create_mirror_view(this->rhs_);
    offset_t entry = 0;
    for (index_t row = 0; row < dofs.n_free; ++row) {
      offsets(row) = entry;
      rhs(row) = system.rhs[row];
      for (const auto& pair : system.rows[row]) {
        columns(entry) = pair.first;
        values(entry++) = pair.second;
      }
    }
    offsets(dofs.n_free) = entry;
    Kokkos::deep_copy(exec, matrix.offsets, offsets);
    Kokkos::deep_copy(exec, matrix.columns, columns);
    Kokkos::deep_copy(exec, matrix.values, values);
    Kokkos::deep_copy(exec, this->rhs_, rhs);
    exec.fence(); // the mirrors go
  }

  linalg::Traffic numeric_traffic() const override {
    return {element_bytes(this->loop_) + pattern_bytes(this->matrix_) + value_bytes(this->matrix_), 0.};
  }
};

} // namespace tessera::assembly

#endif
