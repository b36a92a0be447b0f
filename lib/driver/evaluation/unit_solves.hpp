// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_EVALUATION_UNIT_SOLVES_HPP
#define TESSERA_DRIVER_EVALUATION_UNIT_SOLVES_HPP

/// \file
/// Solutions for unit excitations, one after the other; private to matrices.cpp.

#include "core/algorithms/reduce.hpp"
#include "core/keep_alive.hpp"
#include "driver/results.hpp"
#include "driver/solve.hpp"

#include <algorithm>
#include <functional>
#include <string>
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

/// An excitation: a fixed value or a current, or the total 1 of a tied unknown.
struct UnitExcitation {
  std::string name;    ///< of the conductor or coil
  index_t tied = -1;   ///< index of the tied unknown; -1: none
  int constraint = -1; ///< constraint whose fixed value is excited; -1: none
};

/// Solves for excitations, several together. Given sources (charges, magnets) contribute a load, which is subtracted.
template <class ExecutionSpace> class UnitSolves {
public:
  using Vector = linalg::Vector<ExecutionSpace>;
  using ConstVector = linalg::ConstVector<ExecutionSpace>;
  /// Sets the fixed values or currents of the selected excitations without a tied unknown to one unit, others to zero.
  using Set = std::function<void(const std::vector<bool>& which)>;
  /// Called with the solution of the k-th excitation at all nodes, while it is set.
  using Evaluate = std::function<void(std::size_t k, const ConstVector& nodal)>;

  /// All excitations must be zero.
  UnitSolves(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem,
             const AssembledSystem<ExecutionSpace>& system, const std::string& quantity, Results& results)
      : exec_(exec), problem_(problem), system_(system), quantity_(quantity), results_(results) {
    system.assembler.load(exec);
    given_ = make_array<Vector>(exec, "driver::given_load", system.assembler.rhs().extent(0));
    unknowns_ = make_array<Vector>(exec, "driver::unit_unknowns", problem.dofs.n_free);
    nodal_ = make_filled<Vector>(exec, "driver::unit_nodal", problem.n_space_nodes, 0.);
    copy(exec, given_, system.assembler.rhs());
    if (system.solve_refined)
      given_residual_ = problem.residual(exec, nodal_);
  }
  ~UnitSolves() { keep_alive(exec_, given_, rhs_, unknowns_, nodal_, of_all_, codes_); }
  UnitSolves(const UnitSolves&) = delete;
  UnitSolves& operator=(const UnitSolves&) = delete;

  void solve(const std::vector<UnitExcitation>& excitations, const Set& set, const Evaluate& evaluate) {
    const auto together = static_cast<std::size_t>(system_.columns);
    const auto only = [&](std::size_t k) {
      std::vector<bool> which(excitations.size(), false);
      which[k] = excitations[k].tied < 0;
      return which;
    };
    if (system_.solve_refined) {
      for (std::size_t k = 0; k < excitations.size(); ++k) {
        set(only(k));
        take(excitations[k], solve_refined(excitations[k]));
        evaluate(k, nodal_);
      }
      return;
    }
    const bool by_code = together > 1 && mark_rows(excitations, set);
    for (std::size_t first = 0; first < excitations.size(); first += together) {
      std::vector<ConstVector> rhs;
      for (std::size_t k = first; k < std::min(first + together, excitations.size()); ++k)
        rhs.push_back(load_of(excitations[k], k, k - first, by_code, [&] { set(only(k)); }));
      system_.solve_columns(rhs, unknowns_, [&](std::size_t c, const solvers::PcgResult& result) {
        set(only(first + c));
        take(excitations[first + c], result);
        evaluate(first + c, nodal_);
      });
    }
  }
  /// Value of a tied unknown in the last solution.
  double tied_value(index_t tied) const { return read_entry(exec_, unknowns_, problem_.dofs.n_regular + tied); }
  /// Zero at all nodes; valid before the first solve.
  ConstVector zero() const { return nodal_; }
  int iterations() const { return iterations_; }
  double seconds() const { return seconds_; }

private:
  static constexpr std::size_t most_excitations = 65535; // largest number in a code of 16 bits

  solvers::PcgResult solve_refined(const UnitExcitation& excitation) {
    std::vector<double> value_of(problem_.binding.constraints.size() + problem_.binding.medium().natural.size(), 0.);
    if (excitation.constraint >= 0)
      value_of[static_cast<std::size_t>(excitation.constraint)] = 1.;
    const auto given = make_array<Vector>(exec_, "driver::given_residual", given_residual_.extent(0));
    copy(exec_, given, given_residual_);
    if (excitation.tied >= 0) { // a total of one
      const index_t place = problem_.dofs.n_regular + excitation.tied;
      fill(exec_, Kokkos::subview(given, std::make_pair(place, place + 1)),
           read_entry(exec_, given_residual_, place) - 1.);
    }
    const auto result = system_.solve_refined(value_of, given, unknowns_);
    keep_alive(exec_, given);
    return result;
  }

  /// Records a solution, which is in the unknowns, and expands it to all nodes.
  void take(const UnitExcitation& excitation, const solvers::PcgResult& result) {
    iterations_ += result.iterations;
    seconds_ += result.seconds;
    results_.histories.push_back(
        {quantity_ + '.' + excitation.name, 1, 1, io::relative_residuals(result.history, result.rhs_norm)});
    if (result.status != solvers::SolverStatus::converged)
      results_.failures.push_back(quantity_ + ", '" + excitation.name + "': " + result.message);
    fe::expand(exec_, problem_.dofs, ConstVector(unknowns_), nodal_);
  }

  /// Finds the loads of all excitations from log2 of their number of loads of subsets: most rows depend on one
  /// excitation only, whose index, from 1, is recovered bit by bit from the subset loads that equal the load of all.
  /// Returns false if a row depends on several, or nothing would be gained.
  bool mark_rows(const std::vector<UnitExcitation>& excitations, const Set& set) {
    const auto n_rows = static_cast<std::int64_t>(given_.extent(0));
    std::size_t n_bits = 1;
    while (excitations.size() >> n_bits != 0)
      ++n_bits;
    if (n_bits + 1 >= excitations.size() || excitations.size() > most_excitations)
      return false;
    const auto load = [&](std::size_t mask) {
      std::vector<bool> which;
      for (std::size_t k = 0; k < excitations.size(); ++k)
        which.push_back(excitations[k].tied < 0 && (mask == 0 || ((k + 1) & mask) != 0));
      set(which);
      system_.assembler.load(exec_);
    };
    of_all_ = make_array<Vector>(exec_, "driver::load_of_all", n_rows);
    codes_ = make_filled<decltype(codes_)>(exec_, "driver::load_codes", n_rows, std::uint16_t(0));
    load(0);
    subtract_given(of_all_);
    for (std::size_t bit = 0; bit < n_bits; ++bit) {
      load(std::size_t(1) << bit);
      const auto mask = static_cast<std::uint16_t>(1u << bit);
      if (ordered_sum("tessera::driver::mark_rows", exec_, n_rows,
                      detail::MarkRows<Space>{system_.assembler.rhs(), given_, of_all_, mask, codes_}) > 0.)
        return false;
    }
    return true;
  }

  void subtract_given(const Vector& result) {
    for_each("tessera::driver::unit_load", exec_, static_cast<std::int64_t>(result.extent(0)),
             detail::Difference<Space>{system_.assembler.rhs(), given_, result});
  }

  /// The right-hand side of the k-th excitation, in the array `number`.
  ConstVector load_of(const UnitExcitation& excitation, std::size_t k, std::size_t number, bool by_code,
                      const std::function<void()>& set) {
    if (number == rhs_.size())
      rhs_.push_back(make_array<Vector>(exec_, "driver::unit_load", given_.extent(0)));
    const Vector& rhs = rhs_[number];
    if (excitation.tied >= 0) {
      const index_t place = problem_.dofs.n_regular + excitation.tied;
      fill(exec_, unknowns_, 0.);
      fill(exec_, Kokkos::subview(unknowns_, std::make_pair(place, place + 1)), 1.);
      copy(exec_, rhs, system_.own_of_all(unknowns_));
    } else if (by_code) {
      for_each("tessera::driver::unit_load", exec_, static_cast<std::int64_t>(rhs.extent(0)),
               detail::TakeRows<Space>{of_all_, codes_, static_cast<std::uint16_t>(k + 1), rhs});
    } else {
      set();
      system_.assembler.load(exec_);
      subtract_given(rhs);
    }
    return rhs;
  }

  using Space = typename ExecutionSpace::memory_space;

  const ExecutionSpace& exec_;
  const Problem<ExecutionSpace>& problem_;
  const AssembledSystem<ExecutionSpace>& system_;
  std::string quantity_;
  Results& results_;
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
