// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/advice/checks.hpp"
#include "driver/context.hpp"
#include "driver/problem/binding/problem_binding.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace tessera::driver {

namespace {

/// Disjoint sets (R. E. Tarjan, 1975), some of which are fixed.
class Sets {
public:
  explicit Sets(std::size_t n) : parent_(n), is_fixed_(n, 0) { std::iota(parent_.begin(), parent_.end(), index_t(0)); }

  index_t root(index_t i) {
    while (parent_[i] != i) {
      parent_[i] = parent_[parent_[i]];
      i = parent_[i];
    }
    return i;
  }

  void join(index_t a, index_t b) {
    const index_t top_a = root(a), top_b = root(b);
    const index_t low = std::min(top_a, top_b), high = std::max(top_a, top_b);
    is_fixed_[low] = static_cast<char>(is_fixed_[low] | is_fixed_[high]);
    parent_[high] = low;
  }

  void fix(index_t a) { is_fixed_[root(a)] = 1; }
  bool is_fixed(index_t a) { return is_fixed_[root(a)] != 0; }

private:
  std::vector<index_t> parent_;
  std::vector<char> is_fixed_; ///< of roots
};

bool is_zero(const physics::Expression& value) { return value.is_constant() && value.value() == 0.; }

struct LoosePart {
  std::int64_t n_elements = 0;
  std::set<group_t> regions;
  std::array<double, 3> place{}; ///< m, middle of its first element
  bool has_source = false;
};

/// Regions with a source; the source of a magnet adds up to zero in any part and is ignored.
std::vector<bool> source_regions(const ProblemBinding& binding) {
  const physics::DiffusionProblem& problem = binding.medium();
  std::vector<bool> has_source;
  for (const physics::RegionData& region : problem.regions)
    has_source.push_back(region.has_source());
  if (binding.magnetic)
    for (const physics::Coil& coil : binding.magnetic->coils)
      for (std::size_t r = 0; r < has_source.size(); ++r)
        has_source[r] = has_source[r] || (coil.current != 0. && coil.direction[r] != 0.);
  return has_source;
}

std::string describe(const LoosePart& part, const io::ImportedMesh& mesh) {
  std::ostringstream text;
  text << part.n_elements << " element" << (part.n_elements == 1 ? "" : "s") << " of ";
  std::size_t n = 0;
  for (const group_t region : part.regions)
    text << (n++ > 0 ? ", '" : "'") << mesh.region_names[region] << "'";
  text << " about (";
  for (int d = 0; d < mesh.dimension; ++d)
    text << (d > 0 ? ", " : "") << part.place[d];
  text << ")";
  return text.str();
}

/// Constraint at each node, the last of those given, or -1.
std::vector<int> constraints_of_nodes(const io::ImportedMesh& mesh, const std::vector<fe::Constraint>& constraints) {
  const std::size_t dim = static_cast<std::size_t>(mesh.dimension);
  std::vector<int> held(mesh.n_nodes(), -1);
  double largest_radius = 0.;
  for (std::size_t node = 0; node < mesh.n_nodes(); ++node)
    largest_radius = std::max(largest_radius, mesh.coordinates[node * dim]);
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    const int number = static_cast<int>(c);
    if (constraints[c].is_axis) {
      for (std::size_t node = 0; node < mesh.n_nodes(); ++node)
        if (mesh.coordinates[node * dim] <= 1e-9 * largest_radius)
          held[node] = number;
    } else if (constraints[c].is_region) {
      for (std::size_t i = 0; i < mesh.elements.size(); ++i)
        if (mesh.regions[i / (dim + 1)] == constraints[c].group)
          held[mesh.elements[i]] = number;
    } else {
      for (std::size_t i = 0; i < mesh.facets.size(); ++i)
        if (mesh.facet_groups[i / dim] == constraints[c].group)
          held[mesh.facets[i]] = number;
    }
  }
  return held;
}

/// Sets of the mesh's nodes and of one member for each constraint, joined and fixed according to the problem.
Sets joined_nodes(const io::ImportedMesh& mesh, const ProblemBinding& binding) {
  const physics::DiffusionProblem& problem = binding.medium();
  const std::size_t dim = static_cast<std::size_t>(mesh.dimension), width = dim + 1;
  const index_t n_nodes = static_cast<index_t>(mesh.n_nodes());
  Sets sets(mesh.n_nodes() + binding.constraints.size());
  for (std::size_t i = 0; i < mesh.elements.size(); ++i)
    sets.join(mesh.elements[i / width * width], mesh.elements[i]);
  const std::vector<int> held = constraints_of_nodes(mesh, binding.constraints);
  for (index_t node = 0; node < n_nodes; ++node)
    if (held[node] >= 0)
      sets.join(node, n_nodes + held[node]);
  for (std::size_t c = 0; c < binding.constraints.size(); ++c)
    if (!binding.constraints[c].is_tied)
      sets.fix(n_nodes + static_cast<index_t>(c));

  std::vector<bool> fixes(mesh.boundary_names.size(), false);
  for (const physics::NaturalData& data : problem.natural)
    fixes[data.group] = fixes[data.group] || !is_zero(data.alpha) || !is_zero(data.emissivity);
  std::vector<index_t> one_node(mesh.boundary_names.size(), -1); // of periodic groups
  std::vector<group_t> partner(mesh.boundary_names.size());
  std::iota(partner.begin(), partner.end(), group_t(0));
  for (const fe::PeriodicPair& pair : binding.periodic) {
    partner[pair.partner] = partner[pair.group];
    for (const group_t group : {pair.group, pair.partner})
      fixes[group] = fixes[group] || pair.is_antiperiodic;
  }
  std::vector<bool> is_periodic(mesh.boundary_names.size(), false);
  for (const fe::PeriodicPair& pair : binding.periodic)
    is_periodic[pair.group] = is_periodic[pair.partner] = true;
  int pinned = -1;
  for (std::size_t p = 0; binding.is_pinned && pinned < 0 && p < binding.jumps.size(); ++p)
    pinned = binding.jumps[p] != 0. ? binding.periodic[p].group : -1;
  for (std::size_t f = 0; f < mesh.n_facets(); ++f) {
    const group_t group = mesh.facet_groups[f];
    const index_t node = mesh.facets[f * dim];
    if (fixes[group])
      sets.fix(node);
    if (group == pinned) {
      sets.fix(node);
      pinned = static_cast<int>(mesh.boundary_names.size()); // one node
    }
    if (!is_periodic[group])
      continue;
    index_t& first = one_node[partner[group]];
    if (first >= 0)
      sets.join(first, node);
    first = node;
  }
  return sets;
}

} // namespace

void check_loose_parts(const Facts& facts, Notes& notes) {
  const io::ImportedMesh& mesh = *facts.mesh;
  const ProblemBinding& binding = *facts.binding;
  const io::Case& input = facts.input;
  const physics::DiffusionProblem& problem = binding.medium();
  const std::size_t dim = static_cast<std::size_t>(mesh.dimension), width = dim + 1;
  Sets sets = joined_nodes(mesh, binding);

  std::map<index_t, LoosePart> parts; // by root
  const std::vector<bool> has_source = source_regions(binding);
  for (std::size_t e = 0; e < mesh.n_elements(); ++e) {
    const index_t root = sets.root(mesh.elements[e * width]);
    if (sets.is_fixed(root))
      continue;
    LoosePart& part = parts[root];
    if (part.n_elements == 0)
      for (std::size_t a = 0; a < width; ++a)
        for (std::size_t d = 0; d < dim; ++d)
          part.place[d] += mesh.coordinates[static_cast<std::size_t>(mesh.elements[e * width + a]) * dim + d] /
                           static_cast<double>(width);
    ++part.n_elements;
    part.regions.insert(mesh.regions[e]);
    part.has_source = part.has_source || has_source[mesh.regions[e]];
  }
  if (parts.empty())
    return;
  std::vector<bool> drives(mesh.boundary_names.size(), false);
  for (const physics::NaturalData& data : problem.natural)
    drives[data.group] = drives[data.group] || !is_zero(data.flux);
  const auto drive = [&](index_t member) {
    const auto part = parts.find(sets.root(member));
    if (part != parts.end())
      part->second.has_source = true;
  };
  for (std::size_t f = 0; f < mesh.n_facets(); ++f)
    if (drives[mesh.facet_groups[f]])
      drive(mesh.facets[f * dim]);
  for (std::size_t c = 0; c < binding.constraints.size(); ++c)
    if (binding.constraints[c].is_tied && binding.constraints[c].total != 0.)
      drive(static_cast<index_t>(mesh.n_nodes() + c));

  constexpr int n_named = 5;
  std::string text;
  int n = 0;
  for (const auto& [root, part] : parts) {
    TESSERA_REQUIRE(!part.has_source, input.problem.boundaries_where.text()
                                          << ": nothing fixes the solution in a part of the mesh that is joined to no "
                                             "other ("
                                          << describe(part, mesh) << "), but a source acts there. Give one of its "
                                          << "boundaries a "
                                          << io::name_of(io::BoundaryKind::value, input.problem.physics)
                                          << ", or join it to the rest of the mesh by common nodes.");
    if (n++ < n_named)
      text += (text.empty() ? "" : "; ") + describe(part, mesh);
  }
  notes.push_back("Nothing fixes the solution in " + std::to_string(parts.size()) +
                  (parts.size() == 1 ? " part" : " parts") +
                  " of the mesh without a source: the field is zero there, and the " +
                  std::string(io::traits_of(input.problem.physics).solution.name) + " has no meaning (" + text +
                  (n > n_named ? "; ..." : "") + ").");
}

bool may_have_loose_parts(const io::Case& input) {
  return input.mesh.source != io::MeshSource::box && input.problem.physics != io::Physics::advection_diffusion_reaction;
}

void check_parts(const Facts& facts, Context& context) {
  if (may_have_loose_parts(facts.input))
    context.log.run_host("mesh: parts", [&] { check_loose_parts(facts, context.notes); });
}

} // namespace tessera::driver
