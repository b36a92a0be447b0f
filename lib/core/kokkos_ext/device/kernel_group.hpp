// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_DEVICE_KERNEL_GROUP_HPP
#define TESSERA_CORE_KOKKOS_EXT_DEVICE_KERNEL_GROUP_HPP

namespace tessera {

/// While it exists, KernelTimes measures all kernels, and those of libraries, as one with this label.
class KernelGroup {
public:
  explicit KernelGroup(const char* label);
  KernelGroup(const KernelGroup&) = delete;
  KernelGroup& operator=(const KernelGroup&) = delete;
  ~KernelGroup();

private:
  bool is_outermost_;
};

} // namespace tessera

#endif
