// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_HARMONIC_CIRCUITS_CONDUCTION_HPP
#define TESSERA_DRIVER_HARMONIC_CIRCUITS_CONDUCTION_HPP

#include "assembly/assembler.hpp"
#include "driver/harmonic/cores/saturation.hpp"
#include "fe/dofs/dof_map.hpp"
#include "physics/forms/conduction_form.hpp"

#include <memory>
#include <vector>

namespace tessera::driver {

/// Conduction in the regions of a magnetic problem, for time-harmonic fields; hides the order of elements
/// (physics/forms/conduction_form.hpp). `nodal` are values of A at all nodes, Wb/m, as real and imaginary part.
template <class ExecutionSpace> class Conduction {
public:
  using Assembler = assembly::Assembler<ExecutionSpace>;
  using ConstVector = Array<const double*, ExecutionSpace>;
  using Phasor = physics::PhasorValue;

  virtual ~Conduction() = default;

  /// Sets the voltage of each region, [n_regions], V, to which the right-hand side refers.
  virtual void set_voltages(const ExecutionSpace& exec, const std::vector<double>& voltages) = 0;
  /// Assembler of M, on the pattern of the problem's matrix. Its right-hand side is c minus M times the fixed values.
  virtual Assembler& assembler() = 0;
  /// Writes the body of each unknown to `body_of`, [n_unknowns], which has -1 before: `bodies` are those of the
  /// regions, [n_regions], -1: of none. Returns whether several bodies have an unknown in common, which gets the last
  /// of them.
  virtual bool mark_bodies(const ExecutionSpace& exec, const std::vector<int>& bodies,
                           const Array<int*, ExecutionSpace>& body_of) const = 0;
  /// The integral of sigma e^2 over each region, [n_regions], S.
  virtual std::vector<double> conductances(const ExecutionSpace& exec) const = 0;
  /// The integral of sigma e A over each region, [n_regions], A s.
  virtual std::vector<double> linkages(const ExecutionSpace& exec, const ConstVector& nodal) const = 0;
  struct Squares {
    std::vector<double> total;   ///< W
    std::vector<double> by_size; ///< with the distance between nodes as a factor, W m: that of an element is the root
                                 ///< of twice its area, divided by the order
  };
  /// The integral of sigma |V e - j omega A|^2 over each region, [n_regions]; `voltages` of each region.
  virtual Squares squares(const ExecutionSpace& exec, const ConstVector& re, const ConstVector& im, double omega,
                          const std::vector<Phasor>& voltages) const = 0;
  /// Current density in each element, A/m^2, [n_elements][2]: real and imaginary part of its mean.
  virtual Array<const double* [2], HostMemory> densities(const ExecutionSpace& exec, const ConstVector& re,
                                                         const ConstVector& im, double omega,
                                                         const std::vector<Phasor>& voltages) const = 0;
  /// Largest magnitude of the current density at the vertices of each region, A/m^2, [n_regions], those on the axis
  /// left out.
  virtual std::vector<double> largest_densities(const ExecutionSpace& exec, const ConstVector& re,
                                                const ConstVector& im, double omega,
                                                const std::vector<Phasor>& voltages) const = 0;
  /// Integral of (factor |B|)^exponent over a region, with |B| in T.
  virtual double power(const ExecutionSpace& exec, const ConstVector& re, const ConstVector& im, std::size_t region,
                       double factor, double exponent) const = 0;
  /// Terms of saturated regions, for the same unknowns.
  virtual std::unique_ptr<Saturation<ExecutionSpace>> make_saturation(const ExecutionSpace& exec,
                                                                      const SaturationData& data) const = 0;
};

/// `conductivity`: of each region, S/m. Instantiated for both orders of elements.
template <class ExecutionSpace, int Order>
std::unique_ptr<Conduction<ExecutionSpace>>
make_conduction(const ExecutionSpace& exec,
                const physics::Magnetostatics<2, Order, typename ExecutionSpace::memory_space>& form,
                const fe::DofMap<typename ExecutionSpace::memory_space>& dofs, const std::vector<double>& conductivity);

} // namespace tessera::driver

#endif
