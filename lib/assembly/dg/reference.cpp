// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/dg/entry_strategies.hpp"
#include "core/transfer/upload.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

namespace tessera::assembly::dg {

namespace {

using physics::AdvectionCondition;
using physics::BoundaryPart;

/// Blocks by columns, per block row.
struct System {
  std::vector<std::map<index_t, std::vector<double>>> rows;
  std::vector<double> rhs;
};

template <int Dim> using Vec = std::array<double, Dim>;

template <std::size_t N> double dot(const std::array<double, N>& a, const std::array<double, N>& b) {
  double sum = 0.;
  for (std::size_t d = 0; d < N; ++d)
    sum += a[d] * b[d];
  return sum;
}

/// An element evaluated at a point (x, t): its basis functions w, their gradients and A grad w, their time derivatives,
/// and its coefficients.
template <int Dim> struct Side {
  using Coefficients = physics::AdvectionCoefficients<Dim, HostMemory>;
  index_t element;
  std::vector<double> w;
  std::vector<Vec<Dim>> grad_w;
  std::vector<Vec<Dim>> a_grad_w;
  std::vector<double> rate_w;
  double A[Coefficients::n_diffusion];
  Vec<Dim> b;
  double sign = 1.; ///< its outward normal is sign * n

  Side(const Form<Dim, HostMemory>& form, index_t e, const double (&x)[Dim + 1])
      : Side(form, e, form.space.step_at(e, x[Dim]), x) {}
  /// Evaluated in a step of the element, also at the step's ends.
  Side(const Form<Dim, HostMemory>& form, index_t e, int step, const double (&x)[Dim + 1])
      : Side(form, e, step, x, x) {}
  /// Evaluated on a face whose normal n points out of the element or, if `side` is 1, into it.
  Side(const Form<Dim, HostMemory>& form, index_t e, const double (&x)[Dim + 1], const Vec<Dim>& n, int side)
      : Side(form, e, form.space.step_at(e, x[Dim]), x, Inside(form, e, x, n, side).x) {
    sign = side == 0 ? 1. : -1.;
  }

private:
  /// A point of a face within the element.
  struct Inside {
    double x[Dim + 1];
    Inside(const Form<Dim, HostMemory>& form, index_t e, const double (&on_face)[Dim + 1], const Vec<Dim>& n,
           int side) {
      double normal[Dim];
      std::copy_n(n.begin(), Dim, normal);
      std::copy_n(on_face, Dim + 1, x);
      form.move_inside(e, normal, side == 0 ? 1. : -1., x);
    }
  };
  /// `inside`: the point at which the coefficients are evaluated.
  Side(const Form<Dim, HostMemory>& form, index_t e, int step, const double (&x)[Dim + 1],
       const double (&inside)[Dim + 1])
      : element(e) {
    form.coefficients.diffusion(form.regions(e), inside, A);
    double advection[Dim];
    form.coefficients.advection(form.regions(e), inside, advection);
    std::copy_n(advection, Dim, b.begin());
    typename fe::ModalSpace<Dim, HostMemory>::Factors factors;
    form.space.evaluate_factors(e, step, x, factors);
    for (int i = 0; i < form.space.size(e); ++i) {
      double gradient[Dim + 1];
      w.push_back(form.space.basis(i, factors, gradient));
      rate_w.push_back(gradient[Dim]);
      Vec<Dim> copy;
      std::copy_n(gradient, Dim, copy.begin());
      grad_w.push_back(copy);
      a_grad_w.push_back(a_times(copy));
    }
  }

public:
  Vec<Dim> a_times(const Vec<Dim>& v) const {
    double in[Dim];
    double out[Dim];
    std::copy_n(v.begin(), Dim, in);
    Coefficients::multiply(A, in, out);
    Vec<Dim> result;
    std::copy_n(out, Dim, result.begin());
    return result;
  }
  int size() const { return static_cast<int>(w.size()); }
};

/// Data of one face for the integrals over it.
template <int Dim> struct Face {
  double area;
  double sigma = 0.;
  bool is_joint = false;
  Vec<Dim> n; ///< outward normal of the first element
  Rule rule;
};

template <int Dim> class Loops {
public:
  Loops(const Form<Dim, HostMemory>& form, bool with_matrix) : form_(form), with_matrix_(with_matrix) {
    system_.rows.resize(form.n_elements());
    system_.rhs.assign(form.space.n_dofs, 0.);
    for (index_t e = 0; e < form.n_elements(); ++e)
      add_volume(e);
    for (index_t f = 0; f < form.faces.n_faces(); ++f)
      add_face(f);
  }
  const System& system() const { return system_; }

private:
  /// B(w_j of `trial`, v_i of `test`) += value.
  void add(const Side<Dim>& test, int i, const Side<Dim>& trial, int j, double value) {
    if (!with_matrix_)
      return;
    std::vector<double>& block = system_.rows[test.element][trial.element];
    block.resize(static_cast<std::size_t>(test.size()) * trial.size(), 0.);
    block[static_cast<std::size_t>(j) * test.size() + i] += value;
  }
  void add_load(const Side<Dim>& test, int i, double value) {
    system_.rhs[form_.space.dof_offsets(test.element) + i] += value;
  }

  /// The integrals over elements: first line of (2.4), first term of (2.5), and the terms with time of (2.9).
  void add_volume(index_t e) {
    const Rule rule = form_.element_rule(e);
    for (index_t k = form_.simplex_offsets(e); k < form_.simplex_offsets(e + 1); ++k) {
      const index_t simplex = form_.element_simplices(k);
      const double measure = form_.simplex_measure(simplex);
      double x[Dim + 1];
      for (int q = 0; q < form_.n_volume_points(rule); ++q) {
        const double dx = measure * form_.time_measure() * form_.volume_point(simplex, rule, q, x);
        const Side<Dim> side(form_, e, x);
        const group_t region = form_.regions(e);
        const double c = form_.coefficients.value(region, Coefficients::reaction_slot, x);
        const double f = form_.coefficients.value(region, Coefficients::source_slot, x);
        for (int i = 0; i < side.size(); ++i) {
          for (int j = 0; j < side.size(); ++j)
            add(side, i, side, j,
                dx * (dot(side.a_grad_w[j], side.grad_w[i]) +
                      (side.rate_w[j] + dot(side.b, side.grad_w[j]) + c * side.w[j]) * side.w[i]));
          add_load(side, i, dx * f * side.w[i]);
        }
      }
      for (int q = 0; q < form_.n_initial_points(rule); ++q) { // the jump from the previous slab
        const double dx = measure * form_.initial_point(simplex, rule, q, x);
        const Side<Dim> side(form_, e, 0, x);
        for (int i = 0; i < side.size(); ++i) {
          for (int j = 0; j < side.size(); ++j)
            add(side, i, side, j, dx * side.w[j] * side.w[i]);
          add_load(side, i, dx * form_.previous_value(e, x) * side.w[i]);
        }
        for (int step = 1; step < rule.n_steps; ++step) { // the jumps between the steps of the element
          x[Dim] = form_.space.step_start(e, step);
          const Side<Dim> after(form_, e, step, x);
          const Side<Dim> before(form_, e, step - 1, x);
          for (int i = 0; i < after.size(); ++i)
            for (int j = 0; j < after.size(); ++j)
              add(after, i, after, j, dx * (after.w[j] - before.w[j]) * after.w[i]);
        }
      }
    }
  }

  double surface(index_t e) const {
    double sum = 0.;
    double normal[Dim];
    for (index_t f = 0; f < form_.faces.n_faces(); ++f)
      if (form_.element(f, 0) == e || form_.element(f, 1) == e)
        sum += form_.face_normal(f, normal);
    return sum;
  }

  /// Appendix A.
  double penalty(index_t f, const Face<Dim>& face) const {
    double sigma = 0.;
    for (int s = 0; s < 2; ++s) {
      const index_t e = form_.element(f, s);
      if (e < 0)
        continue;
      double a = 0.;
      for (int q = 0; q < form_.n_face_points(face.rule); ++q) {
        double x[Dim + 1];
        form_.face_point(f, face.rule, q, x);
        a = std::max(a, dot(face.n, Side<Dim>(form_, e, x, face.n, s).a_times(face.n)));
      }
      double element_measure = 0.;
      for (index_t k = form_.simplex_offsets(e); k < form_.simplex_offsets(e + 1); ++k)
        element_measure += form_.simplex_measure(form_.element_simplices(k));
      const double p = std::max(1, form_.space.degrees(e));
      double covering = HUGE_VAL;
      if (form_.options.covering != Covering::simplices)
        covering = std::pow(p, 2 * (Dim - 1));
      if (form_.options.covering == Covering::surface)
        covering = std::max(covering, surface(e) / ((Dim + 1) * face.area));
      const double ratio = element_measure / form_.simplex_measure(form_.faces.simplices(f, s));
      sigma = std::max(sigma, std::min(ratio, covering) * a * p * p * face.area / element_measure);
    }
    return form_.options.penalty_constant * sigma;
  }

  void add_face(index_t f) {
    double normal[Dim];
    Face<Dim> face;
    face.area = form_.face_normal(f, normal);
    std::copy_n(normal, Dim, face.n.begin());
    face.rule = form_.face_rule(f);
    face.is_joint = form_.is_joint(f);
    face.sigma = face.is_joint ? form_.conductances(form_.joints(f)) : penalty(f, face);
    for (int q = 0; q < form_.n_face_points(face.rule); ++q) {
      double x[Dim + 1];
      const double ds = face.area * form_.time_measure() * form_.face_point(f, face.rule, q, x);
      if (f < form_.faces.n_interior)
        add_interior(f, face, x, ds);
      else
        add_boundary(f, face, x, ds);
    }
  }

  /// The integrals over interior faces: upwind jumps, then averages and jumps.
  void add_interior(index_t f, const Face<Dim>& face, const double (&x)[Dim + 1], double ds) {
    const Side<Dim> sides[2] = {Side<Dim>(form_, form_.element(f, 0), x, face.n, 0),
                                Side<Dim>(form_, form_.element(f, 1), x, face.n, 1)};
    for (const Side<Dim>& plus : sides) { // - (b . n) [w] v+ where b flows into the element
      const Side<Dim>& minus = sides[plus.sign > 0. ? 1 : 0];
      const double bn = plus.sign * dot(plus.b, face.n);
      if (bn >= 0.)
        continue;
      for (int i = 0; i < plus.size(); ++i) {
        for (int j = 0; j < plus.size(); ++j)
          add(plus, i, plus, j, -ds * bn * plus.w[j] * plus.w[i]);
        for (int j = 0; j < minus.size(); ++j)
          add(plus, i, minus, j, ds * bn * minus.w[j] * plus.w[i]);
      }
    }
    for (const Side<Dim>& test : sides)
      for (const Side<Dim>& trial : sides)
        for (int i = 0; i < test.size(); ++i)
          for (int j = 0; j < trial.size(); ++j) {
            // [[w]] = w * sign * n, {A grad w} = A grad w / 2, likewise for v
            const double average_w = face.is_joint ? 0. : 0.5 * dot(trial.a_grad_w[j], face.n);
            const double average_v = face.is_joint ? 0. : 0.5 * dot(test.a_grad_w[i], face.n);
            const double jump_w = trial.sign * trial.w[j];
            const double jump_v = test.sign * test.w[i];
            add(test, i, trial, j, -ds * (average_w * jump_v + average_v * jump_w - face.sigma * jump_w * jump_v));
          }
  }

  /// The integrals over boundary faces and their loads.
  void add_boundary(index_t f, const Face<Dim>& face, const double (&x)[Dim + 1], double ds) {
    const Side<Dim> side(form_, form_.element(f, 0), x, face.n, 0);
    const group_t group = form_.boundary_group(f);
    const AdvectionCondition condition = form_.coefficients.condition(group);
    const double g = condition == AdvectionCondition::natural ? 0. : form_.coefficients.boundary_value(group, x);
    const double bn = dot(side.b, face.n);
    const BoundaryPart part =
        physics::boundary_part(condition, dot(face.n, side.a_times(face.n)), Coefficients::trace(side.A), bn);
    for (int i = 0; i < side.size(); ++i) {
      const double flux_v = dot(side.a_grad_w[i], face.n);
      if ((part == BoundaryPart::dirichlet || part == BoundaryPart::inflow) && bn < 0.) {
        for (int j = 0; j < side.size(); ++j)
          add(side, i, side, j, -ds * bn * side.w[j] * side.w[i]);
        if (condition == AdvectionCondition::dirichlet)
          add_load(side, i, -ds * bn * g * side.w[i]);
      }
      if (part == BoundaryPart::dirichlet) {
        for (int j = 0; j < side.size(); ++j)
          add(side, i, side, j,
              -ds * (dot(side.a_grad_w[j], face.n) * side.w[i] + flux_v * side.w[j] -
                     face.sigma * side.w[j] * side.w[i]));
        add_load(side, i, -ds * g * (flux_v - face.sigma * side.w[i]));
      }
      if (part == BoundaryPart::neumann && condition == AdvectionCondition::neumann)
        add_load(side, i, ds * g * side.w[i]);
    }
  }

  using Coefficients = physics::AdvectionCoefficients<Dim, HostMemory>;
  const Form<Dim, HostMemory>& form_;
  const bool with_matrix_;
  System system_;
};

/// Stores the blocks as a matrix in a memory space.
template <class ExecutionSpace, int Dim>
linalg::BlockCrsMatrix<typename ExecutionSpace::memory_space>
matrix_of(const ExecutionSpace& exec, const Form<Dim, HostMemory>& form, const System& system) {
  linalg::BlockCrsMatrix<typename ExecutionSpace::memory_space> matrix;
  const auto& dofs = form.space.dof_offsets;
  std::vector<offset_t> row_offsets{0};
  std::vector<index_t> columns;
  std::vector<offset_t> value_offsets{0};
  std::vector<double> values;
  for (const auto& row : system.rows) {
    for (const auto& block : row) {
      columns.push_back(block.first);
      values.insert(values.end(), block.second.begin(), block.second.end());
      value_offsets.push_back(checked_offset(static_cast<std::int64_t>(values.size()), "matrix entries"));
    }
    row_offsets.push_back(static_cast<offset_t>(columns.size()));
  }
  matrix.dof_offsets =
      uploaded(exec, "assembly::dg::dof_offsets", std::vector<index_t>(dofs.data(), dofs.data() + dofs.extent(0)));
  matrix.row_offsets = uploaded(exec, "assembly::dg::row_offsets", row_offsets);
  matrix.columns = uploaded(exec, "assembly::dg::columns", columns);
  matrix.value_offsets = uploaded(exec, "assembly::dg::value_offsets", value_offsets);
  matrix.values = uploaded(exec, "assembly::dg::values", values);
  matrix.n_unknowns = form.space.n_dofs;
  matrix.largest_block = form.n_elements() > 0 ? form.space.largest_size : 0;
  matrix.block_size = form.space.is_uniform ? matrix.largest_block : 0;
  return matrix;
}

} // namespace

template <class ExecutionSpace, int Dim>
void Reference<ExecutionSpace, Dim>::assemble(const ExecutionSpace& exec, bool with_matrix) {
  const Form<Dim, HostMemory> form = to_host(exec, this->form_);
  const Loops<Dim> loops(form, with_matrix);
  if (with_matrix)
    this->matrix_ = matrix_of(exec, form, loops.system());
  this->rhs_ = uploaded(exec, "assembly::dg::rhs", loops.system().rhs);
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template class Reference<Space, 2>;                                                                                  \
  template class Reference<Space, 3>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::assembly::dg
