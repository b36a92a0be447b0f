// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/harmonic/conductor_rows.hpp"

#include "core/error.hpp"
#include "core/transfer/upload.hpp"

#include <algorithm>
#include <utility>

namespace tessera::solvers {

namespace {

template <int W> struct ConductorTerms {
  const index_t* unknowns;
  const double* values;
  const linalg::Pack<double, W>* x;
  KOKKOS_FUNCTION void operator()(index_t segment, std::int64_t i, double (&term)[1]) const {
    term[0] = values[i] * x[unknowns[i]].column[segment % W];
  }
};

template <int W> struct OverConductance {
  const double* conductances;
  double* t;
  KOKKOS_FUNCTION void operator()(index_t i) const { t[i] /= conductances[i / W]; }
};

template <int W> struct AddConductors {
  using Entry = linalg::Pack<double, W>;
  const index_t* rows;
  const index_t* begin;
  const index_t* conductors;
  const double* values;
  const double* t;
  Entry factor;
  Entry* y;
  KOKKOS_FUNCTION void operator()(index_t row) const {
    Entry sum{};
    for (index_t e = begin[row]; e < begin[row + 1]; ++e)
      for (int k = 0; k < W; ++k)
        sum.column[k] += values[e] * t[conductors[e] * W + k];
    y[rows[row]] += detail::complex_product(factor, sum);
  }
};

} // namespace

template <class ExecutionSpace>
ConductorRows<ExecutionSpace>::ConductorRows(const ExecutionSpace& exec, const std::vector<Conductor>& conductors,
                                             index_t n, const comm::ProcessGroup<ExecutionSpace>& group)
    : group_(group) {
  std::vector<index_t> unknowns;
  std::vector<double> values;
  std::vector<Segment> segments[3];
  std::vector<std::pair<index_t, index_t>> by_unknown; // and place
  std::vector<index_t> conductor_of;
  for (const Conductor& conductor : conductors) {
    const auto number = static_cast<index_t>(conductance_.size());
    TESSERA_REQUIRE(conductor.conductance > 0. && conductor.unknowns.size() == conductor.c.size(),
                    "Conductor " << number << ": its conductance, " << conductor.conductance
                                 << ", must be positive, and each of its unknowns needs a value.");
    conductance_.push_back(conductor.conductance);
    const auto first = static_cast<std::int64_t>(unknowns.size());
    for (std::size_t i = 0; i < conductor.unknowns.size(); ++i) {
      const index_t unknown = conductor.unknowns[i];
      TESSERA_REQUIRE(unknown >= 0 && unknown < n,
                      "Conductor " << number << ": there is no unknown " << unknown << " among " << n << '.');
      by_unknown.emplace_back(unknown, static_cast<index_t>(unknowns.size()));
      conductor_of.push_back(number);
      unknowns.push_back(unknown);
      values.push_back(conductor.c[i]);
    }
    for (int size = 0; size < 3; ++size)
      for (int part = 0; part < 2 << size; ++part)
        segments[size].push_back(
            {first, static_cast<std::int64_t>(unknowns.size()), std::int64_t(number) * (2 << size) + part});
  }
  std::sort(by_unknown.begin(), by_unknown.end());
  std::vector<index_t> rows, begin, row_conductor;
  std::vector<double> row_values;
  for (const auto& [unknown, position] : by_unknown) {
    if (rows.empty() || rows.back() != unknown) {
      rows.push_back(unknown);
      begin.push_back(static_cast<index_t>(row_values.size()));
    }
    row_conductor.push_back(conductor_of[static_cast<std::size_t>(position)]);
    row_values.push_back(values[static_cast<std::size_t>(position)]);
  }
  begin.push_back(static_cast<index_t>(row_values.size()));

  conductances_ = uploaded(exec, "solvers::conductances", conductance_);
  unknowns_ = uploaded(exec, "solvers::conductor_unknowns", unknowns);
  values_ = uploaded(exec, "solvers::conductor_values", values);
  for (int size = 0; size < 3; ++size)
    sums_[size] = SegmentedSums<ExecutionSpace>(exec, segments[size]);
  rows_ = uploaded(exec, "solvers::conductor_rows", rows);
  row_begin_ = uploaded(exec, "solvers::conductor_row_offsets", begin);
  row_conductor_ = uploaded(exec, "solvers::conductors_of_rows", row_conductor);
  row_values_ = uploaded(exec, "solvers::conductor_row_values", row_values);
}

template <class ExecutionSpace>
template <int N>
void ConductorRows<ExecutionSpace>::averages(const ExecutionSpace& exec,
                                             const ConstComplexColumns<N, ExecutionSpace>& x,
                                             const Array<double*, ExecutionSpace>& t) const {
  fill(exec, t, 0.); // conductors without unknowns have no sums
  sums_[N / 2].sum("tessera::solvers::conductor_sums", exec,
                   ConductorTerms<2 * N>{unknowns_.data(), values_.data(), x.data()}, t.data());
  group_.sum(exec, t.data(), n_conductors() * 2 * N);
  for_each("tessera::solvers::conductor_averages", exec, std::int64_t(n_conductors()) * 2 * N,
           OverConductance<2 * N>{conductances_.data(), t.data()});
}

template <class ExecutionSpace>
template <int N>
void ConductorRows<ExecutionSpace>::add(const ExecutionSpace& exec, const Array<const double*, ExecutionSpace>& t,
                                        const linalg::Pack<double, 2 * N>& factor,
                                        const ComplexColumns<N, ExecutionSpace>& y) const {
  for_each("tessera::solvers::add_conductors", exec, static_cast<std::int64_t>(rows_.extent(0)),
           AddConductors<2 * N>{rows_.data(), row_begin_.data(), row_conductor_.data(), row_values_.data(), t.data(),
                                factor, y.data()});
}

template <class ExecutionSpace>
void ConductorRows<ExecutionSpace>::add_currents(const ExecutionSpace& exec,
                                                 const std::vector<std::complex<double>>& currents,
                                                 const ComplexColumns<1, ExecutionSpace>& b) const {
  TESSERA_REQUIRE(currents.size() == conductance_.size(),
                  "Currents of " << currents.size() << " conductors, but there are " << conductance_.size() << '.');
  std::vector<double> t;
  for (std::size_t k = 0; k < currents.size(); ++k) {
    t.push_back(currents[k].real() / conductance_[k]);
    t.push_back(currents[k].imag() / conductance_[k]);
  }
  const auto on_space = uploaded(exec, "solvers::conductor_currents", t);
  add<1>(exec, on_space, {{1., 0.}}, b);
  exec.fence();
}

template <class ExecutionSpace>
std::vector<std::complex<double>>
ConductorRows<ExecutionSpace>::voltages(const ExecutionSpace& exec, const std::vector<std::complex<double>>& currents,
                                        std::complex<double> s, const ConstComplexColumns<1, ExecutionSpace>& x) const {
  TESSERA_REQUIRE(currents.size() == conductance_.size(),
                  "Currents of " << currents.size() << " conductors, but there are " << conductance_.size() << '.');
  const auto t =
      make_array<Array<double*, ExecutionSpace>>(exec, "solvers::conductor_averages", 2 * conductance_.size());
  averages<1>(exec, x, t);
  const auto host = to_host(exec, t);
  std::vector<std::complex<double>> result;
  for (std::size_t k = 0; k < currents.size(); ++k)
    result.push_back(currents[k] / conductance_[k] + s * std::complex<double>(host(2 * k), host(2 * k + 1)));
  return result;
}

#define TESSERA_INSTANTIATE_COLUMNS(Space, N)                                                                          \
  template void ConductorRows<Space>::averages<N>(const Space&, const ConstComplexColumns<N, Space>&,                  \
                                                  const Array<double*, Space>&) const;                                 \
  template void ConductorRows<Space>::add<N>(const Space&, const Array<const double*, Space>&,                         \
                                             const linalg::Pack<double, 2 * N>&, const ComplexColumns<N, Space>&)      \
      const;
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template class ConductorRows<Space>;                                                                                 \
  TESSERA_INSTANTIATE_COLUMNS(Space, 1)                                                                                \
  TESSERA_INSTANTIATE_COLUMNS(Space, 2) TESSERA_INSTANTIATE_COLUMNS(Space, 4)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_COLUMNS

} // namespace tessera::solvers
