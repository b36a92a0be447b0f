// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/krylov/bicgstab.hpp"

#include "core/kokkos_ext/math.hpp"

#include <sstream>

namespace tessera::solvers {

namespace {

using detail::noise;

/// Terms of (u, w) and (w, w).
struct ProductAndSquare {
  const double* u;
  const double* w;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[2]) const {
    term[0] = u[i] * w[i];
    term[1] = w[i] * w[i];
  }
};

KOKKOS_FUNCTION bool is_finite(double value) { return value - value == 0.; }

KOKKOS_FUNCTION void stop(BiCgStabState& s, DeviceStatus status, double number) {
  s.status = status;
  s.breakdown_value = number;
}

/// After loop (a), in one thread: alpha.
struct Alpha {
  BiCgStabState* state;
  KOKKOS_FUNCTION void operator()() const {
    BiCgStabState& s = *state;
    if (s.status != DeviceStatus::running)
      return;
    if (!is_finite(s.sv[0]) || !is_finite(s.sv[1]))
      return stop(s, DeviceStatus::operator_not_finite, is_finite(s.sv[0]) ? s.sv[1] : s.sv[0]);
    s.starts_anew = math::fabs(s.sv[0]) <= noise * math::sqrt(s.shadow2) * math::sqrt(s.sv[1]);
    if (s.starts_anew && s.is_fresh)
      return stop(s, DeviceStatus::shadow_orthogonal, s.sv[0]);
    s.alpha = s.starts_anew ? 0. : s.rho / s.sv[0];
  }
};

/// Loop (b): s = r - alpha v, overwriting r, and the term of (s, s).
struct HalfStep {
  const BiCgStabState* state;
  const double* v;
  double* r;
  bool running = false;
  double alpha = 0.;
  KOKKOS_FUNCTION void load() {
    running = state->status == DeviceStatus::running;
    alpha = state->alpha;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    const double si = running ? r[i] - alpha * v[i] : r[i];
    r[i] = si;
    term[0] = si * si;
  }
};

/// After loop (c), in one thread: omega.
struct Omega {
  BiCgStabState* state;
  KOKKOS_FUNCTION void operator()() const {
    BiCgStabState& s = *state;
    if (s.status != DeviceStatus::running)
      return;
    s.omega = 0.;
    if (s.starts_anew || s.ss <= s.threshold2)
      return;
    if (!is_finite(s.ts[0]) || !is_finite(s.ts[1]))
      return stop(s, DeviceStatus::operator_not_finite, is_finite(s.ts[0]) ? s.ts[1] : s.ts[0]);
    if (math::fabs(s.ts[0]) <= noise * math::sqrt(s.ss) * math::sqrt(s.ts[1]))
      return stop(s, DeviceStatus::no_descent, s.ts[0]);
    s.omega = s.ts[0] / s.ts[1];
  }
};

/// Loop (d): r = s - omega t, and the terms of (r, r) and (r_0, r).
struct Residual {
  const BiCgStabState* state;
  const double* t;
  const double* shadow;
  double* r;
  double omega = 0.;
  KOKKOS_FUNCTION void load() { omega = state->status == DeviceStatus::running ? state->omega : 0.; }
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[2]) const {
    const double ri = omega == 0. ? r[i] : r[i] - omega * t[i];
    r[i] = ri;
    term[0] = ri * ri;
    term[1] = shadow[i] * ri;
  }
};

/// After loop (d) of step k, in one thread: judges the residual, counts the iteration, computes beta.
struct Beta {
  BiCgStabState* state;
  SolverRecord* records;
  int n_records;
  int k;
  KOKKOS_FUNCTION void operator()() const {
    BiCgStabState& s = *state;
    if (s.status == DeviceStatus::running)
      check_convergence(s);
    records[(k - 1) % n_records] = {s.rr, s.breakdown_value, s.status, s.iteration};
  }

private:
  KOKKOS_FUNCTION static void check_convergence(BiCgStabState& s) {
    if (!is_finite(s.rs[0]) || !is_finite(s.rs[1]))
      return stop(s, DeviceStatus::residual_not_finite, is_finite(s.rs[0]) ? s.rs[1] : s.rs[0]);
    s.rr = s.rs[0];
    ++s.iteration;
    s.starts_anew = s.starts_anew || math::fabs(s.rs[1]) <= noise * math::sqrt(s.shadow2) * math::sqrt(s.rr);
    s.is_fresh = s.starts_anew;
    if (s.rr <= s.threshold2) {
      s.status = DeviceStatus::converged;
    } else if (s.starts_anew) {
      s.beta = 0.;
      s.rho = s.shadow2 = s.rr;
    } else {
      s.beta = s.rs[1] / s.rho * (s.alpha / s.omega);
      s.rho = s.rs[1];
    }
  }
};

/// Loop (e), if iteration `k` was done.
struct BiCgStabStep {
  const BiCgStabState* state;
  int k;
  const double* y; // M^-1 p, or p itself
  const double* z; // M^-1 s
  const double* v;
  const double* r;
  double* p;
  double* x;
  double* shadow;
  bool accepted = false;
  bool starts_anew = false;
  double alpha = 0.;
  double omega = 0.;
  double beta = 0.;
  KOKKOS_FUNCTION void load() {
    accepted = state->iteration == k;
    starts_anew = state->starts_anew;
    alpha = state->alpha;
    omega = state->omega;
    beta = state->beta;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (!accepted)
      return;
    const double half = x[i] + alpha * y[i];
    x[i] = omega == 0. ? half : half + omega * z[i];
    p[i] = starts_anew ? r[i] : r[i] + beta * (p[i] - omega * v[i]);
    if (starts_anew)
      shadow[i] = r[i];
  }
};

std::string describe_breakdown(const SolverRecord& record, const char* source) {
  std::ostringstream text;
  switch (record.status) {
  case DeviceStatus::operator_not_finite:
    text << "the " << source << " gave a value that is not finite";
    break;
  case DeviceStatus::residual_not_finite:
    text << "the residual is not finite: (r, r) = " << detail::shown(record.breakdown_value);
    break;
  case DeviceStatus::shadow_orthogonal:
    text << "the method breaks down: (r_0, A M^-1 p) = " << record.breakdown_value << " is zero to rounding";
    break;
  default:
    text << "the method breaks down: (A M^-1 s, s) = " << record.breakdown_value << " is zero to rounding";
  }
  text << " in iteration " << record.iteration + 1 << '.';
  if (record.status == DeviceStatus::shadow_orthogonal || record.status == DeviceStatus::no_descent)
    text << " GMRES does not break down there, unless the operator is singular.";
  return text.str();
}

} // namespace

template <class ExecutionSpace>
linalg::Traffic BiCgStab<ExecutionSpace>::iteration_traffic(const operator_type& a, const preconditioner_type& m) {
  const auto n = static_cast<double>(a.size());
  return {2. * (a.traffic().bytes + m.traffic().bytes) + 152. * n,
          2. * (a.traffic().flops + m.traffic().flops) + 22. * n};
}

// Traffic of an iteration in addition to two products and two applications of the preconditioner, in bytes per unknown:
// (a) reads r_0, v: 16; (b) reads r, v, writes r: 24; (c) reads t, r: 16; (d) reads r, t, r_0, writes r: 32; (e) reads
// x, p, y, z, r, v, writes x, p: 64.
template <class ExecutionSpace>
SolverResult BiCgStab<ExecutionSpace>::solve(const ExecutionSpace& exec, const operator_type& a,
                                             const preconditioner_type& m, const const_vector_type& b,
                                             const vector_type& x) {
  SolverResult result;
  this->in_range(exec, b, x, result, [&](const const_vector_type& rhs) {
    result = SolverResult();
    const int interval = this->prepare(exec, a, m, rhs, x, this->interval_for(iteration_traffic(a, m).bytes), 2);
    const std::int64_t n = a.size();
    if (state_.extent(0) == 0)
      state_ = make_array<decltype(state_)>(exec, "solvers::bicgstab_state", 1);
    if (static_cast<std::int64_t>(r_.extent(0)) != n) {
      for (vector_type* vector : {&r_, &shadow_, &p_, &v_, &t_, &y_, &z_})
        *vector = vector_type();
      for (vector_type* vector : {&r_, &shadow_, &v_, &t_})
        *vector = make_array<vector_type>(exec, "solvers::bicgstab", n);
      for (vector_type* vector : {&p_, &y_, &z_}) // arguments of the operator's products
        *vector = a.make_argument(exec, "solvers::bicgstab");
    }
    this->start(exec, a, rhs, x, r_, v_, result);
    if (result.message.empty()) {
      a.prepare_products(exec); // after this solver's vectors, which are indispensable
      Kokkos::deep_copy(exec, shadow_, r_);
      Kokkos::deep_copy(exec, p_, r_);
      BiCgStabState initial{};
      initial.rho = initial.shadow2 = initial.rr = result.residual * result.residual;
      initial.threshold2 = result.threshold * result.threshold;
      initial.status = DeviceStatus::running;
      initial.is_fresh = true;
      this->write_state(exec, state_, initial);
      BiCgStabState* state = state_.data();
      const bool is_identity = pointwise_of(m).kind == Inverse::identity;
      const vector_type& y = is_identity ? p_ : y_;
      const auto& workspace = this->workspace_;
      const auto steps = [&](int first, int last) {
        for (int k = first + 1; k <= last; ++k) {
          if (!is_identity)
            m.apply(exec, p_, y_);
          a.apply(exec, y, v_);
          linalg::global_sums<2>("tessera::solvers::bicgstab_alpha", exec, n,
                                 ProductAndSquare{shadow_.data(), v_.data()}, workspace, state->sv, a.sums(),
                                 Alpha{state});
          linalg::global_sums<1>("tessera::solvers::bicgstab_half_step", exec, n, HalfStep{state, v_.data(), r_.data()},
                                 workspace, &state->ss, a.sums());
          m.apply(exec, r_, z_);
          a.apply(exec, z_, t_);
          linalg::global_sums<2>("tessera::solvers::bicgstab_omega", exec, n, ProductAndSquare{r_.data(), t_.data()},
                                 workspace, state->ts, a.sums(), Omega{state});
          linalg::global_sums<2>("tessera::solvers::bicgstab_residual", exec, n,
                                 Residual{state, t_.data(), shadow_.data(), r_.data()}, workspace, state->rs, a.sums(),
                                 Beta{state, this->records_.data(), this->n_records(), k});
          stream(
              "tessera::solvers::bicgstab_step", exec, n,
              BiCgStabStep{state, k, y.data(), z_.data(), v_.data(), r_.data(), p_.data(), x.data(), shadow_.data()});
        }
      };
      const auto describe = [&](const SolverRecord& record) {
        return describe_breakdown(record, record.status == DeviceStatus::operator_not_finite
                                              ? this->source_of_infinity(exec, a, m, {p_, r_}, z_)
                                              : "");
      };
      this->iterate(exec, interval, steps, describe, {&result});
    }
    this->finish(exec, a, rhs, x, v_, result);
  });
  return result;
}

#define TESSERA_INSTANTIATE(Space) template class BiCgStab<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
