// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/plan/anisotropy.hpp"

#include "driver/problem/binding/input_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace tessera::driver {

namespace {

/// Ratio of the stiffness along two directions of an element above which it counts as anisotropic: that of a stretch by
/// ten.
constexpr double largest_ratio = 100.;

using Point = std::array<double, 3>;
using Matrix = std::array<Point, 3>; ///< in 2D the last row and column are those of the identity

constexpr Matrix identity{{{1., 0., 0.}, {0., 1., 0.}, {0., 0., 1.}}};

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k)
        c[i][j] += a[i][k] * b[k][j];
  return c;
}

Matrix transposed(const Matrix& a) {
  Matrix result{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      result[i][j] = a[j][i];
  return result;
}

/// The inverse; not finite if it does not exist.
Matrix inverse(const Matrix& a) {
  Matrix result{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const std::size_t r = (j + 1) % 3, s = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
      result[i][j] = a[r][c] * a[s][d] - a[r][d] * a[s][c];
    }
  const double determinant = a[0][0] * result[0][0] + a[0][1] * result[1][0] + a[0][2] * result[2][0];
  for (Point& row : result)
    for (double& entry : row)
      entry /= determinant;
  return result;
}

/// Ratio of the largest to the smallest of the first `n` eigenvalues of a symmetric matrix, by Jacobi rotations;
/// infinite unless all are positive.
double eigenvalue_ratio(Matrix a, std::size_t n) {
  constexpr int sweeps = 8; // converges quadratically
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        const double angle = 0.5 * std::atan2(2. * a[p][q], a[q][q] - a[p][p]);
        Matrix turn = identity;
        turn[p][p] = turn[q][q] = std::cos(angle);
        turn[p][q] = std::sin(angle);
        turn[q][p] = -turn[p][q];
        a = product(transposed(turn), product(a, turn));
      }
  double smallest = a[0][0];
  double largest = a[0][0];
  for (std::size_t i = 1; i < n; ++i) {
    smallest = std::min(smallest, a[i][i]);
    largest = std::max(largest, a[i][i]);
  }
  return smallest > 0. ? largest / smallest : std::numeric_limits<double>::infinity();
}

/// Edges of the regular simplex, row by row.
Matrix regular_edges(std::size_t dimension) {
  const double root = std::sqrt(3.);
  if (dimension == 2)
    return {{{1., 0., 0.}, {0.5, 0.5 * root, 0.}, {0., 0., 1.}}};
  return {{{1., 0., 0.}, {0.5, 0.5 * root, 0.}, {0.5, root / 6., std::sqrt(2. / 3.)}}};
}

/// The coefficient of a region as a function of position; none if the physics or a shell determines it.
class RegionCoefficient {
public:
  RegionCoefficient() = default;
  explicit RegionCoefficient(const io::Material& material) {
    for (const io::Scalar& entry : material.coefficient.diagonal)
      diagonal_.push_back(to_expression(entry));
    for (const io::Scalar& entry : material.coefficient.off_diagonal)
      off_diagonal_.push_back(to_expression(entry));
  }

  bool is_known() const { return !diagonal_.empty(); }
  Matrix at(const Point& x, std::size_t dimension) const {
    const auto value = [&](const physics::Expression& entry) { return entry(x[0], x[1], x[2]); };
    Matrix k = identity;
    for (std::size_t d = 0; d < dimension; ++d)
      k[d][d] = value(diagonal_[diagonal_.size() < dimension ? 0 : d]);
    constexpr std::array<std::array<std::size_t, 2>, 3> places{{{0, 1}, {0, 2}, {1, 2}}};
    for (std::size_t e = 0; e < off_diagonal_.size(); ++e)
      k[places[e][0]][places[e][1]] = k[places[e][1]][places[e][0]] = value(off_diagonal_[e]);
    return k;
  }

private:
  std::vector<physics::Expression> diagonal_;
  std::vector<physics::Expression> off_diagonal_;
};

/// Statistics over elements.
class Survey {
public:
  explicit Survey(std::size_t dimension) : dimension_(dimension) {}

  /// `to_regular`: its transpose maps gradients on a regular element to those on this one.
  void add(const Matrix& to_regular, const RegionCoefficient& coefficient, const Point& at) {
    const Matrix k = coefficient.is_known() ? coefficient.at(at, dimension_) : identity;
    const Matrix stiffness = product(to_regular, product(k, transposed(to_regular)));
    ++n_;
    n_anisotropic_ += eigenvalue_ratio(stiffness, dimension_) > largest_ratio ? 1 : 0;
  }
  double share() const { return n_ > 0 ? static_cast<double>(n_anisotropic_) / n_ : 0.; }

private:
  std::size_t dimension_;
  int n_ = 0;
  int n_anisotropic_ = 0;
};

} // namespace

double anisotropic_share(const io::Case& input, const io::ImportedMesh& imported) {
  const auto dimension = static_cast<std::size_t>(imported.dimension);
  Survey survey(dimension);
  const auto& materials = input.problem.materials;
  if (input.mesh.source == io::MeshSource::box) {
    if (materials.empty() || materials.front().shell)
      return 0.;
    const RegionCoefficient coefficient(materials.front());
    const io::BoxOptions& box = input.mesh.box;
    Matrix to_regular = identity;
    std::array<int, 3> n{1, 1, 1};
    Point step{};
    const int n_along = dimension == 2 ? 100 : 20; // samples per direction
    for (std::size_t d = 0; d < dimension; ++d) {
      n[d] = std::min(box.cells[d], n_along);
      step[d] = (box.upper[d] - box.lower[d]) / n[d];
      to_regular[d][d] = box.cells[d] / (box.upper[d] - box.lower[d]);
    }
    for (int k = 0; k < n[2]; ++k)
      for (int j = 0; j < n[1]; ++j)
        for (int i = 0; i < n[0]; ++i)
          survey.add(to_regular, coefficient,
                     {box.lower[0] + (i + 0.5) * step[0], box.lower[1] + (j + 0.5) * step[1],
                      dimension == 2 ? 0. : box.lower[2] + (k + 0.5) * step[2]});
    return survey.share();
  }
  std::vector<RegionCoefficient> coefficients(imported.region_names.size());
  std::vector<bool> counts(imported.region_names.size(), true);
  for (const io::Material& material : materials)
    if (const int region = find_name(imported.region_names, material.region.name); region >= 0) {
      coefficients[static_cast<std::size_t>(region)] = RegionCoefficient(material);
      counts[static_cast<std::size_t>(region)] = !material.shell;
    }
  const Matrix regular = regular_edges(dimension);
  const std::size_t n_samples = std::min<std::size_t>(imported.n_elements(), 20000);
  for (std::size_t sample = 0; sample < n_samples; ++sample) {
    const std::size_t element = sample * imported.n_elements() / n_samples;
    const std::size_t region = imported.regions[element];
    if (!counts[region])
      continue;
    const auto coordinate = [&](std::size_t node, std::size_t d) {
      const auto number = static_cast<std::size_t>(imported.elements[element * (dimension + 1) + node]);
      return imported.coordinates[number * dimension + d];
    };
    Matrix edges = identity; // row by row
    Point middle{};
    for (std::size_t d = 0; d < dimension; ++d) {
      const double first = coordinate(0, d);
      middle[d] = first;
      for (std::size_t e = 0; e < dimension; ++e) {
        edges[e][d] = coordinate(e + 1, d) - first;
        middle[d] += edges[e][d] / static_cast<double>(dimension + 1);
      }
    }
    // Differences along the edges are edges * gradient here, and regular * gradient on the regular element.
    survey.add(transposed(product(inverse(edges), regular)), coefficients[region], middle);
  }
  return survey.share();
}

} // namespace tessera::driver
