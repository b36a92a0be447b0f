// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_DG_DG_QUANTITIES_HPP
#define TESSERA_DRIVER_DG_DG_QUANTITIES_HPP

#include "assembly/dg/form/form.hpp"
#include "driver/results.hpp"
#include "io/input/case.hpp"

namespace tessera::driver {

/// Adds the quantities requested by the input to `results`, whose problem is that of the form: mean values, energy,
/// fluxes through boundaries or charges of fixed ones, what passes joints, and the capacitance. `owned`: the owned
/// elements of a process, and `world` its processes; then collective.
template <int Dim, class ExecutionSpace>
void add_dg_quantities(const ExecutionSpace& exec,
                       const assembly::dg::Form<Dim, typename ExecutionSpace::memory_space>& form,
                       const Array<const double*, ExecutionSpace>& u, const io::Case& input, Results& results,
                       const assembly::dg::ElementRange& owned = {}, const comm::Communicator& world = comm::alone());

} // namespace tessera::driver

#endif
