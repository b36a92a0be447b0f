// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/block_rows.hpp"

#include "assembly/dg/face_terms.hpp"
#include "assembly/dg/volume_moments.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::assembly::dg {

namespace {

/// Scratch memory of a team: on devices small enough for several teams per multiprocessor, on hosts for the cache.
template <class Space> constexpr std::size_t scratch_budget = uses_host_forms<Space> ? 24 * 1024 : 40 * 1024;

/// C[i][j] += sum over k of left[k][i] right[k][j], in the order of k, whatever the number of threads; starts from zero
/// if `is_first`.
template <class Space, class Team>
KOKKOS_FUNCTION void add_products(const Team& team, int depth, const double* left, int n_rows, const double* right,
                                  int n_columns, double* C, bool is_first) {
  if constexpr (uses_host_forms<Space>) {
    for (int i = 0; i < n_rows; ++i) {
      double* const row = C + i * n_columns;
      for (int j = 0; is_first && j < n_columns; ++j)
        row[j] = 0.;
      for (int k = 0; k < depth; ++k) {
        const double factor = left[k * n_rows + i];
        const double* const other = right + k * n_columns;
        TESSERA_INDEPENDENT_ITERATIONS
        for (int j = 0; j < n_columns; ++j)
          row[j] = ::fma(factor, other[j], row[j]);
      }
    }
  } else {
    for (int entry = team.team_rank(); entry < n_rows * n_columns; entry += team.team_size()) {
      const int i = entry / n_columns;
      const int j = entry % n_columns;
      double sum = is_first ? 0. : C[entry];
      for (int k = 0; k < depth; ++k)
        sum = ::fma(left[k * n_rows + i], right[k * n_columns + j], sum);
      C[entry] = sum;
    }
  }
}

/// Legendre factors of an element's basis at a point, and their derivatives, in scratch memory: [Dim + 1][2][degree +
/// 1].
template <int Dim, class Space>
KOKKOS_FUNCTION void write_factors(const fe::ModalSpace<Dim, Space>& space, index_t e, const double (&x)[Dim + 1],
                                   double* factors) {
  const int n = space.degrees(e) + 1;
  for (int d = 0; d <= Dim; ++d)
    space.evaluate_factors(e, d, n - 1, x[d], factors + 2 * d * n, factors + (2 * d + 1) * n);
}

/// Doubles of them.
template <int Dim> KOKKOS_INLINE_FUNCTION constexpr int n_factor_entries(int n_degrees) {
  return 2 * (Dim + 1) * n_degrees;
}

/// Value and gradient of basis function i of an element of degree n - 1, from its factors.
template <int Dim, class Space>
KOKKOS_FUNCTION double read_basis(const fe::ModalSpace<Dim, Space>& space, int i, int n, const double* factors,
                                  double (&gradient)[Dim]) {
  double value = 1.;
  for (int d = 0; d <= Dim; ++d)
    value *= factors[2 * d * n + space.indices(i, d)];
  for (int d = 0; d < Dim; ++d) {
    gradient[d] = factors[(2 * d + 1) * n + space.indices(i, d)];
    for (int other = 0; other <= Dim; ++other)
      if (other != d)
        gradient[d] *= factors[2 * other * n + space.indices(i, other)];
  }
  return value;
}

template <int Dim, class Space> struct RowData {
  Form<Dim, Space> form;
  BlockPattern<Space> pattern;
  ConstArray<const offset_t*, Space> value_offsets;
  double* values; // none: the load alone
  double* rhs;
  int batch = 0; // points that scratch memory holds

  KOKKOS_FUNCTION double* block(offset_t b) const { return values == nullptr ? nullptr : values + value_offsets(b); }
};

/// Adds the face terms to an element's diagonal block and load, and computes its other blocks: of interior faces,
/// interface by interface, or of boundary faces.
///
/// Left factors at a point are (v, s), right ones w (alpha u + beta r, gamma u), as FaceTerms has them. Traffic: the
/// coordinates and coefficients of each point once per side, each block written once per batch.
template <int Dim, class ExecutionSpace> struct FaceRows {
  using Space = typename ExecutionSpace::memory_space;
  using Team = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  static constexpr int n_factors = 2;
  static constexpr int n_data = 6 + 2 * Dim; // weight and FaceTerms
  RowData<Dim, Space> row;
  bool interior;

  KOKKOS_FUNCTION static int doubles_per_point(int n_degrees, int size) {
    return n_data + 2 * n_factor_entries<Dim>(n_degrees) + 3 * n_factors * size;
  }

  struct Range {
    index_t e;
    index_t other; // -1: boundary faces
    double sign;   // of the normal: that out of e is sign * n
    index_t first_face;
    index_t end_face;
    double* diagonal;
    double* off_diagonal;
  };

  KOKKOS_FUNCTION void write_point(const Range& range, index_t face, int rule, int q, double* data, double* factors,
                                   double* other_factors) const {
    const auto& form = row.form;
    double n[Dim];
    double x[Dim + 1];
    const double weight = form.face_normal(face, n) * form.time_measure() * form.face_point(face, rule, q, x);
    for (int d = 0; d < Dim; ++d)
      n[d] *= range.sign;
    const FaceTerms<Dim> terms = range.other < 0 ? boundary_terms(form, face, range.e, x, n)
                                                 : interior_terms(form, face, range.e, range.other, x, n);
    data[0] = weight * terms.alpha;
    data[1] = weight * terms.beta;
    data[2] = weight * terms.gamma;
    data[3] = weight * terms.load_value;
    data[4] = weight * terms.load_flux;
    for (int d = 0; d < Dim; ++d) {
      data[6 + d] = terms.flux[d];
      data[6 + Dim + d] = range.other < 0 ? 0. : terms.other_flux[d];
    }
    write_factors(form.space, range.e, x, factors);
    if (range.other >= 0)
      write_factors(form.space, range.other, x, other_factors);
  }

  KOKKOS_FUNCTION static double flux_of(const double* flux, const double (&gradient)[Dim]) {
    double sum = 0.;
    for (int d = 0; d < Dim; ++d)
      sum += flux[d] * gradient[d];
    return sum;
  }
  KOKKOS_FUNCTION void write_own(int i, int size, int n_degrees, const double* data, const double* factors,
                                 double* left, double* right) const {
    double gradient[Dim];
    const double value = read_basis(row.form.space, i, n_degrees, factors, gradient);
    const double flux = flux_of(data + 6, gradient);
    left[i] = value;
    left[size + i] = flux;
    right[i] = data[0] * value + data[1] * flux;
    right[size + i] = data[2] * value;
  }
  KOKKOS_FUNCTION void write_other(int j, int size, int n_degrees, const double* data, const double* factors,
                                   double* right) const {
    double gradient[Dim];
    const double value = read_basis(row.form.space, j, n_degrees, factors, gradient);
    right[j] = -data[0] * value + data[1] * flux_of(data + 6 + Dim, gradient);
    right[size + j] = -data[2] * value;
  }

  KOKKOS_FUNCTION void add_faces(const Team& team, const Range& range, double* scratch) const {
    const auto& form = row.form;
    const bool has_other = range.other >= 0;
    const int rank = team.team_rank();
    const int threads = team.team_size();
    const int size = form.space.size(range.e);
    const int other_size = has_other ? form.space.size(range.other) : 0;
    const int n_degrees = form.space.degrees(range.e) + 1;
    const int other_degrees = has_other ? form.space.degrees(range.other) + 1 : 0;
    const int rule = (n_degrees < other_degrees ? other_degrees : n_degrees) - 1;
    const int per_face = form.n_face_points(rule);
    const int n_points = (range.end_face - range.first_face) * per_face;
    const int n_own = n_factor_entries<Dim>(n_degrees);
    const int n_other = n_factor_entries<Dim>(other_degrees);
    double* const data = scratch;
    double* const factors = data + row.batch * n_data;
    double* const other_factors = factors + row.batch * n_own;
    double* const left = other_factors + row.batch * n_other;
    double* const right = left + row.batch * n_factors * size;
    double* const other_right = right + row.batch * n_factors * size;
    double* const load = row.rhs + form.space.dof_offsets(range.e);

    for (int first = 0; first < n_points; first += row.batch) {
      const int count = n_points - first < row.batch ? n_points - first : row.batch;
      for (int k = rank; k < count; k += threads)
        write_point(range, range.first_face + (first + k) / per_face, rule, (first + k) % per_face, data + k * n_data,
                    factors + k * n_own, other_factors + k * n_other);
      team.team_barrier();
      for (int item = rank; item < count * (size + other_size); item += threads) {
        const int k = item / (size + other_size);
        const int i = item % (size + other_size);
        if (i < size)
          write_own(i, size, n_degrees, data + k * n_data, factors + k * n_own, left + k * n_factors * size,
                    right + k * n_factors * size);
        else
          write_other(i - size, other_size, other_degrees, data + k * n_data, other_factors + k * n_other,
                      other_right + k * n_factors * other_size);
      }
      team.team_barrier();
      for (int i = rank; !has_other && i < size; i += threads) {
        double sum = load[i];
        for (int k = 0; k < count; ++k)
          sum += data[k * n_data + 3] * left[k * n_factors * size + i] +
                 data[k * n_data + 4] * left[(k * n_factors + 1) * size + i];
        load[i] = sum;
      }
      if (range.diagonal != nullptr)
        add_products<Space>(team, count * n_factors, left, size, right, size, range.diagonal, false);
      if (range.off_diagonal != nullptr)
        add_products<Space>(team, count * n_factors, left, size, other_right, other_size, range.off_diagonal,
                            first == 0);
      team.team_barrier(); // before the next points replace the factors
    }
  }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const auto& form = row.form;
    const auto& faces = form.faces;
    const index_t e = static_cast<index_t>(team.league_rank());
    double* const scratch = static_cast<double*>(team.team_shmem().get_shmem(
        sizeof(double) * row.batch * doubles_per_point(form.space.largest_degree + 1, form.space.largest_size())));
    double* const diagonal = row.block(row.pattern.diagonal(e));
    if (!interior) {
      add_faces(team,
                Range{e, -1, 1., faces.n_interior + faces.boundary_offsets(e),
                      faces.n_interior + faces.boundary_offsets(e + 1), diagonal, nullptr},
                scratch);
      return;
    }
    for (index_t k = faces.neighbour_offsets(e); k < faces.neighbour_offsets(e + 1); ++k) {
      const index_t interface = faces.neighbour_interfaces(k);
      const int side = faces.interface_elements(interface, 0) == e ? 0 : 1;
      add_faces(team,
                Range{e, faces.interface_elements(interface, 1 - side), side == 0 ? 1. : -1.,
                      faces.interface_faces(interface), faces.interface_faces(interface + 1), diagonal,
                      row.block(row.pattern.interfaces(interface, side))},
                scratch);
    }
  }
};

/// On devices a few entries of a block for each thread.
template <class ExecutionSpace> int threads_of_team(int size) {
  if (!is_host_space<ExecutionSpace>)
    return size <= 6 ? 32 : size <= 15 ? 64 : 128;
  const bool is_test = !uses_host_forms<typename ExecutionSpace::memory_space>; // of the devices' forms
  return is_test && ExecutionSpace().concurrency() > 1 ? 2 : 1;
}

template <class ExecutionSpace, class Body>
void for_each_row(const char* label, const ExecutionSpace& exec, Body body) {
  using Space = typename ExecutionSpace::memory_space;
  const auto& space = body.row.form.space;
  const index_t n = space.n_elements();
  if (n == 0)
    return;
  const std::size_t bytes = sizeof(double) * Body::doubles_per_point(space.largest_degree + 1, space.largest_size());
  body.row.batch = static_cast<int>(std::clamp<std::size_t>(scratch_budget<Space> / bytes, 1, 64));
  const int threads = threads_of_team<ExecutionSpace>(space.largest_size());
  Kokkos::parallel_for(
      label,
      Kokkos::TeamPolicy<ExecutionSpace>(exec, n, threads).set_scratch_size(0, Kokkos::PerTeam(bytes * body.row.batch)),
      body);
}

/// Level-0 scratch memory of a team that devices have whatever their settings.
constexpr std::size_t largest_scratch = 46 * 1024;

template <class ExecutionSpace, int Dim>
void compute_volumes(const ExecutionSpace& exec, VolumeMoments<Dim, ExecutionSpace> kernel) {
  using Space = typename ExecutionSpace::memory_space;
  constexpr int most_sets = 4; // of moments at a time
  kernel.n_sets = most_sets;
  while (kernel.n_sets > 1 && kernel.scratch_bytes() > scratch_budget<Space>)
    --kernel.n_sets;
  kernel.scratch_level = kernel.scratch_bytes() <= largest_scratch ? 0 : 1;
  const index_t n = kernel.form.n_elements();
  if (n > 0)
    Kokkos::parallel_for(
        "tessera::assembly::dg::volume_moments",
        Kokkos::TeamPolicy<ExecutionSpace>(exec, n, threads_of_team<ExecutionSpace>(kernel.form.space.largest_size()))
            .set_scratch_size(kernel.scratch_level, Kokkos::PerTeam(kernel.scratch_bytes())),
        kernel);
}

} // namespace

template <class ExecutionSpace, int Dim> void BlockRows<ExecutionSpace, Dim>::symbolic(const ExecutionSpace& exec) {
  pattern_ = this->prepare(exec, form_);
  tables_ = make_moment_tables<Dim, ExecutionSpace>(exec, form_.space);
}

template <class ExecutionSpace, int Dim>
void BlockRows<ExecutionSpace, Dim>::assemble(const ExecutionSpace& exec, const TimeSlab<Space>& slab,
                                              bool with_matrix) {
  form_.set_slab(slab);
  RowData<Dim, Space> row{form_, pattern_, this->matrix_.value_offsets,
                          with_matrix ? this->matrix_.values.data() : nullptr, this->rhs_.data()};
  compute_volumes(exec, VolumeMoments<Dim, ExecutionSpace>{form_, tables_, pattern_.diagonal, row.value_offsets,
                                                           row.values, row.rhs});
  if (with_matrix)
    for_each_row("tessera::assembly::dg::interior_rows", exec, FaceRows<Dim, ExecutionSpace>{row, true});
  for_each_row("tessera::assembly::dg::boundary_rows", exec, FaceRows<Dim, ExecutionSpace>{row, false});
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template class BlockRows<Space, 2>;                                                                                  \
  template class BlockRows<Space, 3>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::assembly::dg
