// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/evaluation/paths/path_quantities.hpp"

#include "driver/plan/quantity_list.hpp"

namespace tessera::driver {

void PathAdder::operator()(io::PathQuantity quantity, double value, const io::Place& place) {
  const std::string name = io::name_of(quantity, traits_.physics);
  if (!name.empty() && has_(quantity))
    add_quantity(results_, name + "." + name_, value, io::unit_of(quantity, traits_), place);
}

void PathAdder::add_three(const io::PathQuantity (&quantities)[3], const AverageAndExtremes& values) {
  const auto place = [&](const std::array<double, 3>& at) {
    return io::Place{std::vector<double>(at.begin(), at.begin() + dimension_)};
  };
  (*this)(quantities[0], values.average);
  (*this)(quantities[1], values.extremes.smallest, place(values.extremes.smallest_at));
  (*this)(quantities[2], values.extremes.largest, place(values.extremes.largest_at));
}

void PathAdder::average_and_extremes(const AverageAndExtremes& solution, const AverageAndExtremes& field,
                                     const AverageAndExtremes& flux) {
  using io::PathQuantity;
  add_three({PathQuantity::average, PathQuantity::smallest, PathQuantity::largest}, solution);
  add_three({PathQuantity::average_field, PathQuantity::smallest_field, PathQuantity::largest_field}, field);
  add_three({PathQuantity::average_flux, PathQuantity::smallest_flux, PathQuantity::largest_flux}, flux);
}

void add_path_table(Results& results, io::Physics physics, const std::string& name, const std::string& member,
                    const std::vector<std::string>& members, HasQuantity has) {
  std::vector<std::string> heads;
  for (const io::PathQuantity quantity : io::path_quantities)
    if (const std::string head = io::name_of(quantity, physics); has(quantity) && !head.empty())
      heads.push_back(head);
  add_table(results, name, member, members, heads);
}

} // namespace tessera::driver
