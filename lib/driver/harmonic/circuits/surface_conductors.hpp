// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_HARMONIC_CIRCUITS_SURFACE_CONDUCTORS_HPP
#define TESSERA_DRIVER_HARMONIC_CIRCUITS_SURFACE_CONDUCTORS_HPP

#include "core/constants.hpp"
#include "driver/harmonic/added_matrix.hpp"

#include <complex>
#include <string>
#include <vector>

namespace tessera::driver {

/// Conductors behind boundaries, which carry the current density Y E per length along the surface, E = V e - j omega A
/// (M. A. Leontovich): Y = sigma delta / (1 + j) with the skin depth delta (docs/theory.md, "Impedance boundaries").
/// All integrals are those of the matrix S of the product of two functions on the boundary, with e interpolated at the
/// nodes, so that they agree with each other.
template <class ExecutionSpace> class SurfaceConductors {
public:
  using Complex = std::complex<double>;
  using Vector = linalg::Vector<ExecutionSpace>;
  using Column = ComplexVector<ExecutionSpace>;
  using Term = typename HarmonicSystem<ExecutionSpace>::Term;

  /// Takes the impedance boundaries of the input.
  SurfaceConductors(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem,
                    const io::ProblemOptions& options, const assembly::AssemblyOptions& assembly);

  bool any() const { return !surfaces_.empty(); }
  std::size_t size() const { return surfaces_.size(); }
  const std::string& name(std::size_t s) const { return surfaces_[s].name; }
  /// Index of the surface of a boundary.
  std::size_t position(const std::string& boundary) const;

  /// What K and M have in addition, and the right-hand side for the fixed values.
  void add_terms(double omega, std::vector<Term>& of_k, std::vector<Term>& of_m) const;
  void add_loads(const ExecutionSpace& exec, double omega, const Column& b) const;
  /// Adds the right-hand side of 1 V along a surface.
  void add_drive(const ExecutionSpace& exec, std::size_t s, double omega, const Column& b) const;

  /// Current of a surface, A.
  Complex current(const ExecutionSpace& exec, std::size_t s, double omega, const Column& nodal, Complex voltage) const;
  /// Integral of Re Y |E|^2 over a surface, W.
  double square(const ExecutionSpace& exec, std::size_t s, double omega, const Column& nodal, Complex voltage) const;

  double skin_depth(std::size_t s, double omega) const;
  /// Radius of a circle with the boundary's length, m.
  double mean_radius(std::size_t s) const { return surfaces_[s].length / (2. * pi); }

private:
  struct Surface {
    std::string name;
    io::SurfaceImpedance metal;
    AddedMatrix<ExecutionSpace> s;
    Vector load;        ///< S e at the unknowns
    double conductance; ///< e^T S e
    double length;      ///< m
  };
  Complex admittance(std::size_t s, double omega) const;
  /// x^T S y.
  double product(const ExecutionSpace& exec, std::size_t s, const Vector& x, const Vector& y) const;

  std::vector<Surface> surfaces_;
  Vector unit_field_; ///< e at all nodes, 1/m
  Vector zero_;       ///< at the unknowns
};

} // namespace tessera::driver

#endif
