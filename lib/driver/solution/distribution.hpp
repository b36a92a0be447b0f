// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_SOLUTION_DISTRIBUTION_HPP
#define TESSERA_DRIVER_SOLUTION_DISTRIBUTION_HPP

#include "driver/problem/equations.hpp"
#include "driver/solution/distributed_unknowns.hpp"
#include "fe/dofs/dof_part.hpp"

#include <memory>
#include <optional>

namespace tessera::driver {

/// The system of a problem with continuous elements, distributed over processes, which have the whole problem or the
/// one on their part of the mesh each; each process assembles the rows of its unknowns, without communication, and has
/// these entries of vectors. One process has the system itself. Member functions are collective.
template <class ExecutionSpace> class Distribution {
public:
  using Space = typename ExecutionSpace::memory_space;

  /// Of a single process.
  explicit Distribution(const Equations<ExecutionSpace>& problem) : problem_(problem), unknowns_(problem.dofs.n_free) {}
  /// The arguments must outlive this object. `same_bits`: sums do not depend on the number of processes.
  Distribution(const ExecutionSpace& exec, const comm::Communicator& world, comm::Transport<ExecutionSpace>& transport,
               const Equations<ExecutionSpace>& problem, bool same_bits);

  /// An assembler of the owned rows by any strategy: its system is that of all processes, its right-hand side has the
  /// owned entries, and its matrix is available through owned_rows(). The distribution must outlive it.
  std::unique_ptr<assembly::Assembler<ExecutionSpace>> make_assembler(const assembly::AssemblyOptions& options) const;

  /// Number of entries in the rows of all processes after numeric(), by such an assembler; 0 without a matrix.
  std::int64_t n_matrix_entries(const assembly::Assembler<ExecutionSpace>& assembler) const;

  /// The owned rows after numeric(), by such an assembler; null without a matrix.
  const linalg::CrsMatrix<Space>* owned_rows(const assembly::Assembler<ExecutionSpace>& assembler) const;

  const DistributedUnknowns<ExecutionSpace>& unknowns() const { return *unknowns_; }

private:
  const Equations<ExecutionSpace>& problem_;
  fe::DofPart<Space> part_;
  std::optional<DistributedUnknowns<ExecutionSpace>> unknowns_;
};

} // namespace tessera::driver

#endif
