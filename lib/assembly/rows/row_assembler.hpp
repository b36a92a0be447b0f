// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ROWS_ROW_ASSEMBLER_HPP
#define TESSERA_ASSEMBLY_ROWS_ROW_ASSEMBLER_HPP

/// \file
/// Base class of strategies that make the pattern row by row and fill the rows of tied unknowns separately.

#include "assembly/crs_assembler.hpp"
#include "assembly/rows/element_columns.hpp"
#include "assembly/rows/incidence.hpp"
#include "assembly/rows/tied_rows.hpp"
#include "core/keep_alive.hpp"
#include "linalg/pattern/crs_pattern.hpp"

namespace tessera::assembly {

namespace detail {

/// Load of each regular row: the sum over its pairs, in ascending order.
template <class Loop, class Incidence> struct GatherLoads {
  Loop loop;
  Incidence incidence;
  Array<double*, typename Loop::memory_space> rhs;

  KOKKOS_FUNCTION void operator()(index_t row) const {
    sort_pairs(incidence, row);
    double load = 0.;
    for (offset_t c = incidence.first(row); incidence.more(row, c); c = incidence.next(c)) {
      const graph::LocalNode own = graph::local_node<Loop::n_nodes>(incidence.pair(c));
      index_t dof[Loop::n_nodes];
      double k[Loop::n_nodes];
      load += loop.row(own.element, own.a, dof, k);
    }
    rhs(row) = load;
  }
};

} // namespace detail

template <class ExecutionSpace, class Form> class RowAssembler : public CrsAssembler<ExecutionSpace, Form> {
  using Base = CrsAssembler<ExecutionSpace, Form>;

public:
  using Base::Base;
  using typename Base::Dofs;
  using typename Base::Loop;
  using typename Base::Space;

protected:
  /// The source of the columns of regular rows.
  template <class Incidence> ElementColumns<Dofs, Incidence> columns_of(const Incidence& incidence) const {
    return {this->loop_.dofs(), incidence};
  }

  /// Makes the pattern. Hosts walk the sorted pairs of each row; devices use lists, whose order does not matter here
  /// and which need half as many atomic operations.
  void make_pattern(const ExecutionSpace& exec) {
    find_tied_rows(exec);
    if constexpr (Loop::on_host)
      make_pattern(exec, CrsIncidence<Space>(incidence(exec)));
    else
      make_pattern(exec, link_incidence(exec, this->loop_.dofs()));
  }
  template <class Incidence> void make_pattern(const ExecutionSpace& exec, const Incidence& incidence) {
    const auto source = columns_of(incidence);
    const auto cache = count_rows(exec, source);
    fill_rows(exec, source, cache);
  }

  /// Whether nodes at several points may share an unknown (periodic sides).
  bool has_images() const { return this->dof_map_.node_source.extent(0) > 0; }

  void find_tied_rows(const ExecutionSpace& exec) {
    tied_ = TiedRows<ExecutionSpace, Form>(exec, this->loop_, this->dof_map_);
  }

  /// Makes the row offsets and allocates the columns: regular rows from the source, tied rows from their elements.
  /// Returns the cache of the columns that were found.
  template <class Source> auto count_rows(const ExecutionSpace& exec, const Source& source) {
    auto& matrix = this->matrix_;
    const index_t n_free = this->dof_map_.n_free;
    matrix.offsets = make_array<Array<offset_t*, Space>>(exec, "assembly::row_offsets", n_free + 1);
    const auto cache = linalg::count_columns(exec, source, this->dof_map_.n_regular, matrix.offsets);
    tied_.count(exec, this->loop_, matrix.offsets);
    const std::int64_t n_entries = counts_to_offsets(exec, matrix.offsets, n_free, "matrix entries");
    matrix.columns = make_array<Array<index_t*, Space>>(exec, "assembly::columns", n_entries);
    return cache;
  }

  /// Writes the columns of all rows; `further` as in linalg::fill_columns().
  template <class Source, class Cache, class... Further>
  void fill_rows(const ExecutionSpace& exec, const Source& source, const Cache& cache, const Further&... further) {
    linalg::fill_columns(exec, source, cache, this->dof_map_.n_regular, this->matrix_, further...);
    tied_.columns(exec, this->matrix_);
    if constexpr (!Loop::on_host)
      keep_alive(exec, source, cache); // lists that the caller may free, and the cached columns
  }

  /// Largest number of entries, or of pairs, in one team's rows on a device (waits).
  template <class Offsets> int largest_team(const ExecutionSpace& exec, const Offsets& offsets) const {
    return Loop::on_host
               ? 0
               : linalg::largest_team_rows<rows_per_team<Loop::n_nodes>>(exec, this->dof_map_.n_regular, offsets);
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

  /// Computes only the right-hand side, row by row.
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
