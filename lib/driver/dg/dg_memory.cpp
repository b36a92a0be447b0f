// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/dg/dg_memory.hpp"

#include "assembly/dg/blocks/steady_blocks.hpp"
#include "core/algorithms/reduce.hpp"
#include "core/kokkos_ext/spaces.hpp"

#include <algorithm>

namespace tessera::driver {

namespace {

/// Counts the entries in the row of an element and in its diagonal block, and the triplets of its simplices and its
/// sides of faces. Integers, so that their sums are exact.
template <int Dim, class Space> struct CountEntries {
  mesh::Faces<Dim, Space> faces;
  Array<const index_t*, Space> simplex_offsets;
  fe::ModalSpace<Dim, Space> space;

  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[3]) const {
    const auto e = static_cast<index_t>(i);
    const double size = space.size(e);
    const double n_owned =
        simplex_offsets(e + 1) - simplex_offsets(e) + faces.boundary_offsets(e + 1) - faces.boundary_offsets(e);
    term[0] = size * size;
    term[1] = size * size;
    term[2] = n_owned * (size * size + size);
    for (index_t k = faces.neighbour_offsets(e); k < faces.neighbour_offsets(e + 1); ++k) {
      const index_t interface = faces.neighbour_interfaces(k);
      const index_t first = faces.interface_elements(interface, 0);
      const double other = space.size(first == e ? faces.interface_elements(interface, 1) : first);
      const double n_faces = faces.interface_faces(interface + 1) - faces.interface_faces(interface);
      term[0] += size * other;
      term[2] += n_faces * size * (size + other + 1.);
    }
  }
};

} // namespace

DgSizes expected_sizes(const io::DiscretizationOptions& input, int dimension, double n_elements, double n_simplices) {
  const auto lowest = [](const io::ElementNumbersInput& numbers, int least) {
    int number = numbers.expression ? least : numbers.number;
    for (const io::RegionNumber& entry : numbers.regions)
      number = std::min(number, entry.number);
    return number;
  };
  const int degree = lowest(input.order, 0);
  const double size =
      lowest(input.local_steps, 1) * (dimension == 2 ? fe::modal_size<2>(input.time_polynomials, degree)
                                                     : fe::modal_size<3>(input.time_polynomials, degree));
  const double n_faces = 0.5 * (dimension + 1) * n_simplices;
  DgSizes sizes{};
  sizes.diagonal_entries = size * size * n_elements;
  sizes.assembly.elements = n_elements;
  sizes.assembly.interfaces =
      std::min({n_faces, (dimension == 2 ? 1.8 : 3.5) * n_elements, 0.5 * n_elements * (n_elements - 1.)});
  sizes.assembly.unknowns = size * n_elements;
  sizes.assembly.entries = size * size * sizes.assembly.blocks();
  sizes.assembly.triplets = (size * size + size) * n_simplices;
  sizes.assembly.offset_bytes = sizeof(offset_t);
  return sizes;
}

template <int Dim, class ExecutionSpace>
DgSizes sizes_of(const ExecutionSpace& exec,
                 const mesh::PolytopicMesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                 const fe::ModalSpace<Dim, typename ExecutionSpace::memory_space>& space) {
  using Space = typename ExecutionSpace::memory_space;
  return sizes_of<Dim, ExecutionSpace>(exec, mesh.faces, Array<const index_t*, Space>(mesh.simplex_offsets), space);
}

template <int Dim, class ExecutionSpace>
DgSizes sizes_of(const ExecutionSpace& exec, const mesh::Faces<Dim, typename ExecutionSpace::memory_space>& faces,
                 const Array<const index_t*, typename ExecutionSpace::memory_space>& simplex_offsets,
                 const fe::ModalSpace<Dim, typename ExecutionSpace::memory_space>& space) {
  using Space = typename ExecutionSpace::memory_space;
  const index_t n = space.n_elements();
  const ReduceWorkspace<ExecutionSpace> workspace(exec, n, 3);
  const auto sums = make_array<Array<double*, ExecutionSpace>>(exec, "driver::entry_counts", 3);
  ordered_sums<3>("tessera::driver::count_entries", exec, n, CountEntries<Dim, Space>{faces, simplex_offsets, space},
                  workspace, sums.data());
  const auto counts = tessera::to_host(exec, sums);
  DgSizes sizes{};
  sizes.diagonal_entries = counts(1);
  sizes.assembly.elements = n;
  sizes.assembly.interfaces = faces.n_interfaces();
  sizes.assembly.unknowns = space.n_dofs;
  sizes.assembly.entries = counts(0);
  sizes.assembly.triplets = counts(2);
  sizes.assembly.offset_bytes = sizeof(offset_t);
  return sizes;
}

template <int Dim, class ExecutionSpace>
double count_face_values(const mesh::Faces<Dim, typename ExecutionSpace::memory_space>& faces,
                         const fe::ModalSpace<Dim, typename ExecutionSpace::memory_space>& space,
                         const physics::AdvectionDiffusionReaction& transport) {
  using Space = typename ExecutionSpace::memory_space;
  if (!assembly::dg::has_steady_kernels(space))
    return 0.;
  const auto has_expression = [](const std::vector<physics::Expression>& components) {
    return std::any_of(components.begin(), components.end(), [](const auto& c) { return !c.is_constant(); });
  };
  assembly::dg::FaceValues<Dim, Space> values;
  for (const physics::AdvectionRegion& region : transport.regions) {
    values.has_flux = values.has_flux || has_expression(region.diffusion);
    values.has_inflow = values.has_inflow || has_expression(region.advection);
  }
  const int degree = space.largest_degree;
  values.n_levels = space.time == fe::TimePolynomials::none ? 1 : degree + 1;
  const double per_face = Dim == 2 ? degree + 1 : degree == 1 ? 3 : 6; // of rules of degree 2 p
  return per_face * (static_cast<double>(values.n_interior_values()) * faces.n_interior +
                     static_cast<double>(values.n_boundary_values()) * (faces.n_faces() - faces.n_interior));
}

double estimate_bytes(const io::Case& input, const DgSizes& sizes) {
  assembly::dg::AssemblySizes matrix = sizes.assembly;
  matrix.value_bytes = input.assembly.precision == Precision::single_precision ? sizeof(float) : sizeof(double);
  const io::SolverMethod method = input.solver.method;
  const double vectors = method == io::SolverMethod::gmres      ? input.solver.restart + 4
                         : method == io::SolverMethod::bicgstab ? 9
                                                                : 8;
  double temporary = assembly::dg::traits_of(input.assembly.dg_strategy).temporary_bytes(matrix);
  if (assembly::dg::resolved(input.assembly.dg_strategy) == assembly::dg::Strategy::block_rows)
    temporary += 8. * sizes.face_values;
  const double n = sizes.assembly.unknowns;
  const double indices_of_blocks = (4. + 2. * matrix.offset_bytes) * matrix.elements;
  double solver = 8. * (vectors * n + sizes.diagonal_entries) + indices_of_blocks; // including inverse diagonal blocks
  if (may_take_multigrid(input)) {
    // Fractions of the entries, lower bounds: coarser levels, and the product of matrix and transfer. While they are
    // made there are a matrix of half the penalty and its assembler, or a transfer of the size of the diagonal blocks,
    // the product with it, and the coarser matrix of half the penalty. Afterwards: transfers, matrices and inverse
    // blocks in single precision, and three vectors of each level.
    const bool has_few_neighbours = matrix.blocks() < 5.5 * matrix.elements; // simplices
    const double coarser = has_few_neighbours ? 0.25 : 0.12;
    const double times_transfer = has_few_neighbours ? 0.55 : 0.38;
    const double transfers = 8. * sizes.diagonal_entries;
    const double made =
        matrix.matrix() + std::max(temporary, transfers + (coarser + times_transfer) * 8. * matrix.entries);
    const double kept = (1. + coarser) * (4. * (matrix.entries + 2. * sizes.diagonal_entries) + 24. * n) +
                        8. * vectors * n + indices_of_blocks;
    solver = std::max(made, kept);
  }
  if (sizes.n_processes == 1)
    return sizes.share * (matrix.matrix() + temporary + solver);
  // Owned rows once with all and once with owned columns, indices only; and the solution, which is not distributed.
  const double indices = (4. + matrix.offset_bytes) * matrix.blocks() + matrix.offset_bytes * matrix.elements;
  return sizes.share * (matrix.matrix() + 2. * indices + temporary + solver) + 8. * n;
}

#define TESSERA_INSTANTIATE_DIM(SPACE, DIM)                                                                            \
  template DgSizes sizes_of<DIM, SPACE>(const SPACE&, const mesh::Faces<DIM, SPACE::memory_space>&,                    \
                                        const Array<const index_t*, SPACE::memory_space>&,                             \
                                        const fe::ModalSpace<DIM, SPACE::memory_space>&);                              \
  template DgSizes sizes_of<DIM, SPACE>(const SPACE&, const mesh::PolytopicMesh<DIM, SPACE::memory_space>&,            \
                                        const fe::ModalSpace<DIM, SPACE::memory_space>&);                              \
  template double count_face_values<DIM, SPACE>(const mesh::Faces<DIM, SPACE::memory_space>&,                          \
                                                const fe::ModalSpace<DIM, SPACE::memory_space>&,                       \
                                                const physics::AdvectionDiffusionReaction&);
#define TESSERA_INSTANTIATE(SPACE) TESSERA_INSTANTIATE_DIM(SPACE, 2) TESSERA_INSTANTIATE_DIM(SPACE, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
