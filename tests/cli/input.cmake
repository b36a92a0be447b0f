# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The input file: files that are not a case, invalid values, and resolved.yaml.
set(input_dir ${CMAKE_CURRENT_BINARY_DIR}/input)
file(MAKE_DIRECTORY ${input_dir})

# tessera_add_case_test("<claim>" CODE <exit code> SAYS <regex> LINES <line>... [FILE <name> <text>])
# Dry run of a case that consists of these lines, appended to the version and a mesh of 4 x 4 cells.
function(tessera_add_case_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "CODE;SAYS" "LINES;FILE")
  string(MAKE_C_IDENTIFIER "${name}" id)
  list(JOIN arg_LINES "\n" lines)
  file(WRITE ${input_dir}/${id}.yaml "tessera: 1\nmesh: {box: {cells: [4, 4]}}\n${lines}\n")
  if(arg_FILE)
    list(GET arg_FILE 0 file)
    list(GET arg_FILE 1 text)
    file(WRITE ${input_dir}/${file} "${text}")
  endif()
  tessera_add_cli_test("${name}" CODE ${arg_CODE} SAYS "${arg_SAYS}" ARGS run ${input_dir}/${id}.yaml --dry-run)
endfunction()

tessera_add_case_test(
  "blank values are reported with their lines" CODE 1
  SAYS "yaml:4: problem.depth: expected a number, found no value.*yaml:6: .*left.potential: expected.*yaml:7: solver: expected a map.*write {}"
  LINES "problem:" "  depth:" "  materials: {domain: {relative_permittivity: 1}}" "  boundaries: {left: {potential: }}"
        "solver:")
tessera_add_case_test(
  "values that are no finite numbers are reported with their lines" CODE 1
  SAYS "yaml:4: .*charge_density: .*'1e400' gives inf.*yaml:6: .*relative_permittivity: must be positive.*yaml:7: .*'.nan' is no finite"
  LINES "problem:" "  sources: {domain: {charge_density: 1e400}}" "  physics: electrostatics"
        "  materials: {domain: {relative_permittivity: -1}}" "  boundaries: {left: {potential: .nan}}")
file(WRITE ${input_dir}/indented.yaml "  tessera: 1\nmesh: {box: {cells: [4, 4]}}\n")
tessera_add_cli_test("wrong indentation is reported with its line" CODE 1
                     SAYS "indented.yaml:2: this line does not belong to what stands before it" ARGS run
                     ${input_dir}/indented.yaml)
tessera_add_case_test(
  "a second document is reported with its line" CODE 1 SAYS "yaml:3: a second YAML document begins here" LINES "---" "a: 1")
set(magnetic_lines
    "problem:" "  physics: magnetostatics" "  materials: {domain: {bh_curve: FILE}}"
    "  boundaries: {left: {vector_potential: 1}}")
string(REPLACE FILE swapped.csv swapped_lines "${magnetic_lines}")
tessera_add_case_test(
  "a B-H file that names its columns the other way round is refused" CODE 1
  SAYS "swapped.csv:1: problem.materials.domain.bh_curve: column 1 must hold H in A/m, but its heading is 'b'" LINES ${swapped_lines} FILE swapped.csv
       "B,H\n0,0\n1,100\n1.5,1000\n")
string(REPLACE FILE strong.csv strong_lines "${magnetic_lines}")
tessera_add_case_test(
  "a polarisation that no material has is noted" CODE 0 SAYS "# Note: .*strong.csv:2: problem.materials.domain.bh_curve: B - mu0 H is more than 10 T"
  LINES ${strong_lines} FILE strong.csv "0,0\n0.5,20\n1,40\n")
tessera_add_case_test(
  "a temperature below absolute zero is noted" CODE 0
  SAYS "# Note: .*yaml:6: problem.boundaries.left.temperature: -5 K is below absolute zero.*celsius" LINES "problem:"
       "  physics: heat" "  materials: {domain: {thermal_conductivity: 1}}"
       "  boundaries: {left: {temperature: -5}, right: {temperature: 3}}")
tessera_add_case_test(
  "a temperature below absolute zero is refused where something radiates" CODE 1
  SAYS "yaml:6: problem.boundaries.left.temperature: -5 K is below absolute zero, and something radiates" LINES
       "problem:" "  physics: heat" "  materials: {domain: {thermal_conductivity: 1}}"
       "  boundaries: {left: {temperature: -5}, right: {radiation: {emissivity: 1, ambient: 300}}}")
tessera_add_case_test(
  "bodies and conductors that no quantity asks for are noted" CODE 0
  SAYS "Note: .*output.conductors: has no effect: .* neither capacitance nor capacitance_matrix.*Note: .*output.bodies: has no effect"
  LINES "problem:" "  physics: electrostatics" "  materials: {domain: {relative_permittivity: 1}}"
        "  boundaries: {left: {potential: 1}, right: {potential: 0}}" "output:" "  conductors: [left, right]"
        "  bodies: {left: {}}")
foreach(option "--output;a;--output;b" "--threads;1;--threads;2")
  list(GET option 0 repeated)
  tessera_add_cli_test("${repeated} given twice is reported in words" CODE 1 SAYS "error: ${repeated} is given more than once"
                       ARGS run ${input_dir}/nothing.yaml ${option})
endforeach()
tessera_add_case_test(
  "more points of lines than a run can take are reported with their lines" CODE 1
  SAYS "yaml:8: .*samples: must lie between 10 and 1000000.*yaml:9: .*points: must lie between 2 and 1000000"
  LINES "problem:" "  physics: electrostatics" "  materials: {domain: vacuum}" "  boundaries: {left: {potential: 1}}" "output:"
        "  lines: {a: {points: [[0, 0], [1, 1]], samples: 2000000}}"
        "  probes: {b: {from: [0, 0], to: [1, 1], points: 10000000}}")
string(REPEAT "sin(" 99 deep)
string(REPEAT ")" 99 end)
tessera_add_case_test(
  "an expression that a turned tensor makes too deep is reported with its line" CODE 1
  SAYS "yaml:5: problem.materials.domain.relative_permittivity.0.: what is computed of this expression exceeds a limit.*at most 200 levels"
  LINES "problem:" "  physics: electrostatics"
        "  materials: {domain: {relative_permittivity: [9, \"2 + ${deep}x${end}\"], rotation: 30}}"
        "  boundaries: {left: {potential: 1}}")
tessera_add_cli_test("a key that --set gives twice is noted" CODE 0 SAYS "Note: --set gives 'mesh.scale' again; the last value is used: 3" ARGS
                     run ${plates} --dry-run --set mesh.scale=1 --set solver.max_iterations=9 --set mesh.scale=3)
tessera_add_cli_test("an output that is a list is reported with its line" CODE 1
                     SAYS "list-output.yaml:7: output: expected a map of keys and values, found a list; --output sets 'output.directory'"
                     ARGS run ${input_dir}/list-output.yaml --output x)
tessera_add_cli_test("places far from the origin have enough digits" CODE 0
                     SAYS "largest_electric_field.domain +[0-9.e+-]+ V/m +\\(?at \\(652000\\.?[0-9]*, 5213000\\.?[0-9]*\\) m"
                     ARGS run ${plates} --output far --set "mesh.box={cells: [4, 4], lower: [652000, 5213000], upper: [652002, 5213001]}"
                     --set "output.quantities=[regions]" --set "output.fields=[]" --set "output.probes=")
tessera_add_case_test(
  "a strategy that no reproducible run may take is reported with the key's place" CODE 1
  SAYS "yaml:8: execution.reproducible: strategy 'atomic' adds in an order"
  LINES "problem:" "  physics: electrostatics" "  materials: {domain: vacuum}"
        "  boundaries: {left: {potential: 1}, right: {potential: 0}}" "assembly: {strategy: atomic}"
        "execution: {reproducible: true}")
file(WRITE ${input_dir}/list-output.yaml "tessera: 1\nmesh: {box: {cells: [2, 2]}}\nproblem:\n  physics: electrostatics\n"
                                         "  materials: {domain: vacuum}\n  boundaries: {left: {potential: 1}}\noutput: [energy]\n")
file(WRITE ${input_dir}/nothing.yaml "# no case yet\n")
file(WRITE ${input_dir}/list.yaml "- tessera: 1\n")
foreach(command "run;--dry-run" "run;--output;list" "mesh;--list")
  list(POP_FRONT command name)
  string(REPLACE ";" " " shown "${command}")
  tessera_add_cli_test("an empty input is reported by ${name} ${shown}" CODE 1
                       SAYS "nothing.yaml: the input is empty; it starts with 'tessera: 1'" ARGS ${name}
                       ${input_dir}/nothing.yaml ${command})
  tessera_add_cli_test("a list is reported to be no case by ${name} ${shown}" CODE 1
                       SAYS "list.yaml:1: expected a map of keys and values, found a list" ARGS ${name}
                       ${input_dir}/list.yaml ${command})
endforeach()
tessera_add_cli_test("a device is no case" CODE 1 SAYS "'/dev/zero' is no regular file" ARGS run /dev/zero --dry-run)

add_test(NAME "cli: resolved.yaml repeats the run after it was moved with its mesh"
         COMMAND ${CMAKE_COMMAND} "-DPROGRAM=$<TARGET_FILE:tessera>" "-DCASE=${plates}" "-DFOLDER=${input_dir}/moved"
                 -P ${CMAKE_CURRENT_SOURCE_DIR}/move_resolved.cmake)
set_tests_properties(
  "cli: resolved.yaml repeats the run after it was moved with its mesh"
  PROPERTIES LABELS cli TIMEOUT 120 ENVIRONMENT "OMP_NUM_THREADS=2;OMP_PROC_BIND=false;OMP_WAIT_POLICY=passive")
