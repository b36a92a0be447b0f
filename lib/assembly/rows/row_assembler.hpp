// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ROWS_ROW_ASSEMBLER_HPP
#define TESSERA_ASSEMBLY_ROWS_ROW_ASSEMBLER_HPP

/// \file
/// The base of strategies that make the pattern row by row and fill the rows of tied unknowns apart.

#include "assembly/crs_assembler.hpp"
#include "assembly/rows/crs_pattern.hpp"
#include "assembly/rows/gather_loads.hpp"
#include "assembly/rows/tied_rows.hpp"
#include "core/keep_alive.hpp"

namespace tessera::assembly {

template <class ExecutionSpace, class Form> class RowAssembler : public CrsAssembler<ExecutionSpace, Form> {
  using Base = CrsAssembler<ExecutionSpace, Form>;

public:
  using Base::Base;
  using typename Base::Loop;
  using typename Base::Space;

protected:
  /// Makes the pattern alone. Hosts walk the sorted pairs of each row; on devices lists, whose order does not matter
  /// here, are made by half of the atomic operations.
  void make_pattern(const ExecutionSpace& exec) {
    tied_ = TiedRows<ExecutionSpace, Form>(exec, this->loop_, this->dof_map_);
    if constexpr (Loop::on_host)
      build_pattern<detail::NoIndices>(exec, this->loop_, CrsIncidence<Space>(incidence(exec)), tied_, this->matrix_);
    else
      build_pattern<detail::NoIndices>(exec, this->loop_, link_incidence(exec, this->loop_.dofs()), tied_,
                                       this->matrix_);
  }

  /// Makes pattern and local column indices from sorted pairs, which the caller gets.
  template <class Indices>
  graph::Incidence<Space> make_pattern(const ExecutionSpace& exec, detail::LocalIndices<Loop>& local) {
    tied_ = TiedRows<ExecutionSpace, Form>(exec, this->loop_, this->dof_map_);
    auto rows = incidence(exec);
    build_pattern<Indices>(exec, this->loop_, CrsIncidence<Space>(rows), tied_, this->matrix_, &local);
    return rows;
  }

  graph::Incidence<Space> incidence(const ExecutionSpace& exec) const {
    const auto nodes = fe::node_numbers(exec, this->loop_.dofs());
    auto rows = graph::build_incidence(
        exec, nodes, Loop::n_nodes,
        Array<const index_t*, Space>(this->loop_.node_dof.data(), this->loop_.node_dof.extent(0)),
        this->dof_map_.n_regular);
    if constexpr (Loop::Traits::has_orientation)
      keep_alive(exec, nodes);
    return rows;
  }

  /// The right-hand side alone, row by row.
  template <class Incidence> void gather_loads(const ExecutionSpace& exec, const Incidence& incidence) {
    this->allocate_rhs(exec);
    for_each("tessera::assembly::gather_loads", exec, this->dof_map_.n_regular,
             detail::GatherLoads<Loop, Incidence>{this->loop_, incidence, this->rhs_});
    tied_.loads(exec, this->loop_, this->rhs_);
  }

  void finish_tied_rows(const ExecutionSpace& exec) { tied_.fill(exec, this->loop_, this->matrix_, this->rhs_); }

  TiedRows<ExecutionSpace, Form> tied_;
};

} // namespace tessera::assembly

#endif
