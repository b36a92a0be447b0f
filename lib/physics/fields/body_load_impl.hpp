// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FIELDS_BODY_LOAD_IMPL_HPP
#define TESSERA_PHYSICS_FIELDS_BODY_LOAD_IMPL_HPP

/// \file
/// Definition of body_load() of physics/fields/derived.hpp: included only by the generated instantiations.

#include "physics/fields/derived_impl.hpp"

namespace tessera::physics {

namespace detail {

/// Force and torque of one element: x, y, z, and about x, y, z.
template <class Form> struct SumBodyLoad {
  static constexpr int Dim = Form::dimension;
  using rule = fe::FormQuadrature<Dim, Form::order>;
  Form form;
  Array<const double*, typename Form::memory_space> nodal;
  Array<const double*, typename Form::memory_space> weight; // [n_vertices]
  double about[3];

  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[6]) const {
    for (double& t : term)
      t = 0.;
    const auto e = static_cast<index_t>(i);
    index_t n[Form::n_nodes];
    form.nodes(e, n);
    double w[Dim + 1];
    bool varies = false;
    for (int a = 0; a <= Dim; ++a) {
      w[a] = weight(n[a]);
      varies = varies || w[a] != w[0];
    }
    if (!varies)
      return;
    LocalField<Form> local(form, e, nodal);
    for (int q = 0; q < rule::n_points; ++q) {
      double lambda[Dim + 1];
      const double fraction = rule::point(q, lambda);
      local.move_to(lambda);
      double field[Dim]; // grad u, or B
      double flux[Dim];  // D grad u, or H
      local.vector(form, e, lambda, field);
      for (int d = 0; d < Dim; ++d)
        flux[d] = field[d];
      flux_of(form, e, local, lambda, flux);
      double energy = 0.;
      for (int d = 0; d < Dim; ++d)
        energy += 0.5 * (flux[d] * field[d]);
      const double size = fraction * local.map.measure * form.integral_weight(local.map, lambda);
      for (int a = 0; a <= Dim; ++a) { // a force acts at each vertex
        double along = 0.;
        for (int d = 0; d < Dim; ++d)
          along += flux[d] * local.map.grad_lambda[a][d];
        double f[3] = {0., 0., 0.};
        double arm[3] = {0., 0., 0.};
        for (int d = 0; d < Dim; ++d) {
          f[d] = -size * w[a] * (field[d] * along - energy * local.map.grad_lambda[a][d]);
          arm[d] = local.map.p[a][d] - about[d];
          term[d] += f[d];
        }
        add_moment(arm, f, term);
      }
      if constexpr (Form::order == 2) {
        if (local.map.is_curved)
          add_bends(local, lambda, w, field, flux, energy, size, term);
      }
    }
  }

private:
  KOKKOS_FUNCTION static void add_moment(const double (&arm)[3], const double (&f)[3], double (&term)[6]) {
    for (int d = 0; d < 3; ++d)
      term[3 + d] += arm[(d + 1) % 3] * f[(d + 2) % 3] - arm[(d + 2) % 3] * f[(d + 1) % 3];
  }

  /// A motion of the vertices moves the node of an edge like the midpoint of the chord. The bend of an edge also turns
  /// with the body: otherwise a curved surface would not turn as a whole.
  KOKKOS_FUNCTION static void add_bends(const LocalField<Form>& local, const double (&lambda)[Dim + 1],
                                        const double (&w)[Dim + 1], const double (&field)[Dim],
                                        const double (&flux)[Dim], double energy, double size, double (&term)[6]) {
    using simplex = typename Form::element::simplex;
    for (int edge = 0; edge < simplex::n_edges; ++edge) {
      const int k = simplex::edge_begin(edge);
      const int l = simplex::edge_end(edge);
      const auto middle = fe::point_at<Dim>(local.coordinates, local.n[Dim + 1 + edge]);
      double slope[Dim];
      Form::element::gradient(Dim + 1 + edge, lambda, local.map.grad_lambda, slope);
      double along = 0.;
      for (int d = 0; d < Dim; ++d)
        along += flux[d] * slope[d];
      double f[3] = {0., 0., 0.};
      double bend[3] = {0., 0., 0.};
      for (int d = 0; d < Dim; ++d) {
        f[d] = -size * 0.5 * (w[k] + w[l]) * (field[d] * along - energy * slope[d]);
        bend[d] = middle.x[d] - 0.5 * (local.map.p[k][d] + local.map.p[l][d]);
      }
      add_moment(bend, f, term);
    }
  }
};

} // namespace detail

template <class ExecutionSpace, class Form>
BodyLoad body_load(const ExecutionSpace& exec, const Form& form, const Array<const double*, ExecutionSpace>& nodal,
                   const Array<const double*, ExecutionSpace>& weight, const std::array<double, 3>& about) {
  const auto n = static_cast<std::int64_t>(form.n_elements());
  const ReduceWorkspace<ExecutionSpace> workspace(exec, n, 6);
  const auto sums = make_array<Array<double*, ExecutionSpace>>(exec, "physics::body_load", 6);
  ordered_sums<6, SumKernels::few>("tessera::physics::body_load", exec, n,
                                   detail::SumBodyLoad<Form>{form, nodal, weight, {about[0], about[1], about[2]}},
                                   workspace, sums.data());
  const auto host = to_host(exec, sums);
  BodyLoad load;
  for (std::size_t d = 0; d < 3; ++d) {
    load.force[d] = host(d);
    load.torque[d] = host(3 + d);
  }
  return load;
}

} // namespace tessera::physics

#endif
