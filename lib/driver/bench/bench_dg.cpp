// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/bench/bench_dg.hpp"

#include "assembly/dg/assembler.hpp"
#include "core/kokkos_ext/free_memory.hpp"
#include "core/kokkos_ext/kernel_times.hpp"
#include "driver/dg/dg_memory.hpp"
#include "driver/dg/element_degrees.hpp"
#include "driver/dg/transport_binding.hpp"
#include "driver/discretization.hpp"
#include "driver/mesh/prepare_mesh.hpp"
#include "driver/plan/plan.hpp"
#include "linalg/block_crs_operator.hpp"
#include "mesh/agglomerate.hpp"
#include "mesh/edges.hpp"
#include "mesh/make_polytopic_mesh.hpp"

#include <iomanip>
#include <sstream>

namespace tessera::driver {

namespace {

namespace dg = assembly::dg;

template <class ExecutionSpace, int Dim> class DgBench {
public:
  using Space = typename ExecutionSpace::memory_space;

  DgBench(const ExecutionSpace& exec, const std::string& name, const io::ImportedMesh& imported, Context& context,
          int repetitions)
      : exec_(exec), input_(context.input), repetitions_(repetitions) {
    table_.title = name + ", dg";
    make_mesh(prepare_mesh<ExecutionSpace, Dim>(exec, imported, context));
    make_form(imported);
    table_.n_elements = mesh_.n_elements();
    table_.n_nodes = mesh_.simplices.n_nodes();
    table_.n_unknowns = form_.space.n_dofs;
  }

  void add_strategy(dg::Strategy strategy) {
    const std::string name = dg::traits_of(strategy).name;
    const auto assembler = dg::make_assembler<ExecutionSpace, Dim>(form_, strategy);
    add(name + " symbolic", [&] { assembler->symbolic(exec_); });
    add(name + " numeric", [&] { assembler->numeric(exec_, slab_); });
    {
      const KernelTimes kernels;
      for (int k = 0; k < repetitions_; ++k)
        assembler->numeric(exec_, slab_);
      for (const KernelTime& kernel : kernels.times()) {
        const double mean = kernel.seconds / repetitions_;
        add("  " + kernel.label.substr(kernel.label.rfind(':') + 1), {mean, mean, mean, mean});
      }
    }
    add(name + " load", [&] { assembler->load(exec_, slab_); });
    if (has_product_)
      return;
    has_product_ = true; // the matrices of all strategies are the same
    const linalg::BlockCrsOperator<ExecutionSpace> a(exec_, assembler->matrix(), linalg::Symmetry::general);
    const auto x = make_filled<linalg::Vector<ExecutionSpace>>(exec_, "driver::x", form_.space.n_dofs, 1.);
    const auto y = make_filled<linalg::Vector<ExecutionSpace>>(exec_, "driver::y", form_.space.n_dofs, 0.);
    add(
        "block product", [&] { a.apply(exec_, x, y); }, a.traffic().bytes);
  }

  const BenchTable& table() const { return table_; }

private:
  void make_mesh(const mesh::Mesh<Dim, Space>& simplices) {
    const io::Agglomeration& asked = input_.mesh.agglomerate;
    const auto node_incidence = mesh::build_node_incidence(exec_, simplices);
    mesh::DualGraph<Dim, Space> dual;
    add("mesh: dual graph", [&] { dual = mesh::build_dual_graph(exec_, simplices, node_incidence); });
    Array<index_t*, ExecutionSpace> element_of;
    if (asked.asked()) {
      const std::int64_t n = asked.elements > 0
                                 ? asked.elements
                                 : mesh::elements_of_mean_size<ExecutionSpace, Dim>(exec_, simplices, asked.mean_size);
      add("mesh: agglomerate", [&] {
        element_of = mesh::agglomerate<ExecutionSpace, Dim>(exec_, simplices, dual, n, asked.method).element_of;
      });
    } else {
      element_of = mesh::simplicial_elements<ExecutionSpace, Dim>(exec_, simplices);
    }
    add("mesh: faces", [&] {
      mesh_ = mesh::make_polytopic_mesh<ExecutionSpace, Dim>(exec_, simplices, node_incidence, dual,
                                                             Array<const index_t*, ExecutionSpace>(element_of));
    });
  }

  void make_form(const io::ImportedMesh& imported) {
    const auto transport = bind_transport(input_, imported);
    const io::DiscretizationOptions& discretization = input_.discretization;
    auto space = fe::make_modal_space<Dim, ExecutionSpace>(
        exec_, mesh_.boxes, element_degrees(exec_, discretization, mesh_), discretization.time_polynomials);
    if (input_.problem.time.asked()) {
      const auto nodes = input_.problem.time.nodes();
      slab_.from = space.from = nodes[0];
      slab_.to = space.to = nodes[1];
    }
    require_memory(input_, estimate_bytes(input_, sizes_of(exec_, mesh_, space)), free_memory(exec_),
                   "The matrix of dg, with its solver,");
    dg::FormOptions options;
    options.penalty_constant = discretization.penalty;
    add("form", [&] { form_ = dg::make_form<ExecutionSpace, Dim>(exec_, mesh_, space, transport, options); });
  }

  void add(const std::string& label, const Timing& time, double model_bytes = 0.) {
    BenchRow row;
    row.label = label;
    row.time = time;
    row.model_bytes = model_bytes;
    table_.rows.push_back(row);
  }
  template <class Work> void add(const std::string& label, const Work& work, double model_bytes = 0.) {
    add(label, measure(exec_, repetitions_, work), model_bytes);
  }

  ExecutionSpace exec_;
  const io::Case& input_;
  int repetitions_;
  mesh::PolytopicMesh<Dim, Space> mesh_;
  dg::Form<Dim, Space> form_;
  dg::TimeSlab<Space> slab_;
  bool has_product_ = false;
  BenchTable table_;
};

} // namespace

template <class ExecutionSpace>
BenchTable bench_dg(const ExecutionSpace& exec, const std::string& name, const io::ImportedMesh& imported,
                    Context& context, const std::vector<assembly::dg::Strategy>& strategies, int repetitions) {
  BenchTable table;
  visit_dimension(imported.dimension, [&](auto dimension) {
    DgBench<ExecutionSpace, decltype(dimension)::value> bench(exec, name, imported, context, repetitions);
    for (const dg::Strategy strategy : strategies)
      bench.add_strategy(strategy);
    table = bench.table();
  });
  for (BenchRow& row : table.rows) {
    std::ostringstream note;
    note << std::fixed << std::setprecision(3) << 1e9 * row.time.median / static_cast<double>(table.n_unknowns)
         << " ms per million unknowns";
    row.note = note.str();
  }
  return table;
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template BenchTable bench_dg<SPACE>(const SPACE&, const std::string&, const io::ImportedMesh&, Context&,             \
                                      const std::vector<assembly::dg::Strategy>&, int);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
