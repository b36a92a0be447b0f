// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_HARMONIC_CORES_SATURATION_HPP
#define TESSERA_DRIVER_HARMONIC_CORES_SATURATION_HPP

#include "assembly/assembler.hpp"
#include "linalg/operator.hpp"
#include "physics/forms/saturation_form.hpp"

#include <array>
#include <memory>
#include <vector>

namespace tessera::driver {

/// The effective B-H curves of a time-harmonic magnetic problem.
struct SaturationData {
  std::vector<physics::BhTable> curves;
  std::vector<index_t> curve_of_region; ///< -1: linear
  double amplitude_squared = 1.;        ///< square of the amplitude of a phasor of magnitude 1
};

/// Regions with an effective B-H curve; hides the order of elements (physics/forms/saturation_form.hpp). `nodal` are
/// values of A at all nodes, Wb/m, as real and imaginary part.
template <class ExecutionSpace> class Saturation {
public:
  using Nodal = std::array<linalg::Vector<ExecutionSpace>, 2>;

  virtual ~Saturation() = default;

  /// Sets the state at which matrix and loads are linearised.
  virtual void set_state(const ExecutionSpace& exec, const Nodal& nodal) = 0;
  /// Assembles the matrix at the state, on the pattern of the problem's matrix.
  virtual linalg::ConstVector<ExecutionSpace> matrix(const ExecutionSpace& exec) = 0;
  /// A load of one of the parts for a vector at all nodes, minus the matrix times the fixed values that the problem has
  /// at the time. Valid until the next call.
  virtual linalg::ConstVector<ExecutionSpace> load(const ExecutionSpace& exec, physics::SaturationLoad kind, int part,
                                                   const Nodal& nodal) = 0;
  /// Integral of nu |B|^2 over each region at the state, [n_regions], J.
  virtual std::vector<double> squares(const ExecutionSpace& exec) const = 0;
  /// Mean of 1 / nu over each region, weighted by nu |B|^2, H/m; 0 without a field or a curve.
  virtual std::vector<double> permeabilities(const ExecutionSpace& exec) const = 0;
};

/// Instantiated for both orders of elements.
template <class ExecutionSpace, int Order>
std::unique_ptr<Saturation<ExecutionSpace>>
make_saturation(const ExecutionSpace& exec,
                const physics::PotentialElements<2, Order, typename ExecutionSpace::memory_space>& elements,
                const fe::DofMap<typename ExecutionSpace::memory_space>& dofs, const SaturationData& data);

} // namespace tessera::driver

#endif
