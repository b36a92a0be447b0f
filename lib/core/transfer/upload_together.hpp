// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_TRANSFER_UPLOAD_TOGETHER_HPP
#define TESSERA_CORE_TRANSFER_UPLOAD_TOGETHER_HPP

/// \file
/// Uploads several small tables as one array.

#include "core/transfer/upload.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>

namespace tessera {

namespace detail {

/// Positions of tables of several types in one array. Each is aligned for any type.
class TablePositions {
public:
  template <class T> std::size_t add(const std::vector<T>& table) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignment);
    const std::size_t position = size_;
    size_ += (table.size() * sizeof(T) + alignment - 1) / alignment * alignment;
    return position;
  }
  std::size_t size() const { return size_; }

private:
  static constexpr std::size_t alignment = 16;
  std::size_t size_ = 0;
};

} // namespace detail

/// Copies vectors to a memory space by one allocation and one wait, both of which cost a device more than the copy of a
/// small table; complete on return. The first array returned owns the memory of all others, which hold no reference to
/// it: a struct that holds them must hold it, too. `label` is without the project's prefix.
template <class ExecutionSpace, class... T>
std::tuple<Array<char*, ExecutionSpace>, Array<T*, ExecutionSpace>...>
uploaded_together(const ExecutionSpace& exec, const std::string& label, const std::vector<T>&... tables) {
  detail::TablePositions end;
  (end.add(tables), ...);
  std::vector<char> bytes(end.size());
  detail::TablePositions on_host;
  (std::copy_n(reinterpret_cast<const char*>(tables.data()), tables.size() * sizeof(T),
               bytes.data() + on_host.add(tables)),
   ...);
  const auto memory = uploaded(exec, label, bytes);
  detail::TablePositions positions; // braces guarantee the order of evaluation
  return {memory,
          Array<T*, ExecutionSpace>(reinterpret_cast<T*>(memory.data() + positions.add(tables)), tables.size())...};
}

/// The entries of an array as rows of N.
template <int N, class T, class Space>
Array<T* [N], Space> in_rows(const Kokkos::View<T*, Kokkos::LayoutRight, Space>& entries) {
  return Array<T* [N], Space>(entries.data(), entries.extent(0) / N);
}

} // namespace tessera

#endif
