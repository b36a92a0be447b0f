// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/blocks/moments.hpp"

#include "core/kokkos_ext/spaces.hpp"
#include "core/transfer/upload_together.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace tessera::assembly::dg {

namespace {

/// Index of a combination of degrees, x fastest.
template <class Degrees> std::size_t position_of(const Degrees& degrees, int n_directions, std::size_t n) {
  std::size_t position = 0;
  for (int d = n_directions - 1; d >= 0; --d)
    position = position * n + static_cast<std::size_t>(degrees[d]);
  return position;
}

std::size_t power(std::size_t n, int exponent) { return exponent == 0 ? 1 : n * power(n, exponent - 1); }

/// Indices of polynomials by their degrees in the first directions; 0 for degrees that no product has.
template <class Table> std::vector<int> number_positions(const Table& table, int n_directions, std::size_t n) {
  std::vector<int> positions(power(n, n_directions), 0);
  for (std::size_t m = 0; m < table.size(); ++m)
    positions[position_of(table[m], n_directions, n)] = static_cast<int>(m);
  return positions;
}

/// The first degrees of each polynomial.
template <class Table> std::vector<int> first_degrees(const Table& table, int n_directions) {
  std::vector<int> entries;
  for (const auto& degrees : table)
    entries.insert(entries.end(), degrees.begin(), degrees.begin() + n_directions);
  return entries;
}

/// The entries as a table of n rows.
template <class Space>
Array<double**, Space> rows_of(const Kokkos::View<double*, Kokkos::LayoutRight, Space>& entries, std::size_t n) {
  return Array<double**, Space>(entries.data(), n, n == 0 ? 0 : entries.extent(0) / n);
}

/// MomentTables::time_couplings, for up to `parts` parts of a step.
template <class ExecutionSpace>
std::vector<double> couple_steps(const ExecutionSpace& exec, const fe::Legendre& legendre, int degree, int parts) {
  const auto rules = fe::make_simplex_rules<2>(exec, {2 * degree});
  const auto points = tessera::to_host(exec, rules.points);
  const auto weights = tessera::to_host(exec, rules.weights);
  const auto n = static_cast<std::size_t>(degree) + 1;
  std::vector<double> couplings;
  for (int r = 1; r <= parts; r *= 2)
    for (int part = 0; part < r; ++part) {
      std::vector<double> of_part(n * n, 0.);
      for (std::size_t q = 0; q < points.extent(0); ++q) {
        std::vector<double> fine(n), coarse(n);
        legendre.evaluate(degree, 2. * points(q, 1) - 1., fine.data());
        legendre.evaluate(degree, 2. * (part + points(q, 1)) / r - 1., coarse.data());
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < n; ++j)
            of_part[i * n + j] += weights(q) * fine[i] * coarse[j];
      }
      couplings.insert(couplings.end(), of_part.begin(), of_part.end());
    }
  return couplings;
}

/// The terms of MomentTables, on the host.
struct Terms {
  std::vector<int> offsets{0};
  std::vector<MomentTerm> terms;
};

/// A moment in a product of two polynomials: its coefficient, and the index of its degrees.
struct ProductTerm {
  double coefficient;
  std::size_t position;
};

/// Computes the coefficients and indices of the moments in a product of two spatial polynomials, the first
/// differentiated in direction dv, the second in dw. `found` receives them; both lists keep their memory for the next
/// product.
template <int Dim, class Degrees>
void expand_product(const Degrees& row, const Degrees& column, const fe::LegendreProducts<HostMemory>& products, int dv,
                    int dw, std::vector<ProductTerm>& found, std::vector<ProductTerm>& before) {
  const auto n_degrees = static_cast<std::size_t>(2 * products.degree + 1);
  found.assign(1, {1., 0});
  for (int d = Dim - 1; d >= 0; --d) { // one direction after another
    const int a = dv == d ? 1 : 0;
    const int b = dw == d ? 1 : 0;
    const double* const factors = products(a, b, row[d], column[d]);
    std::swap(found, before);
    found.clear();
    const int top = row[d] + column[d] - a - b;
    const int low = a + b > 0 ? (top & 1) : std::abs(row[d] - column[d]);
    for (const ProductTerm& term : before)
      for (int m = low; m <= top; m += 2)
        found.push_back({term.coefficient * factors[m], term.position * n_degrees + static_cast<std::size_t>(m)});
  }
}

/// Lists the terms of all pairs of spatial polynomials: `expand(row, column, found)` computes those of a pair.
template <class Table, class Expand>
void add_terms(Terms& terms, const Table& functions, const std::vector<int>& positions, const Expand& expand) {
  const std::size_t n_functions = functions.size();
  std::vector<ProductTerm> found;
  std::vector<ProductTerm> of_row; // column by column
  std::vector<std::size_t> begins;
  for (const auto& row : functions) {
    of_row.clear();
    begins.assign(1, 0);
    std::size_t width = 0;
    for (const auto& column : functions) {
      expand(row, column, found);
      of_row.insert(of_row.end(), found.begin(), found.end());
      begins.push_back(of_row.size());
      width = std::max(width, found.size());
    }
    const std::size_t first = terms.terms.size();
    terms.terms.resize(first + width * n_functions, {0., 0});
    for (std::size_t b = 0; b < n_functions; ++b)
      for (std::size_t t = 0; t < begins[b + 1] - begins[b]; ++t) {
        const ProductTerm& term = of_row[begins[b] + t];
        terms.terms[first + t * n_functions + b] = {term.coefficient, positions[term.position]};
      }
    terms.offsets.push_back(static_cast<int>(terms.terms.size()));
  }
}

} // namespace

template <int Dim, class ExecutionSpace>
MomentTables<Dim, typename ExecutionSpace::memory_space>
make_moment_tables(const ExecutionSpace& exec, const Form<Dim, typename ExecutionSpace::memory_space>& form) {
  using Space = typename ExecutionSpace::memory_space;
  MomentTables<Dim, Space> tables;
  const auto& space = form.space;
  const int degree = space.largest_degree;
  tables.products = fe::make_legendre_products(exec, degree);
  tables.basis = space.indices;
  tables.n_degrees = 2 * degree + 1;
  const auto n = static_cast<std::size_t>(tables.n_degrees);
  const bool has_time = space.time != fe::TimePolynomials::none;

  const auto in_space = fe::modal_indices<Dim>(2 * degree, fe::TimePolynomials::none);
  const std::vector<int> space_positions = number_positions(in_space, Dim, n);
  const auto all = fe::modal_indices<Dim>(2 * degree, space.time);

  std::vector<FactorNumbers> factor_numbers;
  for (const auto& degrees : fe::modal_indices<Dim>(degree, space.time))
    factor_numbers.push_back({space_positions[position_of(degrees, Dim, n)], degrees[Dim]});

  const auto polynomials = fe::modal_indices<Dim>(degree, fe::TimePolynomials::none);
  tables.n_functions = static_cast<int>(polynomials.size());
  // evaluated on the host
  const auto products = fe::make_legendre_products(Kokkos::DefaultHostExecutionSpace(), degree);
  Terms terms;
  std::vector<ProductTerm> before;
  for (int dv = -1; dv < Dim; ++dv)
    for (int dw = -1; dw < Dim; ++dw)
      add_terms(terms, polynomials, space_positions, [&](const auto& row, const auto& column, auto& found) {
        expand_product<Dim>(row, column, products, dv, dw, found, before);
      });
  std::vector<ProductTerm> other;
  for (int d = 0; d < Dim; ++d)
    add_terms(terms, polynomials, space_positions, [&](const auto& row, const auto& column, auto& found) {
      expand_product<Dim>(row, column, products, d, -1, found, before);
      expand_product<Dim>(row, column, products, -1, d, other, before);
      for (std::size_t t = 0; t < found.size(); ++t) // the same moments in the same order
        found[t].coefficient += other[t].coefficient;
    });

  const int parts = space.largest_steps / space.smallest_steps; // parts of a step, within its neighbours
  const auto times = tessera::to_host(exec, form.time_rules.points);
  const std::size_t n_rows = times.extent(0) * (2 * static_cast<std::size_t>(parts) - 1);
  std::vector<double> factors(n_rows * n, 0.);
  std::size_t row = 0;
  for (int r = 1; r <= parts; r *= 2)
    for (int part = 0; part < r; ++part)
      for (std::size_t q = 0; q < times.extent(0); ++q, ++row)
        if (has_time)
          space.legendre.evaluate(2 * degree, 2. * (part + times(q, 1)) / r - 1., factors.data() + row * n);
  tables.n_time_points = static_cast<index_t>(times.extent(0));
  std::vector<double> couplings;
  if (parts > 1)
    couplings = couple_steps(exec, space.legendre, degree, parts);

  const int n_times = has_time ? degree + 1 : 0;
  std::vector<double> start_factors;
  for (int i = 0; i < n_times; ++i) {
    const auto at_end = [](int k) { return std::sqrt(2. * k + 1.); };
    const auto at_start = [&](int k) { return (k % 2 == 0 ? 1. : -1.) * at_end(k); };
    for (int j = 0; j < n_times; ++j)
      start_factors.push_back(2. * products(0, 1, i, j)[0] + at_start(i) * at_start(j));
    start_factors.push_back(at_start(i));
    start_factors.push_back(at_end(i));
  }

  const auto arrays = uploaded_together(exec, "assembly::dg::moment_tables", first_degrees(in_space, Dim),
                                        first_degrees(all, Dim + 1), number_positions(all, has_time ? Dim + 1 : Dim, n),
                                        factor_numbers, terms.offsets, terms.terms, factors, couplings, start_factors);
  tables.memory = std::get<0>(arrays);
  tables.space_indices = in_rows<Dim>(std::get<1>(arrays));
  tables.indices = in_rows<Dim + 1>(std::get<2>(arrays));
  tables.positions = std::get<3>(arrays);
  tables.factors = std::get<4>(arrays);
  tables.term_offsets = std::get<5>(arrays);
  tables.terms = std::get<6>(arrays);
  tables.time_factors = rows_of(std::get<7>(arrays), n_rows);
  if (parts > 1)
    tables.time_couplings = rows_of(std::get<8>(arrays), 2 * static_cast<std::size_t>(parts) - 1);
  tables.start_factors = rows_of(std::get<9>(arrays), static_cast<std::size_t>(n_times));
  return tables;
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template MomentTables<Dim, Space::memory_space> make_moment_tables(const Space&,                                     \
                                                                     const Form<Dim, Space::memory_space>&);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_DIM(Space, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::assembly::dg
