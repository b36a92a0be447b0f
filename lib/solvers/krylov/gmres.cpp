// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/krylov/gmres.hpp"

#include "core/error.hpp"
#include "solvers/krylov/gmres_kernels.hpp"
#include "solvers/krylov/residual_kernel.hpp"

#include <algorithm>
#include <sstream>

namespace tessera::solvers {

namespace {

using detail::basis_chunk;
using detail::BasisChunk;
using detail::GmresSmall;

/// Arrays of an iteration.
template <class ExecutionSpace> struct GmresLoop {
  using vector_type = linalg::Vector<ExecutionSpace>;
  const linalg::LinearOperator<ExecutionSpace>& a;
  const Preconditioner<ExecutionSpace>& m;
  vector_type basis, z, q, x;
  linalg::ConstVector<ExecutionSpace> b;
  GmresSmall small;
  PinnedArray<SolverRecord*, ExecutionSpace> records;
  ReduceWorkspace<ExecutionSpace> workspace;
  bool is_preconditioned;

  std::int64_t n() const { return static_cast<std::int64_t>(x.extent(0)); }
  vector_type vector(int j) const { return vector_type(basis.data() + j * n(), x.extent(0)); }
  BasisChunk chunk(int first, int n_vectors) const { return BasisChunk(basis.data(), n(), first, n_vectors); }
};

template <class ExecutionSpace> void normalize(const ExecutionSpace& exec, const GmresLoop<ExecutionSpace>& v, int j) {
  stream("tessera::solvers::gmres_normalize", exec, v.n(), detail::Normalize{v.small.state, v.vector(j).data()});
}

// Traffic of the step with j basis vectors, in addition to operator and preconditioner, in bytes per unknown: in each
// of two passes products 8 j, their subtraction 8 j, and for each chunk of 8 vectors w read once (8) and updated once
// (16); then 16 to normalise w.
template <class ExecutionSpace>
void one_step(const ExecutionSpace& exec, const GmresLoop<ExecutionSpace>& v, int j,
              const detail::AddColumn& add_column) {
  const auto w = v.vector(j + 1);
  if (v.is_preconditioned) {
    v.m.apply(exec, v.vector(j), v.z);
    v.a.apply(exec, v.z, w);
  } else {
    v.a.apply(exec, v.vector(j), w);
  }
  const int n_vectors = j + 1;
  double* const passes[] = {v.small.first, v.small.second};
  const linalg::GlobalSums<ExecutionSpace>& sums = v.a.sums();
  const bool together = sums.is_distributed() && sums.shared() == nullptr; // one message for all chunks
  for (double* products : passes) {
    for (int first = 0; first < n_vectors; first += basis_chunk)
      linalg::global_sums<basis_chunk>("tessera::solvers::gmres_products", exec, v.n(),
                                       detail::BasisProducts{v.chunk(first, n_vectors), w.data()}, v.workspace,
                                       products + first, together ? linalg::GlobalSums<ExecutionSpace>::local() : sums);
    if (together)
      sums.complete(exec, products, n_vectors);
    for (int first = 0; first < n_vectors; first += basis_chunk) {
      const detail::SubtractBasis subtract{v.chunk(first, n_vectors), products + first, w.data()};
      if (products == v.small.second && first + basis_chunk >= n_vectors)
        linalg::global_sums<1>("tessera::solvers::gmres_subtract_norm", exec, v.n(), subtract, v.workspace,
                               &v.small.state->ww, v.a.sums(), add_column);
      else
        stream("tessera::solvers::gmres_subtract", exec, v.n(), subtract);
    }
  }
  normalize(exec, v, j + 1);
}

/// x += M^-1 V y with the vectors that are not in x yet, at most `n_vectors`.
template <class ExecutionSpace>
void update_solution(const ExecutionSpace& exec, const GmresLoop<ExecutionSpace>& v, int n_vectors) {
  for_each("tessera::solvers::gmres_solve_upper", exec, 1, detail::SolveUpper{v.small});
  for (int first = 0; first < n_vectors; first += basis_chunk)
    stream("tessera::solvers::gmres_combine", exec, v.n(),
           detail::CombineBasis{v.chunk(first, n_vectors), first, v.small.state, v.small.y, v.q.data()});
  if (v.is_preconditioned)
    v.m.apply(exec, v.q, v.z);
  stream("tessera::solvers::gmres_update", exec, v.n(),
         detail::AddUpdate{v.small.state, v.is_preconditioned ? v.z.data() : v.q.data(), v.x.data()});
}

/// First vector of the next basis: the true residual.
template <class ExecutionSpace> void restart(const ExecutionSpace& exec, const GmresLoop<ExecutionSpace>& v) {
  v.a.apply(exec, v.x, v.q);
  linalg::global_sums<1>("tessera::solvers::gmres_restart", exec, v.n(),
                         detail::NewResidual{v.b.data(), v.q.data(), v.basis.data()}, v.workspace, &v.small.state->ww,
                         v.a.sums(), detail::BeginCycle{v.small});
  normalize(exec, v, 0);
}

} // namespace

template <class ExecutionSpace>
Gmres<ExecutionSpace>::Gmres(const GmresOptions& options)
    : KrylovSolver<ExecutionSpace>("GMRES", options), restart_(options.restart) {
  TESSERA_REQUIRE(restart_ >= 1,
                  "GMRES: the iterations from one start to the next must be at least 1; they are " << restart_ << '.');
}

template <class ExecutionSpace>
linalg::Traffic Gmres<ExecutionSpace>::iteration_traffic(const operator_type& a, const preconditioner_type& m,
                                                         int restart) {
  linalg::Traffic traffic = a.traffic();
  const auto n = static_cast<double>(a.size());
  const double n_vectors = 0.5 * (restart + 1.);
  traffic.bytes += m.traffic().bytes + n * (32. * n_vectors + 48. * std::ceil(n_vectors / basis_chunk) + 16.);
  traffic.flops += m.traffic().flops + n * (8. * n_vectors + 3.);
  return traffic;
}

template <class ExecutionSpace>
void Gmres<ExecutionSpace>::allocate(const ExecutionSpace& exec, const operator_type& a) {
  const std::int64_t n = a.size();
  const int cycle = std::max(1, std::min(restart_, this->options_.max_iterations));
  if (cycle_ == cycle && static_cast<std::int64_t>(z_.extent(0)) == n)
    return;
  cycle_ = cycle;
  basis_ = z_ = q_ = small_ = vector_type();
  basis_ = make_array<vector_type>(exec, "solvers::gmres_basis", (cycle_ + 1) * n);
  z_ = a.make_argument(exec, "solvers::gmres_z");
  q_ = make_array<vector_type>(exec, "solvers::gmres_q", n);
  small_ = make_array<vector_type>(exec, "solvers::gmres_small", GmresSmall::size_for(cycle_));
  state_ = make_array<decltype(state_)>(exec, "solvers::gmres_state", 1);
}

template <class ExecutionSpace>
SolverResult Gmres<ExecutionSpace>::solve(const ExecutionSpace& exec, const operator_type& a,
                                          const preconditioner_type& m, const const_vector_type& b,
                                          const vector_type& x) {
  SolverResult result;
  this->in_range(exec, b, x, result, [&](const const_vector_type& rhs) {
    result = SolverResult();
    const int by_traffic = this->interval_for(iteration_traffic(a, m, restart_).bytes);
    const int interval = this->prepare(exec, a, m, rhs, x, by_traffic, basis_chunk);
    allocate(exec, a);
    const GmresSmall small(state_.data(), small_.data(), cycle_);
    const GmresLoop<ExecutionSpace> loop{a,
                                         m,
                                         basis_,
                                         z_,
                                         q_,
                                         x,
                                         rhs,
                                         small,
                                         this->records_,
                                         this->workspace_,
                                         pointwise_of(m).kind != Inverse::identity};
    this->start(exec, a, rhs, x, loop.vector(0), q_, result);
    if (result.message.empty()) {
      a.prepare_products(exec); // after this solver's vectors, which are indispensable
      GmresState state{};
      state.ww = result.residual * result.residual;
      state.threshold2 = result.threshold * result.threshold;
      state.status = DeviceStatus::running;
      this->write_state(exec, state_, state);
      for_each("tessera::solvers::gmres_begin", exec, 1,
               linalg::detail::FinishSums<detail::BeginCycle>{detail::BeginCycle{small}});
      normalize(exec, loop, 0);
      const auto steps = [&](int first, int last) {
        for (int k = first + 1; k <= last; ++k) {
          const int j = (k - 1) % cycle_;
          one_step(exec, loop, j, detail::AddColumn{small, this->records_.data(), this->n_records(), k});
          if (j + 1 == cycle_) {
            update_solution(exec, loop, cycle_);
            restart(exec, loop);
          }
        }
      };
      const auto describe = [&](const SolverRecord& record) {
        std::ostringstream text;
        if (record.status == DeviceStatus::singular) {
          text << "the operator, or the preconditioner, is singular: the Krylov space ends without a solution";
        } else {
          // At a restart the product with x failed, or the update of x.
          const bool at_restart = record.status == DeviceStatus::residual_not_finite;
          const char* source = at_restart
                                   ? this->is_finite(exec, a, x) ? "operator" : "preconditioner"
                                   : this->source_of_infinity(exec, a, m, {loop.vector(record.iteration % cycle_)}, z_);
          text << "the " << source << " gave a value that is not finite";
        }
        text << " in iteration " << record.iteration + 1 << '.';
        return text.str();
      };
      this->iterate(exec, interval, steps, describe, {&result});
      if (result.iterations % cycle_ != 0)
        update_solution(exec, loop, result.iterations % cycle_);
    }
    this->finish(exec, a, rhs, x, q_, result);
  });
  return result;
}

#define TESSERA_INSTANTIATE(Space) template class Gmres<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
