// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "comm/transport.hpp"

#include "core/error.hpp"
#include "core/kokkos_ext/device/device_event.hpp"
#include "core/kokkos_ext/device/peer_memory.hpp"
#include "core/parallel.hpp"

#include <algorithm>

namespace tessera::comm {

namespace {

template <class Word> struct Gather {
  const index_t* positions;
  const Word* owned;
  Word* sent;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { sent[i] = owned[positions[i]]; }
};

template <class Word, class ExecutionSpace>
void gather(const ExecutionSpace& exec, std::int64_t n, const void* owned, const index_t* positions, void* sent) {
  for_each("tessera::comm::gather", exec, n,
           Gather<Word>{positions, static_cast<const Word*>(owned), static_cast<Word*>(sent)});
}

/// Transport by MPI from host memory: the memory of host execution spaces itself, or a pinned copy for devices.
/// (CUDA-aware MPI is not assumed: common builds crash on device pointers.)
template <class ExecutionSpace> class HostTransport final : public Transport<ExecutionSpace> {
public:
  explicit HostTransport(const Communicator& world) : world_(world) {}

  std::string name() const override {
    return is_host_space<ExecutionSpace> ? "MPI on host memory" : "MPI through pinned host memory";
  }

protected:
  void start(const ExecutionSpace& exec, const void* sent, void* received, const std::vector<Neighbour>& neighbours,
             std::size_t item_size) override {
    const auto message = [&](int process, std::int64_t first, std::int64_t n) {
      return Message{process, static_cast<std::size_t>(first) * item_size, static_cast<std::size_t>(n) * item_size};
    };
    to_.clear();
    from_.clear();
    n_received_ = 0;
    std::size_t n_sent = 0;
    for (const Neighbour& neighbour : neighbours) {
      to_.push_back(message(neighbour.process, neighbour.first_sent, neighbour.n_sent));
      from_.push_back(message(neighbour.process, neighbour.first_received, neighbour.n_received));
      n_sent = std::max(n_sent, to_.back().first + to_.back().size);
      n_received_ = std::max(n_received_, from_.back().first + from_.back().size);
    }
    out_ = to_host(exec, static_cast<const char*>(sent), n_sent, sent_);
    received_on_device_ = static_cast<char*>(received);
    copied_.set(exec);
  }

  void end(const ExecutionSpace& exec) override {
    copied_.wait(); // with it, earlier copies out of both buffers are complete
    char* const in = host_buffer(exec, received_on_device_, n_received_, received_);
    world_.exchange(out_, to_, in, from_);
    to_device(exec, received_on_device_, 0, n_received_, received_);
  }

  void add(const ExecutionSpace& exec, double* values, int n) override {
    const auto count = static_cast<std::size_t>(n);
    const std::size_t size = count * sizeof(double);
    const char* const owned = to_host(exec, reinterpret_cast<const char*>(values), size, sent_);
    exec.fence();
    all_.resize(count * static_cast<std::size_t>(world_.size()));
    world_.all_gather(owned, size, all_.data());
    char* const position = reinterpret_cast<char*>(values);
    auto* const sums = reinterpret_cast<double*>(host_buffer(exec, position, size, received_));
    for (std::size_t i = 0; i < count; ++i) {
      sums[i] = all_[i];
      for (std::size_t r = 1; r < static_cast<std::size_t>(world_.size()); ++r)
        sums[i] += all_[r * count + i];
    }
    to_device(exec, position, 0, size, received_);
  }

  void gather_parts(const ExecutionSpace& exec, void* values, const std::vector<std::int64_t>& offsets,
                    std::size_t item_size) override {
    const auto rank = static_cast<std::size_t>(world_.rank());
    const std::size_t owned_begin = static_cast<std::size_t>(offsets[rank]) * item_size;
    const std::size_t owned_end = static_cast<std::size_t>(offsets[rank + 1]) * item_size;
    const std::size_t size = static_cast<std::size_t>(offsets.back()) * item_size;
    char* const device = static_cast<char*>(values);
    char* const host = host_buffer(exec, device, size, received_);
    if constexpr (!is_host_space<ExecutionSpace>) {
      copy_piece(exec, HostView(host + owned_begin, owned_end - owned_begin),
                 ConstDeviceView(device + owned_begin, owned_end - owned_begin));
      exec.fence();
    }
    world_.all_gather_parts(host, offsets, item_size);
    to_device(exec, device, 0, owned_begin, received_);
    to_device(exec, device, owned_end, size, received_);
    if (size > keep_at_most) { // as large as the whole solution
      exec.fence();
      received_ = Buffer();
    }
  }

private:
  static constexpr std::size_t keep_at_most = std::size_t(8) << 20; // bytes of a buffer
  using Buffer = PinnedArray<char*, ExecutionSpace>;
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  using DeviceView = Kokkos::View<char*, typename ExecutionSpace::memory_space, Unmanaged>;
  using ConstDeviceView = Kokkos::View<const char*, typename ExecutionSpace::memory_space, Unmanaged>;
  using HostView = Kokkos::View<char*, typename Buffer::memory_space, Unmanaged>;

  template <class To, class From> static void copy_piece(const ExecutionSpace& exec, const To& to, const From& from) {
    if (to.extent(0) > 0)
      Kokkos::deep_copy(exec, to, from);
  }
  static void enlarge(const ExecutionSpace& exec, Buffer& buffer, std::size_t size) {
    if (buffer.extent(0) < size) {
      exec.fence(); // a copy may still read it
      buffer = make_array<Buffer>(exec, "comm::host_buffer", size);
    }
  }
  /// Copies bytes to host-accessible memory. Does not wait.
  static const char* to_host(const ExecutionSpace& exec, const char* bytes, std::size_t size, Buffer& buffer) {
    if constexpr (is_host_space<ExecutionSpace>) {
      return bytes;
    } else {
      enlarge(exec, buffer, size);
      copy_piece(exec, HostView(buffer.data(), size), ConstDeviceView(bytes, size));
      return buffer.data();
    }
  }
  /// The address at which the host writes the bytes.
  static char* host_buffer(const ExecutionSpace& exec, char* bytes, std::size_t size, Buffer& buffer) {
    if constexpr (is_host_space<ExecutionSpace>)
      return bytes;
    enlarge(exec, buffer, size);
    return buffer.data();
  }
  /// Copies the bytes [begin, end) back to the device.
  static void to_device(const ExecutionSpace& exec, char* bytes, std::size_t begin, std::size_t end,
                        const Buffer& buffer) {
    if constexpr (!is_host_space<ExecutionSpace>)
      copy_piece(exec, DeviceView(bytes + begin, end - begin), HostView(buffer.data() + begin, end - begin));
  }

  const Communicator& world_;
  Buffer sent_;
  Buffer received_;
  std::vector<double> all_;
  // Of the open exchange.
  std::vector<Message> to_;
  std::vector<Message> from_;
  const char* out_ = nullptr;
  char* received_on_device_ = nullptr;
  std::size_t n_received_ = 0; ///< bytes
  DeviceEvent<ExecutionSpace> copied_;
};

} // namespace

template <class ExecutionSpace>
std::unique_ptr<Transport<ExecutionSpace>> make_transport(const ExecutionSpace& exec, const Communicator& world,
                                                          Messages messages) {
  std::unique_ptr<Transport<ExecutionSpace>> by_host = std::make_unique<HostTransport<ExecutionSpace>>(world);
  if (messages == Messages::mpi)
    return by_host;
  if constexpr (has_peer_memory<ExecutionSpace>) {
    if (messages == Messages::nccl) {
      if (auto nccl = detail::make_nccl_transport(exec, world, std::move(by_host)))
        return nccl;
    } else if (auto peer = detail::make_peer_transport(exec, world, by_host)) {
      return peer;
    }
  }
  TESSERA_REQUIRE(messages != Messages::nccl, "Messages by NCCL need a backend of GPUs and a build with NCCL.");
  TESSERA_REQUIRE(
      messages != Messages::peer,
      "execution.messages: peer needs one machine whose GPUs can write into each other's memory. Use auto.");
  return by_host;
}

template <class ExecutionSpace> void Transport<ExecutionSpace>::require_idle() const {
  TESSERA_REQUIRE(!is_open_, "Messages between processes: an exchange has begun, and no other one may before it ends.");
}

template <class ExecutionSpace>
void Transport<ExecutionSpace>::reserve(const ExecutionSpace& exec, std::size_t largest_message) {
  require_idle();
  reserve_messages(exec, largest_message);
}

template <class ExecutionSpace>
void Transport<ExecutionSpace>::begin(const ExecutionSpace& exec, const void* sent, void* received,
                                      const std::vector<Neighbour>& neighbours, std::size_t item_size) {
  require_idle();
  is_open_ = true;
  start(exec, sent, received, neighbours, item_size);
}

template <class ExecutionSpace>
void Transport<ExecutionSpace>::gather_and_begin(const ExecutionSpace& exec, const void* owned,
                                                 const index_t* positions, void* sent, void* received,
                                                 const std::vector<Neighbour>& neighbours, std::size_t item_size) {
  require_idle();
  is_open_ = true;
  gather_and_start(exec, owned, positions, sent, received, neighbours, item_size);
}

template <class ExecutionSpace> void Transport<ExecutionSpace>::finish(const ExecutionSpace& exec) {
  TESSERA_REQUIRE(is_open_, "Messages between processes: no exchange has begun that could end.");
  end(exec);
  is_open_ = false;
}

template <class ExecutionSpace>
void Transport<ExecutionSpace>::exchange(const ExecutionSpace& exec, const void* sent, void* received,
                                         const std::vector<Neighbour>& neighbours, std::size_t item_size) {
  require_idle();
  start_and_end(exec, sent, received, neighbours, item_size);
}

template <class ExecutionSpace> void Transport<ExecutionSpace>::sum(const ExecutionSpace& exec, double* values, int n) {
  require_idle();
  add(exec, values, n);
}

template <class ExecutionSpace>
void Transport<ExecutionSpace>::all_gather_parts(const ExecutionSpace& exec, void* values,
                                                 const std::vector<std::int64_t>& offsets, std::size_t item_size) {
  require_idle();
  gather_parts(exec, values, offsets, item_size);
}

template <class ExecutionSpace>
void Transport<ExecutionSpace>::gather_and_start(const ExecutionSpace& exec, const void* owned,
                                                 const index_t* positions, void* sent, void* received,
                                                 const std::vector<Neighbour>& neighbours, std::size_t item_size) {
  std::int64_t n = 0;
  for (const Neighbour& neighbour : neighbours)
    n = std::max(n, neighbour.first_sent + neighbour.n_sent);
  if (item_size == sizeof(std::uint64_t))
    gather<std::uint64_t>(exec, n, owned, positions, sent);
  else
    gather<std::uint32_t>(exec, n, owned, positions, sent);
  start(exec, sent, received, neighbours, item_size);
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template class Transport<Space>;                                                                                     \
  template std::unique_ptr<Transport<Space>> make_transport(const Space&, const Communicator&, Messages);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::comm
