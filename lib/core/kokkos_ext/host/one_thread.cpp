// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/host/one_thread.hpp"

#include "core/kokkos_ext/host/concurrency.hpp"

namespace tessera {

namespace {

/// Whether on_one_thread() runs.
bool is_on_one_thread = false;

/// Sets a variable during this object's lifetime.
template <class T> class Setting {
public:
  Setting(T& variable, T value) : variable_(variable), before_(variable) { variable = value; }
  ~Setting() { variable_ = before_; }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

private:
  T& variable_;
  T before_;
};

#if defined(KOKKOS_ENABLE_OPENMP) && !defined(TESSERA_HAS_SERIAL_SPACE)

void with_one_thread(const std::function<void(const OpenMPSpace&)>& work) { work(OpenMPSpace(1)); }

#else

void with_one_thread(const std::function<void(const OneThreadSpace&)>& work) { work(OneThreadSpace()); }

#endif

} // namespace

void on_one_thread(const std::function<void(const OneThreadSpace&)>& work) {
  const Setting<bool> name(is_on_one_thread, true);
  const OneThreadSpace exec;
  if (concurrency(exec) == 1)
    work(exec);
  else
    with_one_thread(work);
}

template <class ExecutionSpace> std::string backend_name(const ExecutionSpace&) {
  if (std::is_same_v<ExecutionSpace, OneThreadSpace> && is_on_one_thread)
    return serial_backend;
  return BackendName<ExecutionSpace>::value;
}

#define TESSERA_INSTANTIATE(Space) template std::string backend_name(const Space&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera
