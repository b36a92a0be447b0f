// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_BLOCKS_BLOCK_ROWS_HPP
#define TESSERA_ASSEMBLY_DG_BLOCKS_BLOCK_ROWS_HPP

#include "assembly/dg/assembler.hpp"
#include "assembly/dg/blocks/block_kernel.hpp"
#include "assembly/dg/blocks/steady_items.hpp"

#include <vector>

namespace tessera::assembly::dg {

/// Strategy `block-rows`: a team per element computes its diagonal block and load from moments (element_rows.hpp), a
/// team per interface the two blocks between its elements (interface_blocks.hpp), so that nothing is atomic and each
/// block is written by one team. Elements and interfaces of low degree and few simplices, with coefficients that do not
/// depend on time, have separate kernels (steady_blocks.hpp). On a host a team is one thread. Same bits on every
/// backend. The matrix may be in single precision; sums over points are in double precision.
template <class ExecutionSpace, int Dim> class BlockRows final : public Assembler<ExecutionSpace> {
public:
  using Space = typename ExecutionSpace::memory_space;
  BlockRows(const Form<Dim, Space>& form, Precision precision) : kernel_{form}, precision_(precision) {}
  void symbolic(const ExecutionSpace& exec) override;
  void numeric(const ExecutionSpace& exec, const TimeSlab<Space>& slab) override { assemble(exec, slab, true); }
  void load(const ExecutionSpace& exec, const TimeSlab<Space>& slab) override { assemble(exec, slab, false); }

private:
  /// Elements whose values at points are computed together, before their rows.
  struct Range {
    index_t first_element;
    index_t end_element;
    index_t first_simplex;
    index_t n_simplices;
    index_t first_item[3]; ///< index, by kind, of the range's first element of the kind
    index_t n_items[3];
  };

  using Terms = RegionTerms<physics::AdvectionCoefficients<Dim, Space>>;
  using Regions = Array<Terms*, HostMemory>;

  void list_terms(const ExecutionSpace& exec);
  void list_kinds(const ExecutionSpace& exec, const Regions& regions);
  void make_ranges(const ExecutionSpace& exec, const Regions& regions);
  void evaluate_faces(const ExecutionSpace& exec, bool with_matrix);
  void assemble(const ExecutionSpace& exec, const TimeSlab<Space>& slab, bool with_matrix);

  BlockKernel<Dim, ExecutionSpace> kernel_; ///< data of all kernels
  Precision precision_;
  Array<Terms*, Space> terms_; ///< of the regions; their numbers are those of the last list_terms()
  ItemLists<Space> elements_;  ///< empty: all elements are of kind `other`
  ItemLists<Space> interfaces_;
  std::vector<Range> ranges_;
};

} // namespace tessera::assembly::dg

#endif
