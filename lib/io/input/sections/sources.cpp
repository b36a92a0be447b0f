// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/input/input_text.hpp"
#include "io/input/sections/sections.hpp"

#include <algorithm>

namespace tessera::io::detail {

namespace {

Source read_source(MapReader in, const std::string& region, const ProblemOptions& problem) {
  const PhysicsTraits& traits = traits_of(problem.physics);
  Source source;
  source.region = {region, in.where()};
  const bool may_have_total = *traits.source_total != '\0' && !has_vector_potential(problem.physics);
  const bool has_total = may_have_total && in.has(traits.source_total);
  if (has_total && in.has(traits.source))
    in.fail("a source has either " + std::string(traits.source) + " or " + traits.source_total +
            ", its integral over the region, found both.");
  else if (!has_total)
    in.require(traits.source, may_have_total ? "a number or an expression, or " + std::string(traits.source_total) +
                                                   ", its integral over the region"
                                             : "a number or an expression");
  source.density = in.scalar(traits.source, {});
  if (has_total)
    source.total = in.number(traits.source_total, 0.);
  in.finish();
  return source;
}

PointSourceInput read_point_source(MapReader in, const std::string& name, int dimension,
                                   const ProblemOptions& problem) {
  const char* strength = traits_of(problem.physics).source_total;
  PointSourceInput source;
  source.name = {name, in.where()};
  in.require("at", "where it is, in metres");
  const std::vector<double> at = in.numbers("at", dimension == 3 ? 3 : 2, dimension == 2 ? 2 : 3);
  std::copy(at.begin(), at.end(), source.at.begin());
  source.n_coordinates = static_cast<int>(at.size());
  in.require(strength, "a number");
  source.strength = in.number(strength, 0.);
  in.finish();
  const bool axisymmetric = problem.symmetry == Symmetry::axisymmetric;
  if (axisymmetric && !at.empty() && source.at[0] < 0.)
    in.fail("at", "the first number is the radius of a ring, which must not be negative.");
  if (axisymmetric && has_vector_potential(problem.physics) && !at.empty() && source.at[0] == 0.)
    in.fail("at", "a ring of radius 0 has no current around the axis.");
  return source;
}

LineSourceInput read_line_source(MapReader in, const std::string& name, const ProblemOptions& problem) {
  const std::string strength = line_source_key(problem.physics);
  LineSourceInput source;
  source.name = {name, in.where()};
  std::size_t n_ends = 0;
  for (const auto& [key, end] : {std::pair("from", &source.from), std::pair("to", &source.to)}) {
    in.require(key, "an end of the line, in metres");
    const std::vector<double> at = in.numbers(key, 3, 3);
    std::copy(at.begin(), at.end(), end->begin());
    n_ends += at.size() == 3 ? 1 : 0;
  }
  if (n_ends == 2 && source.from == source.to)
    in.fail("to", "is the same point as from: the line has no length. For a source at a point there is "
                  "problem.point_sources.");
  in.require(strength, "a number");
  source.density = in.number(strength, 0.);
  in.finish();
  return source;
}

} // namespace

void read_sources(MapReader in, ProblemOptions& problem) {
  for (const std::string& region : in.keys())
    problem.sources.push_back(read_source(in.map(region), region, problem));
}

void read_point_sources(MapReader in, int dimension, ProblemOptions& problem) {
  if (in.exists() && *traits_of(problem.physics).source_total == '\0') {
    in.fail("has no meaning in " + name_of(problem.physics) + ".");
    return;
  }
  for (const std::string& name : in.keys()) {
    const PointSourceInput source = read_point_source(in.map(name), name, dimension, problem);
    const auto other = std::find_if(problem.point_sources.begin(), problem.point_sources.end(),
                                    [&](const PointSourceInput& earlier) { return earlier.at == source.at; });
    if (other != problem.point_sources.end())
      in.fail(name,
              "is at the position of '" + printable(other->name.name) + "'. Give one source with the sum of both.");
    problem.point_sources.push_back(source);
  }
}

void read_line_sources(MapReader in, int dimension, ProblemOptions& problem) {
  if (!in.exists())
    return;
  if (dimension == 2 || has_vector_potential(problem.physics)) {
    in.fail("is for three dimensions. In two a point source is a line across the plane, or a ring around the axis: "
            "problem.point_sources.");
    return;
  }
  if (line_source_key(problem.physics).empty()) {
    in.fail("has no meaning in " + name_of(problem.physics) + ".");
    return;
  }
  for (const std::string& name : in.keys())
    problem.line_sources.push_back(read_line_source(in.map(name), name, problem));
}

} // namespace tessera::io::detail
