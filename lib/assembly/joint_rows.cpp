// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/joint_rows.hpp"

#include "core/algorithms/scan.hpp"
#include "core/transfer/read_entries.hpp"
#include "core/transfer/upload.hpp"

#include <map>
#include <utility>

namespace tessera::assembly {

namespace {

/// Some rows of a matrix, in compressed form.
template <class Space> struct SomeRows {
  Array<const index_t*, Space> row; ///< ascending
  Array<const index_t*, Space> offsets;
  Array<const index_t*, Space> columns; ///< ascending in each row
  Array<const double*, Space> values;

  KOKKOS_FUNCTION index_t n() const { return static_cast<index_t>(row.extent(0)); }
};

/// Visits a row of the sum of a matrix and of some rows in ascending columns: `visit(column, value)`.
template <class Space> struct SumOfRow {
  Array<const offset_t*, Space> offsets;
  Array<const index_t*, Space> columns;
  Array<const double*, Space> values;
  SomeRows<Space> added;
  Array<const index_t*, Space> position; ///< [n_rows] of each row among those added; -1: none

  template <class Visit> KOKKOS_FUNCTION void operator()(index_t row, const Visit& visit) const {
    const index_t p = position(row);
    index_t other = p < 0 ? 0 : added.offsets(p);
    const index_t end = p < 0 ? 0 : added.offsets(p + 1);
    for (offset_t k = offsets(row); k < offsets(row + 1); ++k) {
      for (; other < end && added.columns(other) < columns(k); ++other)
        visit(added.columns(other), added.values(other));
      double value = values(k);
      if (other < end && added.columns(other) == columns(k))
        value += added.values(other++);
      visit(columns(k), value);
    }
    for (; other < end; ++other)
      visit(added.columns(other), added.values(other));
  }
};

template <class Space> struct CountSum {
  SumOfRow<Space> sum;
  Array<offset_t*, Space> counts;
  KOKKOS_FUNCTION void operator()(index_t row) const {
    offset_t n = 0;
    sum(row, [&](index_t, double) { ++n; });
    counts(row) = n;
  }
};

/// Minimum traffic: the matrix once, the sum once.
template <class Space> struct FillSum {
  SumOfRow<Space> sum;
  linalg::CrsMatrix<Space> to;
  KOKKOS_FUNCTION void operator()(index_t row) const {
    offset_t k = to.offsets(row);
    sum(row, [&](index_t column, double value) {
      to.columns(k) = column;
      to.values(k++) = value;
    });
  }
};

template <class Space> struct MarkRows {
  Array<const index_t*, Space> row;
  Array<index_t*, Space> position;
  KOKKOS_FUNCTION void operator()(index_t i) const { position(row(i)) = i; }
};

template <class Space> struct MoveFixed {
  SomeRows<Space> of_fixed; // columns: of fixed values
  Array<const double*, Space> fixed_values;
  Array<double*, Space> rhs;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    double sum = 0.;
    for (index_t k = of_fixed.offsets(i); k < of_fixed.offsets(i + 1); ++k)
      sum += of_fixed.values(k) * fixed_values(of_fixed.columns(k));
    rhs(of_fixed.row(i)) -= sum;
  }
};

using RowsOnHost = std::map<index_t, std::map<index_t, double>>;

template <class ExecutionSpace>
SomeRows<typename ExecutionSpace::memory_space> upload_rows(const ExecutionSpace& exec, const RowsOnHost& rows) {
  std::vector<index_t> row;
  std::vector<index_t> offsets{0};
  std::vector<index_t> columns;
  std::vector<double> values;
  for (const auto& [number, entries] : rows) {
    row.push_back(number);
    for (const auto& [column, value] : entries) {
      columns.push_back(column);
      values.push_back(value);
    }
    offsets.push_back(static_cast<index_t>(columns.size()));
  }
  return {uploaded(exec, "assembly::joint_rows", row), uploaded(exec, "assembly::joint_offsets", offsets),
          uploaded(exec, "assembly::joint_columns", columns), uploaded(exec, "assembly::joint_values", values)};
}

template <class ExecutionSpace> class WithJointRows final : public Assembler<ExecutionSpace> {
public:
  using Space = typename ExecutionSpace::memory_space;
  using typename Assembler<ExecutionSpace>::matrix_type;
  using typename Assembler<ExecutionSpace>::operator_type;

  WithJointRows(const ExecutionSpace& exec, std::unique_ptr<Assembler<ExecutionSpace>> assembler,
                const fe::DofMap<Space>& whole, const fe::DofPart<Space>* part, const physics::JointCoupling& joints)
      : assembler_(std::move(assembler)), fixed_values_(whole.fixed_values) {
    const fe::DofMap<Space>& dofs = part != nullptr ? part->dofs : whole;
    const std::vector<std::int64_t> nodes(joints.nodes().begin(), joints.nodes().end());
    const std::vector<index_t> of_whole = read_entries(exec, whole.node_dof, nodes);
    const std::vector<index_t> dof = read_entries(exec, dofs.node_dof, nodes);
    const index_t first = part != nullptr ? part->first : 0;
    const index_t end = part != nullptr ? first + part->n_owned : whole.n_free;
    std::vector<signed char> sign(nodes.size(), 1);
    if (dofs.node_sign.extent(0) > 0)
      sign = read_entries(exec, dofs.node_sign, nodes);
    RowsOnHost rows;
    RowsOnHost of_fixed;
    for (const physics::JointCoupling::Entry& entry : joints.entries()) {
      const auto r = static_cast<std::size_t>(entry.row);
      const auto c = static_cast<std::size_t>(entry.column);
      if (of_whole[r] < first || of_whole[r] >= end)
        continue;
      if (whole.is_fixed(of_whole[c]))
        of_fixed[dof[r]][dofs.fixed_index(dof[c])] += sign[r] * entry.value;
      else
        rows[dof[r]][dof[c]] += sign[r] * sign[c] * entry.value;
    }
    rows_ = upload_rows(exec, rows);
    of_fixed_ = upload_rows(exec, of_fixed);
  }

  void symbolic(const ExecutionSpace& exec) override {
    assembler_->symbolic(exec);
    this->coloring_ = assembler_->coloring();
    operator_ = {};
    has_pattern_ = false;
  }
  void numeric(const ExecutionSpace& exec) override {
    assembler_->numeric(exec);
    const matrix_type* elements = assembler_->matrix();
    TESSERA_REQUIRE(elements != nullptr, "Joints need a strategy with an assembled matrix.");
    const SumOfRow<Space> sum{elements->offsets, elements->columns, elements->values, rows_,
                              positions(exec, *elements)};
    if (!has_pattern_)
      make_pattern(exec, *elements, sum);
    for_each("tessera::assembly::add_joints", exec, elements->n_rows(), FillSum<Space>{sum, operator_.matrix()});
    move_fixed(exec);
  }
  void load(const ExecutionSpace& exec) override {
    assembler_->load(exec);
    move_fixed(exec);
  }
  const operator_type& system() const override { return operator_; }
  const matrix_type* matrix() const override { return &operator_.matrix(); }
  linalg::Traffic symbolic_traffic() const override { return assembler_->symbolic_traffic(); }
  linalg::Traffic numeric_traffic() const override {
    linalg::Traffic traffic = assembler_->numeric_traffic();
    traffic.bytes += 24. * static_cast<double>(operator_.matrix().n_entries());
    return traffic;
  }

private:
  const Array<index_t*, Space>& positions(const ExecutionSpace& exec, const matrix_type& elements) {
    if (!has_pattern_) {
      positions_ = make_array<Array<index_t*, Space>>(exec, "assembly::joint_positions", elements.n_rows());
      fill(exec, positions_, index_t(-1));
      for_each("tessera::assembly::mark_joints", exec, rows_.n(), MarkRows<Space>{rows_.row, positions_});
    }
    return positions_;
  }
  void make_pattern(const ExecutionSpace& exec, const matrix_type& elements, const SumOfRow<Space>& sum) {
    const index_t n = elements.n_rows();
    matrix_type matrix;
    matrix.offsets =
        make_array<Array<offset_t*, Space>>(exec, "assembly::with_joints_offsets", static_cast<std::int64_t>(n) + 1);
    for_each("tessera::assembly::count_with_joints", exec, n, CountSum<Space>{sum, matrix.offsets});
    const std::int64_t n_entries = counts_to_offsets(exec, matrix.offsets, n, "matrix entries");
    matrix.columns = make_array<Array<index_t*, Space>>(exec, "assembly::with_joints_columns", n_entries);
    matrix.values = make_array<Array<double*, Space>>(exec, "assembly::with_joints_values", n_entries);
    operator_ = linalg::CrsOperator<ExecutionSpace>(
        matrix, assembler_->system().is_symmetric() ? linalg::Symmetry::symmetric : linalg::Symmetry::general);
    has_pattern_ = true;
  }
  void move_fixed(const ExecutionSpace& exec) {
    this->rhs_ = assembler_->rhs();
    for_each("tessera::assembly::move_fixed_of_joints", exec, of_fixed_.n(),
             MoveFixed<Space>{of_fixed_, fixed_values_, this->rhs_});
  }

  std::unique_ptr<Assembler<ExecutionSpace>> assembler_;
  Array<double*, Space> fixed_values_;
  SomeRows<Space> rows_;
  SomeRows<Space> of_fixed_;
  Array<index_t*, Space> positions_; // in rows_ of each row of the matrix; -1: none
  linalg::CrsOperator<ExecutionSpace> operator_;
  bool has_pattern_ = false;
};

} // namespace

template <class ExecutionSpace>
std::unique_ptr<Assembler<ExecutionSpace>>
with_joint_rows(const ExecutionSpace& exec, std::unique_ptr<Assembler<ExecutionSpace>> assembler,
                const fe::DofMap<typename ExecutionSpace::memory_space>& dofs,
                const fe::DofPart<typename ExecutionSpace::memory_space>* part, const physics::JointCoupling& joints) {
  if (!joints.any())
    return assembler;
  return std::make_unique<WithJointRows<ExecutionSpace>>(exec, std::move(assembler), dofs, part, joints);
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template std::unique_ptr<Assembler<SPACE>> with_joint_rows<SPACE>(                                                   \
      const SPACE&, std::unique_ptr<Assembler<SPACE>>, const fe::DofMap<typename SPACE::memory_space>&,                \
      const fe::DofPart<typename SPACE::memory_space>*, const physics::JointCoupling&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::assembly
