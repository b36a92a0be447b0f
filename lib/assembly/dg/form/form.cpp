// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/form/form.hpp"

#include "assembly/dg/form/coverable.hpp"
#include "assembly/dg/form/joint_faces.hpp"
#include "core/error.hpp"

namespace tessera::assembly::dg {

namespace {

/// Degree 0 counts as 1.
template <class Form> KOKKOS_FUNCTION int penalty_degree(const Form& form, index_t e) {
  return form.space.degrees(e) > 1 ? form.space.degrees(e) : 1;
}

/// Measure and surface of each element, and p^(2 (Dim - 1)).
template <int Dim, class Space> struct MeasureElements {
  Form<Dim, Space> form;
  Array<double* [3], Space> measures;

  KOKKOS_FUNCTION double area(index_t first, index_t end) const {
    double sum = 0.;
    double normal[Dim];
    for (index_t f = first; f < end; ++f)
      sum += form.face_normal(f, normal);
    return sum;
  }
  KOKKOS_FUNCTION void operator()(index_t e) const {
    const auto& faces = form.faces;
    double measure = 0.;
    for (index_t s = form.simplex_offsets(e); s < form.simplex_offsets(e + 1); ++s)
      measure += form.simplex_measure(form.element_simplices(s));
    double surface =
        area(faces.n_interior + faces.boundary_offsets(e), faces.n_interior + faces.boundary_offsets(e + 1));
    for (index_t k = faces.neighbour_offsets(e); k < faces.neighbour_offsets(e + 1); ++k) {
      const index_t interface = faces.neighbour_interfaces(k);
      surface += area(faces.interface_faces(interface), faces.interface_faces(interface + 1));
    }
    measures(e, 0) = measure;
    measures(e, 1) = surface;
    measures(e, 2) = 1.;
    for (int k = 0; k < 2 * (Dim - 1); ++k)
      measures(e, 2) *= penalty_degree(form, e);
  }
};

/// The penalty of appendix A: C_sigma times the maximum over the sides of min(|K| / |K^F|, C_cov) a p^2 |F| / |K|,
/// where a is the largest n . A n at the side's quadrature points on the face, the only points at which the form
/// evaluates A on faces. Traffic: nodes and simplices of the faces, their vertices; 8 bytes
/// written per face.
template <int Dim, class Space> struct ComputePenalty {
  Form<Dim, Space> form;
  Array<double*, Space> penalty;

  KOKKOS_FUNCTION double largest_normal_diffusion(index_t face, int side, const double (&normal)[Dim]) const {
    using Coefficients = physics::AdvectionCoefficients<Dim, Space>;
    const Rule rule = form.face_rule(face);
    const index_t e = form.element(face, side);
    const bool is_constant = form.coefficients.has_constant_diffusion(form.regions(e));
    const int n_points = is_constant ? 1 : form.n_face_points(rule);
    double largest = 0.;
    for (int q = 0; q < n_points; ++q) {
      double x[Dim + 1] = {};
      double A[Coefficients::n_diffusion];
      double flux[Dim];
      if (!is_constant) {
        form.face_point(face, rule, q, x);
        form.move_inside(e, normal, side == 0 ? 1. : -1., x);
      }
      form.coefficients.diffusion(form.regions(e), x, A);
      Coefficients::multiply(A, normal, flux);
      double normal_diffusion = 0.;
      for (int d = 0; d < Dim; ++d)
        normal_diffusion += flux[d] * normal[d];
      largest = normal_diffusion > largest ? normal_diffusion : largest;
    }
    return largest;
  }

  KOKKOS_FUNCTION void operator()(index_t face) const {
    if (form.is_joint(face)) {
      penalty(face) = form.conductances(form.joints(face));
      return;
    }
    double normal[Dim];
    const double area = form.face_normal(face, normal);
    double largest = 0.;
    for (int side = 0; side < 2; ++side) {
      const index_t e = form.element(face, side);
      if (e < 0)
        continue;
      const int p = penalty_degree(form, e);
      double inverse_height = area / form.simplex_measure(form.faces.simplices(face, side));
      if (form.options.covering != Covering::simplices) {
        double bound = form.measures(e, 2) * area / form.measures(e, 0);
        if (form.options.covering == Covering::surface) {
          const double of_surface = form.measures(e, 1) / ((Dim + 1) * form.measures(e, 0));
          bound = bound < of_surface ? of_surface : bound;
        }
        inverse_height = bound < inverse_height ? bound : inverse_height;
      }
      const double value = largest_normal_diffusion(face, side, normal) * p * p * inverse_height;
      largest = value > largest ? value : largest;
    }
    penalty(face) = form.options.penalty_constant * largest;
  }
};

} // namespace

template <class ExecutionSpace, int Dim>
Form<Dim, typename ExecutionSpace::memory_space>
make_form(const ExecutionSpace& exec, const mesh::PolytopicMesh<Dim, typename ExecutionSpace::memory_space>& mesh,
          const fe::ModalSpace<Dim, typename ExecutionSpace::memory_space>& space,
          const physics::AdvectionDiffusionReaction& problem, const FormOptions& options) {
  using Space = typename ExecutionSpace::memory_space;
  TESSERA_REQUIRE(problem.regions.size() == mesh.simplices.region_names.size(),
                  "The problem has data of " << problem.regions.size() << " regions, the mesh has "
                                             << mesh.simplices.region_names.size() << ".");
  TESSERA_REQUIRE(space.n_elements() == mesh.n_elements(),
                  "The space has " << space.n_elements() << " elements, the mesh has " << mesh.n_elements() << ".");
  Form<Dim, Space> form;
  form.coordinates = mesh.simplices.coordinates;
  form.simplices = mesh.simplices.elements;
  form.element_of = mesh.element_of;
  form.simplex_offsets = mesh.simplex_offsets;
  form.element_simplices = mesh.element_simplices;
  form.regions = mesh.regions;
  form.faces = mesh.faces;
  form.space = space;
  std::vector<int> degrees;
  for (int p = 0; p <= space.largest_degree; ++p)
    degrees.push_back(2 * p + options.extra_degree);
  set_rules(exec, form, degrees);
  form.coefficients =
      physics::make_coefficients<Dim>(exec, problem, static_cast<int>(mesh.simplices.boundary_names.size()));
  form.options = options;
  set_joints(exec, mesh, problem.joints, form);
  if (options.covering != Covering::simplices) {
    form.measures = make_array<Array<double* [3], Space>>(exec, "assembly::dg::element_measures", form.n_elements());
    for_each("tessera::assembly::dg::measure_elements", exec, form.n_elements(),
             MeasureElements<Dim, Space>{form, form.measures});
    if (options.covering == Covering::p_coverable)
      lift_bounds_of_uncoverable(exec, form);
  }
  form.penalty = make_array<Array<double*, Space>>(exec, "assembly::dg::penalty", mesh.faces.n_faces());
  update_penalty(exec, form);
  return form;
}

template <class ExecutionSpace, int Dim>
void update_penalty(const ExecutionSpace& exec, const Form<Dim, typename ExecutionSpace::memory_space>& form) {
  using Space = typename ExecutionSpace::memory_space;
  for_each("tessera::assembly::dg::penalty", exec, form.faces.n_faces(),
           ComputePenalty<Dim, Space>{form, form.penalty});
}

template <class ExecutionSpace, int Dim>
void set_rules(const ExecutionSpace& exec, Form<Dim, typename ExecutionSpace::memory_space>& form,
               const std::vector<int>& degrees) {
  form.volume_rules = fe::make_simplex_rules<Dim + 1>(exec, degrees);
  form.face_rules = fe::make_simplex_rules<Dim>(exec, degrees);
  form.time_rules = fe::make_simplex_rules<2>(exec, form.is_slab() ? degrees : std::vector<int>(degrees.size(), 0));
}

template <class ExecutionSpace, int Dim>
Form<Dim, HostMemory> to_host(const ExecutionSpace& exec,
                              const Form<Dim, typename ExecutionSpace::memory_space>& form) {
  Form<Dim, HostMemory> host;
  host.coordinates = tessera::to_host(exec, form.coordinates);
  host.simplices = tessera::to_host(exec, form.simplices);
  host.element_of = tessera::to_host(exec, form.element_of);
  host.simplex_offsets = tessera::to_host(exec, form.simplex_offsets);
  host.element_simplices = tessera::to_host(exec, form.element_simplices);
  host.regions = tessera::to_host(exec, form.regions);
  host.faces.nodes = tessera::to_host(exec, form.faces.nodes);
  host.faces.simplices = tessera::to_host(exec, form.faces.simplices);
  host.faces.groups = tessera::to_host(exec, form.faces.groups);
  host.faces.n_interior = form.faces.n_interior;
  host.faces.interface_elements = tessera::to_host(exec, form.faces.interface_elements);
  host.faces.interface_faces = tessera::to_host(exec, form.faces.interface_faces);
  host.faces.neighbour_offsets = tessera::to_host(exec, form.faces.neighbour_offsets);
  host.faces.neighbour_interfaces = tessera::to_host(exec, form.faces.neighbour_interfaces);
  host.faces.boundary_offsets = tessera::to_host(exec, form.faces.boundary_offsets);
  host.space = fe::to_host(exec, form.space);
  host.volume_rules = fe::to_host(exec, form.volume_rules);
  host.face_rules = fe::to_host(exec, form.face_rules);
  host.coefficients = physics::host_coefficients(exec, form.coefficients);
  host.time_rules = fe::to_host(exec, form.time_rules);
  host.previous = tessera::to_host(exec, form.previous);
  host.measures = tessera::to_host(exec, form.measures);
  host.joints = tessera::to_host(exec, form.joints);
  host.conductances = tessera::to_host(exec, form.conductances);
  host.penalty = tessera::to_host(exec, form.penalty);
  host.options = form.options;
  return host;
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template Form<Dim, Space::memory_space> make_form(const Space&,                                                      \
                                                    const mesh::PolytopicMesh<Dim, Space::memory_space>&,              \
                                                    const fe::ModalSpace<Dim, Space::memory_space>&,                   \
                                                    const physics::AdvectionDiffusionReaction&, const FormOptions&);   \
  template void update_penalty(const Space&, const Form<Dim, Space::memory_space>&);                                   \
  template void set_rules(const Space&, Form<Dim, Space::memory_space>&, const std::vector<int>&);                     \
  template Form<Dim, HostMemory> to_host(const Space&, const Form<Dim, Space::memory_space>&);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_DIM(Space, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::assembly::dg
