// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/discretization.hpp"

#include "core/kokkos_ext/spaces.hpp"

namespace tessera::driver {

template <class ExecutionSpace>
std::unique_ptr<Discretization<ExecutionSpace>>
make_discretization(const ExecutionSpace& exec, const io::ImportedMesh& imported, const ProblemBinding& binding,
                    KeptRun* kept, Context& context, Results& results) {
  if (context.input.discretization.method == io::Method::dg)
    return make_dg(exec, imported, kept, context, results);
  if (context.input.current)
    return make_electro_thermal(exec, imported, binding, kept, context, results);
  if (io::is_harmonic(context.input.problem.physics))
    return make_harmonic(exec, imported, binding, kept, context, results);
  return make_lagrange(exec, imported, binding, kept, context, results);
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template std::unique_ptr<Discretization<SPACE>> make_discretization<SPACE>(                                          \
      const SPACE&, const io::ImportedMesh&, const ProblemBinding&, KeptRun*, Context&, Results&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
