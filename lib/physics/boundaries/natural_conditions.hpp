// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_BOUNDARIES_NATURAL_CONDITIONS_HPP
#define TESSERA_PHYSICS_BOUNDARIES_NATURAL_CONDITIONS_HPP

/// \file
/// Natural conditions (flux, Robin, radiation) at a solution: the inflow through them, and the linearisation of
/// radiation for Newton's method. `nodal` is the solution at all nodes.

#include "linalg/element_sums.hpp"
#include "physics/boundaries/enclosures.hpp"
#include "physics/forms/diffusion_problem.hpp"

namespace tessera::physics {

/// Integrals over the boundary of a natural condition.
struct NaturalTotals {
  double inflow = 0.; ///< of flux + alpha (reference - u) and radiation, for which the form must be linearised at u
  double energy = 0.; ///< of alpha (u - reference)^2 / 2: the energy outside an asymptotic condition
  double conductance = 0.; ///< of alpha
};

/// Computes the totals in the order of DiffusionProblem::natural.
template <class ExecutionSpace, int Dim, int Order>
std::vector<NaturalTotals>
natural_totals(const ExecutionSpace& exec,
               const GeneralDiffusion<Dim, Order, typename ExecutionSpace::memory_space>& form,
               const NaturalFacets<Dim, typename ExecutionSpace::memory_space>& facets, index_t n_natural,
               const Array<const double*, ExecutionSpace>& nodal);

/// Largest ratio of the coefficient alpha of each natural condition to the conductance D / h of the element at the
/// facet (facet_conductance()).
template <class ExecutionSpace, int Dim, int Order>
std::vector<double> coefficient_ratios(const ExecutionSpace& exec,
                                       const GeneralDiffusion<Dim, Order, typename ExecutionSpace::memory_space>& form,
                                       const NaturalFacets<Dim, typename ExecutionSpace::memory_space>& facets,
                                       index_t n_natural);

/// Radiation a (r^4 - u^4), linearised for Newton's method at u_k: the Robin condition with the coefficient 4 a u_k^3
/// and the load a (r^4 + 3 u_k^4) has the same flux and slope there. In enclosures r is that of what arrives at u_k,
/// whose slope is left out. Modifies the facet data of the form.
template <class ExecutionSpace, int Dim, int Order> class Radiation {
public:
  using Space = typename ExecutionSpace::memory_space;
  using Form = GeneralDiffusion<Dim, Order, Space>;

  /// The form and its facets are those of the problem.
  Radiation(const ExecutionSpace& exec, const Form& form, const NaturalFacets<Dim, Space>& facets,
            const DiffusionProblem& problem);

  /// The facets with the data of the conditions without radiation, which linearisations start from.
  NaturalFacets<Dim, Space> without_radiation() const;
  /// Linearises at the temperature of the surroundings, or at 300 K if they are colder.
  void linearize_at_rest(const ExecutionSpace& exec) const;
  void linearize(const ExecutionSpace& exec, const Array<const double*, ExecutionSpace>& nodal) const;

  /// Computes the slope of the energy whose minimum is the solution, on the line u(s) = from + s (to - from): the sum
  /// over the elements of (K u - f) . (to - from), with the form linearised at u(s). `u` receives u(s).
  double slope(const ExecutionSpace& exec, const Array<const double*, ExecutionSpace>& from,
               const Array<const double*, ExecutionSpace>& to, double s, const Array<double*, ExecutionSpace>& u,
               const linalg::ElementSums<ExecutionSpace>& sums) const;

private:
  Form form_;
  NaturalFacets<Dim, Space> facets_;
  Enclosures<ExecutionSpace, Dim, Order> enclosures_;
  typename NaturalFacets<Dim, Space>::Values alpha_; // without radiation
  typename NaturalFacets<Dim, Space>::Values load_;
};

} // namespace tessera::physics

#endif
