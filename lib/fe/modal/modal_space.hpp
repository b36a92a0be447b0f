// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_FE_MODAL_MODAL_SPACE_HPP
#define TESSERA_FE_MODAL_MODAL_SPACE_HPP

/// \file
/// Discontinuous spaces of polynomials of total degree p_e in each element e, whatever its shape: products of Legendre
/// polynomials on the element's bounding box (Dong, Georgoulis, Kappas, GPU-accelerated discontinuous Galerkin methods
/// on polytopic meshes, sections 2.2 and 3.1). In a time slab the space-time elements are prisms, and the polynomials
/// are in space and time (section 2.3 there); an element may take several steps within the slab, each with separate
/// polynomials.

#include "comm/communicator.hpp"
#include "core/parallel.hpp"
#include "fe/modal/legendre.hpp"
#include "fe/modal/time_polynomials.hpp"

#include <array>
#include <vector>

namespace tessera::fe {

/// Maximum number of steps of an element within a time slab.
constexpr int max_local_steps = 64;

/// Highest degree of an element: 8 in 2D, 6 in 3D.
template <int Dim> constexpr int max_modal_degree = Dim == 2 ? 8 : 6;

/// Number of polynomials of total degree up to `degree` in `directions` variables.
KOKKOS_INLINE_FUNCTION constexpr int modal_size(int directions, int degree) {
  int size = 1;
  for (int d = 1; d <= directions; ++d)
    size = size * (degree + d) / d;
  return size;
}

/// Number of basis functions of degree p.
template <int Dim> KOKKOS_INLINE_FUNCTION constexpr int modal_size(TimePolynomials time, int degree) {
  return time == TimePolynomials::p ? modal_size(Dim + 1, degree)
                                    : modal_size(Dim, degree) * (time == TimePolynomials::pq ? degree + 1 : 1);
}

/// Degrees of the one-dimensional factors of each basis function, time last, in an order in which the basis of a lower
/// degree is a prefix; then by descending degree in x, in y, in z.
template <int Dim> std::vector<std::array<int, Dim + 1>> modal_indices(int degree, TimePolynomials time);

template <int Dim, class MemorySpace> struct ModalSpace {
  using memory_space = MemorySpace;
  static constexpr int dimension = Dim;
  static constexpr int max_degree = max_modal_degree<Dim>;

  /// Degrees of the factors of basis function i of a step, time last, [modal_size(time, largest_degree)][Dim + 1].
  Array<const int * [Dim + 1], MemorySpace> indices;
  Array<const int*, MemorySpace> degrees;           ///< p_e, [n_elements]
  Array<const int*, MemorySpace> local_steps;       ///< number of steps within a slab, powers of two; empty: one
                                                    ///< each
  Array<const index_t*, MemorySpace> dof_offsets;   ///< first unknown of each element, [n_elements + 1]
  Array<const double* [2][Dim], MemorySpace> boxes; ///< bounding boxes, shared with the mesh
  Legendre legendre;
  TimePolynomials time = TimePolynomials::none;
  double from = 0.; ///< start of the time slab, s
  double to = 0.;   ///< end of the time slab; equal to the start in a steady problem
  int smallest_degree = 0;
  int largest_degree = 0;
  int smallest_steps = 1; ///< of local_steps
  int largest_steps = 1;
  int largest_size = 0;   ///< largest number of unknowns of an element
  bool is_uniform = true; ///< one degree and one number of steps for all elements
  index_t n_dofs = 0;

  index_t n_elements() const { return static_cast<index_t>(degrees.extent(0)); }
  /// Number of unknowns of an element; they are ordered by step.
  KOKKOS_FUNCTION int size(index_t e) const { return static_cast<int>(dof_offsets(e + 1) - dof_offsets(e)); }
  KOKKOS_FUNCTION int n_steps(index_t e) const { return largest_steps == 1 ? 1 : local_steps(e); }
  /// Number of unknowns of one step of an element.
  KOKKOS_FUNCTION int step_size(index_t e) const { return largest_steps == 1 ? size(e) : size(e) / local_steps(e); }

  /// d xi / d x of the map from a box to [-1, 1] in one direction.
  KOKKOS_FUNCTION double scale(index_t e, int d) const { return 2. / (boxes(e, 1, d) - boxes(e, 0, d)); }
  /// Coordinate in the box, in [-1, 1] for points of the element.
  KOKKOS_FUNCTION double box_coordinate(index_t e, int d, double x) const {
    return (x - boxes(e, 0, d)) * scale(e, d) - 1.;
  }

  /// Step of an element at time t: at a time between two steps the later one, at the end of the slab the last one.
  KOKKOS_FUNCTION int step_at(index_t e, double t) const {
    const int n = n_steps(e);
    if (n == 1)
      return 0;
    const int step = static_cast<int>((t - from) / (to - from) * n);
    return step < 0 ? 0 : step < n ? step : n - 1;
  }
  KOKKOS_FUNCTION double step_start(index_t e, int step) const { return from + step * ((to - from) / n_steps(e)); }
  /// Coordinate within a step, in [-1, 1] for its times.
  KOKKOS_FUNCTION double step_coordinate(index_t e, int step, double t) const {
    return (t - from) * (2. * n_steps(e) / (to - from)) - (1. + 2. * step);
  }
  /// Evaluates the one-dimensional factors in direction d, Dim for time, of a step of an element of degree `degree` at
  /// x[d], and their derivatives with respect to it.
  template <class Real>
  KOKKOS_FUNCTION void evaluate_factors(index_t e, int step, int d, int degree, double x, Real* value,
                                        Real* derivative) const {
    if (d == Dim && time == TimePolynomials::none) {
      value[0] = 1;
      derivative[0] = 0;
      return;
    }
    const double factor = d < Dim ? scale(e, d) : 2. * n_steps(e) / (to - from);
    legendre.evaluate(degree, d < Dim ? box_coordinate(e, d, x) : step_coordinate(e, step, x), value, derivative);
    for (int k = 0; k <= degree; ++k)
      derivative[k] = static_cast<Real>(derivative[k] * factor);
  }
  /// The one-dimensional factors of an element's basis at a point (x, t), and their derivatives.
  struct Factors {
    double value[Dim + 1][max_degree + 1];
    double derivative[Dim + 1][max_degree + 1];
    int first; ///< first basis function of the step; those of other steps are zero here
    int end;
  };
  /// Evaluates the factors of the step at that time, or of a given step at its ends.
  KOKKOS_FUNCTION void evaluate_factors(index_t e, const double (&x)[Dim + 1], Factors& factors) const {
    evaluate_factors(e, step_at(e, x[Dim]), x, factors);
  }
  KOKKOS_FUNCTION void evaluate_factors(index_t e, int step, const double (&x)[Dim + 1], Factors& factors) const {
    const int degree = degrees(e);
    const int n = step_size(e);
    factors.first = step * n;
    factors.end = factors.first + n;
    for (int d = 0; d <= Dim; ++d)
      evaluate_factors(e, step, d, degree, x[d], factors.value[d], factors.derivative[d]);
  }
  /// Value and gradient of basis function i; with N = Dim + 1 the last derivative is with respect to t.
  template <int N> KOKKOS_FUNCTION double basis(int i, const Factors& factors, double (&gradient)[N]) const {
    static_assert(N == Dim || N == Dim + 1, "A gradient has Dim entries, with the derivative in time Dim + 1.");
    if (i < factors.first || i >= factors.end) {
      for (int d = 0; d < N; ++d)
        gradient[d] = 0.;
      return 0.;
    }
    i -= factors.first;
    double value = 1.;
    for (int d = 0; d <= Dim; ++d)
      value *= factors.value[d][indices(i, d)];
    for (int d = 0; d < N; ++d) {
      gradient[d] = factors.derivative[d][indices(i, d)];
      for (int other = 0; other <= Dim; ++other)
        if (other != d)
          gradient[d] *= factors.value[other][indices(i, other)];
    }
    return value;
  }
  /// Value and gradient at a point (x, t) of element e of the function with coefficients u, [n_dofs].
  template <class Coefficients, int N>
  KOKKOS_FUNCTION double evaluate(index_t e, const Coefficients& u, const double (&x)[Dim + 1],
                                  double (&gradient)[N]) const {
    Factors factors;
    evaluate_factors(e, x, factors);
    double value = 0.;
    for (int d = 0; d < N; ++d)
      gradient[d] = 0.;
    const index_t first = dof_offsets(e);
    for (int i = factors.first; i < factors.end; ++i) {
      double g[N];
      value += u(first + i) * basis(i, factors, g);
      for (int d = 0; d < N; ++d)
        gradient[d] += u(first + i) * g[d];
    }
    return value;
  }
};

/// Makes the space on elements with the given bounding boxes, [n_elements][lower, upper][Dim], of one degree in [0,
/// max_modal_degree]; throws for other degrees, and for more unknowns than index_t can count. With polynomials in time,
/// `from` and `to` must be set before the space is used; local steps [n_elements], powers of two up to max_local_steps,
/// may be given; without them each element takes one step.
template <int Dim, class ExecutionSpace>
ModalSpace<Dim, typename ExecutionSpace::memory_space>
make_modal_space(const ExecutionSpace& exec, const Array<double* [2][Dim], ExecutionSpace>& boxes, int degree,
                 TimePolynomials time = TimePolynomials::none, const Array<int*, ExecutionSpace>& local_steps = {});

/// As above, with a degree per element, [n_elements].
template <int Dim, class ExecutionSpace>
ModalSpace<Dim, typename ExecutionSpace::memory_space>
make_modal_space(const ExecutionSpace& exec, const Array<double* [2][Dim], ExecutionSpace>& boxes,
                 const Array<int*, ExecutionSpace>& degrees, TimePolynomials time = TimePolynomials::none,
                 const Array<int*, ExecutionSpace>& local_steps = {});

/// Gives the spaces of the processes' parts of a mesh the extremes of all elements, which determine tables and the
/// kernels' batches of points, and thereby the order of sums. Collective.
template <int Dim, class ExecutionSpace>
void share_extremes(const ExecutionSpace& exec, const comm::Communicator& world,
                    ModalSpace<Dim, typename ExecutionSpace::memory_space>& space);

/// Computes the coefficients of the function that equals, at all times of a slab, the value of u at the end of the
/// previous slab.
template <int Dim, class ExecutionSpace>
void extend_from_end(const ExecutionSpace& exec, const ModalSpace<Dim, typename ExecutionSpace::memory_space>& space,
                     const Array<const double*, ExecutionSpace>& u, const Array<double*, ExecutionSpace>& extended);

/// Copy of a space on the host.
template <class ExecutionSpace, int Dim>
ModalSpace<Dim, HostMemory> to_host(const ExecutionSpace& exec,
                                    const ModalSpace<Dim, typename ExecutionSpace::memory_space>& space);

/// Value and gradient, a row of 1 + Dim each, of the function with coefficients u at given points of given elements
/// (-1: none, NaN) at a given time.
template <int Dim, class ExecutionSpace>
Array<double * [1 + Dim], ExecutionSpace>
values_at(const ExecutionSpace& exec, const ModalSpace<Dim, typename ExecutionSpace::memory_space>& space,
          const Array<const double*, ExecutionSpace>& u, const Array<double* [Dim], ExecutionSpace>& points,
          const Array<index_t*, ExecutionSpace>& elements, double time = 0.);

} // namespace tessera::fe

#endif
