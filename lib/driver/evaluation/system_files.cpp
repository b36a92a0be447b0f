// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/evaluation/system_files.hpp"

#include "core/kokkos_ext/spaces.hpp"
#include "core/parallel.hpp"
#include "io/output/matrix_market.hpp"

#include <algorithm>
#include <vector>

namespace tessera::driver {

namespace {

/// The unknowns of continuous elements, for comments of files.
constexpr const char* free_nodes =
    "Unknowns: free nodes and floating values. Fixed values are in the right-hand side only.";

/// `imaginary`: of the right-hand side; empty if the system is real.
template <class ExecutionSpace>
void write_files(const ExecutionSpace& exec, std::int64_t n_rows, bool is_symmetric, const io::MatrixRow& row,
                 const linalg::ConstVector<ExecutionSpace>& rhs, const linalg::ConstVector<ExecutionSpace>& imaginary,
                 const std::vector<std::string>& comments, const io::Case& input, const io::OutputDirectory& output) {
  const std::string& name = input.output.matrix;
  const std::string rhs_name = io::rhs_file_name(input.output.matrix);
  const bool is_complex = imaginary.extent(0) > 0;
  const auto with_comments = [&](const std::string& first) {
    std::vector<std::string> lines{first};
    lines.insert(lines.end(), comments.begin(), comments.end());
    return lines;
  };
  io::write_matrix(output.file(name), n_rows,
                   is_symmetric ? io::MatrixSymmetry::symmetric : io::MatrixSymmetry::general,
                   is_complex ? io::MatrixNumbers::complex : io::MatrixNumbers::real, row,
                   with_comments("Tessera: matrix A of A u = b; b is in " + rhs_name + '.'));
  const auto b = tessera::to_host(exec, rhs);
  const auto b_im = tessera::to_host(exec, imaginary);
  io::write_vector(output.file(rhs_name), b.data(), is_complex ? b_im.data() : nullptr, n_rows,
                   with_comments("Tessera: right-hand side b of A u = b; A is in " + name + '.'));
}

/// Rows of K + j omega M, copied to the host; of K alone without values of M.
template <class ExecutionSpace>
io::MatrixRow rows_on_host(const ExecutionSpace& exec,
                           const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& k,
                           const linalg::ConstVector<ExecutionSpace>& m = {}, double omega = 0.) {
  const auto offsets = tessera::to_host(exec, k.offsets);
  const auto columns = tessera::to_host(exec, k.columns);
  const auto re = tessera::to_host(exec, k.values);
  const auto im = tessera::to_host(exec, m);
  return [=](std::int64_t i, std::vector<io::MatrixEntry>& entries) {
    for (offset_t e = offsets(i); e < offsets(i + 1); ++e)
      entries.push_back({columns(e), re(e), im.extent(0) > 0 ? omega * im(e) : 0.});
  };
}

} // namespace

template <class ExecutionSpace>
void write_system(const ExecutionSpace& exec, const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& matrix,
                  bool is_symmetric, const linalg::ConstVector<ExecutionSpace>& rhs, const io::Case& input,
                  const io::OutputDirectory& output) {
  write_files<ExecutionSpace>(exec, matrix.n_rows(), is_symmetric, rows_on_host<ExecutionSpace>(exec, matrix), rhs, {},
                              {free_nodes}, input, output);
}

template <class ExecutionSpace>
void write_system(const ExecutionSpace& exec, const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& k,
                  const linalg::ConstVector<ExecutionSpace>& m, double omega,
                  const linalg::ConstVector<ExecutionSpace>& rhs_re, const linalg::ConstVector<ExecutionSpace>& rhs_im,
                  const io::Case& input, const io::OutputDirectory& output) {
  write_files<ExecutionSpace>(
      exec, k.n_rows(), true, rows_on_host<ExecutionSpace>(exec, k, m, omega), rhs_re, rhs_im,
      {free_nodes, "A = K + j omega M with omega = " + io::number_text(omega) + "/s; A is symmetric, not Hermitian."},
      input, output);
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
  write_files<ExecutionSpace>(exec, matrix.n_unknowns, is_symmetric, row, rhs, {},
                              {"Unknowns: coefficients of the basis functions, element by element."}, input, output);
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template void write_system<SPACE>(const SPACE&, const linalg::CrsMatrix<SPACE::memory_space>&, bool,                 \
                                    const linalg::ConstVector<SPACE>&, const io::Case&, const io::OutputDirectory&);   \
  template void write_system<SPACE>(const SPACE&, const linalg::BlockCrsMatrix<SPACE::memory_space>&, bool,            \
                                    const linalg::ConstVector<SPACE>&, const io::Case&, const io::OutputDirectory&);   \
  template void write_system<SPACE>(const SPACE&, const linalg::CrsMatrix<SPACE::memory_space>&,                       \
                                    const linalg::ConstVector<SPACE>&, double, const linalg::ConstVector<SPACE>&,      \
                                    const linalg::ConstVector<SPACE>&, const io::Case&, const io::OutputDirectory&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
