// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/blocks/block_rows.hpp"

#include "assembly/dg/blocks/element_rows.hpp"
#include "assembly/dg/blocks/interface_blocks.hpp"
#include "assembly/dg/blocks/steady_blocks.hpp"
#include "assembly/dg/form/run_groups.hpp"
#include "core/algorithms/queued_scans.hpp"
#include "core/parallel.hpp"

#include <algorithm>

namespace tessera::assembly::dg {

namespace {

/// Scratch memory of a team: on devices small enough for many teams per multiprocessor, on hosts small enough for the
/// cache.
constexpr std::size_t device_budget = 12 * 1024;
template <class Space> constexpr std::size_t scratch_budget = uses_host_forms<Space> ? 24 * 1024 : device_budget;
template <class Space> struct CountFaces {
  Array<const index_t*, Space> neighbour_offsets;
  Array<const index_t*, Space> neighbour_interfaces;
  Array<const index_t*, Space> interface_faces;
  Array<index_t*, Space> counts;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    index_t count = 0;
    for (index_t k = neighbour_offsets(e); k < neighbour_offsets(e + 1); ++k)
      count += interface_faces(neighbour_interfaces(k) + 1) - interface_faces(neighbour_interfaces(k));
    counts(e) = count;
  }
};

template <class Space> struct ListFaces {
  Array<const index_t*, Space> neighbour_offsets;
  Array<const index_t*, Space> neighbour_interfaces;
  Array<const index_t* [2], Space> interface_elements;
  Array<const index_t*, Space> interface_faces;
  Array<const index_t*, Space> offsets;
  Array<index_t*, Space> entries;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    index_t entry = offsets(e);
    for (index_t k = neighbour_offsets(e); k < neighbour_offsets(e + 1); ++k) {
      const index_t interface = neighbour_interfaces(k);
      const index_t side = interface_elements(interface, 0) == e ? 0 : 1;
      for (index_t face = interface_faces(interface); face < interface_faces(interface + 1); ++face)
        entries(entry++) = 2 * face + side;
    }
  }
};

/// Does not wait: `scan` must stay until the queue is done.
template <class ExecutionSpace, int Dim>
ElementFaces<typename ExecutionSpace::memory_space>
list_faces(const ExecutionSpace& exec, const mesh::Faces<Dim, typename ExecutionSpace::memory_space>& faces,
           index_t n_elements, QueuedScans<1, ExecutionSpace>& scan) {
  using Space = typename ExecutionSpace::memory_space;
  const auto offsets = make_array<Array<index_t*, Space>>(exec, "assembly::dg::element_face_offsets", n_elements + 1);
  for_each("tessera::assembly::dg::count_faces", exec, n_elements,
           CountFaces<Space>{faces.neighbour_offsets, faces.neighbour_interfaces, faces.interface_faces, offsets});
  scan.add(exec, offsets, n_elements);
  // upper bound
  const index_t n_entries = checked_index(std::int64_t(2) * faces.n_interior, "faces of elements");
  const auto entries = make_array<Array<index_t*, Space>>(exec, "assembly::dg::element_faces", n_entries);
  for_each("tessera::assembly::dg::list_faces", exec, n_elements,
           ListFaces<Space>{faces.neighbour_offsets, faces.neighbour_interfaces, faces.interface_elements,
                            faces.interface_faces, offsets, entries});
  return {offsets, entries};
}

/// Number of ranges of elements whose values at points are computed before their rows: their values should fit the
/// caches, but each range must occupy all threads, within a memory limit.
template <class Space> index_t count_ranges(std::int64_t n_values, index_t n_elements) {
  constexpr bool on_host = uses_host_forms<Space>;
  constexpr std::int64_t cached_values = on_host ? 1 << 16 : 1 << 22;
  constexpr std::int64_t most_values = on_host ? 1 << 22 : 1 << 25;
  constexpr std::int64_t least_elements = on_host ? 1024 : 4096;
  const std::int64_t by_cache = std::min(n_values / cached_values, n_elements / least_elements) + 1;
  const std::int64_t by_memory = n_values / most_values + 1;
  return static_cast<index_t>(std::clamp<std::int64_t>(std::max(by_cache, by_memory), 1, std::max(n_elements, 1)));
}

/// Number of levels needed for the values at points of all regions.
template <class Regions> PointLevels count_levels(const Regions& regions, bool is_slab, int degree, int n_steps) {
  PointLevels levels;
  levels.source_degrees = degree + 1;
  levels.degrees = 2 * degree + 1;
  levels.n_steps = n_steps;
  levels.n_initial = is_slab ? 1 : 0;
  for (std::size_t region = 0; region < regions.extent(0); ++region) {
    const auto& terms = regions(region);
    const int n_source = !terms.source_varies ? 0 : terms.source_is_transient ? n_steps * levels.source_degrees : 1;
    levels.n_source = std::max(levels.n_source, n_source);
    levels.n_in_space = std::max(levels.n_in_space, terms.n_in_space);
    levels.n_in_time = std::max(levels.n_in_time, terms.n_variable - terms.n_in_space);
  }
  return levels;
}

/// Offsets of the simplices of the first elements of ranges of about equal numbers of elements, and of the end; and
/// numbers of elements of the first two kinds before them.
template <class Space> struct RangeOffsets {
  Array<const index_t*, Space> simplex_offsets;
  Array<const index_t*, Space> before[2]; ///< ItemLists::before
  index_t n_elements;
  index_t n_ranges;
  Array<index_t* [3], Space> offsets;
  KOKKOS_FUNCTION static index_t first_element(index_t range, index_t n_ranges, index_t n_elements) {
    return static_cast<index_t>(std::int64_t(range) * n_elements / n_ranges);
  }
  KOKKOS_FUNCTION void operator()(index_t range) const {
    const index_t first = first_element(range, n_ranges, n_elements);
    offsets(range, 0) = simplex_offsets(first);
    for (int k = 0; k < 2; ++k)
      offsets(range, 1 + k) = before[k].extent(0) > 0 ? before[k](first) : 0;
  }
};

template <class ExecutionSpace, int Dim>
void compute_elements(const ExecutionSpace& exec, index_t n, const BlockKernel<Dim, ExecutionSpace>& inputs) {
  using Kernel = ElementRows<Dim, ExecutionSpace>;
  using Space = typename ExecutionSpace::memory_space;
  // Blocks in single precision are rounded after each group of sets, which therefore has the same size on every
  // backend.
  const bool as_on_devices = !uses_host_forms<Space> || inputs.values.is_single;
  const std::size_t budget = as_on_devices ? device_budget : scratch_budget<Space>;
  const auto& form = inputs.form;
  Kernel kernel{{inputs}};
  const std::int64_t n_entries = static_cast<std::int64_t>(form.space.largest_size) * form.space.largest_size;
  const std::int64_t n_moments = kernel.tables.n_in_space();
  const std::int64_t n_simplices = form.element_simplices.extent(0) / form.n_elements();
  // A group should have work for all its threads in most of its loops, over points, moments and entries.
  const std::int64_t work = n_moments * n_simplices;
  const int width = work > 100 && n_entries > 1000 ? 64 : work > 30 ? 32 : work > 12 ? 8 : 4;
  if (as_on_devices)
    kernel.batch = width == 8 && n_moments > 15         ? 16
                   : width < 32                         ? width
                   : n_entries > 300 && n_simplices > 1 ? 64
                                                        : 32;
  kernel.find_sizes();
  kernel.n_sets = Kernel::n_face_sets;
  while (kernel.n_sets > 1 && kernel.scratch_bytes() > budget)
    --kernel.n_sets;
  while (kernel.batch > 32 && kernel.scratch_bytes() > budget)
    kernel.batch /= 2;
  run_groups<8>("tessera::assembly::dg::element_rows", exec, n, width, kernel);
}

template <class ExecutionSpace, int Dim>
void compute_interfaces(const ExecutionSpace& exec, index_t n, const BlockKernel<Dim, ExecutionSpace>& inputs) {
  using Space = typename ExecutionSpace::memory_space;
  InterfaceBlocks<Dim, ExecutionSpace> kernel{inputs};
  kernel.find_sizes();
  const int n_functions = kernel.sizes.functions;
  const int width = n_functions > 10 ? 64 : n_functions > 6 ? 16 : n_functions > 4 ? 8 : 4;
  const std::size_t per_point = sizeof(double) * kernel.sizes.point;
  kernel.batch = 0;
  const std::size_t fixed = kernel.scratch_bytes();
  constexpr std::size_t budget = scratch_budget<Space>;
  kernel.batch = static_cast<int>(std::clamp<std::size_t>(fixed < budget ? (budget - fixed) / per_point : 0, 4, 32));
  // The points of one or two faces. Blocks in single precision are rounded after each batch, which therefore has the
  // same size on every backend.
  if ((!uses_host_forms<Space> && width < 32) || kernel.values.is_single)
    kernel.batch = n_functions > 6 && Dim == 3 ? 8 : 4;
  run_groups<12>("tessera::assembly::dg::interface_blocks", exec, n, width, kernel);
}

/// Allocates the values of a form's faces.
template <class ExecutionSpace, int Dim, class Regions>
FaceValues<Dim, typename ExecutionSpace::memory_space>
make_face_values(const ExecutionSpace& exec, const Form<Dim, typename ExecutionSpace::memory_space>& form,
                 const Regions& regions) {
  using Space = typename ExecutionSpace::memory_space;
  using Coefficients = physics::AdvectionCoefficients<Dim, Space>;
  constexpr unsigned of_advection = 1u << Coefficients::advection_slot;
  constexpr unsigned of_reaction = 1u << Coefficients::reaction_slot;
  FaceValues<Dim, Space> values;
  for (std::size_t region = 0; region < regions.extent(0); ++region)
    for (int k = 0; k < regions(region).n_variable; ++k) {
      const unsigned slots = regions(region).slots[k];
      values.has_flux = values.has_flux || slots % of_advection > 0;
      values.has_inflow = values.has_inflow || slots % of_reaction >= of_advection;
    }
  values.per_face = form.face_rules.largest;
  values.n_levels = form.is_slab() ? form.space.largest_degree + 1 : 1;
  values.interior = make_array<Array<double*, Space>>(exec, "assembly::dg::face_values",
                                                      std::int64_t(form.faces.n_interior) * values.per_face *
                                                          values.n_interior_values());
  values.boundary = make_array<Array<double*, Space>>(exec, "assembly::dg::boundary_values",
                                                      std::int64_t(form.faces.n_faces() - form.faces.n_interior) *
                                                          values.per_face * values.n_boundary_values());
  return values;
}

} // namespace

template <class ExecutionSpace, int Dim> void BlockRows<ExecutionSpace, Dim>::symbolic(const ExecutionSpace& exec) {
  const auto& form = kernel_.form;
  const BlockPattern<Space> pattern = this->prepare(exec, form, precision_);
  kernel_.diagonal = pattern.diagonal;
  kernel_.interface_blocks = pattern.interfaces;
  kernel_.value_offsets = this->matrix_.value_offsets;
  kernel_.rhs = this->rhs_.data();
  kernel_.tables = make_moment_tables<Dim>(exec, form);
  QueuedScans<1, ExecutionSpace> scan(exec, "assembly::dg::n_element_faces", 0);
  kernel_.faces = list_faces<ExecutionSpace, Dim>(exec, form.faces, form.n_elements(), scan);
  using Coefficients = physics::AdvectionCoefficients<Dim, Space>;
  terms_ = make_array<Array<Terms*, Space>>(exec, "assembly::dg::region_terms",
                                            form.coefficients.constants.extent(0) / Coefficients::n_stored);
  kernel_.regions = terms_;
  list_terms(exec);
  const auto regions = tessera::to_host(exec, terms_); // waits
  list_kinds(exec, regions);
  make_ranges(exec, regions);
}

template <class ExecutionSpace, int Dim> void BlockRows<ExecutionSpace, Dim>::list_terms(const ExecutionSpace& exec) {
  for_each("tessera::assembly::dg::list_region_terms", exec, static_cast<std::int64_t>(terms_.extent(0)),
           ListRegionTerms<Dim, Space>{kernel_.form.coefficients, kernel_.form.is_slab(), terms_});
}

/// Lists the items of the steady kernels, and allocates the face data that they need.
template <class ExecutionSpace, int Dim>
void BlockRows<ExecutionSpace, Dim>::list_kinds(const ExecutionSpace& exec, const Regions& regions) {
  const auto& form = kernel_.form;
  elements_ = {};
  interfaces_ = {};
  kernel_.face_values = {};
  interfaces_.counts[2] = form.faces.n_interfaces();
  if (!has_steady_kernels(form.space))
    return;
  ListItems<ExecutionSpace> items(exec);
  items.count(form.n_elements(), KindOfElement<Dim, Space>{form, kernel_.regions});
  items.count(form.faces.n_interfaces(), KindOfInterface<Dim, Space>{form, kernel_.regions});
  const auto lists = items.lists();
  elements_ = lists[0];
  interfaces_ = lists[1];
  if (elements_.counts[1] + interfaces_.counts[1] > 0)
    kernel_.face_values = make_face_values(exec, form, regions);
}

template <class ExecutionSpace, int Dim>
void BlockRows<ExecutionSpace, Dim>::make_ranges(const ExecutionSpace& exec, const Regions& regions) {
  const auto& form = kernel_.form;
  const index_t n_elements = form.n_elements();
  PointValues<Space>& points = kernel_.points;
  points = {};
  points.levels = count_levels(regions, form.is_slab(), form.space.largest_degree, form.space.largest_steps);
  points.per_simplex = form.volume_rules.largest;
  const std::int64_t n_values =
      std::int64_t(points.levels.size()) * form.element_simplices.extent(0) * points.per_simplex;
  const index_t n_ranges = count_ranges<Space>(n_values, n_elements);
  const auto offsets = make_array<Array<index_t* [3], Space>>(exec, "assembly::dg::range_offsets", n_ranges + 1);
  using Offsets = RangeOffsets<Space>;
  for_each("tessera::assembly::dg::range_offsets", exec, n_ranges + 1,
           Offsets{form.simplex_offsets, {elements_.before[0], elements_.before[1]}, n_elements, n_ranges, offsets});
  const auto firsts = tessera::to_host(exec, offsets);
  ranges_.clear();
  index_t largest = 0;
  for (index_t k = 0; k < n_ranges; ++k) {
    Range range{Offsets::first_element(k, n_ranges, n_elements),
                Offsets::first_element(k + 1, n_ranges, n_elements),
                firsts(k, 0),
                firsts(k + 1, 0) - firsts(k, 0),
                {},
                {}};
    range.first_item[2] = range.first_element;
    range.n_items[2] = range.end_element - range.first_element;
    for (int kind = 0; kind < 2; ++kind) {
      range.first_item[kind] = firsts(k, 1 + kind);
      range.n_items[kind] = firsts(k + 1, 1 + kind) - firsts(k, 1 + kind);
      range.first_item[2] -= range.first_item[kind];
      range.n_items[2] -= range.n_items[kind];
    }
    ranges_.push_back(range);
    largest = std::max(largest, ranges_.back().n_simplices);
  }
  points.values = make_array<Array<double*, Space>>(exec, "assembly::dg::point_values",
                                                    std::int64_t(points.levels.size()) * largest * points.per_simplex);
}

template <class ExecutionSpace, int Dim>
void BlockRows<ExecutionSpace, Dim>::evaluate_faces(const ExecutionSpace& exec, bool with_matrix) {
  const auto& form = kernel_.form;
  const auto& values = kernel_.face_values;
  const std::int64_t n_interior = values.interior.extent(0) == 0 ? 0 : form.faces.n_interior;
  const std::int64_t n_boundary = values.boundary.extent(0) == 0 ? 0 : form.faces.n_faces() - form.faces.n_interior;
  if (with_matrix && n_interior > 0)
    for_each("tessera::assembly::dg::face_values", exec, n_interior * values.per_face,
             EvaluateInteriorFaces<Dim, Space>{form, values});
  if (n_boundary > 0)
    for_each("tessera::assembly::dg::boundary_values", exec, n_boundary * values.per_face,
             EvaluateBoundaryFaces<Dim, Space>{form, kernel_.tables.time_factors, values});
}

template <class ExecutionSpace, int Dim>
void BlockRows<ExecutionSpace, Dim>::assemble(const ExecutionSpace& exec, const TimeSlab<Space>& slab,
                                              bool with_matrix) {
  kernel_.form.set_slab(slab);
  list_terms(exec); // numbers may have changed
  kernel_.values = with_matrix ? this->block_values() : BlockValues{};
  evaluate_faces(exec, with_matrix);
  for (const Range& range : ranges_) {
    PointValues<Space>& points = kernel_.points;
    points.first_simplex = range.first_simplex;
    points.n_simplices = range.n_simplices;
    if (points.levels.size() > 0)
      for_each(
          "tessera::assembly::dg::point_values", exec, points.n_points(),
          EvaluatePoints<Dim, Space>{kernel_.form, kernel_.regions, kernel_.tables.time_factors, points, with_matrix});
    for (int kind = 0; kind < 3; ++kind) {
      kernel_.items = elements_.lists[kind];
      kernel_.first_item = range.first_item[kind];
      if (range.n_items[kind] > 0)
        kind == 2 ? compute_elements(exec, range.n_items[kind], kernel_)
                  : compute_steady_elements(exec, range.n_items[kind], kind == 0, kernel_);
    }
  }
  kernel_.first_item = 0;
  for (int kind = 0; kind < 3 && with_matrix; ++kind) {
    kernel_.items = interfaces_.lists[kind];
    if (interfaces_.counts[kind] > 0)
      kind == 2 ? compute_interfaces(exec, interfaces_.counts[kind], kernel_)
                : compute_steady_interfaces(exec, interfaces_.counts[kind], kind == 0, kernel_);
  }
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template class BlockRows<Space, 2>;                                                                                  \
  template class BlockRows<Space, 3>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::assembly::dg
