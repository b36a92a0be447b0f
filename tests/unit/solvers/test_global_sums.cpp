// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "krylov_methods.hpp"
#include "linalg/vector_kernels.hpp"
#include "solvers/krylov/ebe_pcg.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <utility>

namespace {

using namespace tessera;
using Catch::Matchers::ContainsSubstring;

struct Twice {
  double* values;
  KOKKOS_FUNCTION void operator()(int i) const { values[i] *= 2.; }
};

/// Simulates a second device with the same numbers.
template <class ExecutionSpace> class TwinSums final : public linalg::GlobalSums<ExecutionSpace> {
public:
  bool is_distributed() const override { return true; }
  void complete(const ExecutionSpace& exec, double* sums, int n) const override {
    ++n_calls;
    for_each("tessera::test::twice", exec, n, Twice{sums});
  }
  mutable int n_calls = 0;
};

/// One of two equal blocks of a block diagonal matrix.
template <class ExecutionSpace> class Twin final : public linalg::LinearOperator<ExecutionSpace> {
public:
  using typename linalg::LinearOperator<ExecutionSpace>::vector_type;
  using typename linalg::LinearOperator<ExecutionSpace>::const_vector_type;

  explicit Twin(linalg::CrsOperator<ExecutionSpace> block) : block_(std::move(block)) {}
  index_t size() const override { return block_.size(); }
  bool is_symmetric() const override { return true; }
  void apply(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y) const override {
    block_.apply(exec, x, y);
  }
  void diagonal(const ExecutionSpace& exec, const vector_type& d) const override { block_.diagonal(exec, d); }
  linalg::Traffic traffic() const override { return block_.traffic(); }
  const linalg::GlobalSums<ExecutionSpace>& sums() const override { return sums_; }

  TwinSums<ExecutionSpace> sums_;

private:
  linalg::CrsOperator<ExecutionSpace> block_;
};

/// Hides that a preconditioner is pointwise; optionally not symmetric.
template <class ExecutionSpace> class Wrapped final : public solvers::Preconditioner<ExecutionSpace> {
public:
  using typename solvers::Preconditioner<ExecutionSpace>::vector_type;
  using typename solvers::Preconditioner<ExecutionSpace>::const_vector_type;

  Wrapped(const solvers::Preconditioner<ExecutionSpace>& inner, bool is_symmetric)
      : solvers::Preconditioner<ExecutionSpace>(inner.n_rows(), "wrapped", is_symmetric), inner_(inner) {}
  void apply(const ExecutionSpace& exec, const const_vector_type& r, const vector_type& z) const override {
    inner_.apply(exec, r, z);
  }

private:
  const solvers::Preconditioner<ExecutionSpace>& inner_;
};

/// Sums with the bits of one device.
template <class ExecutionSpace> class SumsOfOneDevice final : public linalg::GlobalSums<ExecutionSpace> {
public:
  const linalg::SharedSums<ExecutionSpace>* shared() const override { return &shared_; }

private:
  linalg::SharedSums<ExecutionSpace> shared_;
};

/// A diagonal matrix as an operator of elements with one node each.
template <class ExecutionSpace> class PointElements final : public linalg::ElementLevelOperator<ExecutionSpace> {
public:
  using typename linalg::ElementLevelOperator<ExecutionSpace>::vector_type;
  using typename linalg::ElementLevelOperator<ExecutionSpace>::const_vector_type;

  PointElements(const ExecutionSpace& exec, const std::vector<double>& diagonal,
                const linalg::GlobalSums<ExecutionSpace>& sums)
      : block_(test::operator_on(exec, rows_of(diagonal))), sums_(sums),
        unknowns_(make_array<Array<index_t*, ExecutionSpace>>(exec, "test::unknowns", diagonal.size())) {
    const auto host = Kokkos::create_mirror_view(unknowns_);
    for (std::size_t i = 0; i < diagonal.size(); ++i)
      host(i) = static_cast<index_t>(i);
    Kokkos::deep_copy(unknowns_, host);
  }
  index_t size() const override { return block_.size(); }
  void apply(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y) const override {
    block_.apply(exec, x, y);
  }
  void diagonal(const ExecutionSpace& exec, const vector_type& d) const override { block_.diagonal(exec, d); }
  linalg::Traffic traffic() const override { return block_.traffic(); }
  const linalg::GlobalSums<ExecutionSpace>& sums() const override { return sums_; }
  std::int64_t n_elements() const override { return block_.size(); }
  int nodes_per_element() const override { return 1; }
  Array<const index_t*, ExecutionSpace> unknowns() const override { return unknowns_; }
  void multiply(const ExecutionSpace& exec, const const_vector_type& p, const vector_type& q, index_t,
                const ReduceWorkspace<ExecutionSpace>& workspace, double* pq) const override {
    block_.apply(exec, p, q);
    linalg::dot<ExecutionSpace>(exec, p, q, workspace, pq);
  }
  void element_diagonal(const ExecutionSpace& exec, const vector_type& m) const override { diagonal(exec, m); }
  void accumulate(const ExecutionSpace& exec, const const_vector_type& v, const vector_type& sum) const override {
    Kokkos::deep_copy(exec, sum, v);
  }
  linalg::Traffic multiply_traffic() const override { return traffic(); }
  linalg::Traffic accumulate_traffic() const override { return traffic(); }

private:
  static test::Rows rows_of(const std::vector<double>& diagonal) {
    test::Rows rows(diagonal.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i][static_cast<index_t>(i)] = diagonal[i];
    return rows;
  }

  linalg::CrsOperator<ExecutionSpace> block_;
  const linalg::GlobalSums<ExecutionSpace>& sums_;
  Array<index_t*, ExecutionSpace> unknowns_;
};

template <class T> std::vector<T> doubled(const std::vector<T>& values) {
  std::vector<T> all = values;
  all.insert(all.end(), values.begin(), values.end());
  return all;
}

test::Rows block_diagonal(const test::Rows& block) {
  test::Rows rows = doubled(block);
  const auto n = static_cast<index_t>(block.size());
  for (std::size_t i = block.size(); i < rows.size(); ++i) {
    rows[i].clear();
    for (const auto& [column, value] : block[i - block.size()])
      rows[i][column + n] = value;
  }
  return rows;
}

} // namespace

// 2048 unknowns are one block of a sum, so the sums over two devices have the bits of twice the sum over one.
TEMPLATE_LIST_TEST_CASE("Conjugate gradients on one of two devices have the numbers of both", "[solvers][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const test::Rows block = test::laplacian(64, 32);
  const auto b = test::random_vector(2048, 5);
  const std::vector<double> zero(2048, 0.);
  for (const char* name : {"none", "jacobi", "wrapped"}) {
    CAPTURE(name);
    const bool is_wrapped = std::string(name) == "wrapped";
    const Twin<TestType> a(test::operator_on(exec, block));
    const auto inner = test::make_preconditioner(exec, is_wrapped ? "jacobi" : name, test::operator_on(exec, block));
    const Wrapped<TestType> wrapped(*inner, true);
    const solvers::Preconditioner<TestType>& m = is_wrapped ? wrapped : std::as_const(*inner);
    const auto x = test::vector_on(exec, zero);
    const solvers::PcgResult result = solvers::Pcg<TestType>().solve(exec, a, m, test::vector_on(exec, b), x);

    const auto whole = test::operator_on(exec, block_diagonal(block));
    const auto whole_inner = test::make_preconditioner(exec, is_wrapped ? "jacobi" : name, whole);
    const Wrapped<TestType> whole_wrapped(*whole_inner, true);
    const solvers::Preconditioner<TestType>& whole_m = is_wrapped ? whole_wrapped : std::as_const(*whole_inner);
    const auto y = test::vector_on(exec, doubled(zero));
    const solvers::PcgResult expected =
        solvers::Pcg<TestType>().solve(exec, whole, whole_m, test::vector_on(exec, doubled(b)), y);

    CHECK(result.status == solvers::SolverStatus::converged);
    CHECK(result.message == expected.message);
    CHECK(result.history == expected.history);
    CHECK(result.true_residual == expected.true_residual);
    CHECK(doubled(test::values_of(exec, x)) == test::values_of(exec, y));
    CHECK(a.sums_.n_calls >= 2 * result.iterations);
  }
}

TEMPLATE_LIST_TEST_CASE("GMRES and BiCGStab on one of two devices have the numbers of both", "[solvers][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const test::Rows block = test::laplacian(64, 32);
  const auto b = test::random_vector(2048, 5);
  const std::vector<double> zero(2048, 0.);
  for (const char* method : {"gmres", "bicgstab"}) {
    CAPTURE(method);
    const Twin<TestType> a(test::operator_on(exec, block));
    const solvers::Jacobi<TestType> jacobi(exec, a);
    const auto x = test::vector_on(exec, zero);
    const auto result = test::run_krylov<TestType>(exec, method, a, jacobi, test::vector_on(exec, b), x, {});

    const auto whole = test::operator_on(exec, block_diagonal(block));
    const solvers::Jacobi<TestType> whole_jacobi(exec, whole);
    const auto y = test::vector_on(exec, doubled(zero));
    const auto expected =
        test::run_krylov<TestType>(exec, method, whole, whole_jacobi, test::vector_on(exec, doubled(b)), y, {});

    CHECK(result.status == solvers::SolverStatus::converged);
    CHECK(result.message == expected.message);
    CHECK(result.history == expected.history);
    CHECK(doubled(test::values_of(exec, x)) == test::values_of(exec, y));
    CHECK(a.sums_.n_calls >= 3 * result.iterations);
  }
}

TEMPLATE_LIST_TEST_CASE("A singular system over two devices is reported as one on one device", "[solvers][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const test::Rows block = test::laplacian(64, 32, true);
  const Twin<TestType> a(test::operator_on(exec, block));
  const solvers::Identity<TestType> identity(a.size());
  const std::vector<double> ones(2048, 1.);
  const auto x = test::vector_on(exec, std::vector<double>(2048, 0.));
  const auto result = solvers::Pcg<TestType>().solve(exec, a, identity, test::vector_on(exec, ones), x);
  const auto expected = test::solve(exec, block_diagonal(block), doubled(ones), "none", solvers::PcgOptions()).result;
  CHECK(result.constants_in_null_space);
  CHECK(result.message == expected.message);
  CHECK_THAT(result.message, ContainsSubstring("the operator is singular"));
}

TEMPLATE_LIST_TEST_CASE("PCG refuses an operator and a preconditioner that are not symmetric", "[solvers]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const auto a = test::operator_on(exec, test::laplacian(3, 3));
  const linalg::CrsOperator<TestType> general(a.matrix(), linalg::Symmetry::general);
  const solvers::Jacobi<TestType> jacobi(exec, a);
  const Wrapped<TestType> one_sided(jacobi, false);
  const auto b = test::vector_on(exec, std::vector<double>(9, 1.));
  const auto x = test::vector_on(exec, std::vector<double>(9, 0.));
  solvers::Pcg<TestType> pcg;
  CHECK_THROWS_WITH(pcg.solve(exec, general, jacobi, b, x), ContainsSubstring("need a symmetric operator"));
  CHECK_THROWS_WITH(pcg.solve(exec, a, one_sided, b, x), ContainsSubstring("symmetric preconditioner, and 'wrapped'"));
}

TEMPLATE_LIST_TEST_CASE("EBE-J-PCG refuses sums that must have the bits of one process", "[solvers]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const std::vector<double> diagonal{1., 2., 4.};
  const auto b = test::vector_on(exec, diagonal);
  const auto solve = [&](const linalg::GlobalSums<TestType>& sums) {
    const PointElements<TestType> a(exec, diagonal, sums);
    const auto x = test::vector_on(exec, std::vector<double>(3, 0.));
    const auto result = solvers::EbePcg<TestType>().solve(exec, a, solvers::Jacobi<TestType>(exec, a), b, x);
    CHECK(test::values_of(exec, x) == std::vector<double>(3, 1.)); // powers of two are exact
    return result.status;
  };
  CHECK(solve(linalg::GlobalSums<TestType>::local()) == solvers::SolverStatus::converged);
  CHECK_THROWS_WITH(solve(SumsOfOneDevice<TestType>()),
                    ContainsSubstring("EBE-J-PCG: its sums over elements depend on the number of processes, but this "
                                      "system's sums must not."));
}
