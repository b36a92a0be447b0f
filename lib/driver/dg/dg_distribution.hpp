// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_DG_DG_DISTRIBUTION_HPP
#define TESSERA_DRIVER_DG_DG_DISTRIBUTION_HPP

#include "assembly/dg/form/form_part.hpp"
#include "driver/dg/dg_levels.hpp"
#include "driver/dg/dg_problem.hpp"
#include "driver/solution/distributed_unknowns.hpp"
#include "linalg/distributed/distributed_blocks.hpp"

#include <optional>

namespace tessera::driver {

/// The dg system distributed over processes, each of which has the whole mesh and form or its part. Each process
/// assembles the rows of its elements, without communication, and has these entries of vectors; one process has the
/// system itself. Member functions are collective.
template <int Dim, class ExecutionSpace> class DgDistribution {
public:
  using Space = typename ExecutionSpace::memory_space;
  using matrix_type = linalg::BlockCrsMatrix<Space>;
  using vector_type = linalg::Vector<ExecutionSpace>;

  /// Of a single process. The problem must outlive this object.
  explicit DgDistribution(const DgProblem<Dim, ExecutionSpace>& problem)
      : problem_(problem), unknowns_(problem.form.space.n_dofs) {}
  /// World, transport and problem must outlive this object. `same_bits`: sums do not depend on the number of processes.
  DgDistribution(const ExecutionSpace& exec, const comm::Communicator& world,
                 comm::Transport<ExecutionSpace>& transport, const DgProblem<Dim, ExecutionSpace>& problem,
                 bool same_bits);

  /// The form on the elements of this process, of the time step of the problem's form after follow_step().
  const assembly::dg::Form<Dim, Space>& form() const { return is_cut_ ? part_.form : problem_.form; }
  void follow_step(const ExecutionSpace& exec);
  const DistributedUnknowns<ExecutionSpace>& unknowns() const { return *unknowns_; }

  /// Makes the operators of a matrix assembled from the part's form.
  void set_matrix(const ExecutionSpace& exec, const matrix_type& local, linalg::Symmetry symmetry);
  const linalg::LinearOperator<ExecutionSpace>& system() const;
  /// The owned rows and columns, for preconditioners.
  const linalg::BlockCrsOperator<ExecutionSpace>& square() const { return *square_; }
  /// The finest level of multigrid for the matrix of set_matrix(); `halved`: the matrix with half the penalty.
  DgLevel<Dim, ExecutionSpace> finest_level(const ExecutionSpace& exec, const matrix_type& halved) const;

  /// The owned entries of a vector of the unknowns of the form's part.
  vector_type owned_of_part(const vector_type& local) const;
  /// Coefficients of the elements of form(), including ghosts, from those of the elements of the problem.
  linalg::ConstVector<ExecutionSpace> restricted(const ExecutionSpace& exec,
                                                 const Array<const double*, ExecutionSpace>& all) const;
  /// The owned elements in an ordering of the part's elements, by their index among the owned ones.
  Array<const index_t*, ExecutionSpace> owned_of_order(const ExecutionSpace& exec,
                                                       const Array<const index_t*, ExecutionSpace>& order) const;

private:
  const DgProblem<Dim, ExecutionSpace>& problem_;
  bool is_cut_ = false;                     ///< the form of the part was cut from the whole one
  assembly::dg::FormPart<Dim, Space> part_; ///< with several processes
  index_t first_in_part_ = 0;               ///< first owned unknown among those of the part
  std::optional<DistributedUnknowns<ExecutionSpace>> unknowns_;
  matrix_type rows_;
  std::optional<linalg::BlockCrsOperator<ExecutionSpace>> square_;
  std::optional<linalg::DistributedBlocks<ExecutionSpace>> system_;
};

} // namespace tessera::driver

#endif
