// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_ELEMENT_LEVEL_HPP
#define TESSERA_LINALG_ELEMENT_LEVEL_HPP

/// \file
/// Operators that let a solver work on vectors per element, as in the EBE paper (X. Ren et al., Research on EBE-FEM
/// parallel algorithm combined with fast color marking method based on CUDA platform, equations 6 to 12).

#include "linalg/linear_operator.hpp"

namespace tessera::linalg {

/// Position of value k of the i-th element in an array with `n_values` per element. The values of an element are
/// contiguous on hosts; on devices equal local values of neighbouring elements are.
template <bool OnHost>
KOKKOS_INLINE_FUNCTION std::int64_t element_position(std::int64_t i, int k, int n_values, std::int64_t n_elements) {
  return OnHost ? i * n_values + k : k * n_elements + i;
}

/// A = sum over elements of Q^T A^e Q with stored or recomputed element matrices A^e. A vector per element has one
/// value for each node of each element, at element_place(); the operator chooses the order of elements. In the paper's
/// notation v^e is an element's contribution and v^(e) the values of the assembled v = sum of Q^T v^e at its nodes.
template <class ExecutionSpace> class ElementLevelOperator : public LinearOperator<ExecutionSpace> {
public:
  using typename LinearOperator<ExecutionSpace>::vector_type;
  using typename LinearOperator<ExecutionSpace>::const_vector_type;

  /// Element matrices are symmetric.
  bool is_symmetric() const override { return true; }

  virtual std::int64_t n_elements() const = 0;
  virtual int nodes_per_element() const = 0;

  /// Unknowns of the elements' nodes; indices beyond the elements' unknowns denote fixed values.
  virtual Array<const index_t*, ExecutionSpace> unknowns() const = 0;

  /// Index of the first owned unknown among those of the elements: the owned ones are [first_owned(), first_owned() +
  /// size()), the others are ghosts. In sums over elements, an element with unknowns below the owned ones is counted by
  /// another process.
  virtual index_t first_owned() const { return 0; }
  /// Values at all unknowns of the elements from the owned ones: `own` itself, or else `reached`, which is allocated at
  /// the first call. Collective.
  virtual const_vector_type reach(const ExecutionSpace&, const const_vector_type& own, vector_type&) const {
    return own;
  }

  /// q^e = A^e p^(e) and *pq = sum of (p^(e), q^e) in a fixed order (equation 10) over the elements without unknowns
  /// below `first_counted`. p is zero at fixed nodes. The workspace is for one sum over the elements. Does not wait.
  virtual void multiply(const ExecutionSpace& exec, const const_vector_type& p, const vector_type& q,
                        index_t first_counted, const ReduceWorkspace<ExecutionSpace>& workspace, double* pq) const = 0;

  /// m^e: contribution of each element to the diagonal; zero at fixed nodes.
  virtual void element_diagonal(const ExecutionSpace& exec, const vector_type& m) const = 0;

  /// sum = sum of Q^T v^e, gathered by unknowns (without fixed nodes) or colour by colour (algorithm 4). Does not wait.
  virtual void accumulate(const ExecutionSpace& exec, const const_vector_type& v, const vector_type& sum) const = 0;

  /// Minimum traffic of one multiply() and one accumulate().
  virtual Traffic multiply_traffic() const = 0;
  virtual Traffic accumulate_traffic() const = 0;
};

} // namespace tessera::linalg

#endif
