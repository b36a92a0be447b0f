// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_NODAL_LOADS_HPP
#define TESSERA_ASSEMBLY_NODAL_LOADS_HPP

/// \file
/// Loads at nodes in addition to those of a form, for all strategies.

#include "assembly/assembler.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace tessera::assembly {

/// The contribution of a point source to the load at a node of the element that contains it.
struct NodalLoad {
  index_t node = 0;
  index_t element = 0;
  double value = 0.;
};

/// The loads of a problem, which may change while assemblers use them.
class NodalLoads {
public:
  const std::vector<NodalLoad>& list() const { return list_; }
  void set(std::vector<NodalLoad> list) {
    list_ = std::move(list);
    ++version_;
  }
  int version() const { return version_; } ///< changes whenever the loads change

private:
  std::vector<NodalLoad> list_;
  int version_ = 0;
};

/// Makes an assembler that adds loads to the right-hand side of another one, in the given order: the same bits on every
/// backend. Loads at fixed nodes have no effect. numeric() and load() use the loads at the time of the call; if there
/// are none now, the other assembler is returned. `dofs` is the map of that assembler; with `elements`, which ascend,
/// only the loads in these elements are added, at the corresponding nodes.
template <class ExecutionSpace>
std::unique_ptr<Assembler<ExecutionSpace>>
with_nodal_loads(const ExecutionSpace& exec, std::unique_ptr<Assembler<ExecutionSpace>> assembler,
                 const fe::DofMap<typename ExecutionSpace::memory_space>& dofs,
                 const std::shared_ptr<const NodalLoads>& loads,
                 const Array<const index_t*, ExecutionSpace>* elements = nullptr);

} // namespace tessera::assembly

#endif
