// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/problem/binding/point_sources.hpp"

#include "core/kokkos_ext/runtime.hpp"
#include "core/transfer/read_entries.hpp"

#include <cmath>
#include <numeric>
#include <sstream>
#include <unordered_map>

namespace tessera::driver {

namespace {

template <int Dim, class Space> struct SquaredDistance {
  Array<const double* [Dim], Space> coordinates;
  double at[Dim];
  KOKKOS_FUNCTION void operator()(index_t n, double& smallest) const {
    double sum = 0.;
    for (int d = 0; d < Dim; ++d)
      sum += (coordinates(n, d) - at[d]) * (coordinates(n, d) - at[d]);
    smallest = sum < smallest ? sum : smallest;
  }
};

/// Differences of two functions at some nodes.
template <class Space> struct DifferencesAt {
  Array<const index_t*, Space> nodes;
  Array<const double*, Space> from;
  Array<const double*, Space> to;
  Array<double*, Space> differences;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { differences(i) = to(nodes(i)) - from(nodes(i)); }
};

} // namespace

template <class ExecutionSpace, int Dim>
void throw_outside(const ExecutionSpace& exec, const physics::PointSource& source,
                   const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                   const comm::Communicator& world) {
  SquaredDistance<Dim, typename ExecutionSpace::memory_space> distance{mesh.coordinates, {}};
  std::ostringstream text;
  text << source.where << ": the point source '" << source.name << "' at (";
  for (int d = 0; d < Dim; ++d) {
    distance.at[d] = source.at[static_cast<std::size_t>(d)];
    text << (d > 0 ? ", " : "") << distance.at[d];
  }
  double smallest = 0.;
  Kokkos::parallel_reduce("tessera::driver::nearest_node",
                          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, mesh.n_nodes()),
                          distance, Kokkos::Min<double>(smallest));
  smallest = -world.largest(-smallest);
  text << ") m lies outside of the mesh, whose nearest node is " << std::sqrt(smallest)
       << " m away. Its place is in metres, after mesh.scale.";
  throw Error(ErrorKind::input, text.str());
}

void check_inside(const physics::LineSource& source, const physics::LineLoads& loads) {
  constexpr double rounding = 1e-8; // relative to the length
  if (loads.outside <= rounding * loads.length)
    return;
  std::ostringstream text;
  text << source.where << ": " << loads.outside << " m of the " << loads.length << " m of the line source '"
       << source.name << "' lie outside of the mesh, first near (" << loads.first_outside[0] << ", "
       << loads.first_outside[1] << ", " << loads.first_outside[2]
       << ") m. Its ends are in metres, after mesh.scale. Where a curved boundary of straight elements is all that is "
          "in "
          "the way, let it end a bit inside.";
  throw Error(ErrorKind::input, text.str());
}

std::vector<assembly::NodalLoad> sum_at_nodes(const std::vector<SourceLoads>& sources) {
  std::vector<assembly::NodalLoad> sums;
  for (const SourceLoads& source : sources) {
    std::unordered_map<index_t, std::size_t> place; // index of a node's load
    for (const physics::PointLoad& load : source.loads)
      for (std::size_t a = 0; a < load.nodes.size(); ++a) {
        const auto [found, is_new] = place.emplace(load.nodes[a], sums.size());
        if (is_new)
          sums.push_back({load.nodes[a], load.element, load.values[a]});
        else
          sums[found->second].value += load.values[a];
      }
  }
  return sums;
}

template <class ExecutionSpace>
void check_sources(const ExecutionSpace& exec, const io::Case& input, const std::vector<SourceLoads>& sources,
                   const Array<const group_t*, ExecutionSpace>& regions, const std::vector<std::string>& region_names,
                   const fe::DofMap<typename ExecutionSpace::memory_space>& dofs, const comm::Communicator& world,
                   std::vector<std::string>& notes) {
  constexpr double rounding = 1e-9; // of barycentric coordinates
  for (const SourceLoads& source : sources) {
    std::vector<std::int64_t> elements;
    std::vector<std::int64_t> nodes;
    std::vector<double> sizes; // of the loads of these nodes
    for (const physics::PointLoad& load : source.loads) {
      elements.push_back(load.element);
      nodes.insert(nodes.end(), load.nodes.begin(), load.nodes.end());
      for (const double value : load.values)
        sizes.push_back(std::fabs(value));
    }
    for (const group_t number : read_entries(exec, regions, elements)) {
      const std::string& region = region_names[number];
      TESSERA_REQUIRE(io::shell_of(input.problem, region) == nullptr,
                      source.head << "lies in the shell '" << region
                                  << "', which stands for open space without sources.");
    }
    const double all = world.added(std::accumulate(sizes.begin(), sizes.end(), 0.));
    double free = 0.;
    const std::vector<index_t> unknowns = read_entries(exec, dofs.node_dof, nodes);
    for (std::size_t i = 0; i < nodes.size(); ++i)
      free += dofs.is_free(unknowns[i]) ? sizes[i] : 0.;
    if (world.added(free) <= rounding * all && all != 0.)
      notes.push_back(source.head + "lies where the " + io::traits_of(input.problem.physics).solution.name +
                      " is fixed: it has no effect on the field.");
  }
}

template <class ExecutionSpace>
std::vector<double> works_of_loads(const ExecutionSpace& exec, const std::vector<assembly::NodalLoad>& loads,
                                   const Array<const double*, ExecutionSpace>& from,
                                   const Array<const double*, ExecutionSpace>& to) {
  using Space = typename ExecutionSpace::memory_space;
  std::vector<index_t> nodes;
  for (const assembly::NodalLoad& load : loads)
    nodes.push_back(load.node);
  const auto table = uploaded(exec, "driver::load_nodes", nodes);
  const auto differences = make_array<Array<double*, Space>>(exec, "driver::differences_at_loads", nodes.size());
  for_each("tessera::driver::differences_at_loads", exec, static_cast<std::int64_t>(nodes.size()),
           DifferencesAt<Space>{table, from, to, differences});
  const auto host = to_host(exec, differences); // waits: the table may be freed
  std::vector<double> works;
  for (std::size_t i = 0; i < loads.size(); ++i)
    works.push_back(loads[i].value * host(i));
  return works;
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template void throw_outside<SPACE, 2>(const SPACE&, const physics::PointSource&,                                     \
                                        const mesh::Mesh<2, typename SPACE::memory_space>&,                            \
                                        const comm::Communicator&);                                                    \
  template void throw_outside<SPACE, 3>(const SPACE&, const physics::PointSource&,                                     \
                                        const mesh::Mesh<3, typename SPACE::memory_space>&,                            \
                                        const comm::Communicator&);                                                    \
  template void check_sources<SPACE>(const SPACE&, const io::Case&, const std::vector<SourceLoads>&,                   \
                                     const Array<const group_t*, SPACE>&, const std::vector<std::string>&,             \
                                     const fe::DofMap<typename SPACE::memory_space>&, const comm::Communicator&,       \
                                     std::vector<std::string>&);                                                       \
  template std::vector<double> works_of_loads<SPACE>(const SPACE&, const std::vector<assembly::NodalLoad>&,            \
                                                     const Array<const double*, SPACE>&,                               \
                                                     const Array<const double*, SPACE>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
