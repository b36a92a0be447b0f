// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/checks/checks.hpp"

#include "core/algorithms/sort.hpp"
#include "core/keep_alive.hpp"
#include "core/kokkos_ext/math.hpp"
#include "core/place_text.hpp"
#include "mesh/edges.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace tessera::mesh {

namespace {

using Flag = std::uint8_t;

// Bits in the flags of an element, node or facet.
constexpr Flag out_of_range = 1;
constexpr Flag inverted = 2;
constexpr Flag degenerate = 4;
constexpr Flag duplicate = 8;
constexpr Flag non_finite = 16;
constexpr Flag orphan = 32;
constexpr Flag coincident = 64;
constexpr Flag stray = 128;
constexpr Flag overlapped = 4; // for a node

template <int Size, class Space> struct RangeCheck {
  Array<const index_t* [Size], Space> nodes;
  index_t n_nodes;
  Array<Flag*, Space> flags;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    Flag flag = 0;
    for (int a = 0; a < Size; ++a)
      if (nodes(i, a) < 0 || nodes(i, a) >= n_nodes)
        flag = out_of_range;
    flags(i) = flag;
  }
};

template <int Dim, class Space> struct NodeCheck {
  Array<const double* [Dim], Space> coordinates;
  Array<const offset_t*, Space> pair_offsets;
  Array<Flag*, Space> flags;
  KOKKOS_FUNCTION void operator()(index_t node) const {
    Flag flag = pair_offsets(node) == pair_offsets(node + 1) ? orphan : 0;
    for (int d = 0; d < Dim; ++d) {
      const double x = coordinates(node, d);
      if (!(x - x == 0.)) // infinity minus itself is NaN
        flag |= non_finite;
    }
    flags(node) = flag;
  }
};

template <int Dim, class Space> struct ElementCheck {
  static constexpr double smallest_ratio = 1e-12; // of measure to longest edge^Dim
  Array<const double* [Dim], Space> coordinates;
  Array<const index_t * [Dim + 1], Space> elements;
  Array<const offset_t*, Space> pair_offsets;
  Array<const offset_t*, Space> pairs;
  Array<Flag*, Space> flags;

  KOKKOS_FUNCTION bool has_node(index_t element, index_t node) const {
    for (int a = 0; a <= Dim; ++a)
      if (elements(element, a) == node)
        return true;
    return false;
  }

  /// Whether an element with a smaller index has the same nodes.
  KOKKOS_FUNCTION bool is_repeated(index_t element) const {
    index_t node = elements(element, 0); // the node with the fewest elements
    for (int a = 1; a <= Dim; ++a) {
      const index_t other = elements(element, a);
      if (pair_offsets(other + 1) - pair_offsets(other) < pair_offsets(node + 1) - pair_offsets(node))
        node = other;
    }
    for (offset_t k = pair_offsets(node); k < pair_offsets(node + 1); ++k) {
      const index_t other = static_cast<index_t>(pairs(k) / (Dim + 1));
      if (other >= element)
        return false;
      bool is_same = true;
      for (int a = 0; a <= Dim; ++a)
        is_same = is_same && has_node(other, elements(element, a)) && has_node(element, elements(other, a));
      if (is_same)
        return true;
    }
    return false;
  }

  KOKKOS_FUNCTION void operator()(index_t element) const {
    double p[Dim + 1][Dim];
    for (int a = 0; a <= Dim; ++a)
      for (int d = 0; d < Dim; ++d)
        p[a][d] = coordinates(elements(element, a), d);
    double longest = 0.; // squared length
    for (int a = 0; a < Dim; ++a)
      for (int b = a + 1; b <= Dim; ++b) {
        double square = 0.;
        for (int d = 0; d < Dim; ++d)
          square += (p[b][d] - p[a][d]) * (p[b][d] - p[a][d]);
        longest = square > longest ? square : longest;
      }
    const double measure = signed_measure(p);
    const double scale = Dim == 2 ? longest : longest * math::sqrt(longest);
    Flag flag = 0;
    if (!((measure < 0. ? -measure : measure) >= smallest_ratio * scale) || longest == 0.)
      flag = degenerate;
    else if (measure < 0.)
      flag = inverted;
    if (is_repeated(element))
      flag |= duplicate;
    flags(element) |= flag;
  }
};

template <int Dim, class Space> struct FacetCheck {
  Array<const index_t* [Dim], Space> facets;
  Array<const index_t * [Dim + 1], Space> elements;
  Array<const offset_t*, Space> pair_offsets;
  Array<const offset_t*, Space> pairs;
  Array<Flag*, Space> flags;
  KOKKOS_FUNCTION void operator()(index_t facet) const {
    if (flags(facet) != 0)
      return;
    index_t node = facets(facet, 0);
    bool repeats = false;
    for (int a = 1; a < Dim; ++a) {
      const index_t other = facets(facet, a);
      if (pair_offsets(other + 1) - pair_offsets(other) < pair_offsets(node + 1) - pair_offsets(node))
        node = other;
      for (int b = 0; b < a; ++b)
        repeats = repeats || other == facets(facet, b);
    }
    bool is_face = false;
    for (offset_t k = pair_offsets(node); k < pair_offsets(node + 1) && !is_face && !repeats; ++k) {
      const index_t element = static_cast<index_t>(pairs(k) / (Dim + 1));
      is_face = true;
      for (int a = 0; a < Dim; ++a) {
        bool has_node = false;
        for (int b = 0; b <= Dim; ++b)
          has_node = has_node || elements(element, b) == facets(facet, a);
        is_face = is_face && has_node;
      }
    }
    if (!is_face)
      flags(facet) = stray;
  }
};

/// Rounds coordinates to a grid of 1e-12 of the largest one along an axis, so that coordinates that differ by rounding,
/// for example of a point computed by two programs, are equal: no mesh has elements this small.
template <int Dim, class Space> struct GridCoordinates {
  Array<const double* [Dim], Space> coordinates;
  double cells_per_length[Dim] = {}; ///< 0: not rounded
  KOKKOS_FUNCTION double operator()(index_t node, int d) const {
    const double cells = coordinates(node, d) * cells_per_length[d];
    return cells_per_length[d] > 0. ? math::floor(cells + 0.5) : coordinates(node, d);
  }
};

template <int Dim, class Space> struct LargestCoordinate {
  Array<const double* [Dim], Space> coordinates;
  int d;
  KOKKOS_FUNCTION void operator()(index_t node, double& largest) const {
    const double size = math::fabs(coordinates(node, d));
    if (size > largest)
      largest = size;
  }
};

template <class ExecutionSpace, int Dim>
GridCoordinates<Dim, typename ExecutionSpace::memory_space>
grid_coordinates(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh) {
  using Space = typename ExecutionSpace::memory_space;
  constexpr double cells = 1e12; // per largest coordinate, whose rounding error is 2e-16 of it
  GridCoordinates<Dim, Space> grid;
  grid.coordinates = mesh.coordinates;
  for (int d = 0; d < Dim; ++d) {
    double largest = 0.;
    Kokkos::parallel_reduce("tessera::mesh::largest_coordinate",
                            Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, mesh.n_nodes()),
                            LargestCoordinate<Dim, Space>{mesh.coordinates, d}, Kokkos::Max<double>(largest)); // waits
    const double per_length = cells / largest;
    grid.cells_per_length[d] = std::isfinite(per_length) ? per_length : 0.; // 1/0 and 1/1e-300; 0 for an infinite one
  }
  return grid;
}

/// Hash of a node's coordinates, by which equal ones are sorted together.
template <int Dim, class Space> struct CoordinateHash {
  GridCoordinates<Dim, Space> coordinates;
  int bits;
  Array<std::uint32_t*, Space> keys;
  Array<index_t*, Space> order;
  KOKKOS_FUNCTION void operator()(index_t node) const {
    std::uint64_t hash = 0;
    for (int d = 0; d < Dim; ++d) {
      union {
        double value;
        std::uint64_t bits;
      } word;
      word.value = coordinates(node, d) + 0.; // -0 becomes 0
      hash = (hash ^ word.bits) * 0x9e3779b97f4a7c15ull;
      hash ^= hash >> 32;
    }
    hash *= 0xd6e8feb86659fd93ull;
    keys(node) = static_cast<std::uint32_t>(hash >> (64 - bits));
    order(node) = node;
  }
};

template <int Dim, class Space> struct CoincidentNodes {
  GridCoordinates<Dim, Space> coordinates;
  Array<const std::uint32_t*, Space> keys;
  Array<const index_t*, Space> order;
  Array<Flag*, Space> flags;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    // Nodes with equal hashes ascend, so that the other ones found have smaller indices.
    for (index_t j = i - 1; j >= 0 && keys(j) == keys(i); --j) {
      bool is_same = true;
      for (int d = 0; d < Dim; ++d)
        is_same = is_same && coordinates(order(j), d) == coordinates(order(i), d);
      if (is_same) {
        flags(order(i)) |= coincident;
        return;
      }
    }
  }
};

/// Whether the cone of an element's edges at a node contains a direction, with a margin: directions close to a side
/// belong to neither element.
KOKKOS_INLINE_FUNCTION bool cone_holds(const double (&edge)[2][2], const double (&ray)[2]) {
  constexpr double margin = 1e-10;
  const double size = math::sqrt(ray[0] * ray[0] + ray[1] * ray[1]);
  const double first = edge[0][0] * ray[1] - edge[0][1] * ray[0], second = ray[0] * edge[1][1] - ray[1] * edge[1][0];
  return first > margin * size * math::sqrt(edge[0][0] * edge[0][0] + edge[0][1] * edge[0][1]) &&
         second > margin * size * math::sqrt(edge[1][0] * edge[1][0] + edge[1][1] * edge[1][1]);
}
KOKKOS_INLINE_FUNCTION bool cone_holds(const double (&edge)[3][3], const double (&ray)[3]) {
  constexpr double margin = 1e-10;
  const double size = math::sqrt(ray[0] * ray[0] + ray[1] * ray[1] + ray[2] * ray[2]);
  for (int k = 0; k < 3; ++k) {
    const double* a = edge[k];
    const double* b = edge[(k + 1) % 3];
    const double volume = ray[0] * (a[1] * b[2] - a[2] * b[1]) + ray[1] * (a[2] * b[0] - a[0] * b[2]) +
                          ray[2] * (a[0] * b[1] - a[1] * b[0]);
    const double a_square = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
    const double b_square = b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
    if (!(volume > margin * size * math::sqrt(a_square * b_square)))
      return false;
  }
  return true;
}

/// Marks the nodes of facets with one element only.
template <int Dim, class Space> struct MarkOpenNodes {
  Array<const index_t * [Dim + 1], Space> elements;
  FacetMarks<Space> marks;
  Array<int*, Space> is_open;
  KOKKOS_FUNCTION void operator()(index_t element) const {
    for (int apex = 0; apex <= Dim; ++apex)
      if ((marks(element) >> (facet_mark::open + apex) & 1) != 0)
        for (int a = 0; a <= Dim; ++a)
          if (a != apex)
            Kokkos::atomic_exchange(&is_open(elements(element, a)), 1);
  }
};

/// Finds elements that overlap at a node although each facet is open or joins two elements properly. Around a node
/// without open facets such elements form a fan that covers all directions twice: any ray from the node is in two
/// elements. At other nodes, a small part of the mesh, the middle direction of every element is tested against all
/// other elements.
template <int Dim, class Space> struct OverlapCheck {
  Array<const double* [Dim], Space> coordinates;
  Array<const index_t * [Dim + 1], Space> elements;
  Array<const offset_t*, Space> pair_offsets;
  Array<const offset_t*, Space> pairs;
  Array<const int*, Space> is_open;
  Array<Flag*, Space> flags;

  /// Edges of an element from the node to the other vertices, in positive orientation as seen from the node.
  KOKKOS_FUNCTION void find_edges(index_t node, offset_t pair, double (&edge)[Dim][Dim]) const {
    const index_t element = static_cast<index_t>(pair / (Dim + 1));
    const int corner = static_cast<int>(pair % (Dim + 1));
    int n = 0;
    for (int a = 0; a <= Dim; ++a)
      if (a != corner) {
        const int at = corner % 2 == 1 && n < 2 ? 1 - n : n;
        for (int d = 0; d < Dim; ++d)
          edge[at][d] = coordinates(elements(element, a), d) - coordinates(node, d);
        ++n;
      }
  }

  /// Number of elements at the node, except the one at position `but`, that contain a direction.
  KOKKOS_FUNCTION int count(index_t node, const double (&ray)[Dim], offset_t but) const {
    int n = 0;
    for (offset_t k = pair_offsets(node); k < pair_offsets(node + 1); ++k)
      if (k != but) {
        double edge[Dim][Dim];
        find_edges(node, pairs(k), edge);
        n += cone_holds(edge, ray) ? 1 : 0;
      }
    return n;
  }

  KOKKOS_FUNCTION void operator()(index_t node) const {
    bool is_overlapped = false;
    if (is_open(node) == 0) {
      double ray[Dim]; // unlikely to lie in a side of an element
      for (int d = 0; d < Dim; ++d)
        ray[d] = d == 0 ? 0.5603 : (d == 1 ? 0.5127 : 0.6505);
      is_overlapped = count(node, ray, -1) > 1;
    } else {
      for (offset_t k = pair_offsets(node); k < pair_offsets(node + 1) && !is_overlapped; ++k) {
        double edge[Dim][Dim];
        double middle[Dim] = {};
        find_edges(node, pairs(k), edge);
        for (int a = 0; a < Dim; ++a) {
          double square = 0.;
          for (int d = 0; d < Dim; ++d)
            square += edge[a][d] * edge[a][d];
          for (int d = 0; d < Dim; ++d)
            middle[d] += edge[a][d] / math::sqrt(square);
        }
        is_overlapped = count(node, middle, k) > 0;
      }
    }
    if (is_overlapped)
      flags(node) |= overlapped;
  }
};

template <class Space> struct CountMarks {
  FacetMarks<Space> marks;
  int first_bit;
  KOKKOS_FUNCTION void operator()(index_t element, index_t& count) const {
    for (unsigned bits = (static_cast<unsigned>(marks(element)) >> first_bit) & 0xfu; bits != 0; bits &= bits - 1)
      ++count;
  }
};

template <class Space> struct CountFlags {
  Array<const Flag*, Space> flags;
  Flag bit;
  KOKKOS_FUNCTION void operator()(index_t i, index_t& count) const {
    if ((flags(i) & bit) != 0)
      ++count;
  }
};

/// Counts on the device; copies the flags to the host only if there are findings.
template <class ExecutionSpace>
Finding collect(const ExecutionSpace& exec, const Array<Flag*, ExecutionSpace>& flags, Flag bit,
                const Array<index_t*, ExecutionSpace>& original) {
  Finding finding;
  Kokkos::parallel_reduce(
      "tessera::mesh::count_flags",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, static_cast<index_t>(flags.extent(0))),
      CountFlags<typename ExecutionSpace::memory_space>{flags, bit}, finding.count);
  exec.fence();
  if (!finding.any())
    return finding;
  const auto flags_host = to_host(exec, flags);
  const auto original_host = to_host(exec, original);
  for (std::size_t i = 0; i < flags_host.extent(0); ++i)
    if ((flags_host(i) & bit) != 0)
      finding.first.push_back(original_host.extent(0) > 0 ? original_host(i) : static_cast<index_t>(i));
  const std::size_t n_named = std::min<std::size_t>(10, finding.first.size());
  std::partial_sort(finding.first.begin(), finding.first.begin() + n_named, finding.first.end());
  finding.first.resize(n_named);
  return finding;
}

template <int Dim> void write_place(std::ostringstream& text, const double (&point)[Dim]) {
  text << " at " << place_text(point, Dim);
}

/// Describes the first facets marked by `first_bit`: all their elements, and their midpoints. Runs on the host, only
/// for meshes with such facets.
template <class ExecutionSpace, int Dim>
Finding collect_facets(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                       const FacetMarks<typename ExecutionSpace::memory_space>& marks, int first_bit) {
  constexpr std::size_t n_named = 5;
  Finding finding;
  Kokkos::parallel_reduce("tessera::mesh::count_marks",
                          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, mesh.n_elements()),
                          CountMarks<typename ExecutionSpace::memory_space>{marks, first_bit}, finding.count);
  exec.fence();
  if (!finding.any())
    return finding;
  const Mesh<Dim, HostMemory> host = copy_mesh<HostMemory>(exec, mesh);
  const auto marks_host = to_host(exec, marks);
  const auto original = [&host](index_t e) {
    return host.original_element.extent(0) > 0 ? host.original_element(e) : e;
  };
  for (index_t e = 0; e < host.n_elements() && finding.places.size() < n_named; ++e)
    for (int apex = 0; apex <= Dim && finding.places.size() < n_named; ++apex) {
      if ((marks_host(e) >> (first_bit + apex) & 1) == 0)
        continue;
      std::vector<index_t> nodes;
      double middle[Dim] = {};
      for (int a = 0; a <= Dim; ++a)
        if (a != apex) {
          nodes.push_back(host.elements(e, a));
          for (int d = 0; d < Dim; ++d)
            middle[d] += host.coordinates(host.elements(e, a), d) / Dim;
        }
      std::ostringstream text;
      text << "elements";
      for (index_t other = 0; other < host.n_elements(); ++other) {
        int n_common = 0;
        for (int a = 0; a <= Dim; ++a)
          n_common += static_cast<int>(std::count(nodes.begin(), nodes.end(), host.elements(other, a)));
        if (n_common == Dim)
          text << (other == e ? " " : ", ") << original(other);
      }
      write_place<Dim>(text, middle);
      finding.first.push_back(original(e));
      finding.places.push_back(text.str());
    }
  return finding;
}

/// Adds the coordinates of a finding's nodes.
template <class ExecutionSpace, int Dim>
void add_places(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                const Array<Flag*, ExecutionSpace>& flags, Flag bit, Finding& finding) {
  if (!finding.any())
    return;
  const auto flags_host = to_host(exec, flags);
  const auto coordinates = to_host(exec, mesh.coordinates);
  const auto original = to_host(exec, mesh.original_node);
  for (std::size_t i = 0; i < flags_host.extent(0) && finding.places.size() < 5; ++i)
    if ((flags_host(i) & bit) != 0) {
      double point[Dim];
      for (int d = 0; d < Dim; ++d)
        point[d] = coordinates(i, d);
      std::ostringstream text;
      text << "node " << (original.extent(0) > 0 ? original(i) : static_cast<index_t>(i));
      write_place<Dim>(text, point);
      finding.places.push_back(text.str());
    }
}

void describe(std::ostringstream& text, const Finding& finding, const char* what, const char* fault) {
  if (!finding.any())
    return;
  text << finding.count << ' ' << what << (finding.count == 1 ? "" : "s") << ' ' << fault << " (";
  if (!finding.places.empty()) {
    for (std::size_t i = 0; i < finding.places.size(); ++i)
      text << (i > 0 ? "; " : "") << finding.places[i];
    text << (static_cast<std::size_t>(finding.count) > finding.places.size() ? "; ...). " : "). ");
    return;
  }
  for (std::size_t i = 0; i < finding.first.size(); ++i)
    text << (i > 0 ? ", " : "") << finding.first[i];
  text << (static_cast<std::size_t>(finding.count) > finding.first.size() ? ", ...). " : "). ");
}

std::string without_last_space(std::string text) {
  if (!text.empty())
    text.pop_back();
  return text;
}

template <class ExecutionSpace, int Dim>
void find_coincident_nodes(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                           const Array<Flag*, ExecutionSpace>& flags) {
  using Space = typename ExecutionSpace::memory_space;
  CoordinateHash<Dim, Space> hash;
  hash.coordinates = grid_coordinates<ExecutionSpace, Dim>(exec, mesh);
  hash.bits = std::min(32, bits_for(mesh.n_nodes()) + 3);
  hash.keys = make_array<Array<std::uint32_t*, Space>>(exec, "mesh::coordinate_keys", mesh.n_nodes());
  hash.order = make_array<Array<index_t*, Space>>(exec, "mesh::coordinate_order", mesh.n_nodes());
  for_each("tessera::mesh::coordinate_keys", exec, mesh.n_nodes(), hash);
  sort_by_key(exec, hash.keys, hash.order, mesh.n_nodes(), hash.bits);
  for_each("tessera::mesh::coincident_nodes", exec, mesh.n_nodes(),
           CoincidentNodes<Dim, Space>{hash.coordinates, hash.keys, hash.order, flags});
  keep_alive(exec, hash);
}

template <int Dim, class Space> struct CountInverted {
  Array<const index_t * [Dim + 1], Space> elements;
  Array<const double* [Dim], Space> coordinates;
  KOKKOS_FUNCTION bool is_inverted(index_t e) const {
    double p[Dim + 1][Dim];
    for (int a = 0; a <= Dim; ++a)
      for (int d = 0; d < Dim; ++d)
        p[a][d] = coordinates(elements(e, a), d);
    return !(signed_measure(p) > 0.);
  }
  KOKKOS_FUNCTION void operator()(index_t e, index_t& count) const { count += is_inverted(e) ? 1 : 0; }
};

template <int Dim, class Space> struct FirstInverted {
  CountInverted<Dim, Space> elements;
  KOKKOS_FUNCTION void operator()(index_t e, index_t& first) const {
    if (e < first && elements.is_inverted(e))
      first = e;
  }
};

} // namespace

bool MeshReport::has_errors() const {
  return elements_out_of_range.any() || facets_out_of_range.any() || non_finite_nodes.any() ||
         inverted_elements.any() || degenerate_elements.any() || duplicate_elements.any() || stray_facets.any() ||
         crowded_facets.any() || folded_facets.any() || overlapped_nodes.any();
}

std::string MeshReport::errors() const {
  std::ostringstream text;
  describe(text, elements_out_of_range, "element", "with a node number that does not exist");
  describe(text, facets_out_of_range, "boundary facet", "with a node number that does not exist");
  describe(text, non_finite_nodes, "node", "with a coordinate that is not a finite number");
  describe(text, inverted_elements, "inverted element", "(negative measure)");
  describe(text, degenerate_elements, "degenerate element", "(measure zero)");
  describe(text, duplicate_elements, "duplicate element", "(the nodes of another element)");
  describe(text, stray_facets, "boundary facet", "without an element that has it as a face");
  describe(text, crowded_facets, "facet", "of more than two elements");
  describe(text, folded_facets, "facet", "with two elements on the same side, which overlap");
  describe(text, overlapped_nodes, "node", "around which elements overlap");
  return without_last_space(text.str());
}

std::string MeshReport::warnings() const {
  std::ostringstream text;
  describe(text, orphan_nodes, "orphan node", "(in no element)");
  describe(text, coincident_nodes, "node",
           "with the coordinates of another node: there the mesh is cut, as by a slit that insulates (if it is "
           "to be whole, join them: by BooleanFragments or Coherence in Gmsh, or by its RemoveDuplicateNodes)");
  return without_last_space(text.str());
}

template <class ExecutionSpace, int Dim>
MeshReport check_mesh(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                      FacetMarks<typename ExecutionSpace::memory_space>* marks) {
  using Space = typename ExecutionSpace::memory_space;
  using Flags = Array<Flag*, Space>;
  MeshReport report;
  const auto element_flags = make_array<Flags>(exec, "mesh::element_flags", mesh.n_elements());
  const auto facet_flags = make_array<Flags>(exec, "mesh::facet_flags", mesh.n_facets());
  const auto node_flags = make_array<Flags>(exec, "mesh::node_flags", mesh.n_nodes());
  for_each("tessera::mesh::check_element_range", exec, mesh.n_elements(),
           RangeCheck<Dim + 1, Space>{mesh.elements, mesh.n_nodes(), element_flags});
  for_each("tessera::mesh::check_facet_range", exec, mesh.n_facets(),
           RangeCheck<Dim, Space>{mesh.facets, mesh.n_nodes(), facet_flags});
  report.elements_out_of_range = collect(exec, element_flags, out_of_range, mesh.original_element);
  report.facets_out_of_range = collect(exec, facet_flags, out_of_range, {});
  if (report.elements_out_of_range.any())
    return report;

  const auto node_incidence = build_node_incidence(exec, mesh);
  for_each("tessera::mesh::check_nodes", exec, mesh.n_nodes(),
           NodeCheck<Dim, Space>{mesh.coordinates, node_incidence.offsets, node_flags});
  for_each("tessera::mesh::check_elements", exec, mesh.n_elements(),
           ElementCheck<Dim, Space>{mesh.coordinates, mesh.elements, node_incidence.offsets, node_incidence.pairs,
                                    element_flags});
  for_each(
      "tessera::mesh::check_facets", exec, mesh.n_facets(),
      FacetCheck<Dim, Space>{mesh.facets, mesh.elements, node_incidence.offsets, node_incidence.pairs, facet_flags});
  find_coincident_nodes(exec, mesh, node_flags);
  report.non_finite_nodes = collect(exec, node_flags, non_finite, mesh.original_node);
  report.orphan_nodes = collect(exec, node_flags, orphan, mesh.original_node);
  report.coincident_nodes = collect(exec, node_flags, coincident, mesh.original_node);
  report.inverted_elements = collect(exec, element_flags, inverted, mesh.original_element);
  report.degenerate_elements = collect(exec, element_flags, degenerate, mesh.original_element);
  report.duplicate_elements = collect(exec, element_flags, duplicate, mesh.original_element);
  report.stray_facets = collect(exec, facet_flags, stray, {});
  if (report.has_errors())
    return report;

  // Sides are determined by the order of nodes in elements of positive measure.
  const auto facet_marks = mark_facets<ExecutionSpace, Dim>(exec, mesh, node_incidence);
  report.crowded_facets = collect_facets<ExecutionSpace, Dim>(exec, mesh, facet_marks, facet_mark::crowded);
  report.folded_facets = collect_facets<ExecutionSpace, Dim>(exec, mesh, facet_marks, facet_mark::folded);
  if (report.has_errors())
    return report;
  const auto is_open = make_filled<Array<int*, Space>>(exec, "mesh::open_nodes", mesh.n_nodes(), 0);
  for_each("tessera::mesh::mark_open_nodes", exec, mesh.n_elements(),
           MarkOpenNodes<Dim, Space>{mesh.elements, facet_marks, is_open});
  for_each("tessera::mesh::check_overlaps", exec, mesh.n_nodes(),
           OverlapCheck<Dim, Space>{mesh.coordinates, mesh.elements, node_incidence.offsets, node_incidence.pairs,
                                    is_open, node_flags});
  report.overlapped_nodes = collect(exec, node_flags, overlapped, mesh.original_node);
  add_places<ExecutionSpace, Dim>(exec, mesh, node_flags, overlapped, report.overlapped_nodes);
  if (marks != nullptr && !report.has_errors())
    *marks = facet_marks;
  keep_alive(exec, node_incidence, facet_marks);
  return report;
}

template <class ExecutionSpace, int Dim>
InvertedElements<Dim> find_inverted(const ExecutionSpace& exec,
                                    const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh) {
  using Space = typename ExecutionSpace::memory_space;
  const Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>> elements(exec, 0, mesh.n_elements());
  InvertedElements<Dim> found;
  Kokkos::parallel_reduce("tessera::mesh::count_inverted", elements,
                          CountInverted<Dim, Space>{mesh.elements, mesh.coordinates}, found.count);
  if (found.count == 0)
    return found;
  index_t first = 0;
  Kokkos::parallel_reduce("tessera::mesh::first_inverted", elements,
                          FirstInverted<Dim, Space>{{mesh.elements, mesh.coordinates}}, Kokkos::Min<index_t>(first));
  const auto nodes = to_host(exec, Kokkos::subview(mesh.elements, std::make_pair(first, first + 1), Kokkos::ALL()));
  for (int a = 0; a <= Dim; ++a) {
    const index_t n = nodes(0, a);
    const auto row = to_host(exec, Kokkos::subview(mesh.coordinates, std::make_pair(n, n + 1), Kokkos::ALL()));
    for (int d = 0; d < Dim; ++d)
      found.place[static_cast<std::size_t>(d)] += row(0, d) / (Dim + 1);
  }
  return found;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template InvertedElements<2> find_inverted(const Space&, const Mesh<2, Space::memory_space>&);                       \
  template InvertedElements<3> find_inverted(const Space&, const Mesh<3, Space::memory_space>&);                       \
  template MeshReport check_mesh(const Space&, const Mesh<2, Space::memory_space>&, FacetMarks<Space::memory_space>*); \
  template MeshReport check_mesh(const Space&, const Mesh<3, Space::memory_space>&, FacetMarks<Space::memory_space>*);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::mesh
