// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/evaluation/system_files.hpp"

#include "core/kokkos_ext/spaces.hpp"
#include "core/parallel.hpp"
#include "io/output/matrix_market.hpp"

#include <algorithm>

namespace tessera::driver {

namespace {

template <class ExecutionSpace>
void write_files(const ExecutionSpace& exec, std::int64_t n_rows, bool is_symmetric, const io::MatrixRow& row,
                 const linalg::ConstVector<ExecutionSpace>& rhs, const std::string& unknowns, const io::Case& input,
                 const io::OutputDirectory& output) {
  const std::string& name = input.output.matrix;
  const std::string rhs_name = io::rhs_file_name(input.output.matrix);
  io::write_matrix(output.file(name), n_rows, is_symmetric, row,
                   {"Tessera: matrix A of A u = b; b is in " + rhs_name + '.', unknowns});
  const auto b = tessera::to_host(exec, rhs);
  io::write_vector(output.file(rhs_name), b.data(), n_rows,
                   {"Tessera: right-hand side b of A u = b; A is in " + name + '.', unknowns});
}

} // namespace

template <class ExecutionSpace>
void write_system(const ExecutionSpace& exec, const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& matrix,
                  bool is_symmetric, const linalg::ConstVector<ExecutionSpace>& rhs, const io::Case& input,
                  const io::OutputDirectory& output) {
  const auto offsets = tessera::to_host(exec, matrix.offsets);
  const auto columns = tessera::to_host(exec, matrix.columns);
  const auto values = tessera::to_host(exec, matrix.values);
  const io::MatrixRow row = [&](std::int64_t i, std::vector<io::MatrixEntry>& entries) {
    for (offset_t k = offsets(i); k < offsets(i + 1); ++k)
      entries.push_back({columns(k), values(k)});
  };
  write_files(exec, matrix.n_rows(), is_symmetric, row, rhs,
              "Unknowns: free nodes and floating values. Fixed values are in the right-hand side only.", input, output);
}

template <class ExecutionSpace>
void write_system(const ExecutionSpace& exec,
                  const linalg::BlockCrsMatrix<typename ExecutionSpace::memory_space>& matrix, bool is_symmetric,
                  const linalg::ConstVector<ExecutionSpace>& rhs, const io::Case& input,
                  const io::OutputDirectory& output) {
  const auto dofs = tessera::to_host(exec, matrix.dof_offsets);
  const auto offsets = tessera::to_host(exec, matrix.row_offsets);
  const auto columns = tessera::to_host(exec, matrix.columns);
  const auto blocks = tessera::to_host(exec, matrix.value_offsets);
  const auto values = tessera::to_host(exec, matrix.values);
  const auto single = tessera::to_host(exec, matrix.single_values);
  const io::MatrixRow row = [&](std::int64_t i, std::vector<io::MatrixEntry>& entries) {
    const index_t* const above = std::upper_bound(dofs.data(), dofs.data() + dofs.extent(0), i);
    const std::int64_t r = above - dofs.data() - 1;
    const index_t size = dofs(r + 1) - dofs(r);
    for (offset_t k = offsets(r); k < offsets(r + 1); ++k)
      for (index_t j = dofs(columns(k)); j < dofs(columns(k) + 1); ++j) {
        const std::int64_t at = blocks(k) + static_cast<std::int64_t>(j - dofs(columns(k))) * size + (i - dofs(r));
        entries.push_back({j, matrix.is_single() ? static_cast<double>(single(at)) : values(at)});
      }
  };
  write_files(exec, matrix.n_unknowns, is_symmetric, row, rhs,
              "Unknowns: coefficients of the basis functions, element by element.", input, output);
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template void write_system<SPACE>(const SPACE&, const linalg::CrsMatrix<SPACE::memory_space>&, bool,                 \
                                    const linalg::ConstVector<SPACE>&, const io::Case&, const io::OutputDirectory&);   \
  template void write_system<SPACE>(const SPACE&, const linalg::BlockCrsMatrix<SPACE::memory_space>&, bool,            \
                                    const linalg::ConstVector<SPACE>&, const io::Case&, const io::OutputDirectory&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
