// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "comm/transport.hpp"
#include "core/error.hpp"
#include "core/kokkos_ext/device/peer_memory.hpp"
#include "core/parallel.hpp"

#if TESSERA_HAVE_NCCL && TESSERA_NCCL_IS_RCCL
#include <rccl/rccl.h> // the same interface
#elif TESSERA_HAVE_NCCL
#include <nccl.h>
#endif

#include <algorithm>
#include <cstring>

namespace tessera::comm {

bool has_nccl() { return TESSERA_HAVE_NCCL != 0; }

namespace detail {

#if TESSERA_HAVE_NCCL

namespace {

/// The stream of the vendor, as the library expects it.
template <class ExecutionSpace> auto queue_of(const ExecutionSpace& exec) -> decltype(exec.cuda_stream()) {
  return exec.cuda_stream();
}
template <class ExecutionSpace> auto queue_of(const ExecutionSpace& exec) -> decltype(exec.hip_stream()) {
  return exec.hip_stream();
}

void require_success(ncclResult_t result, const char* what) {
  TESSERA_REQUIRE_KIND(result == ncclSuccess, ErrorKind::resource,
                       what << " failed: " << ncclGetErrorString(result) << '.');
}

/// Transfers directly between device memories, in the device's queue: the host does not wait. Uses RCCL in builds with
/// HIP.
template <class ExecutionSpace> class NcclTransport final : public Transport<ExecutionSpace> {
public:
  NcclTransport(const Communicator& world, std::unique_ptr<Transport<ExecutionSpace>> by_host)
      : n_processes_(world.size()), by_host_(std::move(by_host)) {
    ncclUniqueId id{};
    if (world.is_root())
      require_success(ncclGetUniqueId(&id), "Starting NCCL");
    id = world.all_gather(id).front();
    require_success(ncclCommInitRank(&nccl_, world.size(), id, world.rank()), "Connecting the GPUs by NCCL");
  }
  ~NcclTransport() override { ncclCommDestroy(nccl_); }
  NcclTransport(const NcclTransport&) = delete;
  NcclTransport& operator=(const NcclTransport&) = delete;

  std::string name() const override { return "NCCL"; }

protected:
  void start(const ExecutionSpace& exec, const void* sent, void* received, const std::vector<Neighbour>& neighbours,
             std::size_t item_size) override {
    const auto bytes = [&](std::int64_t n_items) { return static_cast<std::size_t>(n_items) * item_size; };
    require_success(ncclGroupStart(), "An exchange by NCCL");
    for (const Neighbour& neighbour : neighbours) {
      if (neighbour.n_received > 0)
        require_success(ncclRecv(static_cast<char*>(received) + bytes(neighbour.first_received),
                                 bytes(neighbour.n_received), ncclChar, neighbour.process, nccl_, queue_of(exec)),
                        "Receiving by NCCL");
      if (neighbour.n_sent > 0)
        require_success(ncclSend(static_cast<const char*>(sent) + bytes(neighbour.first_sent), bytes(neighbour.n_sent),
                                 ncclChar, neighbour.process, nccl_, queue_of(exec)),
                        "Sending by NCCL");
    }
    require_success(ncclGroupEnd(), "An exchange by NCCL");
  }

  void end(const ExecutionSpace&) override {} // the queue is ordered

  void add(const ExecutionSpace& exec, double* values, int n) override { by_host_->sum(exec, values, n); }

  void gather_parts(const ExecutionSpace& exec, void* values, const std::vector<std::int64_t>& offsets,
                    std::size_t item_size) override {
    require_success(ncclGroupStart(), "Gathering parts by NCCL");
    for (int r = 0; r < n_processes_; ++r) {
      const std::size_t begin = static_cast<std::size_t>(offsets[static_cast<std::size_t>(r)]) * item_size;
      const std::size_t end = static_cast<std::size_t>(offsets[static_cast<std::size_t>(r) + 1]) * item_size;
      char* const part = static_cast<char*>(values) + begin;
      if (end > begin)
        require_success(ncclBroadcast(part, part, end - begin, ncclChar, r, nccl_, queue_of(exec)),
                        "Gathering parts by NCCL");
    }
    require_success(ncclGroupEnd(), "Gathering parts by NCCL");
  }

private:
  ncclComm_t nccl_ = nullptr;
  int n_processes_;
  std::unique_ptr<Transport<ExecutionSpace>> by_host_;
};

} // namespace

template <class ExecutionSpace>
std::unique_ptr<Transport<ExecutionSpace>> make_nccl_transport(const ExecutionSpace&, const Communicator& world,
                                                               std::unique_ptr<Transport<ExecutionSpace>> by_host) {
  return std::make_unique<NcclTransport<ExecutionSpace>>(world, std::move(by_host));
}

#else

template <class ExecutionSpace>
std::unique_ptr<Transport<ExecutionSpace>> make_nccl_transport(const ExecutionSpace&, const Communicator&,
                                                               std::unique_ptr<Transport<ExecutionSpace>>) {
  return nullptr;
}

#endif

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template std::unique_ptr<Transport<Space>> make_nccl_transport(const Space&, const Communicator&,                    \
                                                                 std::unique_ptr<Transport<Space>>);
TESSERA_FOR_EACH_PEER_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace detail

} // namespace tessera::comm
