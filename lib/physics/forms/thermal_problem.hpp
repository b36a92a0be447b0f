// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FORMS_THERMAL_PROBLEM_HPP
#define TESSERA_PHYSICS_FORMS_THERMAL_PROBLEM_HPP

/// \file
/// Materials of temperature: their form, its linearisation for Newton's method, and the range of temperatures in which
/// they were used.

#include "linalg/element_sums.hpp"
#include "physics/forms/diffusion_problem.hpp"
#include "physics/forms/thermal_form.hpp"

#include <array>
#include <limits>
#include <utility>

namespace tessera::physics {

/// The problem with materials at its rest temperature: a form of it has all arrays but those of ThermalDiffusion.
DiffusionProblem at_rest(const DiffusionProblem& problem);

/// Makes the form from that of the problem at_rest(), linearised there.
template <class ExecutionSpace, int Dim, int Order>
ThermalDiffusion<Dim, Order, typename ExecutionSpace::memory_space>
make_thermal_form(const ExecutionSpace& exec,
                  const GeneralDiffusion<Dim, Order, typename ExecutionSpace::memory_space>& frozen, index_t n_nodes,
                  const DiffusionProblem& problem);

/// Linearises a form, whose arrays it modifies. Where an iterate leaves the temperatures at which a material makes
/// sense, it has a thousandth of its coefficient or capacity at rest, and check() fails if the solution is there.
template <class ExecutionSpace, int Dim, int Order> class ThermalMaterials {
public:
  using Space = typename ExecutionSpace::memory_space;
  using Form = ThermalDiffusion<Dim, Order, Space>;
  using Nodal = Array<const double*, ExecutionSpace>;

  /// `has_given_temperature`: form.iterate has temperatures that are not the solution, which the coefficient depends on
  /// without a drift.
  ThermalMaterials(const ExecutionSpace& exec, const Form& form, const DiffusionProblem& problem,
                   bool has_given_temperature = false);

  /// In a step of time, counts what is stored from the sum of the `weights`, which add up to 1, times the heat at
  /// nodal `values`: r times the heat at T less that sum is the rate of storage after each linearize(). The heat is the
  /// integral of the capacity over the temperature, so that no peak of it is missed, and none is counted twice.
  void count_from(const ExecutionSpace& exec, const std::vector<std::pair<double, Nodal>>& values);
  void linearize_at_rest(const ExecutionSpace& exec) const;
  /// At form.iterate.
  void linearize(const ExecutionSpace& exec) const;
  /// Sum over the elements of the residual times (to - from), with the form linearised at form.iterate.
  double slope(const ExecutionSpace& exec, const Nodal& from, const Nodal& to,
               const linalg::ElementSums<ExecutionSpace>& sums) const;
  /// Throws if a coefficient or capacity is not positive at form.iterate, which the form must be linearised at. Counts
  /// its temperatures in regions with tables.
  void check(const ExecutionSpace& exec, const mesh::Mesh<Dim, Space>& mesh);
  /// A note for each region whose temperatures at the calls of check() were beyond a table.
  std::vector<std::string> notes(const mesh::Mesh<Dim, Space>& mesh) const;

private:
  struct Range {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
  };
  Form form_;
  std::vector<RegionData> regions_;
  double rest_;
  bool has_drift_;
  Array<std::int64_t*, Space> bad_; ///< first elements with a wrong coefficient, and with a wrong capacity
  std::vector<Range> tables_;       ///< of regions; low > high: no table
  std::vector<Range> reached_;
  Array<double*, Space> breaks_;             ///< of the capacities of all regions in sequence (capacity_breaks())
  Array<std::int32_t*, Space> first_breaks_; ///< [n_regions + 1]
  std::array<Nodal, 2> earlier_;
  std::array<double, 2> weights_{};
};

/// source = own + D |grad u|^2 at the quadrature points of all elements, with the coefficient of the last linearisation
/// and `nodal` values of u. `own` has values at the points or, if `is_of_regions`, of the regions.
template <class ExecutionSpace, int Dim, int Order>
void set_losses(const ExecutionSpace& exec,
                const ThermalDiffusion<Dim, Order, typename ExecutionSpace::memory_space>& form,
                const Array<const double*, ExecutionSpace>& nodal, const Array<const double*, ExecutionSpace>& own,
                bool is_of_regions, const Array<double*, ExecutionSpace>& source);

} // namespace tessera::physics

#endif
