// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/input/temperature.hpp"

#include <algorithm>
#include <cctype>

namespace tessera::io {

bool mentions_temperature(const std::string& text) {
  const auto is_of_word = [&](std::size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_');
  };
  for (std::size_t i = text.find('T'); i != std::string::npos; i = text.find('T', i + 1))
    if ((i == 0 || !is_of_word(i - 1)) && !is_of_word(i + 1))
      return true;
  return false;
}

bool depends_on_temperature(const ProblemOptions& problem) {
  if (problem.coupling == Coupling::depends_on_heat) // the temperature is that of the other problem
    return true;
  if (problem.physics != Physics::heat)
    return false;
  const auto any = [](const std::vector<Scalar>& entries) {
    return std::any_of(entries.begin(), entries.end(),
                       [](const Scalar& entry) { return !entry.is_constant && mentions_temperature(entry.text); });
  };
  return std::any_of(problem.materials.begin(), problem.materials.end(), [&](const Material& material) {
    return any(material.coefficient.diagonal) || any(material.coefficient.off_diagonal) ||
           (problem.time.requested() && (any(material.capacity) || material.fusion));
  });
}

} // namespace tessera::io
