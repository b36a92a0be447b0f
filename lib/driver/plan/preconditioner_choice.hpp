// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PLAN_PRECONDITIONER_CHOICE_HPP
#define TESSERA_DRIVER_PLAN_PRECONDITIONER_CHOICE_HPP

#include "io/input/case.hpp"

#include <cstdint>
#include <string>

namespace tessera::driver {

struct PreconditionerChoice {
  io::Preconditioner preconditioner = io::Preconditioner::jacobi;
  std::string reason; ///< of `auto`; empty if the input names the preconditioner
};

/// The input's preconditioner. For `auto` multigrid, if it pays for this number of nodes of the space (fewer if more
/// than a tenth of the elements are anisotropic, driver/plan/anisotropy.hpp) and suits the problem, and if the input
/// allows a strategy with a matrix or multigrid does not need one; otherwise Jacobi.
PreconditionerChoice choose_preconditioner(const io::Case& input, int dimension, std::int64_t n_space_nodes,
                                           double anisotropic_share = 0.);

/// Why multigrid needs a matrix of the finest level (io::why_multigrid_needs_matrix); empty if it does not.
std::string why_multigrid_needs_matrix(const io::Case& input);

} // namespace tessera::driver

#endif
