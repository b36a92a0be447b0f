// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_JUMP_LOADS_HPP
#define TESSERA_ASSEMBLY_JUMP_LOADS_HPP

/// \file
/// Jumps of the solution at periodic boundaries (fe/dofs/periodic_jumps.hpp), for all strategies: a form's matrix times
/// the jumps is subtracted from the right-hand side.

#include "assembly/changed_load.hpp"
#include "core/algorithms/list_marked.hpp"
#include "core/algorithms/scan.hpp"
#include "core/transfer/upload.hpp"

#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace tessera::assembly {

namespace detail {

/// Elements with a free node that differs from its source.
template <class Form> struct MarkJumps {
  using Space = typename Form::memory_space;
  Form form;
  fe::DofView<Space> dofs;
  Array<const double*, Space> jumps;
  Array<index_t*, Space> marks;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    marks(e) = 0;
    for (int a = 0; a < Form::n_nodes; ++a) {
      const index_t n = form.element_nodes(e, a);
      if (dofs.is_free(dofs.node_dof(n)) && jumps(n) != 0.)
        marks(e) = 1;
    }
  }
};

/// The unknown of each node of some elements; -1: a fixed value.
template <class Form> struct UnknownsOfElements {
  using Space = typename Form::memory_space;
  Form form;
  fe::DofView<Space> dofs;
  Array<const index_t*, Space> elements;
  Array<index_t*, Space> unknowns;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    for (int a = 0; a < Form::n_nodes; ++a) {
      const index_t dof = dofs.node_dof(form.element_nodes(elements(i), a));
      unknowns(i * Form::n_nodes + a) = dofs.is_free(dof) ? dof : -1;
    }
  }
};

/// Products of the matrices of some elements with the jumps at their nodes.
template <class Form> struct JumpProducts {
  using Space = typename Form::memory_space;
  Form form;
  fe::DofView<Space> dofs;
  Array<const index_t*, Space> elements;
  Array<const double*, Space> jumps;
  Array<double*, Space> products;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    constexpr int N = Form::n_nodes;
    index_t n[N];
    double K[N][N];
    double f[N];
    for (int a = 0; a < N; ++a)
      n[a] = form.element_nodes(elements(i), a);
    form.system(elements(i), n, K, f);
    for (int a = 0; a < N; ++a) {
      double sum = 0.;
      for (int b = 0; b < N; ++b)
        if (dofs.is_free(dofs.node_dof(n[b]))) // fixed values contain their jumps
          sum += K[a][b] * jumps(n[b]);
      products(i * N + a) = sum;
    }
  }
};

/// Sums over the pairs of each unknown, in the order of the elements.
template <class Space> struct TakeJumps {
  Array<const index_t*, Space> unknowns;
  Array<const index_t*, Space> offsets;
  Array<const index_t*, Space> pairs;
  Array<const double*, Space> products;
  Array<double*, Space> rhs;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    double sum = 0.;
    for (index_t k = offsets(i); k < offsets(i + 1); ++k)
      sum += products(pairs(k));
    rhs(unknowns(i)) -= sum;
  }
};

} // namespace detail

template <class ExecutionSpace, class Form> class WithJumpLoads final : public WithChangedLoad<ExecutionSpace> {
public:
  using Space = typename ExecutionSpace::memory_space;

  /// `form` and `dofs`: those of the other assembler. `jumps`: of the nodes, which may change between calls, but not
  /// where they are zero.
  WithJumpLoads(const ExecutionSpace& exec, std::unique_ptr<Assembler<ExecutionSpace>> assembler, const Form& form,
                const fe::DofMap<Space>& dofs, const Array<const double*, ExecutionSpace>& jumps)
      : WithChangedLoad<ExecutionSpace>(std::move(assembler)), form_(form), dofs_(dofs), jumps_(jumps) {
    const fe::DofView<Space> view(dofs_);
    const auto n = static_cast<index_t>(form.element_nodes.extent(0));
    const auto marks = make_array<Array<index_t*, Space>>(exec, "assembly::jump_marks", std::int64_t(n) + 1);
    for_each("tessera::assembly::mark_jumps", exec, n, detail::MarkJumps<Form>{form_, view, jumps_, marks});
    const std::int64_t n_marked = counts_to_offsets(exec, marks, n, "elements at periodic jumps");
    elements_ = list_marked<ExecutionSpace>(exec, "assembly::jump_elements", marks, n, n_marked);
    const std::int64_t n_pairs = n_marked * Form::n_nodes;
    products_ = make_array<Array<double*, Space>>(exec, "assembly::jump_products", n_pairs);
    const auto unknowns = make_array<Array<index_t*, Space>>(exec, "assembly::jump_unknowns", n_pairs);
    for_each("tessera::assembly::jump_unknowns", exec, n_marked,
             detail::UnknownsOfElements<Form>{form_, view, elements_, unknowns});
    const auto on_host = to_host(exec, unknowns);
    std::map<index_t, std::vector<index_t>> pairs_of;
    for (index_t k = 0; k < static_cast<index_t>(n_pairs); ++k)
      if (on_host(k) >= 0)
        pairs_of[on_host(k)].push_back(k);
    std::vector<index_t> rows, offsets{0}, pairs;
    for (const auto& [row, list] : pairs_of) {
      rows.push_back(row);
      pairs.insert(pairs.end(), list.begin(), list.end());
      offsets.push_back(static_cast<index_t>(pairs.size()));
    }
    rows_ = uploaded(exec, "assembly::jump_rows", rows);
    offsets_ = uploaded(exec, "assembly::jump_offsets", offsets);
    pairs_ = uploaded(exec, "assembly::jump_pairs", pairs);
  }

private:
  void change_load(const ExecutionSpace& exec) override {
    for_each("tessera::assembly::jump_products", exec, static_cast<std::int64_t>(elements_.extent(0)),
             detail::JumpProducts<Form>{form_, fe::DofView<Space>(dofs_), elements_, jumps_, products_});
    for_each("tessera::assembly::take_jumps", exec, static_cast<std::int64_t>(rows_.extent(0)),
             detail::TakeJumps<Space>{rows_, offsets_, pairs_, products_, this->rhs_});
  }

  Form form_;
  fe::DofMap<Space> dofs_;
  Array<const double*, ExecutionSpace> jumps_;
  Array<index_t*, Space> elements_; // ascending
  Array<double*, Space> products_;  // of each element's nodes
  Array<index_t*, Space> rows_;     // unknowns of these nodes, ascending
  Array<index_t*, Space> offsets_;
  Array<index_t*, Space> pairs_; // positions in products_ for each row
};

} // namespace tessera::assembly

#endif
