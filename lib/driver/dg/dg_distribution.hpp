// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_DG_DG_DISTRIBUTION_HPP
#define TESSERA_DRIVER_DG_DG_DISTRIBUTION_HPP

#include "assembly/dg/form_part.hpp"
#include "driver/dg/dg_levels.hpp"
#include "driver/dg/dg_problem.hpp"
#include "driver/solution/distributed_unknowns.hpp"
#include "linalg/distributed_blocks.hpp"

#include <optional>

namespace tessera::driver {

/// The system of dg distributed over processes. All of them have the whole mesh and form, or each its part; each
/// assembles the rows of its elements, without messages, and has these entries of vectors. Member functions are
/// collective.
template <int Dim, class ExecutionSpace> class DgDistribution {
public:
  using Space = typename ExecutionSpace::memory_space;
  using matrix_type = linalg::BlockCrsMatrix<Space>;
  using vector_type = linalg::Vector<ExecutionSpace>;

  /// World and transport must stay. `same_bits`: sums do not depend on the number of processes.
  DgDistribution(const ExecutionSpace& exec, const comm::Communicator& world,
                 comm::Transport<ExecutionSpace>& transport, const DgProblem<Dim, ExecutionSpace>& problem,
                 bool same_bits);

  assembly::dg::FormPart<Dim, Space>& part() { return part_; }
  const DistributedUnknowns<ExecutionSpace>& unknowns() const { return *unknowns_; }

  /// Makes the operators of a matrix that the part's form was assembled to.
  void set_matrix(const ExecutionSpace& exec, const matrix_type& local, linalg::Symmetry symmetry);
  const linalg::LinearOperator<ExecutionSpace>& system() const { return *system_; }
  /// The own rows and columns, for preconditioners.
  const linalg::BlockCrsOperator<ExecutionSpace>& square() const { return *square_; }
  /// The finest level of multigrid for the matrix of set_matrix(); `halved`: that of half the penalty.
  DgLevel<Dim, ExecutionSpace> finest_level(const ExecutionSpace& exec, const matrix_type& halved) const;

  /// The own entries of a vector of the unknowns of the part of the form.
  vector_type own_of_part(const vector_type& local) const;
  /// Coefficients of the part's elements, ghosts among them, from those of all, of a whole problem.
  vector_type restricted(const ExecutionSpace& exec, const assembly::dg::Form<Dim, Space>& whole,
                         const Array<const double*, ExecutionSpace>& all) const;
  /// The own elements of an order of the part's elements, by their own numbers.
  Array<index_t*, ExecutionSpace> own_of_order(const ExecutionSpace& exec,
                                               const Array<const index_t*, ExecutionSpace>& order) const;

private:
  assembly::dg::FormPart<Dim, Space> part_;
  index_t first_in_part_; ///< first own unknown among those of the part
  std::optional<DistributedUnknowns<ExecutionSpace>> unknowns_;
  matrix_type rows_;
  std::optional<linalg::BlockCrsOperator<ExecutionSpace>> square_;
  std::optional<linalg::DistributedBlocks<ExecutionSpace>> system_;
};

} // namespace tessera::driver

#endif
