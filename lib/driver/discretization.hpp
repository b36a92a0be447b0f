// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_DISCRETIZATION_HPP
#define TESSERA_DRIVER_DISCRETIZATION_HPP

#include "driver/context.hpp"
#include "driver/evaluation/paths/probes.hpp"
#include "driver/evaluation/verification.hpp"
#include "driver/results.hpp"
#include "io/mesh_files/imported_mesh.hpp"
#include "io/output/output_directory.hpp"

#include <array>
#include <memory>
#include <vector>

namespace tessera::driver {

struct KeptRun;
struct ProblemBinding;

/// A problem on its mesh with its solution: what a run (driver/steps.hpp) needs of Lagrange elements and of
/// discontinuous ones. Objects refer to the arguments from which they were made. All functions are collective.
template <class ExecutionSpace> class Discretization {
public:
  virtual ~Discretization() = default;

  /// Assembles and solves the next time step, or a steady problem as one step, with its phases in the log. Sets
  /// `results.solve`, adds histories, and returns whether the matrix was computed again. Failure to converge is
  /// reported in the results, not thrown.
  virtual bool solve(Results& results) = 0;
  /// Call this after the last step: completes the file of fields and adds to `results` and to the notes what is known
  /// of all steps.
  virtual void finish(Results&) {}

  /// Writes the fields of the current step. With parts of the mesh each process writes a piece; `output` is null except
  /// on rank 0.
  virtual void write_fields(const io::OutputDirectory* output) = 0;
  /// Writes the matrix of the last step, and its right-hand side next to it, to output.matrix. Before
  /// begin_evaluation().
  virtual void write_matrix(const io::OutputDirectory&) {}
  /// Call this before the functions below and, for the current step, after write_fields(): frees what they do not need.
  virtual void begin_evaluation() {}
  /// See ValuesAt.
  virtual std::vector<physics::PointValue> values_at(const std::vector<std::array<double, 3>>& points,
                                                     bool recovered) const = 0;
  /// Adds the quantities of the current step that the input requests.
  virtual void add_quantities(Results& results) const = 0;
  /// See ErrorsOf; in time-dependent problems of all steps.
  virtual std::vector<NormError> errors(const physics::Expression& exact,
                                        const std::vector<physics::Expression>& gradient) const = 0;
};

/// Makes the problem of the input: decides how to solve it, checks memory, makes mesh and form, and distributes them
/// over the processes. Sets `results.problem`, `processes` and `estimated_bytes`. `kept`: data reused between runs of a
/// sweep; null: none.
template <class ExecutionSpace>
std::unique_ptr<Discretization<ExecutionSpace>>
make_discretization(const ExecutionSpace& exec, const io::ImportedMesh& imported, const ProblemBinding& binding,
                    KeptRun* kept, Context& context, Results& results);

/// The same for discretization.method: cg.
template <class ExecutionSpace>
std::unique_ptr<Discretization<ExecutionSpace>>
make_lagrange(const ExecutionSpace& exec, const io::ImportedMesh& imported, const ProblemBinding& binding,
              KeptRun* kept, Context& context, Results& results);
/// The same for problem.physics: eddy-currents and electro-quasistatics, with all frequencies as one step.
template <class ExecutionSpace>
std::unique_ptr<Discretization<ExecutionSpace>>
make_harmonic(const ExecutionSpace& exec, const io::ImportedMesh& imported, const ProblemBinding& binding,
              KeptRun* kept, Context& context, Results& results);
/// The same for problem.physics: electro-thermal.
template <class ExecutionSpace>
std::unique_ptr<Discretization<ExecutionSpace>>
make_electro_thermal(const ExecutionSpace& exec, const io::ImportedMesh& imported, const ProblemBinding& binding,
                     KeptRun* kept, Context& context, Results& results);
/// The same for discretization.method: dg.
template <class ExecutionSpace>
std::unique_ptr<Discretization<ExecutionSpace>> make_dg(const ExecutionSpace& exec, const io::ImportedMesh& imported,
                                                        KeptRun* kept, Context& context, Results& results);

} // namespace tessera::driver

#endif
