// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/form/joint_faces.hpp"

#include "core/algorithms/grouped_items.hpp"
#include "core/keep_alive.hpp"
#include "core/transfer/upload.hpp"
#include "mesh/facet_sides.hpp"

namespace tessera::assembly::dg {

namespace {

/// Finds the face between two simplices among those of their elements' interface, and marks it.
template <int Dim, class Space> struct MarkJointFace {
  Form<Dim, Space> form;
  Array<const index_t*, Space> simplices; // of both sides
  Array<const group_t*, Space> numbers;   // of the joints
  Array<group_t*, Space> joints;

  KOKKOS_FUNCTION void operator()(index_t i) const {
    const index_t one = simplices(2 * i);
    const index_t two = simplices(2 * i + 1);
    const auto& faces = form.faces;
    const index_t e = form.element_of(one);
    const index_t other = form.element_of(two);
    for (index_t k = faces.neighbour_offsets(e); k < faces.neighbour_offsets(e + 1); ++k) {
      const index_t interface = faces.neighbour_interfaces(k);
      if (faces.interface_elements(interface, 0) != other && faces.interface_elements(interface, 1) != other)
        continue;
      for (index_t f = faces.interface_faces(interface); f < faces.interface_faces(interface + 1); ++f)
        if (faces.simplices(f, 0) + faces.simplices(f, 1) == one + two &&
            (faces.simplices(f, 0) == one || faces.simplices(f, 0) == two))
          joints(f) = numbers(i);
    }
  }
};

template <class Space> struct JointOfFace {
  Array<const group_t*, Space> joints;
  group_t no_joint;
  KOKKOS_FUNCTION index_t operator()(std::int64_t face) const {
    return joints(face) == no_joint ? -1 : static_cast<index_t>(joints(face));
  }
};

/// A face of a joint: its regions, and integrals of g [u] from the first side to the second, g [u]^2 and 1.
struct JointFace {
  int regions[2];
  double flow;
  double losses;
  double area;
};

template <int Dim, class Space> struct IntegrateJointFace {
  Form<Dim, Space> form;
  Array<const double*, Space> u;
  Array<const std::int64_t*, Space> faces;
  Array<JointFace*, Space> result;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto face = static_cast<index_t>(faces(i));
    const index_t e = form.element(face, 0);
    const index_t other = form.element(face, 1);
    double n[Dim];
    const double area = form.face_normal(face, n);
    const Rule rule = form.face_rule(face);
    JointFace sums{{form.regions(e), form.regions(other)}, 0., 0., area};
    for (int q = 0; q < form.n_face_points(rule); ++q) {
      double x[Dim + 1];
      double gradient[Dim];
      const double weight = area * form.face_point(face, rule, q, x) * form.penalty(face);
      const double jump = form.space.evaluate(e, u, x, gradient) - form.space.evaluate(other, u, x, gradient);
      sums.flow += weight * jump;
      sums.losses += weight * jump * jump;
    }
    result(i) = sums;
  }
};

} // namespace

template <class ExecutionSpace, int Dim>
void set_joints(const ExecutionSpace& exec, const mesh::PolytopicMesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                const std::vector<physics::Joint>& joints, Form<Dim, typename ExecutionSpace::memory_space>& form) {
  using Space = typename ExecutionSpace::memory_space;
  if (joints.empty())
    return;
  std::vector<int> joint_of_group(mesh.simplices.boundary_names.size(), -1);
  std::vector<double> conductances;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    joint_of_group[joints[j].group] = static_cast<int>(j);
    conductances.push_back(joints[j].conductance);
  }
  std::vector<index_t> simplices;
  std::vector<group_t> numbers;
  for (const mesh::FacetSides& facet : mesh::find_facet_sides<ExecutionSpace, Dim>(exec, mesh.simplices, joint_of_group,
                                                                                   static_cast<int>(joints.size()))) {
    TESSERA_REQUIRE(facet.element[1] >= 0 && facet.region[0] != facet.region[1],
                    joints[static_cast<std::size_t>(facet.set)].where << ": a facet of the joint does not lie between "
                                                                         "two regions.");
    simplices.insert(simplices.end(), facet.element, facet.element + 2);
    numbers.push_back(static_cast<group_t>(facet.set));
  }
  const auto marks = make_filled<Array<group_t*, Space>>(exec, "assembly::dg::joints", form.faces.n_interior,
                                                         Form<Dim, Space>::no_joint);
  const auto of_facets = uploaded(exec, "assembly::dg::joint_simplices", simplices);
  const auto joint_numbers = uploaded(exec, "assembly::dg::joint_numbers", numbers);
  for_each("tessera::assembly::dg::mark_joint_faces", exec, static_cast<std::int64_t>(numbers.size()),
           MarkJointFace<Dim, Space>{form, of_facets, joint_numbers, marks});
  form.joints = marks;
  form.conductances = uploaded(exec, "assembly::dg::conductances", conductances);
  keep_alive(exec, of_facets, joint_numbers);
}

template <class ExecutionSpace, int Dim>
std::vector<physics::JointTotals>
joint_totals(const ExecutionSpace& exec, const Form<Dim, typename ExecutionSpace::memory_space>& form,
             const Array<const double*, ExecutionSpace>& u, const std::vector<std::string>& region_names) {
  using Space = typename ExecutionSpace::memory_space;
  if (form.conductances.extent(0) == 0)
    return {};
  const auto conductances = tessera::to_host(exec, form.conductances);
  const auto n_joints = static_cast<index_t>(conductances.extent(0));
  const auto faces = group_items(exec, static_cast<std::int64_t>(form.joints.extent(0)), n_joints,
                                 JointOfFace<Space>{form.joints, form.no_joint}, "faces of joints");
  const auto result = make_array<Array<JointFace*, Space>>(exec, "assembly::dg::joint_faces", faces.n_items());
  for_each("tessera::assembly::dg::integrate_joint_faces", exec, faces.n_items(),
           IntegrateJointFace<Dim, Space>{form, u, faces.items, result});
  const auto on_host = tessera::to_host(exec, result); // waits: the other arrays may be freed
  std::vector<physics::JointTotals> totals(static_cast<std::size_t>(n_joints));
  for (index_t j = 0; j < n_joints; ++j) {
    physics::JointTotals& joint = totals[static_cast<std::size_t>(j)];
    joint.conductance = conductances(j);
    bool is_one_pair = true;
    for (offset_t i = faces.host_starts[static_cast<std::size_t>(j)];
         i < faces.host_starts[static_cast<std::size_t>(j) + 1]; ++i) {
      const JointFace& face = on_host(i);
      const std::string& first = region_names[static_cast<std::size_t>(face.regions[0])];
      const std::string& second = region_names[static_cast<std::size_t>(face.regions[1])];
      const bool is_swapped = second < first;
      const std::string& from = is_swapped ? second : first;
      const std::string& to = is_swapped ? first : second;
      if (joint.area == 0.) {
        joint.from = from;
        joint.to = to;
      }
      is_one_pair = is_one_pair && joint.from == from && joint.to == to;
      joint.flow += is_swapped ? -face.flow : face.flow;
      joint.losses += face.losses;
      joint.area += face.area;
    }
    if (!is_one_pair)
      joint.from = joint.to = "";
  }
  return totals;
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template void set_joints(const Space&, const mesh::PolytopicMesh<Dim, Space::memory_space>&,                         \
                           const std::vector<physics::Joint>&, Form<Dim, Space::memory_space>&);                       \
  template std::vector<physics::JointTotals> joint_totals(const Space&, const Form<Dim, Space::memory_space>&,         \
                                                          const Array<const double*, Space>&,                          \
                                                          const std::vector<std::string>&);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_DIM(Space, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::assembly::dg
