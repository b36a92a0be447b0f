// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "comm/transport.hpp"

#include "core/kokkos_ext/device_event.hpp"
#include "core/parallel.hpp"

#include <algorithm>

namespace tessera::comm {

namespace {

/// By MPI from host memory: that of the host's execution spaces itself, of devices a pinned copy. (MPI that takes
/// device pointers is not assumed: those of common builds end the program.)
template <class ExecutionSpace> class HostTransport final : public Transport<ExecutionSpace> {
public:
  explicit HostTransport(const Communicator& world) : world_(world) {}

  std::string name() const override {
    return is_host_space<ExecutionSpace> ? "MPI on host memory" : "MPI through pinned host memory";
  }

  void exchange(const ExecutionSpace& exec, const double* sent, double* received,
                const std::vector<Neighbour>& neighbours) override {
    std::int64_t n_sent = 0;
    std::int64_t n_received = 0;
    std::vector<Message> to;
    std::vector<Message> from;
    const auto message = [](int process, std::int64_t first, std::int64_t n) {
      return Message{process, static_cast<std::size_t>(first) * sizeof(double),
                     static_cast<std::size_t>(n) * sizeof(double)};
    };
    for (const Neighbour& neighbour : neighbours) {
      to.push_back(message(neighbour.process, neighbour.first_sent, neighbour.n_sent));
      from.push_back(message(neighbour.process, neighbour.first_received, neighbour.n_received));
      n_sent = std::max(n_sent, neighbour.first_sent + neighbour.n_sent);
      n_received = std::max(n_received, neighbour.first_received + neighbour.n_received);
    }
    const double* const out = to_host(exec, sent, n_sent, sent_); // waits
    double* const in = host_place(exec, received, n_received, received_);
    world_.exchange(reinterpret_cast<const char*>(out), to, reinterpret_cast<char*>(in), from);
    to_device(exec, received, n_received, received_);
  }

  void sum(const ExecutionSpace& exec, double* values, int n) override {
    const auto count = static_cast<std::size_t>(n);
    const double* const own = to_host(exec, values, n, sent_);
    all_.resize(count * static_cast<std::size_t>(world_.size()));
    world_.all_gather(own, count * sizeof(double), all_.data());
    double* const sums = host_place(exec, values, n, received_);
    for (std::size_t i = 0; i < count; ++i) {
      sums[i] = all_[i];
      for (std::size_t r = 1; r < static_cast<std::size_t>(world_.size()); ++r)
        sums[i] += all_[r * count + i];
    }
    to_device(exec, values, n, received_);
  }

  void all_gather_parts(const ExecutionSpace& exec, double* values,
                        const std::vector<std::int64_t>& offsets) override {
    const std::int64_t n = offsets.back();
    static_cast<void>(to_host(exec, values, n, received_));
    world_.all_gather_parts(host_place(exec, values, n, received_), offsets);
    to_device(exec, values, n, received_);
    exec.fence(); // the buffer is as large as the whole
    received_ = Buffer();
  }

private:
  using Buffer = PinnedArray<double*, ExecutionSpace>;
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  using DeviceView = Kokkos::View<double*, typename ExecutionSpace::memory_space, Unmanaged>;
  using ConstDeviceView = Kokkos::View<const double*, typename ExecutionSpace::memory_space, Unmanaged>;

  static void enlarge(const ExecutionSpace& exec, Buffer& buffer, std::int64_t n) {
    if (static_cast<std::int64_t>(buffer.extent(0)) < n) {
      exec.fence(); // a copy may still read it
      buffer = make_array<Buffer>(exec, "comm::host_buffer", n);
    }
  }
  /// The values where the host reads them; waits for them, and for earlier copies out of all buffers.
  static const double* to_host(const ExecutionSpace& exec, const double* values, std::int64_t n, Buffer& buffer) {
    if constexpr (is_host_space<ExecutionSpace>) {
      exec.fence();
      return values;
    } else {
      enlarge(exec, buffer, n);
      if (n > 0)
        Kokkos::deep_copy(exec, Kokkos::subview(buffer, std::make_pair(std::int64_t(0), n)),
                          ConstDeviceView(values, static_cast<std::size_t>(n)));
      exec.fence();
      return buffer.data();
    }
  }
  /// Where the host writes the values.
  static double* host_place(const ExecutionSpace& exec, double* values, std::int64_t n, Buffer& buffer) {
    if constexpr (is_host_space<ExecutionSpace>)
      return values;
    enlarge(exec, buffer, n);
    return buffer.data();
  }
  static void to_device(const ExecutionSpace& exec, double* values, std::int64_t n, const Buffer& buffer) {
    if constexpr (!is_host_space<ExecutionSpace>)
      if (n > 0)
        Kokkos::deep_copy(exec, DeviceView(values, static_cast<std::size_t>(n)),
                          Kokkos::subview(buffer, std::make_pair(std::int64_t(0), n)));
  }

  const Communicator& world_;
  Buffer sent_;
  Buffer received_;
  std::vector<double> all_;
};

} // namespace

template <class ExecutionSpace>
std::unique_ptr<Transport<ExecutionSpace>> make_transport(const ExecutionSpace& exec, const Communicator& world) {
  if constexpr (!is_host_space<ExecutionSpace>)
    if (auto direct = detail::make_nccl_transport(exec, world))
      return direct;
  return std::make_unique<HostTransport<ExecutionSpace>>(world);
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template std::unique_ptr<Transport<Space>> make_transport(const Space&, const Communicator&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::comm
