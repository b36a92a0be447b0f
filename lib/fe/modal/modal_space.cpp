// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "fe/modal/modal_space.hpp"

#include "core/algorithms/scan.hpp"
#include "core/kokkos_ext/math.hpp"
#include "core/transfer/upload.hpp"

#include <limits>

namespace tessera::fe {

template <int Dim> std::vector<std::array<int, Dim + 1>> modal_indices(int degree, TimePolynomials time) {
  std::vector<std::array<int, Dim + 1>> indices;
  // Appends the indices of total degree `total` in space and degree t in time.
  const auto append = [&](int total, int t) {
    for (int x = total; x >= 0; --x) {
      if constexpr (Dim == 2)
        indices.push_back({x, total - x, t});
      else
        for (int y = total - x; y >= 0; --y)
          indices.push_back({x, y, total - x - y, t});
    }
  };
  for (int p = 0; p <= degree; ++p) {
    if (time == TimePolynomials::none)
      append(p, 0);
    for (int t = 0; t <= p && time == TimePolynomials::p; ++t)
      append(p - t, t);
    for (int t = 0; t < p && time == TimePolynomials::pq; ++t)
      append(p, t);
    for (int total = 0; total <= p && time == TimePolynomials::pq; ++total)
      append(total, p);
  }
  return indices;
}

namespace {

template <int Dim, class Space> struct CountDofs {
  Array<const int*, Space> degrees;
  Array<const int*, Space> steps; // may be empty
  TimePolynomials time;
  Array<index_t*, Space> counts;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    counts(e) = modal_size<Dim>(time, degrees(e)) * (steps.extent(0) > 0 ? steps(e) : 1);
  }
};

template <class Space> struct LargestCount {
  Array<const index_t*, Space> counts;
  KOKKOS_FUNCTION void operator()(index_t e, index_t& largest) const {
    largest = counts(e) > largest ? counts(e) : largest;
  }
};

template <class Space> struct UniformOffsets {
  index_t size;
  Array<index_t*, Space> offsets;
  KOKKOS_FUNCTION void operator()(index_t e) const { offsets(e) = e * size; }
};

using NumberRange = Kokkos::MinMaxScalar<int>;

template <class Space> struct ExtendRange {
  Array<const int*, Space> numbers;
  KOKKOS_FUNCTION void operator()(index_t e, NumberRange& range) const {
    range.min_val = numbers(e) < range.min_val ? numbers(e) : range.min_val;
    range.max_val = numbers(e) > range.max_val ? numbers(e) : range.max_val;
  }
};
template <class Space> struct CountNoPowers {
  Array<const int*, Space> numbers;
  KOKKOS_FUNCTION void operator()(index_t e, index_t& count) const {
    count += (numbers(e) & (numbers(e) - 1)) != 0 ? 1 : 0;
  }
};

template <class ExecutionSpace>
Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>> all_of(const ExecutionSpace& exec, std::size_t n) {
  return {exec, 0, static_cast<index_t>(n)};
}

template <class ExecutionSpace>
NumberRange range_of(const ExecutionSpace& exec, const Array<int*, ExecutionSpace>& numbers) {
  using Space = typename ExecutionSpace::memory_space;
  NumberRange range{0, 0};
  if (numbers.extent(0) > 0)
    Kokkos::parallel_reduce("tessera::fe::range_of_numbers", all_of(exec, numbers.extent(0)),
                            ExtendRange<Space>{numbers}, Kokkos::MinMax<int>(range));
  return range;
}

/// Sets the steps of a space whose degrees are set already.
template <int Dim, class ExecutionSpace>
void set_local_steps(const ExecutionSpace& exec, ModalSpace<Dim, typename ExecutionSpace::memory_space>& space,
                     const Array<int*, ExecutionSpace>& steps) {
  using Space = typename ExecutionSpace::memory_space;
  TESSERA_REQUIRE(steps.extent(0) == space.degrees.extent(0), "There are " << steps.extent(0)
                                                                           << " numbers of steps for "
                                                                           << space.degrees.extent(0) << " elements.");
  TESSERA_REQUIRE(space.time != TimePolynomials::none, "Elements take steps within a time slab only.");
  const NumberRange range = range_of(exec, steps);
  index_t n_no_powers = 0;
  Kokkos::parallel_reduce("tessera::fe::count_no_powers", all_of(exec, steps.extent(0)), CountNoPowers<Space>{steps},
                          n_no_powers);
  TESSERA_REQUIRE(steps.extent(0) == 0 || (range.min_val >= 1 && range.max_val <= max_local_steps && n_no_powers == 0),
                  "The steps of an element within a slab must be a power of two from 1 to "
                      << max_local_steps << "; these are " << range.min_val << " to " << range.max_val << ".");
  space.local_steps = steps;
  space.smallest_steps = range.min_val;
  space.largest_steps = range.max_val;
  space.is_uniform = space.is_uniform && range.min_val == range.max_val;
}

template <int Dim, class ExecutionSpace>
Array<int* [Dim + 1], ExecutionSpace> upload_indices(const ExecutionSpace& exec, int degree, TimePolynomials time) {
  const auto table = modal_indices<Dim>(degree, time);
  const auto indices = make_array<Array<int * [Dim + 1], ExecutionSpace>>(exec, "fe::modal_indices", table.size());
  std::vector<int> entries;
  for (const auto& index : table)
    entries.insert(entries.end(), index.begin(), index.end());
  upload(exec, indices, entries);
  return indices;
}

template <int Dim, class Space>
struct EvaluateAt {
  ModalSpace<Dim, Space> space;
  Array<const double*, Space> u;
  Array<const double* [Dim], Space> points;
  Array<const index_t*, Space> elements;
  double time;
  double nowhere; ///< NaN
  Array<double * [1 + Dim], Space> rows;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    double x[Dim + 1];
    double gradient[Dim];
    x[Dim] = time;
    for (int d = 0; d < Dim; ++d) {
      x[d] = points(i, d);
      gradient[d] = nowhere;
    }
    rows(i, 0) = elements(i) < 0 ? nowhere : space.evaluate(elements(i), u, x, gradient);
    for (int d = 0; d < Dim; ++d)
      rows(i, 1 + d) = gradient[d];
  }
};

/// The end of a slab is 1 in [-1, 1] of the last step, where L_k is sqrt(2 k + 1).
template <int Dim, class Space> struct ExtendFromEnd {
  ModalSpace<Dim, Space> space;
  Array<const double*, Space> u;
  Array<double*, Space> extended;

  KOKKOS_FUNCTION bool are_alike_in_space(int i, int j) const {
    for (int d = 0; d < Dim; ++d)
      if (space.indices(i, d) != space.indices(j, d))
        return false;
    return true;
  }
  KOKKOS_FUNCTION void operator()(index_t e) const {
    const index_t first = space.dof_offsets(e);
    const int n = space.step_size(e);
    const index_t last = space.dof_offsets(e + 1) - n;
    for (int i = 0; i < n; ++i) {
      double sum = 0.;
      for (int j = 0; space.indices(i, Dim) == 0 && j < n; ++j)
        if (are_alike_in_space(i, j))
          sum += math::sqrt(2. * space.indices(j, Dim) + 1.) * u(last + j);
      for (int step = 0; step < space.n_steps(e); ++step)
        extended(first + step * n + i) = sum;
    }
  }
};

} // namespace

template <int Dim, class ExecutionSpace>
void extend_from_end(const ExecutionSpace& exec, const ModalSpace<Dim, typename ExecutionSpace::memory_space>& space,
                     const Array<const double*, ExecutionSpace>& u, const Array<double*, ExecutionSpace>& extended) {
  using Space = typename ExecutionSpace::memory_space;
  for_each("tessera::fe::extend_from_end", exec, space.n_elements(), ExtendFromEnd<Dim, Space>{space, u, extended});
}

namespace {

/// Sets the first unknown of each element, and the number of unknowns.
template <int Dim, class ExecutionSpace>
void number_unknowns(const ExecutionSpace& exec, ModalSpace<Dim, typename ExecutionSpace::memory_space>& space) {
  using Space = typename ExecutionSpace::memory_space;
  const index_t n = space.n_elements();
  const auto offsets = make_array<Array<index_t*, Space>>(exec, "fe::dof_offsets", n + 1);
  space.dof_offsets = offsets;
  space.largest_size = n > 0 ? modal_size<Dim>(space.time, space.largest_degree) * space.largest_steps : 0;
  if (space.is_uniform) {
    space.n_dofs = checked_index(std::int64_t(n) * space.largest_size, "unknowns");
    for_each("tessera::fe::uniform_offsets", exec, std::int64_t(n) + 1,
             UniformOffsets<Space>{space.largest_size, offsets});
    return;
  }
  for_each("tessera::fe::count_dofs", exec, n,
           CountDofs<Dim, Space>{space.degrees, space.local_steps, space.time, offsets});
  if (space.largest_steps > 1) { // the element of highest degree need not have the most steps
    index_t largest = 0;
    Kokkos::parallel_reduce("tessera::fe::largest_element", all_of(exec, n), LargestCount<Space>{offsets},
                            Kokkos::Max<index_t>(largest));
    space.largest_size = largest;
  }
  space.n_dofs = static_cast<index_t>(counts_to_offsets(exec, offsets, n, "unknowns"));
}

/// Makes a space of degrees in `range`.
template <int Dim, class ExecutionSpace>
ModalSpace<Dim, typename ExecutionSpace::memory_space>
make_space(const ExecutionSpace& exec, const Array<double* [2][Dim], ExecutionSpace>& boxes,
           const Array<int*, ExecutionSpace>& degrees, const NumberRange& range, TimePolynomials time,
           const Array<int*, ExecutionSpace>& local_steps) {
  TESSERA_REQUIRE(range.min_val >= 0 && range.max_val <= max_modal_degree<Dim>,
                  "A polynomial degree is " << (range.min_val < 0 ? range.min_val : range.max_val) << "; in " << Dim
                                            << "D it may be 0 to " << max_modal_degree<Dim> << ".");
  ModalSpace<Dim, typename ExecutionSpace::memory_space> space;
  space.degrees = degrees;
  space.boxes = boxes;
  space.time = time;
  space.smallest_degree = range.min_val;
  space.largest_degree = range.max_val;
  space.is_uniform = range.min_val == range.max_val;
  if (local_steps.extent(0) > 0)
    set_local_steps<Dim>(exec, space, local_steps);
  space.indices = upload_indices<Dim>(exec, range.max_val, time);
  number_unknowns<Dim>(exec, space);
  return space;
}

} // namespace

template <int Dim, class ExecutionSpace>
ModalSpace<Dim, typename ExecutionSpace::memory_space>
make_modal_space(const ExecutionSpace& exec, const Array<double* [2][Dim], ExecutionSpace>& boxes,
                 const Array<int*, ExecutionSpace>& degrees, TimePolynomials time,
                 const Array<int*, ExecutionSpace>& local_steps) {
  TESSERA_REQUIRE(degrees.extent(0) == boxes.extent(0),
                  "There are " << degrees.extent(0) << " polynomial degrees for " << boxes.extent(0) << " elements.");
  return make_space<Dim>(exec, boxes, degrees, range_of(exec, degrees), time, local_steps);
}

template <int Dim, class ExecutionSpace>
ModalSpace<Dim, typename ExecutionSpace::memory_space>
make_modal_space(const ExecutionSpace& exec, const Array<double* [2][Dim], ExecutionSpace>& boxes, int degree,
                 TimePolynomials time, const Array<int*, ExecutionSpace>& local_steps) {
  const auto degrees = make_filled<Array<int*, ExecutionSpace>>(exec, "fe::degrees", boxes.extent(0), degree);
  return make_space<Dim>(exec, boxes, degrees, NumberRange{degree, degree}, time, local_steps);
}

template <int Dim, class ExecutionSpace>
void share_extremes(const ExecutionSpace& exec, const comm::Communicator& world,
                    ModalSpace<Dim, typename ExecutionSpace::memory_space>& space) {
  const int largest_degree = world.largest(space.largest_degree);
  if (largest_degree > space.largest_degree)
    space.indices = upload_indices<Dim>(exec, largest_degree, space.time);
  space.largest_degree = largest_degree;
  space.smallest_degree = -world.largest(-space.smallest_degree);
  space.largest_steps = world.largest(space.largest_steps);
  space.smallest_steps = -world.largest(-space.smallest_steps);
  space.largest_size = world.largest(space.largest_size);
  space.is_uniform = space.smallest_degree == space.largest_degree && space.smallest_steps == space.largest_steps;
}

template <class ExecutionSpace, int Dim>
ModalSpace<Dim, HostMemory> to_host(const ExecutionSpace& exec,
                                    const ModalSpace<Dim, typename ExecutionSpace::memory_space>& space) {
  ModalSpace<Dim, HostMemory> host;
  host.indices = tessera::to_host(exec, space.indices);
  host.degrees = tessera::to_host(exec, space.degrees);
  host.local_steps = tessera::to_host(exec, space.local_steps);
  host.dof_offsets = tessera::to_host(exec, space.dof_offsets);
  host.boxes = tessera::to_host(exec, space.boxes);
  host.legendre = space.legendre;
  host.time = space.time;
  host.from = space.from;
  host.to = space.to;
  host.smallest_degree = space.smallest_degree;
  host.largest_degree = space.largest_degree;
  host.smallest_steps = space.smallest_steps;
  host.largest_steps = space.largest_steps;
  host.largest_size = space.largest_size;
  host.is_uniform = space.is_uniform;
  host.n_dofs = space.n_dofs;
  return host;
}

template <int Dim, class ExecutionSpace>
Array<double* [1 + Dim], ExecutionSpace>
values_at(const ExecutionSpace& exec, const ModalSpace<Dim, typename ExecutionSpace::memory_space>& space,
          const Array<const double*, ExecutionSpace>& u, const Array<double* [Dim], ExecutionSpace>& points,
          const Array<index_t*, ExecutionSpace>& elements, double time) {
  using Space = typename ExecutionSpace::memory_space;
  const auto n = static_cast<index_t>(points.extent(0));
  auto rows = make_array<Array<double * [1 + Dim], ExecutionSpace>>(exec, "fe::values_at_points", n);
  for_each("tessera::fe::values_at", exec, n,
           EvaluateAt<Dim, Space>{space, u, points, elements, time, std::numeric_limits<double>::quiet_NaN(), rows});
  return rows;
}

template std::vector<std::array<int, 3>> modal_indices<2>(int, TimePolynomials);
template std::vector<std::array<int, 4>> modal_indices<3>(int, TimePolynomials);

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template ModalSpace<Dim, Space::memory_space> make_modal_space(const Space&, const Array<double* [2][Dim], Space>&,  \
                                                                 const Array<int*, Space>&, TimePolynomials,           \
                                                                 const Array<int*, Space>&);                           \
  template ModalSpace<Dim, Space::memory_space> make_modal_space(const Space&, const Array<double* [2][Dim], Space>&,  \
                                                                 int, TimePolynomials, const Array<int*, Space>&);     \
  template void share_extremes(const Space&, const comm::Communicator&, ModalSpace<Dim, Space::memory_space>&);        \
  template void extend_from_end(const Space&, const ModalSpace<Dim, Space::memory_space>&,                             \
                                const Array<const double*, Space>&, const Array<double*, Space>&);                     \
  template ModalSpace<Dim, HostMemory> to_host(const Space&, const ModalSpace<Dim, Space::memory_space>&);             \
  template Array<double * [1 + Dim], Space> values_at(                                                                 \
      const Space&, const ModalSpace<Dim, Space::memory_space>&, const Array<const double*, Space>&,                   \
      const Array<double* [Dim], Space>&, const Array<index_t*, Space>&, double);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_DIM(Space, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::fe
