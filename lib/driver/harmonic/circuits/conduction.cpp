// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/harmonic/circuits/conduction.hpp"

#include "assembly/user_form.hpp"
#include "core/algorithms/grouped_items.hpp"
#include "core/algorithms/segmented_sums.hpp"
#include "core/transfer/upload.hpp"
#include "linalg/element_sums.hpp"

#include <algorithm>
#include <cmath>

template <int Order, class Space>
struct tessera::assembly::strategies_of<tessera::physics::ConductionForm<2, Order, Space>> {
  using type = StrategyList<Strategy::row_gather>;
};

namespace tessera::driver {

namespace {

template <class Form>
KOKKOS_INLINE_FUNCTION void values_at_nodes(const Form& form, index_t e, const double* nodal,
                                            index_t (&n)[Form::n_nodes], double (&A)[Form::n_nodes]) {
  form.nodes(e, n);
  for (int a = 0; a < Form::n_nodes; ++a)
    A[a] = nodal[n[a]];
}

template <class Form> struct ConductanceOfElement {
  Form form;
  KOKKOS_FUNCTION void operator()(std::int64_t e, double (&term)[1]) const {
    index_t n[Form::n_nodes];
    form.nodes(static_cast<index_t>(e), n);
    term[0] = form.conductance(static_cast<index_t>(e), n);
  }
};

template <class Form> struct LinkageOfElement {
  Form form;
  Array<const double*, typename Form::memory_space> nodal;
  KOKKOS_FUNCTION void operator()(std::int64_t e, double (&term)[1]) const {
    index_t n[Form::n_nodes];
    double A[Form::n_nodes];
    values_at_nodes(form, static_cast<index_t>(e), nodal.data(), n, A);
    term[0] = form.linkage(static_cast<index_t>(e), n, A);
  }
};

/// A solution with the voltages of the regions.
template <class Form> struct HarmonicFields {
  Form form;
  Array<const double*, typename Form::memory_space> re, im;
  double omega;
  Array<const double* [2], typename Form::memory_space> voltages; // [n_regions]

  KOKKOS_FUNCTION physics::PhasorValue voltage(index_t e) const {
    const group_t region = form.medium.regions(e);
    return {voltages(region, 0), voltages(region, 1)};
  }
};

/// Distance between the nodes of an element of that area.
template <class Form> KOKKOS_INLINE_FUNCTION double spacing(const Form& form, index_t e) {
  double p[3][2];
  for (int k = 0; k < 3; ++k)
    for (int d = 0; d < 2; ++d)
      p[k][d] = form.coordinates(form.element_vertices(e, k), d);
  const double twice_area = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (p[1][1] - p[0][1]);
  return std::sqrt(std::fabs(twice_area)) / Form::order;
}

/// The squares of listed elements, or of all.
template <class Form> struct SquareOfElement {
  using Space = typename Form::memory_space;
  HarmonicFields<Form> fields;
  Array<const std::int64_t*, Space> elements;
  Array<double*, Space> squares;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto e = static_cast<index_t>(elements.extent(0) > 0 ? elements(i) : i);
    index_t n[Form::n_nodes];
    double re[Form::n_nodes];
    double im[Form::n_nodes];
    values_at_nodes(fields.form, e, fields.re.data(), n, re);
    values_at_nodes(fields.form, e, fields.im.data(), n, im);
    squares(i) = fields.form.square(e, n, re, im, fields.omega, fields.voltage(e));
  }
};

/// Their terms in sums over regions.
template <class Form> struct SquareTerms {
  using Space = typename Form::memory_space;
  Form form;
  Array<const std::int64_t*, Space> elements;
  Array<const double*, Space> squares;
  bool by_size;
  KOKKOS_FUNCTION void operator()(index_t, std::int64_t i, double (&term)[1]) const {
    term[0] = squares(i);
    if (by_size)
      term[0] *= spacing(form, static_cast<index_t>(elements.extent(0) > 0 ? elements(i) : i));
  }
};

template <class Form> struct PowerOfElement {
  Form form;
  Array<const double*, typename Form::memory_space> re, im;
  group_t region;
  double factor;
  double exponent;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    const auto e = static_cast<index_t>(i);
    term[0] = 0.;
    if (form.medium.regions(e) != region)
      return;
    index_t n[Form::n_nodes];
    double at_re[Form::n_nodes];
    double at_im[Form::n_nodes];
    values_at_nodes(form, e, re.data(), n, at_re);
    values_at_nodes(form, e, im.data(), n, at_im);
    term[0] = form.power(e, n, at_re, at_im, factor, exponent);
  }
};

template <class Form> struct DensityOfElement {
  HarmonicFields<Form> fields;
  Array<double* [2], typename Form::memory_space> density;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto e = static_cast<index_t>(i);
    index_t n[Form::n_nodes];
    double re[Form::n_nodes];
    double im[Form::n_nodes];
    values_at_nodes(fields.form, e, fields.re.data(), n, re);
    values_at_nodes(fields.form, e, fields.im.data(), n, im);
    const physics::PhasorValue mean = fields.form.mean_density(e, n, re, im, fields.omega, fields.voltage(e));
    density(e, 0) = mean.re;
    density(e, 1) = mean.im;
  }
};

template <class Form> struct LargestDensity {
  HarmonicFields<Form> fields;
  Array<const std::int64_t*, typename Form::memory_space> elements;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double& largest) const {
    const auto e = static_cast<index_t>(elements.extent(0) > 0 ? elements(i) : i);
    const Form& form = fields.form;
    index_t n[Form::n_nodes];
    form.nodes(e, n);
    const physics::PhasorValue voltage = fields.voltage(e);
    for (int k = 0; k < 3; ++k) {
      const double r = form.medium.axisymmetric ? form.coordinates(form.element_vertices(e, k), 0) : 1.;
      if (!(r > 0.))
        continue;
      const double unit_field = 1. / (form.medium.factor * r);
      const double real = voltage.re * unit_field + fields.omega * fields.im(n[k]);
      const double imaginary = voltage.im * unit_field - fields.omega * fields.re(n[k]);
      const double density = form.sigma(e) * std::sqrt(real * real + imaginary * imaginary);
      largest = density > largest ? density : largest;
    }
  }
};

/// Gives the unknowns of an element the number of its region's body.
template <class Form> struct MarkBodies {
  using Space = typename Form::memory_space;
  Form form;
  fe::DofMap<Space> dofs;
  Array<const int*, Space> bodies;
  Array<int*, Space> body_of;

  /// Calls f with each unknown and the body.
  template <class F> KOKKOS_FUNCTION void for_each_unknown(index_t e, const F& f) const {
    const int body = bodies(form.medium.regions(e));
    if (body < 0)
      return;
    index_t n[Form::n_nodes];
    form.nodes(e, n);
    for (const index_t node : n)
      if (dofs.is_free(dofs.node_dof(node)))
        f(dofs.node_dof(node), body);
  }
  KOKKOS_FUNCTION void operator()(index_t e) const {
    for_each_unknown(e, [&](index_t dof, int body) { Kokkos::atomic_max(&body_of(dof), body); });
  }
};

/// Notes that an unknown of an element has the number of another body.
template <class Form> struct FindShared {
  MarkBodies<Form> marked;
  Array<int*, typename Form::memory_space> shared;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    marked.for_each_unknown(e, [&](index_t dof, int body) {
      if (marked.body_of(dof) != body)
        Kokkos::atomic_max(&shared(0), 1);
    });
  }
};

/// The region of an element with a conductivity; -1 without one.
template <class Form> struct ConductingRegion {
  Form form;
  KOKKOS_FUNCTION index_t operator()(std::int64_t e) const {
    const group_t region = form.medium.regions(e);
    return form.conductivity(region) != 0. ? static_cast<index_t>(region) : index_t(-1);
  }
};

/// Terms of listed elements, or of all.
template <class Body, class Space> struct TermsOfListed {
  Body body;
  Array<const std::int64_t*, Space> elements;
  KOKKOS_FUNCTION void operator()(index_t, std::int64_t i, double (&term)[1]) const {
    body(elements.extent(0) > 0 ? elements(i) : i, term);
  }
};

template <class ExecutionSpace, int Order> class ConductionOf final : public Conduction<ExecutionSpace> {
  using Space = typename ExecutionSpace::memory_space;
  using Form = physics::ConductionForm<2, Order, Space>;
  using typename Conduction<ExecutionSpace>::Assembler;
  using typename Conduction<ExecutionSpace>::ConstVector;
  using typename Conduction<ExecutionSpace>::Phasor;
  using typename Conduction<ExecutionSpace>::Squares;

public:
  ConductionOf(const ExecutionSpace& exec, const physics::Magnetostatics<2, Order, Space>& form,
               const fe::DofMap<Space>& dofs, const std::vector<double>& conductivity)
      : conductivity_(conductivity), dofs_(dofs), sums_(exec, form.n_elements()) {
    form_.medium = form.medium;
    form_.element_nodes = form.element_nodes;
    form_.element_vertices = form.element_vertices;
    form_.coordinates = form.coordinates;
    form_.conductivity = make_array<Array<double*, Space>>(exec, "driver::conductivity", conductivity.size());
    form_.voltage = make_array<Array<double*, Space>>(exec, "driver::voltage", conductivity.size());
    upload(exec, form_.conductivity, conductivity);
    set_voltages(exec, std::vector<double>(conductivity.size(), 0.));
    if (conductivity.size() == 1) // all elements or none: needs no list
      starts_ = {0, conductivity.front() != 0. ? static_cast<offset_t>(form_.n_elements()) : 0};
    else
      list_elements(exec);
    std::vector<Segment> segments;
    for (std::size_t r = 0; r < conductivity.size(); ++r)
      segments.push_back({starts_[r], starts_[r + 1], static_cast<std::int64_t>(r)});
    of_regions_ = SegmentedSums<ExecutionSpace>(exec, segments);
    assembler_ = assembly::make_assembler<ExecutionSpace, Form>(form_, dofs, {});
  }

  void set_voltages(const ExecutionSpace& exec, const std::vector<double>& voltages) override {
    upload(exec, form_.voltage, voltages);
  }
  Assembler& assembler() override { return *assembler_; }
  bool mark_bodies(const ExecutionSpace& exec, const std::vector<int>& bodies,
                   const Array<int*, ExecutionSpace>& body_of) const override {
    const Array<const int*, Space> of_regions = uploaded(exec, "driver::bodies", bodies);
    const auto shared = make_filled<Array<int*, Space>>(exec, "driver::shared", 1, 0);
    for_each("tessera::driver::mark_bodies", exec, form_.n_elements(),
             MarkBodies<Form>{form_, dofs_, of_regions, body_of});
    for_each("tessera::driver::find_shared", exec, form_.n_elements(),
             FindShared<Form>{{form_, dofs_, of_regions, body_of}, shared});
    return read_entry(exec, shared, 0) != 0;
  }
  std::vector<double> conductances(const ExecutionSpace& exec) const override {
    return sums_of_regions("tessera::driver::conductances", exec, ConductanceOfElement<Form>{form_});
  }
  std::vector<double> linkages(const ExecutionSpace& exec, const ConstVector& nodal) const override {
    return sums_of_regions("tessera::driver::linkages", exec, LinkageOfElement<Form>{form_, nodal});
  }
  Squares squares(const ExecutionSpace& exec, const ConstVector& re, const ConstVector& im, double omega,
                  const std::vector<Phasor>& voltages) const override {
    const HarmonicFields<Form> fields = fields_of(exec, re, im, omega, voltages);
    const auto of_elements = make_array<Array<double*, Space>>(exec, "driver::squares", starts_.back());
    for_each("tessera::driver::joule_losses", exec, static_cast<std::int64_t>(starts_.back()),
             SquareOfElement<Form>{fields, elements_, of_elements});
    const auto n = static_cast<std::int64_t>(conductivity_.size());
    const auto sums = make_filled<Array<double*, Space>>(exec, "driver::region_sums", 2 * n, 0.);
    for (const bool by_size : {false, true})
      of_regions_.sum("tessera::driver::joule_losses_of_regions", exec,
                      SquareTerms<Form>{form_, elements_, of_elements, by_size}, sums.data() + (by_size ? n : 0));
    const auto host = tessera::to_host(exec, sums); // waits
    return {{host.data(), host.data() + n}, {host.data() + n, host.data() + 2 * n}};
  }
  Array<const double* [2], HostMemory> densities(const ExecutionSpace& exec, const ConstVector& re,
                                                 const ConstVector& im, double omega,
                                                 const std::vector<Phasor>& voltages) const override {
    const HarmonicFields<Form> fields = fields_of(exec, re, im, omega, voltages);
    const auto density = make_array<Array<double* [2], Space>>(exec, "driver::current_density",
                                                               static_cast<std::size_t>(form_.n_elements()));
    for_each("tessera::driver::current_density", exec, form_.n_elements(), DensityOfElement<Form>{fields, density});
    return tessera::to_host(exec, density);
  }

  std::vector<double> largest_densities(const ExecutionSpace& exec, const ConstVector& re, const ConstVector& im,
                                        double omega, const std::vector<Phasor>& voltages) const override {
    const HarmonicFields<Form> fields = fields_of(exec, re, im, omega, voltages);
    const auto largest =
        make_filled<Array<double*, Space>>(exec, "driver::largest_densities", conductivity_.size(), 0.);
    for (std::size_t r = 0; r < conductivity_.size(); ++r) {
      if (starts_[r] == starts_[r + 1])
        continue;
      const Kokkos::View<double, Space> of_region = Kokkos::subview(largest, r);
      Kokkos::parallel_reduce(
          "tessera::driver::largest_density",
          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(exec, starts_[r], starts_[r + 1]),
          LargestDensity<Form>{fields, elements_}, Kokkos::Max<double, Space>(of_region));
    }
    const auto host = tessera::to_host(exec, largest);
    std::vector<double> densities(conductivity_.size());
    for (std::size_t r = 0; r < densities.size(); ++r)
      densities[r] = std::max(0., host(r));
    return densities;
  }
  double power(const ExecutionSpace& exec, const ConstVector& re, const ConstVector& im, std::size_t region,
               double factor, double exponent) const override {
    return sums_("tessera::driver::power_of_density", exec,
                 PowerOfElement<Form>{form_, re, im, static_cast<group_t>(region), factor, exponent});
  }
  std::unique_ptr<Saturation<ExecutionSpace>> make_saturation(const ExecutionSpace& exec,
                                                              const SaturationData& data) const override {
    return driver::make_saturation<ExecutionSpace, Order>(exec, form_, dofs_, data);
  }

private:
  void list_elements(const ExecutionSpace& exec) {
    const auto groups = group_items(exec, form_.n_elements(), static_cast<index_t>(conductivity_.size()),
                                    ConductingRegion<Form>{form_}, "regions with a conductivity");
    elements_ = groups.items;
    starts_ = groups.host_starts;
  }
  /// Sums over the elements of each region with a conductivity; 0 of others.
  template <class Body>
  std::vector<double> sums_of_regions(const char* label, const ExecutionSpace& exec, const Body& body) const {
    const auto sums = make_filled<Array<double*, Space>>(exec, "driver::region_sums", conductivity_.size(), 0.);
    of_regions_.sum(label, exec, TermsOfListed<Body, Space>{body, elements_}, sums.data());
    const auto host = tessera::to_host(exec, sums);
    return {host.data(), host.data() + host.extent(0)};
  }
  HarmonicFields<Form> fields_of(const ExecutionSpace& exec, const ConstVector& re, const ConstVector& im, double omega,
                                 const std::vector<Phasor>& voltages) const {
    const auto table = make_array<Array<double* [2], Space>>(exec, "driver::voltages", voltages.size());
    std::vector<double> flat;
    for (const Phasor& voltage : voltages) {
      flat.push_back(voltage.re);
      flat.push_back(voltage.im);
    }
    upload(exec, table, flat);
    return {form_, re, im, omega, table};
  }

  std::vector<double> conductivity_;
  fe::DofMap<Space> dofs_;
  linalg::ElementSums<ExecutionSpace> sums_;
  Array<const std::int64_t*, Space> elements_; // of the regions with a conductivity, by region; empty: all
  std::vector<offset_t> starts_;               // where those of each region begin
  SegmentedSums<ExecutionSpace> of_regions_;
  Form form_;
  std::unique_ptr<Assembler> assembler_;
};

} // namespace

template <class ExecutionSpace, int Order>
std::unique_ptr<Conduction<ExecutionSpace>> make_conduction(
    const ExecutionSpace& exec, const physics::Magnetostatics<2, Order, typename ExecutionSpace::memory_space>& form,
    const fe::DofMap<typename ExecutionSpace::memory_space>& dofs, const std::vector<double>& conductivity) {
  return std::make_unique<ConductionOf<ExecutionSpace, Order>>(exec, form, dofs, conductivity);
}

#define TESSERA_INSTANTIATE_ORDER(SPACE, ORDER)                                                                        \
  template std::unique_ptr<Conduction<SPACE>> make_conduction<SPACE, ORDER>(                                           \
      const SPACE&, const physics::Magnetostatics<2, ORDER, typename SPACE::memory_space>&,                            \
      const fe::DofMap<typename SPACE::memory_space>&, const std::vector<double>&);
#define TESSERA_INSTANTIATE(SPACE) TESSERA_INSTANTIATE_ORDER(SPACE, 1) TESSERA_INSTANTIATE_ORDER(SPACE, 2)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
