// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_OWN_FORM_HPP
#define TESSERA_ASSEMBLY_OWN_FORM_HPP

/// \file
/// Every strategy for a form of one's own: include this where `make_assembler<Space>(form, dofs, options)` is called
/// with it, in one .cpp file if compile time counts (all strategies are compiled for the form). For the forms of this
/// library assembly/assembler.hpp is enough.
///
/// A form is a small struct of arrays, copied into kernels, that gives the parts of the linear system which one element
/// contributes. It needs
///
///     using memory_space;  static constexpr int dimension, n_nodes, n_vertices;
///     static constexpr bool has_vertex_rows = false;
///     ConstArray<const index_t* [n_nodes], memory_space> element_nodes;      // of fe::FunctionSpace
///     ConstArray<const double* [dimension], memory_space> coordinates;
///     index_t n_elements() const;
///     void nodes(index_t e, index_t (&n)[n_nodes]) const;                    // of element e
///     void system(index_t e, const index_t (&n)[n_nodes],                    // symmetric matrix and load of element e
///                 double (&K)[n_nodes][n_nodes], double (&f)[n_nodes]) const;
///     void row_nodes(index_t e, int a, index_t (&n)[n_nodes]) const;         // in the order of row(); any order
///     double row(index_t e, int a, index_t (&n)[n_nodes],                    // row of local node a, entry k[b]
///                double (&k)[n_nodes]) const;                                // of node n[b]; returns its load
///     void apply(index_t e, const index_t (&n)[n_nodes],                     // y = K x of element e
///                const double (&x)[n_nodes], double (&y)[n_nodes]) const;
///     template <class ExecutionSpace>
///     auto to_host(const ExecutionSpace& exec) const;                        // the form for memory_space HostMemory
///
/// with KOKKOS_FUNCTION before all but to_host(). Constraints are not its business: strategies eliminate them.
/// docs/library.md has an example.

#include "assembly/factory.hpp"

#endif
