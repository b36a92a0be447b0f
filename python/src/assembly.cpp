// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "arrays.hpp"
#include "assembly/assembler.hpp"
#include "core/algorithms/lower_bound.hpp"
#include "core/transfer/upload.hpp"
#include "driver/mesh/mesh_transfer.hpp"
#include "driver/visit.hpp"
#include "fe/function_space.hpp"
#include "fe/quadrature.hpp"
#include "io/input/case.hpp"
#include "mesh/checks/checks.hpp"
#include "physics/expressions/expression.hpp"
#include "physics/forms/diffusion_form.hpp"
#include "solvers/jacobi.hpp"
#include "solvers/krylov/pcg.hpp"
#include "solvers/multigrid/multigrid.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>

namespace tessera::python {

namespace {

using nb::literals::operator""_a;

/// Data of the elements: a row for each region (closed formulas), or one for each element or quadrature point.
struct Data {
  Given<double> coefficient; ///< [n_rows][dimension], diagonal of D
  Given<double> source;      ///< [n_rows]
  Given<double> fixed;       ///< [1] for all fixed nodes, or [n_points]
  std::size_t n_rows() const { return source.size(); }
};

/// A few numbers that kernels of a device get from the host with their arguments, without a copy and a wait.
struct FewNumbers {
  static constexpr std::size_t max = 32;
  double values[max];
  KOKKOS_FUNCTION double operator()(std::int64_t i) const { return values[i]; }
};

/// points(i) = rows(i / repeat), for rows of `Width` numbers.
template <int Width, class Rows, class ExecutionSpace> struct SpreadRows {
  Rows rows;
  Array<double* [Width], ExecutionSpace> points;
  std::int64_t repeat;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    for (int k = 0; k < Width; ++k)
      points(i, k) = rows(i / repeat * Width + k);
  }
};

/// Copies rows to the backend, each for as many points.
template <int Width, class ExecutionSpace>
void spread_rows(const ExecutionSpace& exec, const char* name, const Given<double>& rows,
                 const Array<double* [Width], ExecutionSpace>& points) {
  using Host = Kokkos::View<const double*, HostMemory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  const auto n_points = static_cast<std::int64_t>(points.extent(0));
  const auto n_rows = static_cast<std::int64_t>(rows.size() / Width);
  const auto spread = [&](const auto& of) {
    const SpreadRows<Width, std::decay_t<decltype(of)>, ExecutionSpace> body{of, points, n_points / n_rows};
    for_each<std::int64_t>("tessera::python::spread_rows", exec, n_points, body);
  };
  if constexpr (!runs_on_host<ExecutionSpace>) {
    if (is_on_host(rows.device_type()) && rows.size() <= FewNumbers::max) {
      FewNumbers few{};
      std::copy_n(rows.data(), rows.size(), few.values);
      return spread(few);
    }
  }
  if (is_on_host(rows.device_type()) && rows.size() == points.size()) { // without memory on the device
    copy(exec, points, Host(rows.data(), rows.size()));
    exec.fence();
  } else {
    spread(Array<const double*, ExecutionSpace>(on_backend(exec, name, rows)));
  }
}

/// Writes the values of fixed nodes, from one value or from those at all nodes.
template <class ExecutionSpace> struct PickFixed {
  fe::DofMap<typename ExecutionSpace::memory_space> dofs;
  Array<const double*, ExecutionSpace> nodal;
  KOKKOS_FUNCTION void operator()(index_t node) const {
    if (const index_t dof = dofs.node_dof(node); dofs.is_fixed(dof))
      dofs.fixed_values(dofs.fixed_index(dof)) = nodal(nodal.extent(0) == 1 ? 0 : node);
  }
};

struct SolverSettings {
  std::string preconditioner;
  double tolerance = 0.;
  int max_iterations = 0;
};

template <class ExecutionSpace>
solvers::PcgResult solve(const ExecutionSpace& exec, const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& a,
                         const Array<const double*, ExecutionSpace>& b, const Array<double*, ExecutionSpace>& x,
                         const SolverSettings& settings) {
  const linalg::CrsOperator<ExecutionSpace> system(a);
  std::unique_ptr<solvers::Preconditioner<ExecutionSpace>> m;
  if (settings.preconditioner == "multigrid")
    m = std::make_unique<solvers::Multigrid<ExecutionSpace>>(exec, a);
  else if (settings.preconditioner == "jacobi")
    m = std::make_unique<solvers::Jacobi<ExecutionSpace>>(exec, system);
  else
    m = std::make_unique<solvers::Identity<ExecutionSpace>>(a.n_rows());
  solvers::PcgOptions options;
  options.relative_tolerance = settings.tolerance;
  options.max_iterations = settings.max_iterations;
  return solvers::Pcg<ExecutionSpace>(options).solve(exec, system, *m, b, x);
}

/// A system on any backend.
class System {
public:
  explicit System(const std::string& backend) : backend_(backend) {}
  virtual ~System() = default;
  virtual void refill(const Data& data) = 0;
  virtual nb::dict arrays() const = 0;
  /// Solves with the right-hand side of the system, or with `b`; `nodal` becomes the values at all nodes, where b is.
  virtual solvers::PcgResult solve(const std::optional<Given<double>>& b, const SolverSettings& settings,
                                   nb::object& nodal) const = 0;
  /// The product of the matrix with x, where x is.
  virtual nb::object multiply(const Given<double>& x) const = 0;
  const std::string& backend() const { return backend_; }

private:
  std::string backend_;
};

template <class ExecutionSpace, int Dim, int Order> class SystemOn final : public System {
public:
  using Space = typename ExecutionSpace::memory_space;
  using Uniform = physics::UniformDiffusion<Dim, Order, Space>;
  using General = physics::GeneralDiffusion<Dim, Order, Space>;

  SystemOn(const std::string& backend, const ExecutionSpace& exec, const io::ImportedMesh& given, const Data& data,
           const assembly::AssemblyOptions& options)
      : System(backend), mesh_(driver::upload_mesh<Dim>(exec, given)) {
    const mesh::MeshReport report = mesh::check_mesh(exec, mesh_);
    TESSERA_REQUIRE(!report.has_errors(), "points and cells: " << report.errors());
    space_ = fe::make_space<Order>(exec, mesh_);
    std::vector<fe::Constraint> constraints(given.facet_groups.empty() ? 0 : 1);
    dofs_ = fe::number_dofs(exec, mesh_, space_, constraints);
    TESSERA_REQUIRE(dofs_.n_free > 0, "fixed_facets: all nodes are fixed, so that there are no unknowns.");
    const std::size_t n_points = given.n_elements() * General::volume_rule::n_points;
    by_element_ = data.n_rows() != given.region_names.size();
    const std::size_t n = by_element_ ? n_points : data.n_rows();
    allowed_rows_ =
        by_element_ ? std::array<std::size_t, 2>{given.n_elements(), n_points} : std::array<std::size_t, 2>{n, n};
    coefficient_ = make_array<Array<double* [Dim], Space>>(exec, "python::coefficient", n);
    source_ = make_array<Array<double*, Space>>(exec, "python::source", n);
    set(exec, data);
    if (by_element_) {
      General form;
      set_mesh(form);
      form.coefficient = coefficient_; // of the regions: not read
      form.source = source_;
      form.point_coefficient = coefficient_;
      form.point_source = source_;
      assembler_ = assembly::make_assembler<ExecutionSpace>(form, dofs_, options);
    } else {
      Uniform form;
      set_mesh(form);
      form.coefficient = coefficient_;
      form.source = source_;
      assembler_ = assembly::make_assembler<ExecutionSpace>(form, dofs_, options);
    }
    assembler_->symbolic(exec);
    assembler_->numeric(exec);
    exec.fence();
  }

  void refill(const Data& data) override {
    driver::visit_backend(backend(), [&](const auto& exec) {
      if constexpr (std::is_same_v<std::decay_t<decltype(exec)>, ExecutionSpace>) {
        set(exec, data);
        assembler_->numeric(exec);
        exec.fence();
      }
    });
  }

  nb::dict arrays() const override {
    nb::dict result;
    const auto& matrix = *assembler_->matrix();
    result["n_unknowns"] = dofs_.n_free;
    result["offsets"] = shared_array(matrix.offsets);
    result["columns"] = shared_array(matrix.columns);
    result["values"] = shared_array(matrix.values);
    result["rhs"] = shared_array(assembler_->rhs());
    result["node_unknown"] = shared_array(dofs_.node_dof);
    return result;
  }

  solvers::PcgResult solve(const std::optional<Given<double>>& b, const SolverSettings& settings,
                           nb::object& nodal) const override {
    solvers::PcgResult result;
    driver::visit_backend(backend(), [&](const auto& exec) {
      if constexpr (std::is_same_v<std::decay_t<decltype(exec)>, ExecutionSpace>) {
        Array<const double*, ExecutionSpace> rhs = assembler_->rhs();
        if (b)
          rhs = on_backend(exec, "b", *b);
        const auto x = make_filled<Array<double*, ExecutionSpace>>(exec, "python::unknowns", dofs_.n_free, 0.);
        result = python::solve<ExecutionSpace>(exec, *assembler_->matrix(), rhs, x, settings);
        const auto all = make_filled<Array<double*, ExecutionSpace>>(exec, "python::nodal", space_.n_nodes(), 0.);
        fe::expand(exec, dofs_, Array<const double*, ExecutionSpace>(x), all);
        nodal = values_for(exec, all, b && !is_on_host(b->device_type()));
      }
    });
    return result;
  }

  nb::object multiply(const Given<double>& x) const override {
    nb::object product;
    driver::visit_backend(backend(), [&](const auto& exec) {
      if constexpr (std::is_same_v<std::decay_t<decltype(exec)>, ExecutionSpace>) {
        const linalg::CrsOperator<ExecutionSpace> system(*assembler_->matrix());
        const auto y = make_array<Array<double*, ExecutionSpace>>(exec, "python::product", dofs_.n_free);
        system.apply(exec, on_backend(exec, "x", x), y);
        product = values_for(exec, y, !is_on_host(x.device_type()));
      }
    });
    return product;
  }

private:
  template <class Form> void set_mesh(Form& form) const {
    form.element_nodes = space_.element_nodes;
    form.element_vertices = space_.element_vertices;
    form.coordinates = mesh_.coordinates;
    form.regions = mesh_.regions;
  }

  /// Copies data into the tables that the form reads: a row for each, or for each of the quadrature points.
  void set(const ExecutionSpace& exec, const Data& data) {
    TESSERA_REQUIRE(std::count(allowed_rows_.begin(), allowed_rows_.end(), data.n_rows()) > 0,
                    "coefficients: there are " << data.n_rows() << " rows, but the system has " << allowed_rows_[0]
                                               << ", which cannot change.");
    spread_rows<Dim>(exec, "coefficients", data.coefficient, coefficient_);
    spread_rows<1>(exec, "source", data.source, Array<double* [1], ExecutionSpace>(source_.data(), source_.extent(0)));
    if (dofs_.n_fixed() == 0)
      return;
    if (data.fixed.size() == 1 && is_on_host(data.fixed.device_type()))
      fill(exec, dofs_.fixed_values, data.fixed.data()[0]);
    else // order 1: nodes are points
      for_each("tessera::python::fixed_values", exec, space_.n_nodes(),
               PickFixed<ExecutionSpace>{dofs_, on_backend(exec, "fixed_values", data.fixed)});
  }

  mesh::Mesh<Dim, Space> mesh_;
  fe::FunctionSpace<Dim, Order, Space> space_;
  fe::DofMap<Space> dofs_;
  bool by_element_ = false;
  std::array<std::size_t, 2> allowed_rows_{}; ///< one for each region; or for each element, or each quadrature point
  Array<double* [Dim], Space> coefficient_;
  Array<double*, Space> source_;
  std::unique_ptr<assembly::Assembler<ExecutionSpace>> assembler_;
};

/// The system of an object of Python.
struct KeptSystem {
  std::unique_ptr<System, DeleteUnlessEnding> system;
};

KeptSystem assemble(const HostArray<double, 2>& points, const HostArray<index_t, 2>& cells,
                    const HostArray<group_t, 1>& regions, int n_regions, const HostArray<index_t, 2>& facets,
                    const Given<double>& coefficient, const Given<double>& source, const Given<double>& fixed,
                    const std::string& strategy, int order, const std::string& backend) {
  io::ImportedMesh given;
  given.dimension = static_cast<int>(points.shape(1));
  given.coordinates = vector_of(points);
  given.elements = vector_of(cells);
  given.regions = vector_of(regions);
  given.region_names.assign(static_cast<std::size_t>(n_regions), "");
  given.facets = vector_of(facets);
  given.facet_groups.assign(facets.shape(0), 0);
  given.boundary_names.assign(facets.shape(0) > 0 ? 1 : 0, "fixed");
  const Data data{coefficient, source, fixed};
  assembly::AssemblyOptions options;
  options.strategy = io::parse_name<io::Strategy>(strategy, "strategy");
  if (options.strategy == assembly::Strategy::automatic)
    options.strategy = assembly::Strategy::row_gather;
  TESSERA_REQUIRE(assembly::stores_matrix(options.strategy),
                  "strategy: '" << strategy << "' has no matrix to be returned; row-gather, atomic and others do.");
  std::unique_ptr<System, DeleteUnlessEnding> system;
  call_library([&] {
    start(0, -1);
    driver::visit_backend(backend, [&](const auto& exec) {
      using ExecutionSpace = std::decay_t<decltype(exec)>;
      driver::visit_discretization(given.dimension, order, [&](auto dim, auto degree) {
        system.reset(new SystemOn<ExecutionSpace, dim.value, degree.value>(backend, exec, given, data, options));
      });
    });
  });
  return {std::move(system)};
}

/// Values of an expression of x, y, z at the quadrature points of all cells, [n_cells * n_points].
nb::object values_at_quadrature(const std::string& text, const HostArray<double, 2>& points,
                                const HostArray<index_t, 2>& cells, int order) {
  const physics::Expression expression = physics::Expression::parse(text);
  TESSERA_REQUIRE(!expression.depends_on(physics::Opcode::t), "the expression '" << text << "' depends on t.");
  Array<double*, HostMemory> values;
  driver::visit_discretization(static_cast<int>(points.shape(1)), order, [&](auto dim, auto degree) {
    using Rule = fe::FormQuadrature<dim.value, degree.value>;
    constexpr int d = dim.value;
    values = Array<double*, HostMemory>("tessera::python::values", cells.shape(0) * Rule::n_points);
    std::size_t i = 0;
    for (std::size_t cell = 0; cell < cells.shape(0); ++cell)
      for (int q = 0; q < Rule::n_points; ++q, ++i) {
        double lambda[d + 1];
        static_cast<void>(Rule::point(q, lambda));
        double x[3] = {0., 0., 0.};
        for (int k = 0; k <= d; ++k)
          for (int c = 0; c < d; ++c)
            x[c] += lambda[k] * points(static_cast<std::size_t>(cells(cell, static_cast<std::size_t>(k))),
                                       static_cast<std::size_t>(c));
        values(i) = expression(x[0], x[1], x[2]);
        TESSERA_REQUIRE(std::isfinite(values(i)),
                        "the expression '" << text << "' is " << values(i) << " in cell " << cell << '.');
      }
  });
  return shared_array(values);
}

nb::tuple result_of(const solvers::PcgResult& result, const nb::object& values) {
  return nb::make_tuple(values, result.iterations, result.rhs_norm > 0. ? result.true_residual / result.rhs_norm : 0.,
                        result.status == solvers::SolverStatus::converged, result.message);
}

/// What check_matrix() looks for, in this order: each needs that the one before it was not found.
enum class Wrong { offsets, columns, values };

/// Finds rows with offsets that descend or lie outside of the entries, with columns that do not ascend or are not
/// below n, or with entries that differ from those across the diagonal.
template <class Space> struct WrongRows {
  linalg::CrsMatrix<Space> a;
  index_t n;
  Wrong what;

  KOKKOS_FUNCTION double across(index_t i, index_t j) const { // entry (j, i), 0 if it is not there
    const offset_t end = a.offsets(j + 1);
    const offset_t p = lower_bound(a.columns, a.offsets(j), end, i);
    return p < end && a.columns(p) == i ? a.values(p) : 0.;
  }
  KOKKOS_FUNCTION bool is_wrong(index_t i, offset_t p) const {
    const index_t j = a.columns(p);
    if (what == Wrong::columns)
      return j < 0 || j >= n || (p > a.offsets(i) && a.columns(p - 1) >= j);
    constexpr double rounding = 1e-12; // sums of different order
    const double value = a.values(p), other = across(i, j);
    return !(Kokkos::fabs(value - other) <=
             rounding * Kokkos::fmax(Kokkos::fabs(value), Kokkos::fabs(other))); // NaN, too
  }
  KOKKOS_FUNCTION void operator()(index_t i, index_t& first) const {
    const auto n_entries = static_cast<offset_t>(a.columns.extent(0));
    const offset_t begin = a.offsets(i), end = a.offsets(i + 1);
    bool found = what == Wrong::offsets && !(0 <= begin && begin <= end && end <= n_entries);
    if (what != Wrong::offsets)
      for (offset_t p = begin; p < end; ++p)
        found = found || is_wrong(i, p);
    if (found && i < first)
      first = i;
  }
};

/// Throws unless the matrix is square, has ascending columns in its range, and is symmetric up to rounding.
template <class ExecutionSpace>
void check_matrix(const ExecutionSpace& exec, const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& a) {
  using Space = typename ExecutionSpace::memory_space;
  const auto n = static_cast<index_t>(a.offsets.extent(0) - 1);
  const auto first_wrong = [&](Wrong what) {
    index_t first = n; // becomes the largest number if none is wrong
    Kokkos::parallel_reduce("tessera::python::check_matrix", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, n),
                            WrongRows<Space>{a, n, what}, Kokkos::Min<index_t>(first));
    return std::min(first, n);
  };
  TESSERA_REQUIRE(read_entry(exec, a.offsets, 0) == 0 &&
                      static_cast<std::size_t>(read_entry(exec, a.offsets, n)) == a.columns.extent(0) &&
                      a.values.extent(0) == a.columns.extent(0) && first_wrong(Wrong::offsets) == n,
                  "A: offsets, columns and values do not belong together.");
  index_t i = first_wrong(Wrong::columns);
  TESSERA_REQUIRE(i == n, "A: the columns of row " << i << " are not ascending, or not below " << n << '.');
  i = first_wrong(Wrong::values);
  if (i == n)
    return;
  const linalg::CrsMatrix<HostMemory> host{to_host(exec, a.offsets), to_host(exec, a.columns), to_host(exec, a.values)};
  const WrongRows<HostMemory> rows{host, n, Wrong::values};
  offset_t p = host.offsets(i);
  while (!rows.is_wrong(i, p))
    ++p;
  const index_t j = host.columns(p);
  TESSERA_REQUIRE(false, "A: it is not symmetric; the entries (" << i << ", " << j << ") and (" << j << ", " << i
                                                                 << ") are " << host.values(p) << " and "
                                                                 << rows.across(i, j) << '.');
}

nb::tuple solve_matrix(const Given<offset_t>& offsets, const Given<index_t>& columns, const Given<double>& values,
                       const Given<double>& b, const std::string& preconditioner, double tolerance, int max_iterations,
                       const std::string& backend) {
  solvers::PcgResult result;
  nb::object solution;
  call_library([&] {
    TESSERA_REQUIRE(b.size() + 1 == offsets.size(),
                    "b: it has " << b.size() << " entries, but A " << offsets.size() - 1 << " rows.");
    start(0, -1);
    driver::visit_backend(backend, [&](const auto& exec) {
      using ExecutionSpace = std::decay_t<decltype(exec)>;
      const linalg::CrsMatrix<typename ExecutionSpace::memory_space> a{on_backend(exec, "A: offsets", offsets),
                                                                       on_backend(exec, "A: columns", columns),
                                                                       on_backend(exec, "A: values", values)};
      check_matrix(exec, a);
      const auto x = make_filled<Array<double*, ExecutionSpace>>(exec, "python::x", b.size(), 0.);
      const Array<const double*, ExecutionSpace> rhs = on_backend(exec, "b", b);
      result = solve<ExecutionSpace>(exec, a, rhs, x, {preconditioner, tolerance, max_iterations});
      solution = values_for(exec, x, !is_on_host(b.device_type()));
    });
  });
  return result_of(result, solution);
}

} // namespace

void bind_assembly(nb::module_& module) {
  module.attr("offset_bytes") = sizeof(offset_t);
  nb::class_<KeptSystem>(module, "System")
      .def_prop_ro("backend", [](const KeptSystem& kept) { return kept.system->backend(); })
      .def("arrays", [](const KeptSystem& kept) { return kept.system->arrays(); })
      .def("refill",
           [](const KeptSystem& kept, const Given<double>& coefficient, const Given<double>& source,
              const Given<double>& fixed) { call_library([&] {
                                              kept.system->refill({coefficient, source, fixed});
                                            }); })
      .def("multiply",
           [](const KeptSystem& kept, const Given<double>& x) {
             nb::object product;
             call_library([&] { product = kept.system->multiply(x); });
             return product;
           })
      .def(
          "solve",
          [](const KeptSystem& kept, const std::optional<Given<double>>& b, const std::string& preconditioner,
             double tolerance, int max_iterations) {
            nb::object nodal;
            solvers::PcgResult result;
            call_library([&] { result = kept.system->solve(b, {preconditioner, tolerance, max_iterations}, nodal); });
            return result_of(result, nodal);
          },
          "b"_a.none(), "preconditioner"_a, "tolerance"_a, "max_iterations"_a);
  module.def("values_at_quadrature", &values_at_quadrature);
  module.def("assemble", &assemble);
  module.def("solve_matrix", &solve_matrix);
}

} // namespace tessera::python
