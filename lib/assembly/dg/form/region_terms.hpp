// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_FORM_REGION_TERMS_HPP
#define TESSERA_ASSEMBLY_DG_FORM_REGION_TERMS_HPP

/// \file
/// Coefficients of a region in the layout of the kernel of the diagonal blocks.

#include "assembly/dg/form/form.hpp"

namespace tessera::assembly::dg {

/// Coefficients of a region in the order in which the kernel of the diagonal blocks uses them.
template <class Coefficients> struct RegionTerms {
  double value[Coefficients::n_slots];   ///< of the constant coefficients, 0 for others
  int variable[Coefficients::n_slots];   ///< slots of the other coefficients of A, b, c, each distinct expression once
  unsigned slots[Coefficients::n_slots]; ///< bit k: slot k has this expression of `variable`
  int n_in_space;                        ///< number of these that do not depend on time; they come first
  int n_variable;
  bool source_varies;       ///< f is not constant
  bool source_is_transient; ///< f depends on time, in a slab
};

/// Lists the coefficients of a region.
template <int Dim, class MemorySpace> struct ListRegionTerms {
  using Coefficients = physics::AdvectionCoefficients<Dim, MemorySpace>;
  Coefficients coefficients;
  bool is_slab;
  Array<RegionTerms<Coefficients>*, MemorySpace> regions;

  KOKKOS_FUNCTION int program(index_t region, int slot) const {
    return coefficients.programs(region * Coefficients::n_stored + slot);
  }
  KOKKOS_FUNCTION void operator()(index_t region) const {
    RegionTerms<Coefficients>& terms = regions(region);
    terms.n_variable = 0;
    for (int slot = 0; slot < Coefficients::n_slots; ++slot) {
      const bool is_number = program(region, slot) < 0;
      terms.value[slot] = is_number ? coefficients.constants(region * Coefficients::n_stored + slot) : 0.;
    }
    terms.source_varies = program(region, Coefficients::source_slot) >= 0;
    terms.source_is_transient =
        terms.source_varies && is_slab && coefficients.is_transient_at(region, Coefficients::source_slot);
    for (int transient = 0; transient < 2; ++transient) {
      for (int slot = 0; slot < Coefficients::source_slot; ++slot)
        if (program(region, slot) >= 0 && (is_slab && coefficients.is_transient_at(region, slot) ? 1 : 0) == transient)
          add(region, slot, terms);
      if (transient == 0)
        terms.n_in_space = terms.n_variable;
    }
  }

private:
  KOKKOS_FUNCTION void add(index_t region, int slot, RegionTerms<Coefficients>& terms) const {
    int k = 0;
    while (k < terms.n_variable && program(region, terms.variable[k]) != program(region, slot))
      ++k;
    if (k == terms.n_variable) {
      terms.variable[k] = slot;
      terms.slots[k] = 0;
      ++terms.n_variable;
    }
    terms.slots[k] |= 1u << slot;
  }
};

} // namespace tessera::assembly::dg

#endif
