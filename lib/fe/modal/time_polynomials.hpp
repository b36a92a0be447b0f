// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_FE_MODAL_TIME_POLYNOMIALS_HPP
#define TESSERA_FE_MODAL_TIME_POLYNOMIALS_HPP

namespace tessera::fe {

/// Polynomials of degree p in space and time (section 2.3 of Dong, Georgoulis, Kappas).
enum class TimePolynomials {
  none, ///< constant in time: the polynomials of a steady problem
  p,    ///< of total degree p in space and time: fewer, with the same order of convergence in energy norms
  pq    ///< of total degree p in space times those of degree p in time
};

} // namespace tessera::fe

#endif
