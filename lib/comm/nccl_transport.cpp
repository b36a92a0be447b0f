// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "comm/transport.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"

#if TESSERA_HAVE_NCCL
#include <nccl.h>
#endif

#include <algorithm>
#include <cstring>

namespace tessera::comm {

bool has_nccl() { return TESSERA_HAVE_NCCL != 0; }

namespace detail {

#if TESSERA_HAVE_NCCL

namespace {

void require_success(ncclResult_t result, const char* what) {
  TESSERA_REQUIRE_KIND(result == ncclSuccess, ErrorKind::resource,
                       what << " failed: " << ncclGetErrorString(result) << '.');
}

/// Directly between the devices' memories, in the device's queue: the host does not wait.
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

  void begin(const ExecutionSpace& exec, const double* sent, double* received,
             const std::vector<Neighbour>& neighbours) override {
    require_success(ncclGroupStart(), "An exchange by NCCL");
    for (const Neighbour& neighbour : neighbours) {
      if (neighbour.n_received > 0)
        require_success(ncclRecv(received + neighbour.first_received, static_cast<std::size_t>(neighbour.n_received),
                                 ncclDouble, neighbour.process, nccl_, exec.cuda_stream()),
                        "Receiving by NCCL");
      if (neighbour.n_sent > 0)
        require_success(ncclSend(sent + neighbour.first_sent, static_cast<std::size_t>(neighbour.n_sent), ncclDouble,
                                 neighbour.process, nccl_, exec.cuda_stream()),
                        "Sending by NCCL");
    }
    require_success(ncclGroupEnd(), "An exchange by NCCL");
  }

  void finish(const ExecutionSpace&) override {} // the queue is in order

  void sum(const ExecutionSpace& exec, double* values, int n) override { by_host_->sum(exec, values, n); }

  void all_gather_parts(const ExecutionSpace& exec, double* values, const std::vector<std::int64_t>& offsets) override {
    require_success(ncclGroupStart(), "Gathering parts by NCCL");
    for (int r = 0; r < n_processes_; ++r) {
      const std::int64_t begin = offsets[static_cast<std::size_t>(r)];
      const std::int64_t n = offsets[static_cast<std::size_t>(r) + 1] - begin;
      if (n > 0)
        require_success(ncclBroadcast(values + begin, values + begin, static_cast<std::size_t>(n), ncclDouble, r, nccl_,
                                      exec.cuda_stream()),
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
TESSERA_FOR_EACH_DEVICE_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace detail

} // namespace tessera::comm
