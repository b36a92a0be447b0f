// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_PARTS_ELEMENT_NUMBERS_HPP
#define TESSERA_MESH_PARTS_ELEMENT_NUMBERS_HPP

/// \file
/// Numbers the elements of a polytopic mesh.

#include "core/parallel.hpp"

namespace tessera::mesh {

template <class ExecutionSpace> struct ElementNumbers {
  Array<index_t*, ExecutionSpace> element_of; ///< element of each simplex, [n_simplices]
  index_t n_elements = 0;
};

/// Numbers elements by their first simplex, without gaps. `parts`, [n_simplices], are arbitrary numbers in [0,
/// n_simplices) that are equal for simplices of one element; throws an error of kind input for other numbers.
template <class ExecutionSpace>
ElementNumbers<ExecutionSpace> number_elements(const ExecutionSpace& exec,
                                               const Array<const index_t*, ExecutionSpace>& parts);

} // namespace tessera::mesh

#endif
