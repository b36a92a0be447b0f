// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/krylov/ebe_pcg.hpp"

#include "core/error.hpp"
#include "solvers/krylov/pcg_kernels.hpp"

namespace tessera::solvers {

namespace {

/// Sets the values at the elements' nodes and the elements' parts of the first residual; on entry r holds m^e.
struct SplitStart {
  const index_t* unknowns;
  index_t n_free;
  const double* scale; // by unknowns, like the next two
  const double* z;     // of the assembled residual
  const double* x;
  double* element_scale;
  double* r;
  double* p;
  double* element_x;
  KOKKOS_FUNCTION void operator()(std::int64_t s) const {
    const index_t i = unknowns[s];
    const bool is_free = i < n_free;
    const double inverse = is_free ? scale[i] : 0.;
    const double zi = is_free ? z[i] : 0.;
    element_scale[s] = inverse;
    element_x[s] = is_free ? x[i] : 0.;
    p[s] = zi;
    r[s] = r[s] * zi;
  }
};

/// r^e -= alpha q^e
struct SubtractProduct {
  const PcgState<1>* state;
  const double* q;
  double* r;
  double alpha = 0.;
  bool running = false;
  KOKKOS_FUNCTION void load() {
    running = state->column[0].status == DeviceStatus::running;
    alpha = state->column[0].rz / state->pq[0];
  }
  KOKKOS_FUNCTION void operator()(std::int64_t s) const {
    if (running)
      r[s] -= alpha * q[s];
  }
};

/// z^(e) = r^(e) / m^(e), and the sums of (r^e, r^(e)) and (r^e, z^(e)); element by element, so that the order of the
/// sums does not depend on the layout.
template <bool OnHost> struct Precondition {
  const PcgState<1>* state;
  const index_t* unknowns;
  index_t first_owned; // elements with smaller unknowns are counted by other processes
  index_t n_free;
  int n_nodes;
  std::int64_t n_elements;
  const double* assembled;
  const double* scale;
  const double* r;
  double* z;
  bool running = false;
  KOKKOS_FUNCTION void load() { running = state->column[0].status == DeviceStatus::running; }
  KOKKOS_FUNCTION void operator()(std::int64_t e, double (&term)[2]) const {
    term[0] = 0.;
    term[1] = 0.;
    if (!running)
      return;
    bool is_counted = true;
    for (int a = 0; a < n_nodes; ++a) {
      const std::int64_t s = linalg::element_position<OnHost>(e, a, n_nodes, n_elements);
      is_counted = is_counted && unknowns[s] >= first_owned;
      const double ri = unknowns[s] < n_free ? assembled[unknowns[s]] : 0.;
      const double zi = scale[s] * ri;
      z[s] = zi;
      term[0] += r[s] * ri;
      term[1] += r[s] * zi;
    }
    if (!is_counted)
      term[0] = term[1] = 0.;
  }
};

/// All elements have the same bits for a shared unknown, so that any of them may write last.
struct CollectSolution {
  const index_t* unknowns;
  index_t first_owned;
  index_t n_owned;
  const double* element_x;
  double* x;
  KOKKOS_FUNCTION void operator()(std::int64_t s) const {
    const index_t i = unknowns[s] - first_owned;
    if (i >= 0 && i < n_owned)
      Kokkos::atomic_exchange(&x[i], element_x[s]);
  }
};

} // namespace

// Bytes per value of a vector per element, in addition to the operator's multiply() and accumulate():
//   (b) r^e -= alpha q^e: reads r, q, writes r                                 24
//       z^(e) and its sums: reads unknowns (4), scale and r, writes z          28, and the assembled r once by unknowns
//   (c) reads z, p and x, writes p and x                                       40
template <class ExecutionSpace> linalg::Traffic EbePcg<ExecutionSpace>::iteration_traffic(const operator_type& a) {
  const double n_pairs = static_cast<double>(a.n_elements()) * a.nodes_per_element();
  const linalg::Traffic multiply = a.multiply_traffic();
  const linalg::Traffic accumulate = a.accumulate_traffic();
  return {multiply.bytes + accumulate.bytes + n_pairs * 92. + 8. * a.size(),
          multiply.flops + accumulate.flops + n_pairs * 11.};
}

// Converts the preconditioned residual and the solution from unknowns to vectors per element.
template <class ExecutionSpace>
auto EbePcg<ExecutionSpace>::split(const ExecutionSpace& exec, const operator_type& a, const Jacobi<ExecutionSpace>& m,
                                   const vector_type& x) -> const_vector_type {
  const std::int64_t n_pairs = a.n_elements() * a.nodes_per_element();
  if (static_cast<std::int64_t>(scale_.extent(0)) != n_pairs || element_workspace_.size() == 0) {
    for (vector_type* v : {&element_r_, &element_p_, &element_q_, &element_z_, &element_x_, &scale_})
      *v = vector_type();
    for (vector_type* v : {&element_r_, &element_p_, &element_q_, &element_z_, &element_x_, &scale_})
      *v = make_array<vector_type>(exec, "solvers::ebe_pcg", n_pairs);
    element_workspace_ = ReduceWorkspace<ExecutionSpace>(exec, a.n_elements(), 2);
  }
  a.element_diagonal(exec, element_r_);
  const auto scale = a.reach(exec, m.pointwise().scale, reached_[0]);
  const auto z = a.reach(exec, this->r_, reached_[1]);
  const auto unknowns = a.reach(exec, x, reached_[2]);
  stream("tessera::solvers::ebe_pcg_split", exec, n_pairs,
         SplitStart{a.unknowns().data(), static_cast<index_t>(z.extent(0)), scale.data(), z.data(), unknowns.data(),
                    scale_.data(), element_r_.data(), element_p_.data(), element_x_.data()});
  return z;
}

template <class ExecutionSpace>
PcgResult EbePcg<ExecutionSpace>::solve(const ExecutionSpace& exec, const operator_type& a,
                                        const Jacobi<ExecutionSpace>& m, const const_vector_type& b,
                                        const vector_type& x) {
  TESSERA_REQUIRE(
      a.sums().shared() == nullptr,
      "EBE-J-PCG: its sums over elements depend on the number of processes, but this system's sums must not.");
  const int by_traffic = this->interval_for(iteration_traffic(a).bytes);
  return this->solve_by(exec, a, m, b, x, by_traffic, [&](int interval, PcgResult& result) {
    const const_vector_type assembled = split(exec, a, m, x);
    const std::int64_t n_pairs = a.n_elements() * a.nodes_per_element();
    const index_t* unknowns = a.unknowns().data();
    PcgState<1>* state = this->state_.data();
    const SubtractProduct subtract{state, element_q_.data(), element_r_.data()};
    const Precondition<is_host_space<ExecutionSpace>> precondition{state,
                                                                   unknowns,
                                                                   a.first_owned(),
                                                                   static_cast<index_t>(assembled.extent(0)),
                                                                   a.nodes_per_element(),
                                                                   a.n_elements(),
                                                                   assembled.data(),
                                                                   scale_.data(),
                                                                   element_r_.data(),
                                                                   element_z_.data()};
    const auto steps = [&](int begin, int end) {
      for (int k = begin + 1; k <= end; ++k) {
        a.multiply(exec, element_p_, element_q_, a.first_owned(), element_workspace_, state->pq);
        stream("tessera::solvers::ebe_pcg_residual", exec, n_pairs, subtract);
        a.accumulate(exec, element_r_, this->r_);
        a.reach(exec, this->r_, reached_[1]);
        linalg::global_sums<2>(
            "tessera::solvers::ebe_pcg_precondition", exec, a.n_elements(), precondition, element_workspace_,
            state->sums, a.sums(),
            detail::CheckIteration<Inverse::pointwise, 1>{state, this->records_.data(), this->n_records(), k});
        stream("tessera::solvers::ebe_pcg_step", exec, n_pairs,
               detail::PcgStep<1>{state, k, element_z_.data(), element_p_.data(), element_x_.data()});
      }
    };
    KrylovSolver<ExecutionSpace>::iterate(exec, interval, steps, this->describe(result), {&result});
    stream("tessera::solvers::ebe_pcg_collect", exec, n_pairs,
           CollectSolution{unknowns, a.first_owned(), a.size(), element_x_.data(), x.data()});
  });
}

#define TESSERA_INSTANTIATE(Space) template class EbePcg<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
