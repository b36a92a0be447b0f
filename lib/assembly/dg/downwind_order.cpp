// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/downwind_order.hpp"

#include "assembly/dg/form/face_terms.hpp"
#include "core/transfer/upload.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace tessera::assembly::dg {

namespace {

/// Integral of b . n over an interface, out of its first element; b is the mean of both sides.
template <int Dim, class Space> struct IntegrateFlow {
  Form<Dim, Space> form;
  Array<double*, Space> flows;

  KOKKOS_FUNCTION void operator()(index_t i) const {
    const index_t first = form.faces.interface_elements(i, 0);
    const index_t second = form.faces.interface_elements(i, 1);
    double sum = 0.;
    for (index_t face = form.faces.interface_faces(i); face < form.faces.interface_faces(i + 1); ++face) {
      double n[Dim];
      const double area = form.face_normal(face, n);
      const Rule rule = form.face_rule(face);
      for (int q = 0; q < form.n_face_points(rule); ++q) {
        double x[Dim + 1];
        const double weight = 0.5 * area * form.face_point(face, rule, q, x);
        sum += weight *
               (detail::normal_advection(form, first, x, n, 1.) + detail::normal_advection(form, second, x, n, -1.));
      }
    }
    flows(i) = sum;
  }
};

} // namespace

template <class ExecutionSpace, int Dim>
Array<index_t*, ExecutionSpace> downwind_order(const ExecutionSpace& exec,
                                               const Form<Dim, typename ExecutionSpace::memory_space>& form) {
  using Space = typename ExecutionSpace::memory_space;
  const index_t n_interfaces = form.faces.n_interfaces();
  const auto on_device = make_array<Array<double*, Space>>(exec, "assembly::dg::flows", n_interfaces);
  for_each("tessera::assembly::dg::integrate_flow", exec, n_interfaces, IntegrateFlow<Dim, Space>{form, on_device});
  const auto flows = tessera::to_host(exec, on_device);
  const auto elements = tessera::to_host(exec, form.faces.interface_elements);
  const auto offsets = tessera::to_host(exec, form.faces.neighbour_offsets);
  const auto interfaces = tessera::to_host(exec, form.faces.neighbour_interfaces);

  const auto n = static_cast<std::size_t>(form.n_elements());
  const auto target = [&](index_t i) { return static_cast<std::size_t>(elements(i, flows(i) > 0. ? 1 : 0)); };
  std::vector<double> inflow(n, 0.); // from elements that are not yet ordered
  std::vector<index_t> n_sources(n, 0);
  for (index_t i = 0; i < n_interfaces; ++i)
    if (flows(i) != 0.) {
      inflow[target(i)] += std::fabs(flows(i));
      ++n_sources[target(i)];
    }
  const auto key = [&](std::size_t e) {
    return std::make_pair(n_sources[e] > 0 ? std::max(inflow[e], 0.) : 0., static_cast<index_t>(e));
  };
  std::set<std::pair<double, index_t>> waiting;
  for (std::size_t e = 0; e < n; ++e)
    waiting.insert(key(e));
  std::vector<index_t> order;
  order.reserve(n);
  while (!waiting.empty()) {
    const index_t e = waiting.begin()->second;
    waiting.erase(waiting.begin());
    order.push_back(e);
    for (index_t k = offsets(e); k < offsets(e + 1); ++k) {
      const index_t i = interfaces(k);
      const std::size_t to = target(i);
      if (flows(i) == 0. || to == static_cast<std::size_t>(e) || waiting.erase(key(to)) == 0)
        continue; // the other element comes earlier
      inflow[to] -= std::fabs(flows(i));
      --n_sources[to];
      waiting.insert(key(to));
    }
  }
  return uploaded(exec, "assembly::dg::downwind_order", order);
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template Array<index_t*, Space> downwind_order(const Space&, const Form<Dim, Space::memory_space>&);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_DIM(Space, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::assembly::dg
