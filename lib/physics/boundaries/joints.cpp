// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "physics/boundaries/joints.hpp"

#include "core/constants.hpp"
#include "core/transfer/upload.hpp"
#include "fe/element_map.hpp"
#include "fe/quadrature.hpp"
#include "mesh/facet_sides.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace tessera::physics {

JointCoupling::JointCoupling(std::vector<index_t> nodes, std::vector<Facet> facets, std::vector<JointTotals> joints)
    : nodes_(std::move(nodes)), facets_(std::move(facets)), joints_(std::move(joints)) {}

std::vector<JointCoupling::Entry> JointCoupling::entries() const {
  std::map<std::pair<index_t, index_t>, double> sums;
  for (const Facet& facet : facets_) {
    const double g = joints_[static_cast<std::size_t>(facet.joint)].conductance;
    const std::size_t n = facet.nodes[0].size();
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t l = 0; l < n; ++l) {
        if (facet.nodes[0][k] == facet.nodes[1][k] || facet.nodes[0][l] == facet.nodes[1][l])
          continue; // without a jump
        for (const int i : {0, 1})
          for (const int j : {0, 1})
            sums[{facet.nodes[i][k], facet.nodes[j][l]}] += (i == j ? g : -g) * facet.mass[k * n + l];
      }
  }
  std::vector<Entry> entries;
  entries.reserve(sums.size());
  for (const auto& [place, value] : sums)
    entries.push_back({place.first, place.second, value});
  return entries;
}

namespace {

/// Integrals of [u] N_k over a facet.
std::vector<double> jump_loads(const JointCoupling::Facet& facet, const std::vector<double>& u) {
  const std::size_t n = facet.nodes[0].size();
  std::vector<double> loads(n, 0.);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t l = 0; l < n; ++l)
      loads[k] += facet.mass[k * n + l] *
                  (u[static_cast<std::size_t>(facet.nodes[0][l])] - u[static_cast<std::size_t>(facet.nodes[1][l])]);
  return loads;
}

} // namespace

std::vector<double> JointCoupling::flows(const std::vector<double>& u) const {
  std::vector<double> flows(nodes_.size(), 0.);
  for (const Facet& facet : facets_) {
    const double g = joints_[static_cast<std::size_t>(facet.joint)].conductance;
    const std::vector<double> loads = jump_loads(facet, u);
    for (std::size_t k = 0; k < loads.size(); ++k)
      if (facet.nodes[0][k] != facet.nodes[1][k]) {
        flows[static_cast<std::size_t>(facet.nodes[0][k])] += g * loads[k];
        flows[static_cast<std::size_t>(facet.nodes[1][k])] -= g * loads[k];
      }
  }
  return flows;
}

std::vector<JointTotals> JointCoupling::totals(const std::vector<double>& u) const {
  std::vector<JointTotals> totals = joints_;
  for (const Facet& facet : facets_) {
    JointTotals& joint = totals[static_cast<std::size_t>(facet.joint)];
    const std::vector<double> loads = jump_loads(facet, u);
    for (std::size_t k = 0; k < loads.size(); ++k) {
      joint.flow += joint.conductance * loads[k];
      joint.losses += joint.conductance * loads[k] *
                      (u[static_cast<std::size_t>(facet.nodes[0][k])] - u[static_cast<std::size_t>(facet.nodes[1][k])]);
    }
  }
  return totals;
}

namespace {

/// One side of a joint's facet on the host.
template <int Dim> struct Side {
  const mesh::FacetSides* facet;
  std::vector<index_t> nodes;
  std::vector<std::array<double, Dim>> places;
  std::vector<double> mass;
};

/// Nodes of a facet of an element, vertices first; returns their number.
template <class Element> KOKKOS_FUNCTION int facet_nodes(int face, int (&local)[Element::n_nodes]) {
  constexpr int n_vertices = Element::dimension + 1;
  int n = 0;
  for (int a = 0; a < n_vertices; ++a)
    if (a != face)
      local[n++] = a;
  if constexpr (Element::order == 2) {
    using simplex = typename Element::simplex;
    for (int edge = 0; edge < simplex::n_edges; ++edge)
      if (simplex::edge_begin(edge) != face && simplex::edge_end(edge) != face)
        local[n++] = n_vertices + edge;
  }
  return n;
}

template <int Dim, int Order, class Space> struct MassOfFacets {
  using Element = fe::Lagrange<Dim, Order>;
  static constexpr int n_nodes = fe::FunctionSpace<Dim, Order, Space>::nodes_per_facet;
  static constexpr int n_vertices = Dim + 1;
  Array<const index_t * [Element::n_nodes], Space> element_nodes;
  Array<const double* [Dim], Space> coordinates;
  Array<const std::uint8_t*, Space> curved;
  double factor;
  bool axisymmetric;
  Array<const index_t*, Space> element;
  Array<const index_t*, Space> face;
  Array<index_t*, Space> nodes; // [n][n_nodes]
  Array<double*, Space> places; // [n][n_nodes][Dim]
  Array<double*, Space> mass;   // [n][n_nodes][n_nodes]

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const index_t e = element(i);
    const int opposite = static_cast<int>(face(i));
    index_t n[Element::n_nodes];
    for (int a = 0; a < Element::n_nodes; ++a)
      n[a] = element_nodes(e, a);
    int local[Element::n_nodes];
    facet_nodes<Element>(opposite, local);
    for (int k = 0; k < n_nodes; ++k) {
      nodes(i * n_nodes + k) = n[local[k]];
      for (int d = 0; d < Dim; ++d)
        places((i * n_nodes + k) * Dim + d) = coordinates(n[local[k]], d);
      for (int l = 0; l < n_nodes; ++l)
        mass((i * n_nodes + k) * n_nodes + l) = 0.;
    }
    fe::ElementMap<Element> map;
    map.load(coordinates.data(), n, curved.extent(0) > 0 && curved(e) != 0);
    using rule = fe::FacetQuadrature<Dim>;
    for (int q = 0; q < rule::n_points; ++q) {
      double on_facet[Dim];
      double lambda[n_vertices];
      double weight = rule::point(q, on_facet);
      lambda[opposite] = 0.;
      for (int k = 0; k < Dim; ++k)
        lambda[(opposite + 1 + k) % n_vertices] = on_facet[k];
      map.move_to(coordinates.data(), n, lambda);
      weight *= map.facet_size(opposite) * (axisymmetric ? factor * map.coordinate(0, lambda) : factor);
      for (int k = 0; k < n_nodes; ++k)
        for (int l = 0; l < n_nodes; ++l)
          mass((i * n_nodes + k) * n_nodes + l) +=
              weight * Element::value(local[k], lambda) * Element::value(local[l], lambda);
    }
  }
};

template <int Dim> double distance_between(const std::array<double, Dim>& a, const std::array<double, Dim>& b) {
  double sum = 0.;
  for (int d = 0; d < Dim; ++d)
    sum += (a[d] - b[d]) * (a[d] - b[d]);
  return std::sqrt(sum);
}

/// A number for the place of a facet that facets of a regular mesh do not share.
double place_number(const mesh::FacetSides& facet) {
  return 0.6180339887 * facet.center[0] + 0.7548776662 * facet.center[1] + 0.2238500511 * facet.center[2];
}

/// The sides of the joints' facets that bound the mesh of one side.
template <class ExecutionSpace, int Dim, int Order>
std::vector<Side<Dim>>
sides_of_joints(const ExecutionSpace& exec,
                const fe::FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
                const std::vector<mesh::FacetSides>& facets, double factor, bool axisymmetric) {
  using Space = typename ExecutionSpace::memory_space;
  using Kernel = MassOfFacets<Dim, Order, Space>;
  std::vector<index_t> elements;
  std::vector<index_t> faces;
  for (const mesh::FacetSides& facet : facets) {
    elements.push_back(facet.element[0]);
    faces.push_back(static_cast<index_t>(facet.face[0]));
  }
  const auto n = static_cast<std::int64_t>(facets.size());
  constexpr std::int64_t m = Kernel::n_nodes;
  const auto of_element = uploaded(exec, "physics::joint_elements", elements);
  const auto of_face = uploaded(exec, "physics::joint_faces", faces);
  const auto nodes = make_array<Array<index_t*, ExecutionSpace>>(exec, "physics::joint_nodes", n * m);
  const auto places = make_array<Array<double*, ExecutionSpace>>(exec, "physics::joint_places", n * m * Dim);
  const auto mass = make_array<Array<double*, ExecutionSpace>>(exec, "physics::joint_mass", n * m * m);
  for_each("tessera::physics::mass_of_joints", exec, n,
           Kernel{space.element_nodes, space.coordinates, space.curved_elements, factor, axisymmetric, of_element,
                  of_face, nodes, places, mass});
  const auto host_nodes = to_host(exec, nodes);
  const auto host_places = to_host(exec, places);
  const auto host_mass = to_host(exec, mass);
  std::vector<Side<Dim>> sides;
  for (std::int64_t i = 0; i < n; ++i) {
    Side<Dim> side{&facets[static_cast<std::size_t>(i)], {}, {}, {}};
    for (std::int64_t k = 0; k < m; ++k) {
      side.nodes.push_back(host_nodes(i * m + k));
      std::array<double, Dim> place;
      for (int d = 0; d < Dim; ++d)
        place[static_cast<std::size_t>(d)] = host_places((i * m + k) * Dim + d);
      side.places.push_back(place);
    }
    for (std::int64_t k = 0; k < m * m; ++k)
      side.mass.push_back(host_mass(i * m * m + k));
    sides.push_back(std::move(side));
  }
  return sides;
}

/// Nodes of `second` in the order of those of `first`; empty if they are not at the same places.
template <int Dim> std::vector<index_t> matching_nodes(const Side<Dim>& first, const Side<Dim>& second) {
  const double tolerance = 1e-6 * distance_between<Dim>(first.places[0], first.places[1]);
  std::vector<index_t> nodes;
  for (const auto& place : first.places)
    for (std::size_t k = 0; k < second.nodes.size(); ++k)
      if (distance_between<Dim>(place, second.places[k]) <= tolerance) {
        nodes.push_back(second.nodes[k]);
        break;
      }
  return nodes.size() == first.nodes.size() ? nodes : std::vector<index_t>();
}

} // namespace

template <class ExecutionSpace, int Dim, int Order>
JointCoupling make_joint_coupling(const ExecutionSpace& exec,
                                  const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                                  const fe::FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
                                  const std::vector<Joint>& joints, bool axisymmetric, double depth) {
  if (joints.empty())
    return {};
  std::vector<int> joint_of_group(mesh.boundary_names.size(), -1);
  for (std::size_t j = 0; j < joints.size(); ++j)
    joint_of_group[joints[j].group] = static_cast<int>(j);
  std::vector<mesh::FacetSides> facets =
      mesh::find_facet_sides<ExecutionSpace, Dim>(exec, mesh, joint_of_group, static_cast<int>(joints.size()));
  facets.erase(
      std::remove_if(facets.begin(), facets.end(), [](const mesh::FacetSides& facet) { return facet.element[1] >= 0; }),
      facets.end()); // at the ends of joints, where nothing jumps
  std::vector<Side<Dim>> sides =
      sides_of_joints<ExecutionSpace, Dim, Order>(exec, space, facets, axisymmetric ? 2. * pi : depth, axisymmetric);
  std::vector<double> numbers(sides.size());
  for (std::size_t i = 0; i < sides.size(); ++i)
    numbers[i] = place_number(*sides[i].facet);
  // Within a joint by place, so that the sides of a facet are close to each other.
  std::vector<std::size_t> order(sides.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::make_tuple(sides[a].facet->set, numbers[a], a) < std::make_tuple(sides[b].facet->set, numbers[b], b);
  });

  const auto name_of = [&](const Side<Dim>& side) {
    return mesh.region_names[static_cast<std::size_t>(side.facet->region[0])];
  };
  std::vector<JointTotals> totals(joints.size());
  std::vector<bool> is_first(joints.size(), true);
  std::vector<JointCoupling::Facet> coupled;
  std::vector<bool> is_paired(sides.size(), false);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Side<Dim>& one = sides[order[i]];
    if (is_paired[order[i]])
      continue;
    const double size = distance_between<Dim>(one.places[0], one.places[1]);
    for (std::size_t j = i + 1; j < order.size() && sides[order[j]].facet->set == one.facet->set &&
                                numbers[order[j]] - numbers[order[i]] <= 1e-5 * size;
         ++j) {
      const Side<Dim>& other = sides[order[j]];
      if (is_paired[order[j]])
        continue;
      const bool is_swapped = name_of(other) < name_of(one);
      const Side<Dim>& from = is_swapped ? other : one;
      const Side<Dim>& to = is_swapped ? one : other;
      const std::vector<index_t> partners = matching_nodes<Dim>(from, to);
      if (partners.empty())
        continue;
      is_paired[order[i]] = is_paired[order[j]] = true;
      coupled.push_back({one.facet->set, {from.nodes, partners}, from.mass});
      JointTotals& joint = totals[static_cast<std::size_t>(one.facet->set)];
      for (const double entry : from.mass)
        joint.area += entry;
      const bool is_same = joint.from == name_of(from) && joint.to == name_of(to);
      if (is_first[static_cast<std::size_t>(one.facet->set)]) {
        joint.from = name_of(from);
        joint.to = name_of(to);
        is_first[static_cast<std::size_t>(one.facet->set)] = false;
      } else if (!is_same) {
        joint.from = joint.to = "";
      }
      break;
    }
    TESSERA_REQUIRE(is_paired[order[i]], joints[static_cast<std::size_t>(one.facet->set)].where
                                             << ": the meshes on the two sides of the joint do not match.");
  }
  for (std::size_t j = 0; j < joints.size(); ++j) {
    totals[j].conductance = joints[j].conductance;
    TESSERA_REQUIRE(!is_first[j], joints[j].where << ": the joint has no node but those at its ends, so that nothing "
                                                     "can jump at it. Make the mesh finer there.");
  }

  std::vector<index_t> nodes;
  for (const JointCoupling::Facet& facet : coupled)
    for (const auto& side : facet.nodes)
      nodes.insert(nodes.end(), side.begin(), side.end());
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  for (JointCoupling::Facet& facet : coupled)
    for (auto& side : facet.nodes)
      for (index_t& node : side)
        node = static_cast<index_t>(std::lower_bound(nodes.begin(), nodes.end(), node) - nodes.begin());
  return {std::move(nodes), std::move(coupled), std::move(totals)};
}

#define TESSERA_INSTANTIATE_CASE(SPACE, DIM, ORDER)                                                                    \
  template JointCoupling make_joint_coupling<SPACE, DIM, ORDER>(                                                       \
      const SPACE&, const mesh::Mesh<DIM, typename SPACE::memory_space>&,                                              \
      const fe::FunctionSpace<DIM, ORDER, typename SPACE::memory_space>&, const std::vector<Joint>&, bool, double);
#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  TESSERA_INSTANTIATE_CASE(SPACE, 2, 1)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 2, 2)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 3, 1)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 3, 2)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::physics
