// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/bench/bench_dg.hpp"

#include "assembly/dg/assembler.hpp"
#include "assembly/dg/flops.hpp"
#include "assembly/dg/form/entry_integrals.hpp"
#include "driver/bench/scaling.hpp"
#include "driver/dg/dg_distribution.hpp"
#include "driver/dg/dg_problem.hpp"
#include "driver/visit.hpp"
#include "linalg/blocks/block_crs_operator.hpp"
#include "linalg/peak_rate.hpp"
#include "linalg/vector_kernels.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace tessera::driver {

namespace {

namespace dg = assembly::dg;

/// The names of rank 0, in all processes: these may have different ones, which depend on their times.
std::vector<std::string> names_of_first(const comm::Communicator& world, const std::vector<std::string>& names) {
  std::vector<char> lines;
  for (const std::string& name : world.is_root() ? names : std::vector<std::string>()) {
    lines.insert(lines.end(), name.begin(), name.end());
    lines.push_back('\n');
  }
  std::vector<std::string> result;
  std::string name;
  for (const char letter : world.gather_lists(lines))
    if (letter == '\n')
      result.push_back(std::exchange(name, ""));
    else
      name += letter;
  return result;
}

template <class ExecutionSpace, int Dim> class DgBench {
public:
  using Space = typename ExecutionSpace::memory_space;

  DgBench(const ExecutionSpace& exec, const std::string& name, const io::ImportedMesh& imported, Context& context,
          int repetitions, double copy_bandwidth)
      : exec_(exec), world_(context.world), repetitions_(repetitions), precision_(context.input.assembly.precision),
        table_("dg", "unknowns", name, {}, " ", copy_bandwidth),
        problem_(make_dg_problem<Dim>(exec, imported, context,
                                      [this](const std::string& phase, const std::function<void()>& work, PhaseKind) {
                                        preparation_ = preparation_ + add("", phase, work);
                                        if (phase == "mesh: agglomerate")
                                          add_kernels("", work, 0.02);
                                      })) {
    const auto& form = problem_.form;
    slab_.from = form.space.from;
    slab_.to = form.space.to;
    const auto host_form = dg::to_host(exec, form);
    const double value_bytes = precision_ == Precision::single_precision ? sizeof(float) : sizeof(double);
    flops_ = dg::count_flops(host_form);
    traffic_[0] = dg::triplet_traffic(host_form, value_bytes);
    traffic_[1] = dg::atomic_traffic(host_form, value_bytes);
    const ProblemSummary summary = summary_of(problem_);
    table_.describe(name + ", dg", {name, family_of(name) + " p" + std::to_string(summary.largest_order),
                                    summary.n_elements, summary.n_nodes, summary.n_unknowns});
    const index_t n_boundary = form.faces.n_faces() - form.faces.n_interior;
    table_.details = (problem_.part ? "first process: " : "") + io::format_count(form.n_simplices()) +
                     (Dim == 2 ? " triangles, " : " tetrahedra, ") + io::format_count(form.faces.n_interior) +
                     " interior faces in " + io::format_count(form.faces.n_interfaces()) + " interfaces, " +
                     io::format_count(n_boundary) + " boundary faces";
    if (world_.size() > 1)
      distribute(context);
    else
      distribution_.emplace(problem_);
  }

  void add_strategy(dg::Strategy strategy) {
    const std::string name = dg::traits_of(strategy).name;
    const auto assembler = dg::make_assembler<ExecutionSpace, Dim>(distribution_->form(), strategy, precision_);
    Timing total = preparation_ + add(name, "symbolic", [&] { assembler->symbolic(exec_); });
    total = total + add(name, "numeric", [&] { assembler->numeric(exec_, slab_); });
    add_kernels(
        name, [&] { assembler->numeric(exec_, slab_); }, 0.);
    if (strategy == dg::Strategy::triplets)
      add_indices(name);
    add(name, "load", [&] { assembler->load(exec_, slab_); });
    add(name, "total", total);
    if (has_product_)
      return;
    has_product_ = true; // the matrices of all strategies are equal
    add_product(*assembler);
  }

  /// The table, with the degree in each row.
  const TimeTable& table() {
    for (io::BenchRow& row : table_.rows)
      row.values[table_.column("degree")] = problem_.form.space.largest_degree;
    return table_;
  }

private:
  /// Replaces times by those of the slowest process.
  void distribute(const Context& context) {
    transport_ = comm::make_transport(exec_, world_, context.input.execution.messages);
    preparation_ = preparation_ + add("", "distribute", [&] {
                     distribution_.emplace(exec_, world_, *transport_, problem_, context.input.execution.reproducible);
                   });
    table_.details += "; " + text_of(distribution_->unknowns().summary());
  }
  void add_product(const dg::Assembler<ExecutionSpace>& assembler) {
    distribution_->set_matrix(exec_, assembler.matrix(), linalg::Symmetry::general);
    const auto& a = distribution_->system();
    const auto x = make_filled<linalg::Vector<ExecutionSpace>>(exec_, "driver::x", a.size(), 1.);
    const auto y = make_filled<linalg::Vector<ExecutionSpace>>(exec_, "driver::y", a.size(), 0.);
    const bool is_distributed = distribution_->unknowns().is_distributed();
    add(
        "", is_distributed ? "block product with halo" : "block product", [&] { a.apply(exec_, x, y); },
        a.traffic().bytes);
    if (!is_distributed)
      return;
    const auto xy = make_array<linalg::Vector<ExecutionSpace>>(exec_, "driver::xy", 1);
    const ReduceWorkspace<ExecutionSpace> workspace(exec_, a.size(), 1);
    add("", "sum over all", [&] { linalg::dot<ExecutionSpace>(exec_, x, y, workspace, xy.data(), a.sums()); });
  }

  /// Adds the kernels of some work that take at least a given fraction of the time of all of them.
  template <class Work> void add_kernels(const std::string& method, const Work& work, double least_share) {
    const KernelTimes kernels;
    for (int k = 0; k < repetitions_; ++k)
      work();
    const std::vector<KernelTime> own = kernels.times(); // of this process
    std::vector<std::string> names;
    for (const KernelTime& kernel : main_kernels(own, least_share))
      names.push_back(kernel_name(kernel));
    for (const std::string& name : names_of_first(world_, names)) {
      KernelTime sum{name};
      for (const KernelTime& kernel : own)
        if (kernel_name(kernel) == name) {
          sum.seconds += kernel.seconds / repetitions_;
          sum.registers = kernel.registers;
          sum.occupancy = kernel.occupancy;
        }
      sum.seconds = world_.largest(sum.seconds);
      const double bytes = world_.size() == 1 ? traffic_of(name) : 0.;
      table_.add_kernel(method, sum, bytes);
      if (world_.size() == 1 && flops_of(name) > 0.)
        table_.set("operations", flops_of(name));
      if (bytes > 0.)
        table_.set("arithmetic intensity", flops_of(name) / bytes);
    }
  }
  /// Adds the sum of the kernels that make compressed rows of triplets: the paper's "indices".
  void add_indices(const std::string& method) {
    double sum = 0.;
    for (const io::BenchRow& row : table_.rows)
      for (const char* part : {"sort_triplets", "mark_entries", "counts_to_offsets", "sum_triplets"})
        if (row.method == method && row.part == part)
          sum += table_.value(row, "median");
    table_.add(method, "indices", {sum, sum, sum, sum});
  }
  /// Operations of a kernel, found by the end of its name; 0: not counted.
  double flops_of(const std::string& kernel) const {
    const std::string name = kernel.substr(kernel.rfind('_') + 1);
    return name == "volume"     ? flops_.volume
           : name == "interior" ? flops_.interior
           : name == "blocks"   ? flops_.interfaces
                                : flops_of_boundary(name);
  }
  /// Bytes that a kernel moves at least; 0: no model.
  double traffic_of(const std::string& kernel) const {
    for (const dg::Strategy strategy : {dg::Strategy::triplets, dg::Strategy::atomic}) {
      const dg::EntryTraffic& traffic = traffic_[strategy == dg::Strategy::triplets ? 0 : 1];
      const std::string name = dg::traits_of(strategy).name;
      if (kernel == name + "_volume")
        return traffic.volume;
      if (kernel == name + "_interior")
        return traffic.interior;
    }
    return 0.;
  }
  double flops_of_boundary(const std::string& name) const {
    for (const auto& boundary : dg::boundary_kinds)
      if (name == boundary.name)
        return flops_.boundary[static_cast<int>(boundary.kind)];
    return 0.;
  }
  Timing add(const std::string& method, const std::string& part, Timing time, double model_bytes = 0.) {
    for (double* seconds : {&time.first, &time.median, &time.minimum, &time.maximum})
      *seconds = world_.largest(*seconds);
    table_.add(method, part, time, model_bytes);
    return time;
  }
  template <class Work>
  Timing add(const std::string& method, const std::string& part, const Work& work, double model_bytes = 0.) {
    return add(method, part, measure(exec_, repetitions_, work), model_bytes);
  }

  ExecutionSpace exec_;
  const comm::Communicator& world_;
  int repetitions_;
  Precision precision_;
  TimeTable table_;
  Timing preparation_; // mesh and form
  DgProblem<Dim, ExecutionSpace> problem_;
  dg::TimeSlab<Space> slab_;
  dg::Flops flops_;
  dg::EntryTraffic traffic_[2];                                // of triplets and atomic
  std::unique_ptr<comm::Transport<ExecutionSpace>> transport_; // between several processes
  std::optional<DgDistribution<Dim, ExecutionSpace>> distribution_;
  bool has_product_ = false;
};

} // namespace

template <class ExecutionSpace>
TimeTable bench_dg(const ExecutionSpace& exec, const std::string& name, const io::ImportedMesh& imported,
                   Context& context, const std::vector<assembly::dg::Strategy>& strategies, int repetitions,
                   double copy_bandwidth) {
  std::optional<TimeTable> table;
  const bool is_single = context.input.assembly.precision == Precision::single_precision;
  TESSERA_REQUIRE(!is_single || std::any_of(strategies.begin(), strategies.end(),
                                            [](dg::Strategy s) { return dg::traits_of(s).has_single_precision; }),
                  "bench dg: none of the requested strategies has assembly.precision single.");
  visit_dimension(imported.dimension, [&](auto dimension) {
    DgBench<ExecutionSpace, decltype(dimension)::value> bench(exec, name, imported, context, repetitions,
                                                              copy_bandwidth);
    for (const dg::Strategy strategy : strategies)
      if (dg::traits_of(strategy).has_single_precision || !is_single)
        bench.add_strategy(strategy);
    table = bench.table();
  });
  const double peak = linalg::peak_rate(exec);
  const double single_peak = is_single ? linalg::peak_rate(exec, 9, Precision::single_precision) : peak;
  const std::size_t per_unknown = table->column("time per unknown"), rate = table->column("operation rate"),
                    share = table->column("share of peak");
  for (io::BenchRow& row : table->rows) {
    const double seconds = table->value(row, "median");
    row.values[per_unknown] = seconds / table->value(row, "unknowns");
    row.note = io::format_fixed(1e9 * row.values[per_unknown], 3) + " ms per million unknowns";
    row.values[rate] = table->value(row, "operations") / seconds;
    const bool computes_in_single = row.method != dg::traits_of(dg::Strategy::block_rows).name;
    row.values[share] = row.values[rate] / (computes_in_single ? single_peak : peak);
    if (row.values[rate] > 0.)
      row.note += ", " + io::format_fixed(1e-9 * row.values[rate], 2) + " GFLOP/s, " +
                  io::format_fixed(1e2 * row.values[share], 2) + " % of peak";
    if (table->value(row, "arithmetic intensity") > 0.)
      row.note += ", " + io::format_fixed(table->value(row, "arithmetic intensity"), 0) + " per byte";
    if (table->value(row, "registers") > 0.)
      row.note += ", " + io::format_fixed(table->value(row, "registers"), 0) + " registers, occupancy " +
                  io::format_fixed(1e2 * table->value(row, "occupancy"), 0) + " %";
  }
  table->details += "; peak of fused multiply-adds " + io::format_fixed(1e-9 * peak, 1) + " GFLOP/s";
  if (is_single)
    table->details += ", in single precision " + io::format_fixed(1e-9 * single_peak, 1) + " GFLOP/s";
  return *table;
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template TimeTable bench_dg<SPACE>(const SPACE&, const std::string&, const io::ImportedMesh&, Context&,              \
                                     const std::vector<assembly::dg::Strategy>&, int, double);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
