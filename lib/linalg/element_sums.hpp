// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_ELEMENT_SUMS_HPP
#define TESSERA_LINALG_ELEMENT_SUMS_HPP

/// \file
/// Sums over the elements of a mesh that may be distributed over processes.
///
/// Elements of different processes alternate in the global order, so that an ordered sum (core/algorithms/reduce.hpp)
/// would have to collect every term in one place. If the bits must not depend on the distribution of elements, terms
/// are rounded to integers instead, whose sum is the same in any order (after Demmel and Nguyen, "Parallel reproducible
/// summation", IEEE Trans. Comput. 64, 2015, with one common grid from the largest term, and integers in place of their
/// bins).

#include "comm/communicator.hpp"
#include "linalg/global_sums.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace tessera::linalg {

namespace detail {

/// Terms of a list of elements.
template <class Functor, class Space> struct TermsOf {
  Functor functor;
  Array<const index_t*, Space> elements;
  bool has_all;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    functor(has_all ? i : static_cast<std::int64_t>(elements(i)), term);
  }
};

/// Largest absolute value; infinity if a term is not finite.
template <class Terms> struct LargestTerm {
  Terms terms;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double& largest) const {
    double term[1];
    terms(i, term);
    const double size = term[0] < 0. ? -term[0] : term[0];
    if (!(size <= largest))
      largest = size <= std::numeric_limits<double>::max() ? size : std::numeric_limits<double>::infinity();
  }
};

constexpr int upper_bits = 30; // of a term, without its sign; the lower half has as many
constexpr int lower_bits = 31;

/// Sums of the upper and of the lower bits of terms, which are scaled by `scale`, a power of two, to less than
/// 2^upper_bits. Up to 2^32 terms do not overflow.
template <class Terms> struct AddBits {
  using value_type = std::int64_t[];
  unsigned value_count;
  Terms terms;
  double scale;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t* sums) const {
    double term[1];
    terms(i, term);
    const double scaled = scale * term[0];
    const double upper = std::floor(scaled + 0.5);
    const double lower = std::floor((scaled - upper) * static_cast<double>(std::int64_t(1) << lower_bits) + 0.5);
    sums[0] += static_cast<std::int64_t>(upper);
    sums[1] += static_cast<std::int64_t>(lower);
  }
};

} // namespace detail

/// Sums over the elements of all processes; each element is in one process.
template <class ExecutionSpace> class ElementSums {
public:
  /// Over all `n_elements` of each process of `world`, which must outlive this object. `same_bits`: sums depend neither
  /// on the number of processes nor on the distribution of elements.
  ElementSums(const ExecutionSpace& exec, std::int64_t n_elements, bool same_bits = false,
              const comm::Communicator& world = comm::alone())
      : ElementSums(exec, n_elements, {}, true, world, same_bits) {}
  /// Over `elements` of each process.
  ElementSums(const ExecutionSpace& exec, const Array<const index_t*, ExecutionSpace>& elements,
              const comm::Communicator& world, bool same_bits)
      : ElementSums(exec, static_cast<std::int64_t>(elements.extent(0)), elements, false, world, same_bits) {}

  /// The sum of `functor(e, term)`, which fills `double (&term)[1]` for element e. Collective; waits. The result is not
  /// finite if a term is not finite.
  template <class Functor>
  double operator()(const char* label, const ExecutionSpace& exec, const Functor& functor) const {
    using Terms = detail::TermsOf<Functor, typename ExecutionSpace::memory_space>;
    const Terms terms{functor, elements_, has_all_};
    if (same_bits_)
      return in_any_order(label, exec, terms);
    ordered_sums<1, SumKernels::few>(label, exec, n_, terms, workspace_, result_.data());
    return world_.added(read_entry(exec, result_, 0));
  }

private:
  ElementSums(const ExecutionSpace& exec, std::int64_t n, const Array<const index_t*, ExecutionSpace>& elements,
              bool has_all, const comm::Communicator& world, bool same_bits)
      : n_(n), elements_(elements), has_all_(has_all), world_(world), same_bits_(same_bits), workspace_(exec, n, 1),
        result_(make_array<Array<double*, ExecutionSpace>>(exec, "linalg::element_sum", 1)) {}

  template <class Terms> double in_any_order(const char* label, const ExecutionSpace& exec, const Terms& terms) const {
    const Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>> range(exec, 0, n_);
    double local = 0.;
    if (n_ > 0)
      Kokkos::parallel_reduce(label, range, detail::LargestTerm<Terms>{terms}, Kokkos::Max<double>(local));
    exec.fence();
    const double largest = world_.largest(local > 0. ? local : 0.);
    if (!(largest > 0.) || !std::isfinite(largest))
      return largest;
    int exponent = 0;
    std::frexp(largest, &exponent);
    exponent = std::max(exponent, smallest_exponent);
    std::array<std::int64_t, 2> sums{0, 0};
    if (n_ > 0)
      Kokkos::parallel_reduce(
          label, range, detail::AddBits<Terms>{2, terms, std::ldexp(1., detail::upper_bits - exponent)},
          Kokkos::View<std::int64_t*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(sums.data(), 2));
    exec.fence();
    std::array<std::int64_t, 2> all{0, 0};
    for (const std::array<std::int64_t, 2>& other : world_.all_gather(sums))
      for (std::size_t i = 0; i < all.size(); ++i)
        all[i] += other[i];
    return std::ldexp(static_cast<double>(all[0]), exponent - detail::upper_bits) +
           std::ldexp(static_cast<double>(all[1]), exponent - detail::upper_bits - detail::lower_bits);
  }

  static constexpr int smallest_exponent = -960; // the scale of smaller terms would overflow

  std::int64_t n_;
  Array<const index_t*, ExecutionSpace> elements_; // if not all
  bool has_all_;
  const comm::Communicator& world_;
  bool same_bits_;
  ReduceWorkspace<ExecutionSpace> workspace_;
  Array<double*, ExecutionSpace> result_; // one entry
};

} // namespace tessera::linalg

#endif
