// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/harmonic/cores/saturation.hpp"

#include "assembly/user_form.hpp"
#include "core/transfer/upload.hpp"
#include "linalg/element_sums.hpp"

template <int Order, class Space>
struct tessera::assembly::strategies_of<tessera::physics::SaturationForm<2, Order, Space>> {
  using type = StrategyList<Strategy::colored>;
};

namespace tessera::driver {

namespace {

template <class Form> struct IronSquareOfElement {
  Form form;
  group_t region;
  bool weighted;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    const auto e = static_cast<index_t>(i);
    term[0] = 0.;
    if (form.medium.regions(e) != region)
      return;
    index_t n[Form::n_nodes];
    form.nodes(e, n);
    double with_reluctivity;
    double plain;
    form.squares(e, n, with_reluctivity, plain);
    term[0] = weighted ? with_reluctivity : plain;
  }
};

template <class ExecutionSpace, int Order> class SaturationOf final : public Saturation<ExecutionSpace> {
  using Space = typename ExecutionSpace::memory_space;
  using Form = physics::SaturationForm<2, Order, Space>;
  using typename Saturation<ExecutionSpace>::Nodal;

public:
  SaturationOf(const ExecutionSpace& exec, const physics::PotentialElements<2, Order, Space>& elements,
               const fe::DofMap<Space>& dofs, const SaturationData& data)
      : curve_of_region_(data.curve_of_region), sums_(exec, elements.n_elements()) {
    static_cast<physics::PotentialElements<2, Order, Space>&>(form_) = elements;
    form_.curve = uploaded(exec, "driver::curve_of_region", curve_of_region_);
    form_.curves = physics::make_bh_curves(exec, data.curves);
    form_.amplitude_squared = data.amplitude_squared;
    const auto n = static_cast<std::size_t>(dofs.node_dof.extent(0));
    for (Array<double*, Space>* nodal : {&form_.re, &form_.im, &form_.x_re, &form_.x_im})
      *nodal = make_filled<Array<double*, Space>>(exec, "driver::saturation_nodal", n, 0.);
    form_.load_kind = make_array<Array<int*, Space>>(exec, "driver::load_kind", 2);
    assembly::AssemblyOptions options; // loads are computed for each product: once for each element
    options.strategy = assembly::Strategy::colored;
    options.reproducible = true;
    assembler_ = assembly::make_assembler<ExecutionSpace, Form>(form_, dofs, options);
    assembler_->symbolic(exec);
  }

  void set_state(const ExecutionSpace& exec, const Nodal& nodal) override {
    copy(exec, form_.re, nodal[0]);
    copy(exec, form_.im, nodal[1]);
    exec.fence(); // the caller may free them
  }
  linalg::ConstVector<ExecutionSpace> matrix(const ExecutionSpace& exec) override {
    set_load(exec, physics::SaturationLoad::none, 0);
    assembler_->numeric(exec);
    return assembler_->matrix()->values;
  }
  linalg::ConstVector<ExecutionSpace> load(const ExecutionSpace& exec, physics::SaturationLoad kind, int part,
                                           const Nodal& nodal) override {
    copy(exec, form_.x_re, nodal[0]);
    copy(exec, form_.x_im, nodal[1]);
    set_load(exec, kind, part);
    assembler_->load(exec);
    return assembler_->rhs();
  }
  std::vector<double> squares(const ExecutionSpace& exec) const override { return squares(exec, true); }
  std::vector<double> permeabilities(const ExecutionSpace& exec) const override {
    std::vector<double> result = squares(exec, false);
    const std::vector<double> weighted = squares(exec, true);
    for (std::size_t r = 0; r < result.size(); ++r)
      result[r] = weighted[r] > 0. ? result[r] / weighted[r] : 0.;
    return result;
  }

private:
  void set_load(const ExecutionSpace& exec, physics::SaturationLoad kind, int part) {
    upload(exec, form_.load_kind, std::vector<int>{static_cast<int>(kind), part});
  }
  std::vector<double> squares(const ExecutionSpace& exec, bool weighted) const {
    std::vector<double> squares(curve_of_region_.size(), 0.);
    for (std::size_t r = 0; r < squares.size(); ++r)
      if (curve_of_region_[r] >= 0)
        squares[r] = sums_("tessera::driver::iron_squares", exec,
                           IronSquareOfElement<Form>{form_, static_cast<group_t>(r), weighted});
    return squares;
  }

  std::vector<index_t> curve_of_region_;
  linalg::ElementSums<ExecutionSpace> sums_;
  Form form_;
  std::unique_ptr<assembly::Assembler<ExecutionSpace>> assembler_;
};

} // namespace

template <class ExecutionSpace, int Order>
std::unique_ptr<Saturation<ExecutionSpace>>
make_saturation(const ExecutionSpace& exec,
                const physics::PotentialElements<2, Order, typename ExecutionSpace::memory_space>& elements,
                const fe::DofMap<typename ExecutionSpace::memory_space>& dofs, const SaturationData& data) {
  return std::make_unique<SaturationOf<ExecutionSpace, Order>>(exec, elements, dofs, data);
}

#define TESSERA_INSTANTIATE_ORDER(SPACE, ORDER)                                                                        \
  template std::unique_ptr<Saturation<SPACE>> make_saturation<SPACE, ORDER>(                                           \
      const SPACE&, const physics::PotentialElements<2, ORDER, typename SPACE::memory_space>&,                         \
      const fe::DofMap<typename SPACE::memory_space>&, const SaturationData&);
#define TESSERA_INSTANTIATE(SPACE) TESSERA_INSTANTIATE_ORDER(SPACE, 1) TESSERA_INSTANTIATE_ORDER(SPACE, 2)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
