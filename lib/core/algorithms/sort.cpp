// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/algorithms/sort.hpp"

#include "core/algorithms/scan.hpp"
#include "core/error.hpp"
#include "core/keep_alive.hpp"
#include "core/kokkos_ext/device/vendor_sort.hpp"
#include "core/tagged_loop.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

namespace {

// Digits of at most nine bits: the L1 cache of a core holds 512 write streams.
constexpr int max_digit_bits = 9;
constexpr int max_digits = 1 << max_digit_bits;

/// One pass of a least-significant-digit radix sort. The range is cut into chunks; counts[digit][chunk] becomes the
/// first position of a chunk's keys of that digit.
template <class Key, class Payload, class Space> struct RadixPass {
  Key* keys;
  Payload* payload; // null: keys only
  Key* keys_out;
  Payload* payload_out;
  Array<std::int64_t*, Space> counts;
  std::int64_t n;
  std::int64_t chunk_size;
  int n_chunks;
  int shift;
  int n_digits;

  struct Count {};
  struct Scatter {};

  KOKKOS_FUNCTION int digit(Key key) const { return static_cast<int>((key >> shift) & static_cast<Key>(n_digits - 1)); }

  KOKKOS_FUNCTION void operator()(Count, std::int64_t chunk) const {
    std::uint32_t local[max_digits];
    for (int d = 0; d < n_digits; ++d)
      local[d] = 0;
    const std::int64_t end = (chunk + 1) * chunk_size < n ? (chunk + 1) * chunk_size : n;
    for (std::int64_t i = chunk * chunk_size; i < end; ++i)
      ++local[digit(keys[i])];
    for (int d = 0; d < n_digits; ++d)
      counts(static_cast<std::int64_t>(d) * n_chunks + chunk) = local[d];
  }

  KOKKOS_FUNCTION void operator()(Scatter, std::int64_t chunk) const {
    std::int64_t next[max_digits];
    for (int d = 0; d < n_digits; ++d)
      next[d] = counts(static_cast<std::int64_t>(d) * n_chunks + chunk);
    const std::int64_t end = (chunk + 1) * chunk_size < n ? (chunk + 1) * chunk_size : n;
    if (payload != nullptr) {
      for (std::int64_t i = chunk * chunk_size; i < end; ++i) {
        const Key key = keys[i];
        const std::int64_t to = next[digit(key)]++;
        keys_out[to] = key;
        payload_out[to] = payload[i];
      }
    } else {
      for (std::int64_t i = chunk * chunk_size; i < end; ++i) {
        const Key key = keys[i];
        keys_out[next[digit(key)]++] = key;
      }
    }
  }
};

// Traffic per pass: keys read twice and written once, payload read and written once.
template <class ExecutionSpace, class Key, class Payload>
void radix_sort(const ExecutionSpace& exec, Key* keys, Payload* payload, std::int64_t n, int key_bits) {
  using Pass = RadixPass<Key, Payload, ExecutionSpace>;
  const int n_passes = (key_bits + max_digit_bits - 1) / max_digit_bits;
  const int digit_bits = (key_bits + n_passes - 1) / n_passes;

  // Few large chunks on hosts (more than any sensible number of threads), many small ones on devices.
  const std::int64_t min_chunk = is_host_space<ExecutionSpace> ? 8192 : 512;
  const std::int64_t max_chunks = is_host_space<ExecutionSpace> ? 256 : 1 << 20;
  const std::int64_t n_chunks = std::max<std::int64_t>(1, std::min((n + min_chunk - 1) / min_chunk, max_chunks));

  auto other_keys = make_array<Array<Key*, ExecutionSpace>>(exec, "core::sort_keys", n);
  auto other_payload =
      make_array<Array<Payload*, ExecutionSpace>>(exec, "core::sort_payload", payload != nullptr ? n : 0);
  auto counts =
      make_array<Array<std::int64_t*, ExecutionSpace>>(exec, "core::sort_counts", (n_chunks << digit_bits) + 1);
  Pass pass{keys,
            payload,
            other_keys.data(),
            payload != nullptr ? other_payload.data() : nullptr,
            counts,
            n,
            (n + n_chunks - 1) / n_chunks,
            static_cast<int>(n_chunks),
            0,
            1 << digit_bits};
  for (int p = 0; p < n_passes; ++p) {
    pass.shift = p * digit_bits;
    pass.n_digits = 1 << std::min(digit_bits, key_bits - pass.shift);
    for_each_tagged<typename Pass::Count, std::int64_t>("tessera::core::sort_count", exec, n_chunks, pass);
    counts_to_offsets(exec, counts, n_chunks * pass.n_digits, "sort");
    for_each_tagged<typename Pass::Scatter, std::int64_t>("tessera::core::sort_scatter", exec, n_chunks, pass);
    std::swap(pass.keys, pass.keys_out);
    std::swap(pass.payload, pass.payload_out);
  }
  if (pass.keys != keys) {
    using KeyView = Kokkos::View<Key*, typename ExecutionSpace::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    using PayloadView =
        Kokkos::View<Payload*, typename ExecutionSpace::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Kokkos::deep_copy(exec, KeyView(keys, n), KeyView(pass.keys, n));
    if (payload != nullptr)
      Kokkos::deep_copy(exec, PayloadView(payload, n), PayloadView(pass.payload, n));
  }
  keep_alive(exec, other_keys, other_payload, counts);
}

template <class ExecutionSpace, class Key, class Payload>
void sort_pairs(const ExecutionSpace& exec, Key* keys, Payload* payload, std::int64_t n, int key_bits) {
  if (!detail::vendor_sort(exec, keys, payload, n, key_bits))
    radix_sort(exec, keys, payload, n, key_bits);
}

void check_arguments(std::int64_t n, std::size_t extent, int key_bits, std::size_t key_size) {
  TESSERA_REQUIRE(n >= 0 && static_cast<std::size_t>(n) <= extent,
                  "sort: " << n << " entries asked of an array of " << extent << ".");
  TESSERA_REQUIRE(key_bits >= 1 && key_bits <= static_cast<int>(8 * key_size),
                  "sort: " << key_bits << " key bits asked of a key of " << 8 * key_size << " bits.");
}

} // namespace

template <class ExecutionSpace, class Key, class Payload>
void sort_by_key(const ExecutionSpace& exec,
                 const Kokkos::View<Key*, Kokkos::LayoutRight, typename ExecutionSpace::memory_space>& keys,
                 const Kokkos::View<Payload*, Kokkos::LayoutRight, typename ExecutionSpace::memory_space>& payload,
                 std::int64_t n, int key_bits) {
  check_arguments(n, std::min(keys.extent(0), payload.extent(0)), key_bits, sizeof(Key));
  if (n > 1)
    sort_pairs<ExecutionSpace, Key, Payload>(exec, keys.data(), payload.data(), n, key_bits);
}

template <class ExecutionSpace, class Key>
void sort_keys(const ExecutionSpace& exec,
               const Kokkos::View<Key*, Kokkos::LayoutRight, typename ExecutionSpace::memory_space>& keys,
               std::int64_t n, int key_bits) {
  check_arguments(n, keys.extent(0), key_bits, sizeof(Key));
  if (n > 1)
    sort_pairs<ExecutionSpace, Key, std::int32_t>(exec, keys.data(), nullptr, n, key_bits);
}

#define TESSERA_INSTANTIATE_SORT(Space, Key, Payload)                                                                  \
  template void sort_by_key<Space, Key, Payload>(                                                                      \
      const Space&, const Kokkos::View<Key*, Kokkos::LayoutRight, Space::memory_space>&,                               \
      const Kokkos::View<Payload*, Kokkos::LayoutRight, Space::memory_space>&, std::int64_t, int);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_SORT(Space, std::uint32_t, std::int32_t)                                                         \
  TESSERA_INSTANTIATE_SORT(Space, std::uint32_t, std::int64_t)                                                         \
  TESSERA_INSTANTIATE_SORT(Space, std::uint64_t, std::int32_t)                                                         \
  TESSERA_INSTANTIATE_SORT(Space, std::uint64_t, std::int64_t)                                                         \
  template void sort_keys<Space, std::uint32_t>(                                                                       \
      const Space&, const Kokkos::View<std::uint32_t*, Kokkos::LayoutRight, Space::memory_space>&, std::int64_t, int); \
  template void sort_keys<Space, std::uint64_t>(                                                                       \
      const Space&, const Kokkos::View<std::uint64_t*, Kokkos::LayoutRight, Space::memory_space>&, std::int64_t, int);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_SORT

} // namespace tessera
