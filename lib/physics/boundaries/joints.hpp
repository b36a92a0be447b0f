// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_BOUNDARIES_JOINTS_HPP
#define TESSERA_PHYSICS_BOUNDARIES_JOINTS_HPP

/// \file
/// Joints: interfaces with a resistance, at which the solution jumps. The mesh has each of their nodes twice
/// (driver::split_joints), and the integral of g [u] [v] over the interface couples the two sides. Interfaces are a
/// small part of a mesh, so that their sums are made on the host, in one order on every backend.

#include "fe/function_space.hpp"
#include "physics/forms/joint.hpp"

#include <vector>

namespace tessera::physics {

/// The matrix J of the integral of g [u] [v], on the nodes of joints.
class JointCoupling {
public:
  /// A facet with its nodes on both sides.
  struct Facet {
    int joint = 0;
    std::vector<index_t> nodes[2]; ///< positions in nodes(); equal where the joint ends within the body
    std::vector<double> mass;      ///< integrals of N_k N_l
  };
  struct Entry {
    index_t row = 0; ///< positions in nodes()
    index_t column = 0;
    double value = 0.;
  };

  JointCoupling() = default;
  JointCoupling(std::vector<index_t> nodes, std::vector<Facet> facets, std::vector<JointTotals> joints);

  bool any() const { return !facets_.empty(); }
  /// Nodes of the space on joints, ascending.
  const std::vector<index_t>& nodes() const { return nodes_; }
  /// Entries of J, by rows and columns.
  std::vector<Entry> entries() const;
  /// J u for the values `u` at nodes().
  std::vector<double> flows(const std::vector<double>& u) const;
  std::vector<JointTotals> totals(const std::vector<double>& u) const;

private:
  std::vector<index_t> nodes_;
  std::vector<Facet> facets_;
  std::vector<JointTotals> joints_; // without what depends on the solution
};

/// Pairs the two sides of the joints' facets, by their places. `weight`: factor of integrals, the depth; with
/// `axisymmetric` they are weighted with 2 pi r. Throws if a joint has no node inside, so that nothing can jump.
template <class ExecutionSpace, int Dim, int Order>
JointCoupling make_joint_coupling(const ExecutionSpace& exec,
                                  const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                                  const fe::FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
                                  const std::vector<Joint>& joints, bool axisymmetric, double depth);

} // namespace tessera::physics

#endif
