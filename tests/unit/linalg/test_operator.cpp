// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "linalg/crs/crs_matrix.hpp"
#include "linalg/vector_kernels.hpp"
#include "support/matrices.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>

namespace {

using namespace tessera;
using Catch::Matchers::ContainsSubstring;

struct Forward {
  const double* x;
  double* y;
  KOKKOS_FUNCTION void operator()(index_t i) const { y[i] = (i + 1) * (x[i] + x[i + 1]); }
};

struct Backward {
  index_t n;
  const double* x;
  double* y;
  KOKKOS_FUNCTION void operator()(index_t j) const {
    y[j] = (j < n ? (j + 1) * x[j] : 0.) + (j > 0 ? j * x[j - 1] : 0.);
  }
};

/// Entry (i, j) is i + 1 for j = i and j = i + 1: a map from n + 1 to n entries.
template <class ExecutionSpace> class Differences final : public linalg::Operator<ExecutionSpace> {
public:
  using typename linalg::Operator<ExecutionSpace>::vector_type;
  using typename linalg::Operator<ExecutionSpace>::const_vector_type;

  Differences(index_t n, bool has_transpose) : n_(n), has_transpose_(has_transpose) {}
  index_t n_rows() const override { return n_; }
  index_t n_cols() const override { return n_ + 1; }
  bool is_symmetric() const override { return false; }
  void apply(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y) const override {
    for_each("tessera::test::apply", exec, n_, Forward{x.data(), y.data()});
  }
  bool has_transpose() const override { return has_transpose_; }
  void apply_transpose(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y) const override {
    if (!has_transpose_)
      return linalg::Operator<ExecutionSpace>::apply_transpose(exec, x, y);
    for_each("tessera::test::apply_transpose", exec, n_ + 1, Backward{n_, x.data(), y.data()});
  }
  linalg::Traffic traffic() const override { return {}; }

private:
  index_t n_;
  bool has_transpose_;
};

} // namespace

TEMPLATE_LIST_TEST_CASE("A rectangular operator and its transpose are adjoint", "[linalg][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const index_t n = 300;
  const Differences<TestType> operator_with(n, true);
  const linalg::Operator<TestType>& a = operator_with;
  CHECK(a.n_rows() == n);
  CHECK(a.n_cols() == n + 1);
  const auto x = test::vector_on(exec, test::random_vector(n + 1, 1));
  const auto y = test::vector_on(exec, test::random_vector(n, 2));
  const auto ax = test::vector_on(exec, std::vector<double>(n, 0.));
  const auto aty = test::vector_on(exec, std::vector<double>(n + 1, 0.));
  a.apply(exec, x, ax);
  a.apply_transpose(exec, y, aty);
  const auto dot = [&](const auto& u, const auto& v) {
    return ordered_sum("tessera::test::dot", exec, static_cast<std::int64_t>(u.extent(0)),
                       linalg::Products{u.data(), v.data()});
  };
  const double left = dot(ax, y);
  CHECK(std::fabs(left - dot(x, aty)) < 1e-12 * n * n); // 2 n terms of up to n
  CHECK(left != 0.);
}

TEMPLATE_LIST_TEST_CASE("The transposed product of an operator that has none is an error", "[linalg]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const Differences<TestType> a(3, false);
  const auto x = test::vector_on(exec, {1., 2., 3.});
  const auto y = test::vector_on(exec, {0., 0., 0., 0.});
  CHECK_FALSE(a.has_transpose());
  CHECK_THROWS_WITH(a.apply_transpose(exec, x, y), ContainsSubstring("3 rows and 4 columns has no transposed product"));
}

TEMPLATE_LIST_TEST_CASE("A symmetric matrix is its own transpose, and others say that they are not", "[linalg][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const test::Rows rows = test::laplacian(7, 5);
  const auto a = test::operator_on(exec, rows);
  CHECK(a.is_symmetric());
  CHECK(a.has_transpose());
  const auto x = test::vector_on(exec, test::random_vector(35, 1));
  const auto y = test::vector_on(exec, std::vector<double>(35, 0.));
  const auto z = test::vector_on(exec, std::vector<double>(35, 0.));
  a.apply(exec, x, y);
  a.apply_transpose(exec, x, z);
  CHECK(test::values_of(exec, y) == test::values_of(exec, z));

  const linalg::CrsOperator<TestType> general(a.matrix(), linalg::Symmetry::general);
  CHECK_FALSE(general.is_symmetric());
  CHECK_FALSE(general.has_transpose());
}

TEMPLATE_LIST_TEST_CASE("The matrix of an operator is found through its interface", "[linalg]", test::ExecutionSpaces) {
  using Matrix = linalg::CrsMatrix<typename TestType::memory_space>;
  const TestType exec;
  const auto a = test::operator_on(exec, test::laplacian(3, 3));
  const linalg::Operator<TestType>& as_operator = a;
  const Matrix* matrix = linalg::matrix_of<Matrix>(as_operator);
  REQUIRE(matrix != nullptr);
  CHECK(matrix->values.data() == a.matrix().values.data());
  CHECK(linalg::matrix_of<Matrix>(Differences<TestType>(3, true)) == nullptr);
}
