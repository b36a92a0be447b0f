// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/constants.hpp"
#include "io/input/sections/sections.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::io::detail {

namespace {

/// Reads a symmetric tensor as a list of rows.
Coefficient read_tensor(MapReader& in, const std::string& key, const YamlNode& node, int dimension,
                        bool of_temperature) {
  Coefficient coefficient;
  const std::size_t n = node.items.size();
  std::vector<std::vector<Scalar>> rows;
  Range any;
  any.of_temperature = of_temperature;
  for (const YamlNode& row : node.items)
    rows.push_back(read_directions(in, key, row, dimension != 0 ? dimension : static_cast<int>(n), any));
  for (const std::vector<Scalar>& row : rows)
    if (row.size() != n || (dimension != 0 && n != static_cast<std::size_t>(dimension))) {
      in.fail(key, "expected a tensor of as many rows as columns, one per direction.");
      return coefficient;
    }
  for (std::size_t i = 0; i < n; ++i) {
    coefficient.diagonal.push_back(rows[i][i]);
    for (std::size_t j = i + 1; j < n; ++j) {
      coefficient.off_diagonal.push_back(rows[i][j]);
      if (rows[i][j].is_constant != rows[j][i].is_constant || rows[i][j].value != rows[j][i].value ||
          (!rows[i][j].is_constant && rows[i][j].text != rows[j][i].text))
        in.fail(key, "must be symmetric, but entries " + std::to_string(i + 1) + "," + std::to_string(j + 1) + " and " +
                         std::to_string(j + 1) + "," + std::to_string(i + 1) + " differ.");
    }
  }
  return coefficient;
}

bool is_constant(const Coefficient& coefficient) {
  const auto constant = [](const Scalar& value) { return value.is_constant; };
  return std::all_of(coefficient.diagonal.begin(), coefficient.diagonal.end(), constant) &&
         std::all_of(coefficient.off_diagonal.begin(), coefficient.off_diagonal.end(), constant);
}

/// A constant tensor must have no negative eigenvalues, and no zero ones unless it may be semidefinite.
void check_eigenvalues(MapReader& in, const std::string& key, const Coefficient& coefficient, bool semidefinite) {
  const std::size_t n = coefficient.diagonal.size();
  if (coefficient.off_diagonal.empty() || !is_constant(coefficient))
    return;
  const auto entry = [&](std::size_t i, std::size_t j) {
    if (i == j)
      return coefficient.diagonal[i].value;
    return coefficient.off_diagonal[n == 2 ? 0 : i + j - 1].value;
  };
  double scale = 0.;
  for (std::size_t i = 0; i < n; ++i)
    scale = std::max(scale, std::fabs(entry(i, i)));
  const double det = n == 2 ? 0.
                            : entry(0, 0) * (entry(1, 1) * entry(2, 2) - entry(1, 2) * entry(1, 2)) -
                                  entry(0, 1) * (entry(0, 1) * entry(2, 2) - entry(1, 2) * entry(0, 2)) +
                                  entry(0, 2) * (entry(0, 1) * entry(1, 2) - entry(1, 1) * entry(0, 2));
  bool good = true;
  if (semidefinite) { // All principal minors are non-negative, up to rounding.
    for (std::size_t i = 0; i < n; ++i) {
      good = good && entry(i, i) >= 0.;
      for (std::size_t j = i + 1; j < n; ++j)
        good = good && entry(i, i) * entry(j, j) - entry(i, j) * entry(i, j) >= -1e-14 * scale * scale;
    }
    good = good && det >= -1e-14 * scale * scale * scale;
  } else { // All pivots are positive, beyond rounding.
    constexpr double rounding = 1e-14;
    const double minor = entry(0, 0) * entry(1, 1) - entry(0, 1) * entry(0, 1);
    good = entry(0, 0) > 0. && minor > rounding * entry(0, 0) * entry(1, 1) &&
           (n == 2 || det > rounding * minor * entry(2, 2));
  }
  if (!good)
    in.fail(key, semidefinite ? "the tensor has a negative eigenvalue; a diffusivity must be positive semidefinite."
                              : "the tensor must be positive definite, but has an eigenvalue of zero or below.");
}

/// Reads the unit vectors of the principal axes, one per direction; none if there is an error.
std::vector<std::vector<double>> read_axes(MapReader& in, std::size_t n) {
  std::vector<std::vector<double>> axes;
  if (in.has("rotation")) {
    const double angle = in.number("rotation", 0.) * pi / 180.;
    if (n != 2)
      in.fail("rotation", "is an angle in the plane of a 2D problem; in 3D give axes, three directions.");
    if (!std::isfinite(angle)) // already reported
      return {};
    axes = {{std::cos(angle), std::sin(angle)}, {-std::sin(angle), std::cos(angle)}};
  } else {
    const std::vector<const YamlNode*> rows = in.list("axes");
    for (std::size_t k = 0; k < rows.size(); ++k) {
      axes.emplace_back();
      for (const Scalar& component : read_directions(in, "axes", *rows[k], static_cast<int>(n), {})) {
        if (!component.is_constant) {
          in.fail("axes", "expected numbers, found the expression " + component.text + ".");
          return {};
        }
        axes.back().push_back(component.value);
      }
      if (axes.back().size() != n)
        return {};
      double length = 0.;
      for (const double component : axes.back())
        length = std::hypot(length, component);
      if (length == 0.)
        in.fail("axes", "a direction must not be zero.");
      for (double& component : axes.back())
        component /= length;
    }
    constexpr double tolerance = 1e-6; // for directions written with a few digits
    for (std::size_t i = 0; i < axes.size(); ++i)
      for (std::size_t j = i + 1; j < axes.size(); ++j) {
        double product = 0.;
        for (std::size_t d = 0; d < n; ++d)
          product += axes[i][d] * axes[j][d];
        if (std::fabs(product) > tolerance)
          in.fail("axes", "must be at right angles to each other, but directions " + std::to_string(i + 1) + " and " +
                              std::to_string(j + 1) + " are not.");
      }
    if (axes.size() != n)
      in.fail("axes", "expected " + std::to_string(n) + " directions, one per principal value, found " +
                          std::to_string(axes.size()) + ".");
  }
  return axes.size() == n ? axes : std::vector<std::vector<double>>();
}

/// Sum of weight * value.
Scalar combine(const std::vector<double>& weights, const std::vector<Scalar>& values) {
  double sum = 0.;
  std::string text;
  bool constant = true;
  for (std::size_t k = 0; k < values.size(); ++k) {
    sum += weights[k] * values[k].value;
    constant = constant && values[k].is_constant;
    text += (k > 0 ? " + (" : "(") + number_text(weights[k]) + ")*(" + values[k].text + ")";
  }
  Scalar result = Scalar::constant(sum);
  if (!constant) {
    result.text = text;
    result.is_constant = false;
    result.value = 0.;
  }
  result.where = values[0].where;
  return result;
}

/// The tensor with the given principal values along axes: entry ij is the sum over k of value k times a_ki a_kj.
Coefficient turned(const std::vector<Scalar>& principal, const std::vector<std::vector<double>>& axes) {
  Coefficient coefficient;
  const std::size_t n = principal.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i; j < n; ++j) {
      std::vector<double> weights;
      for (const std::vector<double>& axis : axes)
        weights.push_back(axis[i] * axis[j]);
      (i == j ? coefficient.diagonal : coefficient.off_diagonal).push_back(combine(weights, principal));
    }
  return coefficient;
}

} // namespace

/// Reads a list of values, one per direction.
std::vector<Scalar> read_directions(MapReader& in, const std::string& key, const YamlNode& node, int dimension,
                                    const Range& range) {
  const std::size_t n = node.kind == YamlNode::Kind::sequence ? node.items.size() : 1;
  if (node.kind != YamlNode::Kind::sequence ||
      (dimension != 0 ? n != static_cast<std::size_t>(dimension) : (n != 2 && n != 3)))
    in.fail(key, "expected a list of " + (dimension != 0 ? std::to_string(dimension) : "2 or 3") +
                     ", one per direction, found " +
                     (node.kind == YamlNode::Kind::sequence ? "a list of " + std::to_string(n) : "one value") + ".");
  std::vector<Scalar> values;
  for (std::size_t k = 0; k < std::min<std::size_t>(node.items.size(), 3); ++k)
    values.push_back(read_scalar(node.items[k], in.item_location(key, k, node.items[k]), in.errors(), false, range));
  return values;
}

Coefficient read_coefficient(MapReader& in, const std::string& key, int dimension, bool semidefinite,
                             bool of_temperature) {
  Coefficient coefficient;
  const YamlNode* node = in.require(key, "a number, an expression, or one of them per direction");
  const bool has_rotation = in.has("rotation"); // marks both keys as known
  const bool has_axes = in.has("axes");
  if (node == nullptr)
    return coefficient;
  Range range = semidefinite ? Range::non_negative() : Range::positive();
  if (!semidefinite && key != "relative_permittivity")
    range.reason = " What lets nothing through is left out of the mesh: out of all physical groups of its geometry.";
  range.of_temperature = of_temperature;
  const bool is_list = node->kind == YamlNode::Kind::sequence;
  const bool is_tensor = is_list && !node->items.empty() && node->items[0].kind == YamlNode::Kind::sequence;
  if (!is_list)
    coefficient.diagonal.push_back(read_scalar(*node, in.location(key), in.errors(), false, range));
  else if (is_tensor)
    coefficient = read_tensor(in, key, *node, dimension, range.of_temperature);
  else
    coefficient.diagonal = read_directions(in, key, *node, dimension, range);
  constexpr double doubtful = 0.1; // no static permittivity is below 1
  if (key == "relative_permittivity")
    for (const Scalar& value : coefficient.diagonal)
      if (value.is_constant && value.value > 0. && value.value < doubtful) {
        in.errors().add_note(in.location(key), number_text(value.value) +
                                                   " is less than any material has, which is 1 and "
                                                   "more: it is relative to vacuum, not in F/m.");
        break;
      }
  if (has_rotation || has_axes) {
    const char* turn = has_rotation ? "rotation" : "axes";
    if (has_rotation && has_axes)
      in.fail("axes", "give either a rotation (2D) or axes (3D) of the material, not both.");
    else if (!is_list || is_tensor)
      in.fail(turn, "turns principal values: give " + key + " as a list of one per direction.");
    else if (const auto axes = read_axes(in, coefficient.diagonal.size()); !axes.empty())
      coefficient = turned(coefficient.diagonal, axes);
  }
  check_eigenvalues(in, key, coefficient, semidefinite);
  return coefficient;
}

} // namespace tessera::io::detail
