// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "physics/boundaries/view_factors.hpp"

#include "core/constants.hpp"
#include "core/kokkos_ext/math.hpp"
#include "core/kokkos_ext/spaces.hpp"
#include "core/parallel.hpp"
#include "core/transfer/upload.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tessera::physics {

namespace {

constexpr int n_view_points = 4;

/// Gauss's rule on [0, 1]: sets a point, and returns its weight.
KOKKOS_FUNCTION double view_point(int k, double& t) {
  const bool is_outer = k == 0 || k == 3;
  const double x = is_outer ? 0.06943184420297371 : 0.33000947820757187;
  t = k < 2 ? x : 1. - x;
  return is_outer ? 0.17392742256872692 : 0.32607257743127307;
}

constexpr double view_slack = 1e-12; ///< of directions, and of lengths relative to a segment's

template <class Space> struct ViewGeometry {
  Array<const double* [4], Space> segments; ///< begin, end
  index_t n;

  /// Unit tangent and normal of a segment; returns its length.
  KOKKOS_FUNCTION double frame(index_t i, double (&tangent)[2], double (&normal)[2]) const {
    const double dx = segments(i, 2) - segments(i, 0);
    const double dy = segments(i, 3) - segments(i, 1);
    const double length = math::sqrt(dx * dx + dy * dy);
    tangent[0] = dx / length;
    tangent[1] = dy / length;
    normal[0] = tangent[1];
    normal[1] = -tangent[0];
    return length;
  }
  KOKKOS_FUNCTION void point(index_t i, double t, double (&x)[2]) const {
    for (int d = 0; d < 2; ++d)
      x[d] = segments(i, d) + t * (segments(i, 2 + d) - segments(i, d));
  }
};

/// In the plane: sweeps over all that a point sees, in the order of the sine s of the direction's angle with the
/// normal, from -1 to 1. A piece seen between s1 and s2 has the factor (s2 - s1) / 2.
template <class Space> struct SweepPlane {
  ViewGeometry<Space> geometry;
  Array<double**, Space> factors;

  /// A point with its frame.
  struct Eye {
    double x[2];
    double tangent[2];
    double normal[2];
    double slack; ///< of heights over the surface
  };

  /// The interval of directions in which segment m is; returns whether it is in front at all.
  KOKKOS_FUNCTION bool interval(const Eye& eye, index_t m, double& low, double& high) const {
    double along[2];
    double height[2];
    for (int end = 0; end < 2; ++end) {
      const double dx = geometry.segments(m, 2 * end) - eye.x[0];
      const double dy = geometry.segments(m, 2 * end + 1) - eye.x[1];
      along[end] = dx * eye.tangent[0] + dy * eye.tangent[1];
      height[end] = dx * eye.normal[0] + dy * eye.normal[1];
    }
    if (height[0] <= eye.slack && height[1] <= eye.slack)
      return false;
    double s[2];
    for (int end = 0; end < 2; ++end)
      if (height[end] > eye.slack) {
        s[end] = along[end] / math::sqrt(along[end] * along[end] + height[end] * height[end]);
      } else { // cut at the horizon
        const double share = (eye.slack - height[end]) / (height[1 - end] - height[end]);
        s[end] = along[end] + share * (along[1 - end] - along[end]) < 0. ? -1. : 1.;
      }
    low = s[0] < s[1] ? s[0] : s[1];
    high = s[0] < s[1] ? s[1] : s[0];
    return high - low > view_slack;
  }
  /// Distance to the line of segment m in direction s; infinite if parallel.
  KOKKOS_FUNCTION double distance(const Eye& eye, index_t m, double s) const {
    const double rest = 1. - s * s;
    const double c = rest > 0. ? math::sqrt(rest) : 0.;
    const double dx = s * eye.tangent[0] + c * eye.normal[0];
    const double dy = s * eye.tangent[1] + c * eye.normal[1];
    const double ex = geometry.segments(m, 2) - geometry.segments(m, 0);
    const double ey = geometry.segments(m, 3) - geometry.segments(m, 1);
    const double px = geometry.segments(m, 0) - eye.x[0];
    const double py = geometry.segments(m, 1) - eye.x[1];
    const double across = dx * ey - dy * ex;
    const double value = (px * ey - py * ex) / across;
    return value > 0. ? value : 1e300;
  }

  KOKKOS_FUNCTION void operator()(index_t i) const {
    for (index_t m = 0; m < geometry.n; ++m)
      factors(i, m) = 0.;
    for (int k = 0; k < n_view_points; ++k) {
      Eye eye;
      eye.slack = view_slack * geometry.frame(i, eye.tangent, eye.normal);
      double t;
      const double weight = view_point(k, t);
      geometry.point(i, t, eye.x);
      sweep(i, eye, weight);
    }
  }

private:
  KOKKOS_FUNCTION void sweep(index_t i, const Eye& eye, double weight) const {
    double a = -1.;
    while (a < 1. - view_slack) {
      // What is nearest just behind a, or where something begins.
      const double at = a + view_slack;
      index_t nearest = -1;
      double end = 1.;
      double least = 1e300;
      double next = 1.;
      for (index_t m = 0; m < geometry.n; ++m) {
        double low;
        double high;
        if (m == i || !interval(eye, m, low, high) || high <= at)
          continue;
        if (low > at) {
          next = low < next ? low : next;
          continue;
        }
        const double d = distance(eye, m, at);
        if (d < least) {
          least = d;
          nearest = m;
          end = high;
        }
      }
      if (nearest < 0) {
        a = next;
        continue;
      }
      // It ends, or something nearer begins.
      for (index_t m = 0; m < geometry.n; ++m) {
        double low;
        double high;
        if (m == i || m == nearest || !interval(eye, m, low, high) || low <= at || low >= end)
          continue;
        const double there = low + view_slack < high ? low + view_slack : high;
        if (distance(eye, m, there) < distance(eye, nearest, there))
          end = low;
      }
      end = end > at ? end : at;
      if (is_front(eye, nearest))
        factors(i, nearest) += 0.5 * weight * (end - a);
      a = end;
    }
  }
  KOKKOS_FUNCTION bool is_front(const Eye& eye, index_t m) const {
    double tangent[2];
    double normal[2];
    geometry.frame(m, tangent, normal);
    return normal[0] * (eye.x[0] - geometry.segments(m, 0)) + normal[1] * (eye.x[1] - geometry.segments(m, 1)) > 0.;
  }
};

constexpr int n_view_rays = 512; ///< of a point, in half of the hemisphere

/// About an axis: rays of equal parts of what a point radiates.
template <class Space> struct CastRays {
  ViewGeometry<Space> geometry;
  Array<const double* [3], Space> directions; ///< [point][ray]: along the tangent, the normal and around the axis
  Array<double**, Space> factors;

  KOKKOS_FUNCTION void operator()(index_t i) const {
    double tangent[2];
    double normal[2];
    const double length = geometry.frame(i, tangent, normal);
    for (index_t m = 0; m < geometry.n; ++m)
      factors(i, m) = 0.;
    const double mean_radius = 0.5 * (geometry.segments(i, 0) + geometry.segments(i, 2));
    for (int k = 0; k < n_view_points; ++k) {
      double x[2];
      double t;
      const double of_point = view_point(k, t);
      geometry.point(i, t, x);
      const double weight = of_point * x[0] / mean_radius / n_view_rays;
      for (int ray = 0; ray < n_view_rays; ++ray) {
        const int row = k * n_view_rays + ray;
        const double direction[3] = {directions(row, 0) * tangent[0] + directions(row, 1) * normal[0],
                                     directions(row, 0) * tangent[1] + directions(row, 1) * normal[1],
                                     directions(row, 2)};
        bool is_front = false;
        const index_t hit = next_surface(x, direction, 1e-9 * length, is_front);
        if (hit >= 0 && is_front)
          factors(i, hit) += weight;
      }
    }
  }

private:
  /// The surface that a ray meets first; -1: none. `direction`: radial, axial, around the axis.
  KOKKOS_FUNCTION index_t next_surface(const double (&x)[2], const double (&direction)[3], double slack,
                                       bool& is_front) const {
    index_t nearest = -1;
    double least = 1e300;
    for (index_t m = 0; m < geometry.n; ++m) {
      const double pr = geometry.segments(m, 0);
      const double pz = geometry.segments(m, 1);
      const double er = geometry.segments(m, 2) - pr;
      const double ez = geometry.segments(m, 3) - pz;
      const double absolute_r = er < 0. ? -er : er;
      const double absolute_z = ez < 0. ? -ez : ez;
      double roots[2] = {-1., -1.};
      if (absolute_z <= 1e-12 * absolute_r) { // a plane across the axis
        roots[0] = direction[1] == 0. ? -1. : (pz - x[1]) / direction[1];
      } else { // (radius of the ray)^2 = (radius of the cone)^2 at its height
        const double slope = er / ez;
        const double r0 = pr + slope * (x[1] - pz);
        const double r1 = slope * direction[1];
        const double a = direction[0] * direction[0] + direction[2] * direction[2] - r1 * r1;
        const double b = x[0] * direction[0] - r0 * r1;
        const double c = x[0] * x[0] - r0 * r0;
        const double square = b * b - a * c;
        if (square < 0.)
          continue;
        const double root = math::sqrt(square);
        const double q = b < 0. ? -b + root : -b - root; // without cancellation
        roots[0] = a == 0. ? -1. : q / a;
        roots[1] = q == 0. ? -1. : c / q;
      }
      for (const double at : roots) {
        if (!(at > slack && at < least))
          continue;
        const double u = x[0] + at * direction[0];
        const double v = at * direction[2];
        const double radius = math::sqrt(u * u + v * v);
        const double z = x[1] + at * direction[1];
        const double t = absolute_z > absolute_r ? (z - pz) / ez : (radius - pr) / er;
        const double on_cone = absolute_z > absolute_r ? pr + t * er - radius : pz + t * ez - z;
        const double size = absolute_z > absolute_r ? absolute_z : absolute_r;
        if (t < -1e-10 || t > 1. + 1e-10 || on_cone > 1e-6 * size || on_cone < -1e-6 * size)
          continue;
        least = at;
        nearest = m;
        // The normal is (ez, -er) in the plane of the point that is hit.
        const double outwards = (u * direction[0] + v * direction[2]) / radius;
        is_front = ez * outwards - er * direction[1] < 0.;
      }
    }
    return nearest;
  }
};

/// Directions of equal shares: points of equal density on half of the unit disc below the hemisphere, on the spiral of
/// seeds in a sunflower, turned from point to point.
std::vector<double> ray_directions() {
  std::vector<double> directions;
  const double golden = 0.5 * (std::sqrt(5.) - 1.);
  for (int k = 0; k < n_view_points; ++k)
    for (int ray = 0; ray < n_view_rays; ++ray) {
      const double square = (ray + 0.5) / n_view_rays;
      const double turn = golden * ray + static_cast<double>(k) / n_view_points;
      const double angle = pi * (turn - std::floor(turn));
      directions.push_back(std::sqrt(square) * std::cos(angle));
      directions.push_back(std::sqrt(1. - square));
      directions.push_back(std::sqrt(square) * std::sin(angle));
    }
  return directions;
}

/// An array of rows of N from a flat one.
template <int N, class ExecutionSpace>
Array<const double* [N], ExecutionSpace> in_rows(const Array<double*, ExecutionSpace>& flat) {
  return Array<const double* [N], ExecutionSpace>(flat.data(), flat.extent(0) / N);
}

} // namespace

template <class ExecutionSpace>
std::vector<double> view_factors(const ExecutionSpace& exec, const std::vector<RadiatingSegment>& segments,
                                 bool axisymmetric) {
  using Space = typename ExecutionSpace::memory_space;
  const auto n = static_cast<index_t>(segments.size());
  std::vector<double> ends;
  for (const RadiatingSegment& segment : segments)
    ends.insert(ends.end(), {segment.begin[0], segment.begin[1], segment.end[0], segment.end[1]});
  const Array<double*, ExecutionSpace> flat = uploaded(exec, "physics::radiating_segments", ends);
  const ViewGeometry<Space> geometry{in_rows<4, ExecutionSpace>(flat), n};
  const auto factors = make_array<Array<double**, ExecutionSpace>>(exec, "physics::view_factors", n, n);
  const Array<double*, ExecutionSpace> rays = uploaded(exec, "physics::view_rays", ray_directions());
  if (axisymmetric)
    for_each("tessera::physics::view_factors", exec, n,
             CastRays<Space>{geometry, in_rows<3, ExecutionSpace>(rays), factors});
  else
    for_each("tessera::physics::view_factors", exec, n, SweepPlane<Space>{geometry, factors});
  const auto host = to_host(exec, factors); // waits: the other arrays may be freed
  return {host.data(), host.data() + host.size()};
}

void close_rows(index_t n, std::vector<double>& factors) {
  for (auto row = factors.begin(); row != factors.end(); row += n) {
    const double sum = std::accumulate(row, row + n, 0.);
    std::for_each(row, row + n, [sum](double& factor) { factor /= sum; });
  }
}

void make_reciprocal(const std::vector<double>& areas, std::vector<double>& factors) {
  const std::size_t n = areas.size();
  std::vector<double> sums(n, 0.); // area times the sum of the row
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      sums[i] += areas[i] * factors[i * n + j];
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      factors[i * n + j] = factors[j * n + i] = 0.5 * (areas[i] * factors[i * n + j] + areas[j] * factors[j * n + i]);
  // Symmetric scaling to the sums of rows: d_i s_ij d_j.
  std::vector<double> scale(n, 1.);
  for (int iteration = 0; iteration < 1000; ++iteration) {
    double worst = 0.;
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0.;
      for (std::size_t j = 0; j < n; ++j)
        sum += factors[i * n + j] * scale[j];
      if (!(sum > 0.) || !(sums[i] > 0.))
        continue;
      worst = std::max(worst, std::fabs(scale[i] * sum / sums[i] - 1.));
      scale[i] = std::sqrt(scale[i] * sums[i] / sum);
    }
    if (worst < 1e-13)
      break;
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      factors[i * n + j] *= scale[i] * scale[j] / areas[i];
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template std::vector<double> view_factors<SPACE>(const SPACE&, const std::vector<RadiatingSegment>&, bool);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::physics
