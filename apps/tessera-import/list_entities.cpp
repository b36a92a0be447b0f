// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "list_entities.hpp"

#include "entity_names.hpp"

#include <gmsh.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

namespace tessera::importer {

namespace {

using Point = std::array<double, 3>;
using Positions = std::unordered_map<std::size_t, Point>; // m, keyed by tag

Positions positions_of_nodes(double scale) {
  std::vector<std::size_t> tags;
  std::vector<double> xyz, parameters;
  gmsh::model::mesh::getNodes(tags, xyz, parameters, -1, -1, false, false);
  double largest = 0.;
  for (const double x : xyz)
    largest = std::max(largest, std::fabs(x));
  for (double& x : xyz) // replaces rounding errors around 0 by 0, as io::round_to_zero
    x = std::fabs(x) <= 1e-14 * largest ? 0. : scale * x;
  Positions positions;
  positions.reserve(tags.size());
  for (std::size_t i = 0; i < tags.size(); ++i)
    positions[tags[i]] = {xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]};
  return positions;
}

Point operator-(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// Length, area or volume of a simplex.
double measure(const std::vector<Point>& p) {
  const Point a = p[1] - p[0];
  if (p.size() == 2)
    return std::sqrt(dot(a, a));
  const Point normal = cross(a, p[2] - p[0]);
  return p.size() == 3 ? 0.5 * std::sqrt(dot(normal, normal)) : std::fabs(dot(normal, p[3] - p[0])) / 6.;
}

/// Sets the number of elements, the measure and the bounding box of an entity from its elements, which are taken as
/// straight.
void measure_elements(const CellSplitter& splitter, const Positions& positions, io::MeshEntity& entity) {
  for (CellBlock& block : cell_blocks(entity.dimension, entity.number)) {
    if (!block.is_supported())
      continue;
    const SimplicesOfCells simplices = splitter.simplices(std::move(block));
    const std::size_t width = static_cast<std::size_t>(entity.dimension) + 1;
    for (std::size_t e = 0; e < simplices.tags.size(); ++e) {
      std::vector<Point> vertices;
      for (std::size_t a = 0; a < width; ++a)
        vertices.push_back(positions.at(simplices.vertices[e * width + a]));
      for (const Point& x : vertices)
        for (std::size_t d = 0; d < 3; ++d) {
          const bool is_first = entity.n_elements == 0 && &x == vertices.data();
          entity.lowest[d] = is_first ? x[d] : std::min(entity.lowest[d], x[d]);
          entity.highest[d] = is_first ? x[d] : std::max(entity.highest[d], x[d]);
        }
      entity.measure += measure(vertices);
      ++entity.n_elements;
    }
  }
}

std::vector<std::string> groups_of(int dimension, int number) {
  std::vector<int> tags;
  gmsh::model::getPhysicalGroupsForEntity(dimension, number, tags);
  std::vector<std::string> names;
  for (const int tag : tags)
    names.push_back(physical_name(dimension, std::abs(tag))); // negative: reversed
  return names;
}

/// Sorts the numbers and removes duplicates and `own`.
void tidy(std::vector<int>& numbers, int own) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  numbers.erase(std::remove(numbers.begin(), numbers.end(), own), numbers.end());
}

std::vector<int> neighbours_of(int dimension, int number, bool is_highest) {
  std::vector<int> above, below;
  gmsh::model::getAdjacencies(dimension, number, above, below);
  if (is_highest) {
    above.clear();
    for (const int bound : below) {
      std::vector<int> sides, ends;
      gmsh::model::getAdjacencies(dimension - 1, std::abs(bound), sides, ends);
      above.insert(above.end(), sides.begin(), sides.end());
    }
  }
  for (int& neighbour : above)
    neighbour = std::abs(neighbour);
  tidy(above, is_highest ? number : 0);
  return above;
}

} // namespace

std::vector<io::MeshEntity> list_entities(int dimension, double scale, const CellSplitter& splitter) {
  const Positions positions = positions_of_nodes(scale);
  std::vector<io::MeshEntity> list;
  for (int d = dimension; d >= 1; --d) {
    gmsh::vectorpair entities;
    gmsh::model::getEntities(entities, d);
    std::sort(entities.begin(), entities.end());
    for (const auto& found : entities) {
      io::MeshEntity entity;
      entity.dimension = d;
      entity.number = found.second;
      entity.name = given_name(d, found.second);
      entity.groups = groups_of(d, found.second);
      entity.neighbours = neighbours_of(d, found.second, d == dimension);
      measure_elements(splitter, positions, entity);
      list.push_back(entity);
    }
  }
  return list;
}

} // namespace tessera::importer
