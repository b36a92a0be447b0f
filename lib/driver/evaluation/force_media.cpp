// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/evaluation/force_media.hpp"

#include <algorithm>
#include <map>

namespace tessera::driver {

std::string why_unfit(const ProblemBinding& binding, const io::ProblemOptions& options, const std::string& name,
                      std::size_t region) {
  const physics::RegionData& data = binding.medium().regions[region];
  for (const io::Material& material : options.materials)
    if (material.region.name == name) {
      if (material.shell)
        return "is a shell that stands for open space";
      if (material.conductivity != 0.)
        return binding.magnetic ? "conducts induced currents" : "conducts";
      if (material.loss_tangent != 0.)
        return "has dielectric losses";
    }
  if (binding.magnetic) {
    const physics::MagneticRegion& magnetic = binding.magnetic->regions[region];
    if (magnetic.curve >= 0)
      return "has a B-H curve";
    if (magnetic.is_magnet())
      return "is a magnet";
    for (const physics::Coil& coil : binding.magnetic->coils)
      if (coil.direction[region] != 0.)
        return "is of the coil '" + coil.name + "'";
  }
  const auto is_number = [](const physics::Expression& e) { return e.is_constant(); };
  if (data.has_source())
    return binding.magnetic ? "has a current density" : "has a charge density";
  if (!std::all_of(data.coefficient.begin(), data.coefficient.end(), is_number))
    return "has a material that varies";
  for (const physics::Expression& entry : data.coefficient)
    if (entry.value() != data.coefficient.front().value())
      return "has an anisotropic material";
  if (!data.off_diagonal.empty())
    return "has an anisotropic material";
  return "";
}

std::vector<int> media_of(const ProblemBinding& binding, const io::ProblemOptions& options,
                          const std::vector<std::string>& regions) {
  std::vector<int> media;
  std::map<double, int> of_coefficient;
  for (std::size_t r = 0; r < regions.size(); ++r) {
    media.push_back(static_cast<int>(r));
    if (why_unfit(binding, options, regions[r], r).empty())
      media[r] =
          of_coefficient.emplace(binding.medium().regions[r].coefficient.front().value(), media[r]).first->second;
  }
  return media;
}

} // namespace tessera::driver
