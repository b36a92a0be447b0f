// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_BOUNDARIES_ENCLOSURES_HPP
#define TESSERA_PHYSICS_BOUNDARIES_ENCLOSURES_HPP

/// \file
/// Radiation between the surfaces of enclosures, grey and diffuse, in the plane or about an axis. Surfaces are facets,
/// few compared with elements: their equations are solved on the host, in one order on every backend.

#include "physics/forms/diffusion_problem.hpp"

#include <vector>

namespace tessera::physics {

/// The surfaces of an enclosure: what arrives at them per area, H = F (e E + (1 - e) H) + open E0, with what black
/// bodies of their temperatures would send out, E, their emissivities e and view factors F.
class GreyEnclosure {
public:
  GreyEnclosure() = default;
  /// `factors`: view factors by rows, reciprocal with the areas. `surroundings`: what black surroundings send, E0.
  GreyEnclosure(std::vector<double> areas, std::vector<double> emissivities, std::vector<double> factors,
                double surroundings);

  /// H for E, by conjugate gradients from the last one.
  std::vector<double> irradiation(const std::vector<double>& black) const;
  std::size_t n() const { return areas_.size(); }
  const std::vector<double>& areas() const { return areas_; }
  /// Share of the hemisphere of a surface in which there is none.
  const std::vector<double>& open() const { return open_; }

private:
  std::vector<double> seen(const std::vector<double>& sent) const;

  std::vector<double> areas_;
  std::vector<double> emissivities_;
  std::vector<double> factors_;
  std::vector<double> open_;
  double surroundings_ = 0.;
};

/// The enclosures of a problem on a mesh. What arrives at a facet acts like black surroundings of the temperature that
/// sends as much: NaturalFacets::reference.
template <class ExecutionSpace, int Dim, int Order> class Enclosures {
public:
  using Space = typename ExecutionSpace::memory_space;
  using Form = GeneralDiffusion<Dim, Order, Space>;

  /// Computes the view factors. Throws an error of kind input if an enclosure without surroundings is not closed, or
  /// has more than `most_radiating_segments` facets.
  Enclosures(const ExecutionSpace& exec, const Form& form, const NaturalFacets<Dim, Space>& facets,
             const DiffusionProblem& problem);

  bool any() const { return !enclosures_.empty(); }
  /// Sets the reference temperatures to what arrives for the solution `nodal`.
  void update(const ExecutionSpace& exec, const Array<const double*, ExecutionSpace>& nodal) const;

private:
  Form form_;
  NaturalFacets<Dim, Space> facets_;
  std::vector<GreyEnclosure> enclosures_;
  Array<const index_t*, ExecutionSpace> items_; ///< facets of the enclosures, one enclosure after the other
};

} // namespace tessera::physics

#endif
