// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/form/form_part.hpp"

#include "core/algorithms/cut_by_work.hpp"
#include "core/algorithms/list_marked.hpp"
#include "core/algorithms/queued_scans.hpp"
#include "core/algorithms/scan.hpp"
#include "core/keep_alive.hpp"

#include <algorithm>
#include <array>

namespace tessera::assembly::dg {

namespace {

/// The elements of a part, and their local indices.
template <class Space> struct Numbers {
  Array<const index_t* [2], Space> interfaces; // of the whole form
  Array<index_t*, Space> local;                // [n + 1]: marks, then local indices
  index_t first;
  index_t end;
  KOKKOS_FUNCTION bool is_owned(index_t e) const { return e >= first && e < end; }
  KOKKOS_FUNCTION bool is_kept(index_t i) const { return is_owned(interfaces(i, 0)) || is_owned(interfaces(i, 1)); }
};

template <class Space> struct MarkOwned {
  Numbers<Space> numbers;
  KOKKOS_FUNCTION void operator()(index_t e) const { numbers.local(e) = numbers.is_owned(e) ? 1 : 0; }
};
/// Several threads write the same value.
template <class Space> struct MarkGhosts {
  Numbers<Space> numbers;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    if (numbers.is_kept(i))
      for (int side = 0; side < 2; ++side)
        Kokkos::atomic_fetch_max(&numbers.local(numbers.interfaces(i, side)), index_t(1));
  }
};
/// Marks the interfaces of the part, and counts their faces.
template <class Space> struct CountInterfaces {
  Numbers<Space> numbers;
  Array<const index_t*, Space> faces;
  Array<index_t*, Space> kept;
  Array<index_t*, Space> n_faces;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    kept(i) = numbers.is_kept(i) ? 1 : 0;
    n_faces(i) = kept(i) != 0 ? faces(i + 1) - faces(i) : 0;
  }
};

/// Local index of the first owned element, and the range of the boundary faces of owned elements.
template <class Space> struct FindBorders {
  Numbers<Space> numbers; // after the scan
  Array<const index_t*, Space> boundary_offsets;
  Array<index_t*, Space> borders;
  KOKKOS_FUNCTION void operator()(index_t) const {
    borders(0) = numbers.local(numbers.first);
    borders(1) = boundary_offsets(numbers.first);
    borders(2) = boundary_offsets(numbers.end);
  }
};

template <int Dim, class Space> struct CopyInterface {
  Form<Dim, Space> whole;
  Numbers<Space> numbers;
  Array<const index_t*, Space> interfaces;   // indices of the part's interfaces
  Array<const index_t*, Space> face_offsets; // by index in the whole form
  Array<index_t* [2], Space> elements;
  Array<index_t*, Space> first_face;
  Array<index_t*, Space> faces;
  index_t n_kept;
  index_t n_faces;
  KOKKOS_FUNCTION void operator()(index_t k) const {
    if (k == n_kept) {
      first_face(k) = n_faces;
      return;
    }
    const index_t i = interfaces(k);
    for (int side = 0; side < 2; ++side)
      elements(k, side) = numbers.local(numbers.interfaces(i, side));
    first_face(k) = face_offsets(i);
    const index_t begin = whole.faces.interface_faces(i);
    for (index_t f = begin; f < whole.faces.interface_faces(i + 1); ++f)
      faces(face_offsets(i) + f - begin) = f;
  }
};

/// The boundary faces of owned elements are contiguous.
template <class Space> struct ListBoundaryFaces {
  Array<index_t*, Space> faces;
  index_t n_interior;
  index_t first; // in the whole form
  KOKKOS_FUNCTION void operator()(index_t k) const { faces(n_interior + k) = first + k; }
};

/// Marks the simplices of the part's elements.
template <int Dim, class Space> struct MarkSimplices {
  Form<Dim, Space> whole;
  Array<const index_t*, Space> numbers; // of the elements, after the scan
  Array<index_t*, Space> marks;
  KOKKOS_FUNCTION void operator()(index_t s) const {
    const index_t e = whole.element_of(s);
    marks(s) = numbers(e + 1) - numbers(e);
  }
};
template <int Dim, class Space> struct CopySimplex {
  Form<Dim, Space> whole;
  Array<const index_t*, Space> numbers; // of the elements
  Array<const index_t*, Space> simplex_numbers;
  Array<index_t * [Dim + 1], Space> nodes;
  Array<index_t*, Space> element_of;
  KOKKOS_FUNCTION void operator()(index_t s) const {
    const index_t number = simplex_numbers(s);
    if (simplex_numbers(s + 1) == number)
      return;
    for (int k = 0; k <= Dim; ++k)
      nodes(number, k) = whole.simplices(s, k);
    element_of(number) = numbers(whole.element_of(s));
  }
};

template <int Dim, class Space> struct CopyFace {
  Form<Dim, Space> whole;
  Array<const index_t*, Space> faces;
  Array<const index_t*, Space> simplex_numbers;
  mesh::Faces<Dim, Space> part;
  Array<double*, Space> penalty;
  Array<group_t*, Space> joints; // empty: none
  KOKKOS_FUNCTION void operator()(index_t k) const {
    const index_t f = faces(k);
    penalty(k) = whole.penalty(f);
    if (k < static_cast<index_t>(joints.extent(0)))
      joints(k) = whole.joints(f);
    for (int d = 0; d < Dim; ++d)
      part.nodes(k, d) = whole.faces.nodes(f, d);
    for (int side = 0; side < 2; ++side)
      part.simplices(k, side) =
          whole.faces.simplices(f, side) < 0 ? -1 : simplex_numbers(whole.faces.simplices(f, side));
    if (k >= part.n_interior)
      part.groups(k - part.n_interior) = whole.faces.groups(f - whole.faces.n_interior);
  }
};

/// Counts the interfaces, boundary faces and simplices of an element, and copies its data.
template <int Dim, class Space> struct CopyElement {
  Form<Dim, Space> whole;
  Numbers<Space> numbers;
  Array<const index_t*, Space> elements;
  Array<const index_t*, Space> kept; // offsets of the part's interfaces
  Array<index_t*, Space> n_interfaces;
  Array<index_t*, Space> n_boundary_faces;
  Array<index_t*, Space> n_simplices;
  Array<group_t*, Space> regions;
  Array<double* [2][Dim], Space> boxes;
  Array<int*, Space> degrees;
  Array<int*, Space> steps;           // empty: one each
  Array<double* [3], Space> measures; // may be empty
  KOKKOS_FUNCTION void operator()(index_t k) const {
    const index_t e = elements(k);
    index_t count = 0;
    for (index_t j = whole.faces.neighbour_offsets(e); j < whole.faces.neighbour_offsets(e + 1); ++j) {
      const index_t i = whole.faces.neighbour_interfaces(j);
      count += kept(i + 1) - kept(i);
    }
    n_interfaces(k) = count;
    n_boundary_faces(k) =
        numbers.is_owned(e) ? whole.faces.boundary_offsets(e + 1) - whole.faces.boundary_offsets(e) : 0;
    n_simplices(k) = whole.simplex_offsets(e + 1) - whole.simplex_offsets(e);
    regions(k) = whole.regions(e);
    for (int side = 0; side < 2; ++side)
      for (int d = 0; d < Dim; ++d)
        boxes(k, side, d) = whole.space.boxes(e, side, d);
    degrees(k) = whole.space.degrees(e);
    if (steps.extent(0) > 0)
      steps(k) = whole.space.local_steps(e);
    for (int i = 0; i < 3 && measures.extent(0) > 0; ++i)
      measures(k, i) = whole.measures(e, i);
  }
};

/// Writes the lists of an element.
template <int Dim, class Space> struct CopyLists {
  Form<Dim, Space> whole;
  Array<const index_t*, Space> elements;
  Array<const index_t*, Space> kept;
  Array<const index_t*, Space> interface_offsets;
  Array<index_t*, Space> interfaces;
  Array<const index_t*, Space> simplex_offsets;
  Array<const index_t*, Space> simplex_numbers;
  Array<index_t*, Space> simplices;
  KOKKOS_FUNCTION void operator()(index_t k) const {
    const index_t e = elements(k);
    index_t position = interface_offsets(k);
    for (index_t j = whole.faces.neighbour_offsets(e); j < whole.faces.neighbour_offsets(e + 1); ++j) {
      const index_t i = whole.faces.neighbour_interfaces(j);
      if (kept(i + 1) > kept(i))
        interfaces(position++) = kept(i);
    }
    const index_t first = whole.simplex_offsets(e);
    for (index_t j = first; j < whole.simplex_offsets(e + 1); ++j)
      simplices(simplex_offsets(k) + j - first) = simplex_numbers(whole.element_simplices(j));
  }
};

template <int Dim, class Space> struct Restrict {
  fe::ModalSpace<Dim, Space> whole;
  fe::ModalSpace<Dim, Space> part;
  Array<const index_t*, Space> elements;
  Array<const double*, Space> all;
  Array<double*, Space> local;
  KOKKOS_FUNCTION void operator()(index_t k) const {
    const index_t from = whole.dof_offsets(elements(k));
    const index_t to = part.dof_offsets(k);
    for (int i = 0; i < part.size(k); ++i)
      local(to + i) = all(from + i);
  }
};

/// Work of an element in units of the time of a quadrature term: points of its simplices and faces times its
/// polynomials, plus the entries of its blocks.
template <int Dim, class Space> struct Work {
  Form<Dim, Space> form;
  Array<std::int64_t*, Space> work;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    const Rule rule = form.element_rule(e);
    const std::int64_t n = form.space.size(e);
    const std::int64_t n_simplices = form.simplex_offsets(e + 1) - form.simplex_offsets(e);
    std::int64_t n_faces = form.faces.boundary_offsets(e + 1) - form.faces.boundary_offsets(e);
    std::int64_t n_blocks = 1;
    for (index_t k = form.faces.neighbour_offsets(e); k < form.faces.neighbour_offsets(e + 1); ++k) {
      const index_t i = form.faces.neighbour_interfaces(k);
      n_faces += form.faces.interface_faces(i + 1) - form.faces.interface_faces(i);
      ++n_blocks;
    }
    work(e) = n * (n_simplices * form.n_points_in_space(rule) + n_faces * form.n_face_points_in_space(rule)) +
              n_blocks * n * n;
  }
};

/// Makes a part of a form, step by step.
template <class ExecutionSpace, int Dim> class PartMaker {
public:
  using Space = typename ExecutionSpace::memory_space;
  using Indices = Array<index_t*, Space>;

  /// Elements [first, end) are owned.
  PartMaker(const ExecutionSpace& exec, const Form<Dim, Space>& whole, index_t first, index_t end)
      : exec_(exec), whole_(whole),
        scans_(exec, "assembly::dg::counts_of_part", 0), numbers_{whole.faces.interface_elements,
                                                                  indices("numbers_in_part", whole.n_elements() + 1),
                                                                  first, end} {
    part_.n_owned = end - first;
    part_.form = whole;
  }

  FormPart<Dim, Space> make() {
    const Counts counts = number();
    copy_simplices(counts);
    const Indices interfaces =
        list_marked(exec_, "assembly::dg::interfaces_of_part", kept_, whole_.faces.n_interfaces(), counts.interfaces);
    copy_faces(counts, interfaces);
    copy_elements(counts);
    keep_alive(exec_, *this, interfaces);
    return part_;
  }

private:
  struct Counts {
    index_t elements;
    index_t simplices;
    index_t interfaces;
    index_t interior_faces;
    index_t first_boundary; ///< among the boundary faces of the whole form
    index_t boundary_faces;
    index_t faces() const { return interior_faces + boundary_faces; }
  };

  Indices indices(const char* label, std::int64_t n) const {
    return make_array<Indices>(exec_, std::string("assembly::dg::") + label, n);
  }

  /// Numbers elements, simplices, interfaces and faces of the part. Waits.
  Counts number() {
    const index_t n_elements = whole_.n_elements();
    const index_t n_interfaces = whole_.faces.n_interfaces();
    const index_t n_simplices = whole_.n_simplices();
    for_each("tessera::assembly::dg::mark_owned", exec_, n_elements, MarkOwned<Space>{numbers_});
    for_each("tessera::assembly::dg::mark_ghosts", exec_, n_interfaces, MarkGhosts<Space>{numbers_});
    scans_.add(exec_, numbers_.local, n_elements);
    simplex_numbers_ = indices("simplices_in_part", n_simplices + 1);
    for_each("tessera::assembly::dg::mark_simplices", exec_, n_simplices,
             MarkSimplices<Dim, Space>{whole_, numbers_.local, simplex_numbers_});
    scans_.add(exec_, simplex_numbers_, n_simplices);
    kept_ = indices("kept_interfaces", n_interfaces + 1);
    face_offsets_ = indices("kept_faces", n_interfaces + 1);
    for_each("tessera::assembly::dg::count_interfaces_of_part", exec_, n_interfaces,
             CountInterfaces<Space>{numbers_, whole_.faces.interface_faces, kept_, face_offsets_});
    scans_.add(exec_, kept_, n_interfaces);
    scans_.add(exec_, face_offsets_, n_interfaces);
    const auto borders = make_array<Array<index_t*, Space>>(exec_, "assembly::dg::borders_of_part", 3);
    for_each("tessera::assembly::dg::borders_of_part", exec_, 1,
             FindBorders<Space>{numbers_, whole_.faces.boundary_offsets, borders});
    const std::array<std::int64_t, 4> totals = scans_.totals(exec_);
    const auto border = tessera::to_host(exec_, borders);
    part_.first_owned = border(0);
    // Each is at most the corresponding number of the whole form.
    return {static_cast<index_t>(totals[0]),
            static_cast<index_t>(totals[1]),
            static_cast<index_t>(totals[2]),
            static_cast<index_t>(totals[3]),
            border(1),
            border(2) - border(1)};
  }

  void copy_simplices(const Counts& n) {
    part_.elements =
        list_marked(exec_, "assembly::dg::elements_of_part", numbers_.local, whole_.n_elements(), n.elements);
    const auto nodes = make_array<Array<index_t * [Dim + 1], Space>>(exec_, "assembly::dg::simplices", n.simplices);
    const Indices element_of = indices("element_of", n.simplices);
    for_each("tessera::assembly::dg::copy_simplices", exec_, whole_.n_simplices(),
             CopySimplex<Dim, Space>{whole_, numbers_.local, simplex_numbers_, nodes, element_of});
    part_.form.simplices = nodes;
    part_.form.element_of = element_of;
  }

  void copy_faces(const Counts& n, const Indices& interfaces) {
    mesh::Faces<Dim, Space>& faces = part_.form.faces;
    faces.n_interior = n.interior_faces;
    faces.interface_elements =
        make_array<decltype(faces.interface_elements)>(exec_, "assembly::dg::interface_elements", n.interfaces);
    faces.interface_faces = indices("interface_faces", n.interfaces + 1);
    part_faces_ = indices("faces_of_part", n.faces());
    for_each("tessera::assembly::dg::copy_interfaces", exec_, std::int64_t(n.interfaces) + 1,
             CopyInterface<Dim, Space>{whole_, numbers_, interfaces, face_offsets_, faces.interface_elements,
                                       faces.interface_faces, part_faces_, n.interfaces, n.interior_faces});
    for_each("tessera::assembly::dg::list_boundary_faces", exec_, n.boundary_faces,
             ListBoundaryFaces<Space>{part_faces_, n.interior_faces, whole_.faces.n_interior + n.first_boundary});
    faces.nodes = make_array<decltype(faces.nodes)>(exec_, "assembly::dg::face_nodes", n.faces());
    faces.simplices = make_array<decltype(faces.simplices)>(exec_, "assembly::dg::face_simplices", n.faces());
    faces.groups = make_array<decltype(faces.groups)>(exec_, "assembly::dg::face_groups", n.boundary_faces);
    part_.form.penalty = make_array<Array<double*, Space>>(exec_, "assembly::dg::penalty", n.faces());
    const auto joints = make_array<Array<group_t*, Space>>(exec_, "assembly::dg::joints",
                                                           whole_.joints.extent(0) > 0 ? n.interior_faces : 0);
    for_each("tessera::assembly::dg::copy_faces", exec_, n.faces(),
             CopyFace<Dim, Space>{whole_, part_faces_, simplex_numbers_, faces, part_.form.penalty, joints});
    part_.form.joints = joints;
  }

  void copy_elements(const Counts& counts) {
    const index_t n = counts.elements;
    mesh::Faces<Dim, Space>& faces = part_.form.faces;
    faces.neighbour_offsets = indices("neighbour_offsets", n + 1);
    faces.boundary_offsets = indices("boundary_offsets", n + 1);
    const Indices simplex_offsets = indices("simplex_offsets", n + 1);
    const auto regions = make_array<Array<group_t*, Space>>(exec_, "assembly::dg::regions", n);
    const auto boxes = make_array<Array<double* [2][Dim], Space>>(exec_, "assembly::dg::boxes", n);
    degrees_ = make_array<Array<int*, Space>>(exec_, "assembly::dg::degrees", n);
    if (whole_.space.local_steps.extent(0) > 0)
      steps_ = make_array<Array<int*, Space>>(exec_, "assembly::dg::local_steps", n);
    Array<double* [3], Space> measures;
    if (whole_.measures.extent(0) > 0)
      measures = make_array<Array<double* [3], Space>>(exec_, "assembly::dg::element_measures", n);
    for_each("tessera::assembly::dg::copy_elements", exec_, n,
             CopyElement<Dim, Space>{whole_, numbers_, part_.elements, kept_, faces.neighbour_offsets,
                                     faces.boundary_offsets, simplex_offsets, regions, boxes, degrees_, steps_,
                                     measures});
    scans_.restart();
    scans_.add(exec_, faces.neighbour_offsets, n);
    scans_.add(exec_, faces.boundary_offsets, n);
    scans_.add(exec_, simplex_offsets, n);
    const std::int64_t n_entries = scans_.totals(exec_)[0];
    faces.neighbour_interfaces = indices("neighbour_interfaces", n_entries);
    const Indices simplices = indices("element_simplices", counts.simplices);
    for_each("tessera::assembly::dg::copy_lists_of_elements", exec_, n,
             CopyLists<Dim, Space>{whole_, part_.elements, kept_, faces.neighbour_offsets, faces.neighbour_interfaces,
                                   simplex_offsets, simplex_numbers_, simplices});
    part_.form.regions = regions;
    part_.form.simplex_offsets = simplex_offsets;
    part_.form.element_simplices = simplices;
    part_.form.measures = measures;
    part_.form.space = fe::make_modal_space<Dim, ExecutionSpace>(exec_, boxes, degrees_, whole_.space.time, steps_);
    // The extremes of all elements determine the kernels' batches of points, and hence the order of sums.
    fe::ModalSpace<Dim, Space>& space = part_.form.space;
    space.indices = whole_.space.indices;
    space.smallest_degree = whole_.space.smallest_degree;
    space.largest_degree = whole_.space.largest_degree;
    space.smallest_steps = whole_.space.smallest_steps;
    space.largest_steps = whole_.space.largest_steps;
    space.largest_size = whole_.space.largest_size;
    space.is_uniform = whole_.space.is_uniform;
    space.from = whole_.space.from;
    space.to = whole_.space.to;
  }

  ExecutionSpace exec_;
  const Form<Dim, Space>& whole_;
  QueuedScans<4, ExecutionSpace> scans_;
  Numbers<Space> numbers_;
  Indices simplex_numbers_; // local indices of the simplices
  Indices kept_;            // offsets of the part's interfaces, by index in the whole form
  Indices face_offsets_;    // of the interior faces of these
  Indices part_faces_;      // indices of the part's faces in the whole form
  Array<int*, Space> degrees_;
  Array<int*, Space> steps_; // may be empty
  FormPart<Dim, Space> part_;
};

} // namespace

template <class ExecutionSpace, int Dim>
FormPart<Dim, typename ExecutionSpace::memory_space>
make_form_part(const ExecutionSpace& exec, const Form<Dim, typename ExecutionSpace::memory_space>& whole, index_t first,
               index_t end) {
  return PartMaker<ExecutionSpace, Dim>(exec, whole, first, end).make();
}

template <class ExecutionSpace, int Dim>
void restrict_to_part(const ExecutionSpace& exec, const Form<Dim, typename ExecutionSpace::memory_space>& whole,
                      const FormPart<Dim, typename ExecutionSpace::memory_space>& part,
                      const Array<const double*, ExecutionSpace>& all, const Array<double*, ExecutionSpace>& local) {
  for_each(
      "tessera::assembly::dg::restrict", exec, part.form.n_elements(),
      Restrict<Dim, typename ExecutionSpace::memory_space>{whole.space, part.form.space, part.elements, all, local});
}

template <class ExecutionSpace, int Dim>
Array<std::int64_t*, ExecutionSpace> element_work(const ExecutionSpace& exec,
                                                  const Form<Dim, typename ExecutionSpace::memory_space>& whole) {
  using Space = typename ExecutionSpace::memory_space;
  const index_t n = whole.n_elements();
  const auto work = make_array<Array<std::int64_t*, Space>>(exec, "assembly::dg::work", n + 1);
  for_each("tessera::assembly::dg::work", exec, n, Work<Dim, Space>{whole, work});
  return work;
}

template <class ExecutionSpace, int Dim>
std::vector<index_t> cut_elements(const ExecutionSpace& exec,
                                  const Form<Dim, typename ExecutionSpace::memory_space>& whole, int n_parts) {
  const index_t n = whole.n_elements();
  TESSERA_REQUIRE(n_parts <= n, n_parts << " processes are more than the mesh has elements (" << n << ").");
  const auto work = element_work<ExecutionSpace, Dim>(exec, whole);
  counts_to_offsets(exec, work, n, "work of the elements");
  const std::vector<std::int64_t> cuts = cut_by_work(exec, work, n_parts);
  return std::vector<index_t>(cuts.begin(), cuts.end());
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template FormPart<Dim, Space::memory_space> make_form_part(const Space&, const Form<Dim, Space::memory_space>&,      \
                                                             index_t, index_t);                                        \
  template void restrict_to_part(const Space&, const Form<Dim, Space::memory_space>&,                                  \
                                 const FormPart<Dim, Space::memory_space>&, const Array<const double*, Space>&,        \
                                 const Array<double*, Space>&);                                                        \
  template Array<std::int64_t*, Space> element_work(const Space&, const Form<Dim, Space::memory_space>&);              \
  template std::vector<index_t> cut_elements(const Space&, const Form<Dim, Space::memory_space>&, int);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_DIM(Space, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::assembly::dg
