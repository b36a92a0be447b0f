// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_TAGGED_LOOP_HPP
#define TESSERA_CORE_TAGGED_LOOP_HPP

#include "core/parallel.hpp"

namespace tessera {

/// Calls `functor(Tag(), i)` for i in [0, n), to select one of several loops of a functor. Otherwise like for_each().
template <class Tag, class Index = index_t, class ExecutionSpace, class Functor>
void for_each_tagged(const char* label, const ExecutionSpace& exec, std::int64_t n, const Functor& functor) {
  if (n > 0)
    launch_loop<Tag>(label, exec, static_cast<Index>(n), functor);
}

} // namespace tessera

#endif
