// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/kernels_gauss_seidel.hpp"

#include "core/kokkos_ext/spaces.hpp"

#include <KokkosGraph_Distance1Color.hpp>
#include <KokkosKernels_Handle.hpp>
#include <KokkosSparse_gauss_seidel_impl.hpp>

namespace tessera {

namespace {

template <class ExecutionSpace>
using ConstHandle =
    KokkosKernels::Experimental::KokkosKernelsHandle<const offset_t, const index_t, const double, ExecutionSpace,
                                                     typename ExecutionSpace::memory_space,
                                                     typename ExecutionSpace::memory_space>;

// The default colouring of Kokkos Kernels is slow on GPUs; versions that let the caller choose get the vertex-based
// one.
template <class KernelHandle>
auto create_point_handle(KernelHandle& handle, int)
    -> decltype(handle.create_gs_handle(KokkosSparse::GS_DEFAULT, KokkosGraph::COLORING_VB)) {
  return handle.create_gs_handle(KokkosSparse::GS_DEFAULT, KokkosGraph::COLORING_VB);
}
template <class KernelHandle> void create_point_handle(KernelHandle& handle, long) {
  handle.create_gs_handle(KokkosSparse::GS_DEFAULT);
}

} // namespace

} // namespace tessera

// The class below compiles a second set of all colourings, for patterns that are not symmetric. None is here, so these
// stay empty, which saves much of the time of compilation.
#if KOKKOS_VERSION < 30500
#define TESSERA_LEAVE_OUT(Space)                                                                                       \
  template <>                                                                                                          \
  void KokkosGraph::Experimental::graph_color_symbolic(tessera::ConstHandle<Space>*, tessera::index_t,                 \
                                                       tessera::index_t,                                               \
                                                       tessera::ConstHandle<Space>::row_lno_temp_work_view_t,          \
                                                       tessera::ConstHandle<Space>::nnz_lno_temp_work_view_t, bool) {}
TESSERA_FOR_EACH_SPACE(TESSERA_LEAVE_OUT)
#endif

namespace tessera {

template <class ExecutionSpace> struct KernelsGaussSeidel<ExecutionSpace>::Handle {
  using memory_space = typename ExecutionSpace::memory_space;
  using kernel_handle = KokkosKernels::Experimental::KokkosKernelsHandle<offset_t, index_t, double, ExecutionSpace,
                                                                         memory_space, memory_space>;
  using const_handle = ConstHandle<ExecutionSpace>;
  // The views name the execution space, which Array leaves to the memory space.
  template <class DataType>
  using View = Kokkos::View<DataType, Kokkos::LayoutLeft, Kokkos::Device<ExecutionSpace, memory_space>,
                            Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  template <class T> static View<T*> view(const Array<T*, ExecutionSpace>& array) {
    return View<T*>(array.data(), array.extent(0));
  }
  template <class T> static View<T**> column_view(const Array<T*, ExecutionSpace>& array) {
    return View<T**>(array.data(), array.extent(0), 1);
  }
  // The class behind gauss_seidel_symbolic, _numeric and symmetric_gauss_seidel_apply. Those functions instantiate the
  // cluster and two-stage variants as well, with all that these need: two minutes of compilation instead of seconds.
  // Versions 3.4 to 4.7 have the same class.
  using sweeps = KokkosSparse::Impl::PointGaussSeidel<const_handle, View<const offset_t*>, View<const index_t*>,
                                                      View<const double*>>;

  Array<const offset_t*, ExecutionSpace> offsets;
  Array<const index_t*, ExecutionSpace> columns;
  Array<const double*, ExecutionSpace> values;
  index_t n_rows;
  kernel_handle kernels;
};

template <class ExecutionSpace>
KernelsGaussSeidel<ExecutionSpace>::KernelsGaussSeidel(const ExecutionSpace& exec,
                                                       const Array<const offset_t*, ExecutionSpace>& offsets,
                                                       const Array<const index_t*, ExecutionSpace>& columns,
                                                       const Array<const double*, ExecutionSpace>& values)
    : handle_(new Handle{
          offsets, columns, values, offsets.extent(0) == 0 ? 0 : static_cast<index_t>(offsets.extent(0)) - 1, {}}) {
  Handle& h = *handle_;
  if (h.n_rows == 0)
    return;
  exec.fence(); // the arrays may still be written
  create_point_handle(h.kernels, 0);
  typename Handle::const_handle kernels(h.kernels);
  typename Handle::sweeps sweeps(&kernels, h.n_rows, h.n_rows, Handle::view(offsets), Handle::view(columns),
                                 Handle::view(values), true);
  sweeps.initialize_symbolic();
  sweeps.initialize_numeric();
  ExecutionSpace().fence();
}

template <class ExecutionSpace> KernelsGaussSeidel<ExecutionSpace>::~KernelsGaussSeidel() {
  handle_->kernels.destroy_gs_handle();
}

template <class ExecutionSpace>
void KernelsGaussSeidel<ExecutionSpace>::apply(const ExecutionSpace& exec,
                                               const Array<const double*, ExecutionSpace>& r,
                                               const Array<double*, ExecutionSpace>& z) {
  Handle& h = *handle_;
  if (h.n_rows == 0)
    return;
  exec.fence(); // r may still be written
  typename Handle::const_handle kernels(h.kernels);
  typename Handle::sweeps sweeps(&kernels, h.n_rows, h.n_rows, Handle::view(h.offsets), Handle::view(h.columns),
                                 Handle::view(h.values));
  const bool start_from_zero = true;
  const bool forward = true;
  const bool backward = true;
  const bool new_right_hand_side = true;
  sweeps.apply(Handle::column_view(z), Handle::column_view(r), start_from_zero, 1, 1., forward, backward,
               new_right_hand_side);
  ExecutionSpace().fence();
}

#define TESSERA_INSTANTIATE(Space) template class KernelsGaussSeidel<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera
