// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/dg/dg_adaptation.hpp"

#include "core/kokkos_ext/spaces.hpp"
#include "core/transfer/upload.hpp"
#include "driver/mesh/prepare_mesh.hpp"
#include "mesh/edges.hpp"
#include "mesh/polytopes/agglomerate.hpp"
#include "mesh/polytopes/make_polytopic_mesh.hpp"
#include "mesh/refine/bisection.hpp"
#include "mesh/refine/straight_edges.hpp"
#include "physics/estimates/mark_largest.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace tessera::driver {

namespace {

/// Factors of the expected squares of errors, of Melenk and Wohlmuth.
constexpr double of_division = 4.; // times 2^(-2 p)
constexpr double of_degree = 0.4;

template <int Dim> struct Piece {
  index_t simplex;
  double measure;
  std::array<double, Dim> centre;
};

/// Divides pieces into two sets of about equal measure across their largest extent, and each of these again, `levels`
/// times. Gives the sets ascending numbers from `next` on.
template <int Dim>
void divide(std::vector<Piece<Dim>> pieces, int levels, std::vector<index_t>& part_of, index_t& next) {
  if (levels == 0 || pieces.size() == 1) {
    for (const Piece<Dim>& piece : pieces)
      part_of[static_cast<std::size_t>(piece.simplex)] = next;
    ++next;
    return;
  }
  std::array<double, Dim> low, high;
  low.fill(std::numeric_limits<double>::infinity());
  high.fill(-std::numeric_limits<double>::infinity());
  double all = 0.;
  for (const Piece<Dim>& piece : pieces) {
    all += piece.measure;
    for (std::size_t d = 0; d < Dim; ++d) {
      low[d] = std::min(low[d], piece.centre[d]);
      high[d] = std::max(high[d], piece.centre[d]);
    }
  }
  std::size_t along = 0;
  for (std::size_t d = 1; d < Dim; ++d)
    if (high[d] - low[d] > high[along] - low[along])
      along = d;
  std::stable_sort(pieces.begin(), pieces.end(),
                   [&](const Piece<Dim>& a, const Piece<Dim>& b) { return a.centre[along] < b.centre[along]; });
  auto middle = pieces.begin();
  for (double sum = middle->measure; middle + 1 != pieces.end() && sum + 0.5 * (middle + 1)->measure <= 0.5 * all;)
    sum += (++middle)->measure;
  if (++middle == pieces.end())
    --middle;
  divide<Dim>({pieces.begin(), middle}, levels - 1, part_of, next);
  divide<Dim>({middle, pieces.end()}, levels - 1, part_of, next);
}

/// The simplex of which each simplex of a bisected mesh is a part: both are in the same order, and all vertices of the
/// former are needed for those of the latter.
template <int Dim, class Coarse, class Fine, class Parents>
std::vector<index_t> coarse_simplices(const Coarse& coarse, const Fine& fine, const Parents& parents) {
  std::vector<index_t> of_fine(fine.extent(0));
  index_t at = 0;
  for (std::size_t s = 0; s < fine.extent(0); ++s) {
    const auto is_part = [&] {
      for (int a = 0; a <= Dim; ++a)
        for (int k = 0; k < 2; ++k) {
          bool is_vertex = false;
          for (int b = 0; b <= Dim; ++b)
            is_vertex = is_vertex || coarse(at, b) == parents(fine(s, a), k);
          if (!is_vertex)
            return false;
        }
      return true;
    };
    while (!is_part())
      ++at;
    of_fine[s] = at;
  }
  return of_fine;
}

} // namespace

template <int Dim, class ExecutionSpace>
DgElements<Dim, ExecutionSpace>
DgAdaptation<Dim, ExecutionSpace>::refined(const ExecutionSpace& exec, const DgProblem<Dim, ExecutionSpace>& problem,
                                           const Array<const double*, ExecutionSpace>& squares, Context& context) {
  const auto n_elements = static_cast<std::size_t>(problem.mesh.n_elements());
  const auto marked = tessera::to_host(exec, physics::mark_largest(exec, squares, share_));
  const auto square = tessera::to_host(exec, squares);
  const auto degrees = tessera::to_host(exec, problem.form.space.degrees);
  const auto offsets = tessera::to_host(exec, problem.mesh.simplex_offsets);
  const auto element_of = tessera::to_host(exec, problem.mesh.element_of);
  if (expected_.size() != n_elements)
    expected_.assign(n_elements, std::numeric_limits<double>::infinity());

  std::vector<bool> is_divided(n_elements, false);
  std::vector<int> degree(degrees.data(), degrees.data() + n_elements);
  std::vector<double> expected = expected_;
  for (std::size_t e = 0; e < n_elements; ++e) {
    if (marked(e) == 0)
      continue;
    if (degree[e] < max_order_ && square(e) <= expected_[e]) {
      ++degree[e];
      expected[e] = of_degree * square(e);
    } else {
      is_divided[e] = true;
      expected[e] = of_division * std::exp2(-2. * degree[e] - Dim) * square(e);
    }
  }

  std::vector<std::uint8_t> is_bisected(element_of.extent(0));
  for (std::size_t s = 0; s < is_bisected.size(); ++s) {
    const auto e = static_cast<std::size_t>(element_of(s));
    is_bisected[s] = is_divided[e] && offsets(e + 1) - offsets(e) < (1 << Dim) ? 1 : 0;
  }
  const mesh::Mesh<Dim, Space>& coarse = problem.mesh.simplices;
  mesh::Mesh<Dim, Space> fine = coarse;
  const bool bisects = std::any_of(is_bisected.begin(), is_bisected.end(), [](std::uint8_t is) { return is != 0; });
  if (bisects) {
    mesh::StraightEdges straight;
    fine = mesh::bisect_marked<ExecutionSpace, Dim>(
        exec, coarse, Array<const std::uint8_t*, ExecutionSpace>(uploaded(exec, "driver::is_bisected", is_bisected)),
        &straight);
    note_straight_edges(straight, Dim, "mesh.adapt", "inverted", context.notes);
    if (fine.curved.n_facets() > 0)
      check_refined<ExecutionSpace, Dim>(exec, fine, context.input.mesh, "mesh.adapt");
  }
  const auto nodes = tessera::to_host(exec, fine.elements);
  const auto coordinates = tessera::to_host(exec, fine.coordinates);
  std::vector<index_t> coarse_of;
  if (!bisects)
    for (std::size_t s = 0; s < nodes.extent(0); ++s)
      coarse_of.push_back(static_cast<index_t>(s));
  else
    coarse_of = coarse_simplices<Dim>(tessera::to_host(exec, coarse.elements), nodes,
                                      tessera::to_host(exec, fine.node_parents.front()));
  fine.node_parents.clear();

  std::vector<std::vector<Piece<Dim>>> pieces(n_elements);
  for (std::size_t s = 0; s < nodes.extent(0); ++s) {
    double p[Dim + 1][Dim];
    double normals[Dim + 1][Dim];
    Piece<Dim> piece{static_cast<index_t>(s), 0., {}};
    for (int a = 0; a <= Dim; ++a)
      for (int d = 0; d < Dim; ++d) {
        p[a][d] = coordinates(nodes(s, a), d);
        piece.centre[static_cast<std::size_t>(d)] += p[a][d] / (Dim + 1);
      }
    piece.measure = std::abs(fe::simplex_normals(p, normals));
    pieces[static_cast<std::size_t>(element_of(coarse_of[s]))].push_back(piece);
  }
  std::vector<index_t> part_of(nodes.extent(0));
  std::vector<std::size_t> element_of_part;
  index_t n_parts = 0;
  for (std::size_t e = 0; e < n_elements; ++e) {
    divide<Dim>(std::move(pieces[e]), is_divided[e] ? Dim : 0, part_of, n_parts);
    element_of_part.resize(static_cast<std::size_t>(n_parts), e);
  }

  const auto node_incidence = mesh::build_node_incidence(exec, fine);
  const auto dual = mesh::build_dual_graph(exec, fine, node_incidence);
  const auto joined = mesh::agglomerate_parts<ExecutionSpace, Dim>(
      exec, fine, dual, Array<const index_t*, ExecutionSpace>(uploaded(exec, "driver::parts", part_of)), n_parts);
  DgElements<Dim, ExecutionSpace> next;
  next.mesh = mesh::make_polytopic_mesh<ExecutionSpace, Dim>(
      exec, fine, node_incidence, dual, mesh::ElementNumbers<ExecutionSpace>{joined.element_of, joined.n_elements});
  const auto new_element_of = tessera::to_host(exec, next.mesh.element_of);
  next.degrees.resize(static_cast<std::size_t>(next.mesh.n_elements()));
  expected_.resize(next.degrees.size());
  for (std::size_t s = 0; s < part_of.size(); ++s) {
    const std::size_t before = element_of_part[static_cast<std::size_t>(part_of[s])];
    const auto e = static_cast<std::size_t>(new_element_of(s));
    next.degrees[e] = degree[before];
    expected_[e] = expected[before];
  }
  return next;
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template class DgAdaptation<2, SPACE>;                                                                               \
  template class DgAdaptation<3, SPACE>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
