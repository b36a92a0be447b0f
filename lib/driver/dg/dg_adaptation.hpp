// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_DG_DG_ADAPTATION_HPP
#define TESSERA_DRIVER_DG_DG_ADAPTATION_HPP

#include "driver/dg/dg_problem.hpp"

#include <vector>

namespace tessera::driver {

/// Refines elements with large estimates: divides them, or raises their degree. As proposed by J. M. Melenk and B. I.
/// Wohlmuth (Adv. Comput. Math. 15, 2001) the degree is raised where the error fell as it does for smooth solutions
/// since the element was changed last, and the element is divided where it did not. An element is divided into about
/// 2^Dim parts of equal measure; simplices are bisected for that if it has fewer. Elements around it keep their shapes:
/// they get further vertices instead.
template <int Dim, class ExecutionSpace> class DgAdaptation {
public:
  using Space = typename ExecutionSpace::memory_space;

  /// max_order: highest degree; 0: elements are only divided. `share`: see io::Adaptation.
  DgAdaptation(int max_order, double share) : max_order_(max_order), share_(share) {}

  /// The next elements after those of a problem with the squares of their estimated errors. Throws if the refined mesh
  /// has wrong simplices.
  DgElements<Dim, ExecutionSpace> refined(const ExecutionSpace& exec, const DgProblem<Dim, ExecutionSpace>& problem,
                                          const Array<const double*, ExecutionSpace>& squares, Context& context);

private:
  int max_order_;
  double share_;
  std::vector<double> expected_; ///< squares of the elements' errors if the solution is smooth
};

} // namespace tessera::driver

#endif
