// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/evaluation/forces.hpp"

#include "core/error.hpp"
#include "driver/evaluation/force_media.hpp"
#include "driver/plan/quantity_list.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace tessera::driver {

namespace {

/// The reason why the force on a body cannot be computed, or nothing. `media`: from media_of().
std::string why_no_force(const ProblemBinding& binding, const ProblemSummary& summary,
                         const io::ProblemOptions& options, const BoundBody& body, const std::vector<int>& media,
                         const std::vector<bool>& layer) {
  const std::string head = body.where + ": no force on the body '" + body.name + "': ";
  const auto first = std::find(layer.begin(), layer.end(), true);
  if (first == layer.end())
    return head + "no element lies around it.";
  const auto r0 = static_cast<std::size_t>(first - layer.begin());
  for (std::size_t r = r0; r < layer.size(); ++r) {
    if (!layer[r])
      continue;
    const std::string reason = why_unfit(binding, options, summary.region_names[r], r);
    const std::string what = !reason.empty()         ? reason
                             : media[r] != media[r0] ? "has another material than '" + summary.region_names[r0] + "'"
                                                     : "";
    if (!what.empty())
      return head + "region '" + summary.region_names[r] + "' touches it and " + what +
             ". The stress is integrated over the elements around a body, which have to be of one linear, isotropic "
             "medium without sources, like air. Count the region to the body (groups), or leave a gap.";
  }
  return "";
}

/// The first point or line source in an element over which the stress is integrated ("point source 'a'"), or nothing.
/// With parts of the mesh `problem` is the surrounding one.
template <class ExecutionSpace>
std::string source_in_layer(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem,
                            const typename Fields<ExecutionSpace>::ConstVector& weight) {
  const int n_vertices = problem.summary.dimension + 1;
  std::vector<std::string> names;
  for (const physics::PointSource& source : problem.binding.medium().point_sources)
    names.push_back(source.name);
  for (const physics::LineSource& source : problem.binding.medium().line_sources)
    names.push_back(source.name);
  auto first_found = static_cast<std::int64_t>(names.size());
  for (const SourceElement& source : problem.source_elements) {
    const std::int64_t first = static_cast<std::int64_t>(source.element) * n_vertices;
    const auto weight_of = [&](int a) {
      return read_entry(exec, weight, read_entry(exec, problem.vertices, first + a));
    };
    const double one = weight_of(0);
    for (int a = 1; a < n_vertices; ++a)
      if (weight_of(a) != one)
        first_found =
            std::min<std::int64_t>(first_found, std::find(names.begin(), names.end(), source.name) - names.begin());
  }
  first_found = -problem.world->largest(-first_found);
  if (first_found == static_cast<std::int64_t>(names.size()))
    return "";
  const auto first = static_cast<std::size_t>(first_found);
  return (first < problem.binding.medium().point_sources.size() ? "point source '" : "line source '") + names[first] +
         "'";
}

/// The reason why there is no second value of the force on a body.
template <class MemorySpace>
std::string single_layer_note(const ProblemSummary& summary, const BoundBody& body,
                              const physics::BodyWeights<MemorySpace>& weights) {
  std::vector<std::string> met;
  const auto add_names = [&](const std::vector<bool>& is_met, const std::vector<std::string>& names,
                             const std::string& kind) {
    for (std::size_t i = 0; i < is_met.size(); ++i)
      if (is_met[i])
        met.push_back(kind + " '" + names[i] + "'");
  };
  add_names(weights.met_regions, summary.region_names, "region");
  add_names(weights.met_boundaries, summary.boundary_names, "boundary");
  if (met.empty())
    met.emplace_back("the outside of the mesh");
  std::ostringstream note;
  note << "force on '" << body.name << "': a single layer of elements lies between it and " << io::joined(met)
       << std::setprecision(4);
  for (int d = 0; d < summary.dimension; ++d)
    note << (d == 0 ? ", first at (" : ", ") << weights.meets_at[static_cast<std::size_t>(d)];
  note << ") m. force_wide and torque_wide, which need two layers everywhere around a body, are missing: there they "
          "would "
          "be the same as force and torque, and no measure of their error. Take smaller elements on both sides "
          "(mesh.sizes), or mesh.adapt.";
  return note.str();
}

/// The reason why the force on a body cannot be computed, or nothing: its surroundings, and sources there.
template <class ExecutionSpace>
std::string why_no_force(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem, const io::Case& input,
                         const BoundBody& body, const std::vector<int>& media,
                         const physics::BodyWeights<typename ExecutionSpace::memory_space>& weights) {
  using ConstVector = typename Fields<ExecutionSpace>::ConstVector;
  const std::string reason =
      why_no_force(problem.binding, problem.summary, input.problem, body, media, weights.layer_regions);
  if (!reason.empty())
    return reason;
  for (const ConstVector& weight : {ConstVector(weights.narrow), ConstVector(weights.wide)}) {
    const std::string source =
        weight.extent(0) > 0 ? source_in_layer(exec, problem.around ? *problem.around : problem, weight) : "";
    if (!source.empty())
      return body.where + ": no force on the body '" + body.name + "': the " + source +
             " lies in the layer of elements around it over which the stress is integrated. Refine the mesh between "
             "both.";
  }
  return "";
}

bool wants_forces(const io::Case& input) {
  return wants(input, io::Quantity::force) || wants(input, io::Quantity::torque);
}

} // namespace

template <class ExecutionSpace>
void check_bodies(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem, const io::Case& input) {
  std::string reasons;
  const std::vector<int> media = media_of(problem.binding, input.problem, problem.summary.region_names);
  for (const BoundBody& body : wants_forces(input) ? problem.binding.bodies : std::vector<BoundBody>()) {
    const auto weights = problem.body_weights(exec, body.groups, media);
    const std::string reason =
        input.mesh.adapt.requested() // other meshes may have more elements between a body and a source
            ? why_no_force(problem.binding, problem.summary, input.problem, body, media, weights.layer_regions)
            : why_no_force(exec, problem, input, body, media, weights);
    reasons += (reasons.empty() || reason.empty() ? "" : "\n") + reason;
  }
  TESSERA_REQUIRE(reasons.empty(), reasons);
}

template <class ExecutionSpace>
void add_forces(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem, const io::Case& input,
                const std::vector<std::string>& suffixes, const BodyLoadsOf<ExecutionSpace>& loads_of,
                Results& results) {
  const ProblemBinding& binding = problem.binding;
  const bool axisymmetric = binding.medium().axisymmetric;
  const bool with_force = wants(input, io::Quantity::force);
  const bool with_torque = wants(input, io::Quantity::torque);
  const int dimension = problem.summary.dimension;
  const char* const directions[] = {".x", ".y", ".z"};
  const std::vector<int> media = media_of(binding, input.problem, problem.summary.region_names);
  struct Loads {
    std::string width;
    const BoundBody& body;
    std::vector<physics::BodyLoad> loads;
  };
  std::vector<Loads> list;
  for (const BoundBody& body : binding.bodies) {
    const auto weights = problem.body_weights(exec, body.groups, media);
    const std::string failure = why_no_force(exec, problem, input, body, media, weights);
    if (!failure.empty()) {
      results.failures.push_back(failure);
      results.failure_kind = ErrorKind::input;
      continue;
    }
    if (weights.is_periodic)
      results.notes.push_back(
          body.where + ": the elements around '" + body.name +
          "' reach periodic boundaries. The force is that on one period where a translation joins "
          "these, the torque where a rotation about the body's point does; the other one depends on "
          "where the period is cut.");
    list.push_back({"", body, loads_of(weights.narrow, body.about)});
    if (weights.is_wide)
      list.push_back({"_wide", body, loads_of(weights.wide, body.about)});
    else
      results.notes.push_back(single_layer_note(problem.summary, body, weights));
  }
  for (std::size_t s = 0; s < suffixes.size(); ++s)
    for (const Loads& entry : list) {
      const physics::BodyLoad& load = entry.loads[s];
      const auto add = [&](const std::string& quantity, const char* direction, double value, const char* unit) {
        add_quantity(results, quantity + entry.width + suffixes[s] + "." + entry.body.name + direction, value, unit);
      };
      for (std::size_t d = 0; d < static_cast<std::size_t>(dimension) && with_force && !axisymmetric; ++d)
        add("force", directions[d], load.force[d], "N");
      if (with_force && axisymmetric)
        add("force", ".axial", load.force[1], "N");
      for (std::size_t d = dimension == 2 ? 2 : 0; d < 3 && with_torque; ++d)
        add("torque", directions[d], load.torque[d], "N m");
    }
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template void check_bodies<SPACE>(const SPACE&, const Fields<SPACE>&, const io::Case&);                              \
  template void add_forces<SPACE>(const SPACE&, const Fields<SPACE>&, const io::Case&,                                 \
                                  const std::vector<std::string>&, const BodyLoadsOf<SPACE>&, Results&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
