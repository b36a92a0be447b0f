// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/mesh_files/imported_mesh.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::io {

namespace {

/// Drops boundary names without a facet.
void drop_empty_boundaries(ImportedMesh& mesh) {
  std::vector<char> used(mesh.boundary_names.size(), 0);
  for (const group_t group : mesh.facet_groups)
    used[group] = 1;
  std::vector<group_t> new_group(used.size(), 0);
  std::vector<std::string> names;
  for (std::size_t g = 0; g < used.size(); ++g) {
    new_group[g] = static_cast<group_t>(names.size());
    if (used[g])
      names.push_back(mesh.boundary_names[g]);
  }
  for (group_t& group : mesh.facet_groups)
    group = new_group[group];
  mesh.boundary_names = std::move(names);
}

} // namespace

void set_coordinates(ImportedMesh& mesh, const std::vector<double>& xyz, double scale, const std::string& path) {
  const std::size_t dim = static_cast<std::size_t>(mesh.dimension);
  const std::size_t n_nodes = xyz.size() / 3;
  const auto bad = std::find_if_not(xyz.begin(), xyz.end(), [](double x) { return std::isfinite(x); });
  TESSERA_REQUIRE(bad == xyz.end(), path << ": node " << (bad - xyz.begin()) / 3
                                         << " (counted from 0) has the coordinate " << *bad << ".");
  if (dim == 2) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    double lower[3] = {infinity, infinity, infinity}, upper[3] = {-infinity, -infinity, -infinity};
    for (const index_t node : mesh.elements)
      for (std::size_t d = 0; d < 3; ++d) {
        const double x = xyz[3 * static_cast<std::size_t>(node) + d];
        lower[d] = std::min(lower[d], x);
        upper[d] = std::max(upper[d], x);
      }
    const double size = std::max(upper[0] - lower[0], upper[1] - lower[1]);
    TESSERA_REQUIRE(upper[2] - lower[2] <= 1e-9 * size,
                    path << ": a two-dimensional mesh must lie in a plane of constant z, but z goes from " << lower[2]
                         << " to " << upper[2] << ".");
  }
  const bool is_single =
      std::all_of(xyz.begin(), xyz.end(), [](double x) { return static_cast<double>(static_cast<float>(x)) == x; });
  double largest = 0.;
  for (const double x : xyz)
    largest = std::max(largest, std::fabs(x));
  // A midpoint is compared with a mean of up to eight vertices: two roundings of half a unit in the last place of each,
  // and twice that if the bend of straight sides is subtracted.
  constexpr double unit = std::numeric_limits<float>::epsilon();
  mesh.coordinate_rounding = is_single ? 2. * unit * scale * largest : 0.;
  mesh.coordinates.resize(n_nodes * dim);
  for (std::size_t node = 0; node < n_nodes; ++node)
    for (std::size_t d = 0; d < dim; ++d)
      mesh.coordinates[node * dim + d] = scale * xyz[3 * node + d];
}

void round_to_zero(ImportedMesh& mesh) {
  double largest = 0.;
  for (const double x : mesh.coordinates)
    largest = std::max(largest, std::fabs(x));
  for (std::vector<double>* values : {&mesh.coordinates, &mesh.curved_points})
    for (double& x : *values)
      if (std::fabs(x) <= 1e-14 * largest)
        x = 0.;
}

void snap_to_axis(ImportedMesh& mesh) {
  const std::size_t dim = static_cast<std::size_t>(mesh.dimension);
  double largest = 0.;
  for (std::size_t i = 0; i < mesh.coordinates.size(); i += dim)
    largest = std::max(largest, std::fabs(mesh.coordinates[i]));
  for (std::vector<double>* values : {&mesh.coordinates, &mesh.curved_points})
    for (std::size_t i = 0; i < values->size(); i += dim)
      if (std::fabs((*values)[i]) <= 1e-9 * largest)
        (*values)[i] = 0.;
}

void add_curved_facet(ImportedMesh& mesh, int degree, const std::vector<index_t>& nodes,
                      const std::vector<double>& points) {
  const std::size_t dim = static_cast<std::size_t>(mesh.dimension);
  TESSERA_REQUIRE(mesh.curved_degree == 0 || mesh.curved_degree == degree,
                  "The mesh has curved facets of degrees " << mesh.curved_degree << " and " << degree << ".");
  const int n_rows = dim == 2 ? 0 : degree;
  const std::size_t corner[3] = {0, static_cast<std::size_t>(degree), points.size() / dim - 1};
  double size = 0., bend = 0.;
  for (std::size_t d = 0; d < dim; ++d)
    for (std::size_t k = 1; k < dim; ++k)
      size = std::max(size, std::fabs(points[corner[k] * dim + d] - points[d]));
  std::size_t point = 0;
  for (int j = 0; j <= n_rows; ++j)
    for (int i = 0; i <= degree - j; ++i, ++point)
      for (std::size_t d = 0; d < dim; ++d) {
        double flat = points[d] + (points[corner[1] * dim + d] - points[d]) * i / degree;
        if (dim == 3)
          flat += (points[corner[2] * dim + d] - points[d]) * j / degree;
        bend = std::max(bend, std::fabs(points[point * dim + d] - flat));
      }
  if (!(bend > smallest_bend * size + mesh.coordinate_rounding))
    return;
  mesh.curved_degree = degree;
  mesh.curved_facets.insert(mesh.curved_facets.end(), nodes.begin(), nodes.end());
  mesh.curved_points.insert(mesh.curved_points.end(), points.begin(), points.end());
}

std::size_t drop_unused_nodes(ImportedMesh& mesh) {
  const std::size_t dim = static_cast<std::size_t>(mesh.dimension);
  const std::size_t n_nodes = mesh.n_nodes();
  std::vector<index_t> new_number(n_nodes, -1);
  for (const index_t node : mesh.elements)
    new_number[static_cast<std::size_t>(node)] = 0;
  std::size_t n_kept = 0;
  for (std::size_t node = 0; node < n_nodes; ++node)
    if (new_number[node] == 0) {
      new_number[node] = static_cast<index_t>(n_kept);
      for (std::size_t d = 0; d < dim; ++d)
        mesh.coordinates[n_kept * dim + d] = mesh.coordinates[node * dim + d];
      ++n_kept;
    }
  if (n_kept < n_nodes) {
    mesh.coordinates.resize(n_kept * dim);
    for (index_t& node : mesh.elements)
      node = new_number[static_cast<std::size_t>(node)];
    std::vector<std::size_t> n_dropped(mesh.boundary_names.size(), 0);
    std::size_t n_facets = 0;
    for (std::size_t f = 0; f < mesh.facet_groups.size(); ++f) {
      bool kept = true;
      for (std::size_t k = 0; k < dim; ++k) {
        const index_t node = new_number[static_cast<std::size_t>(mesh.facets[f * dim + k])];
        kept = kept && node >= 0;
        mesh.facets[n_facets * dim + k] = node;
      }
      mesh.facet_groups[n_facets] = mesh.facet_groups[f];
      if (kept)
        ++n_facets;
      else
        ++n_dropped[mesh.facet_groups[f]];
    }
    mesh.facets.resize(n_facets * dim);
    mesh.facet_groups.resize(n_facets);
    const std::size_t n_curved = mesh.n_curved(), width = mesh.n_curved_points() * dim;
    std::size_t n_kept_curved = 0;
    for (std::size_t f = 0; f < n_curved; ++f) {
      bool kept = true;
      for (std::size_t k = 0; k < dim; ++k) {
        const index_t node = new_number[static_cast<std::size_t>(mesh.curved_facets[f * dim + k])];
        kept = kept && node >= 0;
        mesh.curved_facets[n_kept_curved * dim + k] = node;
      }
      std::copy_n(&mesh.curved_points[f * width], width, &mesh.curved_points[n_kept_curved * width]);
      n_kept_curved += kept ? 1 : 0;
    }
    mesh.curved_facets.resize(n_kept_curved * dim);
    mesh.curved_points.resize(n_kept_curved * width);
    for (std::size_t g = 0; g < n_dropped.size(); ++g)
      if (n_dropped[g] > 0)
        mesh.notes.push_back("Left out " + std::to_string(n_dropped[g]) + " facets of group \"" +
                             mesh.boundary_names[g] + "\" which touch no element.");
  }
  drop_empty_boundaries(mesh);
  return n_nodes - n_kept;
}

std::string higher_order_note(const ImportedMesh& mesh, bool reads_shape, std::size_t n_dropped) {
  const std::string kept =
      !reads_shape ? "its shape between vertices is not used here"
      : mesh.n_curved() == 0
          ? "none of its edges is curved"
          : std::to_string(mesh.n_curved()) + " of its facets are curved, which mesh.refine and " + "order 2 follow";
  return "The mesh is of higher order: " + kept + "; its " + std::to_string(n_dropped) +
         " nodes other than vertices are no nodes of the solution.";
}

void orient_elements(ImportedMesh& mesh) {
  const double* x = mesh.coordinates.data();
  const std::size_t n_elements = mesh.n_elements();
  std::size_t n_turned = 0;
  if (mesh.dimension == 2) {
    for (std::size_t e = 0; e < n_elements; ++e) {
      index_t* v = &mesh.elements[3 * e];
      const double *a = x + 2 * std::size_t(v[0]), *b = x + 2 * std::size_t(v[1]), *c = x + 2 * std::size_t(v[2]);
      if ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) < 0.) {
        std::swap(v[1], v[2]);
        ++n_turned;
      }
    }
  } else {
    for (std::size_t e = 0; e < n_elements; ++e) {
      index_t* v = &mesh.elements[4 * e];
      double m[3][3];
      for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t d = 0; d < 3; ++d)
          m[k][d] = x[3 * std::size_t(v[k + 1]) + d] - x[3 * std::size_t(v[0]) + d];
      const double determinant = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                                 m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                                 m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
      if (determinant < 0.) {
        std::swap(v[2], v[3]);
        ++n_turned;
      }
    }
  }
  if (n_turned > 0)
    mesh.notes.push_back("Turned " + std::to_string(n_turned) + " of " + std::to_string(n_elements) +
                         " elements whose nodes ran clockwise (negative measure).");
}

void check_numbers(const ImportedMesh& mesh, const std::string& path) {
  const auto n_nodes = static_cast<index_t>(mesh.n_nodes());
  const auto is_node = [n_nodes](index_t node) { return node >= 0 && node < n_nodes; };
  const auto is_region = [&mesh](group_t group) { return group < mesh.region_names.size(); };
  const auto is_boundary = [&mesh](group_t group) { return group < mesh.boundary_names.size(); };
  TESSERA_REQUIRE(std::all_of(mesh.elements.begin(), mesh.elements.end(), is_node),
                  path << ": an element refers to a node outside of 0.." << n_nodes - 1 << ".");
  TESSERA_REQUIRE(std::all_of(mesh.facets.begin(), mesh.facets.end(), is_node),
                  path << ": a boundary facet refers to a node outside of 0.." << n_nodes - 1 << ".");
  TESSERA_REQUIRE(std::all_of(mesh.curved_facets.begin(), mesh.curved_facets.end(), is_node),
                  path << ": a curved facet refers to a node outside of 0.." << n_nodes - 1 << ".");
  TESSERA_REQUIRE(mesh.curved_degree >= 0 && mesh.curved_degree <= max_curved_degree &&
                      (mesh.curved_degree > 0 || mesh.curved_facets.empty()) &&
                      mesh.curved_points.size() ==
                          mesh.n_curved() * mesh.n_curved_points() * static_cast<std::size_t>(mesh.dimension),
                  path << ": the shapes of its curved facets do not fit their number.");
  TESSERA_REQUIRE(
      std::all_of(mesh.curved_points.begin(), mesh.curved_points.end(), [](double x) { return std::isfinite(x); }),
      path << ": a curved facet has a point that is not finite.");
  TESSERA_REQUIRE(std::all_of(mesh.regions.begin(), mesh.regions.end(), is_region),
                  path << ": an element refers to a region that has no name.");
  TESSERA_REQUIRE(std::all_of(mesh.facet_groups.begin(), mesh.facet_groups.end(), is_boundary),
                  path << ": a boundary facet refers to a group that has no name.");
}

} // namespace tessera::io
