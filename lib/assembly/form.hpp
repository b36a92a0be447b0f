// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_FORM_HPP
#define TESSERA_ASSEMBLY_FORM_HPP

/// \file
/// Requirements on a form, checked where strategies are made for it.
///
/// A form is a small struct of arrays, copied into kernels, that computes the contributions of one element to the
/// linear system. It needs (with KOKKOS_FUNCTION before functions)
///
///     using memory_space;                                                // of its arrays
///     static constexpr int dimension, n_nodes;                           // n_nodes of each element
///     Array<const index_t* [n_nodes], memory_space> element_nodes;  // of fe::FunctionSpace
///     void system(index_t e, const index_t (&n)[n_nodes],                // matrix and load of element e, whose nodes
///                 double (&K)[n_nodes][n_nodes], double (&f)[n_nodes]) const;   // are n
///     template <class ExecutionSpace>
///     auto to_host(const ExecutionSpace& exec) const;  // the form for HostMemory; forms in HostMemory need none
///
/// A form is independent of constraints and of the signs of antiperiodic nodes: strategies eliminate or apply them. It
/// may have, where these are faster than system(),
///
///     double row(index_t e, int a, index_t (&n)[n_nodes],       // row of local node a, k[b] in the column of n[b];
///                double (&k)[n_nodes]) const;                   // returns its load
///     void row_nodes(index_t e, int a, index_t (&n)[n_nodes]) const;   // if row() uses another order
///     void apply(index_t e, const index_t (&n)[n_nodes],        // y = K x of element e
///                const double (&x)[n_nodes], double (&y)[n_nodes]) const;
///
/// and, if the default does not apply,
///
///     static constexpr bool is_symmetric = false;      // K is not symmetric
///     static constexpr bool has_signs = false;         // never used with antiperiodic boundaries, which saves time
///     static constexpr bool has_orientation = true;    // element_nodes has entries of fe::node_number(); also n above
///     Array<const index_t* [dimension + 1], memory_space> element_vertices;   // elements that share a node
///     Array<const double* [dimension], memory_space> coordinates;             // share a vertex
///
/// Forms of the library have more (physics/forms/diffusion_form.hpp).

#include "assembly/strategy.hpp"
#include "core/parallel.hpp"

#include <type_traits>
#include <utility>

namespace tessera::assembly {

namespace detail {

// The value of an optional constant of a form.
#define TESSERA_FORM_CONSTANT(NAME, DEFAULT)                                                                           \
  template <class Form, class = void> struct Declared_##NAME : std::bool_constant<DEFAULT> {};                         \
  template <class Form>                                                                                                \
  struct Declared_##NAME<Form, std::void_t<decltype(Form::NAME)>> : std::bool_constant<Form::NAME> {};
TESSERA_FORM_CONSTANT(is_symmetric, true)
TESSERA_FORM_CONSTANT(has_signs, true)
TESSERA_FORM_CONSTANT(has_orientation, false)
TESSERA_FORM_CONSTANT(has_vertex_rows, false)
#undef TESSERA_FORM_CONSTANT

// Whether a form has a member, that is whether the expression compiles. Elements are 0, not index_t(), which nvcc turns
// into "signed int()".
#define TESSERA_FORM_MEMBER(NAME, EXPRESSION)                                                                          \
  template <class Form, class = void> struct Has_##NAME : std::false_type {};                                          \
  template <class Form> struct Has_##NAME<Form, std::void_t<EXPRESSION>> : std::true_type {};
template <class Form> const Form& any_form();
template <class Form> using NodeNumbers = index_t (&)[Form::n_nodes];
template <class Form> using NodeValues = double (&)[Form::n_nodes];
template <class Form> using NodeMatrix = double (&)[Form::n_nodes][Form::n_nodes];
TESSERA_FORM_MEMBER(memory_space, typename Form::memory_space)
TESSERA_FORM_MEMBER(dimension, decltype(Form::dimension))
TESSERA_FORM_MEMBER(n_nodes, decltype(Form::n_nodes))
TESSERA_FORM_MEMBER(element_nodes, decltype(any_form<Form>().element_nodes(0, 0)))
TESSERA_FORM_MEMBER(element_vertices, decltype(any_form<Form>().element_vertices(0, 0)))
TESSERA_FORM_MEMBER(coordinates, decltype(any_form<Form>().coordinates(0, 0)))
TESSERA_FORM_MEMBER(system, decltype(any_form<Form>().system(0, std::declval<NodeNumbers<Form>>(),
                                                             std::declval<NodeMatrix<Form>>(),
                                                             std::declval<NodeValues<Form>>())))
TESSERA_FORM_MEMBER(row, decltype(any_form<Form>().row(0, 0, std::declval<NodeNumbers<Form>>(),
                                                       std::declval<NodeValues<Form>>())))
TESSERA_FORM_MEMBER(row_nodes, decltype(any_form<Form>().row_nodes(0, 0, std::declval<NodeNumbers<Form>>())))
TESSERA_FORM_MEMBER(apply, decltype(any_form<Form>().apply(0, std::declval<NodeNumbers<Form>>(),
                                                           std::declval<NodeValues<Form>>(),
                                                           std::declval<NodeValues<Form>>())))
TESSERA_FORM_MEMBER(to_host, decltype(any_form<Form>().to_host(Kokkos::DefaultHostExecutionSpace())))
#undef TESSERA_FORM_MEMBER

/// The state of forms that share nothing between successive rows of a node.
struct NoRowState {};
template <class Form, class = void> struct RowStateOf { using type = NoRowState; };
template <class Form> struct RowStateOf<Form, std::void_t<typename Form::RowState>> {
  using type = typename Form::RowState;
};

} // namespace detail

/// Properties and members of a form, with defaults for those that it does not define.
template <class Form> struct FormTraits {
  static constexpr bool is_symmetric = detail::Declared_is_symmetric<Form>::value;
  static constexpr bool has_signs = detail::Declared_has_signs<Form>::value;
  static constexpr bool has_orientation = detail::Declared_has_orientation<Form>::value;
  static constexpr bool has_vertex_rows = detail::Declared_has_vertex_rows<Form>::value;
  static constexpr bool has_vertices = detail::Has_element_vertices<Form>::value;
  static constexpr bool has_coordinates = detail::Has_coordinates<Form>::value;
  static constexpr bool has_row = detail::Has_row<Form>::value;
  static constexpr bool has_row_nodes = detail::Has_row_nodes<Form>::value;
  static constexpr bool has_apply = detail::Has_apply<Form>::value;
  static constexpr bool has_to_host = detail::Has_to_host<Form>::value;
  using RowState = typename detail::RowStateOf<Form>::type;
};

/// Whether a type has all required members of a form.
template <class Form>
constexpr bool is_form_v =
    detail::Has_memory_space<Form>::value&& detail::Has_dimension<Form>::value&& detail::Has_n_nodes<Form>::value&&
        detail::Has_element_nodes<Form>::value&& detail::Has_system<Form>::value&& detail::Has_to_host<Form>::value;

/// A list of strategies to compile.
template <Strategy... Strategies> struct StrategyList {
  static constexpr bool has(Strategy strategy) { return ((strategy == Strategies) || ...); }
};

using AllStrategies = StrategyList<Strategy::reference, Strategy::atomic, Strategy::a_coo, Strategy::a_coo_compact,
                                   Strategy::sorted_coo, Strategy::colored, Strategy::row_gather, Strategy::ebe_stored,
                                   Strategy::ebe_recomputed, Strategy::ebe_atomic>;
/// One for checks, one that stores the matrix, one that stores nothing.
using FewStrategies = StrategyList<Strategy::reference, Strategy::row_gather, Strategy::ebe_atomic>;

/// Strategies that are compiled for a form: specialise it to choose another list.
template <class Form> struct strategies_of {
  using type = std::conditional_t<FormTraits<Form>::is_symmetric, AllStrategies, FewStrategies>;
};

/// Checks at compile time that a form has the required members.
template <class ExecutionSpace, class Form> constexpr bool check_form() {
  using Traits = FormTraits<Form>;
  static_assert(detail::Has_memory_space<Form>::value,
                "A form needs `using memory_space`, the memory that its arrays are in (assembly/form.hpp).");
  static_assert(std::is_same_v<typename Form::memory_space, typename ExecutionSpace::memory_space>,
                "The arrays of a form must be in the memory space of the execution space that assembles it.");
  static_assert(detail::Has_dimension<Form>::value,
                "A form needs `static constexpr int dimension`, 2 or 3 (assembly/form.hpp).");
  static_assert(detail::Has_n_nodes<Form>::value,
                "A form needs `static constexpr int n_nodes`, the nodes of an element (assembly/form.hpp).");
  static_assert(detail::Has_element_nodes<Form>::value,
                "A form needs the array `element_nodes`, [n_elements][n_nodes] (assembly/form.hpp).");
  static_assert(std::is_same_v<decltype(Form::element_nodes),
                               Array<const index_t * [Form::n_nodes], typename Form::memory_space>>,
                "`element_nodes` of a form is an Array<const index_t* [n_nodes], memory_space>.");
  static_assert(
      detail::Has_system<Form>::value,
      "A form needs `void system(index_t e, const index_t (&n)[n_nodes], double (&K)[n_nodes][n_nodes], double "
      "(&f)[n_nodes]) const`, the matrix and load of an element (assembly/form.hpp).");
  static_assert(Traits::has_to_host || is_host_memory<typename Form::memory_space>,
                "A form needs `to_host(exec)`, which copies it to HostMemory (assembly/form.hpp).");
  static_assert(!Traits::has_row_nodes || Traits::has_row,
                "row_nodes() of a form gives the order of row(), which this form does not have.");
  static_assert(!Traits::has_vertices || Traits::has_coordinates,
                "A form with `element_vertices` needs `coordinates` of its vertices, [n_vertices][dimension].");
  static_assert(!Traits::has_vertex_rows || !Traits::has_signs,
                "A form with vertex rows must say `has_signs = false`: they are computed without signs.");
  return true;
}

} // namespace tessera::assembly

#endif
