// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/evaluation/paths/lines.hpp"

#include "core/constants.hpp"
#include "core/kokkos_ext/runtime.hpp"
#include "driver/evaluation/paths/path_quantities.hpp"
#include "driver/evaluation/paths/probes.hpp"
#include "driver/evaluation/paths/shell_notes.hpp"
#include "io/mesh_files/point_in_plane.hpp"
#include "physics/forms/shell_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

namespace tessera::driver {

namespace {

using Point = std::array<double, 3>;
using physics::PointValue;
constexpr int n_gauss = 3;
constexpr double gauss_offset = 0.77459666924148337704; // sqrt(3/5)
constexpr double gauss_weights[n_gauss] = {5. / 18., 4. / 9., 5. / 18.};

/// Number of parts into which pieces with a possible jump of the field are divided, twice: the position of a jump is
/// then known to 1/4096 of a piece.
constexpr int n_parts = 64;
constexpr int n_divisions = 2;

/// A part of one of a line's straight segments, with the values at its Gauss points.
struct Piece {
  std::size_t segment;
  double begin; // 0 to 1 within the segment
  double end;
  std::array<PointValue, n_gauss> values{};
  bool is_known = false;
};

double distance(const Point& a, const Point& b) {
  return std::sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]) + (b[2] - a[2]) * (b[2] - a[2]));
}

Point between(const Point& a, const Point& b, double s) {
  Point x;
  for (std::size_t d = 0; d < 3; ++d)
    x[d] = a[d] + s * (b[d] - a[d]);
  return x;
}

/// A point of a line with its values.
struct LinePoint {
  Point at;
  PointValue values;
};

/// A line of the input, cut into pieces.
class CutLine {
public:
  explicit CutLine(const io::Line& line) : points_(line.points) {
    for (Point& point : points_)
      point = io::in_plane_unless_given(point);
    for (std::size_t s = 0; s + 1 < points_.size(); ++s)
      length_ += length_of(s);
    for (std::size_t s = 0; s + 1 < points_.size(); ++s) {
      const int n = std::max(8, static_cast<int>(std::ceil(line.n_samples * length_of(s) / length_)));
      for (int i = 0; i < n; ++i)
        pieces_.push_back({s, static_cast<double>(i) / n, static_cast<double>(i + 1) / n});
    }
    for (const Point& corner : points_)
      corners_.push_back({corner, {}});
  }

  double length() const { return length_; }
  const std::vector<Piece>& pieces() const { return pieces_; }
  double length_of(std::size_t segment) const { return distance(points_[segment], points_[segment + 1]); }

  Point position(const Piece& piece, int q) const {
    const double s = 0.5 * (piece.begin + piece.end + (q - 1) * gauss_offset * (piece.end - piece.begin));
    return between(points_[piece.segment], points_[piece.segment + 1], s);
  }
  /// Length represented by a Gauss point of a piece.
  double weight(const Piece& piece, int q) const {
    return gauss_weights[q] * (piece.end - piece.begin) * length_of(piece.segment);
  }
  /// Unit vector along a segment.
  Point direction(std::size_t segment) const {
    Point t;
    for (std::size_t d = 0; d < 3; ++d)
      t[d] = (points_[segment + 1][d] - points_[segment][d]) / length_of(segment);
    return t;
  }
  /// First or last point; if it is outside the mesh, the closest point inside, if there is any.
  LinePoint end(bool is_last) const {
    LinePoint end = is_last ? corners_.back() : corners_.front();
    for (std::size_t i = 0; i < pieces_.size() && end.values.region < 0; ++i) {
      const Piece& piece = pieces_[is_last ? pieces_.size() - 1 - i : i];
      for (int k = 0; k < n_gauss && end.values.region < 0; ++k) {
        const int q = is_last ? n_gauss - 1 - k : k;
        end = {position(piece, q), piece.values[static_cast<std::size_t>(q)]};
      }
    }
    return end;
  }

  /// Appends the points whose values are unknown.
  void ask(std::vector<Point>& points) const {
    for (const Piece& piece : pieces_)
      for (int q = 0; q < n_gauss && !piece.is_known; ++q)
        points.push_back(position(piece, q));
    for (const LinePoint& corner : corners_)
      if (!knows_corners_)
        points.push_back(corner.at);
  }
  /// Takes their values; returns the beginning of those of other lines.
  const PointValue* take(const PointValue* values) {
    for (Piece& piece : pieces_)
      if (!piece.is_known) {
        std::copy_n(values, n_gauss, piece.values.begin());
        values += n_gauss;
        piece.is_known = true;
      }
    for (LinePoint& corner : corners_)
      if (!knows_corners_)
        corner.values = *values++;
    knows_corners_ = true;
    return values;
  }

  /// Calls `work` with the points in the mesh with known values, in the direction of the line.
  template <class Work> void for_each_point(const Work& work) const {
    const auto visit = [&](const Point& at, const PointValue& values) {
      if (values.region >= 0)
        work(at, values);
    };
    std::size_t next = 0; // next corner
    for (const Piece& piece : pieces_) {
      for (; next <= piece.segment; ++next)
        visit(corners_[next].at, corners_[next].values);
      for (int q = 0; q < n_gauss; ++q)
        visit(position(piece, q), piece.values[static_cast<std::size_t>(q)]);
    }
    visit(corners_.back().at, corners_.back().values);
  }

  /// Divides the pieces in which a region may begin or end.
  void divide() {
    std::vector<Piece> finer;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const Piece& piece = pieces_[i];
      const int region = piece.values[0].region;
      bool is_even = piece.values[1].region == region && piece.values[2].region == region;
      is_even = is_even && (i == 0 || pieces_[i - 1].values[n_gauss - 1].region == region);
      is_even = is_even && (i + 1 == pieces_.size() || pieces_[i + 1].values[0].region == region);
      if (is_even) {
        finer.push_back(piece);
        continue;
      }
      for (int k = 0; k < n_parts; ++k) {
        const double width = (piece.end - piece.begin) / n_parts;
        finer.push_back(
            {piece.segment, piece.begin + k * width, k + 1 == n_parts ? piece.end : piece.begin + (k + 1) * width});
      }
    }
    pieces_.swap(finer);
  }

  /// Length outside the mesh, and its beginning.
  double length_outside(Point& first) const {
    double outside = 0.;
    for (const Piece& piece : pieces_)
      for (int q = 0; q < n_gauss; ++q)
        if (piece.values[static_cast<std::size_t>(q)].region < 0) {
          if (outside == 0.)
            first = position(piece, q);
          outside += weight(piece, q);
        }
    return outside;
  }

private:
  std::vector<Point> points_;
  double length_ = 0.;
  std::vector<Piece> pieces_;
  std::vector<LinePoint> corners_; // including first and last point
  bool knows_corners_ = false;
};

/// Evaluates all lines together, since finding points and recovering fields takes passes over all elements.
template <class ValuesAt> void evaluate(std::vector<CutLine>& lines, const ValuesAt& values_at) {
  std::vector<Point> points;
  for (const CutLine& line : lines)
    line.ask(points);
  if (points.empty())
    return;
  const std::vector<PointValue> values = values_at(points);
  const PointValue* next = values.data();
  for (CutLine& line : lines)
    next = line.take(next);
}

/// The shells of regions with a vector potential, where B and H are those in space.
class Shells {
public:
  Shells(const io::ProblemOptions& problem, const std::vector<std::string>& regions)
      : shells_(io::has_vector_potential(problem.physics) ? shells_by_region(problem, regions)
                                                          : std::vector<const io::Shell*>(regions.size(), nullptr)) {}

  /// The path in space represented by one along a unit vector `t`, per length; zero at infinity, where there is no
  /// field.
  Point way_in_space(int region, const Point& x, const Point& t) const {
    const io::Shell* const shell = shells_[static_cast<std::size_t>(region)];
    if (shell == nullptr)
      return t;
    const physics::ShellMap map{shell->inner_radius, shell->outer_radius};
    const double offset[2] = {x[0] - shell->center[0], x[1] - shell->center[1]};
    const double distance = std::hypot(offset[0], offset[1]);
    if (map.is_infinity(distance))
      return {};
    const double along = (t[0] * offset[0] + t[1] * offset[1]) / distance; // along the radius
    Point way{};
    for (std::size_t d = 0; d < 2; ++d) {
      const double radial = along * offset[d] / distance;
      way[d] = radial / map.slope(distance) + (t[d] - radial) / map.shrinking(distance);
    }
    return way;
  }

private:
  std::vector<const io::Shell*> shells_; // [n_regions]; null: no shell
};

std::string outside_text(const CutLine& cut, double outside, const Point& first, int dimension) {
  std::ostringstream text;
  text << outside << " m of its " << cut.length() << " m lie outside of the mesh, first near (";
  for (int d = 0; d < dimension; ++d)
    text << (d > 0 ? ", " : "") << first[static_cast<std::size_t>(d)];
  text << ')';
  return text.str();
}

/// Notes how much of a line is in shells.
void note_shells_along(const CutLine& cut, const io::Line& line, const ProblemSummary& summary, const io::Case& input,
                       std::vector<std::string>& notes) {
  PartsInShells parts(input.problem, summary.region_names);
  for (const Piece& piece : cut.pieces())
    for (int q = 0; q < n_gauss; ++q)
      parts.add(piece.values[static_cast<std::size_t>(q)].region, cut.position(piece, q), cut.weight(piece, q));
  for (const auto& [shell, length] : parts.sizes()) {
    std::ostringstream part;
    part << length << " m of its " << cut.length() << " m";
    notes.push_back(line_note(input, line.name, part.str(), shell, summary.dimension));
  }
}

double norm(const Point& v) { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

/// Extremes of a number that `value_of` computes from the values at a point, with the first locations along the line.
/// `tie_of(smallest, largest)`: distance from them within which values count as equal.
template <class ValueOf, class TieOf>
physics::Extremes extremes(const CutLine& cut, const ValueOf& value_of, const TieOf& tie_of) {
  physics::Extremes result;
  bool is_first = true;
  cut.for_each_point([&](const Point&, const PointValue& values) {
    const double value = value_of(values);
    result.smallest = is_first ? value : std::min(result.smallest, value);
    result.largest = is_first ? value : std::max(result.largest, value);
    is_first = false;
  });
  const double tie = tie_of(result.smallest, result.largest);
  bool has_smallest = false;
  bool has_largest = false;
  cut.for_each_point([&](const Point& at, const PointValue& values) {
    const double value = value_of(values);
    if (!has_smallest && value <= result.smallest + tie) {
      result.smallest_at = at;
      has_smallest = true;
    }
    if (!has_largest && value >= result.largest - tie) {
      result.largest_at = at;
      has_largest = true;
    }
  });
  return result;
}

/// Integrals along a line.
struct LineIntegrals {
  double inside = 0.; // length inside the mesh
  double value = 0.;
  double field = 0.;      // of the magnitude of the vector field
  double flux = 0.;       // of the magnitude of the flux
  double flux_along = 0.; // of the component of the flux along the line
  double flux_through = 0.;
};

LineIntegrals integrate(const CutLine& cut, const io::ProblemOptions& problem, const Shells& shells) {
  const bool axisymmetric = problem.symmetry == io::Symmetry::axisymmetric;
  LineIntegrals sum;
  for (const Piece& piece : cut.pieces()) {
    const Point t = cut.direction(piece.segment);
    for (int q = 0; q < n_gauss; ++q) {
      const PointValue& at = piece.values[static_cast<std::size_t>(q)];
      if (at.region < 0)
        continue;
      const double weight = cut.weight(piece, q);
      const Point x = cut.position(piece, q);
      const Point way = shells.way_in_space(at.region, x, t);
      const double across = axisymmetric ? 2. * pi * x[0] : problem.depth;
      sum.inside += weight;
      sum.value += weight * at.value;
      sum.field += weight * norm(at.field);
      sum.flux += weight * norm(at.flux);
      sum.flux_along += weight * (at.flux[0] * way[0] + at.flux[1] * way[1] + at.flux[2] * way[2]);
      sum.flux_through += weight * across * (at.flux[0] * t[1] - at.flux[1] * t[0]); // to the right
    }
  }
  return sum;
}

} // namespace

template <class ExecutionSpace>
void check_lines(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem, const io::Case& input) {
  if (input.output.lines.empty())
    return;
  const auto zero = make_filled<Array<double*, ExecutionSpace>>(exec, "driver::zero", problem.n_space_nodes, 0.);
  const std::vector<io::Line>& lines = input.output.lines;
  std::vector<CutLine> cuts(lines.begin(), lines.end());
  evaluate(cuts, [&](const auto& points) {
    return problem.values_at(exec, Array<const double*, ExecutionSpace>(zero), points, false);
  });
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Point first{};
    const double outside = cuts[i].length_outside(first);
    TESSERA_REQUIRE(outside <= 0.01 * cuts[i].length(),
                    lines[i].where.text()
                        << ": " << outside_text(cuts[i], outside, first, problem.summary.dimension)
                        << ". Let the line end, or lead around what is not meshed; where a curved "
                           "boundary of straight elements is all that is in the way, begin a bit inside.");
  }
}

template <class ExecutionSpace>
void add_lines(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem, const io::Case& input,
               const Solution<ExecutionSpace>& solution, Results& results) {
  using io::PathQuantity;
  const io::Physics physics = input.problem.physics;
  const io::PhysicsTraits& traits = io::traits_of(input.problem);
  const bool is_magnetic = io::has_vector_potential(physics);
  const bool axisymmetric = input.problem.symmetry == io::Symmetry::axisymmetric;
  const int dimension = problem.summary.dimension;
  const bool recovered = input.discretization.order.number == 1;
  const auto values_at = [&](const std::vector<Point>& points) {
    return problem.values_at(exec, solution.nodal, points, recovered);
  };
  const std::vector<io::Line>& lines = input.output.lines;
  std::vector<CutLine> cuts(lines.begin(), lines.end());
  evaluate(cuts, values_at);
  for (int k = 0; k < n_divisions; ++k) {
    for (CutLine& cut : cuts)
      cut.divide();
    evaluate(cuts, values_at);
  }
  const Shells shells(input.problem, problem.summary.region_names);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i].name;
    const CutLine& cut = cuts[i];
    Point first{};
    const double outside = cut.length_outside(first);
    if (outside > 0.)
      results.notes.push_back("line '" + line + "': " + outside_text(cut, outside, first, dimension) +
                              "; they count for nothing.");
    note_shells_along(cut, lines[i], problem.summary, input, results.notes);
    const LineIntegrals sum = integrate(cut, input.problem, shells);
    // The values at the ends give the integral of a gradient, and the flux of a vector potential.
    const LinePoint begin = cut.end(false);
    const LinePoint end = cut.end(true);
    PathAdder add(results, traits, line, dimension, io::is_of_lines);
    add(PathQuantity::length, cut.length());
    const double rise = end.values.value - begin.values.value;
    add(PathQuantity::along, is_magnetic ? traits.flux_sign * sum.flux_along : traits.gradient_sign * rise);
    if (dimension == 2) {
      double flux = traits.flux_sign * sum.flux_through;
      if (is_magnetic && axisymmetric)
        flux = 2. * pi * (flux_function(begin.at, begin.values) - flux_function(end.at, end.values));
      else if (is_magnetic)
        flux = input.problem.depth * rise;
      add(PathQuantity::flux, flux);
    }
    const auto mean = [&](double integral) { return sum.inside > 0. ? integral / sum.inside : 0.; };
    const auto of_lengths = [](double, double largest) { return physics::field_tie(largest); };
    add.average_and_extremes(
        {mean(sum.value), extremes(
                              cut, [](const PointValue& at) { return at.value; }, physics::solution_tie)},
        {mean(sum.field), extremes(
                              cut, [](const PointValue& at) { return norm(at.field); }, of_lengths)},
        {mean(sum.flux), extremes(
                             cut, [](const PointValue& at) { return norm(at.flux); }, of_lengths)});
    names.push_back(line);
  }
  add_path_table(results, physics, "lines", "line", names, io::is_of_lines);
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template void check_lines<SPACE>(const SPACE&, const Fields<SPACE>&, const io::Case&);                               \
  template void add_lines<SPACE>(const SPACE&, const Fields<SPACE>&, const io::Case&, const Solution<SPACE>&, Results&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
