// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/harmonic/circuits/surface_conductors.hpp"

#include "core/assert.hpp"
#include "driver/harmonic/harmonic_quantities.hpp"
#include "driver/harmonic/harmonic_system.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::driver {

namespace {

/// Takes the values of unknowns from those at the nodes; of several nodes any one, as they are equal.
template <class Space> struct ValuesOfUnknowns {
  Array<const index_t*, Space> node_dof;
  index_t n_free;
  Array<const double*, Space> nodal;
  Array<double*, Space> values;
  KOKKOS_FUNCTION void operator()(std::int64_t n) const {
    if (node_dof(n) < n_free)
      values(node_dof(n)) = nodal(n);
  }
};

/// y -= A x, with the entries of a matrix in rows.
template <class Space> struct SubtractProduct {
  linalg::CrsMatrix<Space> a;
  Array<const double*, Space> x;
  Array<double*, Space> y;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    double sum = 0.;
    for (offset_t e = a.offsets(i); e < a.offsets(i + 1); ++e)
      sum += a.values(e) * x(a.columns(e));
    y(i) -= sum;
  }
};

} // namespace

template <class ExecutionSpace>
SurfaceConductors<ExecutionSpace>::SurfaceConductors(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem,
                                                     const io::ProblemOptions& options,
                                                     const assembly::AssemblyOptions& assembly) {
  using Space = typename ExecutionSpace::memory_space;
  const bool is_planar = options.symmetry == io::Symmetry::planar;
  // 0 on the axis, where A is 0 as well: no conductor with a voltage touches it.
  const physics::Expression field =
      is_planar ? physics::Expression(1. / options.depth) : physics::Expression::parse("x/(2*pi*(x^2 + 1e-300))");
  for (const io::Boundary& boundary : options.boundaries) {
    if (!boundary.impedance)
      continue;
    if (surfaces_.empty()) {
      unit_field_ = make_array<Vector>(exec, "driver::unit_field", static_cast<std::size_t>(problem.n_space_nodes));
      problem.interpolate(exec, field, unit_field_, boundary.group.where.text());
      zero_ = make_filled<Vector>(exec, "driver::no_load", static_cast<std::size_t>(problem.dofs.n_free), 0.);
    }
    const std::vector<std::string>& names = problem.summary.boundary_names;
    const auto found = std::find(names.begin(), names.end(), boundary.group.name);
    physics::NaturalData datum;
    datum.group = static_cast<group_t>(found - names.begin());
    datum.name = boundary.group.name;
    datum.where = boundary.group.where.text();
    datum.alpha = physics::Expression(1.);
    datum.is_asymptotic = true;
    ProblemBinding binding = without_energy(problem.binding);
    binding.medium().natural.push_back(datum);
    AddedMatrix<ExecutionSpace> s(exec, problem, binding, assembly);

    // S e at the unknowns: of the free values, and of those at nodes with fixed values.
    Excitation excitation;
    for (const fe::Constraint& constraint : binding.constraints)
      excitation.fixed_values.push_back(constraint.is_axis ? physics::Expression(0.) : field);
    s.problem->excite(exec, excitation);
    s.assembler->load(exec);
    const auto with_fixed = copy_of_load(exec, *s.assembler);
    excitation.fixed_values.assign(binding.constraints.size(), physics::Expression(0.));
    s.problem->excite(exec, excitation);
    s.assembler->load(exec);
    Vector load = sum_of<ExecutionSpace>(exec, with_fixed, -1., copy_of_load(exec, *s.assembler));
    s.problem->excite(exec, {});
    const auto values = make_filled<Vector>(exec, "driver::unit_field", zero_.extent(0), 0.);
    for_each("tessera::driver::values_of_unknowns", exec, static_cast<std::int64_t>(unit_field_.extent(0)),
             ValuesOfUnknowns<Space>{problem.dofs.node_dof, problem.dofs.n_free, unit_field_, values});
    for_each("tessera::driver::subtract_product", exec, static_cast<std::int64_t>(zero_.extent(0)),
             SubtractProduct<Space>{*s.assembler->matrix(), values, load});
    load = sum_of<ExecutionSpace>(exec, zero_, -1., load);
    exec.fence();
    surfaces_.push_back({boundary.group.name, *boundary.impedance, std::move(s), load, 0., 0.});
    Surface& surface = surfaces_.back();
    surface.conductance = product(exec, surfaces_.size() - 1, unit_field_, unit_field_);
    const auto ones = make_filled<Vector>(exec, "driver::ones", static_cast<std::size_t>(problem.n_space_nodes), 1.);
    surface.length = product(exec, surfaces_.size() - 1, unit_field_, ones);
  }
}

template <class ExecutionSpace>
std::size_t SurfaceConductors<ExecutionSpace>::position(const std::string& boundary) const {
  const auto found = std::find_if(surfaces_.begin(), surfaces_.end(),
                                  [&](const Surface& surface) { return surface.name == boundary; });
  TESSERA_ASSERT(found != surfaces_.end()); // the input is checked
  return static_cast<std::size_t>(found - surfaces_.begin());
}

template <class ExecutionSpace>
double SurfaceConductors<ExecutionSpace>::skin_depth(std::size_t s, double omega) const {
  const io::SurfaceImpedance& metal = surfaces_[s].metal;
  return std::sqrt(2. / (omega * physics::vacuum_permeability * metal.relative_permeability * metal.conductivity));
}

template <class ExecutionSpace>
std::complex<double> SurfaceConductors<ExecutionSpace>::admittance(std::size_t s, double omega) const {
  return surfaces_[s].metal.conductivity * skin_depth(s, omega) / Complex(1., 1.);
}

template <class ExecutionSpace>
void SurfaceConductors<ExecutionSpace>::add_terms(double omega, std::vector<Term>& of_k,
                                                  std::vector<Term>& of_m) const {
  for (std::size_t s = 0; s < surfaces_.size(); ++s) { // j omega Y
    of_k.push_back(surfaces_[s].s.times(-omega * admittance(s, omega).imag()));
    of_m.push_back(surfaces_[s].s.times(admittance(s, omega).real()));
  }
}

template <class ExecutionSpace>
void SurfaceConductors<ExecutionSpace>::add_loads(const ExecutionSpace& exec, double omega, const Column& b) const {
  for (std::size_t s = 0; s < surfaces_.size(); ++s)
    add_multiple<ExecutionSpace>(exec, surfaces_[s].s.fixed_load, Complex(0., omega) * admittance(s, omega), b);
}

template <class ExecutionSpace>
void SurfaceConductors<ExecutionSpace>::add_drive(const ExecutionSpace& exec, std::size_t s, double omega,
                                                  const Column& b) const {
  add_multiple<ExecutionSpace>(exec, {surfaces_[s].load, zero_}, admittance(s, omega), b);
}

template <class ExecutionSpace>
double SurfaceConductors<ExecutionSpace>::product(const ExecutionSpace& exec, std::size_t s, const Vector& x,
                                                  const Vector& y) const {
  const auto energy = [&](const Vector& z) { return surfaces_[s].s.problem->energy(exec, z); };
  const double of_x = energy(x);
  const double of_y = energy(y);
  if (!(of_x > 0.) || !(of_y > 0.))
    return 0.;
  const double scale = std::sqrt(of_x / of_y); // so that both count
  return (energy(sum_of<ExecutionSpace>(exec, x, scale, y)) - energy(sum_of<ExecutionSpace>(exec, x, -scale, y))) /
         (2. * scale);
}

template <class ExecutionSpace>
std::complex<double> SurfaceConductors<ExecutionSpace>::current(const ExecutionSpace& exec, std::size_t s, double omega,
                                                                const Column& nodal, Complex voltage) const {
  const Complex linkage(product(exec, s, unit_field_, nodal.re), product(exec, s, unit_field_, nodal.im));
  return admittance(s, omega) * (surfaces_[s].conductance * voltage - Complex(0., omega) * linkage);
}

template <class ExecutionSpace>
double SurfaceConductors<ExecutionSpace>::square(const ExecutionSpace& exec, std::size_t s, double omega,
                                                 const Column& nodal, Complex voltage) const {
  const auto zero = make_filled<Vector>(exec, "driver::no_field", unit_field_.extent(0), 0.);
  const auto field = [&](double v, double factor, const Vector& a) {
    const auto applied = sum_of<ExecutionSpace>(exec, zero, v, unit_field_);
    return sum_of<ExecutionSpace>(exec, applied, factor, a);
  };
  const Column e{field(voltage.real(), omega, nodal.im), field(voltage.imag(), -omega, nodal.re)};
  return admittance(s, omega).real() * surfaces_[s].s.square(exec, e);
}

#define TESSERA_INSTANTIATE(SPACE) template class SurfaceConductors<SPACE>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
