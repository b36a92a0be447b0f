// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/harmonic/cocg.hpp"

#include "core/error.hpp"
#include "solvers/harmonic/cocg_kernels.hpp"
#include "solvers/harmonic/flexible_gmres.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <sstream>

namespace tessera::solvers {

namespace {

/// A residual that has grown by this factor over the smallest one is a breakdown.
constexpr double most_growth = 1e4;

template <std::size_t N> void copy_flags(const std::array<bool, N>& from, bool (&to)[N]) {
  std::copy(from.begin(), from.end(), to);
}

template <std::size_t N> bool any(const std::array<bool, N>& flags) {
  return std::any_of(flags.begin(), flags.end(), [](bool flag) { return flag; });
}

std::string sentence(const CocgResult& result) {
  std::ostringstream text;
  text << "COCG: ";
  switch (result.status) {
  case CocgStatus::converged:
    text << "converged";
    break;
  case CocgStatus::max_iterations:
    text << "not converged";
    break;
  case CocgStatus::stagnated:
    text << "stagnated";
    break;
  case CocgStatus::non_finite:
    text << "stopped at values that are not finite";
    break;
  case CocgStatus::inaccurate:
    text << "converged by its recurrence only";
    break;
  }
  text << " after " << result.iterations << " iterations";
  if (result.restarts > 0)
    text << " with " << result.restarts << (result.restarts == 1 ? " restart" : " restarts");
  if (result.gmres_iterations > 0)
    text << ", the last " << result.gmres_iterations << " by GMRES";
  text << "; true residual " << std::fabs(result.true_residual) << ", threshold " << result.threshold << '.';
  return text.str();
}

} // namespace

const char* to_string(CocgStatus status) {
  switch (status) {
  case CocgStatus::converged:
    return "converged";
  case CocgStatus::max_iterations:
    return "max_iterations";
  case CocgStatus::stagnated:
    return "stagnated";
  case CocgStatus::non_finite:
    return "non_finite";
  case CocgStatus::inaccurate:
    return "inaccurate";
  }
  return "";
}

template <class ExecutionSpace, int N>
Cocg<ExecutionSpace, N>::Cocg(CocgOptions options) : options_(std::move(options)) {
  TESSERA_REQUIRE(options_.relative_tolerance >= 0. && options_.absolute_tolerance >= 0.,
                  "COCG: tolerances must not be negative.");
  TESSERA_REQUIRE(options_.max_iterations >= 1 && options_.max_restarts >= 0 && options_.gmres_restart >= 1 &&
                      options_.stagnation >= 1,
                  "COCG: max_iterations, gmres_restart and stagnation must be at least 1, max_restarts at least 0.");
}

template <class ExecutionSpace, int N>
void Cocg<ExecutionSpace, N>::prepare(const ExecutionSpace& exec, const operator_type& a) {
  const index_t n = a.size();
  const index_t n_p = a.size_with_ghosts();
  if (state_.extent(0) > 0 && static_cast<index_t>(r_.extent(0)) == n && static_cast<index_t>(p_.extent(0)) == n_p)
    return;
  state_ = make_array<decltype(state_)>(exec, "solvers::cocg_state", 1);
  p_ = make_array<vector_type>(exec, "solvers::cocg_vector", n_p);
  for (vector_type* const vector : {&r_, &q_, &best_})
    *vector = make_array<vector_type>(exec, "solvers::cocg_vector", n);
  workspace_ = ReduceWorkspace<ExecutionSpace>(exec, n, 4 * N);
}

template <class ExecutionSpace, int N>
void Cocg<ExecutionSpace, N>::set_residual(const ExecutionSpace& exec, const operator_type& a,
                                           const const_vector_type& b, const vector_type& x, const Columns& selected) {
  a.apply(exec, x, q_);
  detail::SetResidual<N> body{detail::weights_of(a, options_.norm), b.data(), q_.data(), {}, r_.data()};
  copy_flags(selected, body.selected);
  column_sums<2 * N>("tessera::solvers::cocg_residual", exec, a.size(), body, workspace_, state_.data()->residual,
                     a.sums());
}

template <class ExecutionSpace, int N>
void Cocg<ExecutionSpace, N>::iterate(const ExecutionSpace& exec, const operator_type& a, const preconditioner_type& m,
                                      const Columns& runs, const Columns& starts, const Columns& saves) {
  const std::int64_t n = a.size();
  detail::CocgScalars<N>* const state = state_.data();
  const auto weights = detail::weights_of(a, options_.norm);
  detail::BetaOfSums<N> beta{state, {}};
  copy_flags(starts, beta.starts);
  const auto set_direction = [&](const auto& z) {
    using Columns = std::decay_t<decltype(z)>;
    column_sums<3 * N>("tessera::solvers::cocg_rho", exec, n,
                       detail::InverseProducts<N, Columns>{weights, r_.data(), z}, workspace_, state->inverse, a.sums(),
                       beta);
    stream("tessera::solvers::cocg_direction", exec, n, detail::NextDirection<N, Columns>{state, z, p_.data()});
  };
  const double* const rr = state->residual + N;
  if (const ScaledColumns<N> z = m.apply_scaled(exec, r_, rr); z.x != nullptr) {
    set_direction(z);
  } else {
    if (z_.extent(0) != r_.extent(0))
      z_ = make_array<vector_type>(exec, "solvers::cocg_vector", n);
    m.apply(exec, r_, rr, z_);
    set_direction(detail::StoredColumns<N>{z_.data()});
  }
  a.apply(exec, p_, q_);
  column_sums<4 * N>("tessera::solvers::cocg_product", exec, n, detail::ProductSums<N>{weights, p_.data(), q_.data()},
                     workspace_, state->product, a.sums(), detail::AlphaOfSums<N>{state});
  detail::UpdateColumns<N> update{weights, state,     p_.data(), q_.data(), {},
                                  {},      x_.data(), x_.data(), r_.data(), nullptr};
  copy_flags(runs, update.runs);
  copy_flags(saves, update.saves);
  bool saves_all = true; // then the new x is written to another array instead
  for (std::size_t c = 0; c < N; ++c)
    saves_all = saves_all && (saves[c] || !runs[c]);
  if (saves_all)
    update.to = best_.data();
  else if (any(saves))
    update.best = best_.data();
  column_sums<2 * N>("tessera::solvers::cocg_update", exec, n, update, workspace_, state->residual, a.sums());
  if (saves_all)
    std::swap(x_, best_);
}

template <class ExecutionSpace, int N>
typename Cocg<ExecutionSpace, N>::Columns
Cocg<ExecutionSpace, N>::run(const ExecutionSpace& exec, const operator_type& a, const preconditioner_type& m,
                             const const_vector_type& b, std::array<CocgResult, N>& results) {
  const auto read = [&] { return to_host(exec, state_)(0); };
  Columns runs{}, starts{}, saves{}, needs_gmres{}; // saves: x is the best iterate
  std::array<double, N> best{};
  std::array<int, N> since_best{};
  auto state = read();
  for (std::size_t c = 0; c < N; ++c) {
    CocgResult& result = results[c];
    result.initial_residual = result.residual = std::sqrt(state.residual[c]);
    best[c] = state.residual[c];
    if (options_.record_history)
      result.history.push_back(result.residual);
    if (!std::isfinite(result.residual) || !std::isfinite(result.rhs_norm))
      result.status = CocgStatus::non_finite;
    else if (result.residual <= result.threshold)
      result.status = CocgStatus::converged;
    else
      runs[c] = starts[c] = saves[c] = true;
  }
  while (any(runs)) {
    iterate(exec, a, m, runs, starts, saves);
    starts = {};
    state = read(); // waits
    Columns restarts{};
    for (std::size_t c = 0; c < N; ++c) {
      if (!runs[c])
        continue;
      CocgResult& result = results[c];
      const double square = state.residual[c];
      ++result.iterations;
      result.residual = std::sqrt(square);
      if (options_.record_history)
        result.history.push_back(result.residual);
      saves[c] = square < best[c];
      since_best[c] = saves[c] ? 0 : since_best[c] + 1;
      if (saves[c])
        best[c] = square;
      const bool broken = state.is_broken[c] != 0 || !(square <= most_growth * most_growth * best[c]) ||
                          since_best[c] >= options_.stagnation;
      if (result.residual <= result.threshold) {
        result.status = CocgStatus::converged;
        runs[c] = false;
      } else if (result.iterations >= options_.max_iterations) {
        result.status = CocgStatus::max_iterations;
        runs[c] = false;
        restarts[c] = !saves[c]; // to the best iterate
      } else if (broken) {
        needs_gmres[c] = result.restarts >= options_.max_restarts;
        ++result.restarts;
        restarts[c] = true;
        runs[c] = starts[c] = !needs_gmres[c];
        since_best[c] = 0;
      }
    }
    if (!any(restarts))
      continue;
    detail::SelectColumns<N> select{best_.data(), {}, x_.data()};
    for (std::size_t c = 0; c < N; ++c)
      select.selected[c] = restarts[c] && !saves[c];
    stream("tessera::solvers::cocg_best", exec, a.size(), select);
    set_residual(exec, a, b, x_, restarts);
    state = read();
    for (std::size_t c = 0; c < N; ++c)
      if (restarts[c]) {
        saves[c] = true;
        results[c].residual = std::sqrt(state.residual[c]);
      }
  }
  return needs_gmres;
}

template <class ExecutionSpace, int N>
std::array<CocgResult, N> Cocg<ExecutionSpace, N>::solve(const ExecutionSpace& exec, const operator_type& a,
                                                         const preconditioner_type& m, const const_vector_type& b,
                                                         const vector_type& x) {
  const auto begin = std::chrono::steady_clock::now();
  const index_t n = a.size();
  TESSERA_REQUIRE(static_cast<index_t>(b.extent(0)) == n && static_cast<index_t>(x.extent(0)) == n,
                  "COCG: the operator has " << n << " unknowns, the right-hand side " << b.extent(0)
                                            << " and the solution " << x.extent(0) << '.');
  prepare(exec, a);
  std::array<CocgResult, N> results;
  const auto norms = [&](const double* q) {
    const detail::SetResidual<N> body{detail::weights_of(a, options_.norm),
                                      b.data(),
                                      reinterpret_cast<const linalg::Pack<double, 2 * N>*>(q),
                                      {},
                                      nullptr};
    column_sums<2 * N>("tessera::solvers::cocg_norms", exec, n, body, workspace_, state_.data()->residual, a.sums());
    return to_host(exec, state_)(0);
  };
  const auto of_b = norms(nullptr);
  detail::SelectColumns<N> zero{nullptr, {}, x.data()};
  for (std::size_t c = 0; c < N; ++c) {
    results[c].rhs_norm = std::sqrt(of_b.residual[c]);
    results[c].threshold = std::max(options_.relative_tolerance * results[c].rhs_norm, options_.absolute_tolerance);
    zero.selected[c] = results[c].rhs_norm == 0.;
  }
  stream("tessera::solvers::cocg_zero", exec, n, zero);
  Columns all;
  all.fill(true);
  set_residual(exec, a, b, x, all);
  x_ = x;
  const vector_type other = best_;
  const Columns needs_gmres = run(exec, a, m, b, results);
  if (x_.data() != x.data())
    copy(exec, x, x_);
  best_ = other;
  x_ = {};
  if (any(needs_gmres))
    flexible_gmres<ExecutionSpace, N>(exec, a, m, b, x, options_, needs_gmres, results);

  a.apply(exec, x, q_);
  const auto at_end = norms(reinterpret_cast<const double*>(q_.data()));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (std::size_t c = 0; c < N; ++c) {
    CocgResult& result = results[c];
    result.true_residual = std::sqrt(at_end.residual[c]);
    result.seconds = seconds;
    if (result.status == CocgStatus::converged && !(result.true_residual <= options_.inaccurate * result.threshold))
      result.status = CocgStatus::inaccurate;
    result.message = sentence(result);
  }
  return results;
}

template <class ExecutionSpace, int N>
linalg::Traffic Cocg<ExecutionSpace, N>::iteration_traffic(const operator_type& a) {
  linalg::Traffic traffic = a.traffic();
  traffic.bytes += 192. * N * a.size();
  traffic.flops += 54. * N * a.size();
  return traffic;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template class Cocg<Space, 1>;                                                                                       \
  template class Cocg<Space, 2>;                                                                                       \
  template class Cocg<Space, 4>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
