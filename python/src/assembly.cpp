// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/assembler.hpp"
#include "convert.hpp"
#include "core/upload.hpp"
#include "driver/mesh/mesh_transfer.hpp"
#include "driver/visit.hpp"
#include "fe/function_space.hpp"
#include "io/input/case.hpp"
#include "mesh/checks/checks.hpp"
#include "physics/forms/diffusion_form.hpp"
#include "solvers/jacobi.hpp"
#include "solvers/krylov/pcg.hpp"
#include "solvers/multigrid/multigrid.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

namespace tessera::python {

namespace {

using nb::literals::operator""_a;
template <class T, int Rank> using HostArray = nb::ndarray<const T, nb::ndim<Rank>, nb::c_contig, nb::device::cpu>;

template <class Given> auto vector_of(const Given& array) {
  return std::vector<std::remove_const_t<typename Given::Scalar>>(array.data(), array.data() + array.size());
}

/// Data of the elements: a row for all of them or one for each region (closed formulas), or one for each element.
struct Data {
  std::size_t n_rows = 0;
  std::vector<double> coefficient; ///< [n_rows][dimension], diagonal of D
  std::vector<double> source;      ///< [n_rows]
  std::vector<double> fixed;       ///< [1] for all fixed nodes, or [n_points]
};

Data data_of(const HostArray<double, 2>& coefficient, const HostArray<double, 1>& source,
             const HostArray<double, 1>& fixed) {
  return {coefficient.shape(0), vector_of(coefficient), vector_of(source), vector_of(fixed)};
}

/// An array of numpy on an array of a host, without a copy; of a device an object with DLPack's protocol, which gives
/// any number of libraries the same memory.
template <class View> nb::object shared_array(const View& view) {
  using T = typename View::non_const_value_type;
  constexpr bool on_host = Kokkos::SpaceAccessibility<HostMemory, typename View::memory_space>::accessible;
  auto kept = std::make_unique<View>(view);
  const nb::capsule capsule(kept.get(), [](void* p) noexcept { delete static_cast<View*>(p); });
  static_cast<void>(kept.release());
  const std::size_t shape[1] = {view.extent(0)};
  T* const data = const_cast<T*>(view.data());
  if constexpr (on_host)
    return nb::cast(nb::ndarray<nb::numpy, T>(data, 1, shape, capsule));
  else
    return nb::cast(
        nb::ndarray<nb::array_api, T>(data, 1, shape, capsule, nullptr, nb::dtype<T>(), nb::device::cuda::value, 0));
}

/// points(i) = rows(i / repeat), for arrays of rows of `Width` numbers.
template <int Width, class ExecutionSpace> struct SpreadRows {
  Array<const double* [Width], ExecutionSpace> rows;
  Array<double* [Width], ExecutionSpace> points;
  std::int64_t repeat;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    for (int k = 0; k < Width; ++k)
      points(i, k) = rows(i / repeat, k);
  }
};

/// Copies rows to the backend, each for as many points.
template <int Width, class ExecutionSpace>
void spread_rows(const ExecutionSpace& exec, const std::vector<double>& rows,
                 const Array<double* [Width], ExecutionSpace>& points) {
  const auto n = static_cast<std::int64_t>(rows.size() / Width);
  const auto given = make_array<Array<double* [Width], ExecutionSpace>>(exec, "python::rows", n);
  upload(exec, given, rows);
  const SpreadRows<Width, ExecutionSpace> spread{given, points, static_cast<std::int64_t>(points.extent(0)) / n};
  for_each<std::int64_t>("tessera::python::spread_rows", exec, static_cast<std::int64_t>(points.extent(0)), spread);
}

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
  virtual solvers::PcgResult solve(const std::vector<double>& b, const SolverSettings& settings,
                                   std::vector<double>& nodal) const = 0;
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
    n_rows_ = data.n_rows;
    by_element_ = n_rows_ != given.region_names.size();
    const std::size_t n = by_element_ ? n_rows_ * General::volume_rule::n_points : n_rows_;
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

  solvers::PcgResult solve(const std::vector<double>& b, const SolverSettings& settings,
                           std::vector<double>& nodal) const override {
    solvers::PcgResult result;
    driver::visit_backend(backend(), [&](const auto& exec) {
      if constexpr (std::is_same_v<std::decay_t<decltype(exec)>, ExecutionSpace>) {
        Array<const double*, ExecutionSpace> rhs = assembler_->rhs();
        if (!b.empty())
          rhs = uploaded(exec, "python::rhs", b);
        const auto x = make_filled<Array<double*, ExecutionSpace>>(exec, "python::unknowns", dofs_.n_free, 0.);
        result = python::solve<ExecutionSpace>(exec, *assembler_->matrix(), rhs, x, settings);
        const auto all = make_filled<Array<double*, ExecutionSpace>>(exec, "python::nodal", space_.n_nodes(), 0.);
        fe::expand(exec, dofs_, Array<const double*, ExecutionSpace>(x), all);
        const auto host = to_host(exec, all);
        nodal.assign(host.data(), host.data() + host.extent(0));
      }
    });
    return result;
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
    TESSERA_REQUIRE(data.n_rows == n_rows_, "coefficients: there are " << data.n_rows << " rows, but the system has "
                                                                       << n_rows_ << ", which cannot change.");
    spread_rows<Dim>(exec, data.coefficient, coefficient_);
    spread_rows<1>(exec, data.source, Array<double* [1], ExecutionSpace>(source_.data(), source_.extent(0)));
    if (dofs_.n_fixed() == 0)
      return;
    std::vector<double> fixed(static_cast<std::size_t>(dofs_.n_fixed()), data.fixed[0]);
    if (data.fixed.size() > 1) { // order 1: nodes are points
      const auto dof = to_host(exec, dofs_.node_dof);
      for (std::size_t node = 0; node < data.fixed.size(); ++node)
        if (dofs_.is_fixed(dof(node)))
          fixed[static_cast<std::size_t>(dofs_.fixed_index(dof(node)))] = data.fixed[node];
    }
    upload(exec, dofs_.fixed_values, fixed);
  }

  mesh::Mesh<Dim, Space> mesh_;
  fe::FunctionSpace<Dim, Order, Space> space_;
  fe::DofMap<Space> dofs_;
  std::size_t n_rows_ = 0;
  bool by_element_ = false;
  Array<double* [Dim], Space> coefficient_;
  Array<double*, Space> source_;
  std::unique_ptr<assembly::Assembler<ExecutionSpace>> assembler_;
};

System* assemble(const HostArray<double, 2>& points, const HostArray<index_t, 2>& cells,
                 const HostArray<group_t, 1>& regions, int n_regions, const HostArray<index_t, 2>& facets,
                 const HostArray<double, 2>& coefficient, const HostArray<double, 1>& source,
                 const HostArray<double, 1>& fixed, const std::string& strategy, int order,
                 const std::string& backend) {
  io::ImportedMesh given;
  given.dimension = static_cast<int>(points.shape(1));
  given.coordinates = vector_of(points);
  given.elements = vector_of(cells);
  given.regions = vector_of(regions);
  given.region_names.assign(static_cast<std::size_t>(n_regions), "");
  given.facets = vector_of(facets);
  given.facet_groups.assign(facets.shape(0), 0);
  given.boundary_names.assign(facets.shape(0) > 0 ? 1 : 0, "fixed");
  const Data data = data_of(coefficient, source, fixed);
  assembly::AssemblyOptions options;
  options.strategy = io::parse_name<io::Strategy>(strategy, "strategy");
  if (options.strategy == assembly::Strategy::automatic)
    options.strategy = assembly::Strategy::row_gather;
  TESSERA_REQUIRE(assembly::stores_matrix(options.strategy),
                  "strategy: '" << strategy << "' has no matrix to be returned; row-gather, atomic and others do.");
  std::unique_ptr<System> system;
  call_library([&] {
    start(0, -1);
    driver::visit_backend(backend, [&](const auto& exec) {
      using ExecutionSpace = std::decay_t<decltype(exec)>;
      driver::visit_discretization(given.dimension, order, [&](auto dim, auto degree) {
        system =
            std::make_unique<SystemOn<ExecutionSpace, dim.value, degree.value>>(backend, exec, given, data, options);
      });
    });
  });
  return system.release();
}

nb::tuple result_of(const solvers::PcgResult& result, std::vector<double>&& values) {
  auto kept = std::make_unique<std::vector<double>>(std::move(values));
  const std::size_t shape[1] = {kept->size()};
  double* const data = kept->data();
  const nb::capsule capsule(kept.get(), [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  static_cast<void>(kept.release());
  return nb::make_tuple(nb::ndarray<nb::numpy, double>(data, 1, shape, capsule), result.iterations,
                        result.rhs_norm > 0. ? result.true_residual / result.rhs_norm : 0.,
                        result.status == solvers::SolverStatus::converged, result.message);
}

/// Throws unless the matrix is square, has ascending columns in its range, and is symmetric up to rounding.
void check_symmetric(const std::vector<offset_t>& offsets, const std::vector<index_t>& columns,
                     const std::vector<double>& values) {
  constexpr double rounding = 1e-12; // sums of different order
  const std::size_t n = offsets.size() - 1;
  TESSERA_REQUIRE(offsets[0] == 0 && static_cast<std::size_t>(offsets[n]) == columns.size() &&
                      values.size() == columns.size() && std::is_sorted(offsets.begin(), offsets.end()),
                  "A: offsets, columns and values do not belong together.");
  const auto row = [&](std::size_t i) { return columns.begin() + offsets[i]; };
  for (std::size_t i = 0; i < n; ++i)
    for (auto entry = row(i); entry != row(i + 1); ++entry)
      TESSERA_REQUIRE(*entry >= 0 && static_cast<std::size_t>(*entry) < n && (entry == row(i) || entry[-1] < *entry),
                      "A: the columns of row " << i << " are not ascending, or not below " << n << '.');
  for (std::size_t i = 0; i < n; ++i)
    for (auto entry = row(i); entry != row(i + 1); ++entry) {
      const auto j = static_cast<std::size_t>(*entry);
      const auto other = std::lower_bound(row(j), row(j + 1), static_cast<index_t>(i));
      const double a = values[static_cast<std::size_t>(entry - columns.begin())];
      const bool is_there = other != row(j + 1) && static_cast<std::size_t>(*other) == i;
      const double b = is_there ? values[static_cast<std::size_t>(other - columns.begin())] : 0.;
      TESSERA_REQUIRE(std::fabs(a - b) <= rounding * std::fmax(std::fabs(a), std::fabs(b)), // NaN is refused, too
                      "A: it is not symmetric; the entries (" << i << ", " << j << ") and (" << j << ", " << i
                                                              << ") are " << a << " and " << b << '.');
    }
}

nb::tuple solve_matrix(const HostArray<offset_t, 1>& offsets, const HostArray<index_t, 1>& columns,
                       const HostArray<double, 1>& values, const HostArray<double, 1>& b,
                       const std::string& preconditioner, double tolerance, int max_iterations,
                       const std::string& backend) {
  const std::vector<offset_t> o = vector_of(offsets);
  const std::vector<index_t> c = vector_of(columns);
  const std::vector<double> v = vector_of(values);
  const std::vector<double> rhs = vector_of(b);
  solvers::PcgResult result;
  std::vector<double> solution;
  call_library([&] {
    check_symmetric(o, c, v);
    TESSERA_REQUIRE(rhs.size() + 1 == o.size(),
                    "b: it has " << rhs.size() << " entries, but A " << o.size() - 1 << " rows.");
    start(0, -1);
    driver::visit_backend(backend, [&](const auto& exec) {
      using ExecutionSpace = std::decay_t<decltype(exec)>;
      const linalg::CrsMatrix<typename ExecutionSpace::memory_space> a{uploaded(exec, "python::offsets", o),
                                                                       uploaded(exec, "python::columns", c),
                                                                       uploaded(exec, "python::values", v)};
      const auto x = make_filled<Array<double*, ExecutionSpace>>(exec, "python::x", rhs.size(), 0.);
      const Array<const double*, ExecutionSpace> on_device = uploaded(exec, "python::b", rhs);
      result = solve<ExecutionSpace>(exec, a, on_device, x, {preconditioner, tolerance, max_iterations});
      const auto host = to_host(exec, x);
      solution.assign(host.data(), host.data() + host.extent(0));
    });
  });
  return result_of(result, std::move(solution));
}

} // namespace

void bind_assembly(nb::module_& module) {
  module.attr("offset_bytes") = sizeof(offset_t);
  nb::class_<System>(module, "System")
      .def_prop_ro("backend", &System::backend)
      .def("arrays", &System::arrays)
      .def("refill",
           [](System& system, const HostArray<double, 2>& coefficient, const HostArray<double, 1>& source,
              const HostArray<double, 1>& fixed) {
             const Data data = data_of(coefficient, source, fixed);
             call_library([&] { system.refill(data); });
           })
      .def("solve", [](const System& system, const HostArray<double, 1>& b, const std::string& preconditioner,
                       double tolerance, int max_iterations) {
        const std::vector<double> rhs = vector_of(b);
        std::vector<double> nodal;
        solvers::PcgResult result;
        call_library([&] { result = system.solve(rhs, {preconditioner, tolerance, max_iterations}, nodal); });
        return result_of(result, std::move(nodal));
      });
  module.def("assemble", &assemble, nb::rv_policy::take_ownership);
  module.def("solve_matrix", &solve_matrix);
}

} // namespace tessera::python
