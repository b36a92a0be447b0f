// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef POISSON_HPP
#define POISSON_HPP

#include <tessera/core/transfer/upload.hpp>
#include <tessera/core/types.hpp>
#include <tessera/fe/geometry.hpp>

#include <cmath>

/// -div(grad u) = 2 pi^2 sin(pi x) sin(pi y) on triangles of order 1, the source interpolated at the nodes.
template <class MemorySpace> struct Poisson {
  using memory_space = MemorySpace;
  static constexpr int dimension = 2;
  static constexpr int n_nodes = 3;

  tessera::Array<const tessera::index_t* [3], MemorySpace> element_nodes;
  tessera::Array<const double* [2], MemorySpace> coordinates;

  KOKKOS_FUNCTION void system(tessera::index_t, const tessera::index_t (&n)[3], double (&K)[3][3],
                              double (&f)[3]) const {
    constexpr double pi = 3.14159265358979323846;
    double p[3][2];
    double gradient[3][2];
    double source[3];
    for (int a = 0; a < 3; ++a) {
      for (int d = 0; d < 2; ++d)
        p[a][d] = coordinates(n[a], d);
      source[a] = 2. * pi * pi * std::sin(pi * p[a][0]) * std::sin(pi * p[a][1]);
    }
    const double area = tessera::fe::simplex_gradients(p, gradient);
    for (int a = 0; a < 3; ++a) {
      f[a] = area / 12. * (source[0] + source[1] + source[2] + source[a]);
      for (int b = 0; b < 3; ++b)
        K[a][b] = area * (gradient[a][0] * gradient[b][0] + gradient[a][1] * gradient[b][1]);
    }
  }

  template <class ExecutionSpace> Poisson<tessera::HostMemory> to_host(const ExecutionSpace& exec) const {
    Poisson<tessera::HostMemory> host;
    host.element_nodes = tessera::to_host(exec, element_nodes);
    host.coordinates = tessera::to_host(exec, coordinates);
    return host;
  }
};

#endif
