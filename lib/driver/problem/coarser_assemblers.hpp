// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_COARSER_ASSEMBLERS_HPP
#define TESSERA_DRIVER_PROBLEM_COARSER_ASSEMBLERS_HPP

/// \file
/// Assemblers of a problem's next coarser level, for multigrid.

#include "assembly/coarser/coarser_system.hpp"
#include "assembly/form.hpp"
#include "core/algorithms/gather_rows.hpp"
#include "core/keep_alive.hpp"
#include "fe/dofs/dof_part.hpp"
#include "mesh/refine/coarser_elements.hpp"
#include "physics/forms/coarser_diffusion.hpp"

#include <memory>
#include <optional>
#include <type_traits>
#include <variant>

namespace tessera::driver {

/// For order 1 the level has the elements of the next coarser mesh, for order 2 those of the mesh.
template <class ExecutionSpace, int Dim, int Order> struct CoarserAssemblers {
  using Space = typename ExecutionSpace::memory_space;
  using Assembler = assembly::Assembler<ExecutionSpace>;
  using Level = assembly::CoarserLevel<Dim, Space>;
  using Fine = physics::UniformDiffusion<Dim, Order, Space>;
  using Coarse = physics::UniformDiffusion<Dim, 1, Space>;

  const mesh::Mesh<Dim, Space>& mesh;
  const fe::DofMap<Space>& dofs;
  const fe::DofMap<Space>& coarser;                                  ///< from fe::CoarserUnknowns
  const physics::PartOfMesh<ExecutionSpace>* part_of_mesh = nullptr; ///< null: each process has the whole mesh

  /// Uses the level's own elements if these give the Galerkin matrix, else those of `form`, a variant of forms; with
  /// `owned_only` returns null instead of the latter.
  template <class Form>
  std::unique_ptr<Assembler> whole(const ExecutionSpace& exec, const Form& form, bool owned_only) const {
    const Level level = find_level(exec, !owned_only || !has_one_region(exec, form));
    if (const auto own = own_form(exec, form, level))
      return of_owned(*own, coarser);
    return owned_only ? nullptr : of_fine(form, level);
  }

  /// The same for the elements at the rows [first, end); also sets the part of the level.
  template <class Form>
  std::unique_ptr<Assembler> part(const ExecutionSpace& exec, const Form& form, index_t first, index_t end,
                                  fe::DofPart<Space>& part, bool owned_only) const {
    const Level whole = find_level(exec, !owned_only || !has_one_region(exec, form));
    const auto own = own_form(exec, form, whole);
    if (!own && owned_only)
      return nullptr;
    const Array<const index_t*, Space> nodes(whole.element_nodes.data(), whole.element_nodes.size());
    part = fe::make_dof_part<ExecutionSpace>(exec, coarser, {nodes, Dim + 1}, first, end);
    const Array<const index_t*, ExecutionSpace> elements(part.elements);
    keep_alive(exec, whole);
    if (own) {
      keep_alive(exec, *own);
      return of_owned(own->part(exec, elements), part.dofs);
    }
    const auto of_part = [&](const auto& all) { return gather_rows(exec, all, elements); };
    Level level = whole;
    level.dofs = part.dofs;
    level.element_nodes = of_part(level.element_nodes);
    level.children = of_part(level.children);
    if constexpr (Order == 2)
      level.same_elements = part.elements;
    return of_fine(form, level);
  }

private:
  /// `with_children`: own_form() needs no children if all elements are in one region.
  Level find_level(const ExecutionSpace& exec, bool with_children) const {
    Level level;
    level.dofs = coarser;
    if constexpr (Order == 1) {
      const auto elements =
          mesh::find_coarser_elements<ExecutionSpace, Dim>(exec, mesh, with_children, part_of_mesh != nullptr);
      level.element_nodes = elements.nodes;
      level.children = elements.children;
      level.parents = mesh.node_parents.front();
    } else {
      level.element_nodes = mesh.elements;
    }
    return level;
  }
  template <class Form> bool has_one_region(const ExecutionSpace& exec, const Form& form) const {
    const Fine* fine = std::get_if<Fine>(&form);
    return fine != nullptr && physics::has_one_region(exec, fine->regions);
  }
  template <class Form>
  std::optional<Coarse> own_form(const ExecutionSpace& exec, const Form& form, const Level& level) const {
    if (const Fine* fine = std::get_if<Fine>(&form))
      return physics::coarser_diffusion<ExecutionSpace, Dim, Order>(exec, *fine, dofs, level.dofs, level.element_nodes,
                                                                    level.children, level.parents, part_of_mesh);
    return std::nullopt;
  }
  std::unique_ptr<Assembler> of_owned(const Coarse& form, const fe::DofMap<Space>& of_form) const {
    assembly::AssemblyOptions options;
    options.strategy = assembly::Strategy::row_gather;
    return assembly::make_assembler<ExecutionSpace, Coarse>(form, of_form, options);
  }
  template <class Form> std::unique_ptr<Assembler> of_fine(const Form& form, const Level& level) const {
    return std::visit(
        [&](const auto& fine) -> std::unique_ptr<Assembler> {
          if constexpr (!assembly::FormTraits<std::decay_t<decltype(fine)>>::is_symmetric)
            throw Error(ErrorKind::input, "Multigrid without a matrix needs a symmetric one.");
          else
            return assembly::make_coarser_assembler<ExecutionSpace, std::decay_t<decltype(fine)>>(fine, dofs, level);
        },
        form);
  }
};

} // namespace tessera::driver

#endif
