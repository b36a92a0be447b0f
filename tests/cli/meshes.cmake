# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
tessera_add_cli_test("a mesh file of an ending that cannot be read back is refused before any work" CODE 1
                     SAYS "'made.vtu' does not end in .vtkhdf, .hdf or .h5" ARGS mesh ${plates} -o made.vtu)
tessera_add_cli_test("a mesh is written to a name that ends in h5" CODE 0 SAYS "Wrote made.h5" ARGS mesh ${plates} -o made.h5)

if(NOT Tessera_HAVE_GMSH)
  return()
endif()

# tessera_write_msh(<file> NODES "x y" ... LINES "group a b" ... TRIANGLES "group a b c" ... [COUNT <n>] [LOWER <name>])
#
# Writes a mesh in Gmsh's format 2 with the boundaries 1, left, 2, right, and 5, LOWER, and the regions 3, domain, and 4, other.
# COUNT: the number of elements that the file announces.
function(tessera_write_msh file)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "COUNT;LOWER" "NODES;LINES;TRIANGLES")
  set(lower lower)
  if(arg_LOWER)
    set(lower ${arg_LOWER})
  endif()
  list(LENGTH arg_NODES n_nodes)
  set(text "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n5\n1 1 \"left\"\n1 2 \"right\"\n1 5 \"${lower}\"\n")
  string(APPEND text "2 3 \"domain\"\n2 4 \"other\"\n$EndPhysicalNames\n$Nodes\n${n_nodes}\n")
  set(i 0)
  foreach(node IN LISTS arg_NODES)
    math(EXPR i "${i} + 1")
    string(APPEND text "${i} ${node} 0\n")
  endforeach()
  set(n 0)
  set(elements "")
  foreach(kind LINES TRIANGLES)
    foreach(element IN LISTS arg_${kind})
      math(EXPR n "${n} + 1")
      string(REGEX MATCH "^([0-9]+) (.*)$" matched "${element}")
      set(type 1)
      if(kind STREQUAL TRIANGLES)
        set(type 2)
      endif()
      string(APPEND elements "${n} ${type} 2 ${CMAKE_MATCH_1} ${CMAKE_MATCH_1} ${CMAKE_MATCH_2}\n")
    endforeach()
  endforeach()
  if(arg_COUNT)
    set(n ${arg_COUNT})
  endif()
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/${file} "${text}$EndNodes\n$Elements\n${n}\n${elements}$EndElements\n")
endfunction()

# tessera_add_mesh_test("<claim>" CODE <exit code> SAYS <regex> FILE <mesh> [SET <setting>...])
function(tessera_add_mesh_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "CODE;SAYS;FILE" "SET")
  set(settings --set mesh.box= --set mesh.file=${arg_FILE})
  foreach(setting IN LISTS arg_SET)
    list(APPEND settings --set ${setting})
  endforeach()
  tessera_add_cli_test("${name}" CODE ${arg_CODE} SAYS "${arg_SAYS}" ARGS run ${plates} --output meshes-out ${settings})
endfunction()

set(square "0 0" "1 0" "1 1" "0 1")
set(sides "1 1 4" "2 2 3")
tessera_write_msh(doubled.msh NODES ${square} LINES ${sides} TRIANGLES "3 1 2 3" "3 1 2 3" "3 1 3 4" COUNT 4)
tessera_add_mesh_test("lines beyond the count of a msh file are reported" CODE 1 SAYS "line [0-9]+: expected .EndElements after the 4"
                      FILE doubled.msh)
tessera_write_msh(folded.msh NODES ${square} "0.5 1.25" LINES ${sides} TRIANGLES "3 1 2 5" "3 2 3 5" "3 3 4 5" "3 4 1 5")
tessera_add_mesh_test("a folded star of elements is reported with its place" CODE 1
                      SAYS "folded.msh: 2 facets with two elements on the same side, which overlap .elements 1, 2 at .0.75, 1.125" FILE
                      folded.msh)
tessera_write_msh(crowded.msh NODES ${square} "1.5 0.5" LINES ${sides} TRIANGLES "3 1 2 3" "3 1 3 4" "3 1 3 5")
tessera_add_mesh_test("overlapping elements at one edge are reported with its place" CODE 1
                      SAYS "1 facet of more than two elements .elements 0, 1, 2 at .0.5, 0.5" FILE crowded.msh)
tessera_write_msh(hanging.msh NODES ${square} "1 0.5" "2 0" "2 1" LINES "1 1 4" "2 6 7" TRIANGLES "3 1 2 3" "3 1 3 4" "3 2 6 5"
                  "3 6 7 5" "3 5 7 3")
tessera_add_mesh_test("a hanging node is reported with its place" CODE 1
                      SAYS "mesh.file: .*hanging.msh: 1 hanging node, .*node 4 at .1, 0.5. on element 0" FILE hanging.msh)
tessera_write_msh(touching.msh NODES ${square} "1 0.5" "2 0" "2 1" "1 0" "1 1" LINES "1 1 4" "2 6 7" TRIANGLES "3 1 2 3" "3 1 3 4"
                  "3 8 6 5" "3 6 7 5" "3 5 7 9")
tessera_add_mesh_test("parts that touch without common nodes get a note" CODE 0 SAYS "1 node lies on boundary facets .*does not cross"
                      FILE touching.msh)
tessera_write_msh(names.msh NODES ${square} LINES ${sides} "5 1 2" TRIANGLES "3 1 2 3" "3 1 3 4" LOWER domain)
tessera_add_mesh_test("one name of a boundary and a region gets a note" CODE 0
                      SAYS "note: 'domain' is the name of a boundary and of a region" FILE names.msh SET
                      "mesh.refine=1")
tessera_add_cli_test("a dry run reports one name of a boundary and a region" CODE 0
                     SAYS "# Note: 'domain' is the name of a boundary and of a region" ARGS run ${plates} --dry-run --set mesh.box= --set
                     mesh.file=names.msh)
tessera_write_msh(loose.msh NODES ${square} "3 0" "4 0" "3 1" LINES ${sides} TRIANGLES "3 1 2 3" "3 1 3 4" "4 5 6 7")
set(two_materials "problem.materials.other={relative_permittivity: 2}" "mesh.refine=2")
tessera_add_mesh_test("a part of the mesh in which nothing is fixed gets a note" CODE 0
                      SAYS "Nothing fixes the solution in 1 part of the mesh without a source.*1 element of 'other' about" FILE loose.msh
                      SET ${two_materials})
tessera_add_cli_test("a dry run reports a part of the mesh in which nothing is fixed" CODE 0
                     SAYS "# Note: Nothing fixes the solution in 1 part of the mesh without a source" ARGS run ${plates} --dry-run --set
                     mesh.box= --set mesh.file=loose.msh --set problem.materials.other.relative_permittivity=2)
tessera_add_mesh_test("a source in a part of the mesh in which nothing is fixed is an error" CODE 1
                      SAYS "plates.yaml:[0-9]+: problem.boundaries: nothing fixes the solution in a part of the mesh" FILE loose.msh
                      SET ${two_materials} "problem.sources.other={charge_density: 1e-9}")
set(nodes "0 0")
set(lines)
set(triangles)
set(next 2)
foreach(point "1 0" "0.924 0.383" "0.707 0.707" "0.383 0.924" "0 1" "-0.383 0.924" "-0.707 0.707" "-0.924 0.383" "-1 0" "-0.924 -0.383"
              "-0.707 -0.707" "-0.383 -0.924" "0 -1" "0.383 -0.924" "0.707 -0.707" "0.924 -0.383")
  math(EXPR after "(${next} - 1) % 16 + 2")
  list(APPEND nodes "${point}")
  list(APPEND lines "1 ${next} ${after}")
  list(APPEND triangles "3 1 ${next} ${after}")
  set(next ${after})
endforeach()
tessera_write_msh(circle.msh NODES ${nodes} LINES ${lines} TRIANGLES ${triangles})
tessera_add_mesh_test("order 2 on a curved boundary gets a note" CODE 0
                      SAYS "boundary 'left' is curved .to judge by angles of about 2. degrees .*order 2 does not lessen" FILE circle.msh
                      SET "discretization.order=2" "problem.boundaries.right=")
tessera_add_mesh_test("a shape that a mesh file does not know leaves its boundary straight, with a note" CODE 0
                      SAYS "mesh.refine does not lessen .*mesh of order 2 from where the file comes from" FILE circle.msh
                      SET "mesh.refine=1" "problem.boundaries.right=")
# Three wires inside a circle that models open space: only the net charge of each potential passes through the circle.
set(wires_in_space ${PROJECT_SOURCE_DIR}/inputs/three-wires/three-wires.yaml --output wires-out --set output.ground= --set verification= --set
                   "output.fields=[]" --set discretization.order=1)
tessera_add_cli_test("matrices in open space by a multipole are reported to be none of the wires alone" CODE 0
                     SAYS "'shield' stands for open space by the far field of a multipole.*Entries of capacitance_matrix then depend"
                     ARGS run ${wires_in_space} --set "problem.boundaries.shield={asymptotic: {order: 1}}")
tessera_add_cli_test("a colouring without effect is reported" CODE 0
                     SAYS "assembly.coloring has no effect: the strategy 'row-gather' uses no colours" ARGS run
                     ${wires_in_space} --strategy row-gather --set assembly.coloring=ccm)
set(coarse_circle ${plates} --output meshes-out --set mesh.box= --set mesh.dimension=2 --set mesh.geometry=${CMAKE_CURRENT_SOURCE_DIR}/coarse-circle.geo)
tessera_add_cli_test("edges stay straight where a curved boundary would turn elements inside out in a refinement" CODE 0
                     SAYS "mesh.refine: [0-9]+ elements? would be inverted .* edges there stay straight, up to 0.[0-9]+ m off the boundary, at"
                     ARGS run ${coarse_circle} --set mesh.refine=2 --set problem.materials.domain.relative_permittivity=1)
tessera_add_cli_test("edges of order 2 stay straight where a curved boundary would fold elements" CODE 0
                     SAYS "discretization.order: [0-9]+ elements? would be folded .* edges there stay straight, up to 0.[0-9]+ m off"
                     ARGS run ${coarse_circle} --set discretization.order=2 --set problem.materials.domain.relative_permittivity=1)
tessera_add_cli_test("elements that a curved boundary turns inside out in a refinement by parts are reported with their place" CODE 1
                     SAYS "mesh.refine: the mesh is too coarse for its curved boundaries: .* elements are inverted, the first at"
                     ARGS run ${coarse_circle} --set mesh.refine=1 --set execution.mesh=parts --processes 2)
tessera_add_cli_test("mesh.curved: false keeps the elements of a curved boundary straight" CODE 0 SAYS "Results lie in"
                     ARGS run ${coarse_circle} --set mesh.refine=1 --set mesh.curved=false --set discretization.order=2
                     --set problem.materials.domain.relative_permittivity=1)
