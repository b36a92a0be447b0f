// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_PROBLEM_HPP
#define TESSERA_DRIVER_PROBLEM_PROBLEM_HPP

/// \file
/// A problem on its mesh, independent of dimension, order and form: interfaces for solve(), evaluation, compare and
/// bench.

#include "driver/context.hpp"
#include "driver/mesh/prepare_mesh.hpp"
#include "driver/problem/binding/input_values.hpp"
#include "driver/problem/equations.hpp"
#include "driver/problem/fields.hpp"
#include "driver/problem/levels.hpp"
#include "physics/estimates/error_estimate.hpp"

#include <memory>

namespace tessera::driver {

/// A problem with continuous elements. The dispatch is on the host, once per call; kernels are compiled for dimension,
/// order and form. Functions take the smallest of its interfaces that they need.
template <class ExecutionSpace>
class Problem : public Equations<ExecutionSpace>, public Fields<ExecutionSpace>, public Levels<ExecutionSpace> {
public:
  using typename ProblemData<ExecutionSpace>::Space;
  using typename ProblemData<ExecutionSpace>::Vector;
  using typename ProblemData<ExecutionSpace>::ConstVector;

  /// In a part: the problem on the elements that the process owns. `nodal` is replaced by the values at its nodes.
  /// Collective.
  virtual std::unique_ptr<Problem> of_owned_elements(const ExecutionSpace& exec, ConstVector& nodal,
                                                     Context& context) const = 0;
  /// A problem with the same unknowns, of which it shares the fixed values, and other coefficients: those of `binding`,
  /// which differs in nothing else but natural conditions. For linear problems without sources.
  virtual std::unique_ptr<Problem> with_coefficients(const ExecutionSpace& exec,
                                                     const ProblemBinding& binding) const = 0;
  /// Increased at vertices where materials meet in a chequered pattern.
  virtual physics::ErrorEstimate<ExecutionSpace> estimate_error(const ExecutionSpace& exec, const ConstVector& nodal,
                                                                io::Estimator estimator) const = 0;
  /// The problem on the mesh with the marked elements bisected (mesh/refine/bisection.hpp); null if that has more than
  /// `most_elements`, unless these are 0. Sets `start` to the values of `nodal` on it, interpolated linearly between
  /// vertices.
  virtual std::unique_ptr<Problem> bisected(const ExecutionSpace& exec,
                                            const Array<const std::uint8_t*, ExecutionSpace>& marked,
                                            std::int64_t most_elements, const ConstVector& nodal, Vector& start,
                                            Context& context) const = 0;
};

/// The problem of a case that is bound to the imported mesh: makes the mesh, numbers the unknowns and makes the form
/// assumed by the plan. Throws errors of kind input that only the mesh shows. `coarser`: the data of coarser meshes
/// that its mesh stores, for multigrid (Plan::coarser_meshes()). `prepared`: a mesh to reuse, or to be set to the mesh
/// made. With execution.mesh: parts each of several processes has its part; then collective.
template <class ExecutionSpace>
std::unique_ptr<Problem<ExecutionSpace>>
make_problem(const ExecutionSpace& exec, const io::ImportedMesh& imported, const ProblemBinding& binding, FormKind form,
             mesh::CoarserMeshes coarser, Context& context,
             PreparedMesh<typename ExecutionSpace::memory_space>* prepared = nullptr);

/// The same on a mesh with a binding. Instantiated for every space, dimension and order (problem_on_mesh.cpp.in).
template <class ExecutionSpace, int Dim, int Order>
std::unique_ptr<Problem<ExecutionSpace>>
make_problem_on_mesh(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                     const ProblemBinding& binding, FormKind form, Context& context);

/// The same on this process's part of a mesh. Collective.
template <class ExecutionSpace, int Dim, int Order>
std::unique_ptr<Problem<ExecutionSpace>>
make_problem_on_part(const ExecutionSpace& exec, const mesh::MeshPart<Dim, typename ExecutionSpace::memory_space>& part,
                     const ProblemBinding& binding, FormKind form, Context& context);

} // namespace tessera::driver

#endif
