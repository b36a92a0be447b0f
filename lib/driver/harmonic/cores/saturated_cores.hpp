// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_HARMONIC_CORES_SATURATED_CORES_HPP
#define TESSERA_DRIVER_HARMONIC_CORES_SATURATED_CORES_HPP

#include "driver/harmonic/circuits/conduction.hpp"
#include "driver/harmonic/harmonic_system.hpp"
#include "driver/problem/problem.hpp"
#include "physics/fields/point_values.hpp"

#include <memory>
#include <vector>

namespace tessera::driver {

/// Regions with a B-H curve, which have no energy in the problem's matrix: H = nu(|B|) B there (docs/theory.md, "Iron
/// at a frequency"). Vectors are those of the unknowns unless they are called nodal.
template <class ExecutionSpace> class SaturatedCores {
public:
  using Column = ComplexVector<ExecutionSpace>;
  using Vector = linalg::Vector<ExecutionSpace>;
  using Nodal = typename Saturation<ExecutionSpace>::Nodal;

  /// Takes the materials of the input.
  SaturatedCores(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem,
                 const Conduction<ExecutionSpace>& conduction, const io::ProblemOptions& options);

  bool any() const { return saturation_ != nullptr; }
  bool has_region(std::size_t region) const { return data_.curve_of_region[region] >= 0; }

  /// Linearises without a field anywhere.
  void set_rest(const ExecutionSpace& exec);
  /// Linearises at x with the problem's fixed values.
  void set_state(const ExecutionSpace& exec, const Column& x);
  /// Assembles the matrix T at the state.
  linalg::ConstVector<ExecutionSpace> matrix(const ExecutionSpace& exec);
  /// T x - H(x) with the fixed values, as a right-hand side.
  Column load_at(const ExecutionSpace& exec, const Column& x);
  /// The same at rest, linearised.
  Column load_at_rest(const ExecutionSpace& exec);
  /// T d - dH of a change d; between start_changes() and end_changes(), which set the fixed values.
  Column load_of_change(const ExecutionSpace& exec, const Column& d);
  void start_changes(const ExecutionSpace& exec) const;
  void end_changes(const ExecutionSpace& exec) const { problem_.excite(exec, {}); }

  /// Integral of nu |B|^2 / 2 at the state.
  double energy(const ExecutionSpace& exec) const;
  /// Mean relative permeability of each region at the state, [n_regions]; 0 in other regions.
  std::vector<double> permeabilities(const ExecutionSpace& exec) const;
  /// Sets H at points of these regions from B.
  void set_strengths(std::vector<physics::PointValue>& re, std::vector<physics::PointValue>& im) const;

private:
  Nodal nodal_of(const ExecutionSpace& exec, const Column& x) const;
  Column load(const ExecutionSpace& exec, physics::SaturationLoad kind, const Nodal& nodal, bool has_fixed);

  const Problem<ExecutionSpace>& problem_;
  SaturationData data_;
  physics::BhCurves<HostMemory> curves_;
  std::unique_ptr<Saturation<ExecutionSpace>> saturation_; ///< null: no such region
};

} // namespace tessera::driver

#endif
