// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_HARMONIC_CORES_COMPLEX_CORES_HPP
#define TESSERA_DRIVER_HARMONIC_CORES_COMPLEX_CORES_HPP

#include "driver/harmonic/added_matrix.hpp"
#include "physics/fields/point_values.hpp"

#include <array>
#include <complex>
#include <utility>
#include <vector>

namespace tessera::driver {

/// Regions in which B lags behind H: their reluctivity nu is complex and depends on the frequency. K + j omega M is
/// that of real matrices K = Re nu and M = Im nu / omega.
template <class ExecutionSpace> class ComplexCores {
public:
  using Complex = std::complex<double>;
  using Column = ComplexVector<ExecutionSpace>;
  using Term = typename HarmonicSystem<ExecutionSpace>::Term;

  /// `problem` has the reluctivities at omega = 0. The materials must outlive this object.
  ComplexCores(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem,
               const std::vector<io::Material>& materials, const assembly::AssemblyOptions& options);

  bool any() const { return !parts_.empty(); }
  bool has_region(std::size_t region) const { return region_has_part_[region]; }

  /// What K and M have in addition to the reluctivities at omega = 0.
  void add_terms(double omega, std::vector<Term>& of_k, std::vector<Term>& of_m) const;
  /// Adds the same to a right-hand side, for the fixed values.
  void add_loads(const ExecutionSpace& exec, double omega, const Column& b) const;

  /// Integral of omega Im nu |B|^2 over each region.
  std::vector<double> squares(const ExecutionSpace& exec, double omega, const Column& nodal) const;
  /// Integral of (Re nu - nu at omega = 0) |B|^2 / 2.
  double energy(const ExecutionSpace& exec, double omega, const Column& nodal) const;
  /// Problems whose H, times the factors, are what H has in addition to that at omega = 0.
  std::vector<std::pair<const Problem<ExecutionSpace>*, Complex>> terms(double omega) const;
  /// Sets H at points of these regions from B.
  void set_strengths(double omega, std::vector<physics::PointValue>& re, std::vector<physics::PointValue>& im) const;

private:
  /// A region, or one direction in an anisotropic one, with the matrix of the reluctivity 1.
  struct Part {
    std::size_t region;
    std::size_t direction;
    const io::Material* material;
    AddedMatrix<ExecutionSpace> matrix;
  };
  static Complex reluctivity(const io::Material& material, std::size_t direction, double omega);
  static Complex added(const Part& part, double omega) {
    return reluctivity(*part.material, part.direction, omega) - reluctivity(*part.material, part.direction, 0.);
  }

  std::vector<Part> parts_;
  std::vector<bool> region_has_part_;
  std::vector<const io::Material*> materials_; ///< of each region
};

} // namespace tessera::driver

#endif
