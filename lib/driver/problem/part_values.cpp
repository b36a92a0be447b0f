// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/problem/part_values.hpp"

#include <array>

namespace tessera::driver {

namespace {

/// The largest of all processes' values with its place, where they have one.
void take_largest(const comm::Communicator& world, bool has, double sign, double& value, std::array<double, 3>& at) {
  struct Entry {
    int has;
    double value;
    double at[3];
  };
  const Entry own{has ? 1 : 0, value, {at[0], at[1], at[2]}};
  bool is_first = true;
  for (const Entry& entry : world.all_gather(own))
    if (entry.has == 1 && (is_first || sign * entry.value > sign * value)) {
      is_first = false;
      value = entry.value;
      at = {entry.at[0], entry.at[1], entry.at[2]};
    }
}

} // namespace

std::vector<physics::RegionValues> of_all_parts(const comm::Communicator& world,
                                                std::vector<physics::RegionValues> own) {
  if (world.is_alone())
    return own;
  for (physics::RegionValues& values : own) {
    const bool has = values.measure > 0.; // else it has no element of the region
    take_largest(world, has, -1., values.smallest, values.smallest_at);
    take_largest(world, has, 1., values.largest, values.largest_at);
    take_largest(world, has, 1., values.largest_field, values.largest_field_at);
    take_largest(world, has, 1., values.largest_flux, values.largest_flux_at);
    for (double* sum :
         {&values.measure, &values.integral, &values.field_integral, &values.flux_integral, &values.energy})
      *sum = world.added(*sum);
  }
  return own;
}

} // namespace tessera::driver
