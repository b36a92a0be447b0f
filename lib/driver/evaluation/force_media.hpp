// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_EVALUATION_FORCE_MEDIA_HPP
#define TESSERA_DRIVER_EVALUATION_FORCE_MEDIA_HPP

#include "driver/problem/binding/problem_binding.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tessera::driver {

/// Why the stress tensor does not give a force in a region ("has a B-H curve"), or nothing: it requires linear,
/// isotropic, homogeneous media without sources and without induced currents.
std::string why_unfit(const ProblemBinding& binding, const io::ProblemOptions& options, const std::string& name,
                      std::size_t region);

/// Numbers of the regions' media, [n_regions]: regions with equal numbers have one medium, in which the layers of
/// elements around a body continue (physics::LayerEnds).
std::vector<int> media_of(const ProblemBinding& binding, const io::ProblemOptions& options,
                          const std::vector<std::string>& regions);

} // namespace tessera::driver

#endif
