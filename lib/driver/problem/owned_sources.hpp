// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_OWNED_SOURCES_HPP
#define TESSERA_DRIVER_PROBLEM_OWNED_SOURCES_HPP

#include "core/kokkos_ext/runtime.hpp"
#include "core/transfer/read_entries.hpp"
#include "driver/problem/binding/point_sources.hpp"
#include "driver/problem/owned_elements.hpp"
#include "fe/dofs/dof_part.hpp"

#include <algorithm>
#include <vector>

namespace tessera::driver {

/// The loads of point and line sources in the owned elements of a process; for a whole mesh all loads. Each load is in
/// one process. With a layer of elements around, every process with rows at a point source finds the first of all
/// elements that contain it, as does the owner of this element; others may find another element, away from their rows.
/// All processes cut line sources into the same pieces.
class OwnedSources {
public:
  OwnedSources() = default;

  /// Removes loads of elements that are not owned from `sources`, which has an entry for each source, with as many
  /// loads in every process. `owned_elements` ascend; null: all.
  template <class ExecutionSpace>
  OwnedSources(const ExecutionSpace& exec, const Array<const index_t*, ExecutionSpace>* owned_elements,
               int nodes_per_element, std::vector<SourceLoads>& sources)
      : nodes_per_element_(static_cast<std::size_t>(nodes_per_element)) {
    std::vector<index_t> positions;
    for (const SourceLoads& source : sources)
      for (const physics::PointLoad& load : source.loads)
        positions.push_back(load.element);
    if (owned_elements != nullptr)
      positions = find_positions(exec, *owned_elements, positions);
    auto position = positions.begin();
    for (SourceLoads& source : sources) {
      std::vector<physics::PointLoad> owned;
      for (const physics::PointLoad& load : source.loads) {
        const std::size_t number = n_of_all_;
        n_of_all_ += nodes_per_element_;
        if (*position++ < 0)
          continue;
        for (std::size_t a = 0; a < load.nodes.size(); ++a) {
          loads_.push_back({load.nodes[a], load.element, load.values[a]});
          numbers_.push_back(number + a);
        }
        owned.push_back(load);
      }
      source.loads = std::move(owned);
    }
  }

  const std::vector<assembly::NodalLoad>& loads() const { return loads_; }

  /// The same on a mesh of the owned elements only, with its node numbering.
  template <class ExecutionSpace>
  OwnedSources on(const ExecutionSpace& exec, const Array<const index_t*, ExecutionSpace>& owned_elements,
                  const fe::ElementTable<typename ExecutionSpace::memory_space>& owned_table) const {
    OwnedSources owned = *this;
    std::vector<index_t> elements;
    for (const assembly::NodalLoad& load : loads_)
      elements.push_back(load.element);
    elements = find_positions(exec, owned_elements, elements);
    std::vector<std::int64_t> positions;
    for (std::size_t i = 0; i < loads_.size(); ++i)
      positions.push_back(static_cast<std::int64_t>(static_cast<std::size_t>(elements[i]) * nodes_per_element_ +
                                                    numbers_[i] % nodes_per_element_));
    const std::vector<index_t> nodes = read_entries(exec, owned_table.nodes, positions);
    for (std::size_t i = 0; i < loads_.size(); ++i) {
      owned.loads_[i].element = elements[i];
      owned.loads_[i].node = nodes[i];
    }
    return owned;
  }

  /// Work of the loads of all processes between two functions, given at all nodes: summed in the order of the sources
  /// and their pieces. Collective.
  template <class ExecutionSpace>
  double work(const ExecutionSpace& exec, const comm::Communicator& world,
              const Array<const double*, ExecutionSpace>& from, const Array<const double*, ExecutionSpace>& to) const {
    if (n_of_all_ == 0)
      return 0.;
    const std::vector<double> works = works_of_loads(exec, loads_, from, to);
    std::vector<double> terms(n_of_all_, 0.);
    for (std::size_t i = 0; i < loads_.size(); ++i)
      terms[numbers_[i]] = works[i];
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
  std::vector<std::size_t> numbers_; // indices of the loads among those of all processes
  std::size_t nodes_per_element_ = 1;
  std::size_t n_of_all_ = 0;
};

} // namespace tessera::driver

#endif
