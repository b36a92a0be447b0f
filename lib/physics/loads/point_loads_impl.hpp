// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_LOADS_POINT_LOADS_IMPL_HPP
#define TESSERA_PHYSICS_LOADS_POINT_LOADS_IMPL_HPP

/// \file
/// Definition of physics/loads/point_loads.hpp: included only by the generated instantiations.

#include "core/transfer/upload.hpp"
#include "physics/fields/derived_impl.hpp"
#include "physics/loads/point_loads.hpp"

namespace tessera::physics {

namespace detail {

/// Nodes and shape functions of the elements that contain the points, for sources of strength 1.
template <class Form> struct EvaluateShapes {
  static constexpr int Dim = Form::dimension;
  using Space = typename Form::memory_space;
  Form form;
  Array<const double* [3], Space> points;
  Array<const index_t*, Space> element;
  Array<index_t * [Form::n_nodes], Space> nodes;
  Array<double * [Form::n_nodes], Space> values;

  KOKKOS_FUNCTION void operator()(index_t i) const {
    const index_t e = element(i);
    if (e >= form.n_elements())
      return;
    index_t n[Form::n_nodes];
    form.nodes(e, n);
    fe::ElementMap<typename Form::element> map;
    map.load(form.coordinates.data(), n, form.is_curved(e));
    const double x[3] = {points(i, 0), points(i, 1), points(i, 2)};
    double lambda[Dim + 1];
    barycentric<Form>(map, form.coordinates.data(), n, x, lambda);
    double shape[Form::n_nodes];
    if constexpr (Form::has_vector_potential) {
      const double in_plane[Dim] = {x[0], x[1]};
      form.shapes(e, n, in_plane, lambda, shape);
      const double weight = form.medium.axisymmetric ? form.medium.factor * x[0] : form.medium.factor;
      for (int a = 0; a < Form::n_nodes; ++a)
        shape[a] *= weight;
    } else {
      for (int a = 0; a < Form::n_nodes; ++a)
        shape[a] = Form::element::value(a, lambda);
    }
    for (int a = 0; a < Form::n_nodes; ++a) {
      nodes(i, a) = n[a];
      values(i, a) = shape[a];
    }
  }
};

} // namespace detail

template <class ExecutionSpace, class Form>
std::vector<PointLoad> point_loads(const ExecutionSpace& exec, const Form& form,
                                   const std::vector<PointSource>& sources) {
  using Space = typename ExecutionSpace::memory_space;
  std::vector<PointLoad> loads(sources.size());
  if (sources.empty())
    return loads;
  std::vector<std::array<double, 3>> points;
  std::vector<double> positions;
  for (const PointSource& source : sources) {
    points.push_back(source.at);
    positions.insert(positions.end(), source.at.begin(), source.at.end());
  }
  const auto n = static_cast<std::int64_t>(sources.size());
  const Array<const index_t*, ExecutionSpace> element =
      detail::locate_points(exec, detail::lagrange_elements(form), points);
  const auto position = make_array<Array<double* [3], Space>>(exec, "physics::source_points", n);
  upload(exec, position, positions);
  const auto nodes = make_array<Array<index_t * [Form::n_nodes], Space>>(exec, "physics::source_nodes", n);
  const auto values = make_array<Array<double * [Form::n_nodes], Space>>(exec, "physics::source_shapes", n);
  for_each("tessera::physics::source_shapes", exec, n,
           detail::EvaluateShapes<Form>{form, position, element, nodes, values});
  const auto host_element = to_host(exec, element);
  const auto host_nodes = to_host(exec, nodes);
  const auto host_values = to_host(exec, values); // waits: the other arrays may be freed
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (host_element(i) >= form.n_elements())
      continue;
    loads[i].element = host_element(i);
    for (int a = 0; a < Form::n_nodes; ++a) {
      loads[i].nodes.push_back(host_nodes(i, a));
      loads[i].values.push_back(sources[i].strength * host_values(i, a));
    }
  }
  return loads;
}

} // namespace tessera::physics

#endif
