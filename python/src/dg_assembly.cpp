// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "arrays.hpp"
#include "assembly/dg/assembler.hpp"
#include "assembly/dg/form/data_check.hpp"
#include "core/transfer/upload.hpp"
#include "driver/mesh/mesh_transfer.hpp"
#include "driver/visit.hpp"
#include "io/input/case.hpp"
#include "linalg/blocks/block_crs_operator.hpp"
#include "mesh/checks/checks.hpp"
#include "mesh/edges.hpp"
#include "mesh/polytopes/agglomerate.hpp"
#include "mesh/polytopes/make_polytopic_mesh.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

namespace tessera::python {

namespace {

namespace dg = assembly::dg;
using Problem = physics::AdvectionDiffusionReaction;
/// Texts of diffusion, advection, reaction and source of each region.
using RegionTexts =
    std::vector<std::tuple<std::vector<std::string>, std::vector<std::string>, std::string, std::string>>;

physics::Expression expression_of(const std::string& name, const std::string& text) {
  try {
    const physics::Expression expression = physics::Expression::parse(text);
    TESSERA_REQUIRE(!expression.depends_on(physics::Opcode::t), "the expression '" << text << "' depends on t.");
    return expression;
  } catch (const Error& error) {
    throw Error(error.kind(), name + ": " + error.what());
  }
}

std::vector<physics::Expression> expressions_of(const std::string& name, const std::vector<std::string>& texts) {
  std::vector<physics::Expression> expressions;
  for (const std::string& text : texts)
    expressions.push_back(expression_of(name, text));
  return expressions;
}

Problem problem_of(const RegionTexts& regions, const std::string& fixed, bool has_fixed) {
  Problem problem;
  for (const auto& [diffusion, advection, reaction, source] : regions)
    problem.regions.push_back({expressions_of("coefficients", diffusion), expressions_of("advection", advection),
                               expression_of("reaction", reaction), expression_of("source", source), "coefficients"});
  if (has_fixed)
    problem.boundaries.push_back({0, "fixed_facets", physics::AdvectionCondition::dirichlet,
                                  expression_of("fixed_values", fixed), "fixed_values"});
  return problem;
}

bool is_same(const physics::Expression& a, const physics::Expression& b) {
  return std::equal(a.code().begin(), a.code().end(), b.code().begin(), b.code().end(),
                    [](const auto& s, const auto& t) { return s.op == t.op && s.value == t.value; });
}

/// Whether the kernels find the data of both in tables of the same form: only numbers of regions differ.
bool differs_in_numbers(const Problem& a, const Problem& b) {
  const auto fits = [](const physics::Expression& s, const physics::Expression& t) {
    return (s.is_constant() && t.is_constant()) || is_same(s, t);
  };
  bool all = a.is_symmetric() == b.is_symmetric();
  for (std::size_t i = 0; i < a.boundaries.size(); ++i)
    all = all && is_same(a.boundaries[i].value, b.boundaries[i].value);
  for (std::size_t i = 0; i < a.regions.size(); ++i) {
    const physics::AdvectionRegion &r = a.regions[i], &s = b.regions[i];
    all = all && std::equal(r.diffusion.begin(), r.diffusion.end(), s.diffusion.begin(), s.diffusion.end(), fits) &&
          std::equal(r.advection.begin(), r.advection.end(), s.advection.begin(), s.advection.end(), fits) &&
          fits(r.reaction, s.reaction) && fits(r.source, s.source);
  }
  return all;
}

/// Values of a function at the vertices of each simplex, [n_simplices][Dim + 1].
template <int Dim, class Space> struct ValuesAtVertices {
  dg::Form<Dim, Space> form;
  Array<const double*, Space> u;
  Array<double*, Space> values;
  KOKKOS_FUNCTION void operator()(index_t simplex) const {
    for (int k = 0; k <= Dim; ++k) {
      double x[Dim + 1] = {};
      double gradient[Dim];
      for (int d = 0; d < Dim; ++d)
        x[d] = form.coordinates(form.simplices(simplex, k), d);
      values(static_cast<std::int64_t>(simplex) * (Dim + 1) + k) =
          form.space.evaluate(form.element_of(simplex), u, x, gradient);
    }
  }
};

/// A system of blocks on any backend.
class BlockSystem {
public:
  explicit BlockSystem(const std::string& backend) : backend_(backend) {}
  virtual ~BlockSystem() = default;
  virtual void refill(const Problem& problem) = 0;
  virtual nb::dict arrays() const = 0;
  /// The product of the matrix with x, where x is.
  virtual nb::object multiply(const Given<double>& x) const = 0;
  virtual nb::object at_vertices(const Given<double>& x) const = 0;
  const std::string& backend() const { return backend_; }

private:
  std::string backend_;
};

/// What a system needs next to mesh and data.
struct BlockOptions {
  std::vector<index_t> elements; ///< of the simplices; empty: each is one
  int degree = 1;
  dg::Strategy strategy = dg::Strategy::automatic;
  dg::FormOptions form;
};

template <class ExecutionSpace, int Dim> class BlockSystemOn final : public BlockSystem {
public:
  using Space = typename ExecutionSpace::memory_space;

  BlockSystemOn(const std::string& backend, const ExecutionSpace& exec, const io::ImportedMesh& given,
                const Problem& problem, const BlockOptions& options)
      : BlockSystem(backend), options_(options), region_names_(given.region_names) {
    const auto simplices = driver::upload_mesh<Dim>(exec, given);
    const mesh::MeshReport report = mesh::check_mesh(exec, simplices);
    TESSERA_REQUIRE(!report.has_errors(), "points and cells: " << report.errors());
    const auto incidence = mesh::build_node_incidence(exec, simplices);
    const auto dual = mesh::build_dual_graph(exec, simplices, incidence);
    mesh::ElementNumbers<ExecutionSpace> elements;
    if (options.elements.empty()) {
      elements = {mesh::simplicial_elements<ExecutionSpace, Dim>(exec, simplices), simplices.n_elements()};
    } else {
      const Array<const index_t*, ExecutionSpace> parts = uploaded(exec, "python::elements", options.elements);
      const auto joined = mesh::agglomerate_parts<ExecutionSpace, Dim>(
          exec, simplices, dual, parts, 1 + *std::max_element(options.elements.begin(), options.elements.end()));
      elements = {joined.element_of, joined.n_elements};
    }
    mesh_ = mesh::make_polytopic_mesh<ExecutionSpace, Dim>(exec, simplices, incidence, dual, elements);
    space_ = fe::make_modal_space<Dim, ExecutionSpace>(exec, mesh_.boxes, options.degree);
    make(exec, problem);
    assembler_->numeric(exec); // with some strategies this makes the arrays
    exec.fence();
    matrix_ = assembler_->matrix();
    rhs_ = assembler_->rhs();
  }

  void refill(const Problem& problem) override {
    driver::visit_backend(backend(), [&](const auto& exec) {
      if constexpr (std::is_same_v<std::decay_t<decltype(exec)>, ExecutionSpace>) {
        if (differs_in_numbers(problem_, problem))
          set_numbers(exec, problem);
        else
          make(exec, problem);
        assembler_->numeric(exec);
        if (assembler_->matrix().values.data() != matrix_.values.data())
          copy(exec, matrix_.values, assembler_->matrix().values);
        if (assembler_->rhs().data() != rhs_.data())
          copy(exec, rhs_, assembler_->rhs());
        exec.fence();
      }
    });
  }

  nb::dict arrays() const override {
    nb::dict result;
    const auto size = static_cast<std::size_t>(matrix_.block_size);
    const auto step = static_cast<std::int64_t>(matrix_.block_size);
    result["n_unknowns"] = matrix_.n_unknowns;
    result["block_size"] = matrix_.block_size;
    result["offsets"] = shared_array(matrix_.row_offsets);
    result["columns"] = shared_array(matrix_.columns);
    result["values"] = shared_array(matrix_.values, {static_cast<std::size_t>(matrix_.n_blocks()), size, size},
                                    {step * step, 1, step}); // they are stored column by column
    result["rhs"] = shared_array(rhs_);
    result["cell_element"] = shared_array(mesh_.element_of);
    return result;
  }

  nb::object multiply(const Given<double>& x) const override {
    nb::object product;
    driver::visit_backend(backend(), [&](const auto& exec) {
      if constexpr (std::is_same_v<std::decay_t<decltype(exec)>, ExecutionSpace>) {
        const linalg::BlockCrsOperator<ExecutionSpace> system(exec, matrix_, linalg::Symmetry::general);
        const auto y = make_array<Array<double*, ExecutionSpace>>(exec, "python::product", matrix_.n_unknowns);
        system.apply(exec, on_backend(exec, "x", x), y);
        product = values_for(exec, y, !is_on_host(x.device_type()));
      }
    });
    return product;
  }

  nb::object at_vertices(const Given<double>& x) const override {
    nb::object result;
    driver::visit_backend(backend(), [&](const auto& exec) {
      if constexpr (std::is_same_v<std::decay_t<decltype(exec)>, ExecutionSpace>) {
        const index_t n = form_.n_simplices();
        const auto values = make_array<Array<double*, ExecutionSpace>>(exec, "python::at_vertices",
                                                                       static_cast<std::size_t>(n) * (Dim + 1));
        const Array<const double*, ExecutionSpace> u = on_backend(exec, "x", x);
        for_each("tessera::python::at_vertices", exec, n, ValuesAtVertices<Dim, Space>{form_, u, values});
        result = values_for(exec, values, !is_on_host(x.device_type()));
      }
    });
    return result;
  }

private:
  /// Makes form and assembler, whose kernels are chosen by the form of the data.
  void make(const ExecutionSpace& exec, const Problem& problem) {
    auto form = dg::make_form<ExecutionSpace, Dim>(exec, mesh_, space_, problem, options_.form);
    dg::check_data<ExecutionSpace, Dim>(exec, form, region_names_, problem);
    auto assembler = dg::make_assembler<ExecutionSpace, Dim>(form, options_.strategy);
    assembler->symbolic(exec);
    form_ = form;
    assembler_ = std::move(assembler);
    problem_ = problem;
  }

  /// Replaces the numbers of the regions in the tables of the form; throws, without a change, if they are not possible.
  void set_numbers(const ExecutionSpace& exec, const Problem& problem) {
    const auto fresh = physics::make_coefficients<Dim>(exec, problem, static_cast<int>(problem.boundaries.size()));
    auto checked = form_;
    checked.coefficients = fresh;
    dg::check_data<ExecutionSpace, Dim>(exec, checked, region_names_, problem);
    const Array<const char*, Space>& table = form_.coefficients.memory;
    copy(exec, Array<char*, Space>(const_cast<char*>(table.data()), table.extent(0)), fresh.memory);
    dg::update_penalty<ExecutionSpace, Dim>(exec, form_);
    exec.fence(); // `fresh` is freed
    problem_ = problem;
  }

  BlockOptions options_;
  std::vector<std::string> region_names_;
  mesh::PolytopicMesh<Dim, Space> mesh_;
  fe::ModalSpace<Dim, Space> space_;
  Problem problem_;
  dg::Form<Dim, Space> form_;
  std::unique_ptr<dg::Assembler<ExecutionSpace>> assembler_;
  linalg::BlockCrsMatrix<Space> matrix_; ///< of the first assembler, like rhs_: the arrays of the caller
  Array<double*, Space> rhs_;
};

/// The system of an object of Python.
struct KeptBlockSystem {
  std::unique_ptr<BlockSystem, DeleteUnlessEnding> system;
  bool has_fixed;
};

KeptBlockSystem assemble_dg(const HostArray<double, 2>& points, const HostArray<index_t, 2>& cells,
                            const HostArray<group_t, 1>& regions, const HostArray<index_t, 2>& facets,
                            const std::optional<HostArray<index_t, 1>>& elements, const RegionTexts& texts,
                            const std::string& fixed, const std::string& strategy, int degree, double penalty,
                            const std::string& backend) {
  io::ImportedMesh given;
  given.dimension = static_cast<int>(points.shape(1));
  given.coordinates = vector_of(points);
  given.elements = vector_of(cells);
  given.regions = vector_of(regions);
  for (std::size_t i = 0; i < texts.size(); ++i)
    given.region_names.push_back(std::to_string(i));
  given.facets = vector_of(facets);
  given.facet_groups.assign(facets.shape(0), 0);
  const bool has_fixed = facets.shape(0) > 0;
  given.boundary_names.assign(has_fixed ? 1 : 0, "fixed");
  BlockOptions options;
  if (elements)
    options.elements = vector_of(*elements);
  options.degree = degree;
  options.form.penalty_constant = penalty;
  options.strategy = io::parse_name<io::DgStrategy>(strategy, "strategy");
  KeptBlockSystem kept{nullptr, has_fixed};
  call_library([&] {
    const Problem problem = problem_of(texts, fixed, has_fixed);
    start(0, -1);
    driver::visit_backend(backend, [&](const auto& exec) {
      using ExecutionSpace = std::decay_t<decltype(exec)>;
      driver::visit_dimension(given.dimension, [&](auto dim) {
        kept.system.reset(new BlockSystemOn<ExecutionSpace, dim.value>(backend, exec, given, problem, options));
      });
    });
  });
  return kept;
}

} // namespace

void bind_dg_assembly(nb::module_& module) {
  module.attr("dg_penalty") = dg::default_penalty_constant;
  nb::class_<KeptBlockSystem>(module, "BlockSystem")
      .def_prop_ro("backend", [](const KeptBlockSystem& kept) { return kept.system->backend(); })
      .def("arrays", [](const KeptBlockSystem& kept) { return kept.system->arrays(); })
      .def("refill",
           [](const KeptBlockSystem& kept, const RegionTexts& texts, const std::string& fixed) {
             call_library([&] { kept.system->refill(problem_of(texts, fixed, kept.has_fixed)); });
           })
      .def("multiply",
           [](const KeptBlockSystem& kept, const Given<double>& x) {
             nb::object product;
             call_library([&] { product = kept.system->multiply(x); });
             return product;
           })
      .def("at_vertices", [](const KeptBlockSystem& kept, const Given<double>& x) {
        nb::object values;
        call_library([&] { values = kept.system->at_vertices(x); });
        return values;
      });
  module.def("assemble_dg", &assemble_dg, nb::arg("points"), nb::arg("cells"), nb::arg("regions"), nb::arg("facets"),
             nb::arg("elements").none(), nb::arg("texts"), nb::arg("fixed"), nb::arg("strategy"), nb::arg("degree"),
             nb::arg("penalty"), nb::arg("backend"));
}

} // namespace tessera::python
