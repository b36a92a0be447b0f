// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_SUPPORT_TRANSFER_WATCH_HPP
#define TESSERA_TESTS_SUPPORT_TRANSFER_WATCH_HPP

/// \file
/// Records copies and host allocations through Kokkos' callbacks, with the region in which they occur.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace tessera::test {

/// While an object lives, records every deep copy and every allocation in host memory with the innermost Kokkos Tools
/// region (the phases of a run are such regions: "tessera::solver: pcg"). Only one object at a time; callbacks
/// installed before are called, too, if Kokkos has no others of the same kind.
class TransferWatch {
public:
  struct Event {
    std::string region;
    std::string what; ///< "Cuda 'x' to Host 'y'", or "array 'x' in Host"
    std::uint64_t bytes;
    bool reaches_host; ///< between memories, or with a name that says host copy, or from memory outside Kokkos
  };

  TransferWatch() {
    events().clear();
    regions().clear();
    previous() = Kokkos::Tools::Experimental::get_callbacks();
    Kokkos::Tools::Experimental::EventSet mine = previous();
    mine.begin_deep_copy = on_copy;
    mine.allocate_data = on_allocate;
    mine.push_region = [](const char* name) { regions().emplace_back(name); };
    mine.pop_region = [] {
      if (!regions().empty())
        regions().pop_back();
    };
    Kokkos::Tools::Experimental::set_callbacks(mine);
  }
  TransferWatch(const TransferWatch&) = delete;
  TransferWatch& operator=(const TransferWatch&) = delete;
  ~TransferWatch() { Kokkos::Tools::Experimental::set_callbacks(previous()); }

  /// Events that transferred more than `bytes` to or from the host in the region, or in all regions whose names start
  /// with it.
  std::vector<Event> to_host(const std::string& region, std::uint64_t bytes) const {
    std::vector<Event> found;
    for (const Event& event : events())
      if (event.reaches_host && event.bytes > bytes && event.region.compare(0, region.size(), region) == 0)
        found.push_back(event);
    return found;
  }
  std::size_t n_events() const { return events().size(); }

private:
  static std::vector<Event>& events() {
    static std::vector<Event> instance;
    return instance;
  }
  static std::vector<std::string>& regions() {
    static std::vector<std::string> instance;
    return instance;
  }
  static Kokkos::Tools::Experimental::EventSet& previous() {
    static Kokkos::Tools::Experimental::EventSet instance;
    return instance;
  }

  static bool is_host(const Kokkos::Tools::SpaceHandle& space) { return std::strstr(space.name, "Host") != nullptr; }
  static bool is_host_copy(const char* label) {
    return std::strstr(label, "host_copy") != nullptr || std::strstr(label, "mirror") != nullptr;
  }

  static void on_copy(Kokkos::Tools::SpaceHandle to, const char* to_name, const void* to_data,
                      Kokkos::Tools::SpaceHandle from, const char* from_name, const void* from_data,
                      std::uint64_t size) {
    (void)to_data;
    (void)from_data;
    // In a build without a device all memory is host memory: copies are then recognized by their names, or by an
    // unnamed side, which is memory outside Kokkos (the host's vectors).
    const bool between = is_host(to) != is_host(from) && std::strcmp(from.name, "Scalar") != 0;
    const bool outside = is_host(from) && is_host(to) && std::strcmp(from.name, "Scalar") != 0 &&
                         (to_name[0] == 0) != (from_name[0] == 0);
    events().push_back({regions().empty() ? "" : regions().back(),
                        std::string(from.name) + " '" + from_name + "' to " + to.name + " '" + to_name + "'", size,
                        between || outside || is_host_copy(to_name) || is_host_copy(from_name)});
  }

  static void on_allocate(Kokkos::Tools::SpaceHandle space, const char* label, const void* pointer,
                          std::uint64_t size) {
    if (previous().allocate_data != nullptr)
      previous().allocate_data(space, label, pointer, size);
    if (!is_host(space) || std::strstr(label, "Scratch") != nullptr) // allocated by Kokkos' reductions
      return;
    const bool has_device = !std::is_same<Kokkos::DefaultExecutionSpace, Kokkos::DefaultHostExecutionSpace>::value;
    events().push_back({regions().empty() ? "" : regions().back(),
                        std::string("array '") + label + "' in " + space.name, size,
                        is_host_copy(label) || (has_device && on_device())});
  }

public:
  /// Whether the observed run uses a device: then it must not use host memory at all.
  static bool& on_device() {
    static bool instance = false;
    return instance;
  }
};

} // namespace tessera::test

#endif
