// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_FORM_FORM_PART_HPP
#define TESSERA_ASSEMBLY_DG_FORM_FORM_PART_HPP

/// \file
/// The part of a form that one of several processes assembles (Dong, Georgoulis, Kappas, GPU-accelerated discontinuous
/// Galerkin methods on polytopic meshes, section 4.2).

#include "assembly/dg/form/form.hpp"

namespace tessera::assembly::dg {

/// The elements [first, end) of a whole form, which the process owns, and their neighbours, the ghosts. Elements keep
/// their order, so that the owned ones are contiguous, and every sum has its terms in the same order.
template <int Dim, class MemorySpace> struct FormPart {
  /// Contains the owned elements with all their faces, and the ghosts with only the faces towards owned elements: rows
  /// of owned elements are complete, rows of ghosts are not. Shares nodes and coefficients with the whole form.
  Form<Dim, MemorySpace> form;
  index_t first_owned = 0;
  index_t n_owned = 0;
  Array<index_t*, MemorySpace> elements; ///< indices in the whole form, ascending, [form.n_elements()]

  index_t n_ghosts() const { return form.n_elements() - n_owned; }
};

template <class ExecutionSpace, int Dim>
FormPart<Dim, typename ExecutionSpace::memory_space>
make_form_part(const ExecutionSpace& exec, const Form<Dim, typename ExecutionSpace::memory_space>& whole, index_t first,
               index_t end);

/// Copies the coefficients of the part's elements, including ghosts, from those of all elements.
template <class ExecutionSpace, int Dim>
void restrict_to_part(const ExecutionSpace& exec, const Form<Dim, typename ExecutionSpace::memory_space>& whole,
                      const FormPart<Dim, typename ExecutionSpace::memory_space>& part,
                      const Array<const double*, ExecutionSpace>& all, const Array<double*, ExecutionSpace>& local);

/// Work of each element: quadrature on its simplices and faces, and its blocks; [n_elements + 1], the last entry is not
/// set.
template <class ExecutionSpace, int Dim>
Array<std::int64_t*, ExecutionSpace> element_work(const ExecutionSpace& exec,
                                                  const Form<Dim, typename ExecutionSpace::memory_space>& whole);

/// Cuts the elements, in order, into parts of about equal work. Returns the first element of each part and the number
/// of elements, [n_parts + 1].
template <class ExecutionSpace, int Dim>
std::vector<index_t> cut_elements(const ExecutionSpace& exec,
                                  const Form<Dim, typename ExecutionSpace::memory_space>& whole, int n_parts);

} // namespace tessera::assembly::dg

#endif
