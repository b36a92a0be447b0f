// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_PART_SOURCES_HPP
#define TESSERA_DRIVER_PROBLEM_PART_SOURCES_HPP

#include "core/kokkos_ext/runtime.hpp"
#include "driver/problem/point_sources.hpp"
#include "fe/dof_part.hpp"

#include <algorithm>
#include <vector>

namespace tessera::driver {

/// The point sources that lie in own elements of a process's part of the mesh: each is in one process. With a layer of
/// elements around, every process with rows at a source has the first of all elements that hold it, as the one that
/// owns this element; others may find another one, away from their rows.
class PartSources {
public:
  /// Takes their loads, and drops the others from `sources`, which has an entry for all. `own_elements`, which ascend,
  /// is on the host.
  void keep_own(const Array<const index_t*, HostMemory>& own_elements, int nodes_per_element,
                std::vector<SourceLoads>& sources) {
    *this = {};
    n_of_all_ = sources.size() * static_cast<std::size_t>(nodes_per_element);
    const index_t* const end = own_elements.data() + own_elements.extent(0);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      std::vector<physics::PointLoad>& loads = sources[i].loads;
      if (loads.empty())
        continue;
      const index_t* const place = std::lower_bound(own_elements.data(), end, loads.front().element);
      if (place == end || *place != loads.front().element) {
        loads.clear();
        continue;
      }
      for (std::size_t a = 0; a < loads.front().nodes.size(); ++a) {
        loads_.push_back({loads.front().nodes[a], loads.front().element, loads.front().values[a]});
        numbers_.push_back(i * static_cast<std::size_t>(nodes_per_element) + a);
        own_places_.push_back(static_cast<index_t>(place - own_elements.data()));
      }
    }
  }

  const std::vector<assembly::NodalLoad>& loads() const { return loads_; }

  /// The loads at the nodes of a mesh of the own elements alone.
  template <class ExecutionSpace>
  std::vector<assembly::NodalLoad>
  loads_on(const ExecutionSpace& exec, const fe::ElementTable<typename ExecutionSpace::memory_space>& table,
           const fe::ElementTable<typename ExecutionSpace::memory_space>& own_table) const {
    std::vector<assembly::NodalLoad> loads = loads_;
    const std::int64_t n = table.nodes_per_element;
    for (std::size_t i = 0; i < loads.size(); ++i) {
      std::int64_t a = 0;
      while (read_entry(exec, table.nodes, loads[i].element * n + a) != loads[i].node)
        ++a;
      loads[i].element = own_places_[i];
      loads[i].node = read_entry(exec, own_table.nodes, loads[i].element * n + a);
    }
    return loads;
  }

  /// work_of_loads() of all processes, added in the order of the sources. Collective.
  template <class ExecutionSpace>
  double work(const ExecutionSpace& exec, const comm::Communicator& world,
              const Array<const double*, ExecutionSpace>& from, const Array<const double*, ExecutionSpace>& to) const {
    if (n_of_all_ == 0)
      return 0.;
    std::vector<double> terms(n_of_all_, 0.);
    for (std::size_t i = 0; i < loads_.size(); ++i)
      terms[numbers_[i]] = work_of_loads(exec, {loads_[i]}, from, to);
    std::vector<double> all(n_of_all_ * static_cast<std::size_t>(world.size()));
    world.all_gather(terms.data(), n_of_all_ * sizeof(double), all.data());
    double sum = 0.;
    for (std::size_t t = 0; t < n_of_all_; ++t) {
      double term = 0.; // one process has it
      for (std::size_t i = t; i < all.size(); i += n_of_all_)
        term += all[i];
      sum += term;
    }
    return sum;
  }

private:
  std::vector<assembly::NodalLoad> loads_;
  std::vector<std::size_t> numbers_; // of the loads among those of all processes
  std::vector<index_t> own_places_;  // of their elements among the own ones
  std::size_t n_of_all_ = 0;
};

} // namespace tessera::driver

#endif
