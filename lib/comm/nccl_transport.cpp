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

namespace tessera::comm::detail {

#if TESSERA_HAVE_NCCL

namespace {

void require_success(ncclResult_t result, const char* what) {
  TESSERA_REQUIRE_KIND(result == ncclSuccess, ErrorKind::resource,
                       what << " failed: " << ncclGetErrorString(result) << '.');
}

struct AddInOrder {
  const double* all; ///< [n_processes][n]
  double* sums;
  int n_processes;
  int n;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    double sum = all[i];
    for (int r = 1; r < n_processes; ++r)
      sum += all[r * n + i];
    sums[i] = sum;
  }
};

/// Directly between the devices' memories, in the device's queue: the host does not wait.
template <class ExecutionSpace> class NcclTransport final : public Transport<ExecutionSpace> {
public:
  NcclTransport(const ExecutionSpace& exec, const Communicator& world) : n_processes_(world.size()) {
    ncclUniqueId id{};
    if (world.is_root())
      require_success(ncclGetUniqueId(&id), "Starting NCCL");
    id = world.all_gather(id).front();
    require_success(ncclCommInitRank(&nccl_, world.size(), id, world.rank()), "Connecting the GPUs by NCCL");
    all_ = make_array<decltype(all_)>(exec, "comm::sums_of_processes",
                                      static_cast<std::int64_t>(world.size()) * this->max_sums);
  }
  ~NcclTransport() override { ncclCommDestroy(nccl_); }
  NcclTransport(const NcclTransport&) = delete;
  NcclTransport& operator=(const NcclTransport&) = delete;

  std::string name() const override { return "NCCL"; }

  void exchange(const ExecutionSpace& exec, const double* sent, double* received,
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

  void sum(const ExecutionSpace& exec, double* values, int n) override {
    require_success(
        ncclAllGather(values, all_.data(), static_cast<std::size_t>(n), ncclDouble, nccl_, exec.cuda_stream()),
        "Gathering sums by NCCL");
    for_each("tessera::comm::add_in_order", exec, n, AddInOrder{all_.data(), values, n_processes_, n});
  }

  void all_gather_parts(const ExecutionSpace& exec, double* values,
                        const std::vector<std::int64_t>& offsets) override {
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
  Array<double*, ExecutionSpace> all_;
};

} // namespace

template <class ExecutionSpace>
std::unique_ptr<Transport<ExecutionSpace>> make_nccl_transport(const ExecutionSpace& exec, const Communicator& world) {
  return std::make_unique<NcclTransport<ExecutionSpace>>(exec, world);
}

#else

template <class ExecutionSpace>
std::unique_ptr<Transport<ExecutionSpace>> make_nccl_transport(const ExecutionSpace&, const Communicator&) {
  return nullptr;
}

#endif

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template std::unique_ptr<Transport<Space>> make_nccl_transport(const Space&, const Communicator&);
TESSERA_FOR_EACH_DEVICE_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::comm::detail
