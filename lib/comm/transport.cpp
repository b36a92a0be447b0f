// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "comm/transport.hpp"

#include "core/error.hpp"
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

  void begin(const ExecutionSpace& exec, const double* sent, double* received,
             const std::vector<Neighbour>& neighbours) override {
    const auto message = [](int process, std::int64_t first, std::int64_t n) {
      return Message{process, static_cast<std::size_t>(first) * sizeof(double),
                     static_cast<std::size_t>(n) * sizeof(double)};
    };
    to_.clear();
    from_.clear();
    n_received_ = 0;
    std::int64_t n_sent = 0;
    for (const Neighbour& neighbour : neighbours) {
      to_.push_back(message(neighbour.process, neighbour.first_sent, neighbour.n_sent));
      from_.push_back(message(neighbour.process, neighbour.first_received, neighbour.n_received));
      n_sent = std::max(n_sent, neighbour.first_sent + neighbour.n_sent);
      n_received_ = std::max(n_received_, neighbour.first_received + neighbour.n_received);
    }
    out_ = to_host(exec, sent, n_sent, sent_);
    device_place_ = received;
    copied_.set(exec);
  }

  void finish(const ExecutionSpace& exec) override {
    copied_.wait(); // and earlier copies out of both buffers with it
    double* const in = host_place(exec, device_place_, n_received_, received_);
    world_.exchange(reinterpret_cast<const char*>(out_), to_, reinterpret_cast<char*>(in), from_);
    to_device(exec, device_place_, n_received_, received_);
  }

  void sum(const ExecutionSpace& exec, double* values, int n) override {
    const auto count = static_cast<std::size_t>(n);
    const double* const own = to_host(exec, values, n, sent_);
    exec.fence();
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

  void all_gather_parts(const ExecutionSpace& exec, double* values, const std::vector<std::int64_t>& offsets) override {
    const std::int64_t n = offsets.back();
    static_cast<void>(to_host(exec, values, n, received_));
    exec.fence();
    world_.all_gather_parts(host_place(exec, values, n, received_), offsets);
    to_device(exec, values, n, received_);
    if (n > keep_at_most) { // as large as the whole solution
      exec.fence();
      received_ = Buffer();
    }
  }

private:
  static constexpr std::int64_t keep_at_most = 1 << 20; // doubles of a buffer
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
  /// Copies values to where the host reads them. Does not wait.
  static const double* to_host(const ExecutionSpace& exec, const double* values, std::int64_t n, Buffer& buffer) {
    if constexpr (is_host_space<ExecutionSpace>) {
      return values;
    } else {
      enlarge(exec, buffer, n);
      if (n > 0)
        Kokkos::deep_copy(exec, Kokkos::subview(buffer, std::make_pair(std::int64_t(0), n)),
                          ConstDeviceView(values, static_cast<std::size_t>(n)));
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
  // Of the exchange that has begun.
  std::vector<Message> to_;
  std::vector<Message> from_;
  const double* out_ = nullptr;
  double* device_place_ = nullptr;
  std::int64_t n_received_ = 0;
  DeviceEvent<ExecutionSpace> copied_;
};

} // namespace

template <class ExecutionSpace>
std::unique_ptr<Transport<ExecutionSpace>> make_transport(const ExecutionSpace& exec, const Communicator& world,
                                                          Messages messages) {
  std::unique_ptr<Transport<ExecutionSpace>> by_host = std::make_unique<HostTransport<ExecutionSpace>>(world);
  if (messages != Messages::nccl)
    return by_host;
  if constexpr (!is_host_space<ExecutionSpace>)
    if (auto direct = detail::make_nccl_transport(exec, world, std::move(by_host)))
      return direct;
  TESSERA_REQUIRE(false, "Messages by NCCL need a backend of GPUs and a build with NCCL.");
  return nullptr;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template std::unique_ptr<Transport<Space>> make_transport(const Space&, const Communicator&, Messages);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::comm
