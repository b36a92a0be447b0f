// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/transfer/upload.hpp"
#include "mesh/parts/box_curve.hpp"
#include "mesh/parts/curve_pieces.hpp"
#include "spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>

#include <algorithm>

using namespace tessera;

namespace {

/// Codes of grid positions with equal spacing in all directions, along a cube's curve.
template <int Dim> mesh::BoxCodes<Dim> codes_of(const std::array<index_t, Dim>& n_positions) {
  mesh::BoxCodes<Dim> codes;
  mesh::MortonCurve<Dim> curve{};
  curve.scale =
      (1 << mesh::curve_bits<Dim>) / static_cast<double>(*std::max_element(n_positions.begin(), n_positions.end()));
  for (int d = 0; d < Dim; ++d)
    for (index_t i = 0; i < n_positions[static_cast<std::size_t>(d)]; ++i) {
      double point[Dim] = {};
      point[d] = i + 0.5;
      codes[static_cast<std::size_t>(d)].push_back(curve(point));
    }
  return codes;
}

template <int Dim> mesh::BoxBlock<Dim> all_places(const std::array<index_t, Dim>& n_positions) {
  mesh::BoxBlock<Dim> all{};
  for (int d = 0; d < Dim; ++d)
    all.end[d] = n_positions[static_cast<std::size_t>(d)];
  return all;
}

template <int Dim, class F> void for_all_places(const mesh::BoxBlock<Dim>& all, const F& f) {
  mesh::GridIndex<Dim> p{};
  for (p.i[Dim - 1] = 0; p.i[Dim - 1] < all.end[Dim - 1]; ++p.i[Dim - 1])
    for (p.i[Dim - 2] = 0; p.i[Dim - 2] < all.end[Dim - 2]; ++p.i[Dim - 2])
      if constexpr (Dim == 2)
        f(p);
      else
        for (p.i[0] = 0; p.i[0] < all.end[0]; ++p.i[0])
          f(p);
}

template <int Dim, class Space> struct WritePlaces {
  mesh::GridIndices<Dim, Space> indices;
  Array<index_t* [Dim], Space> listed;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const mesh::GridIndex<Dim> p = indices(i);
    for (int d = 0; d < Dim; ++d)
      listed(i, d) = p.i[d];
  }
};

/// Checks that the blocks of an interval of the curve are its nodes, and that slabs list the positions that they reach
/// once, in ascending order.
template <int Dim, class ExecutionSpace>
void check_slabs(const ExecutionSpace& exec, const std::array<index_t, Dim>& n_positions, std::uint64_t first,
                 std::uint64_t end, mesh::Reach reach) {
  using Space = typename ExecutionSpace::memory_space;
  const mesh::BoxCodes<Dim> codes = codes_of<Dim>(n_positions);
  const mesh::BoxBlock<Dim> all = all_places<Dim>(n_positions);
  const auto blocks = mesh::blocks_on_curve<Dim>(codes, first, end);
  mesh::BoxSlabs<Dim> slabs;
  slabs.add(blocks, reach, all);
  const auto listed_on_device = make_array<Array<index_t* [Dim], Space>>(exec, "test::places", slabs.n_positions);
  for_each("test::places", exec, slabs.n_positions,
           WritePlaces<Dim, Space>{{uploaded(exec, "test::slabs", slabs.slabs)}, listed_on_device});
  const auto listed = to_host(exec, listed_on_device);
  index_t next = 0; // position in the list
  bool is_complete = true;
  bool is_owned_in_one = true;
  for_all_places<Dim>(all, [&](const mesh::GridIndex<Dim>& p) {
    std::uint64_t key = 0;
    for (int d = 0; d < Dim; ++d)
      key |= codes[static_cast<std::size_t>(d)][static_cast<std::size_t>(p.i[d])];
    const auto n_blocks = std::count_if(blocks.begin(), blocks.end(), [&](const auto& block) { return block.has(p); });
    is_owned_in_one = is_owned_in_one && n_blocks == (key >= first && key < end ? 1 : 0);
    const bool is_reached = std::any_of(blocks.begin(), blocks.end(), [&](mesh::BoxBlock<Dim> block) {
      for (int d = 0; d < Dim; ++d) {
        block.lower[d] -= reach.below;
        block.end[d] += reach.above;
      }
      return block.has(p);
    });
    bool is_next = next < slabs.n_positions;
    for (int d = 0; d < Dim && is_next; ++d)
      is_next = listed(next, d) == p.i[d];
    next += is_next ? 1 : 0;
    is_complete = is_complete && (is_next || !is_reached);
  });
  CHECK(is_owned_in_one);
  CHECK(is_complete);
  CHECK(next == slabs.n_positions); // each once and in order
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Slabs list the places that blocks on the curve reach, in order", "[mesh]", ExecutionSpaces) {
  const TestType exec;
  const auto bits_2d = std::uint64_t(1) << 2 * mesh::curve_bits<2>;
  const auto bits_3d = std::uint64_t(1) << 3 * mesh::curve_bits<3>;
  for (const double begin : {0., 0.21, 0.45})
    for (const double length : {1e-4, 0.13, 0.5})
      for (const mesh::Reach reach : {mesh::Reach{0, 0}, mesh::Reach{2, 1}}) {
        const auto at = [&](std::uint64_t all, double part) {
          return static_cast<std::uint64_t>(part * static_cast<double>(all));
        };
        check_slabs<2>(exec, {23, 41}, at(bits_2d, begin), at(bits_2d, begin + length), reach);
        check_slabs<3>(exec, {9, 14, 11}, at(bits_3d, begin), at(bits_3d, begin + length), reach);
      }
  check_slabs<2>(exec, {23, 41}, 0, bits_2d, {2, 2});
  check_slabs<2>(exec, {23, 41}, 5, 5, {2, 2});
}

TEST_CASE("Parts of a box look at few places that they do not have", "[mesh]") {
  const std::array<index_t, 2> in_2d{201, 201};
  const std::array<index_t, 3> in_3d{61, 51, 61};
  const auto looked_at = [](const auto& codes, const auto& n_positions, int n_parts) {
    constexpr int dim = std::tuple_size<std::decay_t<decltype(n_positions)>>::value;
    std::int64_t n_nodes = 1;
    for (const index_t n : n_positions)
      n_nodes *= n;
    const auto cuts = mesh::cut_box_curve<dim>(codes, n_nodes, n_parts);
    std::int64_t most = 0;
    for (std::size_t part = 0; part + 1 < cuts.size(); ++part) {
      mesh::BoxSlabs<dim> slabs;
      slabs.add(mesh::blocks_on_curve<dim>(codes, cuts[part], cuts[part + 1]), {0, 0}, all_places<dim>(n_positions));
      most = std::max<std::int64_t>(most, slabs.n_positions);
    }
    return static_cast<double>(most) * n_parts / static_cast<double>(n_nodes);
  };
  const auto codes_2d = codes_of<2>(in_2d);
  const auto codes_3d = codes_of<3>(in_3d);
  for (const int n_parts : {1, 2, 3, 4, 7, 8, 16}) {
    INFO(n_parts << " parts");
    CHECK(looked_at(codes_2d, in_2d, n_parts) < 1.1);
    CHECK(looked_at(codes_3d, in_3d, n_parts) < 3.);
  }
}

TEMPLATE_LIST_TEST_CASE("Pieces of a curve report where its positions are", "[mesh]", ExecutionSpaces) {
  const TestType exec;
  std::vector<std::uint64_t> positions;
  for (std::uint64_t i = 0; i < 200; ++i)
    positions.push_back(i * i / 3 + (i < 20 ? 0 : 1000)); // several are equal
  const auto n = static_cast<index_t>(positions.size());
  const Array<const std::uint64_t*, TestType> on_device = uploaded(exec, "test::positions", positions);
  using Range = std::pair<std::uint64_t, std::uint64_t>;
  for (const auto& [first, end] : {Range{0, 1 << 20}, Range{1500, 1501}, Range{20, 9000}, Range{1 << 15, 1 << 20}}) {
    const auto pieces = mesh::cut_into_pieces<TestType>(exec, on_device, n, first, end);
    const auto starts = to_host(exec, pieces.starts);
    CHECK(static_cast<index_t>(starts.extent(0)) <= n / 2 + 4);
    if (end - first > 200) // otherwise each piece is one position
      CHECK(static_cast<index_t>(starts.extent(0)) > n / 4);
    CHECK(starts(0) == 0);
    CHECK(starts(starts.extent(0) - 1) == n);
    bool is_within = true;
    for (std::uint64_t position = 0; position < 40000; ++position) {
      const auto found =
          static_cast<index_t>(std::lower_bound(positions.begin(), positions.end(), position) - positions.begin());
      const index_t piece = pieces.piece(position);
      is_within = is_within && starts(piece) <= found && found <= starts(piece + 1);
    }
    CHECK(is_within);
  }
}
