// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/harmonic/circuits/drives.hpp"

#include "core/algorithms/list_marked.hpp"
#include "core/algorithms/scan.hpp"
#include "core/kokkos_ext/spaces.hpp"
#include "driver/harmonic/harmonic_system.hpp"

namespace tessera::driver {

namespace {

/// The difference of two right-hand sides, at the unknowns of a body (-1: everywhere).
template <class Space> struct DifferenceAtBody {
  Array<const double*, Space> with, at_rest;
  Array<const int*, Space> body_of;
  int body;
  Array<double*, Space> drive;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    drive(i) = body < 0 || body_of(i) == body ? with(i) - at_rest(i) : 0.;
  }
};

template <class Space> struct MarkNonzero {
  Array<const double*, Space> values;
  Array<index_t*, Space> marks;
  KOKKOS_FUNCTION void operator()(index_t i) const { marks(i) = values(i) != 0. ? 1 : 0; }
};

template <class Space> struct GatherListed {
  Array<const double*, Space> values;
  Array<const index_t*, Space> list;
  Array<double*, Space> listed;
  KOKKOS_FUNCTION void operator()(index_t k) const { listed(k) = values(list(k)); }
};

} // namespace

template <class ExecutionSpace>
std::vector<linalg::Vector<ExecutionSpace>>
make_drives(const ExecutionSpace& exec, Conduction<ExecutionSpace>& conduction,
            const std::vector<std::vector<std::size_t>>& members, std::size_t n_regions,
            const linalg::Vector<ExecutionSpace>& at_rest) {
  using Space = typename ExecutionSpace::memory_space;
  std::vector<linalg::Vector<ExecutionSpace>> drives;
  if (members.empty())
    return drives;
  const auto n = static_cast<index_t>(at_rest.extent(0));
  std::vector<int> bodies(n_regions, -1);
  for (std::size_t k = 0; k < members.size(); ++k)
    for (const std::size_t region : members[k])
      bodies[region] = static_cast<int>(k);
  const auto body_of = make_filled<Array<int*, Space>>(exec, "driver::body_of_unknown", n, -1);
  const bool together = !conduction.mark_bodies(exec, bodies, body_of);
  Array<const double*, Space> with;
  for (std::size_t k = 0; k < members.size(); ++k) {
    if (!together || k == 0) {
      std::vector<double> voltages(n_regions, 0.);
      for (std::size_t body = together ? 0 : k; body < (together ? members.size() : k + 1); ++body)
        for (const std::size_t region : members[body])
          voltages[region] = 1.;
      conduction.set_voltages(exec, voltages);
      conduction.assembler().load(exec);
      with = copy_of_load(exec, conduction.assembler());
    }
    drives.push_back(make_array<Array<double*, Space>>(exec, "driver::drive", n));
    for_each("tessera::driver::drive", exec, n,
             DifferenceAtBody<Space>{with, at_rest, body_of, together ? static_cast<int>(k) : -1, drives.back()});
  }
  exec.fence();
  return drives;
}

template <class ExecutionSpace>
Nonzeros nonzeros(const ExecutionSpace& exec, const linalg::Vector<ExecutionSpace>& vector) {
  using Space = typename ExecutionSpace::memory_space;
  const auto n = static_cast<index_t>(vector.extent(0));
  const auto marks = make_array<Array<index_t*, Space>>(exec, "driver::nonzeros", static_cast<std::size_t>(n) + 1);
  for_each("tessera::driver::mark_nonzero", exec, n, MarkNonzero<Space>{vector, marks});
  const std::int64_t n_listed = counts_to_offsets(exec, marks, n, "entries that are not zero");
  const auto list = list_marked<ExecutionSpace>(exec, "driver::nonzeros", marks, n, n_listed);
  const auto values = make_array<Array<double*, Space>>(exec, "driver::nonzero_values", n_listed);
  for_each("tessera::driver::gather_listed", exec, static_cast<index_t>(n_listed),
           GatherListed<Space>{vector, list, values});
  const auto positions_on_host = tessera::to_host(exec, list);
  const auto values_on_host = tessera::to_host(exec, values);
  return {{positions_on_host.data(), positions_on_host.data() + n_listed},
          {values_on_host.data(), values_on_host.data() + n_listed}};
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template std::vector<linalg::Vector<SPACE>> make_drives<SPACE>(const SPACE&, Conduction<SPACE>&,                     \
                                                                 const std::vector<std::vector<std::size_t>>&,         \
                                                                 std::size_t, const linalg::Vector<SPACE>&);           \
  template Nonzeros nonzeros<SPACE>(const SPACE&, const linalg::Vector<SPACE>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::driver
