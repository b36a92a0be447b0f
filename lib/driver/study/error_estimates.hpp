// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_STUDY_ERROR_ESTIMATES_HPP
#define TESSERA_DRIVER_STUDY_ERROR_ESTIMATES_HPP

/// \file
/// Errors of quantities and probes, estimated from a second solution on a finer mesh and with shorter steps of time
/// (docs/theory.md, errors of quantities).

#include "driver/results.hpp"
#include "io/input/case.hpp"
#include "io/mesh_files/imported_mesh.hpp"

#include <functional>

namespace tessera::driver {

/// Whether the input requests estimates where they are cheap; `is_point`: of a sweep, whose points need `true`.
bool may_estimate(const io::Case& input, bool is_point);

/// The shape of curved boundaries apart from its mesh: the finer mesh needs it although that of the run does not.
struct CurvedShape {
  int degree = 0;
  std::vector<index_t> facets;
  std::vector<double> points;
};
/// Exchanges the shape of the mesh with another one.
void exchange_shape(io::ImportedMesh& mesh, CurvedShape& shape);

/// Solves a case, and adds what it finds to the results.
using SolveCase = std::function<void(const io::Case& input, Results& results)>;

/// Adds the estimates to the quantities and probes of a run, or a note why there are none. Collective on `world`.
void add_estimates(const io::Case& input, const comm::Communicator& world, const SolveCase& solve, Results& results);

} // namespace tessera::driver

#endif
