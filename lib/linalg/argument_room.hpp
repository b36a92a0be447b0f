// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_ARGUMENT_ROOM_HPP
#define TESSERA_LINALG_ARGUMENT_ROOM_HPP

#include "linalg/linear_operator.hpp"

#include <string>

namespace tessera::linalg {

/// Implemented by operators that also read entries of other processes: a vector made here has room for them behind its
/// own entries, and is multiplied where it is, without a copy beside its ghosts.
template <class ExecutionSpace> class ArgumentRoom {
public:
  virtual ~ArgumentRoom() = default;
  virtual Vector<ExecutionSpace> make_argument(const ExecutionSpace& exec, const std::string& label) const = 0;
};

/// A vector of a solver that an operator is applied to again and again.
template <class ExecutionSpace>
Vector<ExecutionSpace> make_argument(const ExecutionSpace& exec, const LinearOperator<ExecutionSpace>& a,
                                     const std::string& label) {
  if (const auto* room = dynamic_cast<const ArgumentRoom<ExecutionSpace>*>(&a))
    return room->make_argument(exec, label);
  return make_array<Vector<ExecutionSpace>>(exec, label, a.size());
}

} // namespace tessera::linalg

#endif
