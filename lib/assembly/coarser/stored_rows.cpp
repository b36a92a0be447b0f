// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/coarser/stored_rows.hpp"

#include "assembly/factory.hpp"

#include <utility>

namespace tessera::assembly {

namespace {

/// A form of order 1 that reads its element matrices.
template <int Dim, class MemorySpace> struct StoredForm {
  using memory_space = MemorySpace;
  static constexpr int dimension = Dim;
  static constexpr int n_nodes = Dim + 1;

  Array<const index_t* [n_nodes], MemorySpace> element_nodes;
  PackedMatrices<Dim, MemorySpace> matrices;

  KOKKOS_FUNCTION double entry(index_t e, int a, int b) const {
    return matrices(e, a > b ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a);
  }
  KOKKOS_FUNCTION void system(index_t e, const index_t (&)[n_nodes], double (&K)[n_nodes][n_nodes],
                              double (&f)[n_nodes]) const {
    for (int a = 0; a < n_nodes; ++a) {
      f[a] = 0.;
      for (int b = 0; b < n_nodes; ++b)
        K[a][b] = entry(e, a, b);
    }
  }
  KOKKOS_FUNCTION double row(index_t e, int a, index_t (&n)[n_nodes], double (&k)[n_nodes]) const {
    for (int b = 0; b < n_nodes; ++b) {
      n[b] = element_nodes(e, b);
      k[b] = entry(e, a, b);
    }
    return 0.;
  }
};

template <class ExecutionSpace, int Dim>
class StoredRows final : public RowGather<ExecutionSpace, StoredForm<Dim, typename ExecutionSpace::memory_space>> {
  using Space = typename ExecutionSpace::memory_space;
  using Base = RowGather<ExecutionSpace, StoredForm<Dim, Space>>;

public:
  StoredRows(const CoarserLevel<Dim, Space>& level, ComputeMatrices<ExecutionSpace, Dim> compute)
      : Base({level.element_nodes, {}}, level.dofs), compute_(std::move(compute)) {}

  void numeric(const ExecutionSpace& exec) override {
    compute(exec);
    Base::numeric(exec);
    drop(exec);
  }
  void load(const ExecutionSpace& exec) override {
    compute(exec);
    Base::load(exec);
    drop(exec);
  }

private:
  void compute(const ExecutionSpace& exec) {
    auto& matrices = this->loop_.form.matrices;
    matrices = make_array<PackedMatrices<Dim, Space>>(exec, "assembly::coarser_matrices", this->loop_.n_elements());
    compute_(exec, matrices);
  }
  void drop(const ExecutionSpace& exec) {
    keep_alive(exec, this->loop_.form.matrices);
    this->loop_.form.matrices = {};
  }

  ComputeMatrices<ExecutionSpace, Dim> compute_;
};

} // namespace

template <class ExecutionSpace, int Dim>
std::unique_ptr<Assembler<ExecutionSpace>>
make_stored_rows(const CoarserLevel<Dim, typename ExecutionSpace::memory_space>& level,
                 ComputeMatrices<ExecutionSpace, Dim> compute) {
  return std::make_unique<StoredRows<ExecutionSpace, Dim>>(level, std::move(compute));
}

#define TESSERA_INSTANTIATE_DIM(SPACE, DIM)                                                                            \
  template std::unique_ptr<Assembler<SPACE>> make_stored_rows<SPACE, DIM>(                                             \
      const CoarserLevel<DIM, SPACE::memory_space>&, ComputeMatrices<SPACE, DIM>);
#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  TESSERA_INSTANTIATE_DIM(SPACE, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(SPACE, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::assembly
