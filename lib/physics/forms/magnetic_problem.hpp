// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FORMS_MAGNETIC_PROBLEM_HPP
#define TESSERA_PHYSICS_FORMS_MAGNETIC_PROBLEM_HPP

/// \file
/// Data of a magnetostatic problem, the form for it, and quantities of its solution.

#include "linalg/element_sums.hpp"
#include "physics/forms/diffusion_problem.hpp"
#include "physics/forms/magnetic_form.hpp"

namespace tessera::physics {

/// Data of a region in addition to permeability and current density.
struct MagneticRegion {
  /// B_r in T (planar: x, y; axisymmetric: r, z); with a B-H curve, which is then shifted to start at [0, 0], H_c in
  /// A/m.
  std::array<double, 2> remanence{0., 0.};
  std::vector<Expression> direction; ///< direction of the magnetisation if it varies, of any length but 0; else empty
  double remanence_size = 0.;        ///< |B_r| (|H_c|) if the direction varies
  int curve = -1;                    ///< index of its B-H curve; -1: linear
  int curve_across = -1;             ///< index of that across `curve_angle`, which `curve` is along; -1: isotropic
  double curve_angle = 0.;           ///< rad, from x or r
  bool is_shell = false;             ///< represents the space outside inner_radius
  std::array<double, 2> center{0., 0.}; ///< of the shell, m
  double inner_radius = 0.;
  double outer_radius = 0.;

  bool is_magnet() const { return remanence[0] != 0. || remanence[1] != 0. || remanence_size != 0.; }
};

/// Stranded coil: the turns are distributed evenly in each of its regions.
struct Coil {
  std::string name;
  double turns = 1.;
  double current = 0.;           ///< A
  std::vector<double> direction; ///< [n_regions]: 1 (current along +z or +phi), -1, or 0 (not part of the coil)
  std::string where;             ///< place in the input, for messages; may be empty
};

/// Data of curl(nu curl A) = J in the plane or around an axis, by region and boundary of a mesh.
struct MagneticProblem {
  /// Permeability (`coefficient`, H/m; isotropic in shells, unused in nonlinear regions), current density (`source`,
  /// A/m^2) and natural data: `flux` is -H . t with t = e x n, where e is the direction of A; `alpha` for asymptotic
  /// boundaries.
  DiffusionProblem medium;
  std::vector<MagneticRegion> regions; ///< one per region of the medium
  std::vector<Coil> coils;
  std::vector<BhTable> curves;

  bool is_linear() const { return curves.empty(); }
};

/// Computes turns per area in 1/m^2 of every coil and region, [n_coils][n_regions], with the sign of the direction;
/// `sums` adds the areas of the space's elements. Throws for a coil without area.
template <class ExecutionSpace, int Order>
std::vector<std::vector<double>>
coil_densities(const ExecutionSpace& exec, const mesh::Mesh<2, typename ExecutionSpace::memory_space>& mesh,
               const fe::FunctionSpace<2, Order, typename ExecutionSpace::memory_space>& space,
               const MagneticProblem& problem, const linalg::ElementSums<ExecutionSpace>& sums);

/// Makes the form of a problem; `densities` from coil_densities(). Its iterate, if any, is zero. Errors as for
/// make_general_form.
template <class ExecutionSpace, int Order>
Magnetostatics<2, Order, typename ExecutionSpace::memory_space>
make_magnetic_form(const ExecutionSpace& exec, const mesh::Mesh<2, typename ExecutionSpace::memory_space>& mesh,
                   const fe::FunctionSpace<2, Order, typename ExecutionSpace::memory_space>& space,
                   const MagneticProblem& problem, const std::vector<std::vector<double>>& densities);

/// Current densities of the coils in A/m^2, [n_regions], for a current in A in each coil; zeros without coils.
std::vector<double> current_densities(const std::vector<std::vector<double>>& densities,
                                      const std::vector<double>& currents, std::size_t n_regions);

/// Integral of the coenergy density, J (the energy: field_energy).
template <class ExecutionSpace, class Form>
double field_coenergy(const ExecutionSpace& exec, const Form& form, const Array<const double*, ExecutionSpace>& nodal);

/// Flux linkage in Wb of a coil with `density` turns per area in each region.
template <class ExecutionSpace, class Form>
double flux_linkage(const ExecutionSpace& exec, const Form& form, const Array<const double*, ExecutionSpace>& nodal,
                    const std::vector<double>& density);

/// Largest |B| in T at the quadrature points of a region, at which its material law is evaluated; 0 without elements.
template <class ExecutionSpace, class Form>
double largest_flux_density(const ExecutionSpace& exec, const Form& form,
                            const Array<const double*, ExecutionSpace>& nodal, group_t region);

/// Current through the plane of the mesh, A.
struct PlaneCurrent {
  double sum = 0.;
  double absolute = 0.; ///< of the absolute values
};
/// Computes the current of the densities of `problem.medium`, without coils, from values at the centroids.
template <class ExecutionSpace>
PlaneCurrent source_current(const ExecutionSpace& exec,
                            const mesh::Mesh<2, typename ExecutionSpace::memory_space>& mesh,
                            const MagneticProblem& problem);

/// Computes the derivative with respect to s of the energy functional (energy minus the work of the sources) at (1 - s)
/// from + s to; `from` and `to` are A at all nodes.
template <class ExecutionSpace, class Form>
double energy_slope(const ExecutionSpace& exec, const Form& form, const Array<const double*, ExecutionSpace>& from,
                    const Array<const double*, ExecutionSpace>& to, double s,
                    const linalg::ElementSums<ExecutionSpace>& sums);

} // namespace tessera::physics

#endif
