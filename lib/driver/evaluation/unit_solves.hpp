// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_EVALUATION_UNIT_SOLVES_HPP
#define TESSERA_DRIVER_EVALUATION_UNIT_SOLVES_HPP

/// \file
/// Solutions for unit excitations, one after the other; private to matrices.cpp.

#include "core/algorithms/reduce.hpp"
#include "core/keep_alive.hpp"
#include "driver/results.hpp"
#include "driver/solution/column_solver.hpp"
#include "driver/solve.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tessera::driver {

namespace detail {

template <class Space> struct Difference {
  Array<const double*, Space> from;
  Array<const double*, Space> take;
  Array<double*, Space> result;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { result(i) = from(i) - take(i); }
};

/// Sets a bit for the rows whose load equals that of all excitations; counts rows whose load is different but not zero.
template <class Space> struct MarkRows {
  Array<const double*, Space> load; ///< of some excitations, and the given sources
  Array<const double*, Space> given;
  Array<const double*, Space> of_all;
  std::uint16_t bit;
  Array<std::uint16_t*, Space> codes;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    const double own = load(i) - given(i);
    if (own == of_all(i) && own != 0.)
      codes(i) = static_cast<std::uint16_t>(codes(i) | bit);
    term[0] = own == 0. || own == of_all(i) ? 0. : 1.;
  }
};

template <class Space> struct TakeRows {
  Array<const double*, Space> of_all;
  Array<const std::uint16_t*, Space> codes;
  std::uint16_t code;
  Array<double*, Space> result;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { result(i) = codes(i) == code ? of_all(i) : 0.; }
};

} // namespace detail

/// An excitation of one unit.
struct UnitExcitation {
  std::string name;    ///< of the conductor or coil
  int constraint = -1; ///< constraint whose fixed value is excited; -1: none
  index_t tied = -1;   ///< index of the tied unknown whose total is; -1: none
  int coil = -1;       ///< coil whose current is; -1: none
};

/// Solves for excitations, several together. Given sources (charges, magnets) contribute a load, which is subtracted.
template <class ExecutionSpace> class UnitSolves {
public:
  using Vector = linalg::Vector<ExecutionSpace>;
  using ConstVector = linalg::ConstVector<ExecutionSpace>;

  /// Sets all excitations to zero.
  UnitSolves(const ExecutionSpace& exec, const Equations<ExecutionSpace>& problem,
             const ProblemSolver<ExecutionSpace>& solver, std::vector<UnitExcitation> excitations,
             const std::string& quantity, Results& results)
      : exec_(exec), problem_(problem), columns_(solver.columns()), excitations_(std::move(excitations)),
        quantity_(quantity), results_(results), is_refined_(columns_.needs_refinement(exec)) {
    excite([](std::size_t) { return false; });
    columns_.assembler().load(exec);
    given_ = make_array<Vector>(exec, "driver::given_load", columns_.assembler().rhs().extent(0));
    unknowns_ = make_array<Vector>(exec, "driver::unit_unknowns", problem.dofs.n_free);
    nodal_ = make_filled<Vector>(exec, "driver::unit_nodal", problem.n_space_nodes, 0.);
    copy(exec, given_, columns_.assembler().rhs());
    if (is_refined_)
      given_residual_ = problem.residual(exec, nodal_);
  }
  ~UnitSolves() { keep_alive(exec_, given_, rhs_, unknowns_, nodal_, of_all_, codes_); }
  UnitSolves(const UnitSolves&) = delete;
  UnitSolves& operator=(const UnitSolves&) = delete;

  /// The solution of the k-th excitation, which stays set, at all nodes. Call for all of them in order.
  ConstVector solve(std::size_t k) {
    const auto together = static_cast<std::size_t>(columns_.columns());
    if (is_refined_) {
      excite_only(k);
      take(k, solve_refined(excitations_[k]));
      return nodal_;
    }
    if (k == 0)
      by_code_ = together > 1 && mark_rows();
    if (k % together == 0) {
      std::vector<ConstVector> rhs;
      for (std::size_t i = k; i < std::min(k + together, excitations_.size()); ++i)
        rhs.push_back(load_of(i, i - k));
      columns_.solve(exec_, rhs);
    }
    const solvers::PcgResult result = columns_.take(exec_, k % together, unknowns_);
    excite_only(k);
    take(k, result);
    return nodal_;
  }
  /// Value of a tied unknown in the last solution.
  double tied_value(index_t tied) const { return read_entry(exec_, unknowns_, problem_.dofs.n_regular + tied); }
  /// Zero at all nodes; valid before the first solve.
  ConstVector zero() const { return nodal_; }
  /// Maximum number of excitations solved together.
  int together() const { return columns_.columns(); }
  int iterations() const { return iterations_; }
  double seconds() const { return seconds_; }

private:
  static constexpr std::size_t most_excitations = 65535; // largest number in a code of 16 bits

  /// Sets the fixed values or currents of the selected excitations to one unit, others to zero.
  template <class Which> void excite(const Which& which) const {
    const ProblemBinding& binding = problem_.binding;
    Excitation units;
    units.fixed_values.assign(binding.constraints.size(), physics::Expression(0.));
    units.currents.assign(binding.magnetic ? binding.magnetic->coils.size() : 0, 0.);
    for (std::size_t k = 0; k < excitations_.size(); ++k) {
      const UnitExcitation& excitation = excitations_[k];
      if (excitation.constraint >= 0 && which(k))
        units.fixed_values[static_cast<std::size_t>(excitation.constraint)] = physics::Expression(1.);
      if (excitation.coil >= 0 && which(k))
        units.currents[static_cast<std::size_t>(excitation.coil)] = 1.;
    }
    problem_.excite(exec_, units);
  }
  void excite_only(std::size_t k) const {
    excite([k](std::size_t other) { return other == k; });
  }

  solvers::PcgResult solve_refined(const UnitExcitation& excitation) {
    std::vector<double> value_of(problem_.binding.constraints.size() + problem_.binding.medium().natural.size(), 0.);
    if (excitation.constraint >= 0)
      value_of[static_cast<std::size_t>(excitation.constraint)] = 1.;
    const auto given = make_array<Vector>(exec_, "driver::given_residual", given_residual_.extent(0));
    copy(exec_, given, given_residual_);
    if (excitation.tied >= 0) { // a total of one
      const index_t position = problem_.dofs.n_regular + excitation.tied;
      fill(exec_, Kokkos::subview(given, std::make_pair(position, position + 1)),
           read_entry(exec_, given_residual_, position) - 1.);
    }
    const auto result = columns_.solve_refined(exec_, value_of, given, unknowns_);
    keep_alive(exec_, given);
    return result;
  }

  /// Records a solution, which is in the unknowns, and expands it to all nodes.
  void take(std::size_t k, const solvers::PcgResult& result) {
    const std::string& name = excitations_[k].name;
    iterations_ += result.iterations;
    seconds_ += result.seconds;
    results_.histories.push_back(
        {quantity_ + '.' + name, 1, 1, io::relative_residuals(result.history, result.rhs_norm)});
    if (result.status != solvers::SolverStatus::converged)
      results_.failures.push_back(quantity_ + ", '" + name + "': " + result.message);
    fe::expand(exec_, problem_.dofs, ConstVector(unknowns_), nodal_);
  }

  /// Finds the loads of all excitations from log2 of their number of loads of subsets: most rows depend on one
  /// excitation only, whose index, from 1, is recovered bit by bit from the subset loads that equal the load of all.
  /// Returns false if a row depends on several, or nothing would be gained.
  bool mark_rows() {
    const auto n_rows = static_cast<std::int64_t>(given_.extent(0));
    std::size_t n_bits = 1;
    while (excitations_.size() >> n_bits != 0)
      ++n_bits;
    if (n_bits + 1 >= excitations_.size() || excitations_.size() > most_excitations)
      return false;
    const auto load = [&](std::size_t mask) {
      excite([mask](std::size_t k) { return mask == 0 || ((k + 1) & mask) != 0; });
      columns_.assembler().load(exec_);
    };
    of_all_ = make_array<Vector>(exec_, "driver::load_of_all", n_rows);
    codes_ = make_filled<decltype(codes_)>(exec_, "driver::load_codes", n_rows, std::uint16_t(0));
    load(0);
    subtract_given(of_all_);
    for (std::size_t bit = 0; bit < n_bits; ++bit) {
      load(std::size_t(1) << bit);
      const auto mask = static_cast<std::uint16_t>(1u << bit);
      if (ordered_sum("tessera::driver::mark_rows", exec_, n_rows,
                      detail::MarkRows<Space>{columns_.assembler().rhs(), given_, of_all_, mask, codes_}) > 0.)
        return false;
    }
    return true;
  }

  void subtract_given(const Vector& result) {
    for_each("tessera::driver::unit_load", exec_, static_cast<std::int64_t>(result.extent(0)),
             detail::Difference<Space>{columns_.assembler().rhs(), given_, result});
  }

  /// The right-hand side of the k-th excitation, in the array `number`.
  ConstVector load_of(std::size_t k, std::size_t number) {
    const UnitExcitation& excitation = excitations_[k];
    if (number == rhs_.size())
      rhs_.push_back(make_array<Vector>(exec_, "driver::unit_load", given_.extent(0)));
    const Vector& rhs = rhs_[number];
    if (excitation.tied >= 0) {
      const index_t position = problem_.dofs.n_regular + excitation.tied;
      fill(exec_, unknowns_, 0.);
      fill(exec_, Kokkos::subview(unknowns_, std::make_pair(position, position + 1)), 1.);
      copy(exec_, rhs, columns_.owned_of_all(unknowns_));
    } else if (by_code_) {
      for_each("tessera::driver::unit_load", exec_, static_cast<std::int64_t>(rhs.extent(0)),
               detail::TakeRows<Space>{of_all_, codes_, static_cast<std::uint16_t>(k + 1), rhs});
    } else {
      excite_only(k);
      columns_.assembler().load(exec_);
      subtract_given(rhs);
    }
    return rhs;
  }

  using Space = typename ExecutionSpace::memory_space;

  const ExecutionSpace& exec_;
  const Equations<ExecutionSpace>& problem_;
  ColumnSolver<ExecutionSpace> columns_;
  std::vector<UnitExcitation> excitations_;
  std::string quantity_;
  Results& results_;
  bool is_refined_;
  bool by_code_ = false; ///< loads are taken from that of all by codes
  Vector given_;
  Vector given_residual_; ///< at all unknowns, for refined solutions
  std::vector<Vector> rhs_;
  Vector unknowns_;
  Vector nodal_;
  Vector of_all_; ///< load of all excitations together
  Array<std::uint16_t*, ExecutionSpace> codes_;
  int iterations_ = 0;
  double seconds_ = 0.;
};

} // namespace tessera::driver

#endif
