// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

// A complete form and, with WRONG_FORMS, forms that each lack one member. Only check.cmake compiles this.

#include "assembly/user_form.hpp"

namespace tessera {

using FirstSpace = std::tuple_element_t<0, ExecutionSpaces>;

struct Memory {
  using memory_space = HostMemory;
};
struct Dimension {
  static constexpr int dimension = 2;
};
struct Nodes {
  static constexpr int n_nodes = 3;
};
template <int N> struct ElementNodes { Array<const index_t* [N], HostMemory> element_nodes; };
template <int N> struct System {
  void system(index_t, const index_t (&)[3], double (&)[N][N], double (&)[3]) const {}
};

struct Right : Memory, Dimension, Nodes, ElementNodes<3>, System<3> {};
template <> struct assembly::strategies_of<Right> { using type = StrategyList<Strategy::row_gather>; };

std::unique_ptr<assembly::Assembler<FirstSpace>> make(const Right& form, const fe::DofMap<HostMemory>& dofs) {
  return assembly::make_assembler<FirstSpace>(form, dofs, assembly::AssemblyOptions());
}

#if defined(WRONG_FORMS)
// told: A form needs `using memory_space`
struct NoMemory : Dimension, Nodes, ElementNodes<3>, System<3> {};

// told: The arrays of a form must be in the memory space of the execution space that assembles it.
// told: A form needs `to_host
// told: `element_nodes` of a form is an Array
struct OtherMemory : Dimension, Nodes, ElementNodes<3>, System<3> {
  struct memory_space {};
};

// told: A form needs `static constexpr int dimension`
struct NoDimension : Memory, Nodes, ElementNodes<3>, System<3> {};

// told: A form needs `static constexpr int n_nodes`
// told: the matrix and load of an element
struct NoNodes : Memory, Dimension, ElementNodes<3>, System<3> {};

// told: A form needs the array `element_nodes`
struct NoElementNodes : Memory, Dimension, Nodes, System<3> {};

// told: `element_nodes` of a form is an Array
struct OtherNumberOfNodes : Memory, Dimension, Nodes, ElementNodes<4>, System<3> {};

// told: the matrix and load of an element
struct NoSystem : Memory, Dimension, Nodes, ElementNodes<3> {};

// told: the matrix and load of an element
struct NoMatrix : Memory, Dimension, Nodes, ElementNodes<3> {
  void system(index_t, const index_t (&)[3], double (&)[3]) const {}
};

// told: the matrix and load of an element
struct NoLoad : Memory, Dimension, Nodes, ElementNodes<3> {
  void system(index_t, const index_t (&)[3], double (&)[3][3]) const {}
};

// told: the matrix and load of an element
struct OtherMatrix : Memory, Dimension, Nodes, ElementNodes<3>, System<4> {};

// told: the order of row(), which this form does not have.
struct NoRow : Right {
  void row_nodes(index_t, int, index_t (&)[3]) const {}
};

// told: needs `coordinates` of its vertices
struct NoCoordinates : Right {
  Array<const index_t* [3], HostMemory> element_vertices;
};

// told: A form with vertex rows must say `has_signs = false`
struct SignedVertexRows : Right {
  static constexpr bool has_vertex_rows = true;
};

template <class... Forms> constexpr bool check_all() { return (assembly::check_form<FirstSpace, Forms>() && ...); }
constexpr bool checked = check_all<NoMemory, OtherMemory, NoDimension, NoNodes, NoElementNodes, OtherNumberOfNodes,
                                   NoSystem, NoMatrix, NoLoad, OtherMatrix, NoRow, NoCoordinates, SignedVertexRows>();

// told: The list of strategies of a form that is not symmetric has one that keeps triangles of matrices.
struct NotSymmetric : Memory, Dimension, Nodes, ElementNodes<3>, System<3> {
  static constexpr bool is_symmetric = false;
};
template <> struct assembly::strategies_of<NotSymmetric> { using type = StrategyList<Strategy::ebe_stored>; };
std::unique_ptr<assembly::Assembler<FirstSpace>> make(const NotSymmetric& form, const fe::DofMap<HostMemory>& dofs) {
  return assembly::make_assembler<FirstSpace>(form, dofs, assembly::AssemblyOptions());
}
#endif

} // namespace tessera
