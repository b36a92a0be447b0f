// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_HARMONIC_CONDUCTOR_ROWS_HPP
#define TESSERA_SOLVERS_HARMONIC_CONDUCTOR_ROWS_HPP

/// \file
/// Massive conductors with given total currents, whose voltages are eliminated.

#include "comm/transport.hpp"
#include "core/algorithms/segmented_sums.hpp"
#include "solvers/harmonic/complex_columns.hpp"

#include <vector>

namespace tessera::solvers {

/// A conductor: its current is I = G V - s C^T x with its voltage V, for a vector potential x. C and G have to be
/// computed with the quadrature of M, so that M - C G^-1 C^T is positive semidefinite.
struct Conductor {
  std::vector<index_t> unknowns; ///< of the conductor, each once
  std::vector<double> c;         ///< integral of sigma times the unknown's shape function
  double conductance;            ///< G > 0, the integral of sigma
};

/// The rows and columns of all conductors, in the memory of a space. Eliminating the voltages from
///
///   (K + s M) x - C V = b,   G V - s C^T x = I
///
/// gives (K + s (M - C G^-1 C^T)) x = b + C G^-1 I.
template <class ExecutionSpace> class ConductorRows {
public:
  /// Throws if an unknown is not in [0, n) or a conductance is not positive. Several processes have all conductors,
  /// each with its owned unknowns, numbered from 0; averages are then collective.
  ConductorRows(const ExecutionSpace& exec, const std::vector<Conductor>& conductors, index_t n,
                const comm::ProcessGroup<ExecutionSpace>& group = {});

  int n_conductors() const { return static_cast<int>(conductance_.size()); }
  double conductance(int k) const { return conductance_[static_cast<std::size_t>(k)]; }

  /// t = G^-1 C^T x of each conductor, [n_conductors()][2 N] with the parts of the columns. Does not wait.
  template <int N>
  void averages(const ExecutionSpace& exec, const ConstComplexColumns<N, ExecutionSpace>& x,
                const Array<double*, ExecutionSpace>& t) const;
  /// y += C (factor t), with a complex factor for each column. Does not wait.
  template <int N>
  void add(const ExecutionSpace& exec, const Array<const double*, ExecutionSpace>& t,
           const linalg::Pack<double, 2 * N>& factor, const ComplexColumns<N, ExecutionSpace>& y) const;

  /// b += C G^-1 I with the current of each conductor. Waits.
  void add_currents(const ExecutionSpace& exec, const std::vector<std::complex<double>>& currents,
                    const ComplexColumns<1, ExecutionSpace>& b) const;
  /// V = G^-1 (I + s C^T x). Waits.
  std::vector<std::complex<double>> voltages(const ExecutionSpace& exec,
                                             const std::vector<std::complex<double>>& currents, std::complex<double> s,
                                             const ConstComplexColumns<1, ExecutionSpace>& x) const;

private:
  comm::ProcessGroup<ExecutionSpace> group_;
  std::vector<double> conductance_;
  Array<double*, ExecutionSpace> conductances_;
  /// Entries by conductor, and the sums over the entries of each, for 2, 4 and 8 parts.
  Array<index_t*, ExecutionSpace> unknowns_;
  Array<double*, ExecutionSpace> values_;
  SegmentedSums<ExecutionSpace> sums_[3];
  /// Entries by unknown.
  Array<index_t*, ExecutionSpace> rows_;      ///< unknowns with entries
  Array<index_t*, ExecutionSpace> row_begin_; ///< [rows + 1]
  Array<index_t*, ExecutionSpace> row_conductor_;
  Array<double*, ExecutionSpace> row_values_;
};

} // namespace tessera::solvers

#endif
