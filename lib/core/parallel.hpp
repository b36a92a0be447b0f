// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_PARALLEL_HPP
#define TESSERA_CORE_PARALLEL_HPP

/// \file
/// One-dimensional loops, fills and copies on an execution-space instance.

#include "core/kokkos_ext/compiler.hpp"
#include "core/kokkos_ext/device/device_array.hpp"
#include "core/kokkos_ext/launch.hpp"
#include "core/kokkos_ext/spaces.hpp"

#include <string>
#include <type_traits>
#include <utility>

namespace tessera {

namespace detail {

/// Checks at compile time an array that an algorithm reads, or, if `Written`, writes.
template <class ExecutionSpace, class ArrayType, bool Written> constexpr bool check_array() {
  static_assert(Kokkos::is_execution_space<ExecutionSpace>::value,
                "The first argument is an instance of an execution space.");
  static_assert(Kokkos::is_view<ArrayType>::value, "This algorithm needs an Array (core/types.hpp).");
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, typename ArrayType::memory_space>::accessible,
                "The array is in a memory space that the execution space has no access to.");
  static_assert(!Written || !std::is_const_v<typename ArrayType::value_type>,
                "This algorithm writes the array: its entries cannot be const.");
  return true;
}

} // namespace detail

/// Calls `functor(i)` for i in [0, n). `Index` is the type of i: 32 bits unless the count may not fit. Not inlined, so
/// that the loop has all registers of a host's core, whatever code surrounds the call.
template <class Index = index_t, class ExecutionSpace, class Functor>
TESSERA_NOINLINE void for_each(const char* label, const ExecutionSpace& exec, std::int64_t n, const Functor& functor) {
  static_assert(Kokkos::is_execution_space<ExecutionSpace>::value,
                "The argument after the label is an instance of an execution space.");
  static_assert(std::is_invocable_v<const Functor&, Index>,
                "A loop's functor needs `KOKKOS_FUNCTION void operator()(Index i) const`.");
  if (n <= 0)
    return;
  launch_loop(label, exec, static_cast<Index>(n), functor);
}

namespace detail {

constexpr int host_block = 2048;

template <class Functor, class = void> struct HasLoad : std::false_type {};
template <class Functor>
struct HasLoad<Functor, std::void_t<decltype(std::declval<Functor&>().load())>> : std::true_type {};

template <class Functor, class = void> struct HasRead : std::false_type {};
template <class Functor> struct HasRead<Functor, std::void_t<typename Functor::Item>> : std::true_type {};

/// Copies a functor for one thread. The compiler then knows that its members belong to the thread and keeps them in
/// registers while arrays are written; load() reads scalars from arrays once.
template <class Functor> KOKKOS_FUNCTION Functor loaded(const Functor& functor) {
  Functor copy = functor;
  if constexpr (HasLoad<Functor>::value)
    copy.load();
  return copy;
}

/// Processes a block of consecutive items on a host thread, in a loop that vectorises.
template <class Functor> struct BlockItems {
  Functor functor;
  std::int64_t n;
  KOKKOS_FUNCTION void operator()(std::int64_t block) const {
    const Functor body = loaded(functor);
    const std::int64_t begin = block * host_block;
    const std::int64_t end = begin + host_block < n ? begin + host_block : n;
    TESSERA_INDEPENDENT_ITERATIONS
    for (std::int64_t i = begin; i < end; ++i)
      body(i);
  }
};

} // namespace detail

/// Processes several items per thread, which GPUs need to reach their copy bandwidth with short bodies. `width`
/// neighbouring threads process Items * width neighbouring items: concurrent accesses touch few pages.
template <int Items, class Functor> struct StridedItems {
  static constexpr std::int64_t width = 256;
  Functor functor;
  std::int64_t n;

  std::int64_t n_threads() const { return (n + Items * width - 1) / (Items * width) * width; }
  KOKKOS_FUNCTION void operator()(std::int64_t thread) const {
    const Functor body = detail::loaded(functor);
    const std::int64_t first = thread / width * (Items * width) + thread % width;
    if constexpr (detail::HasRead<Functor>::value) {
      typename Functor::Item item[Items];
      TESSERA_UNROLL
      for (int k = 0; k < Items; ++k)
        item[k] = body.read(first + k * width < n ? first + k * width : n - 1);
      TESSERA_UNROLL
      for (int k = 0; k < Items; ++k)
        if (first + k * width < n)
          body(first + k * width, item[k]);
    } else {
      for (int k = 0; k < Items; ++k)
        if (first + k * width < n)
          body(first + k * width);
    }
  }
};

/// As for_each, for short streaming bodies (fill, axpy, copy). A functor may have a member `load()` that reads scalars
/// from the space's memory into its members; each thread calls it on its own copy, before its items. In addition to
/// `functor(i)` it may define the two halves `read(i)`, which returns the inputs of item i as a `Functor::Item`, and
/// `functor(i, item)`. A GPU thread then reads several items before it writes any.
template <class ExecutionSpace, class Functor>
void stream(const char* label, const ExecutionSpace& exec, std::int64_t n, const Functor& functor) {
  if constexpr (is_host_space<ExecutionSpace>) {
    for_each<std::int64_t>(label, exec, (n + detail::host_block - 1) / detail::host_block,
                           detail::BlockItems<Functor>{functor, n});
  } else {
    const StridedItems<4, Functor> items{functor, n};
    for_each<std::int64_t>(label, exec, items.n_threads(), items);
  }
}

/// Distributes the items [0, n) over the threads of a team, in two steps: first `load(i)` of several items, then
/// `store(i, loaded)`, so that their loads overlap. Neighbouring threads process neighbouring items.
template <class Load, class Store>
KOKKOS_INLINE_FUNCTION void load_in_batches(int rank, int team_size, int n, const Load& load, const Store& store) {
  constexpr int batch = 8;
  for (int first = rank; first < n; first += batch * team_size) {
    decltype(load(0)) item[batch];
    TESSERA_UNROLL
    for (int k = 0; k < batch; ++k) // no branch: past the end the last item is loaded again
      item[k] = load(first + k * team_size < n ? first + k * team_size : n - 1);
    TESSERA_UNROLL
    for (int k = 0; k < batch; ++k)
      if (first + k * team_size < n)
        store(first + k * team_size, item[k]);
  }
}

/// Allocates an uninitialised array on an instance; `label` without the project's prefix.
template <class ArrayType, class ExecutionSpace, class... Extents>
ArrayType make_array(const ExecutionSpace& exec, const std::string& label, Extents... extents) {
  static_assert(detail::check_array<ExecutionSpace, ArrayType, true>());
  return allocate_array<ArrayType>(exec, "tessera::" + label,
                                   typename ArrayType::array_layout(static_cast<std::size_t>(extents)...));
}

namespace detail {
template <class T> struct FillFunctor {
  T* data;
  T value;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { data[i] = value; }
};

/// Fills 16 bytes at a time, which small entries need to reach the copy bandwidth of a GPU; the last item writes the
/// remainder.
template <class T> struct FillWords {
  static constexpr int per_word = sizeof(T) < 16 ? 16 / sizeof(T) : 1;
  struct alignas(16) Word {
    T entries[per_word];
  };
  T* data;
  std::int64_t n;
  Word word;
  FillWords(T* data_in, std::int64_t n_in, T value) : data(data_in), n(n_in) {
    for (T& entry : word.entries)
      entry = value;
  }
  std::int64_t n_words() const { return n / per_word; }
  /// Number of entries that fill whole words, from the first entry on.
  static bool suits(const T* data) {
    return sizeof(T) * per_word == 16 && reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (i < n / per_word)
      reinterpret_cast<Word*>(data)[i] = word;
    else
      for (std::int64_t j = i * per_word; j < n; ++j)
        data[j] = word.entries[0];
  }
};
} // namespace detail

/// Sets every entry of a contiguous array, on the given instance.
template <class ExecutionSpace, class ArrayType>
void fill(const ExecutionSpace& exec, const ArrayType& array, typename ArrayType::non_const_value_type value) {
  static_assert(detail::check_array<ExecutionSpace, ArrayType, true>());
  using T = typename ArrayType::non_const_value_type;
  const char* label = "tessera::core::fill";
  const auto n = static_cast<std::int64_t>(array.span());
  if constexpr (!is_host_space<ExecutionSpace> && sizeof(T) < 8) {
    const detail::FillWords<T> words(array.data(), n, value);
    if (words.suits(array.data()))
      return stream(label, exec, words.n_words() + 1, words);
  }
  stream(label, exec, n, detail::FillFunctor<T>{array.data(), value});
}

/// Allocates an array filled with a value.
template <class ArrayType, class ExecutionSpace>
ArrayType make_filled(const ExecutionSpace& exec, const std::string& label, std::size_t n,
                      typename ArrayType::non_const_value_type value) {
  ArrayType array = make_array<ArrayType>(exec, label, n);
  fill(exec, array, value);
  return array;
}

namespace detail {
/// Copies min(to_size, from_size) bytes. Defined for every pair of memory spaces that `ExecutionSpace` can copy
/// between.
template <class ExecutionSpace, class ToMemory, class FromMemory>
void copy_bytes(const ExecutionSpace& exec, void* to, std::size_t to_size, const void* from, std::size_t from_size);
} // namespace detail

/// Copies a contiguous array to an array with as many entries, possibly of another shape, on the given instance.
/// Compiled once for all types, unlike Kokkos::deep_copy.
template <class ExecutionSpace, class To, class From>
void copy(const ExecutionSpace& exec, const To& to, const From& from) {
  using T = typename To::value_type;
  static_assert(Kokkos::is_view<To>::value && Kokkos::is_view<From>::value,
                "This algorithm needs an Array (core/types.hpp).");
  static_assert(
      std::is_same_v<T, typename From::non_const_value_type> && std::is_trivially_copyable_v<T>,
      "The entries of both arrays must be of one type, whose bytes can be copied, and not const where written.");
  detail::copy_bytes<ExecutionSpace, typename To::memory_space, typename From::memory_space>(
      exec, to.data(), to.span() * sizeof(T), from.data(), from.span() * sizeof(T));
}

/// Copies an array to the host; complete on return.
template <class ExecutionSpace, class ArrayType>
typename ArrayType::HostMirror to_host(const ExecutionSpace& exec, const ArrayType& array) {
  typename ArrayType::HostMirror host(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera::host_copy"),
                                      array.layout());
  copy(exec, host, array);
  exec.fence();
  return host;
}

/// Reads entry i of an array to the host (waits for the instance).
template <class ExecutionSpace, class ArrayType>
typename ArrayType::non_const_value_type read_entry(const ExecutionSpace& exec, const ArrayType& array,
                                                    std::int64_t i) {
  typename ArrayType::non_const_value_type value{};
  Kokkos::View<typename ArrayType::non_const_value_type, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>
      host(&value);
  copy(exec, host, Kokkos::subview(array, i));
  exec.fence();
  return value;
}

} // namespace tessera

#endif
